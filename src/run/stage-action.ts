// The action that runs a stage: is it green already, does it have what it requires, run it, check it.
import { z } from 'zod';
import type { ContextMap, Stage } from '../config/context-map.ts';
import { MendError } from '../errors.ts';
import type { Happening } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { type CommandEnd, runCommand } from '../io/command.ts';
import { type LogFile, openLog } from '../io/log-file.ts';
import { privateFolder } from '../io/store.ts';
import { compareInputs, type Inputs, stageInputs, type Tree } from '../plan/inputs.ts';
import { cellKey } from '../plan/matrix.ts';
import { stepLabel } from '../plan/step-label.ts';
import { type Action, type ActionCall, action, type Outcome } from './action.ts';
import { verifyStage } from './checks.ts';
import { neededOutputs } from './outputs.ts';
import { missingRequirements } from './requires.ts';
import { scriptHint } from './script-hint.ts';
import { type StageSurroundings, stageEnv, stagePath, stepMarks } from './stage-env.ts';
import { recordOf, type StageState } from './stage-state.ts';
import { stopReason } from './stop.ts';

const payloadSchema = z.object({ stage: z.string(), step: z.string(), cell: z.record(z.string(), z.string()) });
type Payload = z.infer<typeof payloadSchema>;

/** The tree stages run in, as far as running one concerns it. */
export interface StageTree {
  readonly head: string;
  /** The files at its commit. */
  files(): Promise<Tree>;
  /** Looks at what an attempt did to it. Throws MendError when the run must not go on. */
  inspect(name: {
    run: string;
    step: string;
    attempt: number;
  }): Promise<{ changed: readonly string[]; patch?: string }>;
}

export interface StageScope extends StageSurroundings {
  run: string;
  map: ContextMap;
  tree: StageTree;
  stages: StageState;
  record(...happenings: Happening[]): void;
  clock: Clock;
  graceMs: number;
  /** Look again at stages that are green and whose inputs did not change. */
  recheck: boolean;
  /** Stages a person asked to run whatever their state. */
  forced: ReadonlySet<string>;
  /** Try stages that an earlier run left failed. */
  retryFailed: boolean;
}

export function stageAction(scope: StageScope): Action {
  return action<Payload>({
    payload: payloadSchema,
    settled: (call) => settled(call, scope),
    run: (call) => attempt(call, scope),
  });
}

/** Green and still so, or not to be touched: no attempt is needed. */
async function settled(call: ActionCall<Payload>, scope: StageScope): Promise<Outcome | undefined> {
  const { stage, step } = lookUp(call, scope);
  if (scope.forced.has(call.payload.stage)) return undefined;
  const record = recordOf(scope.stages, step);
  const interrupted = record?.status === 'idle' && record.last?.outcome === 'interrupted';
  if (!stage.rerun && (record?.status === 'failed' || interrupted)) {
    const context = { human: true, next: `look at its log, then: mendloop retry ${call.payload.stage}` };
    return { kind: 'failed', again: false, message: 'not run again by itself (rerun: false)', context };
  }
  if (record?.status === 'failed' && !scope.retryFailed && record.run !== scope.run) {
    return { kind: 'halt', message: 'found failed, and retry_failed is off', context: { human: true } };
  }
  if (record?.status !== 'green' || stage.always) return undefined;
  const inputs = await inputsNow(call, scope);
  if (!compareInputs(record.inputs, inputs).fresh) return undefined;
  if (!scope.recheck) return { kind: 'done', fresh: true };
  return stillHolds(call, scope);
}

async function stillHolds(call: ActionCall<Payload>, scope: StageScope): Promise<Outcome | undefined> {
  const { stage, step, cell, log } = opened(call, scope, 'verify');
  try {
    const problems = await verifyStage(stage, checkScope(call, scope, log));
    if (call.signal.aborted) return { kind: 'stopped' };
    if (problems.length === 0) return { kind: 'done', fresh: true, result: { checks: stage.verify.length } };
    const name = { stage: call.payload.stage, step };
    scope.record({ type: 'step.drift', ...name, data: { problems, log: log.path, cell: cellKey(cell) } });
    return undefined;
  } finally {
    log.close();
  }
}

async function attempt(call: ActionCall<Payload>, scope: StageScope): Promise<Outcome> {
  const { stage, step, log } = opened(call, scope, call.attempt);
  const began = scope.clock.monotonic();
  const name = { stage: call.payload.stage, step, attempt: call.attempt };
  const end = (outcome: string, data: Record<string, unknown> = {}) =>
    scope.record({
      type: 'attempt.ended',
      ...name,
      data: { outcome, duration_ms: Math.round(scope.clock.monotonic() - began), log: log.path, ...data },
    });
  try {
    const missing = missingRequirements(stage, { root: scope.root, path: stagePath(scope), env: scope.inherited });
    if (missing.length > 0) {
      for (const line of missing) log.say(`requires: ${line}`);
      end('requires', { problems: missing });
      return {
        kind: 'failed',
        again: false,
        message: missing.join('; '),
        context: { phase: 'requires', log: log.path },
      };
    }
    const ran = await runCommand(commandRequest(call, scope, log, stage.command), scope.clock);
    const told = { exit_code: ran.exitCode, signal: ran.signal };
    const broken = await afterwards(call, scope, ran, log);
    if (broken) {
      end('halted', { ...told, code: broken.context?.code });
      return broken;
    }
    if (ran.stopped) return stoppedAttempt(call, end, told);
    if (ran.exitCode !== 0) {
      end('failed', told);
      return await commandFailed(call, scope, ran, log);
    }
    const problems = await verifyStage(stage, checkScope(call, scope, log));
    if (call.signal.aborted) return stoppedAttempt(call, end, told);
    if (problems.length > 0) {
      end('unverified', { ...told, problems });
      const context = { phase: 'verify', problems, log: log.path };
      return { kind: 'failed', message: `verify: ${problems.join('; ')}`, context };
    }
    end('done', told);
    return { kind: 'done', result: { inputs: await inputsNow(call, scope), head: scope.tree.head } };
  } finally {
    log.close();
  }
}

