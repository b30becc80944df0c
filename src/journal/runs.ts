// The runs there have been, and what people did between them (reset, answer, rollback): one journal each. Names begin with
// the time and never go backwards, so together they sort by age.
import { foldersIn, lastNamesIn, namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';

const ID = /^\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-(?:[01]\d|2[0-3])[0-5]\d[0-5]\d-[0-9a-f]{4}$/;

export const isRunId = (name: string): boolean => ID.test(name);

const JOURNAL = '.jsonl';
const isAction = (name: string): boolean => name.endsWith(JOURNAL) && isRunId(name.slice(0, -JOURNAL.length));

/** The runs, oldest first. */
export const listRuns = (layout: Layout): string[] => foldersIn(layout.runs).filter(isRunId);

/** Every journal from the name `from` on, oldest first, and in any case the newest run and the newest action. */
export function listJournals(layout: Layout, from = ''): { id: string; path: string; isRun: boolean }[] {
  const runs = from === '' ? listRuns(layout) : lastNamesIn(layout.runs, from, isRunId, (entry) => entry.isDirectory());
  const files =
    from === ''
      ? namesIn(layout.actions).filter(isAction)
      : lastNamesIn(layout.actions, from, isAction, (entry) => entry.isFile());
  const actions = files.map((name) => name.slice(0, -JOURNAL.length));
  return [
    ...runs.map((id) => ({ id, path: layout.journal(id), isRun: true })),
    ...actions.map((id) => ({ id, path: layout.action(id), isRun: false })),
  ].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What the names of runs begin with that began then. */
export const stamp = (ms: number): string =>
  new Date(ms).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);

/** A name for a run or action that starts at `now`, later than every name in `names` even when the clock was set back. */
export function newRunId(now: number, executionId: string, names: readonly string[]): string {
  const latest = names.at(-1)?.slice(0, 15) ?? '';
  const at = stamp(now) <= latest ? timeOf(latest) + 1000 : now;
  return `${stamp(at)}-${executionId.slice(0, 4)}`;
}

/** The same among all journals of a home, and `after` one that may be lost. */
export function nextId(layout: Layout, now: number, executionId: string, after: string): string {
  const names = listJournals(layout, '~').map(({ id }) => id);
  return newRunId(now, executionId, [...names, ...(isRunId(after) ? [after] : [])].sort());
}

/** When a run began, in epoch milliseconds; NaN for what is no name of one. */
export const timeOfRun = (id: string): number => timeOf(id.slice(0, 15));

function timeOf(stamp: string): number {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
}
