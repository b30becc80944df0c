// The state of every stage, by folding events in order. Pure.
import { type DataOf, type EventType, isInputs, isLanding, type LoopEvent } from '../events.ts';
import { cellNames, splitStepName } from '../plan/matrix.ts';
import {
  amount,
  type Check,
  type Checked,
  count,
  flag,
  integer,
  listOf,
  oneOf,
  optional,
  shaped,
  text,
  time,
} from '../shape.ts';
import { staleWords } from '../triage/words.ts';

export const STAGE_STATUSES = ['idle', 'running', 'green', 'failed', 'give_up', 'skipped'] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];

const ATTEMPT_FACTS = ['log', 'outcome', 'exit_code', 'signal', 'duration_ms'] as const;
type LastAttempt = { attempt: number } & Partial<Pick<DataOf<'attempt.ended'>, (typeof ATTEMPT_FACTS)[number]>>;

const isStepRecord = shaped({
  status: oneOf(STAGE_STATUSES),
  run: text,
  /** Attempts in that run. */
  attempts: integer,
  since: text,
  inputs: optional(isInputs),
  last: optional(shaped({}) as Check<LastAttempt>),
  /**
   * Green once, and to do again: why at first, and the commits that made it stale; `remake`: even if its inputs are the same; `drift`: only because
   * its checks did not hold.
   */
  stale: optional(
    shaped({
      why: optional(text),
      commits: listOf(text),
      remake: optional(flag),
      by_fix: optional(flag),
      drift: optional(flag),
    }),
  ),
  /** Tracked files that its attempts changed, as far as they were not put back. */
  wrote: optional(listOf(text)),
  /** The patch that holds them, from home. */
  wrote_patch: optional(text),
  /** When it wrote them, as a text that sorts: run and event. */
  wrote_at: optional(text),
  /** When it was last known to be green. */
  green_at: optional(time),
  /** Of a stage: all attempts that ended, since it first ran, and how long they took together. */
  total: optional(shaped({ attempts: count, ms: amount })),
});
export interface StepRecord extends Checked<typeof isStepRecord> {
  /** Of the failure it ended with. */
  fingerprint?: string;
  /** The log of the last attempt that ended green, and the commit it ran from. */
  green_log?: string;
  green_head?: string;
  /** A person set it back: what was done before this journal counts no more. */
  reset?: string;
  /** It was green when work on it began. */
  reopened?: true;
  /** Why it is failed, skipped or idle. */
  reason?: string;
  /** Green, and there is nothing that could tell whether it still holds. */
  unchecked?: true;
}
export interface StageRecord extends StepRecord {
  cells?: Record<string, StepRecord>;
}

const isOutline = shaped({
  version: oneOf([1]),
  /** The last event folded in. */
  as_of: shaped({ run: text, seq: integer }),
  stages: shaped({}),
  /** Carried paths that an attempt of any stage was seen to write. */
  written: optional(listOf(text)),
  /** What is about to land, or was when its process was killed. */
  landing: optional(isLanding),
});

export interface StageState extends Checked<typeof isOutline> {
  stages: Record<string, StageRecord>;
}

/** Whether a value read from disk is a stage state. */
export function isStageState(value: unknown): value is StageState {
  if (!isOutline(value)) return false;
  return Object.values(value.stages).every((stage) => {
    const { cells = {} } = (stage ?? {}) as Partial<StageRecord>;
    return isStepRecord(stage) && shaped({})(cells) && Object.values(cells).every(isStepRecord);
  });
}

export const emptyState = (): StageState => ({ version: 1, as_of: { run: '', seq: 0 }, stages: {} });

/** Each file with whoever wrote it last; that patch also has what the others had written into the file. */
export function lastWriters<T extends Pick<StepRecord, 'wrote' | 'wrote_at'>>(records: readonly T[]): Map<string, T> {
  const inOrder = [...records].sort(({ wrote_at: a = '' }, { wrote_at: b = '' }) => (a < b ? -1 : a > b ? 1 : 0));
  return new Map(inOrder.flatMap((record) => (record.wrote ?? []).map((path) => [path, record] as const)));
}

/** The record of one step: the stage's own, or its cell's. */
export function recordOf(state: StageState, step: string): StepRecord | undefined {
  const { stage, cell } = splitStepName(step);
  const record = Object.hasOwn(state.stages, stage) ? state.stages[stage] : undefined;
  return cell === '' ? record : record?.cells?.[cell];
}

