// What is known of every stage, made from events: fold them in order and this comes out. Pure.
import type { EventType, LoopEvent } from '../events.ts';
import type { Inputs } from '../plan/inputs.ts';
import { splitStepName } from '../plan/matrix.ts';

export const STAGE_STATUSES = ['idle', 'running', 'green', 'failed', 'give_up', 'skipped'] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];

/** How the latest attempt went. */
export interface LastAttempt {
  attempt: number;
  log?: string;
  outcome?: string;
  exit_code?: number | null;
  signal?: string | null;
  duration_ms?: number;
}

export interface StepRecord {
  status: StageStatus;
  run: string;
  /** Attempts in that run. */
  attempts: number;
  since: string;
  /** Of the failure it ended with. */
  fingerprint?: string;
  /** The log of the last attempt that ended green, and the commit it ran from. */
  green_log?: string;
  green_head?: string;
  /** It was green when work on it began. */
  reopened?: true;
  inputs?: Inputs;
  /** Why it is failed, skipped or idle. */
  reason?: string;
  last?: LastAttempt;
}

export interface StageRecord extends StepRecord {
  cells?: Record<string, StepRecord>;
}

export interface StageState {
  version: 1;
  /** The last event folded in. */
  as_of: { run: string; seq: number };
  stages: Record<string, StageRecord>;
}

/** Whether a value read from disk is a stage state. By hand for the same reason as `isEvent`. */
export function isStageState(value: unknown): value is StageState {
  const state = value as Partial<StageState> | null;
  return (
    typeof state === 'object' &&
    state?.version === 1 &&
    typeof state.as_of?.run === 'string' &&
    Number.isInteger(state.as_of.seq) &&
    isObject(state.stages) &&
    Object.values(state.stages).every(
      (stage) =>
        isRecord(stage) &&
        (stage.cells === undefined || (isObject(stage.cells) && Object.values(stage.cells).every(isRecord))),
    )
  );
}

function isRecord(value: unknown): boolean {
  const record = value as Partial<StepRecord> | null;
  return (
    isObject(record) &&
    STAGE_STATUSES.includes(record.status as StageStatus) &&
    typeof record.run === 'string' &&
    Number.isInteger(record.attempts) &&
    typeof record.since === 'string' &&
    (record.inputs === undefined || isInputs(record.inputs)) &&
    (record.last === undefined || isObject(record.last))
  );
}

const isInputs = (value: unknown): value is Inputs =>
  isObject(value) && ['command', 'verify', 'files', 'outputs'].every((key) => typeof value[key] === 'string');

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export const emptyState = (): StageState => ({ version: 1, as_of: { run: '', seq: 0 }, stages: {} });

/** The record of one step: the stage's own, or its cell's. */
export function recordOf(state: StageState, step: string): StepRecord | undefined {
  const { stage, cell } = splitStepName(step);
  const record = Object.hasOwn(state.stages, stage) ? state.stages[stage] : undefined;
  return cell === '' ? record : record?.cells?.[cell];
}

const STATUS_AFTER: Partial<Record<EventType, StageStatus>> = {
  'step.started': 'running',
  'step.done': 'green',
  'step.fresh': 'green',
  'step.failed': 'failed',
  'step.skipped': 'skipped',
  'step.interrupted': 'idle',
  'stage.green': 'green',
  'stage.failed': 'failed',
  'stage.skipped': 'skipped',
  'stage.reset': 'idle',
};

