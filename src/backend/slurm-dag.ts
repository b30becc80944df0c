// slurm-dag: a step is a job of Slurm, submitted as soon as it is sure that it is to do, with `afterok` on the jobs of what it
// needs. Slurm starts them one behind the other; this hands on, follows, and takes back before the tree is written.
import { MendError } from '../errors.ts';
import { type Inputs, isInputs } from '../events.ts';
import { compareInputs } from '../plan/inputs.ts';
import { haltFor, type StageEnd, stopEnd } from '../plan/stage-end.ts';
import { stopReason } from '../plan/stop.ts';
import type { Backend, Task, TaskAhead, TaskEnd } from '../stage/backend.ts';
import { stepInputs } from '../stage/call.ts';
import type { StageRun } from '../stage/run.ts';
import { gatherer } from './gather.ts';
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

/** What is gathered is one array. */
const GATHER_MS = 60;
const MAX_GATHER_MS = 2000;
/** How often it is asked again whether what runs has ended. */
const GONE_MS = 60_000;

type Asked = { task: Task; signal: AbortSignal; answer(taken: Handed | TaskEnd | Promise<never>): void };

export function slurmDag(run: StageRun, { jobs, adopted, maxArraySize, ahead }: DagPorts): Backend {
  /** Step → its newest attempt that was handed on and whose end was not returned yet. */
  const open = new Map<string, Handed>(adopted.map((handed) => [handed.task.step, handed]));
  const asked = gatherer<Asked>(run.clock, () => inTurn(submitAsked), GATHER_MS, MAX_GATHER_MS);
  let submitting: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | undefined;
  let fault: { error: unknown } | undefined;
  /** Whether some of it could not be seen to have ended. */
  let mayRun = false;

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
      for (const { answer } of asked.take()) answer(Promise.reject(error));
    });
  }

  async function attempt(task: Task, signal: AbortSignal): Promise<TaskEnd> {
    if (fault) throw fault.error;
    try {
      const submitted = open.get(task.step);
      const handOn = () => new Promise<Handed | TaskEnd>((answer) => asked.add({ task, signal, answer }));
      const handed = submitted?.task.attempt === task.attempt ? submitted : await handOn();
      if (!('file' in handed)) return handed;
      const end = await judged((await jobs.end(handed, signal)) ?? (await stopped(handed, signal)), handed);
      open.delete(task.step);
      // Slurm would never start what waits for it, or not forget it.
      if (end.end.kind !== 'green') await takeBack(behind([task.step]), `${task.step} did not end green`);
      return end;
    } catch (error) {
      if (!(error instanceof MendError)) throw error;
      return { end: haltFor(error) };
    }
  }

  /** The end, as far as it says something of the tree as it is now: jobs that ran ahead may have seen an earlier one. */
  async function judged(left: TaskEnd, { task }: Handed): Promise<TaskEnd> {
    if (task.commit === run.tree.head || !run.config.map.stages[task.stage]?.rerun) return left;
    const inputs = inputsOf(left.end);
    if (!inputs || compareInputs(inputs, { ...inputs, ...(await stepInputs(run, task.stage, task.cell)) }).fresh)
      return left;
    const message = 'what it is made from changed meanwhile: once more';
    return { ...left, end: { kind: 'failed', message, context: { run_alone: true } } };
  }

  /** The end of an attempt when the run stops: the first call cancels all that is open. */
  async function stopped(handed: Handed, signal: AbortSignal): Promise<TaskEnd> {
    stopping ??= cancelOpen('the run stops', signal);
    await stopping;
    return jobs.result(handed) ?? { end: stopEnd(signal) };
  }

  /** Submits what was asked for, and what is sure to follow it: all of it, or nothing. */
  async function submitAsked(): Promise<void> {
    const all = asked.take();
    for (const { signal, answer } of all) if (signal.aborted) answer({ end: stopEnd(signal) });
    const now = all.filter(({ signal }) => !signal.aborted);
    const [first] = now;
    if (!first) return;
    const batch = new Map<string, Handed>();
    try {
      const wanted = now.map(({ task }) => ({ ...task, after: [] }));
      for (const tasks of groupTasks([...wanted, ...(await following(wanted))], maxArraySize)) {
        const after = tasks[0]?.after ?? [];
        const parents = after.flatMap((step) => batch.get(step) ?? open.get(step) ?? []);
        for (const handed of await jobs.submit(tasks, after, parents, first.signal))
          batch.set(handed.task.step, handed);
      }
    } catch (error) {
      const halted = error instanceof MendError ? haltFor(error) : undefined;
      const end = first.signal.aborted ? stopEnd(first.signal) : halted;
      for (const { answer } of now) answer(end ? { end } : Promise.reject(error));
      // Nothing of it may run while the run believes that none of it was submitted.
      await cancelAll([...batch.values()], 'what was to be submitted with it could not be', first.signal);
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

  /** What waits for one of these steps, directly or not. */
  function behind(steps: readonly string[]): Handed[] {
    const waiting = new Set<Handed>();
    for (const queue = [...steps]; queue.length > 0; ) {
      const step = queue.pop() as string;
      const next = [...open.values()].filter((handed) => handed.after.includes(step) && !waiting.has(handed));
      for (const handed of next) waiting.add(handed);
      queue.push(...next.map(({ task }) => task.step));
    }
    return [...waiting];
  }

  /** Gives back what has not begun, and what waits for it. */
  async function giveBack(stage: string | undefined): Promise<void> {
    const held = [...open.values()].filter(({ task }) => stage === undefined || task.stage === stage);
    const reason = stage === undefined ? 'the run halts' : `a failure of ${stage} is being decided`;
    await takeBack(held, reason);
    const returned = held.filter(({ withdrawn }) => withdrawn !== undefined);
    await takeBack(behind(returned.map(({ task }) => task.step)), reason);
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async function takeBack(some: readonly Handed[], reason: string): Promise<Handed[]> {
    const running = await jobs.takeBack(some, reason);
    for (const { task, withdrawn } of some) if (withdrawn !== undefined) open.delete(task.step);
    return running;
  }

  /** Takes back what has not begun and waits for what has. */
  async function withdraw(reason: string): Promise<void> {
    const unsubmitted = asked.take();
    await submitting;
    for (const { answer } of [...unsubmitted, ...asked.take()]) answer({ end: { kind: 'unbegun', message: reason } });
    let running = await takeBack([...open.values()], reason);
    while (running.length > 0) running = await jobs.untilGone(running, GONE_MS);
  }

  async function close(): Promise<boolean> {
    await (stopping ?? cancelOpen('the run ended'));
    open.clear();
    return !mayRun;
  }

  async function cancelOpen(reason: string, signal?: AbortSignal): Promise<void> {
    for (const asking of asked.take()) asking.answer({ end: stopEnd(asking.signal) });
    await submitting;
    await cancelAll([...open.values()], reason, signal);
  }

  async function cancelAll(all: readonly Handed[], reason: string, signal?: AbortSignal): Promise<void> {
    const isByPerson = signal !== undefined && stopReason(signal)?.code === 'INTERRUPTED';
    if (await jobs.cancelAll(all, reason, isByPerson)) mayRun = true;
  }
}

function inputsOf(end: StageEnd): Inputs | undefined {
  const inputs = end.kind === 'green' ? end.result?.inputs : end.kind === 'failed' && end.context?.inputs;
  return isInputs(inputs) ? inputs : undefined;
}
