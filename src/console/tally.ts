// The state of a run, folded from its events, for everything that watches it.
import type { DataOf, LoopEvent } from '../events.ts';
import { cellNames, splitStepName } from '../plan/matrix.ts';
import type { FailureView } from './failure-lines.ts';
import { since } from './words.ts';

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
  /** Its latest failure. */
  failure?: FailureView;
  /** Why a plugin could not be asked for a fix of that failure. */
  unanswered?: string;
  /** Why nothing runs just now, while a failure is waited out. */
  pause?: string;
  /** The last of its attempts that its backend lost: what happened, and on which nodes. */
  loss?: { what: string; host: string };
  /** What a plugin that was asked for a fix is busy with. */
  busy?: string;
}

export interface Tally {
  run: string;
  lab: string;
  stages: string[];
  steps: Map<string, StepView>;
  /** Fixes of this run that helped. */
  mended: number;
  /** Stage → why it no longer stands, and the event that said so first, until it is green again. */
  stale: Map<string, { why: string; seq: number }>;
  /** `stale`: stages that were green once and are to do again. */
  ended?: {
    status: string;
    exit: number;
    took: number;
    reason: string | undefined;
    stale: { stage: string; why: string }[];
  };
}

export const newTally = (): Tally => ({
  run: '',
  lab: 'real',
  stages: [],
  steps: new Map(),
  mended: 0,
  stale: new Map(),
});

/** The status that an event gives its step. */
export const STEP_STATUS: Readonly<Partial<Record<LoopEvent['type'], StepView['status']>>> = {
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
  if (event.type === 'run.started' || event.type === 'run.resumed') begin(tally, event, at);
  if (type === 'run.ended' || type === 'run.left') {
    const { exit = 0, duration_ms: took = 0, error } = data;
    const { stale = [] } = data;
    tally.ended = { status: event.status ?? '', exit, took, reason: error?.message, stale };
  }
  if (type === 'fix.judged' && data.outcome === 'kept') tally.mended += 1;
  if (type === 'stage.stale') noteStale(tally, event);
  if (event.type === 'stage.green' || event.type === 'step.fresh') tally.stale.delete(event.stage ?? '');
  if (event.step && event.stage) noteStep(viewOf(tally, event.stage, event.step, at), event, at);
  if (type === 'failure.decided') shareDecision(tally, event);
}

/** Gives the decision to all steps that have the failure. */
function shareDecision({ steps }: Tally, { step, data }: LoopEvent<'failure.decided'>): void {
  const decided = steps.get(step ?? '')?.failure;
  for (const other of data.steps ?? []) {
    const view = steps.get(other);
    if (view?.failure?.fingerprint === data.fingerprint && decided) view.failure = decided;
  }
}

function begin(tally: Tally, { run, data }: LoopEvent<'run.started' | 'run.resumed'>, at: number): void {
  tally.run = run;
  tally.lab = data.lab;
  tally.stages = data.stages;
  tally.steps.clear();
  for (const stage of tally.stages) tally.steps.set(stage, { step: stage, stage, status: 'waiting', since: at });
  // What an earlier process of this run did is not shown again.
  for (const step of 'done' in data ? data.done : []) {
    viewOf(tally, splitStepName(step).stage, step, at).status = 'green';
  }
}

function noteStale({ stale, steps }: Tally, { stage, data, seq }: LoopEvent<'stage.stale'>): void {
  if (!stale.has(stage)) stale.set(stage, { why: data.why, seq });
  for (const view of steps.values()) {
    const isDone = view.stage === stage && (view.status === 'green' || view.status === 'fresh');
    if (isDone) Object.assign(view, { status: 'waiting', reason: data.why, took: 0 });
  }
}

function noteStep(view: StepView, { type, data, attempt }: LoopEvent, at: number): void {
  if (type === 'failure.seen') view.failure = { ...data };
  if (type === 'failure.decided' && view.failure) {
    const cells = data.steps && cellNames(data.steps);
    const { tier, reason } = data;
    Object.assign(view.failure, { tier, reason, human: data.exit === 3, cells });
  }
  if (type === 'attempt.lost') view.loss = { what: data.what ?? data.reason, host: data.host ?? '' };
  if (type === 'plugin.failed') view.unanswered = data.reason;
  if (type === 'step.retry') view.pause = data.reason;
  // Any other event ends what a plugin was busy with.
  if (type !== 'plugin.said') delete view.busy;
  if (type === 'attempt.started') {
    delete view.pause;
    // Forget the last failure: the new attempt may fail without a fingerprint.
    delete view.failure;
    delete view.unanswered;
  }
  if (type === 'attempt.started' || type === 'attempt.ended')
    Object.assign(view, { attempt, log: data.log ?? view.log });
  const status = STEP_STATUS[type];
  if (!status) return;
  if (status === 'running') view.since = at;
  else view.took = view.status === 'running' ? at - view.since : 0;
  delete view.pause;
  const blind = type === 'step.done' && data.unchecked ? NO_CHECKS : undefined;
  const reason = type === 'step.fresh' ? heldWords(data, at) : 'reason' in data ? data.reason : blind;
  Object.assign(view, { status, reason, next: 'next' in data ? data.next : undefined });
}

/** Behind the green of a step that only its exit code tells of. */
export const NO_CHECKS = '(no checks)';

/** The words for a step that was not run again: `still holds` only when its checks were run. */
function heldWords({ unchecked, since: from }: DataOf<'step.fresh'>, at: number): string {
  if (unchecked === undefined) return 'still holds';
  return from === undefined ? unchecked : `since ${since(from, at)}, ${unchecked}`;
}

/** The view of a step; a new one is put where its stage is. */
function viewOf(tally: Tally, stage: string, step: string, at: number): StepView {
  const present = tally.steps.get(step);
  if (present) return present;
  const view: StepView = { step, stage, status: 'waiting', since: at };
  const rows = [...tally.steps.values()];
  // The first cell replaces the row of its stage, the others follow it.
  const held = rows.findIndex((row) => row.step === stage);
  if (held >= 0) rows.splice(held, 1, view);
  else rows.splice(rows.findLastIndex((row) => row.stage === stage) + 1, 0, view);
  tally.steps = new Map(rows.map((row) => [row.step, row]));
  return view;
}
