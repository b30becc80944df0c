// Attempts as files: what the controller hands on to another machine over the shared folder, and what comes back. A job is one
// or more tasks; each leaves a mark when it begins and a result when it ends, both written once.
import { dirname, join } from 'node:path';
import type { ContextMap } from '../config/context-map.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { fail } from '../errors.ts';
import { EVENTS, type LoopEvent, type NewEvent } from '../events.ts';
import { fileFacts } from '../io/files.ts';
import { identify } from '../io/identity.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { packageEntry, packageVersion } from '../io/package.ts';
import { createText, entryStat, ifPossible, parseJson, privateFolder, readText, writeAtomic } from '../io/store.ts';
import type { StageEnd } from '../plan/stage-end.ts';
import { type Check, count, flag, isTexts, listOf, name, oneOf, optional, shaped, text } from '../shape.ts';
import type { Task, TaskEnd } from '../stage/backend.ts';
import type { Lab, StageRun } from '../stage/run.ts';
import type { CarryLink, Tree } from '../worktree/tree.ts';
import { type OpenJob, openJobs } from './jobs.ts';

/** What every attempt of a run needs to know of it: what the controller read, so that a node need not read it again. */
export interface RunContext {
  readonly version: 1;
  /** The version of mendloop that the run has. */
  readonly program: string;
  readonly home: string;
  readonly lab: Lab;
  readonly graceMs: number;
  readonly tree: Pick<Tree, 'gitDir' | 'branch' | 'links'>;
  readonly map: ContextMap;
  readonly logs: LoopConfig['logs'];
}

const isLink: Check<CarryLink> = shaped({ path: text, target: text });
const isContext: Check<RunContext> = shaped({
  version: oneOf([1]),
  program: name,
  home: name,
  lab: oneOf(['real', 'simulated']),
  graceMs: count,
  tree: shaped({ gitDir: name, branch: name, links: listOf(isLink) }),
  map: shaped({}) as Check as Check<ContextMap>,
  logs: shaped({ max_mb: count }),
});

const isTask: Check<Task> = shaped({
  run: name,
  stage: name,
  step: name,
  cell: isTexts,
  attempt: count,
  commit: name,
  timeout_ms: count,
  spec: name,
});

const isJob = shaped({ version: oneOf([1]), tasks: listOf(isTask) });

/** What an attempt left: its end, or what it died of. */
export type Result = TaskEnd | { readonly thrown: { readonly message: string; readonly code?: string | undefined } };

/**
 * Writes jobs of a run, each with its intent in the journal, so that a later start looks for it; `made`: how many the run had. What
 * it returns throws MendError when the disk refuses.
 */
export function jobWriter(run: StageRun, backend: string, jobsBefore: number) {
  const { id, layout, journal } = run;
  let count = jobsBefore;
  return (tasks: readonly Task[], after: readonly string[] = []): { job: string; file: string } => {
    if (count === jobsBefore) writeContext(run);
    count = nextJob(layout, id, count);
    const job = String(count);
    const file = writeJob(layout, id, job, tasks);
    const named = tasks.map(({ step, attempt }) => ({ step, attempt }));
    const { commit } = tasks[0] as Task;
    journal.append({ type: 'job.intended', data: { job, backend, tasks: named, commit, after: [...after] } });
    return { job, file };
  };
}

/** Writes what attempts need to know of `run`; its path. Throws MendError when the disk refuses. */
export function writeContext({ id, layout, lab, graceMs, tree, config }: StageRun): string {
  const { gitDir, branch, links } = tree;
  const context = {
    version: 1,
    program: packageVersion(),
    home: layout.home,
    lab,
    graceMs,
    tree: { gitDir, branch, links },
    map: config.map,
    logs: config.loop.logs,
  };
  const path = layout.runContext(id);
  writeAtomic(path, JSON.stringify(context));
  return path;
}

/** The number behind `last` that no folder of the run has: one may be there that the journal, on a full disk, did not get. */
export function nextJob(layout: Layout, run: string, last: number): number {
  const isTaken = (number: number) => fileFacts(join(layout.jobs(run), String(number))) !== undefined;
  let next = last + 1;
  while (isTaken(next)) next += 1;
  return next;
}

/** Writes a job into a folder of its own; the path of its file. Throws MendError when the disk refuses. */
export function writeJob(layout: Layout, run: string, job: string, tasks: readonly Task[]): string {
  const folder = join(layout.jobs(run), job);
  privateFolder(folder);
  const file = join(folder, 'job.json');
  writeAtomic(file, JSON.stringify({ version: 1, tasks }));
  return file;
}

