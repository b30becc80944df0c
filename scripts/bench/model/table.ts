// The trials of one form of answer, counted, and as a table for people: Markdown, to be pasted as it is.
import type { Group } from './exam.ts';
import type { Soon, Word } from './outcome.ts';

export interface Trial {
  readonly format: string;
  readonly group: Group;
  readonly exam: string;
  /** Whether known fixes leave it to a model. */
  readonly left: boolean;
  /** Which time it is, from 1. */
  readonly repeat: number;
  readonly outcome: Word;
  readonly why: string;
  readonly soon: Soon | null;
  /** Codes, one for each answer that was not taken. */
  readonly refusals: readonly string[];
  /** Whether the first prompt showed the lines that have to change; null where none have to, or nobody was asked. */
  readonly shown: boolean | null;
  readonly ms: number;
  /** null: the host answered and did not count, or the loop kept no count. */
  readonly tokens: number | null;
}

export interface Counts {
  /** Trials; those that were measured are what shares are of. */
  readonly trials: number;
  readonly first: number;
  readonly rounds: number;
  readonly tries: number;
  readonly refused: number;
  readonly wrong: number;
  /** Without an answer in its time. */
  readonly late: number;
  readonly not_measured: number;
  /** Of all that was spent, on one that was mended (or rightly declined); null: none was, or nobody counted. */
  readonly tokens_each: number | null;
  readonly seconds_each: number | null;
  /** Of `first`, `rounds` and `tries`: the least and the most in one repeat. */
  readonly spread: Readonly<Record<Soon, readonly [number, number]>>;
}

const SOON: readonly Soon[] = ['first', 'rounds', 'tries'];

/** How many were done by then: what the first answer did is also done after rounds. */
const doneBy = (trials: readonly Trial[], by: Soon): number =>
  trials.filter(({ soon }) => soon !== null && SOON.indexOf(soon) <= SOON.indexOf(by)).length;

export function countsOf(trials: readonly Trial[]): Counts {
  const count = (word: Word) => trials.filter(({ outcome }) => outcome === word).length;
  const measured = trials.filter(({ outcome }) => outcome !== 'not measured');
  const done = doneBy(measured, 'tries');
  const repeats = [...new Set(trials.map(({ repeat }) => repeat))];
  const spread = (by: Soon): readonly [number, number] => {
    const each = repeats.map((number) =>
      doneBy(
        trials.filter(({ repeat }) => repeat === number),
        by,
      ),
    );
    return each.length === 0 ? [0, 0] : [Math.min(...each), Math.max(...each)];
  };
  const sum = (of: (trial: Trial) => number) => measured.reduce((all, trial) => all + of(trial), 0);
  const isCounted = measured.every(({ tokens }) => tokens !== null);
  return {
    trials: trials.length,
    ...{ first: doneBy(measured, 'first'), rounds: doneBy(measured, 'rounds'), tries: done },
    ...{ refused: count('refused'), wrong: count('wrong'), late: count('late'), not_measured: count('not measured') },
    tokens_each: done === 0 || !isCounted ? null : Math.round(sum(({ tokens }) => tokens ?? 0) / done),
    seconds_each: done === 0 ? null : sum(({ ms }) => ms / 1000) / done,
    spread: { first: spread('first'), rounds: spread('rounds'), tries: spread('tries') },
  };
}

/** The rows, the headline first. */
export const ROWS: readonly (readonly [name: string, has: (trial: Trial) => boolean])[] = [
  ['left after known fixes', ({ left, group }) => left && group !== 'declined'],
  ['- of the size of real ones', ({ left, group }) => left && group === 'real'],
  ['- small, to be read', ({ left, group }) => left && group === 'reading'],
  ['must be declined', ({ group }) => group === 'declined'],
  ['known fixes mend them', ({ left }) => !left],
];

const HEADING = [
  'exams',
  'number',
  'first answer',
  'after rounds',
  'after tries',
  'refused',
  'wrong',
  'late',
  'not measured',
];

/** Lines of a Markdown table: rows without trials are left out. */
export function tableOf(trials: readonly Trial[]): string[] {
  const repeats = new Set(trials.map(({ repeat }) => repeat)).size;
  const rows = ROWS.flatMap(([name, has]) => {
    const own = trials.filter(has);
    return own.length === 0 ? [] : [rowOf(name, countsOf(own), repeats)];
  });
  return markdown([...HEADING, 'tokens each', 'seconds each'], rows);
}

function rowOf(name: string, counts: Counts, repeats: number): string[] {
  const measured = counts.trials - counts.not_measured;
  const share = (by: Soon) => {
    const [least, most] = counts.spread[by];
    const figures = repeats > 1 ? `${least}–${most}` : String(counts[by]);
    return measured === 0 ? '-' : `${Math.round((100 * counts[by]) / measured)} % (${figures})`;
  };
  return [
    ...[name, repeats > 1 ? `${repeats} × ${counts.trials / repeats}` : counts.trials],
    ...SOON.map(share),
    ...[counts.refused, counts.wrong, counts.late, counts.not_measured],
    ...[counts.tokens_each ?? '?', counts.seconds_each?.toFixed(1) ?? '-'],
  ].map(String);
}

/** Codes of refused answers with their number, the most frequent first. */
export function refusalsBy(trials: readonly Trial[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const code of trials.flatMap(({ refusals }) => refusals)) counts.set(code, (counts.get(code) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a, n], [b, m]) => m - n || a.localeCompare(b)));
}

function markdown(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = heading.map((cell, at) => Math.max(cell.length, ...rows.map((row) => (row[at] ?? '').length)));
  const fitted = (cell: string, at: number) =>
    at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0);
  const line = (cells: readonly string[]) => `| ${cells.map(fitted).join(' | ')} |`;
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(heading), line(rule), ...rows.map(line)];
}
