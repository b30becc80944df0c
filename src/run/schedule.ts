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
export async function runSchedule(plan: Plan, facts: RunFacts, ports: SchedulePorts): Promise<ScheduleEnd> {
  const { fleets = NO_FLEETS } = ports;
  const running = new Map<string, Promise<[PlanStep, StageEnd | undefined]>>();
  /** Steps that are resumed when what they need was made again: they and their needs start before all others. */
  const suspended = new Map<string, PlanStep>();
  const end: ScheduleEnd = { steps_executed: 0, errors: [], halted: false, result_payload: {} };

  for (;;) {
    const isStale = ports.stale?.();
    for (const step of isStale ? facts.inState('DONE').filter(isStale) : []) facts.reopen(step.id);
    if (end.halted) for (const step of suspended.values()) endSuspended(step);
    if (!end.halted) startReady();
    if (running.size === 0 && !goOn()) break;
    if (running.size === 0) continue;
    const ended = await Promise.race([...running.values(), paused()]);
    if (!ended) continue;
    const [step, stageEnd] = ended;
    running.delete(step.id);
    if (stageEnd) noteEnd(step, stageEnd);
  }
  end.steps_executed = facts.inState('DONE').length;
  const stalled = end.halted ? [] : facts.inState('TODO').map(stepLabel);
  if (stalled.length > 0) {
    const message = `nothing runs and nothing may start: ${stalled.join(', ')} cannot start`;
    end.errors.push(executionError('DEPENDENCY_UNRESOLVED', message, { context: { stalled } }));
    end.halted = true;
  }
  return end;

  /** Failed steps that a person answered for are to do again, and what was skipped for them. */
  function goOn(): boolean {
    const answered = (ports.answered?.() ?? []).filter((id) => facts.states.get(id) === 'FAILED');
    const again = new Set(answered.flatMap((id) => [id, ...facts.skippedFor(id)]));
    for (const id of again) facts.record(id, 'TODO');
    end.errors = end.errors.filter(({ step_id }) => !again.has(step_id ?? ''));
    if (again.size > 0) end.halted = end.errors.some(({ severity }) => severity === 'fatal');
    return again.size > 0 && !end.halted;
  }

  function endSuspended(step: PlanStep, because?: ExecutionError): void {
    suspended.delete(step.id);
    const ended = Promise.resolve(ports.endSuspended?.(step, because));
    running.set(
      step.id,
      ended.then(() => [step, undefined]),
    );
  }

  function startReady(): void {
    const free = ports.workers - running.size;
    const allowed = firstOf(free, ports.scheduler.ready(facts, plan), (step) => fleets.isHeld(step));
    // A step that waits for others occupies no worker: the others must be able to run.
    const before = urgent().slice(0, Math.max(allowed.length, free + fleets.waitingCount));
    for (const step of new Set([...before, ...allowed.slice(0, Math.max(0, allowed.length - before.length))])) {
      // A caller's scheduler may be wrong: then the step does not start, and the stall is reported.
      if (!facts.mayStart(step.id)) continue;
      facts.record(step.id, 'IN_PROGRESS');
      const driven = ports.driveStep(step, suspended.delete(step.id));
      running.set(
        step.id,
        driven.then((stageEnd) => [step, stageEnd]),
      );
    }
  }

  /** Resolves when a step begins to wait for others: its worker is free. */
  function paused(): Promise<undefined> {
    return new Promise((resolve) => {
      fleets.wake = () => resolve(undefined);
    });
  }

  /** Suspended and wanted steps that can start, and those of their needs that can. */
  function urgent(): PlanStep[] {
    const waitedFor = [...suspended.keys(), ...(ports.wanted?.() ?? [])];
    if (waitedFor.length === 0) return [];
    const wanted = new Set(waitedFor.flatMap((id) => [...facts.needsOf(id), id]));
    return plan.steps.filter((step) => wanted.has(step.id) && facts.mayStart(step.id) && !fleets.isHeld(step));
  }

  function noteEnd(step: PlanStep, stageEnd: StageEnd): void {
    if (stageEnd.kind === 'unbegun') {
      facts.record(step.id, 'TODO');
      suspended.set(step.id, step);
      // One of its needs may have failed already.
      const lost = [...facts.needsOf(step.id)].find((id) => /FAILED|SKIPPED/.test(facts.states.get(id) ?? ''));
      if (lost !== undefined) skip(step, lost, 'what it needs could not be made again');
      return;
    }
    const isHalt = haltsPlan(stageEnd, step, plan);
    const state = stateAfter(stageEnd, isHalt);
    facts.record(step.id, state);
    if (stageEnd.kind === 'green') {
      if (stageEnd.result) end.result_payload[step.id] = stageEnd.result;
      return;
    }
    end.errors.push(errorOf(stageEnd, step, plan));
    if (isHalt) halt();
    if (state !== 'TODO') skipDependents(step, stageEnd.message);
  }

  function halt(): void {
    if (!end.halted) ports.halted?.();
    end.halted = true;
  }

  function skipDependents(of: PlanStep, cause: string): void {
    for (const step of facts.waitingOn(of.id)) skip(step, of.id, cause);
  }

  function skip(step: PlanStep, need: string, cause: string): void {
    const why = facts.states.get(need) === 'FAILED' ? 'failed' : 'is still to do';
    const label = stepLabel(plan.steps.find(({ id }) => id === need) as PlanStep);
    facts.record(step.id, 'SKIPPED');
    const because = executionError('STEP_SKIPPED', `needs ${label}, which ${why}`, { step_id: step.id, cause });
    end.errors.push(because);
    if (suspended.has(step.id)) endSuspended(step, because);
    else ports.skipped(step, because);
  }
}

/** How the graph has a step that ended: one that was stopped with the plan is still to do. */
function stateAfter({ kind }: StageEnd, isHalt: boolean): StepState {
  if (kind === 'green') return 'DONE';
  if (kind !== 'stopped') return 'FAILED';
  return isHalt ? 'TODO' : 'SKIPPED';
}