/** What a job is made of; undefined when its file is not what it should be. */
function readJob(file: string): { tasks: readonly Task[] } | undefined {
  const job = parseJson(readText(file) ?? '');
  return isJob(job) ? job : undefined;
}

export const countTasks = (file: string): number => readJob(file)?.tasks.length ?? 0;

/**
 * A task with the context of its run; undefined when one of the files is not what it should be, or not below the folder of the run that
 * it names. Throws E_NOT_PRIVATE when others may write there, E_WORKER_VERSION when this program has another version than the run.
 */
export function readTask(file: string, index: number): { task: Task; context: RunContext } | undefined {
  const task = readJob(file)?.tasks[index];
  const context = parseJson(readText(join(dirname(file), '../../context.json')) ?? '');
  if (!task || !isContext(context)) return undefined;
  const jobs = layoutOf(context.home).jobs(task.run);
  if (dirname(dirname(file)) !== jobs) return undefined;
  requirePrivate(jobs);
  const [here, there] = [packageVersion(), context.program];
  if (here !== there) fail('E_WORKER_VERSION', { here, there });
  return { task, context };
}

const OTHERS_MAY_WRITE = 0o022;

/** Whoever writes below the folder of a run decides what runs: throws E_NOT_PRIVATE when that is not this user alone. */
export function requirePrivate(folder: string): void {
  for (const path of [folder, dirname(folder), dirname(dirname(folder))]) {
    const stat = entryStat(path);
    if (!stat) continue;
    const isOthers = stat.uid !== 0 && stat.uid !== process.getuid?.();
    if (isOthers || (stat.mode & OTHERS_MAY_WRITE) !== 0) fail('E_NOT_PRIVATE', { path });
  }
}

/** The command that makes an attempt, on any machine that shares home and this program. `array`: Slurm says which task it is. */
export const attemptArgv = (file: string, index: number | 'array', signMs = 0): string[] => [
  process.execPath,
  packageEntry(),
  '--attempt',
  file,
  String(index),
  String(signMs),
];

const beside = (file: string, index: number, what: string): string => join(dirname(file), `${index}.${what}`);
export const resultPath = (file: string, index: number): string => beside(file, index, 'result.json');

const markPath = (file: string, index: number): string => beside(file, index, 'begun');
/** The text in the mark of a withdrawn task. */
const WITHDRAWN = 'withdrawn';

/** The job of Slurm that this process is, as squeue names it; undefined outside of one. */
export function slurmJobOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { SLURM_JOB_ID: id, SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: index } = env;
  return array && index ? `${array}_${index}` : id;
}

/** False when it was begun before or withdrawn: then it must not run. `maker`: what its backend calls the job that begins it. */
export const beginTask = (file: string, index: number, maker = ''): boolean =>
  createText(markPath(file, index), JSON.stringify({ ...identify(process.pid), maker }));

/** Who began it; undefined when nobody did, or it was withdrawn. */
export function makerOf(file: string, index: number): string | undefined {
  const mark = readText(markPath(file, index));
  if (mark === undefined || mark === WITHDRAWN) return undefined;
  const { maker } = (parseJson(mark) ?? {}) as { maker?: unknown };
  return typeof maker === 'string' ? maker : '';
}

/** Withdraws a task, so that it is never begun; false when it has begun. */
export const withdrawTask = (file: string, index: number): boolean =>
  createText(markPath(file, index), WITHDRAWN) || isWithdrawn(file, index);

export const isWithdrawn = (file: string, index: number): boolean => readText(markPath(file, index)) === WITHDRAWN;

/** Whether it began anywhere. */
export const hasBegun = (file: string, index: number): boolean => makerOf(file, index) !== undefined;

/** A sign of life of the process that makes a task; the text must differ each time. Throws MendError when the disk refuses. */
export const writeSign = (file: string, index: number, text: string): void =>
  writeAtomic(beside(file, index, 'sign'), text);

export const readSign = (file: string, index: number): string | undefined =>
  ifPossible(() => readText(beside(file, index, 'sign')));

export const writeResult = (file: string, index: number, result: Result): void =>
  writeAtomic(resultPath(file, index), JSON.stringify(result));

/**
 * What a job of an array does first, for sh: where another job of it has made its cell already, it ends as that did, without a start
 * of Node; where another one is at it, it waits for a while.
 */
