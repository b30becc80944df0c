// The trials of one form of answer, counted, and as a row for people.
import type { Word } from './outcome.ts';

export interface Trial {
  readonly format: string;
  readonly group: 'spelling' | 'reading';
  readonly fault: string;
  readonly outcome: Word;
  readonly why: string;
  readonly ms: number;
  /** null: the host answered and did not count, or the loop kept no count. */
  readonly tokens: number | null;
}

export interface Counts {
  readonly stages: number;
  readonly fixed: number;
  readonly refused: number;
  readonly wrong: number;
  readonly not_measured: number;
  readonly median_s: number | null;
  readonly total_s: number;
  readonly tokens: number | null;
}

export function countsOf(trials: readonly Trial[]): Counts {
  const count = (word: Word) => trials.filter(({ outcome }) => outcome === word).length;
  const measured = trials.filter(({ outcome }) => outcome !== 'not measured');
  const tokens = measured.map((trial) => trial.tokens);
  return {
    ...{ stages: trials.length, fixed: count('fixed'), refused: count('refused'), wrong: count('wrong') },
    not_measured: count('not measured'),
    median_s: middle(measured.map(({ ms }) => ms / 1000)),
    total_s: trials.reduce((sum, { ms }) => sum + ms / 1000, 0),
    tokens: tokens.includes(null) || tokens.length === 0 ? null : tokens.reduce<number>((sum, n) => sum + (n ?? 0), 0),
  };
}

function middle(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

const HEADING = ['format', 'stages', 'fixed', 'refused', 'wrong', 'not measured', 'median s', 'total s', 'tokens'];
const GROUPS = [
  ['spelling', 'spelling f/r/w'],
  ['reading', 'reading f/r/w'],
] as const;

/** Lines of a table, one per form, aligned. */
export function tableOf(trials: readonly Trial[]): string[] {
  const formats = [...new Set(trials.map(({ format }) => format))];
  const rows = formats.map((format) => {
    const own = trials.filter((trial) => trial.format === format);
    const { stages, fixed, refused, wrong, not_measured, median_s, total_s, tokens } = countsOf(own);
    const groups = GROUPS.map(([group]) => countsOf(own.filter((trial) => trial.group === group)));
    return [
      ...[format, stages, fixed, refused, wrong, not_measured, median_s?.toFixed(1) ?? '-', total_s.toFixed(1)],
      tokens ?? '?',
      ...groups.map((one) => `${one.fixed}/${one.refused}/${one.wrong} of ${one.stages}`),
    ].map(String);
  });
  const all = [[...HEADING, ...GROUPS.map(([, name]) => name)], ...rows];
  const widths = (all[0] as string[]).map((_, at) => Math.max(...all.map((row) => (row[at] as string).length)));
  return all.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] as number))
      .join('   ')
      .trimEnd(),
  );
}
