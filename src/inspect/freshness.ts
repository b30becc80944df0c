// Whether what is green may be old: runs that were due and did not begin, by the schedule; without one, none for a week.
import { findSchedules } from '../cron/schedulers.ts';
import { missedSlots, pastSlots, type Span, type Times } from '../cron/times.ts';
import type { Layout } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { readHistory } from '../journal/history.ts';
import { listRuns } from '../journal/runs.ts';
import { counted } from '../triage/words.ts';

/** More runs than can have begun in the period that is looked at. */
const MAX_RUNS = 500;

/** The last run, and the spans in which recent runs worked, without the time between a crash and its resume. */
export function workedSpans(layout: Layout, now: number) {
  const runs = readHistory(layout, listRuns(layout).at(-MAX_RUNS));
  const spans = runs.flatMap(({ began, ended = began, spans = [{ from: began, to: ended }] }) =>
    spans.map(({ from, to }) => ({ from: Date.parse(from), to: Date.parse(to) })),
  );
  const last = runs.at(-1);
  const exit = last?.exit;
  const isAtWork = exit === undefined && runAtWork(layout)?.isRun === true;
  const open = isAtWork ? spans.at(-1) : undefined;
  if (open) open.to = now;
  const how = isAtWork ? 'at work' : exit === undefined ? 'cut off' : `exit ${exit}`;
  return { spans, isAtWork, last: last && { run: last.run, started: last.began, how, exit: exit ?? null } };
}

export interface Freshness {
  /** Nobody looked lately: what was green need not be any more. */
  readonly isOld: boolean;
  /** `no run for 14 days`; empty where it is not old. */
  readonly text: string;
}

const FRESH: Freshness = { isOld: false, text: '' };
const WEEK_MS = 7 * 86_400_000;
/** One missed time may be a reboot. */
const MISSED = 2;

/** Pure. `schedules`: those whose times are known, each with when it was made. */
export function freshnessOf(
  schedules: readonly { readonly times: Times; readonly since: number }[],
  spans: readonly Span[],
  now: number,
): Freshness {
  const last = Math.max(...spans.map(({ to }) => to));
  if (spans.length === 0) return FRESH;
  const isMissed = schedules.map(({ times, since }) => {
    const latest = pastSlots(times, since, now).slice(-MISSED);
    return latest.length === MISSED && missedSlots(latest, spans).length === MISSED;
  });
  // One schedule that works is enough.
  const isOld = isMissed.length > 0 ? isMissed.every(Boolean) : now - last >= WEEK_MS;
  return isOld ? { isOld, text: `no run for ${longText(now - last)}` } : FRESH;
}

function longText(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  if (hours >= 48) return counted(Math.floor(hours / 24), 'day');
  return hours > 0 ? counted(hours, 'hour') : counted(Math.floor(ms / 60_000), 'minute');
}

/** Asks the schedulers of this machine. */
export async function readFreshness(layout: Layout, now: number): Promise<Freshness> {
  const { spans, isAtWork } = workedSpans(layout, now);
  if (isAtWork || spans.length === 0) return FRESH;
  const { schedules } = await findSchedules(layout.home, process.env);
  const known = schedules.flatMap(({ times, since }) => (times ? [{ times, since: Date.parse(since) || 0 }] : []));
  return freshnessOf(known, spans, now);
}
