// All that is known of one failure of one step: what its log says, its history over all runs, what this run did about it.
// Folded from events, so a later process knows the same. Pure.
import type { AttemptEnd, DataOf, Fix, Inputs, LoopEvent } from '../events.ts';
import { endOf, type Failure } from '../failure/fingerprint.ts';
import { entryOf, heldOver, type Ledger, type LedgerEntry } from './ledger.ts';

/** A fix of the trial that is open. */
export interface TrialFix {
  readonly fix: Fix;
  /** The steps that had its failure and judge it, each with what it was made from before. */
  readonly steps: ReadonlyMap<string, Inputs | undefined>;
  /** That failure was a time-out. */
  readonly wasTimeOut: boolean;
  /** Those of the steps that are green since. */
  readonly green: Set<string>;
  /** Those that failed since. */
  readonly failed: Set<string>;
  /** Those that ran again already, because an end that proves nothing about it came first. */
  readonly rerun: Set<string>;
  /** Those whose end said something about it. */
  readonly judged: Set<string>;
  /** Why its owner is to be asked before it is kept: a change of an item is tried all the same. */
  readonly ask?: DataOf<'fix.committed'>['ask'];
}

/** What is tried for a failing stage: all of it is kept, or all is undone. */
export interface Trial {
  readonly stage: string;
  /** The commit of the AI branch, to which everything goes back. */
  readonly from: string;
  /** The fixes that stand, each but the first for the failure that came in the place of the one before. */
  readonly fixes: readonly TrialFix[];
  /** The stages that its fixes made stale, whatever became of them since. */
  readonly stale: Set<string>;
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
  /** The open case of the trial's first failure, or of one of this stage that cannot be recognised any more: it may be this one. */
  readonly heldCase?: string | undefined;
  /** When a failure of this stage that cannot be recognised any more was given up: it may be this one. */
  readonly heldSince?: string | undefined;
  /** How many waits this stage has used in this run. */
  readonly waits: number;
  /** The trial of its stage. */
  readonly trial: Trial | undefined;
}

/** A step failed with a trial that is undone for it; green without, it shows that the fixes broke it. */
export interface Suspicion {
  readonly stage: string;
  readonly fixes: readonly Fix[];
}

/** Items of the work queue that left the branch because a step failed with them, until that step has run without. */
export type DroppedItems = DataOf<'item.dropped'> & { readonly stages: readonly string[] };

/** What this run knows of its steps' failures. */
export class RunFailures {
  /** The one that is open. */
  trial: Trial | undefined;
  /** Step → what its latest failed attempt was made from. */
  readonly #inputsOfFailure = new Map<string, Inputs | undefined>();
  readonly #timedOut = new Set<string>();
  /** Step → the undone trial that it failed with, until it has run without. */
  readonly suspicions = new Map<string, Suspicion>();
  /** By the step that failed with them. */
  readonly dropped = new Map<string, DroppedItems>();
  #leaving: DroppedItems | undefined;
  /** Steps that failed alike without items, which are on the branch again: these are not to blame any more. */
  readonly cleared = new Set<string>();
  /** Steps that ran again since they were begun, or since a trial was undone for them. */
  readonly #rerun = new Set<string>();
  /** Stage → how often it turned green in this run. */
  readonly #greens = new Map<string, number>();
  /** How many times a stage was found to be stale. */
  staleCount = 0;
  /** Steps whose latest end only a person can change. */
  readonly #forPerson = new Set<string>();
  readonly #waits = new Map<string, number>();
  /** The fixes of a trial that is being undone, the oldest first. */
  readonly #undone: Fix[] = [];

  constructor(events: readonly LoopEvent[] = []) {
    for (const event of events) this.fold(event);
  }

  fold(event: LoopEvent): void {
    const { type, stage, step = stage } = event;
    if (type === 'branch.moved') this.#dropLeaving(event.data.to);
    if (stage === undefined || step === undefined) return;
    if (type === 'stage.stale') {
      this.staleCount += 1;
      if (this.trial?.fixes.some(({ fix }) => fix.commit === event.data.commit)) this.trial.stale.add(stage);
    }
    if (type === 'stage.green') this.#greens.set(stage, this.timesGreen(stage) + 1);
    if (type === 'failure.decided' && event.data.tier === 'wait')
      this.#waits.set(stage, (this.#waits.get(stage) ?? 0) + 1);
    if (type === 'failure.seen') {
      this.#inputsOfFailure.set(step, event.data.inputs);
      if (event.data.ended.timed_out) this.#timedOut.add(step);
      else this.#timedOut.delete(step);
    }
    for (const fix of this.trial?.fixes ?? []) if (fix.steps.has(step)) noteOnTrial(fix, step, event);
    if (/^step\.(?:done|failed|interrupted)$|^failure\.seen$/.test(type)) this.suspicions.delete(step);
    if (type === 'failure.carried' && event.data.to !== undefined)
      this.#rename(stage, event.data.fingerprint, event.data.to);
    if (type === 'step.started') this.#rerun.delete(step);
    if (/^step\.(started|done|fresh)$/.test(type)) this.#forPerson.delete(step);
    if (type === 'step.failed' && event.data.human) this.#forPerson.add(step);
    if (type === 'step.retry') this.#rerun.add(step);
    if (type === 'item.dropped') {
      const { stages = [], commits = [] } = this.#leaving?.to === event.data.to ? this.#leaving : {};
      const all = new Set([...commits, ...event.data.commits]);
      this.#leaving = { ...event.data, commits: [...all], stages: [...new Set([...stages, stage])] };
    }
    if (type === 'item.restored') this.cleared.add(event.data.failing);
    if (type === 'item.restored') this.dropped.delete(event.data.failing);
    if (type === 'step.done') this.dropped.delete(step);
    if (type === 'fix.judged' && event.data.outcome === 'broke')
      for (const [failing, { commits }] of this.dropped)
        if (commits.includes(event.data.commit)) this.dropped.delete(failing);
    this.#foldTrial(event, stage, step);
  }

