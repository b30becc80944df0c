// What both Slurm backends are to a run: attempts are gathered, handed on by their carrier, followed to their ends, and taken back
// before the tree is written.
import { MendError } from '../errors.ts';
import { type Inputs, isInputs } from '../events.ts';
import { compareInputs } from '../plan/inputs.ts';
import { haltFor, type StageEnd, stopEnd } from '../plan/stage-end.ts';
import { stopReason } from '../plan/stop.ts';
import type { Job } from '../slurm/job.ts';
import type { Backend, Task, TaskEnd } from '../stage/backend.ts';
import { stepInputs } from '../stage/call.ts';
import type { StageRun } from '../stage/run.ts';
import type { Handed, SlurmAttempts } from './slurm-attempts.ts';
import { hasBegun } from './task-file.ts';

/** How attempts reach nodes: as jobs of their own, or through workers. */
export interface Carrier {
  /** How many steps may be under way at once. */
  readonly width: number;
  /** What an earlier process of this run handed on. */
  readonly adopted: readonly Handed[];
  /** Hands on all of these, and what is sure to follow, or throws MendError and nothing of it may run. */
  submit(tasks: readonly Task[], open: ReadonlyMap<string, Handed>, signal: AbortSignal): Promise<readonly Handed[]>;
  /** Which jobs of Slurm are ended when the run is; default: those of the attempts that are open. */
  isMeant?(job: Job): boolean;
  /** Whether something is seen to go on though Slurm does not answer. */
  isAlive?(): boolean;
  /** No more is handed on. */
  close?(): Promise<void>;
}

/** What is gathered is handed on together. */
const GATHER_MS = 40;
const MAX_GATHER_MS = 2000;
/** How often it is asked again whether what runs has ended. */
const GONE_MS = 60_000;

interface Asked {
  readonly task: Task;
  readonly signal: AbortSignal;
  answer(taken: Handed | TaskEnd | Promise<never>): void;
}

export function slurmBackend(run: StageRun, attempts: SlurmAttempts, carrier: Carrier): Backend {
  /** Step → its newest attempt that was handed on and whose end was not returned yet. */
  const open = new Map<string, Handed>(carrier.adopted.map((handed) => [handed.task.step, handed]));
  const asked: Asked[] = [];
  let gathering: { timer: NodeJS.Timeout; since: number } | undefined;
  let submitting: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | undefined;
  let fault: { error: unknown } | undefined;
  /** Whether some of it could not be seen to have ended. */
  let mayRun = false;

  return {
    width: carrier.width,
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

  /** Steps become ready one by one within a moment: waits until none came for a while. */
  function ask(more: Asked): void {
    asked.push(more);
    const now = run.clock.monotonic();
    const since = gathering?.since ?? now;
    if (gathering && now - since >= MAX_GATHER_MS) return;
    clearTimeout(gathering?.timer);
    gathering = { since, timer: setTimeout(() => inTurn(submitAsked), GATHER_MS) };
  }

  function takeAsked(): Asked[] {
    clearTimeout(gathering?.timer);
    gathering = undefined;
    return asked.splice(0);
  }

  /** Work on the jobs of the run, one after the other. What it throws, a bug or a disk, is what every attempt ends with. */
  function inTurn(work: () => Promise<void>): void {
    submitting = submitting.then(work).catch((error) => {
      fault ??= { error };
      for (const { answer } of takeAsked()) answer(Promise.reject(error));
    });
  }

  async function attempt(task: Task, signal: AbortSignal): Promise<TaskEnd> {
    if (fault) throw fault.error;
    try {
      const submitted = open.get(task.step);
      const handOn = () => new Promise<Handed | TaskEnd>((answer) => ask({ task, signal, answer }));
      const handed = submitted?.task.attempt === task.attempt ? submitted : await handOn();
      if (!('file' in handed)) return handed;
      const end = await judged((await attempts.end(handed, signal)) ?? (await stopped(handed, signal)), handed);
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
    return attempts.result(handed, true) ?? { end: stopEnd(signal) };
  }

  async function submitAsked(): Promise<void> {
    const all = takeAsked();
    for (const { signal, answer } of all) if (signal.aborted) answer({ end: stopEnd(signal) });
    const now = all.filter(({ signal }) => !signal.aborted);
    const [first] = now;
    if (!first) return;
    try {
      const tasks = now.map(({ task }) => task);
      const handed = new Map(
        (await carrier.submit(tasks, open, first.signal)).map((one) => [one.task.step, one] as const),
      );
      for (const [step, one] of handed) open.set(step, one);
      for (const { task, answer } of now) answer(handed.get(task.step) as Handed);
    } catch (error) {
      const halted = error instanceof MendError ? haltFor(error) : undefined;
      const end = first.signal.aborted ? stopEnd(first.signal) : halted;
      for (const { answer } of now) answer(end ? { end } : Promise.reject(error));
    }
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
    const running = await attempts.takeBack(some, reason);
    for (const { task, withdrawn } of some) if (withdrawn !== undefined) open.delete(task.step);
    return running;
  }

  /** Takes back what has not begun and waits for what has. */
  async function withdraw(reason: string): Promise<void> {
    const unsubmitted = takeAsked();
    await submitting;
    for (const { answer } of [...unsubmitted, ...takeAsked()]) answer({ end: { kind: 'unbegun', message: reason } });
    let running = await takeBack([...open.values()], reason);
    while (running.length > 0) running = await attempts.untilGone(running, GONE_MS);
  }

  async function close(): Promise<boolean> {
    await (stopping ?? cancelOpen('the run ended'));
    await carrier.close?.();
    open.clear();
    return !mayRun;
  }

  async function cancelOpen(reason: string, signal?: AbortSignal): Promise<void> {
    for (const asking of takeAsked()) asking.answer({ end: stopEnd(asking.signal) });
    await submitting;
    const isByPerson = signal !== undefined && stopReason(signal)?.code === 'INTERRUPTED';
    if (await attempts.cancelAll([...open.values()], reason, isByPerson, carrier.isMeant)) mayRun = true;
  }
}

function inputsOf(end: StageEnd): Inputs | undefined {
  const inputs = end.kind === 'green' ? end.result?.inputs : end.kind === 'failed' && end.context?.inputs;
  return isInputs(inputs) ? inputs : undefined;
}
