// slurm-dag: a step is a job of Slurm, submitted as soon as it is sure that it is to do, with `afterok` on the jobs of what it
// needs. Slurm starts them one behind the other; this hands on, follows, and takes back before the tree is written.
import { MendError } from '../errors.ts';
import { type Inputs, isInputs } from '../events.ts';
import type { Outcome } from '../plan/action.ts';
import { compareInputs } from '../plan/inputs.ts';
import { isUnreachable } from '../slurm/client.ts';
import type { Backend, Task, TaskAhead, TaskEnd } from '../stage/backend.ts';
import { haltFor, stepInputs } from '../stage/call.ts';
import type { StageRun } from '../stage/run.ts';
import { groupTasks } from './group-tasks.ts';
import type { Handed, SlurmJobs } from './slurm-jobs.ts';
import { hasBegun } from './task-file.ts';

export const SLURM_DAG = 'slurm-dag';

export interface DagPorts {
  readonly jobs: SlurmJobs;
  /** What an earlier process of this run handed on. */
  readonly adopted: readonly Handed[];
  readonly maxArraySize: number;
  /** What is surely to do, needs first; nothing while the tree is written. */
  ahead(): readonly TaskAhead[];
}

/** Steps become ready one by one within a moment; together they are one array. */
const GATHER_MS = 60;
const MAX_GATHER_MS = 2000;
/** How long what runs may take to end when a run closes. */
const CLOSE_MS = 55_000;

type Asked = { task: Task; answer(taken: Handed | TaskEnd | Promise<never>): void };