  /** Items have left the branch only when it has moved to where they are not. */
  #dropLeaving(to: string): void {
    const leaving = this.#leaving;
    if (leaving?.to !== to) return;
    this.dropped.set(leaving.failing, leaving);
    this.#rerun.delete(leaving.failing);
    this.#leaving = undefined;
  }

  #foldTrial({ type, data }: LoopEvent, stage: string, step: string): void {
    if (type === 'trial.opened') this.trial = { stage, from: data.from, fixes: [], stale: new Set() };
    const { trial } = this;
    if (type === 'fix.committed' && trial) {
      const { tried: _, class: __, paths: ___, steps = [step], ask, ...fix } = data;
      const inputs = new Map(steps.map((name) => [name, this.#inputsOfFailure.get(name)]));
      const ends = {
        green: new Set<string>(),
        failed: new Set<string>(),
        rerun: new Set<string>(),
        judged: new Set<string>(),
      };
      const wasTimeOut = steps.some((name) => this.#timedOut.has(name));
      this.trial = {
        ...trial,
        fixes: [...trial.fixes, { fix: { stage, step, ...fix }, steps: inputs, wasTimeOut, ask, ...ends }],
      };
    }
    if (type === 'fix.judged' && trial && data.outcome !== 'kept') {
      const gone = trial.fixes.find(({ fix }) => fix.commit === data.commit);
      // The failure is the one before the fix again.
      for (const [name, inputs] of gone?.steps ?? []) this.#inputsOfFailure.set(name, inputs);
      if (gone && data.outcome === 'undone') this.#undone.unshift(gone.fix);
      this.trial = { ...trial, fixes: trial.fixes.filter((fix) => fix !== gone) };
    }
    if (type !== 'trial.ended') return;
    this.trial = undefined;
    const fixes = this.#undone.splice(0);
    if (!data.suspect) return;
    this.suspicions.set(data.suspect.step, { stage, fixes });
    this.#rerun.delete(data.suspect.step);
  }

  /** A run that was cut off goes on with fingerprints made in a new way. */
  #rename(stage: string, from: string, to: string): void {
    if (this.trial?.stage !== stage) return;
    const renamed = (fix: Fix): Fix => (fix.fingerprint === from ? { ...fix, fingerprint: to } : fix);
    this.trial = { ...this.trial, fixes: this.trial.fixes.map((each) => ({ ...each, fix: renamed(each.fix) })) };
  }

  /** The trial of a stage. */
  trialOf = (stage: string): Trial | undefined => (this.trial?.stage === stage ? this.trial : undefined);

  /** Whether a step ran again since it was begun, or since a trial was undone for it. */
  hasRerun = (step: string): boolean => this.#rerun.has(step);

  timesGreen = (stage: string): number => this.#greens.get(stage) ?? 0;

  get needsPerson(): boolean {
    return this.#forPerson.size > 0;
  }

  /** What a step was made from before the fixes of the trial; undefined when there are none. */
  inputsBefore = (stage: string, step: string): Inputs | undefined =>
    this.trialOf(stage)
      ?.fixes.find(({ steps }) => steps.has(step))
      ?.steps.get(step);

  /** Everything that is known of a failure now; `steps`: all steps that have it. */
  incident(sighting: Sighting, ledger: Ledger, steps: readonly string[] = [sighting.step]): Incident {
    const { stage, failure, ended } = sighting;
    const trial = this.trialOf(stage);
    // What is asked of a person in a trial is asked about its first failure.
    const first = entryOf(ledger, stage, trial?.fixes[0]?.fix.fingerprint ?? '');
    const orphan = first?.case === undefined ? heldOver(ledger, stage) : { case: first.case };
    return {
      ...sighting,
      steps,
      endText: endOf(ended),
      history: entryOf(ledger, stage, failure.fingerprint) as LedgerEntry,
      ...(orphan.case === undefined ? {} : { heldCase: orphan.case }),
      ...(orphan.gave_up_at === undefined ? {} : { heldSince: orphan.gave_up_at }),
      waits: this.#waits.get(stage) ?? 0,
      trial,
    };
  }
}

/** How a step that judges a fix ended since, and whether it ran again without a verdict. */
function noteOnTrial({ green, failed, rerun, judged }: TrialFix, step: string, { type, data }: LoopEvent): void {
  if (type === 'failure.seen') {
    failed.add(step);
    green.delete(step);
    if (!data.transient && !data.external) judged.add(step);
  }
  if (type === 'step.done') {
    green.add(step);
    judged.add(step);
  }
  if (type === 'step.retry' && failed.has(step)) rerun.add(step);
}
