// The plan executor: checks plan and context, then drives real actions to a PlanResult. A run of stages is one execution.
import type { Happening } from '../events.ts';
import { type Clock, systemClock } from '../io/clock.ts';
import type { Mender } from '../mend/failed-attempt.ts';
import type { ActionRegistry } from '../plan/action.ts';
import type { ContextInput, ExecutionContext, Plan, PlanInput, PlanResult } from '../plan/contract.ts';
import { planResult } from '../plan/result.ts';
import type { StepState } from '../plan/run-state.ts';
import { linear, parallel, type RunScheduler } from '../plan/scheduler.ts';
import { eventLabel } from '../plan/step-label.ts';
import { Stop, stopError, stopReason } from '../plan/stop.ts';
import { DEFAULT_MAX_STEPS } from '../plan/validate.ts';
import { admit } from './admit.ts';
import { drive } from './drive.ts';
import { stopAfter } from './stop-after.ts';
import { thrownError, workOnStep } from './work.ts';

export interface ExecutorOptions {
  actions: ActionRegistry;
  /** Default: linear for one worker, parallel for more. */
  scheduler?: RunScheduler;
  workers?: number;
  maxSteps?: number;
  /** Attempts a step may have in one execution, whatever their reason. */
  maxAttempts?: number;
  clock?: Clock;
  /** Takes every event of the execution, in order. What it throws stops the plan: use `subscribe` for watchers. */
  record?: (...happenings: Happening[]) => void;
  /** Watches the same events; one that throws changes nothing. */
  subscribe?: readonly ((happening: Happening) => void)[];
  /** Aborts everything: what runs is stopped, nothing new starts. */
  signal?: AbortSignal;
  /** Asked about failed attempts once blind retries are spent. */
  mender?: Mender;
  /** What an earlier process already did of this execution. */
  earlier?: EarlierFacts;
  /** Whether an execution with this id has ended before. */
  finished?: (executionId: string) => boolean;
}

export interface EarlierFacts {
  states: ReadonlyMap<string, StepState>;
  attempts: ReadonlyMap<string, number>;
  /** When a pause between two attempts is over, in epoch milliseconds. */
  waits?: ReadonlyMap<string, number>;
  /** Running time already spent, dead time not counted. */
  spentMs: number;
}

export interface PlanExecutor {
  /** Runs `plan`. Never rejects for anything the plan, its context or its actions do: the result says it. */
  execute(plan: PlanInput | Plan, context: ContextInput): Promise<PlanResult>;
  executePlan(context: ContextInput): Promise<PlanResult>;
  runPlan(plan: PlanInput | Plan, context: ContextInput): Promise<PlanResult>;
}

const NOTHING_EARLIER: EarlierFacts = { states: new Map(), attempts: new Map(), spentMs: 0 };

export function createExecutor(options: ExecutorOptions): PlanExecutor {
  const clock = options.clock ?? systemClock;
  const ended = new Set<string>();

  async function execute(planInput: PlanInput | Plan, contextInput: ContextInput): Promise<PlanResult> {
    const began = clock.monotonic();
    const admitted = admit(planInput, contextInput, {
      actions: options.actions,
      maxSteps: options.maxSteps ?? DEFAULT_MAX_STEPS,
      now: clock.now(),
      finished: (id) => ended.has(id) || options.finished?.(id) === true,
    });
    const executionId = text(contextInput, 'execution_id');
    if (admitted.ok) ended.add(executionId);
    const end = admitted.ok
      ? await driveSteps(admitted.value.plan, admitted.value.context)
      : { done: 0, errors: [admitted.error], halted: true, results: {} };
    return planResult({
      planId: text(planInput, 'id'),
      executionId,
      total: Array.isArray(planInput?.steps) ? planInput.steps.length : 0,
      ...end,
      payload: end.results,
      completedAt: clock.now(),
      durationMs: Math.round(clock.monotonic() - began),
    });
  }

  async function driveSteps(plan: Plan, context: ExecutionContext) {
    const earlier = options.earlier ?? NOTHING_EARLIER;
    const limits = planLimits(plan, context, earlier.spentMs, clock);
    const broken = new AbortController();
    const signals = [broken.signal, ...limits.map((l) => l.signal), ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    const emit = emitter(options, (error) => broken.abort(error));
    const attempts = new Map(earlier.attempts);
    const workers = options.workers ?? 1;
    const waits = earlier.waits ?? new Map<string, number>();
    const { actions, mender } = options;
    const scope = { plan, context, actions, mender, attempts, waits, signal, clock, emit };
    try {
      const end = await drive(plan, doneOf(earlier), {
        scheduler: options.scheduler ?? (workers > 1 ? parallel : linear),
        workers,
        work: (step) => workOnStep(step, { ...scope, maxAttempts: options.maxAttempts ?? 20 }),
        skipped: (step, because) =>
          emit({ type: 'step.skipped', ...eventLabel(step), status: 'skipped', data: { reason: because.message } }),
      });
      if (broken.signal.aborted) return { ...end, errors: [thrownError(broken.signal.reason)], halted: true };
      const stop = stopReason(signal);
      // Time running out between two steps stops the plan as surely as during one.
      if (stop && end.done < plan.steps.length && end.errors.length === 0) end.errors.push(stopError(stop));
      return { ...end, halted: end.halted || (stop !== undefined && end.done < plan.steps.length) };
    } finally {
      for (const limit of limits) limit.cancel();
    }
  }

  return {
    execute,
    executePlan: (context) => execute(context.plan, context),
    runPlan: (plan, context) => execute(plan, context),
  };
}

/** Only what is done stays so; whatever else an earlier process met is to do again. */
function doneOf(earlier: EarlierFacts): Map<string, StepState> {
  return new Map([...earlier.states].filter(([, state]) => state === 'DONE'));
}

/** Events that cannot be recorded stop the plan: nothing may happen that nobody will know of. */
function emitter(options: ExecutorOptions, stop: (error: unknown) => void): (...happenings: Happening[]) => void {
  let recording = true;
  const record = (...happenings: Happening[]) => {
    try {
      if (recording) options.record?.(...happenings);
    } catch (error) {
      recording = false;
      stop(error);
    }
  };
  const tell = (happening: Happening, watch: (happening: Happening) => void) => {
    try {
      watch(happening);
    } catch {
      // Watchers are best effort by contract.
    }
  };
  return (...happenings) => {
    record(...happenings);
    for (const watch of options.subscribe ?? []) for (const happening of happenings) tell(happening, watch);
  };
}

function planLimits(plan: Plan, context: ExecutionContext, spentMs: number, clock: Clock) {
  const toDeadline = context.deadline_ms - clock.now();
  return [
    stopAfter(plan.timeout_ms - spentMs, () => new Stop('PLAN_TIMEOUT', `the plan ran past its ${plan.timeout_ms} ms`)),
    stopAfter(
      toDeadline,
      () => new Stop('DEADLINE_EXCEEDED', `the deadline ${new Date(context.deadline_ms).toISOString()} passed`),
    ),
  ];
}

const text = (value: unknown, key: string) => {
  const found = (value as Record<string, unknown> | null | undefined)?.[key];
  return typeof found === 'string' ? found : '';
};
