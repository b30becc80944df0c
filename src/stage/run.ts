// The one object that a run hands to its parts: what it was asked for, where it works, its plugins, its journal.
import type { LoopConfig } from '../config/loop-config.ts';
import type { FixTier, Subscriber } from '../events.ts';
import type { Ask } from '../fix/edit.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import type { Journal } from '../journal/journal.ts';
import type { StageState } from '../journal/stages.ts';
import type { Plugins } from '../plugin/load.ts';
import { RunFailures } from '../triage/incident.ts';
import { type Barrier, openBarrier } from './barrier.ts';
import type { Configuration } from './configuration.ts';
import type { RunTree } from './run-tree.ts';

export type Lab = 'real' | 'simulated';

/** What a run is given to work with. */
export interface RunPorts {
  readonly clock: Clock;
  /** The environment of this process. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder with the stand-ins of the simulated lab. */
  readonly labTools: string;
  readonly subscribers: readonly Subscriber[];
  /** Aborts when the run must stop. */
  readonly signal: AbortSignal;
  /** How long TERM is given before KILL. */
  readonly graceMs: number;
  /** Shows on the console what a step is doing, beside its log. */
  readonly live?: ((step: string, text: string) => void) | undefined;
  /** Shows on the console what the start of the run waits for. */
  readonly progress?: ((text: string) => void) | undefined;
  /** The person at the terminal; absent where there is none. */
  readonly person?: AskPerson | undefined;
}

export interface Run extends RunPorts {
  readonly id: string;
  readonly layout: Layout;
  readonly config: Configuration;
  readonly plugins: Plugins;
  readonly tree: RunTree;
  readonly journal: Journal;
  /** Masks what stays on this machine: journal, ledger, console, commit messages. */
  readonly mask: (text: string) => string;
  /** Attempts run side by side; writing the tree waits for them. */
  readonly barrier: Barrier;
  readonly lab: Lab;
  /** The job that this attempt is, on another machine. */
  readonly job?: string | undefined;
  /** False with --no-ai: no executor and no escalation. */
  readonly ai: boolean;
  /** Look again at stages that are green and whose inputs did not change. */
  readonly recheck: boolean;
  /** The stages that this run is to make green: those asked for, and all they need. */
  readonly requested: readonly string[];
  /** Stages a person asked to run whatever their state. */
  readonly forced: ReadonlySet<string>;
  /** Those of them that were given up: they run once, without AI. */
  readonly givenUp: ReadonlySet<string>;
}

/** As much of a run as its stages need. */
export type StageRun = Omit<
  Run,
  'plugins' | 'config' | 'journal' | 'mask' | 'signal' | 'subscribers' | 'ai' | 'givenUp'
> & {
  readonly config: Pick<Configuration, 'map'> & { readonly loop: Pick<LoopConfig, 'logs'> };
  readonly journal: Pick<Journal, 'append' | 'stages' | 'failures'>;
};

/** A run that makes single attempts, or only looks: it asks for no stage, and mends none. */
export const singleRun = (
  given: RunPorts & Pick<StageRun, 'id' | 'job' | 'layout' | 'config' | 'tree' | 'lab'>,
  stages: StageState,
  append: StageRun['journal']['append'],
): StageRun => ({
  ...given,
  journal: { append, stages, failures: new RunFailures() },
  barrier: openBarrier(),
  recheck: true,
  requested: [],
  forced: new Set(),
});

/** A fix that a person is asked about before anything is changed. */
export interface Suggestion {
  step: string;
  /** The error lines of the failure. */
  excerpt: string;
  plugin: string;
  tier: FixTier;
  note: { readonly fix: string; readonly reason: string };
  diff: string;
  hash: string;
  /** Why a person is asked. */
  ask: Ask;
}

/** Asks a person. `leave`: not now, it is saved as a case; also when the signal aborts. */
export type AskPerson = (suggestion: Suggestion, signal: AbortSignal) => Promise<'apply' | 'decline' | 'leave'>;

/** A value that lives as long as a run, made at first use. */
export function perRun<T, R extends object = Run>(make: (run: R) => T): (run: R) => T {
  const values = new WeakMap<R, { value: T }>();
  return (run) => {
    const entry = values.get(run) ?? { value: make(run) };
    values.set(run, entry);
    return entry.value;
  };
}
