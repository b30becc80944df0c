// The schedule of a plan: ask the scheduler what may start, start it, wait, ask again.
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { Plan, PlanStep } from '../plan/contract.ts';
import { stepLabel } from '../plan/matrix.ts';
import type { RunFacts, StepState } from '../plan/run-state.ts';
import { first as firstOf, type RunScheduler } from '../plan/scheduler.ts';
import { errorOf, haltsPlan, type StageEnd } from '../plan/stage-end.ts';

export interface SchedulePorts {
  scheduler: RunScheduler;
  workers: number;
  /** Drives one step to its end; after `unbegun`, which suspends it, once more: `isResumed`. Never rejects. */
  driveStep(step: PlanStep, isResumed: boolean): Promise<StageEnd>;
  /** A step that will not run because of another. */
  skipped(step: PlanStep, because: ExecutionError): void;
  /** Ends a suspended step that will not be resumed; `because`: something that it needs failed. */
  endSuspended?(step: PlanStep, because?: ExecutionError): Promise<unknown>;
  /** Called once, when no more steps are started. */
  halted?(): void;
  /** When nothing runs any more: failed steps that are to run once more, because a person has answered meanwhile. */
  answered?(): readonly string[];
  /** Steps to do that others wait for, which occupy no worker meanwhile. */
  wanted?(): readonly string[];
  /** Which done steps are stale; undefined: none became stale since the last call. */
  stale?(): ((step: PlanStep) => boolean) | undefined;
  /** Steps that must not start yet, how many occupy no worker because they wait for others, and what is called when one begins to. */
  fleets?: { isHeld(step: PlanStep): boolean; readonly waitingCount: number; wake(): void };
}

const NO_FLEETS = { isHeld: () => false, waitingCount: 0, wake() {} };

export interface ScheduleEnd {
  steps_executed: number;
  errors: ExecutionError[];
  /** Stopped before every step had its turn. */
  halted: boolean;
  /** What green steps returned, by step id. */
  result_payload: Record<string, unknown>;
}

/** Runs `plan` to its end, from its `facts` on, which it keeps up to date. Never rejects unless a port throws. */
export const runSchedule = (plan: Plan, facts: RunFacts, ports: SchedulePorts): Promise<ScheduleEnd> =>
  new Schedule(plan, facts, ports).run();

class Schedule {
  readonly #plan: Plan;
  readonly #facts: RunFacts;
  readonly #ports: SchedulePorts;
  readonly #fleets: NonNullable<SchedulePorts['fleets']>;
  readonly #running = new Map<string, Promise<[PlanStep, StageEnd | undefined]>>();
  /** Steps that are resumed when what they need was made again: they and their needs start before all others. */
  readonly #suspended = new Map<string, PlanStep>();
  readonly #end: ScheduleEnd = { steps_executed: 0, errors: [], halted: false, result_payload: {} };

  constructor(plan: Plan, facts: RunFacts, ports: SchedulePorts) {
    this.#plan = plan;
    this.#facts = facts;
    this.#ports = ports;
    this.#fleets = ports.fleets ?? NO_FLEETS;
  }

