// What happened in a time, or in one run, as one value: what ran, broke, was mended, waits for the owner, and cost. Pure.

import { isItemStage, itemStageName } from '../backlog/stage-of-item.ts';
import type { StageState } from '../journal/stages.ts';
import { type RunSummary, runFacts, type StageSummary } from '../journal/summary.ts';
import { type Ledger, patchIn } from '../triage/ledger.ts';
import type { ListedItem } from './backlog.ts';
import { type FailureGroup, failureGroups } from './failure-groups.ts';
import type { Timeline } from './timeline.ts';
import { type Waiting, waitsOf } from './waiting.ts';

/** What a report is made from. */
export interface ReportFacts {
  /** What the home is called. */
  readonly home: string;
  readonly from: string;
  readonly to: string;
  /** The only one, when one was asked for. */
  readonly run?: string;
  /** In that time, oldest first. */
  readonly runs: readonly RunSummary[];
  /** The newest of all. */
  readonly newest?: RunSummary | undefined;
  readonly ledger: Ledger;
  readonly stages: StageState['stages'];
  /** Whether what is green may be old, in words. */
  readonly freshness?: string | undefined;
  readonly items: readonly Pick<ListedItem, 'number' | 'title' | 'state' | 'note'>[];
  readonly safeMode?: string | undefined;
  readonly timeline?: Timeline | undefined;
  readonly notices: readonly string[];
}

export type Report = ReturnType<typeof reportOf>;

/** How a stage was on a day: failed at its end, mended (it failed or drifted, and is green), green, or not made. */
export type DayMark = 'failed' | 'mended' | 'green' | 'skipped' | null;

const DAY_MS = 86_400_000;
const MAX_BUCKETS = 31;
const MAX_LISTED = 20;

export function reportOf(facts: ReportFacts) {
  const { home, from, to, run, runs, ledger, newest, timeline } = facts;
  const groups = failureGroups(runs, ledger, facts.stages);
  const buckets = bucketsOf(from, to, runs);
  const total = (of: (one: RunSummary) => number): number => runs.reduce((sum, one) => sum + of(one), 0);
  const isConcerned = concernOf(facts);
  const problems = runs.flatMap((one) => (one.damage ? [`the journal of run ${one.run} ${one.damage}`] : []));
  return {
    home,
    from,
    to,
    ...(run !== undefined && { run }),
    runs: {
      total: runs.length,
      outcomes: countBy(runs.map(({ outcome }) => outcome)),
      latest: runs.slice(-MAX_LISTED).reverse().map(listedRun),
      ...(newest && { newest: { run: newest.run, began: newest.began } }),
    },
    cost: {
      prompts: total((one) => one.prompts),
      tokens: total((one) => one.tokens),
      dollars: total((one) => one.dollars),
      refused: total((one) => one.refused),
      attempts: total((one) => one.stages.reduce((sum, { attempts }) => sum + attempts, 0)),
      spent_ms: total((one) => one.stages.reduce((sum, { spent_ms }) => sum + spent_ms, 0)),
    },
    waits: allWaits(facts, isConcerned),
    failures: groups.map((group) => ({ ...group, counts: countsIn(buckets, group) })),
    fixes: fixesOf(groups, runs, ledger),
    drift: driftOf(runs),
    days: buckets.map(({ from, runs }) => ({
      from: from.slice(0, 10),
      runs: runs.length,
      failed: runs.filter(({ outcome }) => outcome !== 'success' && outcome !== 'interrupted').length,
      tokens: runs.reduce((sum, { tokens }) => sum + tokens, 0),
    })),
    stages: stagesOf(facts, buckets),
    items: facts.items.filter(({ number }) => isConcerned(itemStageName(number))),
    items_done: [...new Set(runs.flatMap(({ items }) => items))],
    ...(timeline && { timeline }),
    notices: [...(facts.freshness ? [facts.freshness] : []), ...facts.notices, ...problems.slice(-MAX_LISTED)],
  };
}

const listedRun = (summary: RunSummary) => ({
  ...runFacts(summary),
  ...(summary.conflict !== undefined && { why: summary.conflict }),
});

function countBy(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
}

/** Whether to report on a stage: for one run, those that it touched; for a period, all. */
function concernOf({ run, runs }: ReportFacts): (stage: string) => boolean {
  if (run === undefined) return () => true;
  const stages = new Set(
    runs.flatMap((one) => [...one.stages, ...one.failures, ...one.fixes].map(({ stage }) => stage)),
  );
  return (stage) => stages.has(stage);
}

interface Bucket {
  readonly from: string;
  readonly runs: RunSummary[];
}

/** Splits the period into days, or into groups of days when there are more than can be drawn. */
function bucketsOf(from: string, to: string, runs: readonly RunSummary[]): Bucket[] {
  const start = Date.parse(`${from.slice(0, 10)}T00:00:00.000Z`);
  const days = Math.floor((Date.parse(to) - start) / DAY_MS) + 1;
  const size = Math.ceil(days / MAX_BUCKETS) * DAY_MS;
  const buckets = Array.from({ length: Math.ceil((days * DAY_MS) / size) }, (_, i): Bucket => {
    return { from: new Date(start + i * size).toISOString(), runs: [] };
  });
  for (const run of runs) buckets[Math.floor((Date.parse(run.began) - start) / size)]?.runs.push(run);
  return buckets;
}

