// A change that a person accepted is tried before its stage runs: its failure need not return first.
import { takeAnswers } from '../mend/answers.ts';
import { applyFix } from '../mend/apply.ts';
import { currentIncident, identifyAgain, projectRules, record } from '../mend/identify.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import type { PlanStep } from '../plan/contract.ts';
import { eventLabel, stagePayload, stepLabel } from '../plan/matrix.ts';
import { haltedBy, type StageEnd } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { answeredOf, type LedgerEntry } from '../triage/ledger.ts';
import type { Execution } from './step.ts';

/** Opens a trial with the answer that waits for this step's stage, if there is one. Returns the end of a step that this halts. */
export async function tryAnswer(step: PlanStep, execution: Execution): Promise<StageEnd | undefined> {
  const { run, fleets, plan, endsAt } = execution;
  if (!run.ai || readSafeMode(run.layout)) return undefined;
  const { stage } = stagePayload(step);
  const { ledger } = run.journal;
  takeAnswers(run);
  if (!answeredOf(ledger, stage)) return undefined;
  const timeLeftMs = () => endsAt - run.clock.now();
  try {
    await fleets.tryAnswer(step, async () => {
      // Another cell of the stage may have begun with it meanwhile.
      const entry = answeredOf(ledger, stage);
      if (!entry || run.journal.failures.trial || execution.signal.aborted) return;
      const attempt = run.journal.steps.attempts(stepLabel(step)) + 1;
      await apply(run, answeredIncident(run, entry, step, plan.steps, attempt), timeLeftMs());
    });
    return undefined;
  } catch (error) {
    return haltedBy(error);
  }
}

/** Failed steps whose stage a person answered for meanwhile, each once: they run again before the run ends. */
export function answeredSteps(execution: Execution): () => string[] {
  const { run } = execution;
  const asked = new Set<string>();
  return () => {
    takeAnswers(run);
    if (!run.ai || run.signal.aborted || readSafeMode(run.layout)) return [];
    const steps = execution.plan.steps.filter((step) => {
      const { stage } = stagePayload(step);
      const mayRun = run.config.map.stages[stage]?.rerun;
      return mayRun && !asked.has(step.id) && answeredOf(run.journal.ledger, stage) !== undefined;
    });
    for (const { id } of steps) asked.add(id);
    if (steps.length > 0) execution.halted = false;
    return steps.map(({ id }) => id);
  };
}

async function apply(run: Run, incident: Incident, timeLeftMs: number): Promise<void> {
  const { proposeFirst } = await import('../mend/ask.ts');
  const reason = 'a person answered the case: their change is tried before the stage runs';
  record(run, incident, 'failure.decided', { tier: 'executor', scope: 'first', reason });
  const answer = await proposeFirst(run, incident);
  if ('sound' in answer) await applyFix(run, incident, answer, timeLeftMs);
}

/** The failure that was answered, as the ledger and its log have it; every cell of the stage judges. */
function answeredIncident(
  run: Run,
  entry: LedgerEntry,
  step: PlanStep,
  plan: readonly PlanStep[],
  attempt: number,
): Incident {
  const { layout, journal, config } = run;
  const { stage, fingerprint, ended, log = '' } = entry;
  const rules = [...projectRules(config.loop), ...run.plugins.rules];
  const read = identifyAgain(entry, layout, journal.stages.stages, rules);
  const { class: failureClass, transient, external, excerpt } = entry;
  const recorded = { class: failureClass, transient, external, fingerprint };
  const failure = read
    ? { ...read, fingerprint }
    : { ...recorded, errors: [{ lines: excerpt.split('\n'), template: '' }], rules: [], templates: [] };
  const steps = plan.filter((each) => stagePayload(each).stage === stage).map(stepLabel);
  const sighting = { ...eventLabel(step), stage, step: stepLabel(step), attempt, ended, log, inputs: undefined };
  return currentIncident(run, { ...sighting, failure, steps } as Parameters<typeof currentIncident>[1]);
}