/** Whether a person set a stage back, and it has not run since. */
export const isReset = ({ stages }: StageState, stage: string): boolean =>
  stages[stage]?.reset !== undefined && stages[stage]?.last === undefined;

/**
 * The step that a person means: a cell may be called as it is shown, `m[cp1]`, where `m[host=cp1]` is meant. `earlier`: cells of
 * its stage that the state may have lost.
 */
export function stepMeant(state: StageState, word: string, earlier: readonly string[] = []): string {
  const { stage, cell } = splitStepName(word);
  const steps = [...Object.keys(state.stages[stage]?.cells ?? {}), ...earlier].map((key) => `${stage}[${key}]`);
  return steps.find((step) => step === word) ?? steps.find((step) => cell !== '' && cellNames([step]) === cell) ?? word;
}

/** Green, or it was until something that it needs was made again: what it made is to be there. */
export const wasGreen = ({ status, stale, inputs }: StepRecord): boolean =>
  status === 'green' || (stale !== undefined && inputs !== undefined);

/** Every step that there is a record of. */
export function stepRecords(state: StageState): { stage: string; step: string; record: StepRecord }[] {
  return Object.entries(state.stages).flatMap(([stage, stageRecord]) => {
    const cells = Object.entries(stageRecord.cells ?? {}).map(([cell, record]) => ({
      stage,
      step: `${stage}[${cell}]`,
      record,
    }));
    return cells.length > 0 ? cells : [{ stage, step: stage, record: stageRecord }];
  });
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
export function foldStages(state: StageState, event: LoopEvent): void {
  state.as_of = { run: event.run, seq: event.seq };
  if (event.type === 'landing.intended') state.landing = event.data;
  if (event.type === 'landing.done' || event.type === 'landing.dropped') delete state.landing;
  if (event.type === 'run.ended') {
    // Nothing of a run runs once it ended: a stage some of whose cells had no turn waits for the next one.
    const running = Object.values(state.stages).filter(({ status, run }) => status === 'running' && run === event.run);
    for (const record of running) turn(record, event, 'idle');
  }
  if (event.type === 'attempt.ended' && event.data.wrote)
    state.written = [...new Set([...(state.written ?? []), ...event.data.wrote])];
  // Tracked files were put back for it: what steps that did not end green had written is gone for good.
  if (
    event.type === 'fix.committed' ||
    (event.type === 'fix.judged' && event.data.outcome === 'no_effect') ||
    (event.type === 'trial.ended' && event.data.outcome === 'undone') ||
    (event.type === 'branch.moved' && event.data.from !== event.data.to)
  )
    for (const { record } of stepRecords(state)) if (!wasGreen(record)) delete record.wrote;
  if (event.stage === undefined) return;
  const { stage, cell } = splitStepName(event.step ?? event.stage);
  const recorded = Object.hasOwn(state.stages, stage) ? state.stages[stage] : undefined;
  const record: StageRecord = recorded ?? begin(event);
  state.stages[stage] = record;
  const stepRecord = cell === '' ? record : (record.cells?.[cell] ?? begin(event));
  if (cell !== '') {
    record.cells ??= {};
    record.cells[cell] = stepRecord;
  }
  if (event.type === 'stage.stale') {
    const cells = cell === '' ? Object.values(record.cells ?? {}) : [stepRecord];
    for (const stale of [record, ...cells]) markStale(stale, event);
    return;
  }
  // An attempt that ends without being identified must not show the failure before it.
  if (event.type === 'attempt.started') delete stepRecord.fingerprint;
  apply(stepRecord, event);
  if (event.type === 'attempt.ended') {
    const { attempts, ms } = record.total ?? { attempts: 0, ms: 0 };
    record.total = { attempts: attempts + 1, ms: ms + (event.data.duration_ms ?? 0) };
  }
  // Of a cell's events the stage only takes whether it is being worked on; how the stage ended is an event of its own.
  if (cell !== '' && /^(?:step\.(?:started|interrupted)$|attempt\.|failure\.)/.test(event.type)) apply(record, event);
}

const begin = (event: LoopEvent): StepRecord => ({ status: 'idle', run: event.run, attempts: 0, since: event.time });

function apply(record: StageRecord, event: LoopEvent): void {
  switch (event.type) {
    case 'step.started':
      if (record.status === 'green') record.reopened = true;
      if (record.run !== event.run) Object.assign(record, { run: event.run, attempts: 0 });
      break;
    case 'attempt.started':
      record.attempts = event.attempt ?? record.attempts + 1;
      // The inputs are recorded anew when it ends.
      delete record.inputs;
      // From here on its end counts, not what its checks said before.
      if (record.stale?.drift) delete record.stale;
      record.last = { attempt: record.attempts, log: event.data.log };
      break;
    case 'attempt.ended': {
      // Of one elsewhere this may be all that is known.
      record.attempts = Math.max(record.attempts, event.attempt ?? 0);
      const facts = Object.entries(event.data).filter(([key]) => (ATTEMPT_FACTS as readonly string[]).includes(key));
      record.last = { ...(record.last ?? { attempt: event.attempt ?? 0 }), ...Object.fromEntries(facts) };
      break;
    }
    case 'attempt.lost':
      if (event.data.began) record.attempts = event.attempt ?? record.attempts + 1;
      break;
    case 'attempt.changed':
      record.wrote = [...new Set([...(record.wrote ?? []), ...event.data.files])].filter(
        (path) => !event.data.put_back?.includes(path),
      );
      if (event.data.patch === undefined) break;
      record.wrote_patch = event.data.patch;
      record.wrote_at = `${event.run} ${String(event.seq).padStart(9, '0')}`;
      break;
    case 'step.done':
      if (event.data.inputs) record.inputs = event.data.inputs;
      if (record.last?.log) record.green_log = record.last.log;
      if (event.data.head !== undefined) record.green_head = event.data.head;
      break;
    case 'failure.seen':
      record.fingerprint = event.data.fingerprint;
      break;
    case 'step.failed':
      if (event.status === 'give_up' && event.data.inputs) record.inputs = event.data.inputs;
      break;
    case 'stage.reset':
      record.attempts = 0;
      record.reset = event.run;
      delete record.cells;
      delete record.fingerprint;
      delete record.inputs;
      delete record.last;
      delete record.reopened;
      // Fixes still wait for it; that a person resets it means that it may run.
      if (record.stale?.drift) delete record.stale;
      else if (record.stale) record.stale = { why: record.stale.why, commits: record.stale.commits };
  }
  if (event.type === 'step.done' || event.type === 'step.fresh') noteChecks(record, event.data.unchecked);
  const status = event.status === 'give_up' ? 'give_up' : STATUS_AFTER[event.type];
  if (status) turn(record, event, status);
}

/** A green step is to do again; one that is to do again already has one more reason. */
function markStale(record: StageRecord, event: LoopEvent<'stage.stale'>): void {
  const { why, commit, remake, by_fix, drift } = event.data;
  if (record.status !== 'green' && !record.stale) return;
  // A step that failed since is being mended: this write may be its fix.
  if (record.status !== 'green' && record.fingerprint !== undefined && !record.cells) return;
  if (drift) record.stale ??= { why, commits: [], drift };
  else {
    const { drift: _, ...stale } = record.stale ?? { why, commits: [] };
    const commits = [...new Set([...stale.commits, commit])];
    record.stale = { ...stale, commits, ...(remake && { remake }), ...(by_fix && { by_fix }) };
  }
  if (remake) delete record.wrote;
  if (record.status !== 'green') return;
  record.reopened = true;
  turn(record, event, 'idle');
  record.reason = staleWords(event.data);
}

function noteChecks(record: StepRecord, unchecked: DataOf<'step.fresh'>['unchecked']): void {
  if (unchecked === 'nothing to check') record.unchecked = true;
  // Checks that were not looked at are there.
  else delete record.unchecked;
}

function turn(record: StepRecord, event: LoopEvent, status: StageStatus): void {
  const reason = reasonOf(event, status);
  if (reason !== undefined && status !== 'green') record.reason = reason;
  else delete record.reason;
  // A step that is green or failed stays so when it is skipped.
  if (status === 'skipped' && (record.stale || ['green', 'failed', 'give_up'].includes(record.status))) return;
  if (status === 'green') {
    record.green_at = event.time;
    delete record.fingerprint;
    delete record.stale;
  }
  if (status === 'green' || status === 'failed' || status === 'give_up') delete record.reopened;
  if (record.status !== status) record.since = event.time;
  record.status = status;
}

function reasonOf({ data }: LoopEvent, status: StageStatus): string | undefined {
  const gaveUp = status === 'give_up' && 'gave_up' in data ? data.gave_up : undefined;
  return gaveUp ?? ('reason' in data ? data.reason : undefined);
}
