// The runs there have been, oldest first. Names begin with the time and never go backwards, so they sort by age.
import { existsSync, readdirSync } from 'node:fs';
import type { Layout } from '../io/layout.ts';

const RUN_ID = /^(\d{8}-\d{6})-[0-9a-f]{4}$/;

export function listRuns(layout: Layout): string[] {
  if (!existsSync(layout.runs)) return [];
  return readdirSync(layout.runs)
    .filter((name) => RUN_ID.test(name) && !Number.isNaN(timeOf(name.slice(0, 15))))
    .sort();
}

/** A name for a run that starts at `now`, later than every name in `runs` even when the clock was set back. */
export function newRunId(now: number, executionId: string, runs: readonly string[]): string {
  const stamp = (ms: number) => new Date(ms).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const latest = runs.at(-1)?.slice(0, 15) ?? '';
  let at = now;
  if (stamp(at) <= latest) at = timeOf(latest) + 1000;
  return `${stamp(at)}-${executionId.slice(0, 4)}`;
}

function timeOf(stamp: string): number {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/.exec(stamp) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
}
