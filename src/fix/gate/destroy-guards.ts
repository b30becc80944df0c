// Destructive commands that stay, under other conditions than before.
import { expressionsIn } from '../shell/templates.ts';
import { assignmentsOf } from '../shell/unwrap.ts';
import { placeOf } from '../shell/wrappers.ts';
import { removesTrees } from './arguments.ts';
import type { Line } from './changed-lines.ts';
import type { Leaf } from './data.ts';
import type { Severity } from './destructive.ts';
import { type Change, type Fact, type FileFacts, keyOf } from './facts.ts';
import { asks, type Finding, refuses } from './finding.ts';
import { isPlainScript } from './language.ts';
import { shownWords } from './shown.ts';
import { bare, isKeyword, taskAt } from './tasks.ts';
import { writtenPaths } from './written-paths.ts';

/** Destructive commands that stay, but under other conditions, in another function or with other variables than before. `severityOf`: what a command does. */
export function changedGuards(change: Change, severityOf: (fact: Fact) => Severity | undefined): Finding[] {
  const { path, old, now } = change;
  if (now.language === 'docker') return [];
  const templated = (text: string) => (isPlainScript(path, now.language) ? '' : text);
  const harmful = (facts: FileFacts) => facts.commands.filter((fact) => fact.role !== 'maybe' && severityOf(fact));
  const before = harmful(old);
  if (before.length === 0 || isApart(change, harmful(now))) return [];
  const guardBefore = guardsOf(old, templated(change.before ?? ''));
  const guardNow = guardsOf(now, templated(change.after));
  const earlier = new Map<string, Guard[]>();
  for (const fact of before) earlier.set(looseKey(fact), [...(earlier.get(looseKey(fact)) ?? []), guardBefore(fact)]);
  const why = 'changes on what it depends that this command runs, or on what';
  const writes = change.added.flatMap(writtenPaths).filter((file) => file.length > 3 && !file.startsWith('/dev/'));
  const moved = harmful(now).flatMap((fact): Finding[] => {
    const isOld = !change.added.includes(fact);
    const elsewhere = isOld ? before.filter(({ key }) => key === fact.key) : [];
    if (!earlier.has(looseKey(fact)) && elsewhere.length > 0 && hasEntry(change, fact.unit))
      return [refuses('destroys', path, fact.line, `runs in ${fact.unit}, where it did not before`, shownWords(fact))];
    // Under another name a target or task is the same one.
    const renamed = elsewhere.length > 0 ? elsewhere.map(guardBefore) : undefined;
    const guards = earlier.get(looseKey(fact)) ?? renamed;
    const is = guardNow(fact);
    const alike = guards?.filter((guard) => holds(guard, is)) ?? [];
    const isSame = ({ given, around, asked }: Guard) =>
      given === is.given && around.length === is.around.length && asked.join() === is.asked.join();
    const made = writes.find((file) => is.around.some((text) => namesPath(text, file)));
    if (guards && made !== undefined)
      return [
        refuses('destroys', path, fact.line, `runs because of ${made}, which the change makes`, shownWords(fact)),
      ];
    // What can be made again may be asked about otherwise, but be done to nothing else.
    const isSoft = severityOf(fact) === 'ask' && !removesTrees(fact);
    const same = alike.filter(isSame);
    const isMoved = isOld && !isSoft && same.length > 0 && !same.some(({ place }) => place.join() === is.place.join());
    if (isMoved)
      return [
        asks('softer', path, fact.line, 'does on another host or in another folder what it did', shownWords(fact)),
      ];
    if (!guards || same.length > 0) return [];
    if (isSoft && guards.some(({ variables }) => variables === is.variables)) return [];
    // One more condition makes it run less often; a value that a condition asks for may be wrong.
    const isNarrower = alike.some(({ given, asked }) => is.given.includes(given) && !isSetAnew(asked, is.asked));
    const words = shownWords(fact);
    return [
      isNarrower || severityOf(fact) === 'ask'
        ? asks('softer', path, fact.line, why, words)
        : refuses('destroys', path, fact.line, why, words),
    ];
  });
  const holders = new Set(before.flatMap(functionsOf));
  const calls = (facts: FileFacts) => facts.commands.filter(({ program }) => holders.has(program));
  const called = calls(now).length > calls(old).length ? calls(now).slice(-1) : [];
  const more = called.map((fact) =>
    refuses('destroys', path, fact.line, 'calls what destroys, where it did not before', shownWords(fact)),
  );
  const units = [...before, ...harmful(now)].map(({ unit }) => unit).filter(Boolean);
  return [...moved, ...more, ...newCallers(change, new Set(units)), ...newTargets(change, harmful(now), severityOf)];
}

