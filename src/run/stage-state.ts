// What is known of every stage, made from events: fold them in order and this comes out. Pure.
import { z } from 'zod';
import type { EventType, LoopEvent } from '../events.ts';
import { splitStepName } from '../plan/matrix.ts';

export const STAGE_STATUSES = ['idle', 'running', 'green', 'failed', 'give_up', 'skipped'] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];

const inputsSchema = z.object({ command: z.string(), verify: z.string(), files: z.string(), outputs: z.string() });

const lastSchema = z.object({
  attempt: z.int(),
  log: z.string().optional(),
  outcome: z.string().optional(),
  exit_code: z.int().nullable().optional(),
  signal: z.string().nullable().optional(),
  duration_ms: z.number().optional(),
});

const recordSchema = z.object({
  status: z.enum(STAGE_STATUSES),
  run: z.string(),
  /** Attempts in that run. */
  attempts: z.int(),
  since: z.string(),
  fingerprint: z.string().optional(),
  inputs: inputsSchema.optional(),
  /** Why it is failed, skipped or idle. */
  reason: z.string().optional(),
  /** How the latest attempt went. */
  last: lastSchema.optional(),
});

const stageRecordSchema = recordSchema.extend({ cells: z.record(z.string(), recordSchema).optional() });

export const stageStateSchema = z.object({
  version: z.literal(1),
  /** The last event folded in. */
  as_of: z.object({ run: z.string(), seq: z.int() }),
  stages: z.record(z.string(), stageRecordSchema),
});

export type StepRecord = z.infer<typeof recordSchema>;
export type StageRecord = z.infer<typeof stageRecordSchema>;
export type StageState = z.infer<typeof stageStateSchema>;

export const emptyState = (): StageState => ({ version: 1, as_of: { run: '', seq: 0 }, stages: {} });

/** The record of one step: the stage's own, or its cell's. */
export function recordOf(state: StageState, step: string): StepRecord | undefined {
  const { stage, cell } = splitStepName(step);
  const record = state.stages[stage];
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
  if (event.stage === undefined) return;
  const { stage, cell } = splitStepName(event.step ?? event.stage);
  const record: StageRecord = state.stages[stage] ?? begin(event);
  state.stages[stage] = record;
  if (cell === '') {
    apply(record, event);
    if (event.type === 'stage.reset') delete record.cells;
    return;
  }
  record.cells ??= {};
  const cellRecord = record.cells[cell] ?? begin(event);
  record.cells[cell] = cellRecord;
  apply(cellRecord, event);
  // A cell tells of the stage only that it is being worked on, or no longer is; how the stage ended is an event of its own.
  if (event.type === 'step.started' || event.type === 'step.interrupted' || event.type.startsWith('attempt.')) {
    apply(record, event);
  }
}

const begin = (event: LoopEvent): StepRecord => ({ status: 'idle', run: event.run, attempts: 0, since: event.time });

function apply(record: StepRecord, event: LoopEvent): void {
  const { type, data } = event;
  if (type === 'step.started' && record.run !== event.run) Object.assign(record, { run: event.run, attempts: 0 });
  if (type === 'attempt.started') {
    record.attempts = event.attempt ?? record.attempts + 1;
    record.last = { attempt: record.attempts, ...pick(data, 'log') };
  }
  if (type === 'attempt.ended') {
    const facts = pick(data, 'log', 'outcome', 'exit_code', 'signal', 'duration_ms');
    record.last = { ...(record.last ?? { attempt: event.attempt ?? 0 }), ...facts };
  }
  if (type === 'step.done') record.inputs = inputsSchema.optional().parse(data.inputs);
  if (type === 'stage.reset') {
    record.attempts = 0;
    delete record.inputs;
    delete record.last;
  }
  const status = STATUS_AFTER[type];
  if (status) turn(record, event, status);
}

function turn(record: StepRecord, event: LoopEvent, status: StageStatus): void {
  if (record.status !== status) record.since = event.time;
  record.status = status;
  const reason = event.data.reason;
  if (typeof reason === 'string' && status !== 'green') record.reason = reason;
  else delete record.reason;
}

function pick(data: Record<string, unknown>, ...keys: string[]): Record<string, never> {
  return Object.fromEntries(keys.filter((k) => data[k] !== undefined).map((k) => [k, data[k]])) as Record<
    string,
    never
  >;
}
