// One call of a stage: what it runs, where its log is, what its processes are given. Shared by checking and attempting.
import { relative } from 'node:path';
import { z } from 'zod';
import type { ContextMap, Stage } from '../config/context-map.ts';
import type { Happening } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { type CommandEnd, type CommandRequest, runCommand } from '../io/command.ts';
import { type LogFile, openLog } from '../io/log.ts';
import { privateFolder } from '../io/store.ts';
import type { StageState } from '../journal/stages.ts';
import type { ActionCall } from '../plan/action.ts';
import { type Inputs, stageInputs, type Tree } from '../plan/inputs.ts';
import { cellKey } from '../plan/matrix.ts';
import { verifyStage } from './checks.ts';
import { neededOutputs } from './outputs.ts';
import { type StageSurroundings, stageEnv, stepMarks } from './stage-env.ts';

export const stagePayloadSchema = z.object({
  stage: z.string(),
  step: z.string(),
  cell: z.record(z.string(), z.string()),
});

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
  /** Runs an attempt when the tree is not just being written. */
  attempt<T>(work: () => Promise<T>): Promise<T>;
}

export interface StageCall {
  name: string;
  step: string;
  stage: Stage;
  attempt: number;
  signal: AbortSignal;
  log: LogFile;
  /** The log's path below home, as people are shown it. */
  logPath: string;
  /** Runs a command of the stage, output to the log. `beforeStart` as for `runCommand`. */
  run(command: string | readonly string[], beforeStart?: CommandRequest['beforeStart']): Promise<CommandEnd>;
  /** Runs its checks; what does not hold, a line each. */
  verify(): Promise<string[]>;
}

export type StageActionCall = ActionCall<z.infer<typeof stagePayloadSchema>>;

/** Opens the log of an attempt, or of a check that is none; the caller closes it. */
export function openCall(
  call: Pick<StageActionCall, 'payload' | 'attempt' | 'signal'>,
  scope: StageScope,
  kind: 'attempt' | 'verify',
): StageCall {
  const { stage: name, step, cell } = call.payload;
  const { signal, attempt } = call;
  const stage = scope.map.stages[name] as Stage;
  const out = scope.layout.out(name, cellKey(cell));
  privateFolder(out);
  const log = openLog(scope.layout.log(name, cellKey(cell), scope.run, kind === 'verify' ? kind : attempt));
  const env = stageEnv({ name, stage, cell, run: scope.run, attempt }, scope);
  const { root, graceMs, clock } = scope;
  const marks = stepMarks(scope.layout.home, scope.run, step);
  const run: StageCall['run'] = (command, beforeStart) =>
    runCommand(
      { command, cwd: root, env, logFd: log.fd, marks, signal, graceMs, ...(beforeStart ? { beforeStart } : {}) },
      clock,
    );
  const checkStarted = (leader: object) => scope.record({ type: 'check.started', stage: name, step, data: { leader } });
  const verify = () =>
    verifyStage(stage, {
      root,
      out,
      log,
      signal,
      run: async (command) => howItEnded(await run(command, checkStarted)),
    });
  const logPath = relative(scope.layout.home, log.path);
  return { name, step, stage, attempt, signal, log, logPath, run, verify };
}

/** Undefined when a command succeeded, else how it ended. */
export function howItEnded(end: CommandEnd): string | undefined {
  if (!end.gone) return 'left something running that could not be ended';
  if (end.exitCode === 0) return undefined;
  return end.signal ? `ended by ${end.signal}` : `exit code ${end.exitCode}`;
}

/** What the step is made from, as things are now. */
export async function inputsNow(call: StageActionCall, scope: StageScope): Promise<Inputs> {
  const stage = scope.map.stages[call.payload.stage] as Stage;
  const outputs = await neededOutputs(scope.map, stage, scope.layout);
  return stageInputs(stage, call.payload.cell, await scope.tree.files(), outputs);
}
