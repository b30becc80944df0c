// The action that runs a stage: whether an attempt is needed at all, and if so, the attempt.
import type { Stage } from '../config/context-map.ts';
import { formatDuration } from '../config/duration.ts';
import { recordOf, type StepRecord, waitsForHuman } from '../journal/stages.ts';
import { type Action, action, type Outcome } from '../plan/action.ts';
import { compareInputs } from '../plan/inputs.ts';
import { stopReason } from '../plan/stop.ts';
import { attemptStage } from './attempt.ts';
import { inspectTree } from './look-after.ts';
import { inputsNow, openCall, type StageActionCall, type StageScope, stagePayloadSchema } from './stage-call.ts';

export function stageAction(scope: StageScope): Action {
  return action({
    payload: stagePayloadSchema,
    settled: (call: StageActionCall) => settled(call, scope),
    run: (call: StageActionCall) => scope.attempt(() => attemptStage(call, scope)),
  });
}

/** Green and still so, or not to be touched: no attempt is needed. */
async function settled(call: StageActionCall, scope: StageScope): Promise<Outcome | undefined> {
  const { stage: name, step } = call.payload;
  const stage = scope.map.stages[name] as Stage;
  if (scope.forced.has(name)) return undefined;
  const record = recordOf(scope.stages, step);
  if (waitsForHuman(stage, record)) {
    const context = { human: true, next: `look at its log, then: mendloop retry ${name}` };
    return { kind: 'failed', again: false, message: 'not run again by itself (rerun: false)', context };
  }
  if (record?.status === 'give_up') return givenUp(call, scope, record);
  if (record?.status !== 'green' || stage.always) return undefined;
  if (!compareInputs(record.inputs, await inputsNow(call, scope)).fresh) return undefined;
  return scope.recheck ? stillHolds(call, scope) : { kind: 'done', fresh: true };
}

/** Given up on: it stays so until its inputs change or its checks hold after all. */
async function givenUp(call: StageActionCall, scope: StageScope, record: StepRecord): Promise<Outcome | undefined> {
  const { stage, step } = call.payload;
  const recovered = (reason: string) => scope.record({ type: 'stage.recovered', stage, step, data: { reason } });
  if (!compareInputs(record.inputs, await inputsNow(call, scope)).fresh) {
    recovered('its inputs changed');
    return undefined;
  }
  const { verify, outputs } = scope.map.stages[stage] as Stage;
  // Where nothing is checked, nothing holds.
  const held = verify.length + Object.keys(outputs).length > 0 ? await stillHolds(call, scope) : undefined;
  if (held?.kind === 'done') recovered('its checks hold');
  if (held) return held;
  const why = (record.reason ?? '').replace(/^given up: /, '');
  const context = {
    human: true,
    gave_up: why,
    next: `see mendloop explain ${stage}; mend it and commit, or: mendloop reset ${stage}`,
  };
  return { kind: 'failed', again: false, message: `given up: ${why}`, context };
}

/** Looks again at a green stage. What no longer holds is drift, and makes an attempt necessary. */
async function stillHolds(action: StageActionCall, scope: StageScope): Promise<Outcome | undefined> {
  const call = openCall(action, scope, 'verify');
  const { stage } = call;
  try {
    const problems = await call.verify();
    const halt = await inspectTree(call, scope);
    if (halt) return halt;
    if (call.signal.aborted) {
      if (stopReason(call.signal)?.code !== 'STEP_TIMEOUT') return { kind: 'stopped' };
      problems.push(`its checks ran past ${formatDuration(stage.timeout)}`);
    }
    if (problems.length === 0) return { kind: 'done', fresh: true };
    scope.record({ type: 'step.drift', stage: call.name, step: call.step, data: { problems, log: call.logPath } });
    return undefined;
  } finally {
    call.log.close();
  }
}
