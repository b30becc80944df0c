// A step among others while fixes are tried: it makes way for what it needs, waits for its turn to be mended, and its end
// says how fixes stand.
import { limited } from '../io/signals.ts';
import type { FailedAttempt } from '../mend/identify.ts';
import { settleFixes, verifyHolding } from '../mend/judge-fixes.ts';
import { endTurn, takeTurn } from '../mend/turn.ts';
import { withNeeds } from '../plan/compile.ts';
import type { PlanStep } from '../plan/contract.ts';
import { compareInputs } from '../plan/inputs.ts';
import { splitStepName, stepLabel } from '../plan/matrix.ts';
import { stepInputs } from '../stage/call.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { type Ended, endStep, haltedBy, type PlanRun, type StepEnd } from './step.ts';

/** How often one stage is made again in one run for the sake of fixes. */
const MAX_REMADE = 10;

/** What a stage needs, directly or not. */
const needsOf = ({ config }: Run, stage: string): string[] =>
  withNeeds(config.map, [stage]).filter((name) => name !== stage);

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

/** Waits until nobody else's failure is being mended. True when the step should rather run again: its inputs changed. */
export async function turnFor(run: Run, plan: PlanRun, incident: Incident, failed: FailedAttempt): Promise<boolean> {
  const { stage, step, inputs } = incident;
  const { cell } = failed.step.payload as { cell: Record<string, string> };
  const { signal, end } = limited(failed.timeLeftMs(), run.signal);
  plan.pauses.count += 1;
  plan.pauses.wake();
  const mayPass = (holder: string) => needsOf(run, splitStepName(holder).stage).includes(stage);
  const waited = await takeTurn(run, step, mayPass, signal).finally(() => {
    plan.pauses.count -= 1;
    end();
  });
  if (!waited || compareInputs(inputs, await stepInputs(run, stage, cell)).fresh) return false;
  endTurn(run, step);
  return true;
}

/**
 * Records how a step ended; before it what its fixes came to, so that a crash cannot leave a finished step with open fixes,
 * and behind it what follows for others.
 */
export async function endOfStep(step: PlanStep, plan: PlanRun, ended: Ended | StepEnd): Promise<StepEnd> {
  if ('state' in ended) return ended;
  const { run } = plan;
  if (!run) return endStep(step, plan, ended);
  const settled = settleFixes(run, step, ended.kind === 'done').then(() => ended);
  const end = endStep(step, plan, await settled.catch((error) => haltedBy(error, step)));
  endTurn(run, stepLabel(step), true);
  if (end.state === 'DONE') verifyHolding(run);
  return end;
}
