// All that is known of one failure of one step: what its log says, its history over all runs, what this run did about it.
// Folded from events, so a later process knows the same. Pure.
import type { AttemptEnd, Fix, Inputs, LoopEvent } from '../events.ts';
import { endOf, type Failure } from '../failure/fingerprint.ts';
import { splitStepName } from '../plan/matrix.ts';
import { entryOf, heldOver, type Ledger, type LedgerEntry, storyCaseOf } from './ledger.ts';

/** A fix that the next attempts of the steps which had its failure judge. */
export interface Trial {
  readonly fix: Fix;
  /** These steps, each with what it was made from before the fix. */
  readonly steps: ReadonlyMap<string, Inputs | undefined>;
  /** The failures that the stage had in this run before the fix. */
  readonly earlier: readonly string[];
  /** Those of the steps that are green since. */
  readonly green: Set<string>;
  /** Those that failed since. */
  readonly failed: Set<string>;
  /** Those that ran again already, because a transient, external or timed-out failure proves nothing about the fix. */
  readonly rerun: Set<string>;
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
  readonly changedCheckFiles?: boolean;
  /** Of an item of the work queue: how many changes it may take, and whether its tests failed, not what accepts it. */
  readonly item?: { readonly steps: number; readonly testsFailed: boolean } | undefined;
}

export interface Incident extends Sighting {
  /** The steps of the stage that have this failure now; `step` speaks for them. */
  readonly steps: readonly string[];
  /** How the attempt ended, in words. */
  readonly endText: string;
  /** What the ledger knows of this failure. */
  readonly history: LedgerEntry;
  /** The open case of a later failure that stands on a fix of this one, or of one that cannot be recognised any more. */
  readonly storyCase: string | undefined;
  /** When a failure of this stage that cannot be recognised any more was given up: it may be this one. */
  readonly heldSince?: string | undefined;
  /** How many waits this stage has used in this run. */
  readonly waits: number;
  /** The fix that this attempt judges, with those of the other steps that had its failure. */
  readonly trial: Trial | undefined;
  /** Fixes of the stage that brought another failure instead of green, the first one first. */
  readonly provisional: readonly Fix[];
}

/** What was taken back for a failure of another step: one fix, or all of an item, the newest first. */
export interface Charge {
  readonly fingerprint: string;
  readonly fixes: readonly { readonly fix: Fix; readonly takenBackBy: string }[];
}

/** What this run knows of its steps' failures. */
export class RunFailures {
  /** Stage → the fix that the next attempts of its steps judge. */
  readonly trials = new Map<string, Trial>();
  /** Fixes that brought another failure instead of green, as they were on trial, the first one first. */
  #provisional: Trial[] = [];
  /** Step → what its latest failed attempt was made from. */
  readonly #inputsOfFailure = new Map<string, Inputs | undefined>();
  /** Step → what was taken back for its failure, and which failure that was. */
  readonly charges = new Map<string, Charge>();
  /** Steps that ran again since they were begun, or since a fix was taken back for them. */
  readonly #rerun = new Set<string>();
  /** Stage → how often it turned green in this run. */
  readonly #greens = new Map<string, number>();
  /** How many times a stage was found to be stale, and by which commit which stage. */
  staleCount = 0;
  readonly #staleBy = new Set<string>();
  /** Steps whose latest end only a person can change. */
  readonly #forPerson = new Set<string>();
  readonly #waits = new Map<string, number>();
  readonly #fingerprints = new Map<string, string[]>();

  constructor(events: readonly LoopEvent[] = []) {
    for (const event of events) this.fold(event);
  }

