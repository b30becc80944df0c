// What a run does for one step: sees whether an attempt is needed at all, and if so, makes it.
import type { Stage } from '../config/context-map.ts';
import { durationText } from '../config/duration.ts';
import type { MendError } from '../errors.ts';
import { recordOf, type StepRecord } from '../journal/stages.ts';
import { compareInputs } from '../plan/inputs.ts';
import type { StagePayload } from '../plan/matrix.ts';
import { type EndOf, haltFor, type StageEnd, stopEnd } from '../plan/stage-end.ts';
import { stopReason } from '../plan/stop.ts';
import type { Backend, Task, TaskEnd } from './backend.ts';
import { type AttemptCall, inputsNow, inspectTree, openCall } from './call.ts';
import { checkFileNames, followCheckFiles, runAloneNext, runsAlone, watchCheckFiles } from './check-files.ts';
import { hasChecks, NOTHING_TO_CHECK } from './checks.ts';
import { waitsForHuman } from './rerun.ts';
import type { StageRun } from './run.ts';

export type StageAction = ReturnType<typeof stageAction>;

/** At most `workers` green steps are checked at a time; without a width of its own the backend starts no more than that. */
export function stageAction(run: StageRun, backend: Backend, workers: number) {
  const inTurn = atMost(workers);
  return {
    /** `attempt` keeps the step's time limit itself. */
    keepsTime: backend.keepsTime === true,
    /** The end of a step that needs no attempt; undefined when it needs one. */
    async upToDate(call: AttemptCall): Promise<StageEnd | undefined> {
      if (backend.holds?.(call.payload.step)) return undefined;
      const look = () => inTurn(() => upToDate(call, run));
      const end = await run.barrier.attempt(look);
      // What its checks run was changed while they ran: their result does not count.
      return runsAlone(run, call.payload.step) ? run.barrier.alone(look) : end;
    },
    attempt(call: AttemptCall): Promise<StageEnd> {
      const how = runsAlone(run, call.payload.step) ? 'alone' : 'attempt';
      // Its time may be up before its turn comes: then nothing starts any more.
      return run.barrier[how](async () => {
        if (call.signal.aborted) return stopEnd(call.signal);
        const attempt = async () => recordTask(call, run, await backend.attempt(taskOf(call, run), call.signal));
        const { step } = call.payload;
        const hasBegun = () => backend.hasBegun?.(step) ?? true;
        return backend.keepsTime ? followCheckFiles(run, { step, hasBegun }, attempt) : attempt();
      });
    },
  };
}

