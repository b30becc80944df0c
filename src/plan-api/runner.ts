// The plan contract: checks a caller's plan and context, then drives real actions to a PlanResult, by the schedule that drives
// a run of stages. Nothing is mended here.
import { join } from 'node:path';
import { type NewEvent, notify } from '../events.ts';
import { type Clock, systemClock } from '../io/clock.ts';
import { takeLock } from '../io/lock.ts';
import { ifPossible, privateFolder, readText, writeAtomic } from '../io/store.ts';
import { executionError } from '../plan/codes.ts';
import type { ContextInput, ExecutionContext, Plan, PlanInput, PlanResult, PlanStep } from '../plan/contract.ts';
import { eventLabel } from '../plan/matrix.ts';
import { planResult } from '../plan/result.ts';
import { RunFacts } from '../plan/run-state.ts';
import { linear, parallel, type RunScheduler } from '../plan/scheduler.ts';
import { blindRetry, endEvent, errorOf, type StageEnd, stopEnd, thrownEnd, usedUp } from '../plan/stage-end.ts';
import { runSchedule, type ScheduleEnd } from '../run/schedule.ts';
import { endWithin, withinPlanLimits } from '../run/within-limits.ts';
import { type Action, type ActionRegistry, endOfAnswer } from './action.ts';
import { admit, DEFAULT_MAX_STEPS, refusedExecution, type Validated } from './validate.ts';

export interface PlanRunnerOptions {
  actions: ActionRegistry;
  /** Default: linear for one worker, parallel for more. */
  scheduler?: RunScheduler;
  workers?: number;
  maxSteps?: number;
  /** Attempts a step may have in one execution, whatever their reason. */
  maxAttempts?: number;
  clock?: Clock;
  /** Takes every event of the execution, in order. What it throws stops the plan: use `subscribe` for watchers. */
  record?: (...events: NewEvent[]) => void;
  /** Watches the same events; one that throws changes nothing. */
  subscribe?: readonly ((event: NewEvent) => void)[];
  /** Aborts everything: what runs is stopped, nothing new starts. */
  signal?: AbortSignal;
  resume?: PlanProgress;
  /** Whether an execution with this id has ended before. */
  finished?: (executionId: string) => boolean;
  /** Stores each result as `<execution_id>.json`. Runners that share a folder, also of other processes, run an execution once. */
  folder?: string;
  /** How long to wait for an action that was told to stop, before its answer is ignored. Default: 5 s. */
  graceMs?: number;
  /** False: everything is checked and nothing runs. */
  enabled?: boolean;
}

/** What an earlier process already did of an execution, by step id. */
export interface PlanProgress {
  /** Whatever else it had begun is to do again. */
  done: ReadonlySet<string>;
  attempts: ReadonlyMap<string, number>;
  /** When a pause between two attempts is over, in epoch milliseconds. */
  waits?: ReadonlyMap<string, number>;
  /** Running time already spent, dead time not counted. */
  spentMs: number;
}

export interface PlanRunner {
  /** Runs `plan`. Never rejects for anything the plan, its context or its actions do: that is in the result. */
  execute(plan: PlanInput | Plan, context: ContextInput): Promise<PlanResult>;
  executePlan(context: ContextInput): Promise<PlanResult>;
  runPlan(plan: PlanInput | Plan, context: ContextInput): Promise<PlanResult>;
}

const NOTHING_DONE: PlanProgress = { done: new Set(), attempts: new Map(), spentMs: 0 };

export function createPlanRunner(options: PlanRunnerOptions): PlanRunner {
  const { folder, clock = systemClock } = options;
  const ended = new Set<string>();

  async function execute(planInput: PlanInput | Plan, contextInput: ContextInput): Promise<PlanResult> {
    const began = clock.monotonic();
    const execution_id = text(contextInput, 'execution_id');
    const result = (end: ScheduleEnd) =>
      planResult({
        plan_id: text(planInput, 'id'),
        execution_id,
        completed_at: clock.now(),
        duration_ms: Math.round(clock.monotonic() - began),
        steps_total: ifPossible(() => (Array.isArray(planInput.steps) ? planInput.steps.length : 0)) ?? 0,
        ...end,
      });
    const claimed = claim(planInput, contextInput, execution_id);
    if (!claimed.ok) return result(refused(claimed.error));
    const { plan, context, release } = claimed.value;
    const end = await driveSteps(plan, context, options, clock);
    try {
      const stored = result(end);
      if (folder !== undefined) writeAtomic(fileOf(execution_id, folder), `${JSON.stringify(stored, null, 2)}\n`);
      release();
      return stored;
    } catch (error) {
      // The lock stays: without the file the same execution could run again.
      end.errors.push(errorOf(thrownEnd(error)));
      return result(end);
    }
  }

  /** Plan and context when they may run now, and nobody else runs this execution until `release`. */
  function claim(planInput: unknown, contextInput: unknown, id: string): Validated<Claimed> {
    try {
      if (folder !== undefined) privateFolder(folder);
      const admitted = admit(planInput, contextInput, {
        actions: options.actions,
        maxSteps: options.maxSteps ?? DEFAULT_MAX_STEPS,
        now: clock.now(),
        finished: () => isFinished(id),
      });
      if (!admitted.ok) return admitted;
      if (options.enabled === false) return { ok: false, error: DISABLED };
      const lock = folder === undefined ? undefined : takeLock(fileOf(id, folder, 'lock'), 'a plan');
      if (lock?.taken === false)
        return refusedExecution(`${id} is being run by pid ${lock.owner.pid} on ${lock.owner.host}`);
      const release = () => lock?.release();
      // It may have ended between the check and the lock.
      if (isFinished(id)) {
        release();
        return refusedExecution(`${id} has ended before and cannot run again`);
      }
      ended.add(id.toLowerCase());
      return { ok: true, value: { ...admitted.value, release } };
    } catch (error) {
      return { ok: false, error: errorOf(thrownEnd(error)) };
    }
  }

  function isFinished(id: string): boolean {
    const isStored = folder !== undefined && readText(fileOf(id, folder)) !== undefined;
    return isStored || ended.has(id.toLowerCase()) || options.finished?.(id) === true;
  }

  const executePlan = (context: ContextInput) => execute(ifPossible(() => context.plan) as PlanInput, context);
  return { execute, executePlan, runPlan: execute };
}

