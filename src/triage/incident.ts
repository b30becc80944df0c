// All that is known of one failure of one step: what its log says, its history over all runs, what this run did about it.
// Folded from events, so a later process knows the same. Pure.
import type { AttemptEnd, FixTier, Inputs, LoopEvent } from '../events.ts';
import { endOf, type Failure } from '../failure/fingerprint.ts';
import { entryOf, heldOver, type Ledger, type LedgerEntry, storyCaseOf } from './ledger.ts';

/** A fix on the AI branch. */
export interface Fix {
  readonly stage: string;
  readonly step: string;
  /** The failure it is for. */
  readonly fingerprint: string;
  readonly hash: string;
  readonly commit: string;
  readonly paths: readonly string[];
  readonly tier: FixTier;
  readonly plugin: string;
  readonly note: { readonly fix: string; readonly reason: string };
}

/** A fix that the next attempt of its step judges. */
export interface Trial {
  readonly fix: Fix;
  /** The failures that the stage had in this run before the fix. */
  readonly earlier: readonly string[];
  /** What the step was made from before the fix. */
  readonly inputs: Inputs | undefined;
  /** The step failed since the fix was committed. */
  failed: boolean;
  /** The step ran again already, because a transient, external or timed-out failure proves nothing about the fix. */
  rerun: boolean;
}

/** A failed attempt that was identified. */
export interface Sighting {
  readonly stage: string;
  readonly step: string;
  readonly attempt: number;
  readonly failure: Failure;
  readonly ended: AttemptEnd;
  /** The log, from home. */
  readonly log: string;
  /** What the attempt was made from. */
  readonly inputs: Inputs | undefined;
  /** It failed because it changed what checks run. */
  readonly changedJudges?: boolean;
  /** Of an item of the work queue: how many changes it may take, and whether its tests failed, not what accepts it. */
  readonly item?: { readonly steps: number; readonly testsFailed: boolean } | undefined;
}

export interface Incident extends Sighting {
  /** How the attempt ended, in words. */
  readonly endText: string;
  /** What the ledger knows of this failure. */
  readonly history: LedgerEntry;
  /** The open case of a later failure that stands on a fix of this one, or of one that cannot be known again. */
  readonly storyCase: string | undefined;
  /** When a failure of this stage was given up that cannot be known again: it may be this one. */
  readonly heldSince?: string | undefined;
  /** How many waits this stage has used in this run. */
  readonly waits: number;
  /** The fix that this attempt judges. */
  readonly trial: Trial | undefined;
  /** Fixes of the stage that brought another failure instead of green, the first one first. */
  readonly provisional: readonly Fix[];
}

/** What this run knows of its steps' failures. */
export class RunFailures {
  /** Step → the fix that its next attempt judges. */
  readonly trials = new Map<string, Trial>();
  /** Step → what it was made from before the first of its provisional fixes. */
  readonly #inputsBeforeFixes = new Map<string, Inputs | undefined>();
  /** Step → what its latest failed attempt was made from. */
  readonly #inputsOfFailure = new Map<string, Inputs | undefined>();
  #provisional: Fix[] = [];
  /** Step → the fix that was taken back for its failure, and which failure that was. */
  readonly charges = new Map<string, { fix: Fix; fingerprint: string }>();
  /** Steps that ran again since they were begun, or since a fix was taken back for them. */
  readonly #rerun = new Set<string>();
  /** Stage → how often it turned green in this run. */
  readonly #greens = new Map<string, number>();
  /** How many times a stage was found to be stale. */
  staleCount = 0;
  readonly #waits = new Map<string, number>();
  readonly #fingerprints = new Map<string, string[]>();

  constructor(events: readonly LoopEvent[] = []) {
    for (const event of events) this.fold(event);
  }

