// What decides whether a script tells of a failure: ends that are failures, the conditions they stand in, what these ask about, and
// how it is asked. A change of that may mend the question, or only the answer: the owner is asked.
import { assignmentsOf } from '../shell/unwrap.ts';
import type { Change, Fact, FileFacts } from './facts.ts';
import { asks, type Finding } from './finding.ts';
import { shownWords } from './shown.ts';
import { functionOf, guardsOf, isFailure, isWork, neverIn } from './work.ts';

export const failureFindings = (change: Change): Finding[] => [
  // Ends and conditions were not seen in a text that could not be read.
  ...(change.old.unread.size > 0
    ? []
    : [...lostEnds(change), ...otherBounds(change), ...literals(change), ...unreached(change)]),
  ...otherQuestions(change),
];

const ENDS = /^(?:exit|return)$/;
const FAILS = /^(?:die|fail\w*|fatal|abort|error|false|continue|kill)$/;

const isEnd = (fact: Fact, file: FileFacts): boolean => ENDS.test(fact.program) && isFailure(fact, file);
const failuresOf = (file: FileFacts): Fact[] =>
  file.commands.filter((fact) => isEnd(fact, file) || FAILS.test(fact.program));
/** The conditions that the ends of a file stand in, the nearest of each. */
const askedBefore = (facts: readonly Fact[]): string[] => facts.flatMap((fact) => guardsOf(fact).slice(-1));

const endsBadly = (name: string, { commands }: FileFacts): boolean => {
  const last = commands.filter((fact) => functionOf(fact) === name).at(-1);
  return ENDS.test(last?.program ?? '') && /^[1-9]/.test(last?.args[0]?.text ?? '');
};

/** Functions and branches that ended in failure, and do so no more. */
function lostEnds({ path, old, now, added }: Change): Finding[] {
  const functions = old.functions
    .filter((name) => now.functions.includes(name) && endsBadly(name, old) && !endsBadly(name, now))
    .filter((name) => now.commands.some(({ program }) => program === name));
  // What is done now in the place of the end may mend what it was about.
  const givesDefault = (fact: Fact) =>
    assignmentsOf(fact).some(({ name }) => guardsOf(fact).some((guard) => guard.includes(name)));
  const work = added.filter((fact) => isWork(fact) || givesDefault(fact));
  const mended = new Set([...failuresOf(now), ...work].flatMap(guardsOf));
  const left = new Set(now.commands.flatMap(guardsOf));
  const branches = askedBefore(old.commands.filter((fact) => isEnd(fact, old))).filter(
    (guard) => left.has(guard) && !mended.has(guard),
  );
  return [...functions, ...new Set(branches)].map((words) =>
    asks('masks', path, undefined, 'no longer ends in failure', words),
  );
}

const settingsIn = (facts: readonly Fact[]): { name: string; text: string }[] =>
  facts.flatMap((fact) => assignmentsOf(fact).map(({ name, values }) => ({ name, text: values[0]?.text ?? '' })));

/** Variables that conditions of failures ask about, and that the change sets anew. */
function askedSettings({ old, now, added }: Change): { name: string; text: string }[] {
  const guards = failuresOf(now).flatMap(guardsOf);
  const before = new Set(settingsIn(old.commands).map(({ name }) => name));
  return settingsIn(added).filter(
    ({ name }) => before.has(name) && guards.some((guard) => new RegExp(`\\b${name}\\b`).test(guard)),
  );
}

/** A text in the place of what was found out. */
function literals(change: Change): Finding[] {
  const wasFound = new Set(settingsIn(change.gone).flatMap(({ name, text }) => (text.includes('$(…)') ? [name] : [])));
  return askedSettings(change)
    .filter(({ name, text }) => wasFound.has(name) && !text.includes('$'))
    .map(({ name }) => asks('masks', change.path, undefined, 'is no longer found out before it is asked for', name));
}

const isNumber = (text: string): boolean => /^-?\d+$/.test(text);

/** What counts tries or time: more of them is patience. */
const WAITS = /(?:tr(?:y|ies)|attempts?|retr\w*|elapsed|waited|timeout|SECONDS|counter)\b.*(?:-g[te]|>=?)/i;
const lastNumber = (guard: string): number => Number(guard.match(/\d+/g)?.at(-1) ?? 0);

/** Numbers from which on something counts as a failure, and variables that are made equal to others. */
function otherBounds(change: Change): Finding[] {
  const { path, old, now, gone } = change;
  const replaced = settingsIn(gone);
  const bounds = askedSettings(change).filter(({ name, text }) => {
    const before = replaced.filter((one) => one.name === name);
    return isNumber(text) ? before.some((one) => isNumber(one.text)) : /^\$\w+$/.test(text) && before.length === 0;
  });
  const withoutNumbers = (guard: string) => guard.replace(/\b\d+\b/g, '#');
  const earlier = askedBefore(old.commands.filter((fact) => isEnd(fact, old)));
  const isMoved = (guard: string, before: string) =>
    withoutNumbers(before) === withoutNumbers(guard) && !(WAITS.test(guard) && lastNumber(guard) > lastNumber(before));
  const moved = askedBefore(failuresOf(now)).filter(
    (guard) => !earlier.includes(guard) && earlier.some((one) => isMoved(guard, one)),
  );
  return [...bounds.map(({ name, text }) => `${name}=${text}`), ...moved].map((words) =>
    asks('masks', path, undefined, 'decides otherwise what counts as a failure', words),
  );
}

/** One more failure that is never reached. */
function unreached({ path, old, now }: Change): Finding[] {
  const never = (file: FileFacts) => failuresOf(file).filter((fact) => neverIn(fact) !== undefined);
  const last = never(now).length > never(old).length ? never(now).at(-1) : undefined;
  return last ? [asks('masks', path, last.line, `ends in failure only ${neverIn(last)}`, shownWords(last))] : [];
}

const ASKING = /^(?:[ef]?grep|rg|diff|cmp)$/;

/** Questions that are asked with other options. */
function otherQuestions({ path, added, gone }: Change): Finding[] {
  const options = ({ args }: Fact) =>
    args
      .flatMap(({ text }) => (/^--/.test(text) ? [text] : /^-[a-zA-Z]/.test(text) ? [...text.slice(1)] : []))
      .sort()
      .join();
  return added
    .filter((fact) => fact.role !== 'maybe' && ASKING.test(fact.program))
    .filter((fact) => {
      const earlier = gone.filter((other) => other.program === fact.program && other.unit === fact.unit);
      return earlier.length > 0 && !earlier.some((other) => options(other) === options(fact));
    })
    .map((fact) => asks('masks', path, fact.line, 'asks another question than before', shownWords(fact)));
}
