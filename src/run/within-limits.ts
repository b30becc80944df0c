// Work under time limits: of one step, whose end is always a typed one; and of a whole plan, which its timeout, its deadline,
// an interruption or an event that cannot be recorded stops.
import { setMaxListeners } from 'node:events';
import { durationText } from '../config/duration.ts';
import type { NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { stopAfter } from '../io/signals.ts';
import type { Plan } from '../plan/contract.ts';
import { errorOf, type StageEnd, stopEnd, thrownEnd } from '../plan/stage-end.ts';
import { Stop, stopReason } from '../plan/stop.ts';
import type { ScheduleEnd } from './schedule.ts';

export interface StepLimits {
  /** `Infinity`: the work keeps its time itself. */
  limitMs: number;
  /** Aborts when the whole plan must stop. */
  signal: AbortSignal;
  /** How long to wait for work that was told to stop. */
  graceMs: number;
  clock: Clock;
}

/** What `work` ends with; what it throws or ignores is an end, too. Never rejects. */
export async function endWithin<E extends StageEnd | undefined>(
  work: (signal: AbortSignal) => Promise<E>,
  { limitMs, signal: outer, graceMs, clock }: StepLimits,
): Promise<E | StageEnd> {
  const late = () => new Stop('STEP_TIMEOUT', `ran past its ${durationText(limitMs)} and was stopped`);
  const timeout = stopAfter(limitMs, late);
  const signal = AbortSignal.any([outer, timeout.signal]);
  const raceOver = new AbortController();
  try {
    const ran = work(signal).catch((error) => endIfAborted(signal, error));
    const end = await Promise.race([ran, afterGrace(signal, () => clock.sleep(graceMs, raceOver.signal))]);
    return end?.kind === 'stopped' ? stopEnd(signal) : end;
  } catch (error) {
    return thrownEnd(error);
  } finally {
    timeout.cancel();
    raceOver.abort('over');
  }
}

/** Work may also stop by throwing what its signal aborted with, as everything that takes a signal does. */
function endIfAborted(signal: AbortSignal, error: unknown): StageEnd {
  const isAbort = error === signal.reason || (error as { name?: unknown } | null)?.name === 'AbortError';
  if (signal.aborted && isAbort) return stopEnd(signal);
  throw error;
}

/** Resolves when the signal was ignored for too long. */
function afterGrace(signal: AbortSignal, grace: () => Promise<void>): Promise<StageEnd> {
  return new Promise((resolve) => {
    const wait = () => grace().then(() => resolve(stopEnd(signal)));
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
}

export interface PlanLimits {
  plan: Plan;
  deadlineMs: number;
  /** Running time that an earlier process spent. */
  spentMs: number;
  clock: Clock;
  signal: AbortSignal | undefined;
}

/** Drives a plan; `emit` records its events. Never rejects, unless `drive` does. */
export async function withinPlanLimits(
  { plan, deadlineMs, spentMs, clock, signal: outer }: PlanLimits,
  record: ((...events: NewEvent[]) => void) | undefined,
  drive: (signal: AbortSignal, emit: (...events: NewEvent[]) => void) => Promise<ScheduleEnd>,
): Promise<ScheduleEnd> {
  const late = () => new Stop('DEADLINE_EXCEEDED', `the deadline ${new Date(deadlineMs).toISOString()} passed`);
  const long = () => new Stop('PLAN_TIMEOUT', `the plan ran past its ${durationText(plan.timeout_ms)}`);
  const limits = [
    // Where both are over, the deadline is what was asked for.
    stopAfter(plan.timeout_ms - spentMs, () => (clock.now() >= deadlineMs ? late() : long())),
    stopAfter(deadlineMs - clock.now(), late),
  ];
  const broken = new AbortController();
  const signals = [broken.signal, ...limits.map((limit) => limit.signal), ...(outer ? [outer] : [])];
  const signal = AbortSignal.any(signals);
  // As many steps wait for these as run at once: Node would take more than ten for a leak, and say so to the user.
  setMaxListeners(0, signal, ...signals);
  // Nothing may happen that is not on record.
  const emit = (...events: NewEvent[]) => {
    if (broken.signal.aborted) return;
    try {
      record?.(...events);
    } catch (error) {
      broken.abort({ error });
    }
  };
  try {
    const end = await drive(signal, emit);
    if (broken.signal.aborted)
      return { ...end, errors: [errorOf(thrownEnd(broken.signal.reason.error))], halted: true };
    const isStopped = end.steps_executed < plan.steps.length && stopReason(signal) !== undefined;
    // Time running out between two steps stops the plan as surely as during one.
    if (isStopped && end.errors.length === 0) end.errors.push(errorOf(stopEnd(signal)));
    return { ...end, halted: end.halted || isStopped };
  } finally {
    for (const limit of limits) limit.cancel();
  }
}
