// The failed cells of a stage are answered together: once none of its cells runs, and every cell that judges the fix on
// trial has ended. Meanwhile no other cell of it starts, and no other stage is mended. A stage without a matrix is a fleet
// of one cell.
import { limited } from '../io/signals.ts';
import { type Answers, answerAll, type FailedCell } from '../mend/failed-cell.ts';
import { staleBy } from '../mend/trial.ts';
import { needsOf } from '../plan/compile.ts';
import type { PlanStep } from '../plan/contract.ts';
import { compareInputs } from '../plan/inputs.ts';
import { splitStepName, stagePayload, stepLabel } from '../plan/matrix.ts';
import { again, type Next } from '../plan/stage-end.ts';
import { stepInputs } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';
import type { Pauses } from './schedule.ts';

export interface Deciding {
  /** Answers some of the cells; the others are asked about again when a cell of the stage has ended. */
  answer(cells: readonly FailedCell[]): Promise<Answers>;
  /** Ends the trial of another stage, if it waits for nothing that can still run. */
  settle(): Promise<void>;
}

interface Waiting {
  readonly cell: FailedCell;
  /** Others were answered since it failed: its inputs may have changed. */
  stayed: boolean;
  resolve(next: Next): void;
  reject(error: unknown): void;
}

interface Fleet {
  /** Cells that are checked or run. */
  readonly atWork: Set<string>;
  /** Cells that failed and have not ended yet. */
  readonly mending: Set<string>;
  /** Cells whose end is being recorded: they judge nothing more. */
  readonly settling: Set<string>;
  readonly waiting: Map<string, Waiting>;
  isAnswering: boolean;
  /** Cells that may start though others wait: green ones that the trial made stale, which have a say about it. */
  released: ReadonlySet<string>;
  /** It is the stage being mended: from the first answer until its trial is over. */
  hasTurn: boolean;
  /** Answers the cells that wait, if it is time. */
  answerIfReady(): void;
}

export type Fleets = ReturnType<typeof openFleets>;

