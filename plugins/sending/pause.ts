// Waiting between two requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelFault } from '../../src/io/egress/model-fault.ts';

/** Throws ModelFault when `signal` is given meanwhile. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw new ModelFault('it was stopped');
  }
}
