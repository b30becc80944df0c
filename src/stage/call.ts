// One call of a stage: what it runs, where its log is, what its processes are given. Shared by checking and attempting.
import { relative } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { hasPipe } from '../config/strict-shell.ts';
import { EXIT, MendError } from '../errors.ts';
import type { Inputs } from '../events.ts';
import { type CommandEnd, type CommandRequest, runCommand } from '../io/command.ts';
import { type LogFile, openLog } from '../io/log.ts';
import { privateFolder } from '../io/store.ts';
import { stageInputs } from '../plan/inputs.ts';
import { type Cell, cellKey, type StagePayload } from '../plan/matrix.ts';
import { type EndOf, haltFor } from '../plan/stage-end.ts';
import { besideAtStart, besideInputs, placeOf } from './carried.ts';
import { blameForCheckFiles, checkFilesOf, writtenBy } from './check-files.ts';
import { verifyStage } from './checks.ts';
import { stageEnv, stepMarks } from './env.ts';
import { neededOutputs } from './outputs.ts';
import type { StageRun } from './run.ts';

export interface StageCall {
  name: string;
  step: string;
  stage: Stage;
  attempt: number;
  signal: AbortSignal;
  log: LogFile;
  /** The log's path below home, as people are shown it. */
  logPath: string;
  /** Runs the stage's command, output to the log. `beforeStart` as for `runCommand`. */
  run(beforeStart: CommandRequest['beforeStart']): Promise<CommandEnd>;
  /** Runs its checks; what does not hold, a line each. */
  verify(): Promise<string[]>;
}

/** What is asked for: an attempt of a step, or a look at it. */
export interface AttemptCall {
  readonly payload: StagePayload;
  /** 1 for the first attempt of this run, also when an earlier process made it. */
  readonly attempt: number;
  /** Aborts when the step must stop: its own time limit, the run's, the deadline, or an interruption. */
  readonly signal: AbortSignal;
}

const MB = 1_000_000;

/** Opens the log of an attempt, or of a check that is none; the caller closes it. */
export function openCall(call: AttemptCall, run: StageRun, kind: 'attempt' | 'verify'): StageCall {
  const { stage: name, step, cell } = call.payload;
  const { signal, attempt } = call;
  const { layout, tree, graceMs, clock } = run;
  const stage = run.config.map.stages[name] as Stage;
  const out = layout.out(name, cellKey(cell));
  privateFolder(out);
  const log = openLog(
    layout.log(name, cellKey(cell), run.id, kind === 'verify' ? kind : attempt),
    run.config.loop.logs.max_mb * MB,
  );
  const env = stageEnv({ name, stage, cell, run: run.id, attempt }, run);
  const marks = stepMarks(layout.home, run.id, step);
  const around = { cwd: tree.path, env, marks, signal, graceMs };
  const start = async (what: Pick<CommandRequest, 'command' | 'kind' | 'beforeStart'>) =>
    runCommand({ ...around, ...what, outputFd: log.output() }, clock);
  const checkStarted: CommandRequest['beforeStart'] = (leader) =>
    run.journal.append({ type: 'check.started', stage: name, step, data: { leader } });
  const check = async (command: string | readonly string[]) =>
    howItEnded(await start({ command, kind: 'check', beforeStart: checkStarted }));
  const verify = () => verifyStage(stage, { root: tree.path, out, log, signal, run: check });
  const logPath = relative(layout.home, log.path);
  return {
    name,
    step,
    stage,
    attempt,
    signal,
    log,
    logPath,
    run: (beforeStart) => start({ command: stage.command, kind: 'command', beforeStart }),
    verify,
  };
}

const SIGPIPE_EXIT = 141;

/** Undefined when a command succeeded, else how it ended. */
export function howItEnded(end: CommandEnd, command: Stage['command'] = ''): string | undefined {
  if (!end.gone) return 'left something running that could not be ended';
  if (end.exitCode === 0) return undefined;
  if (end.exitCode === SIGPIPE_EXIT && hasPipe(command))
    return 'exit code 141: the reader of a pipe (head, grep -q) ended before its writer, and pipefail counts that';
  return end.signal ? `ended by ${end.signal}` : `exit code ${end.exitCode}`;
}

/** The inputs of a step that are in commits and outputs, as of now. */
export async function stepInputs(
  run: Pick<StageRun, 'config' | 'layout' | 'tree'>,
  name: string,
  cell: Cell,
): Promise<Inputs> {
  const { map } = run.config;
  const stage = map.stages[name] as Stage;
  const outputs = await neededOutputs(map, stage, run.layout);
  return stageInputs(stage, cell, await run.tree.files(), outputs);
}

/** With the inputs that are in no commit: as they are now, for an attempt, or as they were when the run began. */
export async function inputsNow({ payload }: AttemptCall, run: StageRun, when: 'now' | 'start'): Promise<Inputs> {
  const stage = run.config.map.stages[payload.stage] as Stage;
  const beside =
    when === 'now' ? await besideInputs(stage, placeOf(run)) : (await besideAtStart(run)).get(payload.stage);
  return { ...(await stepInputs(run, payload.stage, payload.cell)), ...beside };
}

/** Records what the call, or its checks, changed in the tree; a halt when the run must not go on. */
export async function inspectTree(call: StageCall, run: StageRun): Promise<EndOf<'halted'> | undefined> {
  const { name: stage, step, attempt } = call;
  try {
    const { checkFiles, unstorable, ...changes } = await run.tree.inspect(run.id, step, attempt, () =>
      checkFilesOf(run),
    );
    for (const text of unstorable) run.journal.append({ type: 'notice', stage, step, data: { text } });
    const wrote = writtenBy(run, step, changes);
    const data = { ...wrote, ...(checkFiles.length > 0 && { put_back: [...checkFiles] }) };
    if (data.files.length > 0) run.journal.append({ type: 'attempt.changed', stage, step, attempt, data });
    const stuck = await blameForCheckFiles(run, checkFiles);
    return stuck.length > 0 ? checkFilesLost(stuck) : undefined;
  } catch (error) {
    // A full disk ends the run, and is no matter for a halt.
    if (!(error instanceof MendError) || error.exit === EXIT.failed) throw error;
    return haltFor(error);
  }
}

function checkFilesLost(paths: readonly string[]): EndOf<'halted'> {
  const message = `${paths.join(', ')}: changed while a stage ran, and git has no copy to put back; checks run it`;
  return { kind: 'halted', message, context: { human: true, next: 'mend it, better commit it, then: mendloop' } };
}