/** Folds one event into `state`, in place. */
export function fold(state: StageState, event: LoopEvent): void {
  state.as_of = { run: event.run, seq: event.seq };
  if (event.type === 'run.ended') for (const record of Object.values(state.stages)) rest(record, event);
  if (event.stage === undefined) return;
  const { stage, cell } = splitStepName(event.step ?? event.stage);
  const known = Object.hasOwn(state.stages, stage) ? state.stages[stage] : undefined;
  const record: StageRecord = known ?? begin(event);
  state.stages[stage] = record;
  if (cell === '') {
    forget(record, event);
    apply(record, event);
    if (event.type === 'stage.reset') delete record.cells;
    return;
  }
  record.cells ??= {};
  const cellRecord = record.cells[cell] ?? begin(event);
  record.cells[cell] = cellRecord;
  forget(cellRecord, event);
  apply(cellRecord, event);
  // A cell tells of the stage only that it is being worked on, or no longer is; how the stage ended is an event of its own.
  if (event.type === 'step.started' || event.type === 'step.interrupted' || /^(?:attempt|failure)\./.test(event.type)) {
    apply(record, event);
  }
}

const begin = (event: LoopEvent): StepRecord => ({ status: 'idle', run: event.run, attempts: 0, since: event.time });

/** An attempt that ends without being recognised must not be told as the failure before it. */
function forget(record: StepRecord, { type }: LoopEvent): void {
  if (type === 'attempt.started') delete record.fingerprint;
}

function apply(record: StepRecord, event: LoopEvent): void {
  const { type, data } = event;
  if (type === 'step.started' && record.status === 'green') record.reopened = true;
  if (type === 'step.started' && record.run !== event.run) Object.assign(record, { run: event.run, attempts: 0 });
  if (type === 'attempt.started') {
    record.attempts = event.attempt ?? record.attempts + 1;
    record.last = { attempt: record.attempts, ...pick(data, 'log') };
  }
  if (type === 'attempt.ended') {
    const facts = pick(data, 'log', 'outcome', 'exit_code', 'signal', 'duration_ms');
    record.last = { ...(record.last ?? { attempt: event.attempt ?? 0 }), ...facts };
  }
  if (type === 'step.done' && isInputs(data.inputs)) record.inputs = data.inputs;
  if (type === 'step.done' && record.last?.log) record.green_log = record.last.log;
  if (type === 'step.done' && typeof data.head === 'string') record.green_head = data.head;
  if (type === 'failure.seen' && typeof data.fingerprint === 'string') record.fingerprint = data.fingerprint;
  if (type === 'stage.reset') {
    record.attempts = 0;
    delete record.fingerprint;
    delete record.inputs;
    delete record.last;
    delete record.reopened;
  }
  if (event.status === 'give_up' && isInputs(data.inputs)) record.inputs = data.inputs;
  const status = event.status === 'give_up' ? 'give_up' : STATUS_AFTER[type];
  if (status) turn(record, event, status);
}

/** Nothing of a run runs once it ended: a stage some of whose cells had no turn waits for the next one. */
function rest(record: StageRecord, event: LoopEvent): void {
  if (record.status === 'running' && record.run === event.run) turn(record, event, 'idle');
}

function turn(record: StepRecord, event: LoopEvent, status: StageStatus): void {
  const reason = (status === 'give_up' ? event.data.gave_up : undefined) ?? event.data.reason;
  if (typeof reason === 'string' && status !== 'green') record.reason = reason;
  else delete record.reason;
  // That a step had no turn says nothing new of one that is green or failed.
  if (status === 'skipped' && ['green', 'failed', 'give_up'].includes(record.status)) return;
  if (status === 'green') delete record.fingerprint;
  if (status === 'green' || status === 'failed' || status === 'give_up') delete record.reopened;
  if (record.status !== status) record.since = event.time;
  record.status = status;
}

/** Not idempotent, and it failed or was interrupted: only a person's word runs it again. */
export function waitsForHuman(stage: { rerun: boolean }, record: StepRecord | undefined): boolean {
  if (stage.rerun || record === undefined) return false;
  const stopped = record.status === 'idle' || record.status === 'skipped';
  return record.status === 'failed' || (stopped && record.last?.outcome === 'interrupted');
}

function pick(data: Record<string, unknown>, ...keys: string[]): Record<string, never> {
  return Object.fromEntries(keys.filter((k) => data[k] !== undefined).map((k) => [k, data[k]])) as Record<
    string,
    never
  >;
}