export function arrayScript(file: string): string {
  const green = `grep -q '^{"end":{"kind":"green"' "$f.result.json"`;
  const wait = '[ -e "$f.begun" ] && [ ! -e "$f.result.json" ] && [ $i -lt 60 ]';
  const path = `${dirname(file)}/`.replaceAll("'", "'\\''");
  return `f='${path}'$SLURM_ARRAY_TASK_ID; i=0; while ${wait}; do sleep 1; i=$((i+1)); done; if [ -e "$f.result.json" ]; then ${green}; exit; fi; `;
}

/** What attempts may tell: of themselves, and nothing that only the controller decides. */
const ATTEMPT_EVENTS = ['attempt.started', 'check.started', 'attempt.changed', 'attempt.ended', 'notice'] as const;
const isAttemptEvent = shaped({
  type: oneOf(ATTEMPT_EVENTS),
  stage: optional(text),
  step: optional(text),
  attempt: optional(count),
  data: shaped({}),
}) as Check as Check<NewEvent>;
const isLoss = shaped({
  ...{ code: name, next: text, transient: flag, began: flag },
  ...{ what: optional(text), host: optional(text) },
});
const KINDS = ['failed', 'stopped', 'halted', 'lost', 'unbegun'] as const;
const isWhy = shaped({ kind: oneOf(KINDS), message: text });
const isStageEnd = ((value) =>
  shaped({ kind: oneOf(['green']) })(value) ||
  (isWhy(value) && (value.kind !== 'lost' || shaped({ loss: isLoss })(value)))) as Check<StageEnd>;
const isEnd = shaped({ end: isStageEnd, events: optional(listOf(isAttemptEvent)) });
const isThrown = shaped({ thrown: shaped({ message: text, code: optional(text) }) });

/** The result of a task; undefined while there is none, `broken` when there is something else. */
export function readResult(file: string, index: number, task: Task): Result | 'broken' | undefined {
  const written = ifPossible(() => readText(resultPath(file, index)));
  if (written === undefined) return undefined;
  const result = parseJson(written);
  if (isThrown(result)) return result;
  return isEnd(result) && (result.events ?? []).every((event) => isOf(event, task)) ? result : 'broken';
}

/** The end that an attempt left, for a run whose tree is at `head`. Throws what it died of. */
export function endOf(result: Result, task: Task, head: string): TaskEnd {
  if ('thrown' in result) throw Object.assign(new Error(result.thrown.message), { code: result.thrown.code });
  if (result.end.kind !== 'unbegun' || task.commit !== head) return result;
  // Attempts are taken back before the tree is written, so none of ours has moved it.
  const message = `${result.end.message}: somebody moved it while attempts were under way`;
  return { end: { kind: 'halted', message, context: { human: true, next: 'mendloop' } } };
}

/** How an attempt that left this ended; undefined where that is no end. */
export const endIn = (result: ReturnType<typeof readResult>): StageEnd | undefined =>
  typeof result === 'object' && 'end' in result ? result.end : undefined;

export const isGreen = (result: ReturnType<typeof readResult>): boolean => endIn(result)?.kind === 'green';

/** An event with the data of its type, about this attempt or about no step. */
const isOf = ({ type, step, attempt, data }: NewEvent, task: Task): boolean =>
  EVENTS[type].isData(data) && (step ?? task.step) === task.step && (attempt ?? task.attempt) === task.attempt;

/** A task that a run handed on, and its job as the journal has it; `size`: how many tasks that has. */
export interface OpenTask extends Omit<OpenJob, 'open'> {
  readonly file: string;
  readonly index: number;
  readonly size: number;
  readonly task: Task;
}

/** The tasks that a run handed on, to one backend or to any, and whose end its journal does not have. */
export const openTasks = (layout: Layout, run: string, events: readonly LoopEvent[], backend?: string): OpenTask[] =>
  openJobs(events).jobs.flatMap(({ open, ...job }) => {
    if (backend !== undefined && job.backend !== backend) return [];
    const file = join(layout.jobs(run), job.job, 'job.json');
    const tasks = readJob(file)?.tasks ?? [];
    return [...open.keys()].flatMap((index) => {
      const task = tasks[index];
      return task ? [{ ...job, file, index, size: tasks.length, task }] : [];
    });
  });

/** The steps whose attempts elsewhere ended green, and whose end the journal does not have yet. */
export function greenElsewhere(layout: Layout, run: string, events: readonly LoopEvent[]): Set<string> {
  const open = openTasks(layout, run, events);
  return new Set(open.flatMap(({ file, index, task }) => (isGreen(readResult(file, index, task)) ? [task.step] : [])));
}
