// The failed cells of a stage are answered together: once none of its cells runs, and every cell that judges the fix on
// trial has ended. Meanwhile no other cell of it starts, and no other stage is mended. A stage without a matrix is a fleet
// of one cell.
import { limited } from '../io/signals.ts';
import { type Answers, answerAll, type FailedCell } from '../mend/failed-cell.ts';
import { needsOf } from '../plan/compile.ts';
import type { PlanStep } from '../plan/contract.ts';
import { compareInputs } from '../plan/inputs.ts';
import { stagePayload, stepLabel } from '../plan/matrix.ts';
import { again, type Next } from '../plan/stage-end.ts';
import { stepInputs } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';
import type { Pauses } from './schedule.ts';

/** Answers some of the cells, at least one; the others are asked about again later. */
type AnswerCells = (run: Run, cells: readonly FailedCell[]) => Promise<Answers>;

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
  /** Those of them whose end is being recorded: they judge nothing more. */
  readonly settling: Set<string>;
  readonly waiting: Map<string, Waiting>;
  isAnswering: boolean;
  /** It is the stage being mended: from the first answer until its fixes are judged. */
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
    /** The step judges fixes that an earlier process left. */
    markMending: (step: PlanStep): void => void fleetOf(step).mending.add(stepLabel(step)),
    /** Whether a step must not start yet: other cells of its stage failed and have not ended. */
    isHeld: (step: PlanStep): boolean => fleetOf(step).mending.size > 0 && !fleetOf(step).mending.has(stepLabel(step)),
    /** Whether the cell `label` of the same stage is still to judge what it was mended with. */
    isJudging(step: PlanStep, label: string): boolean {
      const { mending, settling } = fleetOf(step);
      return mending.has(label) && !settling.has(label);
    },
    markSettling: (step: PlanStep): void => void fleetOf(step).settling.add(stepLabel(step)),
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
    if (run) endTurn(run, stagePayload(step).stage, fleet);
  }

  /** What follows for a failed cell. Cells that judge the fix on trial are answered first. Rejects as `answer` does. */
  async function decide(run: Run, cell: FailedCell, answer: AnswerCells): Promise<Next> {
    const { step } = cell.failed;
    const fleet = fleetOf(step);
    fleet.mending.add(stepLabel(step));
    held(cell.incident.stage);
    fleet.answerIfReady = () => void answerWaiting(run, cell.incident.stage, fleet, answer);
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

  async function answerWaiting(run: Run, stage: string, fleet: Fleet, answer: AnswerCells): Promise<void> {
    const { waiting, mending } = fleet;
    if (fleet.isAnswering || waiting.size === 0 || fleet.atWork.size > 0) return;
    const judges = run.journal.failures.trials.get(stage)?.steps ?? new Map();
    if ([...judges.keys()].some((step) => mending.has(step) && !waiting.has(step))) return;
    fleet.isAnswering = true;
    try {
      const all = steps.flatMap((step) => waiting.get(stepLabel(step)) ?? []);
      if (await takeTurn(run, stage, fleet, all[0])) for (const waiter of all) waiter.stayed = true;
      const onTrial = all.filter(({ cell }) => judges.has(cell.incident.step));
      const changed = onTrial.length > 0 ? [] : await changedMeanwhile(run, all);
      const toAnswer = (onTrial.length > 0 ? onTrial : all).map(({ cell }) => cell);
      const rerun = again(0, 'what it is made from changed meanwhile');
      const answers = changed.length > 0 ? answerAll(changed, rerun) : await answer(run, toAnswer);
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

  /**
   * Waits until no other stage is being mended, but for stages that need this one: they cannot run before it was made again.
   * Resolves to whether it had to wait.
   */
  async function takeTurn(run: Run, stage: string, fleet: Fleet, first: Waiting | undefined): Promise<boolean> {
    const { signal, end } = limited(first?.cell.failed.timeLeftMs() ?? 0, run.signal);
    const isInTheWay = ([name, other]: [unknown, Fleet]) =>
      other !== fleet && other.hasTurn && !needsOf(run.config.map, name as string).includes(stage);
    signal.addEventListener('abort', wakeAll);
    let waited = false;
    while ([...fleets].some(isInTheWay) && !signal.aborted) {
      waited = true;
      await new Promise<void>((resolve) => void turnWaiters.add(resolve));
    }
    end();
    fleet.hasTurn = true;
    return waited;
  }

  /** Lets other stages be mended, unless this one is being answered or has fixes that its cells are still to judge. */
  function endTurn(run: Run, stage: string, fleet: Fleet): void {
    const isOnTrial = fleet.mending.size > 0 && run.journal.failures.openFixes(stage).length > 0;
    if (fleet.isAnswering || isOnTrial) return;
    fleet.hasTurn = false;
    wakeAll();
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
