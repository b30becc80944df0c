// The schedule of a plan: ask the scheduler what may start, start it, wait, ask again.
import { type ExecutionError, executionError } from '../plan/codes.ts';
import type { Plan, PlanStep } from '../plan/contract.ts';
import { stepLabel } from '../plan/matrix.ts';
import { RunFacts } from '../plan/run-state.ts';
import { first, type RunScheduler } from '../plan/scheduler.ts';
import type { StepEnd } from './step.ts';

export interface SchedulePorts {
  scheduler: RunScheduler;
  workers: number;
  /** Drives one step until it ended. Never rejects. */
  driveStep(step: PlanStep): Promise<StepEnd>;
  /** A step that will not run because of another. */
  skipped(step: PlanStep, because: ExecutionError): void;
}

export interface ScheduleEnd {
  done: number;
  errors: ExecutionError[];
  /** Stopped before every step had its turn. */
  halted: boolean;
  results: Record<string, unknown>;
}

/** Runs `plan` to its end; the steps of `done` are done already. Never rejects unless a port throws. */
export async function runSchedule(plan: Plan, done: ReadonlySet<string>, ports: SchedulePorts): Promise<ScheduleEnd> {
  const facts = new RunFacts(plan, new Map([...done].map((id) => [id, 'DONE' as const])));
  const running = new Map<string, Promise<[PlanStep, StepEnd]>>();
  const end: ScheduleEnd = { done: facts.inState('DONE').length, errors: [], halted: false, results: {} };

  for (;;) {
    if (!end.halted) startReady();
    if (running.size === 0) break;
    const [step, stepEnd] = await Promise.race(running.values());
    running.delete(step.id);
    settle(step, stepEnd);
  }
  const stalled = end.halted ? [] : facts.inState('TODO').map(stepLabel);
  if (stalled.length > 0) {
    const message = `nothing runs and nothing may start: ${stalled.join(', ')} cannot start`;
    end.errors.push(executionError('DEPENDENCY_UNRESOLVED', message, { context: { stalled } }));
    end.halted = true;
  }
  return end;

  function startReady(): void {
    for (const step of first(ports.workers - running.size, ports.scheduler.ready(facts, plan))) {
      // A scheduler of the caller's own may be wrong; then nothing starts, and the stall is named.
      if (!facts.mayStart(step.id)) continue;
      facts.record(step.id, 'IN_PROGRESS');
      const driven = ports.driveStep(step).then((stepEnd): [PlanStep, StepEnd] => [step, stepEnd]);
      running.set(step.id, driven);
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
    if (stepEnd.state === 'FAILED') skipDependents(step, stepEnd.error.message);
  }

  function skipDependents(failed: PlanStep, cause: string): void {
    for (const step of facts.waitingOn(failed.id)) {
      facts.record(step.id, 'SKIPPED');
      const because = executionError('STEP_SKIPPED', `needs ${stepLabel(failed)}, which failed`, {
        step_id: step.id,
        cause,
      });
      end.errors.push(because);
      ports.skipped(step, because);
    }
  }
}
