// New text that hides failures by itself: in scripts, data, makefiles and programs.

import { hideTemplates, isKeptApart, isNever, statementsAround } from '../shell/templates.ts';
import { assignmentsOf } from '../shell/unwrap.ts';
import { Arguments } from './arguments.ts';
import { isRecord, type Leaf, type Value } from './data.ts';
import { isTaskfile } from './data-texts.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { isPlainScript, type Language } from './language.ts';
import { programFindings } from './program-mask-rules.ts';
import { shownWords } from './shown.ts';
import { expanded, makeVariables } from './texts.ts';
import { isFailure, isRemoteWork, isSilenced, isWork } from './work.ts';
import { writtenPaths } from './written-paths.ts';

const IGNORES =
  /^--(?:ignore-errors?|ignore-failures?|ignore-exit-codes?|no-fail(?:-on-\S+)?|never-fail|skip-errors?|allow-failures?|continue-on-errors?|exit-zero|no-exit-code|force-success|keep-going|no-error-on-unmatched-pattern|soft-fail|no-exit-on-error)(?:=(?!false|no|0).*)?$/;

/** Programs that nobody defines anew without a reason. */
const PROGRAMS =
  /^(?:ssh|scp|rsync|curl|wget|kubectl|helm|helmfile|flux|talosctl|terraform|tofu|ansible\S*|docker|podman|git|systemctl|qm|pct|sudo|test|exit|set|trap|grep|make|python3?|node|kustomize|etcdctl|exec|command|false|return|cd|source|command_not_found_handle)$/;

/** New text that hides failures by itself. */
export function added(change: Change): Finding[] {
  const { path, added, old, now, lines } = change;
  const made = added.flatMap((fact): Finding[] => {
    const { program, line } = fact;
    const args = new Arguments(fact.args);
    if (fact.role === 'maybe') return [];
    const say = (why: string) => [refuses('masks', path, line, why, shownWords(fact))];
    if (
      fact.via === 'trap' &&
      /^(?:exit|exec|return)$/.test(program) &&
      !isFailure(fact, now) &&
      !/^\$(?:\?|\w+)$/.test(fact.args[0]?.text ?? '')
    )
      return say('makes every end a good one');
    if (switchesOff(program, args)) return say('switches off that the script stops at a failure');
    if (args.any(IGNORES) || (/^g?make$/.test(program) && args.has('ik', 'ignore-errors', 'keep-going')))
      return say('tells the tool to go on as if nothing had failed');
    if (program === 'exec' && fact.args.length === 0 && isSilenced(fact))
      return say('throws away what the rest of the script says about its failures');
    const isReplaced =
      fact.assignments.some(({ name }) => /^BASH_(?:ALIASES|CMDS)$/.test(name)) ||
      (program === 'hash' && args.has('p')) ||
      (program === 'enable' && args.has('nf'));
    if (isReplaced) return say('replaces a command by another');
    const aliased = /^(?:alias|function)$/.test(program)
      ? fact.args.map(({ text }) => text.split('=')[0] as string)
      : [];
    if (aliased.some((name) => PROGRAMS.test(name) || old.commands.some((other) => other.program === name)))
      return say('replaces a command that is used here');
    const swallowed =
      (isWork(fact) || isRemoteWork(fact)) &&
      !sameProgram(fact, change) &&
      !isUsed(fact, change) &&
      fact.around.some((frame) => frame.kind === 'or' && !frame.fails && SAYS.test(frame.by));
    return swallowed ? [asks('softer', path, line, 'is new, and its failure does not count', shownWords(fact))] : [];
  });
  const times = (file: FileFacts, name: string) => file.functions.filter((other) => other === name).length;
  const twice = now.functions.filter((name) => times(now, name) > 1 && times(now, name) > times(old, name));
  const shadows = [...new Set(twice)].concat(
    now.functions.filter(
      (name) =>
        !old.functions.includes(name) &&
        // In a text that could not be read, functions were not seen.
        !(old.unread.size > 0 && lines.before.some((line) => line.trim().startsWith(`${name}()`))) &&
        (PROGRAMS.test(name) || old.commands.some(({ program }) => program === name)),
    ),
  );
  return [
    ...made,
    ...shebangs(change),
    ...shadows.map((name) =>
      refuses('masks', path, undefined, `defines a function ${name} in the place of the command`),
    ),
    ...idleContainers(change),
    ...idleValues(change),
    ...dataFindings(change),
    ...leftOut(change),
    ...programFindings(change),
    ...lostPrerequisites(change),
    ...skippedTasks(change),
    ...otherSystems(change),
    ...makeLines(change),
    ...settingLines(change),
    ...twiceMade(change),
    ...(now.language === 'make'
      ? lines.added
          .filter(({ text }) =>
            /^\.IGNORE\b|^(?:export\s+)?MAKEFLAGS\s*\+?[:?]?=.*(?:\s-?\w*[ik]|--ignore|--keep)/.test(text),
          )
          .map(({ text, number }) =>
            refuses('masks', path, number, 'tells make to go on as if nothing had failed', text),
          )
      : []),
  ];
}