function stoppedAttempt(
  call: ActionCall<Payload>,
  end: (outcome: string, data: Record<string, unknown>) => void,
  told: Record<string, unknown>,
): Outcome {
  end(stopReason(call.signal)?.code === 'STEP_TIMEOUT' ? 'timeout' : 'interrupted', told);
  return { kind: 'stopped' };
}

async function commandFailed(
  call: ActionCall<Payload>,
  scope: StageScope,
  ran: CommandEnd,
  log: LogFile,
): Promise<Outcome> {
  const { stage } = lookUp(call, scope);
  const how = ran.signal ? `ended by ${ran.signal}` : `exit code ${ran.exitCode}`;
  const hint = scriptHint(stage.command, ran.exitCode, await scope.tree.files());
  const context = { phase: 'command', exit_code: ran.exitCode, signal: ran.signal, log: log.path, ...hint };
  return { kind: 'failed', message: hint ? `${how}: ${hint.what}` : how, context };
}

/** What the attempt did besides its work: processes it left, files it changed. A halt when the run must not go on. */
async function afterwards(
  call: ActionCall<Payload>,
  scope: StageScope,
  ran: CommandEnd,
  log: LogFile,
): Promise<(Outcome & { kind: 'halt' }) | undefined> {
  const { stage: name, step } = call.payload;
  const where = { stage: name, step, attempt: call.attempt };
  if (ran.leftBehind > 0) log.say(`ended ${ran.leftBehind} process(es) that the stage had left running`);
  if (!ran.gone) return { kind: 'halt', message: 'something it started could not be ended', context: { human: true } };
  try {
    const { changed, patch } = await scope.tree.inspect({ run: scope.run, step, attempt: call.attempt });
    if (changed.length > 0) scope.record({ type: 'attempt.changed', ...where, data: { files: changed, patch } });
    return undefined;
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    const context = { human: true, code: error.code, next: error.next, problems: error.problems };
    return { kind: 'halt', message: error.message, context };
  }
}

function lookUp(call: ActionCall<Payload>, scope: StageScope): { stage: Stage; step: string } {
  return { stage: scope.map.stages[call.payload.stage] as Stage, step: stepLabel(call.step) };
}

function opened(call: ActionCall<Payload>, scope: StageScope, attempt: number | 'verify') {
  const { stage: name, cell } = call.payload;
  privateFolder(scope.layout.out(name, cellKey(cell)));
  const log = openLog(scope.layout.log(name, cellKey(cell), scope.run, attempt));
  return { ...lookUp(call, scope), cell, log };
}

async function inputsNow(call: ActionCall<Payload>, scope: StageScope): Promise<Inputs> {
  const { stage } = lookUp(call, scope);
  const outputs = await neededOutputs(scope.map, stage, scope.layout);
  return stageInputs(stage, call.payload.cell, await scope.tree.files(), outputs);
}

function checkScope(call: ActionCall<Payload>, scope: StageScope, log: LogFile) {
  const { stage: name, cell } = call.payload;
  return {
    root: scope.root,
    out: scope.layout.out(name, cellKey(cell)),
    log,
    signal: call.signal,
    run: async (command: string | readonly string[]) => {
      const ran = await runCommand(
        { ...commandRequest(call, scope, log, command), beforeStart: () => {} },
        scope.clock,
      );
      if (ran.exitCode === 0) return undefined;
      return ran.signal ? `ended by ${ran.signal}` : `exit code ${ran.exitCode}`;
    },
  };
}

function commandRequest(
  call: ActionCall<Payload>,
  scope: StageScope,
  log: LogFile,
  command: string | readonly string[],
) {
  const { stage, step } = lookUp(call, scope);
  const where = { name: call.payload.stage, stage, cell: call.payload.cell, run: scope.run, attempt: call.attempt };
  return {
    command,
    cwd: scope.root,
    env: stageEnv(where, scope),
    logFd: log.fd,
    marks: stepMarks(scope.run, step),
    signal: call.signal,
    graceMs: scope.graceMs,
    beforeStart: (leader: object) =>
      scope.record({
        type: 'attempt.started',
        stage: call.payload.stage,
        step,
        attempt: call.attempt,
        data: { leader, log: log.path, head: scope.tree.head },
      }),
  };
}