/** `data := …`, `{% set data = …`, `{{ $data := …`: a name and its value. */
const DEFINITION = /^\s*(?:\{%[-+]?\s*set\s+|\{\{-?\s*\$|export\s+)?(\w+)\s*:?=\s*(.*)/;

/** Values of the file that templates fill into a destructive command, and that were others before. */
function newTargets(
  { path, lines, after, now, addedLeaves, goneLeaves }: Change,
  harmful: readonly Fact[],
  severityOf: (fact: Fact) => Severity | undefined,
): Finding[] {
  const defined = (from: readonly Line[]): Definition[] =>
    from.flatMap(({ text, number }) => {
      const [, name, value = ''] = DEFINITION.exec(text) ?? [];
      return name === undefined ? [] : [{ name, value, line: number }];
    });
  const ofLeaf = ({ keys, value, line }: Leaf): Definition => ({ name: keys.at(-1) ?? '', value, line });
  const is = [...addedLeaves.map(ofLeaf), ...defined(lines.added)];
  const was = [...goneLeaves.map(ofLeaf), ...defined(lines.removed)];
  const others = is.filter(({ name, value }) => was.some((one) => one.name === name && one.value !== value));
  if (others.length === 0) return [];
  const expressionsOf = expressionsBy(now.commands, after);
  return harmful
    .filter((fact) => severityOf(fact) === 'refuse')
    .flatMap((fact) => {
      const task = taskAt(now.tasks, fact.line);
      const expressions = [...expressionsOf(fact), ...expressionsIn(JSON.stringify(task?.args ?? {}))];
      const names = new Set(expressions.flatMap((expression) => expression.match(/[a-z_]\w*/gi) ?? []));
      const other = others.find(({ name }) => names.has(name));
      const why = `is done to another ${other?.name} than before`;
      return other ? [asks('softer', path, other.line, why, shownWords(fact))] : [];
    });
}

interface Definition {
  readonly name: string;
  readonly value: string;
  readonly line: number;
}

/** Data that could not be read before has no tasks to compare: whether the change stands apart from what is destructive in them. */
function isApart({ old, now, lines: { span, after } }: Change, harmful: readonly Fact[]): boolean {
  if (old.data?.parsed !== false || now.data?.parsed !== true) return false;
  const indent = (text = '') => text.search(/\S/);
  const isInside = ({ text, number }: Line) => {
    const task = taskAt(now.tasks, number);
    return (
      task !== undefined &&
      !/^(?:assert|fail|set_fact|pause|meta|include_vars)$/.test(bare(task)) &&
      (number === task.line || indent(text) > indent(after[task.line - 1]))
    );
  };
  const touched = new Set(span.after.map(({ number }) => taskAt(now.tasks, number)));
  const governs = [...span.before, ...span.after].some(({ text }) =>
    isKeyword(/^\s*(?:- +)?["']?(\w+)["']? *:/.exec(text)?.[1]),
  );
  return (
    span.after.length > 0 &&
    span.after.every(isInside) &&
    !governs &&
    !harmful.some(({ line }) => touched.has(taskAt(now.tasks, line)))
  );
}

/** Whether a target or task of that name was there. */
const hasEntry = ({ old, lines, now: { language } }: Change, unit: string): boolean =>
  unit !== '' &&
  (language === 'make' || language === 'just'
    ? lines.before.some((line) => line.replace(/^@/, '').startsWith(`${unit}:`))
    : old.tasks.some(({ name }) => name === unit) || old.commands.some((other) => other.unit === unit));

/** Whether a path stands in a text as a whole, alone or as part of a longer one. */
const namesPath = (text: string, path: string): boolean =>
  new RegExp(`(?<![\\w.-])${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.-])`).test(text);

interface Guard {
  /** What whoever runs the whole text asks first: a task's conditions. */
  readonly given: string;
  /** Conditions, functions and here-documents around it. */
  readonly around: readonly string[];
  /** The variables it uses, with what they are set to. */
  readonly variables: string;
  /** The variables that its conditions ask for, likewise. */
  readonly asked: readonly string[];
  /** What may end or leave the script before it is reached. */
  readonly before: readonly string[];
  /** The hosts and containers that it is run in, and the folder that what it names stands in. */
  readonly place: readonly string[];
}

/** Without its options: with others only it is the same command. */
const looseKey = ({ program, args, unit }: Fact): string =>
  [unit, program, ...args.map(({ text }) => text).filter((text) => !text.startsWith('-'))]
    .join('\0')
    .replace(/\ue000+/g, '\ue000');

/** More may be asked before and around it, nothing less. */
const holds = (was: Guard, is: Guard): boolean =>
  was.variables === is.variables &&
  was.before.every((one) => is.before.includes(one)) &&
  isWithin(was.around, is.around);

/** A variable got a value that the script did not set before. */
const isSetAnew = (was: readonly string[], is: readonly string[]): boolean =>
  is.some((one) => !was.some((other) => other.split('=')[0] === one.split('=')[0]));

/** Whether `all` has `some` in their order, and besides them only conditions that must hold. */
function isWithin(some: readonly string[], all: readonly string[]): boolean {
  let at = 0;
  for (const guard of all) {
    if (guard === some[at]) at++;
    else if (!/^(?:if|unless) /.test(guard)) return false;
  }
  return at === some.length;
}

/** What a question says to people does not matter. */
const PROMPT = /\b(confirm|ask|prompt) (?:"[^"$`\s]*\s[^"$`]*"|'[^'\s]*\s[^']*')/g;

/** `text`: the file, for the templates in it. */
function guardsOf({ commands }: FileFacts, text: string): (fact: Fact) => Guard {
  const assigned = valuesByName(commands);
  const expressionsOf = expressionsBy(commands, text);
  const questions = text.split('\n').filter((line) => QUESTION.test(line));
  return (fact) => {
    const guard = guardOf(commands, assigned, fact);
    // Which of them a condition of the script asks for is not known any more.
    const asked = guard.around.some((condition) => condition.includes('\ue000')) ? questions : [];
    return {
      ...guard,
      variables: [
        guard.variables,
        ...new Set([...expressionsOf(fact), ...expressionsIn(asked.join('\n'))].sort()),
      ].join(),
    };
  };
}

const QUESTION = /\b(?:if|elif|while|until|case|for|test)\b|\[|&&|\|\|/;

/** The template expressions of a command. */
function expressionsBy(commands: readonly Fact[], text: string): (fact: Fact) => string[] {
  const lines = text.split('\n');
  return ({ line }) => {
    const later = commands.map((other) => other.line).filter((number) => number > line);
    return expressionsIn(ownLines(lines.slice(line - 1, Math.min(...later) - 1)).join('\n'));
  };
}

/** The first line, and those that go on with it: behind a backslash, or further in. */
function ownLines([first = '', ...lines]: readonly string[]): string[] {
  const indent = (line: string) => line.search(/\S/);
  const end = lines.findIndex(
    (line, i) => !/\\\s*$/.test((i === 0 ? first : lines[i - 1]) ?? '') && indent(line) <= indent(first),
  );
  return [first, ...(end === -1 ? lines : lines.slice(0, end))];
}

function guardOf(commands: readonly Fact[], assigned: ValuesByName, fact: Fact): Guard {
  const given = fact.around.flatMap((frame) => (frame.kind === 'given' ? [frame.guard] : [])).join(' ');
  const inner = fact.around.filter(({ kind }) => kind !== 'given');
  const frames = inner.map((frame) =>
    'guard' in frame ? frame.guard.replace(PROMPT, '$1') : frame.kind === 'function' ? frame.name : frame.kind,
  );
  const set = setIn(commands, assigned, fact, fact.words.map(({ raw }) => raw).join(' '));
  const words = fact.words.map(({ raw }) => raw).filter((raw) => raw.startsWith('$') || raw.includes('${'));
  // What it is given to read.
  const fed = [fact.document?.text ?? '', ...fact.fedBy.map(keyOf)];
  const callers = functionsOf(fact);
  const asked = commands.slice(0, commands.indexOf(fact)).filter((one) => one.unit === fact.unit && isQuestion(one));
  const texts = [...frames, ...asked.map(({ key }) => key)].join(' ');
  // Questions in functions count where such a function is called.
  const near = asked.filter((one) => functionsOf(one).every((name) => callers.includes(name) || texts.includes(name)));
  // A function runs under the conditions of its calls.
  const calls = callsOf(fact, commands)
    .map(({ program, around }) => [program, ...around.flatMap((frame) => ('guard' in frame ? frame.guard : []))])
    .filter(({ length }) => length > 1)
    .map((words) => squeezed(words.join(' ')));
  return {
    given,
    around: frames.map(squeezed),
    variables: JSON.stringify([set, words, fed].map((texts) => texts.map(squeezed))),
    asked: setIn(commands, assigned, fact, frames.join(' ')),
    place: [...hostsOf(fact, commands), ...folderOf(fact, commands)],
    before: near
      .map(({ key, program, args, around }) =>
        squeezed(
          `${/^(?:read|die|fail|abort|confirm\w*)$/.test(program) ? `${program} ${args.at(-1)?.text.replace(/.*\s.*/s, '')}` : key} ${around.map((frame) => ('guard' in frame ? frame.guard : frame.kind)).join(' ')}`,
        ),
      )
      .concat(calls),
  };
}

/** The places that the programs around it have it run in, the outermost first. */
function hostsOf(fact: Fact, commands: readonly Fact[]): string[] {
  const { via, text } = fact;
  if (via === undefined) return [];
  const runner = commands
    .slice(0, commands.indexOf(fact))
    .findLast((other) => other.program === via && other.text === text && other.around.length <= fact.around.length);
  return runner ? [...hostsOf(runner, commands), placeOf(via, runner.args) ?? ''].filter(Boolean) : [];
}

const NAMES_FILES = /^(?:rm|rmdir|unlink|shred|find|truncate)$/;

/** Where the script last went, if what the command names stands there. */
function folderOf(fact: Fact, commands: readonly Fact[]): string[] {
  const isHere = NAMES_FILES.test(fact.program) && fact.args.some(({ text }) => /^[^-/~$\ue000+]/.test(text));
  const name = functionsOf(fact).join();
  const move = commands
    .slice(0, commands.indexOf(fact))
    .findLast(
      (one) => /^(?:cd|pushd)$/.test(one.program) && one.text === fact.text && functionsOf(one).join() === name,
    );
  const folder = move?.args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
  return isHere ? [folder.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')] : [];
}

type ValuesByName = ReadonlyMap<string, readonly string[]>;

const valuesByName = (commands: readonly Fact[]): ValuesByName =>
  grouped(
    commands.flatMap(assignmentsOf).map(({ name, values }) => [name, values.map(({ raw }) => raw).join(' ')] as const),
  );

function grouped(pairs: readonly (readonly [name: string, value: string])[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return values;
}

/** What the variables of a text are set to, wherever that is written: by other variables, a loop, or the calls of its function. */
function setIn(commands: readonly Fact[], assigned: ValuesByName, fact: Fact, text: string): string[] {
  const loops = fact.around.flatMap((frame) =>
    frame.kind === 'branch' ? [/^for (\w+) in (.*?);?$/s.exec(frame.guard) ?? []] : [],
  );
  const given = grouped([
    ...loops.map(([, name = '', values = '']) => [name, values] as const),
    ...callsOf(fact, commands).flatMap(({ args }) => args.map(({ raw }, i) => [String(i + 1), raw] as const)),
  ]);
  const assignments = new Set<string>();
  const visit = (value: string) => {
    for (const [, used = ''] of value.matchAll(/\$\{?(\w+)/g))
      for (const each of [...(assigned.get(used) ?? []), ...(given.get(used) ?? [])]) {
        if (assignments.has(`${used}=${each}`)) continue;
        assignments.add(`${used}=${each}`);
        visit(each);
      }
  };
  visit(text);
  return [...assignments];
}

const callsOf = (fact: Fact, commands: readonly Fact[]): Fact[] => {
  const names = functionsOf(fact);
  return names.length === 0 ? [] : commands.filter(({ program }) => names.includes(program));
};

const functionsOf = ({ around }: Fact): string[] =>
  around.flatMap((frame) => (frame.kind === 'function' ? [frame.name] : []));

/** What may end the script, asks somebody, or stands alone and fails; of other conditions the ends that they lead to count. */
const isQuestion = ({ program, around }: Fact): boolean =>
  /^(?:exit|return|set|die|fail|abort|confirm\w*|read|continue|break)$/.test(program) ||
  (/^(?:\[\[?|test|grep)$/.test(program) && !around.some(({ kind }) => /^(?:condition|or|and)$/.test(kind)));

/** Targets of make that run nothing. */
const SPECIAL =
  /^\.(?:PHONY|SUFFIXES|PRECIOUS|INTERMEDIATE|NOTINTERMEDIATE|SECONDARY|DELETE_ON_ERROR|IGNORE|SILENT|NOTPARALLEL|ONESHELL|POSIX)\s*:/;

/** Targets that run a destructive one first, and did not before. */
function newCallers({ path, lines, now: { language }, addedLeaves }: Change, targets: ReadonlySet<string>): Finding[] {
  if (targets.size === 0) return [];
  const names = [...targets].flatMap((unit) => unit.split(/\s+/));
  const why = (name: string) => `runs ${name}, which destroys, where it did not before`;
  const isRule = language === 'make' || language === 'just';
  const heads = isRule ? lines.added.filter(({ text }) => /^\S[^:=]*:(?!=)/.test(text) && !SPECIAL.test(text)) : [];
  const needsOf = (text: string) =>
    text
      .slice(text.indexOf(':') + 1)
      .replace(/#.*/, '')
      .split(/[\s()|&]+/);
  const called = heads.flatMap(({ text, number }) => {
    const before = lines.removed.filter((line) => line.text.split(':')[0] === text.split(':')[0]);
    const needed = before.flatMap((line) => needsOf(line.text));
    const name = names.find((one) => needsOf(text).includes(one) && !needed.includes(one));
    return name === undefined ? [] : [refuses('destroys', path, number, why(name), text.trim())];
  });
  const tasks = addedLeaves.filter(
    ({ keys, value }) => /^(?:task|deps)$/.test(keys.at(-1) ?? '') && names.includes(value),
  );
  return [...called, ...tasks.map(({ value, line }) => refuses('destroys', path, line, why(value)))];
}

/** Blanks do not matter, nor whether a variable stands in quotes. */
const squeezed = (text: string): string => text.replaceAll('"', '').replace(/\s+/g, ' ').trim();
