// The failed cells of a stage are answered together: once none of its cells runs, and every cell that judges the fix on
// trial has ended. Meanwhile no other cell of it starts, and no other stage is mended. A stage without a matrix is a fleet
// of one cell.
import { type Answers, answerAll, type FailedCell } from '../mend/failed-cell.ts';
import { staleBy } from '../mend/trial.ts';
import { needsOf } from '../plan/compile.ts';
import type { PlanStep } from '../plan/contract.ts';
import { compareInputs } from '../plan/inputs.ts';
import { splitStepName, stagePayload, stepLabel } from '../plan/matrix.ts';
import { again, type Next } from '../plan/stage-end.ts';
import { stepInputs } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';

export interface FleetPorts {
  /** Aborts when the run must stop: then nothing waits any more. */
  readonly signal: AbortSignal;
  /** Answers some of the cells; the others are asked about again when a cell of the stage has ended. */
  answer(cells: readonly FailedCell[]): Promise<Answers>;
  /** Ends the open trial, if it waits for nothing that can still run. */
  endTrial(): Promise<void>;
  /** No other cell of this stage may start. */
  hold(stage: string): void;
}

interface Waiting<T = Next> {
  readonly cell: FailedCell;
  /** Others were answered since it failed: its inputs may have changed. */
  stayed: boolean;
  resolve(next: T): void;
  reject(error: unknown): void;
}

/** The cells of one stage. */
class Fleet {
  readonly stage: string;
  /** Cells that are checked or run. */
  readonly atWork = new Set<string>();
  /** Cells that failed, or try a person's answer, and have not ended yet. */
  readonly mending = new Set<string>();
  readonly waiting = new Map<string, Waiting>();
  /** Cells that are about to try a person's answer. */
  readonly toTry: Pick<Waiting<void>, 'resolve' | 'reject'>[] = [];
  isAnswering = false;
  /** No cell was answered: some other cell or stage has to end first. */
  isWaitingForOthers = false;
  /** Cells that may start though others wait: green ones that the trial made stale, which have a say about it. */
  released: ReadonlySet<string> = new Set();

  constructor(stage: string) {
    this.stage = stage;
  }

  /** Whether its cells can be answered as soon as it is their turn. `judges`: those that had the failure of the latest fix on trial. */
  isReady(judges: ReadonlySet<string>): boolean {
    if (this.isAnswering || this.isWaitingForOthers) return false;
    if (this.toTry.length > 0) return true;
    const isOut = (step: string) => this.mending.has(step) && !this.waiting.has(step);
    return this.waiting.size > 0 && this.atWork.size === 0 && ![...judges].some(isOut);
  }

  resume(label: string, next: Next): void {
    if ('again' in next && next.again.pause_ms === 0) this.atWork.add(label);
    this.waiting.get(label)?.resolve(next);
    this.waiting.delete(label);
  }

  giveUp(error: unknown): void {
    for (const { reject } of [...this.waiting.values(), ...this.toTry]) reject(error);
    this.waiting.clear();
    this.toTry.splice(0);
  }
}

/** The fleets of a run with these steps. */
export class Fleets {
  readonly #run: Run;
  readonly #steps: readonly PlanStep[];
  readonly #ports: FleetPorts;
  readonly #fleets = new Map<string, Fleet>();
  /** Steps whose end is being recorded: they judge nothing more. */
  readonly #ending = new Set<string>();
  #isEndingTrial = false;
  /** Called when a step begins to wait. */
  wake = (): void => {};

  constructor(run: Run, steps: readonly PlanStep[], ports: FleetPorts) {
    this.#run = run;
    this.#steps = steps;
    this.#ports = ports;
    ports.signal.addEventListener('abort', () => this.proceed());
  }

