// The cells of a stage that failed are answered together, when all that run have ended and the fix on trial was tried by all
// that it is for; no other cell starts meanwhile. A stage without a matrix is a fleet of one.
import { limited } from '../io/signals.ts';
import type { Member } from '../mend/identify.ts';
import { endTurn, takeTurn } from '../mend/turn.ts';
import type { Ended } from '../plan/action.ts';
import { withNeeds } from '../plan/compile.ts';
import type { PlanStep } from '../plan/contract.ts';
import { compareInputs } from '../plan/inputs.ts';
import { type Cell, stepLabel } from '../plan/matrix.ts';
import { stepInputs } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';

/** Steps that wait for another one to end, and whom to wake when one begins to. */
export interface Pauses {
  count: number;
  wake(): void;
}

/** What follows an attempt: the step's end, or another attempt after a pause. */
export type Next = { end: Ended } | { again: { pause_ms: number; reason: string; tier?: 'wait' | 'fix' } };

export const again = (pause_ms: number, reason: string, tier?: 'wait' | 'fix'): Next => ({
  again: { pause_ms, reason, ...(tier ? { tier } : {}) },
});

/** What follows for some of those that were asked about, one at least; the others stay, and are asked about later. */
export type Answers = ReadonlyMap<Member, Next>;
type Ask = (members: readonly Member[]) => Promise<Answers>;

interface Waiting {
  readonly member: Member;
  /** Others were answered meanwhile: what it is made from may have changed. */
  stayed: boolean;
  resolve(next: Next): void;
  reject(error: unknown): void;
}

interface Fleet {
  /** Cells that are looked at or run. */
  readonly atWork: Set<string>;
  /** Cells that failed, and whose end is still to come. */
  readonly mending: Set<string>;
  /** Those of them whose end is being told: they judge nothing more. */
  readonly settling: Set<string>;
  readonly waiting: Map<string, Waiting>;
  isAnswering: boolean;
  /** Answers those who wait, if it is time. */
  answer(): void;
}

export type Fleets = ReturnType<typeof openFleets>;

/** The fleets of a plan with these steps; `held` hears of each stage no other cell of which may start. */
export function openFleets(steps: readonly PlanStep[], pauses: Pauses, held: (stage: string) => void = () => {}) {
  const fleets = new Map<unknown, Fleet>();
  return {
    began: (step: PlanStep): void => void fleetOf(step).atWork.add(stepLabel(step)),
    mends,
    /** Whether a step must not start yet: others of its stage failed, and are not done with. */
    isHeld: (step: PlanStep): boolean => fleetOf(step).mending.size > 0 && !isMending(step),
    /** Whether another step of the same stage is still to judge what it was mended with. */
    isJudging: (step: PlanStep, label: string): boolean => isMending(step, label) && !fleetOf(step).settling.has(label),
    settles: (step: PlanStep): void => void fleetOf(step).settling.add(stepLabel(step)),
    rests,
    ended,
    decide,
  };

  function fleetOf({ id, payload }: PlanStep): Fleet {
    const name = payload.stage ?? id;
    const fleet = fleets.get(name);
    if (fleet) return fleet;
    const made = { atWork: new Set<string>(), mending: new Set<string>(), settling: new Set<string>() };
    fleets.set(name, { ...made, waiting: new Map(), isAnswering: false, answer() {} });
    return fleets.get(name) as Fleet;
  }

  /** Whether the end of a failed step is still to come; `label`: of that step of its stage. */
  function isMending(step: PlanStep, label = stepLabel(step)): boolean {
    return fleetOf(step).mending.has(label);
  }

  function mends(step: PlanStep): void {
    fleetOf(step).mending.add(stepLabel(step));
  }

  /** It goes on later. */
  function rests(step: PlanStep): void {
    const fleet = fleetOf(step);
    fleet.atWork.delete(stepLabel(step));
    fleet.answer();
  }

  function ended(step: PlanStep, run?: Run): void {
    const fleet = fleetOf(step);
    fleet.mending.delete(stepLabel(step));
    fleet.settling.delete(stepLabel(step));
    rests(step);
    if (run && !fleet.isAnswering) endTurn(run, step.payload.stage as string, fleet.mending.size === 0);
  }

  /** What follows for a cell that failed. Those that judge the fix on trial are asked about alone. Rejects with what `ask` throws. */
  async function decide(run: Run, member: Member, ask: Ask): Promise<Next> {
    const { step } = member.failed;
    const fleet = fleetOf(step);
    fleet.mending.add(stepLabel(step));
    held(member.incident.stage);
    fleet.answer = () => void answerWaiting(run, member.incident.stage, fleet, ask);
    // Whoever waits needs no worker: what a fix made stale must be able to run.
    pauses.count += 1;
    try {
      return await new Promise<Next>((resolve, reject) => {
        fleet.waiting.set(stepLabel(step), { member, stayed: false, resolve, reject });
        rests(step);
        pauses.wake();
      });
    } finally {
      pauses.count -= 1;
    }
  }

  async function answerWaiting(run: Run, stage: string, fleet: Fleet, ask: Ask): Promise<void> {
    const { waiting, mending } = fleet;
    if (fleet.isAnswering || waiting.size === 0 || fleet.atWork.size > 0) return;
    const judges = run.journal.failures.trials.get(stage)?.steps ?? new Map();
    if ([...judges.keys()].some((step) => mending.has(step) && !waiting.has(step))) return;
    fleet.isAnswering = true;
    try {
      const all = steps.flatMap((step) => waiting.get(stepLabel(step)) ?? []);
      if (await turnFor(run, stage, all)) for (const one of all) one.stayed = true;
      const onTrial = all.filter(({ member }) => judges.has(member.incident.step));
      const changed = onTrial.length > 0 ? [] : await changedMeanwhile(run, all);
      const asked = (onTrial.length > 0 ? onTrial : all).map(({ member }) => member);
      const once = again(0, 'what it is made from changed meanwhile');
      const answers = changed.length > 0 ? new Map(changed.map((member) => [member, once])) : await ask(asked);
      for (const one of all) one.stayed = true;
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
    endTurn(run, stage);
    fleet.answer();
  }
}

/** What a stage needs, directly or not. */
export const needsOf = ({ config }: Run, stage: string): string[] =>
  withNeeds(config.map, [stage]).filter((name) => name !== stage);

/** Waits until no other stage's failure is being mended. Resolves to whether it had to. */
function turnFor(run: Run, stage: string, [first]: readonly Waiting[]): Promise<boolean> {
  const { signal, end } = limited(first?.member.failed.timeLeftMs() ?? 0, run.signal);
  return takeTurn(run, stage, (holder) => needsOf(run, holder).includes(stage), signal).finally(end);
}

/** Those that should rather run again: what they are made from is not what it was when they failed. */
async function changedMeanwhile(run: Run, waiting: readonly Waiting[]): Promise<Member[]> {
  const changed: Member[] = [];
  for (const { member } of waiting.filter(({ stayed }) => stayed)) {
    const { stage, inputs } = member.incident;
    const now = await stepInputs(run, stage, member.failed.step.payload.cell as Cell);
    if (!compareInputs(inputs, now).fresh) changed.push(member);
  }
  return changed;
}
