// The plan runner: checks plan and context, then drives real actions to a PlanResult. A run of stages is one execution.
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { durationText } from '../config/duration.ts';
import { type NewEvent, notify } from '../events.ts';
import { type Clock, systemClock } from '../io/clock.ts';
import { stopAfter } from '../io/signals.ts';
import { ifPossible, privateFolder, readText, writeAtomic } from '../io/store.ts';
import { recordOf } from '../journal/stages.ts';
import type { ActionRegistry, Ended } from '../plan/action.ts';
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { ContextInput, ExecutionContext, Plan, PlanInput, PlanResult, PlanStep } from '../plan/contract.ts';
import { eventLabel, stepLabel } from '../plan/matrix.ts';
import { planResult } from '../plan/result.ts';
import { RunFacts, type StepState } from '../plan/run-state.ts';
import { linear, parallel, type RunScheduler } from '../plan/scheduler.ts';
import { Stop, stopError, stopReason } from '../plan/stop.ts';
import { admit, DEFAULT_MAX_STEPS, type Validated } from '../plan/validate.ts';
import type { Backend } from '../stage/backend.ts';
import type { Run } from '../stage/run.ts';
import { answeredSteps } from './answered.ts';
import { type Execution, thrownError } from './call-action.ts';
import { driveStep } from './drive.ts';
import { openFleets } from './fleet.ts';
import { runSchedule, type ScheduleEnd } from './schedule.ts';
import { endStep } from './step.ts';

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
  /** @internal The run of stages, whose failures are mended. */
  run?: Run;
  /** @internal Called once, with a view that stays up to date. */
  watch?: (graph: GraphView) => void;
  /** @internal Where its attempts run: told to begin nothing more, of one stage or at all. */
  backend?: Pick<Backend, 'hold'>;
  resume?: ResumeFacts;
  /** Whether an execution with this id has ended before. */
  finished?: (executionId: string) => boolean;
  /** Stores each result as `<execution_id>.json`, so that no other process runs the same execution again. */
  folder?: string;
  /** How long to wait for an action that was told to stop, before its answer is ignored. Default: 5 s. */
  graceMs?: number;
  /** False: everything is checked and nothing runs. */
  enabled?: boolean;
}

/** How the steps of an execution stand. */
export interface GraphView {
  readonly plan: Plan;
  readonly states: ReadonlyMap<string, StepState>;
  /** By step id. */
  readonly attempts: ReadonlyMap<string, number>;
  /** Whether a step must not start yet. */
  isHeld(step: PlanStep): boolean;
}

/** What an earlier process already did of an execution, by step id. */
export interface ResumeFacts {
  /** Whatever else it had begun is to do again. */
  done: ReadonlySet<string>;
  attempts: ReadonlyMap<string, number>;
  /** When a pause between two attempts is over, in epoch milliseconds. */
  waits?: ReadonlyMap<string, number>;
  /** How often attempts of a step were lost. */
  losses?: ReadonlyMap<string, number>;
  /** Running time already spent, dead time not counted. */
  spentMs: number;
}

export interface PlanRunner {
  /** Runs `plan`. Never rejects for anything the plan, its context or its actions do: that is in the result. */
  execute(plan: PlanInput | Plan, context: ContextInput): Promise<PlanResult>;
  executePlan(context: ContextInput): Promise<PlanResult>;
  runPlan(plan: PlanInput | Plan, context: ContextInput): Promise<PlanResult>;
}

const NOTHING_DONE: ResumeFacts = { done: new Set(), attempts: new Map(), spentMs: 0 };

