// The loop: ask the scheduler what may start, start it, wait, record, ask again.
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { Plan, PlanStep } from '../plan/contract.ts';
import { RunFacts, type StepState } from '../plan/run-state.ts';
import { first, type RunScheduler } from '../plan/scheduler.ts';
import { stepLabel } from '../plan/step-label.ts';

/** How a step ended, as the driver needs to know it. */
export type StepEnd =
  | { state: 'DONE'; result?: Record<string, unknown> | undefined }
  | { state: 'FAILED'; error: ExecutionError; halt: boolean }
  /** Stopped from outside; the step is still to do. */
  | { state: 'TODO'; error: ExecutionError };

export interface DrivePorts {
  scheduler: RunScheduler;
  workers: number;
  /** Works on one step until it ended. Never rejects. */
  work(step: PlanStep): Promise<StepEnd>;
  /** A step that will not run because of another. */
  skipped(step: PlanStep, because: ExecutionError): void;
}

export interface DriveEnd {
  done: number;
  errors: ExecutionError[];
  /** Stopped before every step had its turn. */
  halted: boolean;
  results: Record<string, unknown>;
}

/** Drives `plan` from the facts of `earlier` to its end. Never rejects unless a port throws. */
export async function drive(plan: Plan, earlier: ReadonlyMap<string, StepState>, ports: DrivePorts): Promise<DriveEnd> {
  const facts = new RunFacts(plan, earlier);
  const running = new Map<string, Promise<[PlanStep, StepEnd]>>();
  const end: DriveEnd = { done: facts.inState('DONE').length, errors: [], halted: false, results: {} };

  for (;;) {
    if (!end.halted) startReady();
    if (running.size === 0) break;
    const [step, stepEnd] = await Promise.race(running.values());
    running.delete(step.id);
    settle(step, stepEnd);
  }
  const stalled = end.halted ? [] : facts.inState('TODO');
  if (stalled.length > 0) {
    end.errors.push(stallError(stalled));
    end.halted = true;
  }
  return end;

  function startReady(): void {
    for (const step of first(ports.workers - running.size, ports.scheduler.ready(facts, plan))) {
      // A scheduler of the caller's own may be wrong; then nothing starts, and the stall is named.
      if (!facts.mayStart(step.id)) continue;
      facts.record(step.id, 'IN_PROGRESS');
      running.set(
        step.id,
        ports.work(step).then((stepEnd) => [step, stepEnd]),
      );
    }
  }

  function settle(step: PlanStep, stepEnd: StepEnd): void {
    facts.record(step.id, stepEnd.state);
    if (stepEnd.state === 'DONE') {
      end.done++;
      if (stepEnd.result) end.results[step.id] = stepEnd.result;
      return;
    }
    end.errors.push(stepEnd.error);
    if (stepEnd.state === 'TODO' || stepEnd.halt) end.halted = true;
    if (stepEnd.state === 'FAILED') skipDependents(step);
  }

  function skipDependents(failed: PlanStep): void {
    for (const step of facts.waitingOn(failed.id)) {
      facts.record(step.id, 'SKIPPED');
      const because = executionError('STEP_SKIPPED', `needs ${stepLabel(failed)}, which failed`, { step_id: step.id });
      end.errors.push(because);
      ports.skipped(step, because);
    }
  }
}

function stallError(steps: readonly PlanStep[]): ExecutionError {
  const names = steps.map(stepLabel);
  return executionError(
    'DEPENDENCY_UNRESOLVED',
    `nothing runs and nothing may start: ${names.join(', ')} cannot start`,
    {
      context: { stalled: names },
    },
  );
}
