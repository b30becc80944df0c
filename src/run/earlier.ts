// A run that was cut off: what its journal says it had done, and what may still be running. Pure.
import type { LoopEvent } from '../events.ts';
import type { ProcessIdentity } from '../io/identity.ts';
import type { StepState } from '../plan/run-state.ts';

export interface CutOff {
  stage: string;
  step: string;
  attempt?: number;
  /** The group that was about to run, or running. */
  leader?: ProcessIdentity;
  /** Only a green step's checks were running: the step is what it was. */
  recheck?: true;
}

export interface Earlier {
  /** Step name → what is known to be over. Failed and skipped steps are to do again. */
  states: Map<string, StepState>;
  /** Step name → attempts made. */
  attempts: Map<string, number>;
  /** Step name → when a pause between two attempts is over, in epoch milliseconds. */
  waits: Map<string, number>;
  /** Time a process was at work, dead time not counted. */
  spentMs: number;
  /** Steps nobody has recorded the end of. */
  cutOff: CutOff[];
  lastEventAt: number;
}

export function earlierFacts(events: readonly LoopEvent[]): Earlier {
  const states = new Map<string, StepState>();
  const attempts = new Map<string, number>();
  const waits = new Map<string, number>();
  const open = new Map<string, CutOff>();
  for (const event of events) {
    const { type, step, stage, attempt } = event;
    if (step === undefined || stage === undefined) continue;
    if (attempt !== undefined) attempts.set(step, Math.max(attempts.get(step) ?? 0, attempt));
    if (type === 'step.started') open.set(step, { stage, step });
    if (type === 'step.drift') open.delete(step);
    if (type === 'attempt.started') {
      open.set(step, { stage, step, leader: event.data.leader as ProcessIdentity, ...(attempt ? { attempt } : {}) });
    }
    if (type === 'check.started') {
      const known = open.get(step) ?? { stage, step, recheck: true as const };
      open.set(step, { ...known, leader: event.data.leader as ProcessIdentity });
    }
    if (type === 'attempt.ended') open.set(step, { stage, step });
    if (type === 'step.retry') waits.set(step, Date.parse(event.time) + Number(event.data.pause_ms));
    if (type === 'attempt.started') waits.delete(step);
    if (/^step\.(done|fresh|failed|skipped|interrupted)$/.test(type)) {
      open.delete(step);
      if (type === 'step.done' || type === 'step.fresh') states.set(step, 'DONE');
      else states.delete(step);
    }
  }
  const lastEventAt = Date.parse(events.at(-1)?.time ?? '');
  return { states, attempts, waits, spentMs: timeAtWork(events), cutOff: [...open.values()], lastEventAt };
}

/** The gaps between events, but for those in which nobody was at work. A clock that was set back costs one gap, not all. */
function timeAtWork(events: readonly LoopEvent[]): number {
  return events.reduce((spent, event, i) => {
    const before = events[i - 1];
    if (before === undefined || event.type === 'run.resumed') return spent;
    return spent + Math.max(0, Date.parse(event.time) - Date.parse(before.time));
  }, 0);
}

const TOO_OLD_MS = 6 * 3_600_000;

/** Whether a start that asks for `asked` takes up the run that asked for `before`, or closes it first and why. */
export function takeUp(
  before: { asked: string; lastEventAt: number },
  asked: string,
  now: number,
): { resume: true } | { resume: false; why: string } {
  if (before.asked !== asked) return { resume: false, why: `it ran ${before.asked}, this start asks for ${asked}` };
  if (now - before.lastEventAt > TOO_OLD_MS) return { resume: false, why: 'its last event is more than 6 hours old' };
  return { resume: true };
}