export function slurmDag(run: StageRun, { jobs, adopted, maxArraySize, ahead }: DagPorts): Backend {
  /** Step → its newest attempt that was handed on and whose end was not told yet. */
  const open = new Map<string, Handed>(adopted.map((handed) => [handed.task.step, handed]));
  let asked: Asked[] = [];
  let submitting: Promise<void> = Promise.resolve();
  let fault: { error: unknown } | undefined;
  let gathering: { timer: NodeJS.Timeout; since: number } | undefined;

  return {
    width: Number.POSITIVE_INFINITY,
    keepsTime: true,
    holds: (step) => open.has(step),
    hasBegun(step) {
      const handed = open.get(step);
      return handed !== undefined && handed.withdrawn === undefined && hasBegun(handed.file, handed.index);
    },
    attempt,
    hold: (stage) => inTurn(() => giveBack(stage)),
    withdraw: () => withdraw('the tree is written'),
    close,
  };

  /** Work on the jobs of the run, one after the other. What it throws, a bug or a disk, is what every attempt ends with. */
  function inTurn(work: () => Promise<void>): void {
    submitting = submitting.then(work).catch((error) => {
      fault ??= { error };
      for (const { answer } of asked.splice(0)) answer(Promise.reject(error));
    });
  }

  async function attempt(task: Task, signal: AbortSignal): Promise<TaskEnd> {
    if (fault) throw fault.error;
    try {
      const submitted = open.get(task.step);
      const handed = submitted?.task.attempt === task.attempt ? submitted : await handOn(task);
      if (!('file' in handed)) return handed;
      const end = await judged(await jobs.end(handed, signal), handed);
      open.delete(task.step);
      if (!('outcome' in end && end.outcome.kind === 'done')) await dropBehind(task.step);
      return end;
    } catch (error) {
      if (!(error instanceof MendError)) throw error;
      return { outcome: haltFor(error), events: [] };
    }
  }

  /** The end, as far as it says something of the tree as it is now: jobs that ran ahead may have seen an earlier one. */
  async function judged(end: TaskEnd, { task, withdrawn }: Handed): Promise<TaskEnd> {
    const isSameTree = task.commit === run.tree.head;
    if ('returned' in end && isSameTree && withdrawn === undefined) {
      const message = `${end.returned}: somebody moved it while jobs were under way`;
      return { outcome: { kind: 'halt', message, context: { human: true } }, events: [] };
    }
    if (isSameTree || !('outcome' in end) || !run.config.map.stages[task.stage]?.rerun) return end;
    const made = inputsOf(end.outcome);
    if (!made || compareInputs(made, { ...made, ...(await stepInputs(run, task.stage, task.cell)) }).fresh) return end;
    const message = 'what it is made from changed meanwhile: once more';
    return { outcome: { kind: 'failed', message, context: { run_alone: true } }, events: end.events };
  }

  async function handOn(task: Task): Promise<Handed | TaskEnd> {
    return new Promise((answer) => {
      asked.push({ task, answer });
      const since = gathering?.since ?? run.clock.monotonic();
      if (gathering && run.clock.monotonic() - since > MAX_GATHER_MS) return;
      clearTimeout(gathering?.timer);
      const timer = setTimeout(() => {
        gathering = undefined;
        inTurn(submitAsked);
      }, GATHER_MS);
      gathering = { timer, since };
    });
  }

  /** Submits what was asked for, and what is sure to follow it: all of it, or nothing. */
  async function submitAsked(): Promise<void> {
    const now = asked;
    asked = [];
    if (now.length === 0) return;
    const batch = new Map<string, Handed>();
    try {
      const wanted = now.map(({ task }) => ({ ...task, after: [] }));
      for (const tasks of groupTasks([...wanted, ...(await following(wanted))], maxArraySize)) {
        const after = tasks[0]?.after ?? [];
        const parents = after.flatMap((step) => batch.get(step) ?? open.get(step) ?? []);
        for (const handed of await jobs.submit(tasks, after, parents)) batch.set(handed.task.step, handed);
      }
    } catch (error) {
      const end = error instanceof MendError ? { outcome: haltFor(error), events: [] } : undefined;
      for (const { answer } of now) answer(end ?? Promise.reject(error));
      // Nothing of it may run while the run believes that none of it was submitted.
      await jobs.cancelAll([...batch.values()], 'what was to be submitted with it could not be', CLOSE_MS);
      return;
    }
    for (const [step, handed] of batch) open.set(step, handed);
    for (const { task, answer } of now) answer(batch.get(task.step) as Handed);
  }

  /** What is sure to follow, where every job that it waits for is one of ours that can still end well. */
  async function following(wanted: readonly Task[]): Promise<TaskAhead[]> {
    const inBatch = new Set(wanted.map(({ step }) => step));
    const candidates = ahead().filter(({ step }) => !inBatch.has(step) && !open.has(step));
    const earlier = [...new Set(candidates.flatMap(({ after }) => after))].flatMap((step) => open.get(step) ?? []);
    const states = earlier.length > 0 ? await jobs.canEndWell(earlier) : new Map<string, 'done' | 'live'>();
    const isLive = (step: string) => inBatch.has(step) || states.has(step);
    const isDone = (step: string) => !inBatch.has(step) && states.get(step) === 'done';
    return candidates.flatMap((task) => {
      if (!task.after.every(isLive)) return [];
      inBatch.add(task.step);
      return [{ ...task, after: task.after.filter((step) => !isDone(step)) }];
    });
  }

  /** What waits for a step that did not end green: Slurm would never start it, or not forget it. */
  async function dropBehind(step: string): Promise<void> {
    const behind = [...open.values()].filter(({ after }) => after.includes(step));
    if (behind.length === 0) return;
    await takeBack(behind, `${step} did not end green`);
    for (const { task } of behind) await dropBehind(task.step);
  }

  /** Gives back what has not begun, and what waits for it. */
  async function giveBack(stage: string | undefined): Promise<void> {
    const held = [...open.values()].filter(({ task }) => stage === undefined || task.stage === stage);
    await takeBack(held, stage === undefined ? 'the run halts' : `a failure of ${stage} is being decided`);
    for (const { task, withdrawn } of held) if (withdrawn !== undefined) await dropBehind(task.step);
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async function takeBack(some: readonly Handed[], reason: string): Promise<Handed[]> {
    const running = await jobs.takeBack(some, reason);
    for (const { task, withdrawn } of some) if (withdrawn !== undefined) open.delete(task.step);
    return running;
  }

  /** Takes back what has not begun and waits for what has. */
  async function withdraw(reason: string): Promise<void> {
    clearTimeout(gathering?.timer);
    gathering = undefined;
    await submitting;
    for (const { answer } of asked.splice(0)) answer({ returned: reason });
    let running = await takeBack([...open.values()], reason);
    while (running.length > 0) running = await jobs.gone(running, CLOSE_MS);
  }

  async function close(): Promise<void> {
    clearTimeout(gathering?.timer);
    await submitting;
    // A Slurm that stays away is the next start's: what has not begun will not, and what has is in the journal.
    await jobs.cancelAll([...open.values()], 'the run ended', CLOSE_MS).catch((error) => {
      if (!isUnreachable(error)) throw error;
    });
    open.clear();
  }
}

function inputsOf(outcome: Outcome): Inputs | undefined {
  const inputs =
    outcome.kind === 'done' ? outcome.result?.inputs : outcome.kind === 'failed' && outcome.context?.inputs;
  return isInputs(inputs) ? inputs : undefined;
}
