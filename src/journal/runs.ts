// The runs there have been, and what people did between them (reset, answer, rollback): one journal each. Names begin with
// the time and never go backwards, so together they sort by age.
import { foldersIn, namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';

const ID = /^(\d{8}-\d{6})-[0-9a-f]{4}$/;

export const isRunId = (name: string): boolean => ID.test(name) && !Number.isNaN(timeOf(name.slice(0, 15)));

const ids = (names: readonly string[]): string[] => names.filter(isRunId).sort();

/** The runs, oldest first. */
export const listRuns = (layout: Layout): string[] => ids(foldersIn(layout.runs));

/** Every journal, oldest first. */
export function listJournals(layout: Layout): { id: string; path: string; isRun: boolean }[] {
  const actions = namesIn(layout.actions).flatMap((name) => (name.endsWith('.jsonl') ? [name.slice(0, -6)] : []));
  return [
    ...listRuns(layout).map((id) => ({ id, path: layout.journal(id), isRun: true })),
    ...ids(actions).map((id) => ({ id, path: layout.action(id), isRun: false })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A name for a run or action that starts at `now`, later than every name in `names` even when the clock was set back. */
export function newRunId(now: number, executionId: string, names: readonly string[]): string {
  const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const latest = names.at(-1)?.slice(0, 15) ?? '';
  const at = stamp(now) <= latest ? timeOf(latest) + 1000 : now;
  return `${stamp(at)}-${executionId.slice(0, 4)}`;
}

/** The same among all journals of a home, and `after` one that may be lost. */
export function nextId(layout: Layout, now: number, executionId: string, after: string): string {
  const names = listJournals(layout).map(({ id }) => id);
  return newRunId(now, executionId, [...names, ...ids([after])].sort());
}

/** When a run began, in epoch milliseconds; NaN for what is no name of one. */
export const timeOfRun = (id: string): number => timeOf(id.slice(0, 15));

function timeOf(stamp: string): number {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
}
