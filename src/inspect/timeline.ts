// One run as a picture can show it: a row for each step, when its attempts ran, and what happened in between. Pure.
import type { EventType, LoopEvent } from '../events.ts';
import { splitStepName } from '../plan/matrix.ts';

export interface Bar {
  readonly attempt: number;
  readonly from: string;
  /** The last that was heard of it, when it has no end. */
  to: string;
  /** As the attempt's end has it: done, failed, …; `open` without one. */
  outcome: string;
  log?: string;
}

export interface TimelineRow {
  /** Empty: what concerns the whole run. */
  readonly step: string;
  readonly stage: string;
  readonly bars: Bar[];
  /** What happened to it beside its attempts: failures, waits, fixes, cases, drift, and how it ended. */
  readonly marks: LoopEvent[];
}

export interface Timeline {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly TimelineRow[];
}

const MARKS: ReadonlySet<EventType> = new Set<EventType>([
  ...(['tree.conflict', 'safe_mode.on', 'notice', 'run.resumed', 'run.left', 'run.ended'] as const),
  ...(['step.drift', 'step.fresh', 'step.retry', 'step.done', 'step.failed', 'step.skipped'] as const),
  ...(['step.interrupted', 'attempt.lost', 'failure.seen', 'failure.decided', 'failure.given_up'] as const),
  ...(['plugin.passed', 'plugin.failed', 'fix.refused', 'fix.suggested', 'fix.declined', 'fix.committed'] as const),
  ...(['fix.judged', 'case.opened', 'case.closed', 'case.answered', 'item.accepted'] as const),
  ...(['stage.stale', 'stage.recovered'] as const),
]);

/** Undefined when there are no events. Rows in the order in which their steps were first heard of. */
export function timelineOf(events: readonly LoopEvent[]): Timeline | undefined {
  const [first] = events;
  if (!first) return undefined;
  const rows = new Map<string, TimelineRow>();
  for (const event of events) {
    const step = event.step ?? event.stage ?? '';
    const row = rows.get(step) ?? { step, stage: event.stage ?? splitStepName(step).stage, bars: [], marks: [] };
    const bar = row.bars.at(-1);
    if (bar?.outcome === 'open') bar.to = event.time;
    if (event.type === 'attempt.started')
      row.bars.push({
        attempt: event.attempt ?? row.bars.length + 1,
        from: event.time,
        to: event.time,
        outcome: 'open',
        log: event.data.log,
      });
    else if (event.type === 'attempt.ended' && bar) bar.outcome = event.data.outcome;
    else if (MARKS.has(event.type)) row.marks.push(event);
    if (row.bars.length + row.marks.length > 0) rows.set(step, row);
  }
  // No row for a stage whose cells have rows.
  const cells = new Set([...rows.values()].filter(({ step, stage }) => step !== stage).map(({ stage }) => stage));
  return {
    from: first.time,
    to: events.reduce((latest, { time }) => (time > latest ? time : latest), first.time),
    rows: [...rows.values()].filter(({ step, marks }) => marks.length > 0 || !cells.has(step)),
  };
}
