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

export class SlurmBackend implements Backend {
  readonly keepsTime = true;
  readonly width: number;
  readonly #run: StageRun;
  readonly #attempts: SlurmAttempts;
  readonly #carrier: Carrier;
  /** Step → its newest attempt that was handed on and whose end was not returned yet. */
  readonly #open: Map<string, Handed>;
  readonly #asked: Asked[] = [];
  #gathering: { timer: NodeJS.Timeout; since: number } | undefined;
  #submitting: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | undefined;
  #fault: { error: unknown } | undefined;
  /** Whether some of it could not be seen to have ended. */
  #mayRun = false;

  constructor(run: StageRun, attempts: SlurmAttempts, carrier: Carrier) {
    this.#run = run;
    this.#attempts = attempts;
    this.#carrier = carrier;
    this.width = carrier.width;
    this.#open = new Map(carrier.adopted.map((handed) => [handed.task.step, handed]));
  }

  holds(step: string): boolean {
    return this.#open.has(step);
  }

  hasBegun(step: string): boolean {
    const handed = this.#open.get(step);
    return handed !== undefined && handed.withdrawn === undefined && hasBegun(handed.file, handed.index);
  }

  hold(stage?: string): void {
    this.#inTurn(() => this.#giveBack(stage));
  }

  /** Steps become ready one by one within a moment: waits until none came for a while. */
  #ask(more: Asked): void {
    this.#asked.push(more);
    const now = this.#run.clock.monotonic();
    const since = this.#gathering?.since ?? now;
    if (this.#gathering && now - since >= MAX_GATHER_MS) return;
    clearTimeout(this.#gathering?.timer);
    this.#gathering = { since, timer: setTimeout(() => this.#inTurn(() => this.#submitAsked()), GATHER_MS) };
  }

  #takeAsked(): Asked[] {
    clearTimeout(this.#gathering?.timer);
    this.#gathering = undefined;
    return this.#asked.splice(0);
  }

  /** Work on the jobs of the run, one after the other. What it throws, a bug or a disk, is what every attempt ends with. */
  #inTurn(work: () => Promise<void>): void {
    this.#submitting = this.#submitting.then(work).catch((error) => {
      this.#fault ??= { error };
      for (const { answer } of this.#takeAsked()) answer(Promise.reject(error));
    });
  }

  async attempt(task: Task, signal: AbortSignal): Promise<TaskEnd> {
    if (this.#fault) throw this.#fault.error;
    try {
      const submitted = this.#open.get(task.step);
      const handOn = () => new Promise<Handed | TaskEnd>((answer) => this.#ask({ task, signal, answer }));
      const handed = submitted?.task.attempt === task.attempt ? submitted : await handOn();
      if (!('file' in handed)) return handed;
      const end = await this.#judged(
        (await this.#attempts.end(handed, signal)) ?? (await this.#stopped(handed, signal)),
        handed,
      );
      this.#open.delete(task.step);
      // Slurm would never start what waits for it, or not forget it.
      if (end.end.kind !== 'green') await this.#takeBack(this.#behind([task.step]), `${task.step} did not end green`);
      return end;
    } catch (error) {
      if (!(error instanceof MendError)) throw error;
      return { end: haltFor(error) };
    }
  }

  /** The end, as far as it says something of the tree as it is now: jobs that ran ahead may have seen an earlier one. */
  async #judged(left: TaskEnd, { task }: Handed): Promise<TaskEnd> {
    if (task.commit === this.#run.tree.head || !this.#run.config.map.stages[task.stage]?.rerun) return left;
    const inputs = inputsOf(left.end);
    if (!inputs || compareInputs(inputs, { ...inputs, ...(await stepInputs(this.#run, task.stage, task.cell)) }).fresh)
      return left;
    const message = 'what it is made from changed meanwhile: once more';
    return { ...left, end: { kind: 'failed', message, context: { run_alone: true } } };
  }

  /** The end of an attempt when the run stops: the first call cancels all that is open. */
  async #stopped(handed: Handed, signal: AbortSignal): Promise<TaskEnd> {
    this.#stopping ??= this.#cancelOpen('the run stops', signal);
    await this.#stopping;
    return this.#attempts.result(handed, true) ?? { end: stopEnd(signal) };
  }

  async #submitAsked(): Promise<void> {
    const all = this.#takeAsked();
    for (const { signal, answer } of all) if (signal.aborted) answer({ end: stopEnd(signal) });
    const now = all.filter(({ signal }) => !signal.aborted);
    const [first] = now;
    if (!first) return;
    try {
      const tasks = now.map(({ task }) => task);
      const handed = new Map(
        (await this.#carrier.submit(tasks, this.#open, first.signal)).map((one) => [one.task.step, one] as const),
      );
      for (const [step, one] of handed) this.#open.set(step, one);
      for (const { task, answer } of now) answer(handed.get(task.step) as Handed);
    } catch (error) {
      const halted = error instanceof MendError ? haltFor(error) : undefined;
      const end = first.signal.aborted ? stopEnd(first.signal) : halted;
      for (const { answer } of now) answer(end ? { end } : Promise.reject(error));
    }
  }

  /** What waits for one of these steps, directly or not. */
  #behind(steps: readonly string[]): Handed[] {
    const waiting = new Set<Handed>();
    for (const queue = [...steps]; queue.length > 0; ) {
      const step = queue.pop() as string;
      const next = [...this.#open.values()].filter((handed) => handed.after.includes(step) && !waiting.has(handed));
      for (const handed of next) waiting.add(handed);
      queue.push(...next.map(({ task }) => task.step));
    }
    return [...waiting];
  }

  /** Gives back what has not begun, and what waits for it. */
  async #giveBack(stage: string | undefined): Promise<void> {
    const held = [...this.#open.values()].filter(({ task }) => stage === undefined || task.stage === stage);
    const reason = stage === undefined ? 'the run halts' : `a failure of ${stage} is being decided`;
    await this.#takeBack(held, reason);
    const returned = held.filter(({ withdrawn }) => withdrawn !== undefined);
    await this.#takeBack(this.#behind(returned.map(({ task }) => task.step)), reason);
  }

  /** Sees to it that what has not begun never does; returns what has. */
  async #takeBack(some: readonly Handed[], reason: string): Promise<Handed[]> {
    const running = await this.#attempts.takeBack(some, reason);
    for (const { task, withdrawn } of some) if (withdrawn !== undefined) this.#open.delete(task.step);
    return running;
  }

  /** Takes back what has not begun and waits for what has. */
  async withdraw(): Promise<void> {
    const reason = 'the tree is written';
    const unsubmitted = this.#takeAsked();
    await this.#submitting;
    for (const { answer } of [...unsubmitted, ...this.#takeAsked()])
      answer({ end: { kind: 'unbegun', message: reason } });
    let running = await this.#takeBack([...this.#open.values()], reason);
    while (running.length > 0) running = await this.#attempts.untilGone(running, GONE_MS);
  }

  async close(): Promise<boolean> {
    await (this.#stopping ?? this.#cancelOpen('the run ended'));
    await this.#carrier.close?.();
    this.#open.clear();
    return !this.#mayRun;
  }

  async #cancelOpen(reason: string, signal?: AbortSignal): Promise<void> {
    for (const asking of this.#takeAsked()) asking.answer({ end: stopEnd(asking.signal) });
    await this.#submitting;
    const isByPerson = signal !== undefined && stopReason(signal)?.code === 'INTERRUPTED';
    if (await this.#attempts.cancelAll([...this.#open.values()], reason, isByPerson, this.#carrier.isMeant))
      this.#mayRun = true;
  }
}

function inputsOf(end: StageEnd): Inputs | undefined {
  const inputs = end.kind === 'green' ? end.result?.inputs : end.kind === 'failed' && end.context?.inputs;
  return isInputs(inputs) ? inputs : undefined;
}
