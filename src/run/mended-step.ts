// A step among others while fixes are tried: it makes way for what it needs, and its end says how fixes stand.
import { settleFixes, verifyHolding } from '../mend/judge-fixes.ts';
import type { Ended } from '../plan/action.ts';
import type { PlanStep } from '../plan/contract.ts';
import { needsOf } from './fleet.ts';
import { endStep, haltedBy, type PlanRun, type StepEnd } from './step.ts';

/** How often one stage is made again in one run for the sake of fixes. */
const MAX_REMADE = 10;

/** A step some of whose needs no longer stand makes way for them; one that did so too often ends. Undefined: it can run. */
export function makesWay(step: PlanStep, plan: PlanRun): StepEnd | Ended | undefined {
  const { run } = plan;
  if (!run) return undefined;
  const { stages } = run.journal.stages;
  const stale = needsOf(run, step.payload.stage as string).filter((name) => stages[name]?.stale);
  if (stale.length === 0) return undefined;
  const often = stale.find((name) => run.journal.failures.timesGreen(name) > MAX_REMADE);
  if (often) {
    const message = `${often}, which it needs, was made again ${MAX_REMADE} times in this run`;
    return { kind: 'failed', message, context: {} };
  }
  plan.begun.add(step.id);
  return { state: 'TODO', begun: true };
}

/** What becomes of a step whose attempt did not begin: undefined when it is asked for again at once. */
export function restsAfter(step: PlanStep, plan: PlanRun): StepEnd | Ended | undefined {
  if (plan.halted) return { kind: 'left', reason: 'the run halted before it began' };
  if (!plan.fleets.isHeld(step)) return undefined;
  plan.begun.add(step.id);
  return { state: 'TODO', begun: true };
}

/**
 * Records how a step ended; before it what its fixes came to, so that a crash cannot leave a finished step with open fixes,
 * and behind it what follows for others.
 */
export async function endOfStep(step: PlanStep, plan: PlanRun, ended: Ended | StepEnd): Promise<StepEnd> {
  const { run, fleets } = plan;
  if ('state' in ended) {
    fleets.rests(step);
    return ended;
  }
  if (!run) return endStep(step, plan, ended);
  // Of several that end in one moment the last one settles.
  fleets.settles(step);
  const isMending = (label: string) => fleets.isJudging(step, label);
  const settled = settleFixes(run, step, ended.kind === 'done', isMending).then(() => ended);
  const end = endStep(step, plan, await settled.catch((error) => haltedBy(error, step)));
  fleets.ended(step, run);
  if (end.state === 'DONE') verifyHolding(run);
  return end;
}