function countsIn(buckets: readonly Bucket[], { days }: FailureGroup): number[] {
  const sums = buckets.map(() => 0);
  for (const [day, times] of Object.entries(days)) {
    const at = buckets.findLastIndex(({ from }) => from.slice(0, 10) <= day);
    if (at >= 0) sums[at] = (sums[at] as number) + times;
  }
  return sums;
}

/** Checks of green stages that no longer held, the most frequent first. */
function driftOf(runs: readonly RunSummary[]) {
  const rows = new Map<string, { stage: string; text: string; times: number; run: string; last: string }>();
  for (const { run, began, stages } of runs) {
    for (const { stage, drift: text } of stages) {
      if (text === undefined) continue;
      const { times = 0 } = rows.get(`${stage} ${text}`) ?? {};
      rows.set(`${stage} ${text}`, { stage, text, times: times + 1, run, last: began });
    }
  }
  return [...rows.values()].sort((a, b) => b.times - a.times || (a.last < b.last ? 1 : -1));
}

/** Every change that was tried, as it stands today, the newest first. */
function fixesOf(groups: readonly FailureGroup[], runs: readonly RunSummary[], ledger: Ledger) {
  const began = new Map(runs.map((one) => [one.run, one.began]));
  return groups
    .flatMap((group) =>
      group.fixes.map(({ fix, why, ...rest }) => {
        const patch = patchIn(ledger, rest);
        const words = patch?.why ?? why;
        return {
          ...rest,
          class: group.class,
          time: began.get(rest.run) ?? group.last,
          fix,
          ...(patch?.proposed_by && { proposed_by: patch.proposed_by }),
          ...(patch?.answered_at && { answered_at: patch.answered_at }),
          ...(patch?.note?.reason && { reason: patch.note.reason }),
          outcome: patch?.outcome ?? rest.outcome,
          ...(words !== undefined && { why: words }),
        };
      }),
    )
    .sort((a, b) => (a.time < b.time ? 1 : -1));
}

/** What only the owner can do, as everywhere, and items of the work queue that are stuck without a case. */
function allWaits(facts: ReportFacts, isConcerned: (stage: string) => boolean): Waiting[] {
  const { ledger, stages, newest, safeMode, items, run } = facts;
  const isNewest = newest?.conflict !== undefined && (run === undefined || run === newest.run);
  const conflict = isNewest ? { message: newest.conflict ?? '', since: newest.began } : undefined;
  const waits = waitsOf({ ledger, stages, safeMode, conflict }, isConcerned);
  const stuck = items.filter(({ number, state }) => state === 'stuck' && isConcerned(itemStageName(number)));
  const hasCase = (number: string) =>
    waits.some(({ what, stage }) => what === 'case' && stage === itemStageName(number));
  return [
    ...waits,
    ...stuck
      .filter(({ number }) => !hasCase(number))
      .map(({ number, title, note }): Waiting => {
        const text = `${title}${note ? `: ${note}` : ''}`;
        return { what: 'item', text, command: `mendloop backlog show ${number}` };
      }),
  ];
}

/** Every stage, or those of the one run, in their order: how it stands, how it was day by day, and whether it grows slower. */
function stagesOf({ run, runs, stages }: ReportFacts, buckets: readonly Bucket[]) {
  const of = (list: readonly RunSummary[], stage: string) =>
    list.flatMap((one) => one.stages.filter((each) => each.stage === stage));
  const seen = [...runs.flatMap((one) => one.stages.map(({ stage }) => stage)), ...(run ? [] : Object.keys(stages))];
  // Items of the work queue have their own section.
  const names = [...new Set(seen)].filter((stage) => !isItemStage(stage));
  return names.map((stage) => {
    const all = of(runs, stage);
    const green = all.flatMap(({ green_ms }) => green_ms ?? []);
    const half = green.length >> 1;
    const record = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
    return {
      stage,
      // How the only run left it.
      ...(run !== undefined && all[0] && { end: all[0].end, ...(all[0].reason && { reason: all[0].reason }) }),
      status: record?.status ?? 'idle',
      ...(record && { since: record.since }),
      worked_on: all.filter(({ attempts }) => attempts > 0).length,
      attempts: all.reduce((sum, { attempts }) => sum + attempts, 0),
      failed: all.filter(({ end }) => end === 'failed' || end === 'give_up').length,
      spent_ms: all.reduce((sum, { spent_ms }) => sum + spent_ms, 0),
      green_ms: median(green),
      earlier_ms: half >= MIN_TREND ? median(green.slice(0, half)) : null,
      later_ms: half >= MIN_TREND ? median(green.slice(half)) : null,
      paces: buckets.map((bucket) => median(of(bucket.runs, stage).flatMap(({ green_ms }) => green_ms ?? []))),
      marks: buckets.map((bucket) => markOf(of(bucket.runs, stage))),
    };
  });
}

/** Fewer are no trend. */
const MIN_TREND = 3;

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

function markOf(ends: readonly StageSummary[]): DayMark {
  const last = ends.findLast(({ end }) => !/^(?:skipped|open|interrupted)$/.test(end));
  if (!last) return ends.length > 0 ? 'skipped' : null;
  if (last.end === 'failed' || last.end === 'give_up') return 'failed';
  const isTroubled = ends.some(
    ({ end, drift, attempts }) => /failed|give_up/.test(end) || drift !== undefined || attempts > 1,
  );
  return isTroubled ? 'mended' : 'green';
}