export function createPlanRunner(options: PlanRunnerOptions): PlanRunner {
  const clock = options.clock ?? systemClock;
  const ended = new Set<string>();

  async function execute(planInput: PlanInput | Plan, contextInput: ContextInput): Promise<PlanResult> {
    const began = clock.monotonic();
    const execution_id = text(contextInput, 'execution_id');
    const admitted = check(planInput, contextInput);
    const runs = admitted.ok && options.enabled !== false;
    if (runs) ended.add(execution_id.toLowerCase());
    const end = runs ? await driveSteps(admitted.value.plan, admitted.value.context) : refusal(admitted);
    const result = () =>
      planResult({
        plan_id: text(planInput, 'id'),
        execution_id,
        completed_at: clock.now(),
        duration_ms: Math.round(clock.monotonic() - began),
        steps_executed: end.done,
        steps_total: ifPossible(() => (Array.isArray(planInput.steps) ? planInput.steps.length : 0)) ?? 0,
        result_payload: end.results,
        errors: end.errors,
        halted: end.halted,
      });
    if (!runs || options.folder === undefined) return result();
    try {
      const stored = result();
      writeAtomic(fileOf(execution_id, options.folder), `${JSON.stringify(stored, null, 2)}\n`);
      return stored;
    } catch (error) {
      // Without the file the same execution could run again.
      end.errors.push(thrownError(error));
      return result();
    }
  }

  function check(planInput: unknown, contextInput: unknown): ReturnType<typeof admit> {
    try {
      if (options.folder !== undefined) privateFolder(options.folder);
      return admit(planInput, contextInput, {
        actions: options.actions,
        maxSteps: options.maxSteps ?? DEFAULT_MAX_STEPS,
        now: clock.now(),
        finished: (id) => ended.has(id.toLowerCase()) || isStored(id) || options.finished?.(id) === true,
      });
    } catch (error) {
      return { ok: false, error: thrownError(error) };
    }
  }

  const isStored = (id: string) => options.folder !== undefined && readText(fileOf(id, options.folder)) !== undefined;

  async function driveSteps(plan: Plan, context: ExecutionContext) {
    const { resume = NOTHING_DONE, workers = 1, maxAttempts = 20, graceMs = 5000, actions, run, backend } = options;
    const limits = planLimits(plan, context, resume.spentMs, clock);
    const broken = new AbortController();
    const signals = [broken.signal, ...limits.map((l) => l.signal), ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    // As many steps wait for these as run at once: Node would take more than ten for a leak, and say so to the user.
    setMaxListeners(0, signal, ...signals);
    const emit = emitter(options, (error) => broken.abort(error));
    const attempts = new Map(resume.attempts);
    const waits = resume.waits ?? new Map<string, number>();
    const fleets = openFleets(plan.steps, (stage) => backend?.hold?.(stage));
    const execution: Execution = {
      plan,
      context,
      actions,
      run,
      attempts,
      waits,
      maxAttempts,
      graceMs,
      signal,
      clock,
      emit,
      losses: new Map(resume.losses),
      halted: false,
      fleets,
    };
    try {
      const facts = new RunFacts(plan, resume.done);
      execution.facts = facts;
      options.watch?.({ plan, states: facts.states, attempts, isHeld: fleets.isHeld });
      const end = await runSchedule(plan, facts, {
        scheduler: options.scheduler ?? (workers > 1 ? parallel : linear),
        workers,
        driveStep: (step, isResumed) => driveStep(step, execution, isResumed),
        endSuspended: (step, because) => endStep(step, execution, endWithoutTurn(step, run, because, signal)),
        skipped: (step, { error_code: code, message: reason }) => {
          emit({ type: 'step.skipped', ...eventLabel(step), status: 'skipped', data: { code, reason } });
          fleets.ended(step);
        },
        halted: () => {
          execution.halted = true;
          backend?.hold?.();
        },
        ...(run && { stale: staleSteps(run) }),
        ...(run && !backend?.hold && { answered: answeredSteps(run, execution) }),
        fleets,
      });
      if (broken.signal.aborted) return { ...end, errors: [thrownError(broken.signal.reason)], halted: true };
      const stop = end.done < plan.steps.length ? stopReason(signal) : undefined;
      // Time running out between two steps stops the plan as surely as during one.
      if (stop && end.errors.length === 0) end.errors.push(stopError(stop));
      return { ...end, halted: end.halted || stop !== undefined };
    } finally {
      for (const limit of limits) limit.cancel();
    }
  }

  const executePlan = (context: ContextInput) => execute(ifPossible(() => context.plan) as PlanInput, context);
  return { execute, executePlan, runPlan: execute };
}

/** UUIDs are the same in both cases. */
const fileOf = (executionId: string, folder: string): string => join(folder, `${executionId.toLowerCase()}.json`);

/** The end of a plan that was not begun. */
function refusal(validated: Validated<unknown>): ScheduleEnd {
  const disabled = () =>
    executionError('EXECUTION_HALTED', 'the runner is not enabled', { context: { disabled: true } });
  return { done: 0, errors: [validated.ok ? disabled() : validated.error], halted: true, results: {} };
}

/** The end of a suspended step that is not resumed. */
function endWithoutTurn(
  step: PlanStep,
  run: Run | undefined,
  because: ExecutionError | undefined,
  signal: AbortSignal,
): Ended {
  // A step that a fix made stale stays to do: it has not failed itself.
  const isStale = run && recordOf(run.journal.stages, stepLabel(step))?.stale;
  if (because)
    return isStale ? { kind: 'left', reason: because.message } : { kind: 'failed', message: because.message };
  return stopReason(signal)
    ? { kind: 'stopped' }
    : { kind: 'left', reason: 'the run halted before it came to run again' };
}

/** Which steps are stale; undefined while there are no new ones. */
function staleSteps({ journal }: Run) {
  let lastCount = 0;
  return () => {
    const { staleCount } = journal.failures;
    if (staleCount === lastCount) return undefined;
    lastCount = staleCount;
    return (step: PlanStep) => recordOf(journal.stages, stepLabel(step))?.stale !== undefined;
  };
}

/** An event that cannot be recorded stops the plan: nothing may happen that is not on record. */
function emitter(options: PlanRunnerOptions, stop: (error: unknown) => void): (...events: NewEvent[]) => void {
  let recording = true;
  return (...events) => {
    try {
      if (recording) options.record?.(...events);
    } catch (error) {
      recording = false;
      stop(error);
    }
    for (const watch of options.subscribe ?? []) for (const event of events) notify(watch, event);
  };
}

function planLimits(plan: Plan, { deadline_ms }: ExecutionContext, spentMs: number, clock: Clock) {
  const late = () => new Stop('DEADLINE_EXCEEDED', `the deadline ${new Date(deadline_ms).toISOString()} passed`);
  const long = () => new Stop('PLAN_TIMEOUT', `the plan ran past its ${durationText(plan.timeout_ms)}`);
  return [
    // Where both are over, the deadline is what was asked for.
    stopAfter(plan.timeout_ms - spentMs, () => (clock.now() >= deadline_ms ? late() : long())),
    stopAfter(deadline_ms - clock.now(), late),
  ];
}

function text(value: unknown, key: string): string {
  const member = ifPossible(() => (value as Record<string, unknown>)[key]);
  return typeof member === 'string' ? member : '';
}
