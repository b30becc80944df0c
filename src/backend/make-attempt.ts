// One attempt as a program of its own, on any machine that shares home: reads its task, makes the attempt as the loop itself
// would, and leaves its end as a file. It never writes journal, ledger, HEAD or index: that is the controller's.
import { dirname, join } from 'node:path';
import { durationText } from '../config/duration.ts';
import { fail, MendError, mendError } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import { namesIn } from '../io/files.ts';
import { type GitObjects, withObjects } from '../io/git-objects.ts';
import { identify } from '../io/identity.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { memoryKills } from '../io/memory-kills.ts';
import { endLeftovers } from '../io/process-group.ts';
import { stopAfter } from '../io/signals.ts';
import { copyFile, removeFile } from '../io/store.ts';
import { loadStages } from '../journal/load-stages.ts';
import { haltFor, type StageEnd, stopEnd } from '../plan/stage-end.ts';
import { Stop } from '../plan/stop.ts';
import { attemptStage } from '../stage/attempt.ts';
import type { Task, TaskEnd } from '../stage/backend.ts';
import { stepMarks } from '../stage/env.ts';
import { type RunPorts, singleRun } from '../stage/run.ts';
import { runTree } from '../stage/run-tree.ts';
import { changesNow } from '../worktree/save-changes.ts';
import { type Tree, trackedStatus, treeGit } from '../worktree/tree.ts';
import {
  beginTask,
  countTasks,
  isGreen,
  type Result,
  type RunContext,
  readTask,
  resultPath,
  slurmJobOf,
  writeResult,
  writeSign,
} from './task-file.ts';

/**
 * Makes the attempt and leaves its result; resolves to 0 exactly when it is green. Shows a sign of life every `signMs`, 0 for never.
 * Throws MendError when there is no such task.
 */
export async function makeAttempt(
  file: string,
  index: number,
  ports: RunPorts,
  signMs = 0,
  maker = slurmJobOf(ports.env),
): Promise<number> {
  const { task, context } = await seenTask(file, index, ports);
  if (!beginTask(file, index, maker)) fail('E_TASK_BEGUN', { file: resultPath(file, index) });
  const signs = signMs > 0 ? setInterval(() => showSign(file, index), signMs) : undefined;
  const indexFile = join(`${file}.${index}.index`);
  const result = await withObjects(context.home, (objects) =>
    attempt(task, { context, objects, indexFile, job: `${file}#${index}` }, ports),
  ).catch((error) => afterError(error, ports.signal));
  clearInterval(signs);
  removeFile(indexFile);
  writeResult(file, index, result);
  return isGreen(result) ? 0 : 1;
}

/** For so long after it began a job of an array makes other cells of it, too. */
const SHARE_MS = 5_000;

/**
 * The same for a job of an array: then it makes others that have not begun, the last ones first, while little time went by and all end
 * green. A start of Node costs more than a small cell. Resolves to how its own ended.
 */
export async function makeOfArray(file: string, index: number, ports: RunPorts, signMs: number): Promise<number> {
  const until = ports.clock.monotonic() + SHARE_MS;
  const isTime = () => ports.clock.monotonic() < until && !ports.signal.aborted;
  const own = await makeAttempt(file, index, ports, signMs);
  const names = new Set(namesIn(dirname(file)));
  let last = own;
  for (let at = countTasks(file) - 1; at > index && last === 0 && isTime(); at--) {
    if (names.has(`${at}.begun`)) continue;
    last = await makeAttempt(file, at, ports, signMs).catch((error) => {
      if (error instanceof MendError && error.code === 'E_TASK_BEGUN') return 0;
      throw error;
    });
  }
  return own;
}

/** A folder that machines share may show a file late. */
async function seenTask(file: string, index: number, { clock, signal }: RunPorts) {
  for (const until = clock.monotonic() + SEEN_LATE_MS; ; await clock.sleep(LOOK_MS, signal)) {
    const read = readTask(file, index);
    if (read) return read;
    if (clock.monotonic() > until || signal.aborted) fail('E_TASK', { file: `${file}#${index}` });
  }
}
const SEEN_LATE_MS = 5_000;
const LOOK_MS = 250;