  #of(step: PlanStep): Fleet {
    const { stage } = stagePayload(step);
    const fleet = this.#fleets.get(stage) ?? new Fleet(stage);
    this.#fleets.set(stage, fleet);
    return fleet;
  }

  get #all(): Fleet[] {
    return [...this.#fleets.values()];
  }

  /** How many steps wait. They occupy no worker: what a fix made stale must be able to run. */
  get waitingCount(): number {
    return this.#all.reduce((count, { waiting, toTry }) => count + waiting.size + toTry.length, 0);
  }

  /** Whether a step must not start yet: other cells of its stage failed and have not ended. */
  isHeld(step: PlanStep): boolean {
    const { mending, released } = this.#of(step);
    const label = stepLabel(step);
    return mending.size > 0 && !mending.has(label) && !released.has(label);
  }

  /** Whether cells of a stage failed, or try an answer, and have not ended. */
  isMending(stage: string): boolean {
    return [...(this.#fleets.get(stage)?.mending ?? [])].some((label) => !this.#ending.has(label));
  }

  /** Whether failed cells wait for what the open trial made stale. */
  someWaitForTrial(): boolean {
    return this.#all.some((fleet) => this.#isReady(fleet) || fleet.released.size > 0);
  }

  isEnding(label: string): boolean {
    return this.#ending.has(label);
  }

  started(step: PlanStep): void {
    this.#of(step).atWork.add(stepLabel(step));
  }

  markEnding(step: PlanStep): void {
    this.#ending.add(stepLabel(step));
  }

  /** The step does not run for now. */
  markIdle(step: PlanStep): void {
    this.#of(step).atWork.delete(stepLabel(step));
    this.proceed();
  }

  ended(step: PlanStep): void {
    this.#of(step).mending.delete(stepLabel(step));
    this.#ending.delete(stepLabel(step));
    this.markIdle(step);
  }

  /** A step is about to try a person's answer: does `work` when it is the turn of its stage. Rejects as `work` does. */
  async tryAnswer(step: PlanStep, work: () => Promise<void>): Promise<void> {
    const fleet = this.#of(step);
    const hasTrial = () => this.#run.journal.failures.trialOf(fleet.stage) !== undefined;
    fleet.mending.add(stepLabel(step));
    await new Promise<void>((resolve, reject) => {
      fleet.toTry.push({ resolve, reject });
      this.proceed();
    });
    try {
      await work();
      // What failed until then did so without it.
      for (const label of hasTrial() ? fleet.waiting.keys() : [])
        fleet.resume(label, again(0, 'an accepted change is tried: once more'));
    } finally {
      if (!hasTrial()) fleet.mending.delete(stepLabel(step));
      fleet.isAnswering = false;
      this.proceed();
    }
  }

  /** What follows for a failed cell. Cells that judge the trial are answered first. Rejects as `answer` does. */
  decide(cell: FailedCell): Promise<Next> {
    const { step } = cell.failed;
    const fleet = this.#of(step);
    fleet.mending.add(stepLabel(step));
    this.#ports.hold(fleet.stage);
    return new Promise<Next>((resolve, reject) => {
      fleet.waiting.set(stepLabel(step), { cell, stayed: false, resolve, reject });
      this.markIdle(step);
      this.wake();
    });
  }

  /** Something ended, or the run halts: each stage whose turn has come is mended. */
  proceed(): void {
    for (const fleet of this.#all) fleet.isWaitingForOthers = false;
    this.#mendReady();
  }

  #mendReady(): void {
    for (const fleet of this.#all) {
      if (!this.#isReady(fleet) || !this.#hasTurn(fleet)) continue;
      fleet.isAnswering = true;
      const turn = fleet.toTry.shift();
      if (turn) turn.resolve();
      else void this.#answer(fleet);
    }
    const blocked = this.#all.filter((fleet) => this.#isReady(fleet));
    for (const { waiting } of blocked) for (const waiter of waiting.values()) waiter.stayed = true;
    if (blocked.length > 0) void this.#endTrialFor(blocked);
  }

  #isReady(fleet: Fleet): boolean {
    return fleet.isReady(this.#judgesOf(fleet.stage));
  }

  /** Whether no other stage is being mended, and no trial of another is open. */
  #hasTurn({ stage }: Fleet): boolean {
    if (this.#ports.signal.aborted) return true;
    const { trial, suspicions } = this.#run.journal.failures;
    // A stage that the trial made stale has its say about it at once.
    const hasSay = (other: string) => trial?.stage === other && trial.stale.has(stage);
    const isInTheWay = (other: Fleet) =>
      other.stage !== stage && (other.isAnswering || trial?.stage === other.stage) && !hasSay(other.stage);
    // Until it is known what a trial did that was undone for another stage, no other is begun; but that one waits for what it needs.
    const waitsForThis = (other: string) => other === stage || needsOf(this.#run.config.map, other).includes(stage);
    const isSuspected = [...suspicions.keys()].some((step) => !waitsForThis(splitStepName(step).stage));
    return !isSuspected && !this.#all.some(isInTheWay);
  }

  /** Ends the trial that these stages wait for, if it is time. */
  async #endTrialFor(blocked: readonly Fleet[]): Promise<void> {
    // What the trial waits for may have no worker.
    this.wake();
    if (this.#isEndingTrial) return;
    this.#isEndingTrial = true;
    const { failures } = this.#run.journal;
    const { trial } = failures;
    await this.#ports.endTrial().catch((error) => {
      for (const fleet of blocked) fleet.giveUp(error);
    });
    this.#isEndingTrial = false;
    if (failures.trial !== trial) this.#mendReady();
  }

  async #answer(fleet: Fleet): Promise<void> {
    try {
      const all = this.#steps.flatMap((step) => fleet.waiting.get(stepLabel(step)) ?? []);
      const answers = await this.#answersFor(fleet.stage, all);
      fleet.isWaitingForOthers = answers.size === 0;
      fleet.released = answers.size > 0 ? new Set() : new Set(this.#cellsToSee(fleet.stage));
      if (fleet.released.size > 0) this.wake();
      for (const waiter of all) waiter.stayed = true;
      for (const [{ failed }, next] of answers) fleet.resume(stepLabel(failed.step), next);
    } catch (error) {
      fleet.giveUp(error);
    }
    fleet.isAnswering = false;
    this.#mendReady();
  }

  /** Green cells that the trial changed judge it first, then those that had its failure; another failure is decided after both. */
  async #answersFor(stage: string, all: readonly Waiting[]): Promise<Answers> {
    const judges = this.#judgesOf(stage);
    const toSee = new Set(this.#cellsToSee(stage).filter((step) => !judges.has(step)));
    const harmed = all.filter(({ cell }) => toSee.has(cell.incident.step));
    const onTrial = harmed.length > 0 ? harmed : all.filter(({ cell }) => judges.has(cell.incident.step));
    const changed = onTrial.length > 0 ? [] : await changedMeanwhile(this.#run, all);
    if (changed.length > 0) return answerAll(changed, again(0, 'what it is made from changed meanwhile'));
    return this.#ports.answer((onTrial.length > 0 ? onTrial : all).map(({ cell }) => cell));
  }

  /** The cells that had the failure of the latest fix on trial. */
  #judgesOf(stage: string): Set<string> {
    return new Set(this.#run.journal.failures.trialOf(stage)?.fixes.at(-1)?.steps.keys());
  }

  /** Cells that the trial of their stage made stale. */
  #cellsToSee(stage: string): string[] {
    const trial = this.#run.journal.failures.trialOf(stage);
    return trial ? staleBy(this.#run, trial).flatMap((each) => (each.stage === stage ? [each.step] : [])) : [];
  }
}

/** Cells whose inputs changed since they failed: they run again instead of being answered. */
async function changedMeanwhile(run: Run, waiting: readonly Waiting[]): Promise<FailedCell[]> {
  const changed: FailedCell[] = [];
  for (const { cell } of waiting.filter(({ stayed }) => stayed)) {
    const { stage, inputs } = cell.incident;
    const now = await stepInputs(run, stage, stagePayload(cell.failed.step).cell);
    if (!compareInputs(inputs, now).fresh) changed.push(cell);
  }
  return changed;
}
