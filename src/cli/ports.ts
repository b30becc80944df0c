// What every command that runs something gives it: the clock, the environment, the lab, and a signal to stop.
import { EXIT } from '../errors.ts';
import type { Subscriber } from '../events.ts';
import { systemClock } from '../io/clock.ts';
import { LAB_TOOLS } from '../io/package.ts';
import { stopSignals } from '../io/signals.ts';
import { Stop } from '../plan/stop.ts';
import type { RunPorts } from '../stage/run.ts';

/** `graceMs`: how long TERM is given before KILL. */
export const PORTS = {
  clock: systemClock,
  get env() {
    return process.env;
  },
  labTools: LAB_TOOLS,
  graceMs: 5000,
};

/** For runs: as after a crash, the journal has what is under way, and the next start ends or follows it. */
export function leaveAtOnce(): never {
  console.error('left at once: the next start sees to what still runs');
  process.exit(EXIT.interrupted);
}

/** Does `work` while SIGINT, SIGTERM and SIGHUP mean: stop in order. `atOnce` is called at a second Ctrl-C. */
export async function withPorts<T>(
  subscribers: readonly Subscriber[],
  work: (ports: RunPorts) => Promise<T>,
  atOnce?: () => never,
): Promise<T> {
  const { signal, dispose } = stopSignals((name) => new Stop('INTERRUPTED', `interrupted by ${name}`), atOnce);
  try {
    return await work({ ...PORTS, subscribers, signal });
  } finally {
    dispose();
  }
}