  fold(event: LoopEvent): void {
    const { type, stage, step = stage } = event;
    if (stage === undefined || step === undefined) return;
    if (type === 'stage.stale') {
      this.staleCount += 1;
      this.#staleBy.add(`${event.data.commit} ${stage}`);
    }
    if (type === 'stage.green') this.#greens.set(stage, this.timesGreen(stage) + 1);
    if (type === 'failure.decided' && event.data.tier === 'wait') this.#waits.set(stage, this.#waitsOf(stage) + 1);
    if (type === 'failure.seen') {
      this.#fingerprints.set(stage, [...this.#fingerprintsOf(stage), event.data.fingerprint]);
      this.#inputsOfFailure.set(step, event.data.inputs);
    }
    for (const trial of this.open(stage, step)) noteOnTrial(trial, step, type);
    if (type === 'fix.committed') {
      const { tried: _, class: __, paths: ___, steps = [step], ...data } = event.data;
      const inputs = new Map(steps.map((name) => [name, this.#inputsOfFailure.get(name)]));
      this.trials.set(stage, {
        fix: { stage, step, ...data },
        steps: inputs,
        earlier: this.#fingerprintsOf(stage),
        green: new Set(),
        failed: new Set(),
        rerun: new Set(),
      });
    }
    if (type === 'failure.carried' && event.data.to !== undefined)
      this.#rename(stage, event.data.fingerprint, event.data.to);
    if (type === 'step.started') this.#rerun.delete(step);
    if (/^step\.(started|done|fresh)$/.test(type)) this.#forPerson.delete(step);
    if (type === 'step.failed' && event.data.human) this.#forPerson.add(step);
    if (type === 'step.retry') this.#rerun.add(step);
    if (type === 'step.done') this.charges.delete(step);
    if (type === 'fix.judged') {
      this.#closeTrial(event.data.commit, event.data.outcome === 'provisional');
      // It is on the branch again.
      this.#dropCharges((fix) => fix.stage === stage && fix.hash === event.data.hash);
    }
    if (type === 'fix.reverted') {
      const { charged, reverts: commit, commit: takenBackBy, ...data } = event.data;
      // The failure is the one before the fix again.
      const trial = this.open(stage).find(({ fix }) => fix.commit === commit);
      for (const [name, inputs] of trial?.steps ?? []) this.#inputsOfFailure.set(name, inputs);
      this.#closeTrial(commit, false);
      this.#dropCharges((fix) => fix.commit === commit);
      if (!charged) return;
      const { fingerprint } = charged;
      const fixes = this.charges.get(charged.step)?.fixes.filter(({ fix }) => fix.stage === stage) ?? [];
      const fix = { stage, step, ...data, commit };
      this.charges.set(charged.step, { fingerprint, fixes: [...fixes, { fix, takenBackBy }] });
      this.#rerun.delete(charged.step);
    }
  }

  #dropCharges(isOver: (fix: Fix) => boolean): void {
    for (const [step, charge] of this.charges) {
      const fixes = charge.fixes.filter(({ fix }) => !isOver(fix));
      if (fixes.length === 0) this.charges.delete(step);
      else this.charges.set(step, { ...charge, fixes });
    }
  }

  /** A run that was cut off goes on with fingerprints made in a new way. */
  #rename(stage: string, from: string, to: string): void {
    const now = (fingerprint: string) => (fingerprint === from ? to : fingerprint);
    const renamed = (fix: Fix): Fix => (fix.stage === stage ? { ...fix, fingerprint: now(fix.fingerprint) } : fix);
    const renamedTrial = (trial: Trial): Trial =>
      trial.fix.stage === stage ? { ...trial, fix: renamed(trial.fix), earlier: trial.earlier.map(now) } : trial;
    this.#fingerprints.set(stage, this.#fingerprintsOf(stage).map(now));
    this.#provisional = this.#provisional.map(renamedTrial);
    for (const [key, trial] of this.trials) this.trials.set(key, renamedTrial(trial));
    for (const [step, { fixes, fingerprint }] of this.charges) {
      const isOfStage = splitStepName(step).stage === stage;
      const all = fixes.map(({ fix, takenBackBy }) => ({ fix: renamed(fix), takenBackBy }));
      this.charges.set(step, { fixes: all, fingerprint: isOfStage ? now(fingerprint) : fingerprint });
    }
  }

  /** By the commit: one patch may be on the branch for two failures. */
  #closeTrial(commit: string, stays: boolean): void {
    const [stage, trial] = [...this.trials].find(([, { fix }]) => fix.commit === commit) ?? [];
    if (stage !== undefined) this.trials.delete(stage);
    if (stays && trial) this.#provisional.push(trial);
    if (!stays) this.#provisional = this.#provisional.filter(({ fix }) => fix.commit !== commit);
  }

  /** Fixes on the branch that are neither verified nor taken back, the oldest first: of a stage, that a step judges, or all. */
  open(stage?: string, step?: string): Trial[] {
    return [...this.#provisional, ...this.trials.values()].filter(
      ({ fix, steps }) => (stage === undefined || fix.stage === stage) && (step === undefined || steps.has(step)),
    );
  }

  openFixes = (stage?: string): Fix[] => this.open(stage).map(({ fix }) => fix);

  /** Whether a step ran again since it was begun, or since a fix was taken back for it. */
  hasRerun = (step: string): boolean => this.#rerun.has(step);

  /** Whether a commit made a stage stale. */
  madeStale = (commit: string, stage: string): boolean => this.#staleBy.has(`${commit} ${stage}`);

  timesGreen = (stage: string): number => this.#greens.get(stage) ?? 0;

  get needsPerson(): boolean {
    return this.#forPerson.size > 0;
  }

  /** What a step was made from before its provisional fixes; undefined when it has none. */
  inputsBefore(stage: string, step: string): Inputs | undefined {
    return this.#provisional.find(({ fix, steps }) => fix.stage === stage && steps.has(step))?.steps.get(step);
  }

  /** Everything that is known of a failure now; `steps`: all steps that have it. */
  incident(sighting: Sighting, ledger: Ledger, steps: readonly string[] = [sighting.step]): Incident {
    const { stage, step, failure, ended } = sighting;
    const orphan = heldOver(ledger, stage);
    const trial = this.trials.get(stage);
    return {
      ...sighting,
      steps,
      endText: endOf(ended),
      history: entryOf(ledger, stage, failure.fingerprint) as LedgerEntry,
      storyCase: storyCaseOf(ledger, stage, failure.fingerprint) ?? orphan.case,
      ...(orphan.gave_up_at === undefined ? {} : { heldSince: orphan.gave_up_at }),
      waits: this.#waitsOf(stage),
      trial: trial?.steps.has(step) ? trial : undefined,
      provisional: this.#provisional.flatMap(({ fix }) => (fix.stage === stage ? [fix] : [])),
    };
  }

  #waitsOf = (stage: string): number => this.#waits.get(stage) ?? 0;
  #fingerprintsOf = (stage: string): readonly string[] => this.#fingerprints.get(stage) ?? [];
}

/** How a step that judges a fix ended since, and whether it ran again without a verdict. */
function noteOnTrial({ green, failed, rerun }: Trial, step: string, type: LoopEvent['type']): void {
  if (type === 'failure.seen') {
    failed.add(step);
    green.delete(step);
  }
  if (type === 'step.done') green.add(step);
  if (type === 'step.retry' && failed.has(step)) rerun.add(step);
}