  fold(event: LoopEvent): void {
    const { type, stage, step = stage } = event;
    if (stage === undefined || step === undefined) return;
    if (type === 'stage.stale') this.staleCount += 1;
    if (type === 'stage.green') this.#greens.set(stage, this.timesGreen(stage) + 1);
    const trial = this.trials.get(step);
    if (type === 'failure.decided' && event.data.tier === 'wait') this.#waits.set(stage, this.#waitsOf(stage) + 1);
    if (type === 'failure.seen') {
      this.#fingerprints.set(stage, [...this.#fingerprintsOf(stage), event.data.fingerprint]);
      this.#inputsOfFailure.set(step, event.data.inputs);
      if (trial) trial.failed = true;
    }
    if (type === 'fix.committed') {
      const { tried: _, class: __, ...data } = event.data;
      const [earlier, inputs] = [this.#fingerprintsOf(stage), this.#inputsOfFailure.get(step)];
      this.trials.set(step, { fix: { stage, step, ...data }, earlier, inputs, failed: false, rerun: false });
    }
    if (type === 'failure.carried' && event.data.to !== undefined)
      this.#rename(stage, event.data.fingerprint, event.data.to);
    // Run again without a verdict on the fix: the failure had proved nothing about it.
    if (type === 'step.retry' && trial?.failed) trial.rerun = true;
    if (type === 'step.started') this.#rerun.delete(step);
    if (type === 'step.retry') this.#rerun.add(step);
    if (type === 'step.done') this.charges.delete(step);
    if (type === 'fix.judged') this.#closeTrial(event.data.commit, event.data.outcome === 'provisional');
    if (type === 'fix.reverted') {
      const { charged, reverts: commit, commit: _, ...data } = event.data;
      this.#closeTrial(commit, false);
      for (const [charger, { fix }] of this.charges) if (fix.commit === commit) this.charges.delete(charger);
      if (!charged) return;
      this.charges.set(charged.step, {
        fix: { stage, step, paths: [], ...data, commit },
        fingerprint: charged.fingerprint,
      });
      this.#rerun.delete(charged.step);
    }
  }

  /** A run that was cut off goes on with fingerprints made in a new way. */
  #rename(stage: string, from: string, to: string): void {
    const now = (fingerprint: string) => (fingerprint === from ? to : fingerprint);
    const renamed = (fix: Fix): Fix => (fix.stage === stage ? { ...fix, fingerprint: now(fix.fingerprint) } : fix);
    this.#fingerprints.set(stage, this.#fingerprintsOf(stage).map(now));
    this.#provisional = this.#provisional.map(renamed);
    for (const [step, trial] of this.trials) {
      if (trial.fix.stage !== stage) continue;
      this.trials.set(step, { ...trial, fix: renamed(trial.fix), earlier: trial.earlier.map(now) });
    }
    for (const [step, { fix, fingerprint }] of this.charges) {
      const isOwn = step === stage || step.startsWith(`${stage}[`);
      this.charges.set(step, { fix: renamed(fix), fingerprint: isOwn ? now(fingerprint) : fingerprint });
    }
  }

  /** By the commit: one patch may be on the branch for two failures. */
  #closeTrial(commit: string, stays: boolean): void {
    const [step, trial] = [...this.trials].find(([, { fix }]) => fix.commit === commit) ?? [];
    if (step !== undefined) this.trials.delete(step);
    if (stays && trial && step !== undefined) {
      if (this.#provisionalOf(step).length === 0) this.#inputsBeforeFixes.set(step, trial.inputs);
      this.#provisional.push(trial.fix);
    }
    if (!stays) this.#provisional = this.#provisional.filter((fix) => fix.commit !== commit);
  }

  /** Every fix of a step that is on the branch and neither verified nor taken back, the first one first. */
  openFixes(step: string): Fix[] {
    const trial = this.trials.get(step);
    return [...this.#provisionalOf(step), ...(trial ? [trial.fix] : [])];
  }

  /** Whether a step ran again since it was begun, or since a fix was taken back for it. */
  hasRerun = (step: string): boolean => this.#rerun.has(step);

  timesGreen = (stage: string): number => this.#greens.get(stage) ?? 0;

  /** The same, of all steps. */
  allOpenFixes(): Fix[] {
    return [...this.#provisional, ...[...this.trials.values()].map(({ fix }) => fix)];
  }

  /** What a step was made from before its provisional fixes; undefined when it has none. */
  inputsBefore(step: string): Inputs | undefined {
    return this.#provisionalOf(step).length > 0 ? this.#inputsBeforeFixes.get(step) : undefined;
  }

  /** Everything known of a failure that was seen, as of now. */
  incident(sighting: Sighting, ledger: Ledger): Incident {
    const { stage, step, failure, ended } = sighting;
    const held = heldOver(ledger, stage);
    return {
      ...sighting,
      endText: endOf(ended),
      history: entryOf(ledger, stage, failure.fingerprint) as LedgerEntry,
      storyCase: storyCaseOf(ledger, stage, failure.fingerprint) ?? held.case,
      ...(held.gave_up_at === undefined ? {} : { heldSince: held.gave_up_at }),
      waits: this.#waitsOf(stage),
      trial: this.trials.get(step),
      provisional: this.#provisional.filter((fix) => fix.stage === stage),
    };
  }

  #provisionalOf = (step: string): Fix[] => this.#provisional.filter((fix) => fix.step === step);
  #waitsOf = (stage: string): number => this.#waits.get(stage) ?? 0;
  #fingerprintsOf = (stage: string): readonly string[] => this.#fingerprints.get(stage) ?? [];
}