/** A first line that has the script read by something that runs nothing of it. */
const shebangs = ({ path, lines }: Change): Finding[] =>
  lines.added
    .filter(
      ({ text, number }) =>
        number === 1 && /^#!.*(?:\s-[a-z]*n|\/(?:true|cat|echo|false)\b|env\s+(?:true|cat|echo))/.test(text),
    )
    .map(({ text, number }) => refuses('masks', path, number, 'has the script read, not run', text));

const MAKE_RULES =
  /^\.(?:RECIPEPREFIX|ONESHELL|IGNORE)\b|\bMAKEFLAGS\b|\$[({]file\b|^-?include\s+\/|^[^\t#]*:\s*export\s+\w|^ifn?(?:eq|def)\b/;

/** Lines of images and units that let them run as somebody else, with other code, or less often. */
const SETTING_LINES: Readonly<Partial<Record<Language, RegExp>>> = {
  docker:
    /^\s*(?:HEALTHCHECK\s+NONE|USER\s+(?:root|0)\b|ENV\s+(?:.*\s)?(?:PATH|LD_\w+|BASH_ENV)\b|#\s*escape\s*=|SHELL\s)/i,
  settings:
    /^\s*(?:EnvironmentFile|Exec(?:Condition)|(?:Condition|Assert)\w+|User|Group|CapabilityBoundingSet|AmbientCapabilities|SuccessExitStatus|ExecSearchPath|RootDirectory|RootImage|library|executable|strategy_plugins|callback_plugins|action_plugins|filter_plugins|host_key_checking)\s*=\s*(?:\/|root$|0$|!|False|CAP_)|^\s*StandardError\s*=\s*null\b/i,
};

const settingLines = ({ path, lines, now: { language } }: Change): Finding[] =>
  lines.added
    .filter(({ text }) => SETTING_LINES[language]?.test(text))
    .map(({ text, number }) =>
      asks('softer', path, number, 'runs as somebody else, with other code, or less often', text.trim()),
    );

/** Lines of a makefile that change how all of it is read. */
function makeLines({ path, lines, now: { language } }: Change): Finding[] {
  if (language !== 'make') return [];
  const variables = makeVariables(lines.after.join('\n'));
  const hits = [...lines.added, ...lines.removed].filter(
    ({ text }) => MAKE_RULES.test(expanded(text, variables)) || /^\s*#.*\\$/.test(text),
  );
  return hits
    .slice(0, 3)
    .map(({ text }) => asks('masks', path, undefined, 'changes how make reads or runs the rest', text.trim()));
}

/** Lines that a new template statement keeps out of the text. */
function leftOut({ path, lines, now: { language } }: Change): Finding[] {
  if (isPlainScript(path, language)) return [];
  const before = statementsAround(lines.before.join('\n'));
  const after = statementsAround(lines.after.join('\n'));
  const old = new Set(lines.before.flatMap((_, i) => before(i + 1)));
  const added = new Set(lines.added.map(({ number }) => number));
  for (const [i, text] of lines.after.entries()) {
    if (hideTemplates(text).trim() === '') continue;
    const isOld = !added.has(i + 1);
    const statement = after(i + 1).find((one) => !old.has(one) && (isNever(one) || (isOld && isKeptApart(one))));
    if (statement !== undefined) return [refuses('masks', path, i + 1, `is left out by \`${statement}\``, text.trim())];
  }
  return [];
}

/** Targets that have two recipes, of which the first is never run. */
function twiceMade({ path, lines: { before, after }, now: { language } }: Change): Finding[] {
  if (language !== 'make') return [];
  const recipes = (all: readonly string[]) =>
    all.flatMap((line, i) => (/^\t/.test(all[i + 1] ?? '') ? (/^([\w./-]+)\s*:(?![:=])/.exec(line)?.[1] ?? []) : []));
  const [was, is] = [recipes(before), recipes(after)];
  const count = (list: readonly string[], name: string) => list.filter((other) => other === name).length;
  const twice = is.find((name) => count(is, name) > 1 && count(is, name) > count(was, name));
  return twice === undefined ? [] : [refuses('masks', path, undefined, 'gives a target another recipe', twice)];
}

const SKIPS = /^(?:status|platforms|if)$/;

/** Tasks of a Taskfile that were there and now are done already, or for other machines only. */
function skippedTasks({ path, old, addedLeaves }: Change): Finding[] {
  if (!isTaskfile(path)) return [];
  const ofTask = (name: string | undefined) =>
    old.data?.leaves.filter(({ keys }) => keys[0] === 'tasks' && keys[1] === name) ?? [];
  return addedLeaves.flatMap(({ keys, value, line }) => {
    const before = keys[0] === 'tasks' ? ofTask(keys[1]) : [];
    const word = keys.slice(2).find((key) => SKIPS.test(key));
    const isNew = before.length > 0 && word !== undefined && !before.some((leaf) => leaf.keys.includes(word));
    return isNew ? [asks('masks', path, line, 'may no longer run where it did', `${keys[1]}: ${word}: ${value}`)] : [];
  });
}

const OTHER_SYSTEM = /^\[(?!.*\b(?:linux|unix)\b).*\b(?:windows|macos|\w*bsd)\b.*\]/;

/** Recipes of just that were there and now are for machines of another kind. */
const otherSystems = ({ path, now: { language }, lines: { added, before, after } }: Change): Finding[] =>
  added
    .filter(
      ({ text, number }) => language === 'just' && OTHER_SYSTEM.test(text) && before.includes(after[number] ?? ''),
    )
    .map(({ text, number }) => asks('masks', path, number, 'may no longer run where it did', text));

/** Targets that no longer run first what they did. */
function lostPrerequisites({ path, lines, goneLeaves, now: { language, data } }: Change): Finding[] {
  const why = (names: readonly string[]) => `no longer runs ${names.join(', ')} first`;
  // `deps: [build]` is `deps: [{ task: build }]`.
  const isNeeded = (task: string | undefined, name: string) =>
    data?.leaves.some(
      ({ keys: [, owner, ...below], value }) =>
        owner === task && value === name && /^deps(?: task)?$/.test(below.join(' ')),
    );
  if (isTaskfile(path))
    return goneLeaves
      .filter(({ keys, value }) => keys.includes('deps') && data?.leaves.some(({ keys: [, task] }) => task === value))
      .filter(({ keys: [, task], value }) => !isNeeded(task, value))
      .map(({ keys: [, task], value }) => asks('masks', path, undefined, why([value]), task));
  if (language !== 'make' && language !== 'just') return [];
  const heads = (all: readonly { text: string; number: number }[]) =>
    all.flatMap(({ text, number }) => {
      const [, target, needs = ''] = /^@?([\w.%-]+)[^:=]*:(?![=:])([^;#]*)/.exec(text) ?? [];
      return target === undefined ? [] : [{ target, number, needs: needs.split(/[\s()|&]+/).filter(Boolean) }];
    });
  return heads(lines.removed).flatMap(({ target, needs }) => {
    const now = heads(lines.added).find((other) => other.target === target);
    const gone = now ? needs.filter((need) => !now.needs.includes(need)) : [];
    const isTarget = (name: string) => lines.after.some((line) => line.replace(/^@/, '').startsWith(`${name}:`));
    const isLost = now && gone.length > 0 && (now.needs.length < needs.length || gone.some(isTarget));
    return isLost ? [asks('masks', path, now.number, why(gone), target)] : [];
  });
}

/** It was there, and its failure did not count then either. */
const sameProgram = (fact: Fact, { gone, old }: Change): boolean =>
  old.commands.some(({ program, key }) => program === fact.program && key === fact.key) ||
  gone.some(
    (other) => other.program === fact.program && other.around.some((frame) => frame.kind === 'or' && !frame.fails),
  );

/** What only says something, or nothing. */
const SAYS = /^(?:\/\S*\/)?(?:true|:|echo|printf)$/;

/** Words that are written into a file, or are the value instead, are more than words. */
const isUsed = (fact: Fact, { now }: Change): boolean =>
  fact.around.some(({ kind }) => kind === 'assigned' || kind === 'substitution') ||
  now.commands.some(
    (other) => other.line === fact.line && /^(?:echo|printf)$/.test(other.program) && writtenPaths(other).length > 0,
  );

function switchesOff(program: string, args: Arguments): boolean {
  if (program === 'set')
    return args.words.some(
      (word, i) =>
        /^\+[a-zA-Z]*e|^-[a-zA-Z]*n/.test(word) ||
        (/^\+[a-zA-Z]*o$/.test(word) && /^(?:errexit|pipefail)$|\$/.test(args.words[i + 1] ?? '')),
    );
  if (program === 'shopt') return args.has('u') && args.any(/^(?:errexit|pipefail)$|\$/);
  if (program === 'trap')
    return (
      args.words.some((word) => /^(?:ERR|EXIT|0|DEBUG)$/.test(word)) &&
      /^(?:-|true|:|)$|(?:^|[;&\s])exit\s*(?:0\s*)?(?:;|$)/.test(
        (args.words[0] === '--' ? args.words[1] : args.words[0]) ?? 'x',
      )
    );
  if (program === 'psql') return args.any(/^(?:--(?:set|variable)=)?ON_ERROR_STOP=(?:0|off|false|no)?$/i);
  return /^(?:ba|da|z|k)?sh$/.test(program) && args.any(/^\+[a-z]*e/);
}

/** An option alone, which the grammar takes for an assignment, is for what the image starts. */
const isNothing = ({ program, args, assignments }: Fact): boolean =>
  (/^(?:true|:|echo|printf|set|sleep|pause|break|continue|wait|exit|trap|)$/.test(program) &&
    !assignments.some(({ name }) => name.startsWith('-'))) ||
  (program === 'tail' && args.some(({ text }) => text === '/dev/null'));

/** Containers whose command does nothing: in the place of one that did something, or of what the image would do. */
function idleContainers({ path, old, now, added }: Change): Finding[] {
  const ofUnit = (file: FileFacts, unit: string) =>
    file.commands.filter(
      (fact) => fact.role === 'container' && fact.unit === unit && !/^(?:ba|da|z|k|a)?sh$/.test(fact.program),
    );
  const units = new Set(added.filter(({ role }) => role === 'container').map(({ unit }) => unit));
  return [...units].flatMap((unit) => {
    const [was, is] = [ofUnit(old, unit), ofUnit(now, unit)];
    const [first] = is;
    if (!first || !is.every(isNothing)) return [];
    // What a unit does before or after its work, where it did nothing yet, stands in the place of nothing.
    if (/^Exec\w+(?:Pre|Post)$/.test(unit) && was.every(isNothing)) return [];
    const why = 'does nothing in the place of';
    return was.some((fact) => !isNothing(fact))
      ? [refuses('masks', path, first.line, `${why} a command that did something`, shownWords(first))]
      : [asks('masks', path, first.line, `${why} what the image would do`, shownWords(first))];
  });
}

const DOES_NOTHING = /^(?:\/\S*\/)?(?:true|:|exit 0|(?:echo|printf|sleep)(?:\s[^;&|]*)?)$/;
/** Several words of which the first may be a program, or a path to one. */
const MAY_RUN = /^(?:[a-z][\w.-]*\s+\S|\S*\/\S*$|\S*\/\S+\s)/;

/** Values that were commands, for whoever runs them, and now do nothing. */
function idleValues({ path, added, gone, addedLeaves, goneLeaves }: Change): Finding[] {
  const valuesOf = (facts: readonly Fact[], leaves: readonly Leaf[]) => [
    ...facts.flatMap((fact) =>
      assignmentsOf(fact).map(({ name, values }) => ({
        name,
        value: values.map(({ text }) => text).join(' '),
        line: fact.line,
      })),
    ),
    ...leaves.map(({ keys, value, line }) => ({ name: keys.join('.'), value, line })),
  ];
  const before = valuesOf(gone, goneLeaves);
  return valuesOf(added, addedLeaves)
    .filter(({ name, value }) => {
      const mayRun = (old: string) =>
        (MAY_RUN.test(old.trim()) || old === name.toLowerCase()) && !DOES_NOTHING.test(old.trim());
      return DOES_NOTHING.test(value.trim()) && before.some((old) => old.name === name && mayRun(old.value));
    })
    .map(({ name, value, line }) =>
      asks('masks', path, line, 'does nothing in the place of a command', `${name}: ${value}`),
    );
}

const YES = /^(?:true|yes|on|always|1|True|Yes)$/;

const NO = /^(?:false|no|never|off|0|False|No|\[\s*\]|\[\]|none)$/;

/** Keys of data that let failures pass, by the values that do. */
const DATA: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^(?:continue[-_]on[-_]errors?|continueOnError|ignore_errors?|ignoreErrors?|ignore_unreachable|allow_failure|ignore_failed|ignore_error|soft_fail|skip_?verify|force_handlers_off)$/i,
    YES,
  ],
  [/^(?:failed_when|any_errors_fatal|fail_on_error|failOnError|fail-fast)$/, NO],
  [/^(?:when|check_mode_when)$/, NO],
  [/^check_mode$/, YES],
  [/^max_fail_percentage$/, /./],
  [/^(?:on_failure|onFailure|on_error|onError)$/, /^(?:ignore|continue|skip|none)$/i],
  [/^SuccessExitStatus$/, /./],
  [/^status$/, /^(?:true|:|exit 0|test 1 = 1|\[ 1 = 1 \])$/],
];

const FORGIVES = /^(?:ignore_errors|failed_when)$/;

function dataFindings({ path, addedLeaves, goneLeaves, old, now }: Change): Finding[] {
  const isHit = ({ keys, value }: Leaf) =>
    DATA.some(([key, values]) => key.test(keys.at(-1) ?? '') && values.test(value.trim()));
  const forgives = (leaf: Leaf) => FORGIVES.test(leaf.keys.at(-1) ?? '') && isHit(leaf);
  const ofTasks = now.tasks.flatMap(({ words, line }) =>
    Object.entries(words).filter(([key, value]) => forgives({ keys: [key], value: String(value), line })),
  );
  // What a task says is judged beside what the same task said before; plays, blocks and roles are no tasks.
  const isTasksOnly = (now.data?.leaves ?? []).filter(forgives).length <= ofTasks.length;
  const all = addedLeaves.filter(isHit);
  const isMore = all.filter(forgives).length > goneLeaves.filter(forgives).length;
  const hits = all.filter((leaf) => isMore || !isTasksOnly || !forgives(leaf));
  const rescues = (file: FileFacts) => swallowingRescues(file.data?.documents ?? []);
  const lost = goneLeaves.filter(({ keys, value }) => keys.at(-1) === 'any_errors_fatal' && YES.test(value));
  return [
    ...hits.map(({ keys, value, line }) =>
      refuses('masks', path, line, 'tells the tool to go on as if nothing had failed', `${keys.at(-1)}: ${value}`),
    ),
    ...(rescues(now) > rescues(old) ? [refuses('masks', path, undefined, 'a rescue takes the failure away')] : []),
    ...(lost.length > addedLeaves.filter(({ keys }) => keys.at(-1) === 'any_errors_fatal').length
      ? [refuses('masks', path, undefined, 'any_errors_fatal is gone')]
      : []),
  ];
}

/** How many lists of rescue tasks do not fail in the end. */
function swallowingRescues(value: Value | readonly Value[]): number {
  if (typeof value !== 'object') return 0;
  const tasks = isRecord(value as Value) ? (value as { rescue?: Value }).rescue : undefined;
  const fails = Array.isArray(tasks) && tasks.some((task) => isRecord(task) && Object.keys(task).some(isFail));
  const here = tasks === undefined || fails ? 0 : 1;
  return here + Object.values(value).reduce((sum: number, part: Value) => sum + swallowingRescues(part), 0);
}

const isFail = (key: string): boolean => /^(?:ansible\.builtin\.)?fail$/.test(key);
