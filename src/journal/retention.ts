// Which parts of earlier runs may be removed, from what is stored and what is still needed. Pure.
import type { LoopConfig } from '../config/loop-config.ts';
import type { FixState } from '../events.ts';
import type { Ledger, LedgerEntry } from '../triage/ledger.ts';
import type { StageState, StepRecord } from './stages.ts';

/** What is removed or stays as a whole, in the order in which it is listed. */
export const KINDS = ['run', 'action', 'fix', 'case', 'plugins', 'damaged'] as const;

export interface Stored {
  readonly kind: (typeof KINDS)[number];
  readonly name: string;
  /** How old it is, in epoch milliseconds: when a run began, when a case was closed. */
  readonly time: number;
  readonly bytes: number;
  readonly isNeeded: boolean;
}

/** The newest runs that stay whatever is asked for: resuming, and the base that was merged last, are read from them. */
const MIN_RUNS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

export type Policy = NonNullable<LoopConfig['retention']>;

/** What is to be removed, oldest first. */
export function expired<T extends Stored>(stored: readonly T[], { days, keep_runs, max_mb }: Policy, now: number): T[] {
  const oldestFirst = stored.toSorted((a, b) => a.time - b.time || (a.name < b.name ? -1 : 1));
  const runs = oldestFirst.filter(({ kind }) => kind === 'run');
  const newest = new Set(runs.slice(-MIN_RUNS));
  const tooMany = new Set(keep_runs === null ? [] : runs.slice(0, -keep_runs));
  let bytes = stored.reduce((sum, item) => sum + item.bytes, 0);
  return oldestFirst.filter((one) => {
    const isTooOld = days !== null && one.time < now - days * DAY_MS;
    const isOver = max_mb !== null && bytes > max_mb * 1024 * 1024;
    const goes = !one.isNeeded && !newest.has(one) && (isTooOld || tooMany.has(one) || isOver);
    if (goes) bytes -= one.bytes;
    return goes;
  });
}

/** A fix on the AI branch that the base does not have. */
export interface Unpromoted {
  readonly run: string;
  readonly hash: string;
}

/** What must stay: the names of runs and actions, the hashes of fixes, the names of cases. */
export interface Needed {
  readonly runs: ReadonlySet<string>;
  readonly fixes: ReadonlySet<string>;
  readonly cases: ReadonlySet<string>;
}

/**
 * What stages, folds, open failures and fixes refer to: the run that last made a stage green, a stage's last failed log, what an
 * open case, a fix that may come back and one that is not promoted need.
 */
export function neededBy({ as_of, stages }: StageState, ledger: Ledger, unpromoted: readonly Unpromoted[]): Needed {
  const records = Object.values(stages).flatMap(({ cells = {}, ...stage }): StepRecord[] => [
    stage,
    ...Object.values(cells),
  ]);
  const entries = Object.values(ledger.entries);
  const latest = new Map<string, LedgerEntry>();
  for (const entry of entries)
    if (entry.last_seen >= (latest.get(entry.stage)?.last_seen ?? '')) latest.set(entry.stage, entry);
  const failures = entries.filter((entry) => isOpen(entry) || latest.get(entry.stage) === entry);
  const patches = entries.flatMap((entry) => entry.patches.filter(mayReturn));
  const paths = [
    ...records.flatMap(({ green_log, wrote_patch, last }) => [green_log, wrote_patch, last?.log]),
    ...failures.map(({ log }) => log),
  ];
  const present = (names: readonly (string | undefined)[]) => new Set(names.flatMap((name) => name ?? []));
  return {
    runs: present([
      ...[as_of.run, ledger.as_of.run, ledger.last_line.run],
      ...records.flatMap(({ run, reset }) => [run, reset]),
      ...failures.map(({ run }) => run),
      ...[...patches, ...unpromoted].map(({ run }) => run),
      ...paths.map((path) => runOfFile(path ?? '')),
    ]),
    fixes: present([
      ...[...patches, ...unpromoted].map(({ hash }) => hash),
      ...entries.flatMap(({ suggestion, first }) => [suggestion?.hash, first?.hash]),
    ]),
    cases: present(entries.flatMap((entry) => [entry.case, entry.escalated])),
  };
}

/** The run that a log, a prompt or a patch is of, by its name. */
export const runOfFile = (path: string): string | undefined =>
  /(?:^|\/)(\d{8}-\d{6}-[0-9a-f]{4})-[^/]*$/.exec(path)?.[1];

const MAY_RETURN: readonly FixState[] = ['applied', 'undone'];

const mayReturn = ({ outcome }: LedgerEntry['patches'][number]): boolean => MAY_RETURN.includes(outcome);

const isOpen = (entry: LedgerEntry): boolean =>
  entry.case !== undefined ||
  entry.gave_up_at !== undefined ||
  entry.first !== undefined ||
  entry.patches.some(mayReturn);
