// How a run ends for whoever started it. Pure.
import { EXIT } from '../errors.ts';
import type { LoopEvent } from '../events.ts';
import type { StageState } from '../journal/stages.ts';
import type { PlanResult } from '../plan/contract.ts';

export interface RunFactsForExit {
  result: PlanResult;
  requested: readonly string[];
  state: StageState;
  /** A step of this run ended in a way that only a person can change. */
  human: boolean;
  /** Someone told the run to stop. */
  interrupted: boolean;
}

export function exitCode({ result, requested, state, human, interrupted }: RunFactsForExit): number {
  // A step may have failed before the interruption, and then speaks for the result.
  if (interrupted && result.status !== 'success') return EXIT.interrupted;
  // Stages may be green from an earlier run that this one did not even get to look at.
  if (result.status === 'success' && requested.every((stage) => state.stages[stage]?.status === 'green'))
    return EXIT.ok;
  if (human) return EXIT.human;
  if (result.error?.error_code === 'INVALID_PAYLOAD') return EXIT.usage;
  return result.error?.error_code === 'UNKNOWN_ERROR' ? EXIT.bug : EXIT.failed;
}

/** Whether an event says that a person is needed. */
export function needsHuman(event: LoopEvent): boolean {
  return event.type === 'step.failed' && event.data.human === true;
}
