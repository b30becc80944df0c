// Tasks that were there and now run for fewer hosts, fail by fewer codes, or have something else take their place.
import { normalize } from 'node:path/posix';
import { forgivenCodes, forgivesAll, holdsNowhere, unknownName } from './conditions.ts';
import { isRecord, type Leaf, type Value } from './data.ts';
import type { Change, FileFacts } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import type { Knows, Tree } from './rules.ts';
import { bare, callText, counterpart, isForgiven, plainWord, shown, type Task } from './tasks.ts';

export function taskScopeFindings(change: Change, knows: Knows, tree: Tree): Finding[] {
  return [
    ...change.now.tasks.flatMap((task) => [...narrowed(change, task, knows), ...answersFor(change, task)]),
    ...plays(change, knows),
    ...lostIncludes(change, tree),
  ];
}

const MAX_FORGIVEN_CODES = 3;
/** The texts of a condition, which may be a list of those that must all hold, as one. */
const conditionText = (value: Value | undefined): string =>
  [value ?? []]
    .flat()
    .map((text) => String(text).replace(/^\{\{\s*(.*?)\s*\}\}$/, '$1'))
    .join(' and ');

/** What stands above it and did not before: conditions of its play or blocks. */
const newAbove = ({ above }: Task, earlier: Task): string[] =>
  [...above.matchAll(/when: (.*?); (?=\w+[:;]|$)/g)]
    .filter(([whole]) => !earlier.above.includes(whole))
    .map(([, json = '']) =>
      json
        .replace(/^[["]+|["\]]+$/g, '')
        .replaceAll('","', ' and ')
        .replace(/\\(.)/g, '$1'),
    );

/** New conditions of a task that was there: those that hold nowhere, and those that count few failures. */
function narrowed({ path, old, now }: Change, task: Task, knows: Knows): Finding[] {
  const earlier = counterpart(task, old.tasks);
  if (!earlier) return [];
  const added = (key: 'when' | 'failed_when') =>
    plainWord(task.words[key]) === plainWord(earlier.words[key]) ? '' : conditionText(task.words[key]);
  const when = [added('when'), ...newAbove(task, earlier)].filter(Boolean).join(' and ');
  const fails = added('failed_when');
  const words = `${shown(task)}: ${when || fails}`;
  if (holdsNowhere(when)) return [refuses('masks', path, task.line, 'runs never, or always', words)];
  if (fails !== '' && forgivesAll(fails) && !isForgiven(earlier))
    return [refuses('masks', path, task.line, 'never fails', words)];
  const name = unknownName(when, (one) => isSetIn(now, one) || knows(one));
  if (name !== undefined)
    return [asks('masks', path, task.line, `runs only because of ${name}, which nothing here names`, words)];
  const forgiven = forgivenCodes(fails) ?? 0;
  const wasForgiven = forgivenCodes(conditionText(earlier.words.failed_when)) ?? 0;
  return fails !== '' && forgiven > Math.max(MAX_FORGIVEN_CODES, wasForgiven) && !isForgiven(earlier)
    ? [asks('masks', path, task.line, 'counts few of its failures', words)]
    : [];
}

/** A task of the file registers it, or a key has its name. */
const isSetIn = ({ data }: FileFacts, name: string): boolean =>
  (data?.leaves ?? []).some(({ keys, value }) => keys.includes(name) || (keys.at(-1) === 'register' && value === name));

/** A new task that says in the place of another one how that ended. */
function answersFor({ path, old, now }: Change, task: Task): Finding[] {
  if (old.tasks.some((other) => callText(other) === callText(task))) return [];
  const registered = registeredIn(old);
  const { _raw_params: call = '' } = task.args;
  const isIdle = /^(?:\/\S*\/)?(?:true|:|echo|printf|exit 0)(?:\s|$)/.test(String(call));
  const names = bare(task) === 'set_fact' ? Object.keys(task.args) : isIdle ? [String(task.words.register ?? '')] : [];
  const name = names.find((one) => registered.includes(one) && !isReadFrom(registeredIn(now), task.args[one]));
  return name === undefined
    ? []
    : [asks('masks', path, task.line, `says itself what ${name} is, which another task found out`, shown(task))];
}

const registeredIn = ({ tasks }: FileFacts): string[] =>
  tasks.flatMap(({ words: { register } }) => (typeof register === 'string' && register !== '' ? [register] : []));

/** What another task found out, in another form. */
const isReadFrom = (names: readonly string[], value: Value | undefined): boolean =>
  typeof value === 'string' &&
  names.some((name) => new RegExp(`\\b${name.replace(/\W/g, '.')}\\b`).test(value)) &&
  !/\bcombine\b|["'](?:rc|failed|changed)["']/.test(value);

const INCLUDES = /^(?:import|include)_(?:tasks|playbook)$/;
const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const includedBy = ({ args }: Task): string => String(args._raw_params ?? args.file ?? '');

/** Files of the repository whose tasks no longer run from here. */
function lostIncludes({ path, old, now }: Change, tree: Tree): Finding[] {
  const filesOf = ({ tasks }: FileFacts) => tasks.filter((task) => INCLUDES.test(bare(task))).map(includedBy);
  const left = new Set(filesOf(now));
  const folder = path.split('/').slice(0, -1);
  return filesOf(old)
    .filter(
      (file) =>
        ![...left].some((other) => baseName(other) === baseName(file)) &&
        tree.exists(normalize([...folder, file].join('/'))),
    )
    .map((file) => asks('masks', path, undefined, 'no longer runs what stands in', file));
}

/** Plays that now run on no host, or on one that nobody knows. */
function plays({ path, addedLeaves, old, now }: Change, knows: Knows): Finding[] {
  const say = (value: string, line?: number) => refuses('masks', path, line, 'runs on no host', `hosts: ${value}`);
  const without = ({ data }: FileFacts) =>
    (data?.documents ?? []).flat().filter((play) => isRecord(play) && JSON.stringify(play.hosts) === '[]').length;
  const count = ({ data }: FileFacts) => (data?.leaves ?? []).filter(({ keys }) => keys.join() === 'hosts').length;
  const none = addedLeaves.filter(
    ({ keys, value }) => keys.join() === 'hosts' && /^(?:none|.*!all|(.+):!\1)$/.test(value.trim()),
  );
  // Of a play that was there.
  const isUnknown = ({ keys, value }: Leaf) =>
    keys.join() === 'hosts' && /^[\w.-]+$/.test(value) && !/^(?:all|localhost|none)$/.test(value) && !knows(value);
  const strange = count(now) > count(old) ? [] : addedLeaves.filter(isUnknown);
  return [
    ...none.map(({ value, line }) => say(value, line)),
    ...(without(now) > without(old) ? [say('[]')] : []),
    ...strange.map(({ value, line }) => asks('masks', path, line, 'runs on hosts that nothing here names', value)),
  ];
}