/** A disk that is full for a while must not cost the attempt; the output of the job says so. */
function showSign(file: string, index: number): void {
  try {
    writeSign(file, index, String(performance.now()));
  } catch (error) {
    console.error(String(error));
  }
}

interface Scope {
  context: RunContext;
  objects: GitObjects;
  /** A copy of the tree's index, so that the original is never written. */
  indexFile: string;
  job: string;
}

async function attempt(task: Task, scope: Scope, ports: RunPorts): Promise<TaskEnd> {
  const { context, objects, indexFile, job } = scope;
  const layout = layoutOf(context.home);
  const { gitDir, branch, links } = context.tree;
  copyFile(join(gitDir, 'index'), indexFile);
  const tree: Tree = { home: context.home, path: layout.worktree, gitDir, indexFile, branch, links, objects };
  const status = await trackedStatus(treeGit(tree));
  if (status.head !== task.commit)
    return { end: { kind: 'unbegun', message: `the worktree is at ${status.head}, not at ${task.commit}` } };
  // Of an attempt that was killed with all its keepers; another machine's is its backend's to end.
  const marks = stepMarks(layout.home, task.run, task.step);
  if ((await endLeftovers(undefined, marks, ports.graceMs, ports.clock)) === 'unproven') {
    const leftover = mendError('E_LEFTOVER', { step: task.step, pid: 0, host: identify(process.pid).host });
    return { end: haltFor(leftover) };
  }
  // What others changed before this attempt is not its doing.
  const seen = status.changed.length > 0 ? await changesNow(tree) : new Map<string, string>();
  const events: NewEvent[] = [];
  const base = { name: branch, branch, commit: task.commit, firstRun: false };
  const nothing = { notices: [], unlinked: [], putBack: [] };
  const worktree = {
    ...tree,
    ...nothing,
    head: task.commit,
    base,
    changed: status.changed,
    seen,
    isTrial: status.branch === undefined,
  };
  const config = { map: context.map, loop: { logs: context.logs } };
  const given = { ...ports, id: task.run, job, layout, config, tree: runTree(worktree, layout), lab: context.lab };
  const { state } = loadStages(layout, { look: true });
  const run = singleRun(given, state, (...more) => void events.push(...more));
  const late = () => new Stop('STEP_TIMEOUT', `ran past its ${durationText(task.timeout_ms)} and was stopped`);
  const limit = stopAfter(task.timeout_ms, late);
  const signal = AbortSignal.any([ports.signal, limit.signal]);
  try {
    const { stage, step, cell, attempt: number } = task;
    const killsBefore = memoryKills(ports.env.SLURM_JOB_ID);
    const end = await attemptStage({ payload: { stage, step, cell }, attempt: number, signal }, run);
    const isShort = end.kind === 'failed' && memoryKills(ports.env.SLURM_JOB_ID) > killsBefore;
    return { end: isShort ? outOfMemory(step) : end, events };
  } finally {
    limit.cancel();
  }
}

/** A scheduler's limit ended a part of it, which says nothing of the stage: no change of files would help. */
const outOfMemory = (step: string): StageEnd => ({
  kind: 'lost',
  message: `${step} needed more memory than it may use on ${identify(process.pid).host}: the system killed a part of it`,
  loss: {
    code: 'JOB_OUT_OF_MEMORY',
    next: 'give its spec more with --mem in ai/loop.yaml',
    transient: false,
    began: true,
  },
});

/** What a person can mend halts the run; anything else is a bug or a full disk, and the controller's to tell. */
function afterError(error: unknown, signal: AbortSignal): Result {
  // What stops it reaches its helpers, too, and may be what they died of.
  if (signal.aborted) return { end: stopEnd(signal) };
  const { code, message, stack } = error as NodeJS.ErrnoException;
  if (error instanceof MendError && code !== 'E_DISK_FULL') return { end: haltFor(error) };
  return { thrown: { message: stack ?? message ?? String(error), ...(code && { code }) } };
}