/** Runs so many at a time, the others in their order. */
function atMost(most: number) {
  let running = 0;
  const queue: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    // The next one takes its place.
    if (running >= most) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/** The attempt that a call asks for, as a plain value. */
export function taskOf({ payload, attempt }: Omit<AttemptCall, 'signal'>, run: StageRun): Task {
  const { spec, timeout: timeout_ms } = run.config.map.stages[payload.stage] as Stage;
  return { run: run.id, ...payload, attempt, commit: run.tree.head, timeout_ms, spec };
}

/** Records the events of an attempt elsewhere, before anything acts on its end. */
async function recordTask({ payload, attempt }: AttemptCall, run: StageRun, taskEnd: TaskEnd): Promise<StageEnd> {
  const { end, events = [] } = taskEnd;
  run.journal.append(...events);
  if (events.some(({ type }) => type === 'attempt.changed')) await run.tree.changedElsewhere();
  if (end.kind !== 'lost') return end;
  const { stage, step } = payload;
  const { transient, next, ...facts } = end.loss;
  const { began } = facts;
  run.journal.append({ type: 'attempt.lost', stage, step, attempt, data: { ...facts, reason: end.message } });
  const mayRerun = !began || (run.config.map.stages[stage] as Stage).rerun;
  const onlyPerson = { human: true, next: `${next}\nlook at its log, then: mendloop retry ${stage}` };
  return { ...end, again: transient && mayRerun, context: mayRerun ? { next } : onlyPerson };
}

/** Whether an attempt will be needed, whatever becomes of what the step needs: `upToDate` would say nothing else. */
export function surelyToDo(run: StageRun, { stage: name, step }: StagePayload): boolean {
  const stage = run.config.map.stages[name] as Stage;
  const record = recordOf(run.journal.stages, step);
  if (run.forced.has(name) && run.journal.failures.timesGreen(name) === 0) return true;
  if (waitsForHuman(stage, step, run.journal.stages, run.layout)) return false;
  if (!record) return true;
  if (record.status === 'give_up' || record.stale) return false;
  return record.status !== 'green' || stage.always;
}

/** Green and still so, or not to be touched: no attempt is needed. */
async function upToDate(call: AttemptCall, run: StageRun): Promise<StageEnd | undefined> {
  const { stage: name, step } = call.payload;
  const stage = run.config.map.stages[name] as Stage;
  const record = recordOf(run.journal.stages, step);
  // A person's word is for one attempt: what is found stale after that is a stage like any other.
  if (run.forced.has(name) && run.journal.failures.timesGreen(name) === 0) return undefined;
  // It did not run since it was green.
  const isStale = record?.stale !== undefined && (record.status === 'idle' || record.last?.outcome === 'done');
  const isFresh = async () => compareInputs(record?.inputs, await inputsNow(call, run, 'start')).fresh;
  const waits = waitsForHuman(stage, step, run.journal.stages, run.layout);
  const isOnce = isStale && !stage.rerun;
  if (isOnce && (await isFresh())) return lookAgain(call, run, record);
  if (waits || (isOnce && record.stale?.by_fix)) {
    const context = { human: true, next: `look at its log, then: mendloop retry ${name}` };
    const changed = 'a fix changed what it is made from, and it is not run again by itself (rerun: false)';
    return { kind: 'failed', again: false, message: waits ?? changed, context };
  }
  if (record?.status === 'give_up') return givenUp(call, run, record);
  if (!record || (record.status !== 'green' && !isStale) || stage.always || record.stale?.remake) return undefined;
  if (!(await isFresh()) || (isStale && !hasChecks(stage))) return undefined;
  return lookAgain(call, run, record);
}

/** A stage whose inputs are the same: its checks decide whether it is still green. */
async function lookAgain(call: AttemptCall, run: StageRun, record: StepRecord): Promise<StageEnd | undefined> {
  const { stage: name, step } = call.payload;
  const isStale = record.stale !== undefined;
  const blind = !hasChecks(run.config.map.stages[name] as Stage);
  const unchecked = blind ? NOTHING_TO_CHECK : run.recheck || isStale ? undefined : 'not checked';
  if (unchecked) return { kind: 'green', fresh: true, result: { since: record.since, unchecked } };
  return stillHolds(call, run, (problems, log) => {
    // What a fix made stale did not drift.
    if (!isStale || record.stale?.drift)
      run.journal.append({ type: 'step.drift', stage: name, step, data: { problems, log } });
  });
}

/** Given up on: it stays so until its inputs change or its checks hold after all. */
async function givenUp(call: AttemptCall, run: StageRun, record: StepRecord): Promise<StageEnd | undefined> {
  const { stage, step } = call.payload;
  const recovered = (reason: string) => run.journal.append({ type: 'stage.recovered', stage, step, data: { reason } });
  if (!compareInputs(record.inputs, await inputsNow(call, run, 'start')).fresh) {
    recovered('its inputs changed');
    return undefined;
  }
  const checked = hasChecks(run.config.map.stages[stage] as Stage) ? await stillHolds(call, run) : undefined;
  if (checked?.kind === 'green') recovered('its checks hold');
  if (checked) return checked;
  const why = (record.reason ?? '').replace(/^given up: /, '');
  const next = `see mendloop explain ${stage}; mend it and commit, or: mendloop reset ${stage}`;
  const context = { human: true, gave_up: why, next };
  return { kind: 'failed', again: false, message: `given up: ${why}`, context };
}

/** Undefined when the checks do not hold: `drifted` is called, and an attempt is needed. */
async function stillHolds(
  action: AttemptCall,
  run: StageRun,
  drifted?: (problems: string[], log: string) => void,
): Promise<StageEnd | undefined> {
  const { refused, halt, isShared, problems, logPath } = await lookAtChecks(action, run);
  if (refused) return haltFor(refused);
  if (halt) return halt;
  if (isShared) {
    runAloneNext(run, action.payload.step);
    return undefined;
  }
  const { signal } = action;
  if (signal.aborted && stopReason(signal)?.code !== 'STEP_TIMEOUT') return stopEnd(signal);
  if (problems.length === 0) return { kind: 'green', fresh: true };
  drifted?.(problems, logPath);
  return undefined;
}

/** What a look at the checks of a step found. */
interface Look {
  /** What does not hold, a line each. */
  readonly problems: string[];
  /** The tree is not as it should be, and nothing was run. */
  readonly refused?: MendError;
  /** No stage may run any more. */
  readonly halt?: EndOf<'halted'> | undefined;
  /** Files that checks run changed meanwhile, maybe by others: the result does not count. */
  readonly isShared?: boolean;
  readonly log: string;
  /** From home. */
  readonly logPath: string;
}

/** Runs the checks of a step and no more. Throws for bugs and a disk that refuses. */
export async function lookAtChecks(action: AttemptCall, run: StageRun): Promise<Look> {
  const call = openCall(action, run, 'verify');
  const { logPath, signal, stage, step } = call;
  const logs = { log: call.log.path, logPath };
  const look = watchCheckFiles(run, step, 'look', async (watch): Promise<Look> => {
    if (watch.halted) return { problems: [], refused: watch.halted, ...logs };
    const problems = await call.verify();
    const halt = await inspectTree(call, run);
    if (watch.changed.size > 0) problems.push(`its checks changed ${await checkFileNames(run, watch.changed)}`);
    if (stopReason(signal)?.code === 'STEP_TIMEOUT')
      problems.push(`its checks ran past ${durationText(stage.timeout)}`);
    return { problems, halt, isShared: watch.shared, ...logs };
  });
  // Until then some of its last lines may be on their way.
  return look.finally(() => call.log.close());
}