  async run(): Promise<ScheduleEnd> {
    for (;;) {
      this.#reopenStale();
      if (this.#end.halted) for (const step of this.#suspended.values()) this.#endSuspended(step);
      else this.#startReady();
      if (this.#running.size === 0 && !this.#goOn()) break;
      if (this.#running.size === 0) continue;
      const ended = await Promise.race([...this.#running.values(), this.#paused()]);
      if (!ended) continue;
      const [step, stageEnd] = ended;
      this.#running.delete(step.id);
      if (stageEnd) this.#noteEnd(step, stageEnd);
    }
    this.#noteStall();
    return { ...this.#end, steps_executed: this.#facts.inState('DONE').length };
  }

  #reopenStale(): void {
    const isStale = this.#ports.stale?.();
    for (const step of isStale ? this.#facts.inState('DONE').filter(isStale) : []) this.#facts.reopen(step.id);
  }

  #noteStall(): void {
    const stalled = this.#end.halted ? [] : this.#facts.inState('TODO').map(stepLabel);
    if (stalled.length === 0) return;
    const message = `nothing runs and nothing may start: ${stalled.join(', ')} cannot start`;
    this.#end.errors.push(executionError('DEPENDENCY_UNRESOLVED', message, { context: { stalled } }));
    this.#end.halted = true;
  }

  /** Failed steps that a person answered for are to do again, and what was skipped for them. */
  #goOn(): boolean {
    const end = this.#end;
    const answered = (this.#ports.answered?.() ?? []).filter((id) => this.#facts.states.get(id) === 'FAILED');
    const again = new Set(answered.flatMap((id) => [id, ...this.#facts.skippedFor(id)]));
    for (const id of again) this.#facts.record(id, 'TODO');
    end.errors = end.errors.filter(({ step_id }) => !again.has(step_id ?? ''));
    if (again.size > 0) end.halted = end.errors.some(({ severity }) => severity === 'fatal');
    return again.size > 0 && !end.halted;
  }

  #endSuspended(step: PlanStep, because?: ExecutionError): void {
    this.#suspended.delete(step.id);
    const ended = Promise.resolve(this.#ports.endSuspended?.(step, because));
    this.#running.set(
      step.id,
      ended.then(() => [step, undefined]),
    );
  }

  #startReady(): void {
    const free = this.#ports.workers - this.#running.size;
    const isHeld = (step: PlanStep) => this.#fleets.isHeld(step);
    const allowed = firstOf(free, this.#ports.scheduler.ready(this.#facts, this.#plan), isHeld);
    // A step that waits for others occupies no worker: the others must be able to run.
    const before = this.#urgent().slice(0, Math.max(allowed.length, free + this.#fleets.waitingCount));
    for (const step of new Set([...before, ...allowed.slice(0, Math.max(0, allowed.length - before.length))])) {
      // A caller's scheduler may be wrong: then the step does not start, and the stall is reported.
      if (!this.#facts.mayStart(step.id)) continue;
      this.#facts.record(step.id, 'IN_PROGRESS');
      const driven = this.#ports.driveStep(step, this.#suspended.delete(step.id));
      this.#running.set(
        step.id,
        driven.then((stageEnd) => [step, stageEnd]),
      );
    }
  }

  /** Resolves when a step begins to wait for others: its worker is free. */
  #paused(): Promise<undefined> {
    return new Promise((resolve) => {
      this.#fleets.wake = () => resolve(undefined);
    });
  }

  /** Suspended and wanted steps that can start, and those of their needs that can. */
  #urgent(): PlanStep[] {
    const waitedFor = [...this.#suspended.keys(), ...(this.#ports.wanted?.() ?? [])];
    if (waitedFor.length === 0) return [];
    const wanted = new Set(waitedFor.flatMap((id) => [...this.#facts.needsOf(id), id]));
    const canStart = (step: PlanStep) => this.#facts.mayStart(step.id) && !this.#fleets.isHeld(step);
    return this.#plan.steps.filter((step) => wanted.has(step.id) && canStart(step));
  }

  #noteEnd(step: PlanStep, stageEnd: StageEnd): void {
    if (stageEnd.kind === 'unbegun') {
      this.#suspend(step);
      return;
    }
    const isHalt = haltsPlan(stageEnd, step, this.#plan);
    const state = stateAfter(stageEnd, isHalt);
    this.#facts.record(step.id, state);
    if (stageEnd.kind === 'green') {
      if (stageEnd.result) this.#end.result_payload[step.id] = stageEnd.result;
      return;
    }
    this.#end.errors.push(errorOf(stageEnd, step, this.#plan));
    if (isHalt) this.#halt();
    if (state === 'TODO') return;
    for (const waiting of this.#facts.waitingOn(step.id)) this.#skip(waiting, step.id, stageEnd.message);
  }

  #suspend(step: PlanStep): void {
    this.#facts.record(step.id, 'TODO');
    this.#suspended.set(step.id, step);
    // One of its needs may have failed already.
    const isLost = (id: string) => /FAILED|SKIPPED/.test(this.#facts.states.get(id) ?? '');
    const lost = [...this.#facts.needsOf(step.id)].find(isLost);
    if (lost !== undefined) this.#skip(step, lost, 'what it needs could not be made again');
  }

  #halt(): void {
    const isFirst = !this.#end.halted;
    this.#end.halted = true;
    if (isFirst) this.#ports.halted?.();
  }

  #skip(step: PlanStep, need: string, cause: string): void {
    const why = this.#facts.states.get(need) === 'FAILED' ? 'failed' : 'is still to do';
    const label = stepLabel(this.#plan.steps.find(({ id }) => id === need) as PlanStep);
    this.#facts.record(step.id, 'SKIPPED');
    const because = executionError('STEP_SKIPPED', `needs ${label}, which ${why}`, { step_id: step.id, cause });
    this.#end.errors.push(because);
    if (this.#suspended.has(step.id)) this.#endSuspended(step, because);
    else this.#ports.skipped(step, because);
  }
}

/** How the graph has a step that ended: one that was stopped with the plan is still to do. */
function stateAfter({ kind }: StageEnd, isHalt: boolean): StepState {
  if (kind === 'green') return 'DONE';
  if (kind !== 'stopped') return 'FAILED';
  return isHalt ? 'TODO' : 'SKIPPED';
}