/** The fleets of a plan with these steps; `held` is called with each stage whose other cells may not start. */
export function openFleets(steps: readonly PlanStep[], held: (stage: string) => void) {
  const pauses: Pauses = { count: 0, wake() {} };
  const fleets = new Map<unknown, Fleet>();
  const turnWaiters = new Set<() => void>();
  const wakeAll = () => {
    for (const wake of turnWaiters) wake();
    turnWaiters.clear();
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
      const { mending = new Set<string>(), settling = new Set<string>() } = fleets.get(stage) ?? {};
      return [...mending].some((label) => !settling.has(label));
    },
    beginAnswer,
    /** Whether a stage waits until the trial of another is over. */
    someWaitsForTurn: (): boolean => turnWaiters.size > 0,
    markSettling: (step: PlanStep): void => void fleetOf(step).settling.add(stepLabel(step)),
    isSettling: (label: string): boolean => [...fleets.values()].some(({ settling }) => settling.has(label)),
    markIdle,
    ended,
    decide,
  };

  function fleetOf({ id, payload }: PlanStep): Fleet {
    const name = payload.stage ?? id;
    const fleet = fleets.get(name) ?? {
      atWork: new Set(),
      mending: new Set(),
      settling: new Set(),
      waiting: new Map(),
      isAnswering: false,
      released: new Set(),
      hasTurn: false,
      answerIfReady() {},
    };
    fleets.set(name, fleet);
    return fleet;
  }

  /** The step does not run for now. */
  function markIdle(step: PlanStep): void {
    const fleet = fleetOf(step);
    fleet.atWork.delete(stepLabel(step));
    fleet.answerIfReady();
  }

  function ended(step: PlanStep, run?: Run): void {
    const fleet = fleetOf(step);
    fleet.mending.delete(stepLabel(step));
    fleet.settling.delete(stepLabel(step));
    markIdle(step);
    // The end of a step may have ended the trial of another one.
    if (run) for (const [stage, each] of fleets) endTurn(run, stage as string, each);
    wakeAll();
  }

  /** A step is about to try a person's answer: waits for its turn, and does `work` then. Rejects as `work` does. */
  async function beginAnswer<T>(
    run: Run,
    step: PlanStep,
    timeLeftMs: number,
    deciding: Deciding,
    work: () => Promise<T>,
  ) {
    const fleet = fleetOf(step);
    const { stage } = stagePayload(step);
    fleet.mending.add(stepLabel(step));
    await takeTurn(run, stage, fleet, timeLeftMs, deciding);
    try {
      return await work();
    } finally {
      if (!run.journal.failures.trialOf(stage)) fleet.mending.delete(stepLabel(step));
      endTurn(run, stage, fleet);
    }
  }

  /** What follows for a failed cell. Cells that judge the trial are answered first. Rejects as `answer` does. */
  async function decide(run: Run, cell: FailedCell, deciding: Deciding): Promise<Next> {
    const { step } = cell.failed;
    const fleet = fleetOf(step);
    fleet.mending.add(stepLabel(step));
    held(cell.incident.stage);
    fleet.answerIfReady = () => void answerWaiting(run, cell.incident.stage, fleet, deciding);
    // A step that waits occupies no worker: what a fix made stale must be able to run.
    pauses.count += 1;
    try {
      return await new Promise<Next>((resolve, reject) => {
        fleet.waiting.set(stepLabel(step), { cell, stayed: false, resolve, reject });
        markIdle(step);
        pauses.wake();
      });
    } finally {
      pauses.count -= 1;
    }
  }

  async function answerWaiting(run: Run, stage: string, fleet: Fleet, deciding: Deciding): Promise<void> {
    const { waiting, mending } = fleet;
    if (fleet.isAnswering || waiting.size === 0 || fleet.atWork.size > 0) return;
    const judges = run.journal.failures.trialOf(stage)?.fixes.at(-1)?.steps ?? new Map();
    if ([...judges.keys()].some((step) => mending.has(step) && !waiting.has(step))) return;
    fleet.isAnswering = true;
    try {
      const all = steps.flatMap((step) => waiting.get(stepLabel(step)) ?? []);
      if (await takeTurn(run, stage, fleet, all[0]?.cell.failed.timeLeftMs() ?? 0, deciding))
        for (const waiter of all) waiter.stayed = true;
      const toSee = new Set(cellsToSee(run, stage).filter((step) => !judges.has(step)));
      const harmed = all.filter(({ cell }) => toSee.has(cell.incident.step));
      const onTrial = harmed.length > 0 ? harmed : all.filter(({ cell }) => judges.has(cell.incident.step));
      const changed = onTrial.length > 0 ? [] : await changedMeanwhile(run, all);
      const toAnswer = (onTrial.length > 0 ? onTrial : all).map(({ cell }) => cell);
      const rerun = again(0, 'what it is made from changed meanwhile');
      const answers = changed.length > 0 ? answerAll(changed, rerun) : await deciding.answer(toAnswer);
      fleet.released = answers.size > 0 ? new Set() : new Set(cellsToSee(run, stage));
      if (fleet.released.size > 0) pauses.wake();
      for (const waiter of all) waiter.stayed = true;
      for (const [{ failed }, next] of answers) {
        const label = stepLabel(failed.step);
        if ('again' in next && next.again.pause_ms === 0) fleet.atWork.add(label);
        waiting.get(label)?.resolve(next);
        waiting.delete(label);
      }
    } catch (error) {
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    }
    fleet.isAnswering = false;
    endTurn(run, stage, fleet);
    fleet.answerIfReady();
  }

  /** Waits until no other stage is being mended, and no trial of another is open. Resolves to whether it had to wait. */
  async function takeTurn(
    run: Run,
    stage: string,
    fleet: Fleet,
    timeLeftMs: number,
    { settle }: Deciding,
  ): Promise<boolean> {
    const { signal, end } = limited(timeLeftMs, run.signal);
    const { failures } = run.journal;
    // A stage that the trial made stale has its say about it at once.
    const hasSay = (name: unknown) => failures.trial?.stage === name && failures.trial?.stale.has(stage);
    const isInTheWay = ([name, other]: [unknown, Fleet]) => other !== fleet && other.hasTurn && !hasSay(name);
    // Until it is known what a trial did that was undone for another stage, no other is begun; but that one waits for what it needs.
    const waitsForThis = (other: string) => other === stage || needsOf(run.config.map, other).includes(stage);
    const isSuspected = () => [...failures.suspicions.keys()].some((step) => !waitsForThis(splitStepName(step).stage));
    signal.addEventListener('abort', wakeAll);
    let waited = false;
    while (([...fleets].some(isInTheWay) || isSuspected()) && !signal.aborted) {
      waited = true;
      const woken = new Promise<void>((resolve) => void turnWaiters.add(resolve));
      // What the trial waits for may have no worker.
      pauses.wake();
      await settle();
      for (const [name, other] of fleets) endTurn(run, name as string, other);
      await woken;
    }
    end();
    fleet.hasTurn = true;
    return waited;
  }

  /** Lets other stages be mended, unless this one is being answered or its trial is open. */
  function endTurn(run: Run, stage: string, fleet: Fleet): void {
    if (!fleet.hasTurn || fleet.isAnswering || run.journal.failures.trialOf(stage)) return;
    fleet.hasTurn = false;
    wakeAll();
  }
}

/** Cells that the trial of their stage made stale. */
function cellsToSee(run: Run, stage: string): string[] {
  const trial = run.journal.failures.trialOf(stage);
  return trial ? staleBy(run, trial).flatMap((each) => (each.stage === stage ? [each.step] : [])) : [];
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
