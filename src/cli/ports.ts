// What every command that runs something gives it: the clock, the environment, the lab, and a signal to stop.
import { EXIT } from '../errors.ts';
import type { Subscriber } from '../events.ts';
import { systemClock } from '../io/clock.ts';
import { LAB_TOOLS } from '../io/package.ts';
import { stopSignals } from '../io/signals.ts';
import { Stop } from '../plan/stop.ts';
import type { RunPorts } from '../stage/run.ts';

/** `graceMs`: how long TERM is given before KILL. */
export const PORTS = { clock: systemClock, env: process.env, graceMs: 5000 };

/** As after a crash: the journal has what is under way, and the next start ends or follows it. */
function leaveAtOnce(): never {
  console.error('left at once: the next start sees to what still runs');
  process.exit(EXIT.interrupted);
}

/** Does `work` while SIGINT, SIGTERM and SIGHUP mean: stop in order, and a second Ctrl-C: at once. */
export async function withPorts<T>(
  subscribers: readonly Subscriber[],
  work: (ports: RunPorts) => Promise<T>,
): Promise<T> {
  const { signal, dispose } = stopSignals((name) => new Stop('INTERRUPTED', `interrupted by ${name}`), leaveAtOnce);
  try {
    return await work({ ...PORTS, labTools: LAB_TOOLS, subscribers, signal });
  } finally {
    dispose();
  }
}