interface Claimed {
  plan: Plan;
  context: ExecutionContext;
  release(): void;
}

const DISABLED = executionError('EXECUTION_HALTED', 'the runner is not enabled', { context: { disabled: true } });

/** The end of a plan that was not begun. */
const refused = (error: ReturnType<typeof executionError>): ScheduleEnd => ({
  steps_executed: 0,
  errors: [error],
  halted: true,
  result_payload: {},
});

/** Drives each step of a plan. Never rejects. */
function driveSteps(plan: Plan, context: ExecutionContext, options: PlanRunnerOptions, clock: Clock) {
  const { resume = NOTHING_DONE, workers = 1, maxAttempts = 20, graceMs = 5000, record, subscribe = [] } = options;
  const attempts = new Map(resume.attempts);
  const { deadline_ms: deadlineMs } = context;
  const limits = { plan, deadlineMs, spentMs: resume.spentMs, clock, signal: options.signal };
  return withinPlanLimits(limits, record, (signal, recorded) => {
    const scheduler = options.scheduler ?? (workers > 1 ? parallel : linear);
    const ports = { scheduler, workers, driveStep, skipped };
    return runSchedule(plan, new RunFacts(plan, resume.done), ports);

    function emit(event: NewEvent): void {
      recorded(event);
      for (const watch of subscribe) notify(watch, event);
    }

    function skipped(step: PlanStep, { error_code: code, message: reason }: { error_code: string; message: string }) {
      emit({ type: 'step.skipped', ...eventLabel(step), status: 'skipped', data: { code, reason } });
    }

    async function driveStep(step: PlanStep): Promise<StageEnd> {
      // Nothing has begun, so nothing is recorded.
      if (signal.aborted) return stopEnd(signal);
      const upToDate = await call(step, 'upToDate');
      if (upToDate) return upToDate.kind === 'stopped' ? upToDate : ended(step, upToDate);
      emit({ type: 'step.started', ...eventLabel(step), status: 'running', data: {} });
      const pauseLeftMs = (resume.waits?.get(step.id) ?? 0) - clock.now();
      if (pauseLeftMs > 0) await clock.sleep(pauseLeftMs, signal);
      for (;;) {
        if (signal.aborted) return ended(step, stopEnd(signal));
        const attempt = (attempts.get(step.id) ?? 0) + 1;
        if (attempt > maxAttempts) return ended(step, usedUp(maxAttempts));
        attempts.set(step.id, attempt);
        const end = (await call(step, 'run')) as StageEnd;
        const pause_ms = blindRetry(end, attempt, step, plan);
        if (end.kind !== 'failed' || pause_ms === undefined) return ended(step, end);
        emit({ type: 'step.retry', ...eventLabel(step), attempt, data: { pause_ms, reason: end.message } });
        await clock.sleep(pause_ms, signal);
      }
    }

    function ended(step: PlanStep, end: StageEnd): StageEnd {
      const event = endEvent(end, step, plan);
      if (event) emit(event);
      return end;
    }

    /** One call of a step's action; undefined when `upToDate` says that it needs an attempt. */
    function call(step: PlanStep, hook: 'run' | 'upToDate'): Promise<StageEnd | undefined> {
      const action = options.actions.get(step.action) as Action;
      const work = async (stop: AbortSignal) => {
        const payload = action.payload.parse(step.payload);
        const attempt = attempts.get(step.id) ?? 0;
        const answer = await action[hook]?.({ step, payload, plan, context, attempt, signal: stop });
        return answer === undefined && hook === 'upToDate' ? undefined : endOfAnswer(answer, stop);
      };
      return endWithin(work, { limitMs: step.timeout_ms ?? plan.timeout_ms, signal, graceMs, clock });
    }
  });
}

/** UUIDs are the same in both cases. */
const fileOf = (executionId: string, folder: string, ending = 'json'): string =>
  join(folder, `${executionId.toLowerCase()}.${ending}`);

function text(value: unknown, key: string): string {
  const member = ifPossible(() => (value as Record<string, unknown>)[key]);
  return typeof member === 'string' ? member : '';
}
