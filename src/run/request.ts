// What a run is asked for, and what it is given to work with.
import type { Subscriber } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { AskPerson } from '../mend/suggestion.ts';
import type { Lab } from '../stage/stage-env.ts';
import type { Selection } from './select.ts';

export interface RunRequest extends Selection {
  home: string;
  /** The command line, for whoever meets the lock. */
  command: string;
  lab?: Lab | undefined;
  workers?: number | undefined;
  /** Epoch milliseconds by which the run must be over. */
  deadline?: number | undefined;
  recheck: boolean;
  /** False: no executor and no escalation. */
  ai: boolean;
}

export interface RunPorts {
  clock: Clock;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder with the stand-ins of the simulated lab. */
  labTools: string;
  subscribers: readonly Subscriber[];
  signal: AbortSignal;
  /** How long TERM is given before KILL. */
  graceMs: number;
  /** Shows whoever watches what a step is busy with, beside its log. */
  live?: ((step: string, text: string) => void) | undefined;
  /** The person at the terminal; absent where there is none. */
  person?: AskPerson | undefined;
}
