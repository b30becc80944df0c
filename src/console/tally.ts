// What a run came to, kept while its events go by: for the closing lines of every way to watch it.
import type { LoopEvent } from '../events.ts';
import { splitStepName } from '../plan/matrix.ts';
import type { FailureView } from './failure-lines.ts';

export interface StepView {
  step: string;
  stage: string;
  status: 'waiting' | 'running' | 'green' | 'fresh' | 'failed' | 'skipped' | 'interrupted';
  since: number;
  /** How long it took, once over. */
  took?: number;
  attempt?: number;
  log?: string;
  reason?: string;
  next?: string;
  /** Who its latest failure is. */
  failure?: FailureView;
  /** Why nothing runs just now, while a failure is waited out. */
  pause?: string;
  /** What somebody who was asked for a fix is busy with. */
  busy?: string;
}

export interface Tally {
  run: string;
  lab: string;
  stages: string[];
  steps: Map<string, StepView>;
  /** Fixes of this run that helped. */
  mended: number;
  ended?: { status: string; exit: number; took: number; reason: string | undefined };
}

export const newTally = (): Tally => ({ run: '', lab: 'real', stages: [], steps: new Map(), mended: 0 });

const STATUS: Record<string, StepView['status']> = {
  'step.started': 'running',
  'step.done': 'green',
  'step.fresh': 'fresh',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.interrupted': 'interrupted',
};

/** Adds one event, in place. */
export function note(tally: Tally, event: LoopEvent): void {
  const { type, data } = event;
  const at = Date.parse(event.time);
  if (type === 'run.started' || type === 'run.resumed') {
    tally.run = event.run;
    tally.lab = String(data.lab);
    tally.stages = data.stages as string[];
    tally.steps.clear();
    for (const stage of tally.stages) tally.steps.set(stage, { step: stage, stage, status: 'waiting', since: at });
    // What an earlier process of this run did is not told again.
    for (const step of (data.done as string[] | undefined) ?? []) {
      viewOf(tally, splitStepName(step).stage, step, at).status = 'green';
    }
  }
  if (type === 'run.ended') {
    const reason = (data.error as { message?: string } | null | undefined)?.message;
    tally.ended = { status: event.status ?? '', exit: Number(data.exit), took: Number(data.duration_ms), reason };
  }
  if (type === 'fix.judged' && data.outcome === 'verified') tally.mended += 1;
  if (!event.step || !event.stage) return;
  const view = viewOf(tally, event.stage, event.step, at);
  if (type === 'failure.seen') view.failure = data as unknown as FailureView;
  if (type === 'failure.decided' && view.failure) {
    Object.assign(view.failure, { tier: data.tier, reason: data.reason, human: data.exit === 3 });
  }
  if (type === 'step.retry') view.pause = String(data.reason);
  // Whoever was asked is done with it.
  if (type !== 'plugin.said') delete view.busy;
  if (type === 'attempt.started') {
    delete view.pause;
    // One that ends without being recognised must not be told as the failure before it.
    delete view.failure;
  }
  if (type === 'attempt.started') Object.assign(view, { attempt: event.attempt, log: data.log });
  if (type === 'attempt.ended') Object.assign(view, { attempt: event.attempt, log: data.log ?? view.log });
  const status = STATUS[type];
  if (!status) return;
  if (status === 'running') view.since = at;
  else view.took = view.status === 'running' ? at - view.since : 0;
  view.status = status;
  delete view.pause;
  Object.assign(view, { reason: data.reason, next: data.next });
}

function viewOf(tally: Tally, stage: string, step: string, at: number): StepView {
  const known = tally.steps.get(step);
  if (known) return known;
  // The first cell of a matrix takes the place that was held for its stage.
  const view: StepView = { step, stage, status: 'waiting', since: at };
  const rows = [...tally.steps.values()].flatMap((v) => (v.step === stage ? [view] : [v]));
  const place = rows.includes(view) ? rows : insertAfterStage(rows, view);
  tally.steps.clear();
  for (const row of place) tally.steps.set(row.step, row);
  return view;
}

function insertAfterStage(rows: StepView[], view: StepView): StepView[] {
  const last = rows.map((r) => r.stage).lastIndexOf(view.stage);
  return [...rows.slice(0, last + 1), view, ...rows.slice(last + 1)];
}
