// What every command that runs something gives it: the clock, the environment, the lab, and a signal to stop.
import type { Subscriber } from '../events.ts';
import { systemClock } from '../io/clock.ts';
import { LAB_TOOLS } from '../io/package.ts';
import { stopSignals } from '../io/signals.ts';
import { Stop } from '../plan/stop.ts';
import type { RunPorts } from '../stage/run.ts';

/** How long TERM is given before KILL. */
export const GRACE_MS = 5000;

/** Does `work` while SIGINT, SIGTERM and SIGHUP mean: stop in order. */
export async function withPorts<T>(
  subscribers: readonly Subscriber[],
  work: (ports: RunPorts) => Promise<T>,
): Promise<T> {
  const { signal, dispose } = stopSignals((name) => new Stop('INTERRUPTED', `interrupted by ${name}`));
  const ports = { clock: systemClock, env: process.env, labTools: LAB_TOOLS, graceMs: GRACE_MS };
  try {
    return await work({ ...ports, subscribers, signal });
  } finally {
    dispose();
  }
}
