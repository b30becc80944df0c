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

interface Fleet {
  readonly stage: string;
  /** Cells that are checked or run. */
  readonly atWork: Set<string>;
  /** Cells that failed and have not ended yet. */
  readonly mending: Set<string>;
  /** Cells whose end is being recorded: they judge nothing more. */
  readonly ending: Set<string>;
  readonly waiting: Map<string, Waiting>;
  /** Cells that are about to try a person's answer. */
  readonly toTry: Pick<Waiting<void>, 'resolve' | 'reject'>[];
  isAnswering: boolean;
  /** No cell was answered: some other cell or stage has to end first. */
  isWaitingForOthers: boolean;
  /** Cells that may start though others wait: green ones that the trial made stale, which have a say about it. */
  released: ReadonlySet<string>;
}

export type Fleets = ReturnType<typeof openFleets>;

/** The fleets of a run with these steps. */
export function openFleets(run: Run, steps: readonly PlanStep[], { signal, answer, endTrial, hold }: FleetPorts) {
  const fleets = new Map<string, Fleet>();
  const { failures } = run.journal;
  let isEndingTrial = false;
  signal.addEventListener('abort', proceed);
  const pauses = {
    /** A step that waits occupies no worker: what a fix made stale must be able to run. */
    get count(): number {
      return [...fleets.values()].reduce((count, { waiting, toTry }) => count + waiting.size + toTry.length, 0);
    },
    wake() {},
  };
  return {
    pauses,
    started: (step: PlanStep): void => void fleetOf(step).atWork.add(stepLabel(step)),
    /** Whether a step must not start yet: other cells of its stage failed and have not ended. */
    isHeld(step: PlanStep): boolean {
      const { mending, released } = fleetOf(step);
      const label = stepLabel(step);
      return mending.size > 0 && !mending.has(label) && !released.has(label);
    },
    /** Whether cells of a stage failed, or try an answer, and have not ended. */
    isMending(stage: string): boolean {
      const { mending = new Set<string>(), ending = new Set<string>() } = fleets.get(stage) ?? {};
      return [...mending].some((label) => !ending.has(label));
    },
    /** Whether failed cells wait for what the open trial made stale. */
    someWaitForTrial: (): boolean => [...fleets.values()].some((fleet) => isReady(fleet) || fleet.released.size > 0),
    markEnding: (step: PlanStep): void => void fleetOf(step).ending.add(stepLabel(step)),
    isEnding: (label: string): boolean => [...fleets.values()].some(({ ending }) => ending.has(label)),
    markIdle,
    ended,
    proceed,
    tryAnswer,
    decide,
  };

  function fleetOf(step: PlanStep): Fleet {
    const { stage } = stagePayload(step);
    const fleet = fleets.get(stage) ?? {
      stage,
      atWork: new Set(),
      mending: new Set(),
      ending: new Set(),
      waiting: new Map(),
      toTry: [],
      isAnswering: false,
      isWaitingForOthers: false,
      released: new Set(),
    };
    fleets.set(stage, fleet);
    return fleet;
  }

  /** The step does not run for now. */
  function markIdle(step: PlanStep): void {
    fleetOf(step).atWork.delete(stepLabel(step));
    proceed();
  }

  function ended(step: PlanStep): void {
    const fleet = fleetOf(step);
    fleet.mending.delete(stepLabel(step));
    fleet.ending.delete(stepLabel(step));
    markIdle(step);
  }

  /** A step is about to try a person's answer: does `work` when it is the turn of its stage. Rejects as `work` does. */
  async function tryAnswer(step: PlanStep, work: () => Promise<void>): Promise<void> {
    const fleet = fleetOf(step);
    fleet.mending.add(stepLabel(step));
    await new Promise<void>((resolve, reject) => {
      fleet.toTry.push({ resolve, reject });
      proceed();
    });
    try {
      await work();
      // What failed until then did so without it.
      if (failures.trialOf(fleet.stage))
        for (const label of fleet.waiting.keys())
          resume(fleet, label, again(0, 'an accepted change is tried: once more'));
    } finally {
      if (!failures.trialOf(fleet.stage)) fleet.mending.delete(stepLabel(step));
      fleet.isAnswering = false;
      proceed();
    }
  }

  /** What follows for a failed cell. Cells that judge the trial are answered first. Rejects as `answer` does. */
  function decide(cell: FailedCell): Promise<Next> {
    const { step } = cell.failed;
    const fleet = fleetOf(step);
    fleet.mending.add(stepLabel(step));
    hold(fleet.stage);
    return new Promise<Next>((resolve, reject) => {
      fleet.waiting.set(stepLabel(step), { cell, stayed: false, resolve, reject });
      markIdle(step);
      pauses.wake();
    });
  }

  /** Something ended, or the run halts: each stage whose turn has come is mended. */
  function proceed(): void {
    for (const fleet of fleets.values()) fleet.isWaitingForOthers = false;
    mendReady();
  }

  function mendReady(): void {
    for (const fleet of [...fleets.values()].filter(isReady)) {
      if (!hasTurn(fleet)) continue;
      fleet.isAnswering = true;
      const turn = fleet.toTry.shift();
      if (turn) turn.resolve();
      else void answerWaiting(fleet);
    }
    const blocked = [...fleets.values()].filter(isReady);
    for (const { waiting } of blocked) for (const waiter of waiting.values()) waiter.stayed = true;
    if (blocked.length > 0) void endTrialFor(blocked);
  }

  /** Whether cells of a stage can be answered as soon as it is their turn. */
  function isReady({ stage, isAnswering, isWaitingForOthers, toTry, waiting, atWork, mending }: Fleet): boolean {
    if (isAnswering || isWaitingForOthers) return false;
    if (toTry.length > 0) return true;
    const isOut = (step: string) => mending.has(step) && !waiting.has(step);
    return waiting.size > 0 && atWork.size === 0 && ![...judgesOf(stage)].some(isOut);
  }

  /** Whether no other stage is being mended, and no trial of another is open. */
  function hasTurn({ stage }: Fleet): boolean {
    if (signal.aborted) return true;
    const { trial, suspicions } = failures;
    // A stage that the trial made stale has its say about it at once.
    const hasSay = (other: string) => trial?.stage === other && trial.stale.has(stage);
    const isInTheWay = (other: Fleet) =>
      other.stage !== stage && (other.isAnswering || trial?.stage === other.stage) && !hasSay(other.stage);
    // Until it is known what a trial did that was undone for another stage, no other is begun; but that one waits for what it needs.
    const waitsForThis = (other: string) => other === stage || needsOf(run.config.map, other).includes(stage);
    const isSuspected = [...suspicions.keys()].some((step) => !waitsForThis(splitStepName(step).stage));
    return !isSuspected && ![...fleets.values()].some(isInTheWay);
  }

  /** Ends the trial that these stages wait for, if it is time. */
  async function endTrialFor(blocked: readonly Fleet[]): Promise<void> {
    // What the trial waits for may have no worker.
    pauses.wake();
    if (isEndingTrial) return;
    isEndingTrial = true;
    const { trial } = failures;
    try {
      await endTrial();
    } catch (error) {
      for (const fleet of blocked) giveUp(fleet, error);
    }
    isEndingTrial = false;
    if (failures.trial !== trial) mendReady();
  }

  function resume({ waiting, atWork }: Fleet, label: string, next: Next): void {
    if ('again' in next && next.again.pause_ms === 0) atWork.add(label);
    waiting.get(label)?.resolve(next);
    waiting.delete(label);
  }

  function giveUp({ waiting, toTry }: Fleet, error: unknown): void {
    for (const { reject } of [...waiting.values(), ...toTry]) reject(error);
    waiting.clear();
    toTry.splice(0);
  }

  async function answerWaiting(fleet: Fleet): Promise<void> {
    const { stage, waiting } = fleet;
    try {
      const all = steps.flatMap((step) => waiting.get(stepLabel(step)) ?? []);
      const answers = await answersFor(stage, all);
      fleet.isWaitingForOthers = answers.size === 0;
      fleet.released = answers.size > 0 ? new Set() : new Set(cellsToSee(stage));
      if (fleet.released.size > 0) pauses.wake();
      for (const waiter of all) waiter.stayed = true;
      for (const [{ failed }, next] of answers) resume(fleet, stepLabel(failed.step), next);
    } catch (error) {
      giveUp(fleet, error);
    }
    fleet.isAnswering = false;
    mendReady();
  }

  /** Green cells that the trial changed judge it first, then those that had its failure; another failure is decided after both. */
  async function answersFor(stage: string, all: readonly Waiting[]): Promise<Answers> {
    const judges = judgesOf(stage);
    const toSee = new Set(cellsToSee(stage).filter((step) => !judges.has(step)));
    const harmed = all.filter(({ cell }) => toSee.has(cell.incident.step));
    const onTrial = harmed.length > 0 ? harmed : all.filter(({ cell }) => judges.has(cell.incident.step));
    const changed = onTrial.length > 0 ? [] : await changedMeanwhile(run, all);
    if (changed.length > 0) return answerAll(changed, again(0, 'what it is made from changed meanwhile'));
    return answer((onTrial.length > 0 ? onTrial : all).map(({ cell }) => cell));
  }

  /** The cells that had the failure of the latest fix on trial. */
  function judgesOf(stage: string): Set<string> {
    return new Set(failures.trialOf(stage)?.fixes.at(-1)?.steps.keys());
  }

  /** Cells that the trial of their stage made stale. */
  function cellsToSee(stage: string): string[] {
    const trial = failures.trialOf(stage);
    return trial ? staleBy(run, trial).flatMap((each) => (each.stage === stage ? [each.step] : [])) : [];
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
