// The completion facts of a run: which steps are done, and which may start because of it.
// Facts are recorded one at a time; the frontier is kept up to date, so a whole run costs time linear in its edges.
import type { Plan, PlanStep } from './contract.ts';
import { Frontier } from './frontier.ts';

export type StepState = 'TODO' | 'IN_PROGRESS' | 'DONE' | 'FAILED' | 'SKIPPED';

/** What a scheduler sees. */
export interface RunState {
  readonly states: ReadonlyMap<string, StepState>;
  /** Steps to do whose dependencies are all done, in starting order: priority first, then the plan's order. */
  readonly frontier: Iterable<PlanStep>;
  readonly running: number;
}

/** The facts of a run of `plan`, beginning with what earlier facts say. */
export class RunFacts implements RunState {
  readonly states = new Map<string, StepState>();
  readonly frontier = new Frontier((step) => this.#rank.get(step.id) as number);
  running = 0;
  readonly #rank = new Map<string, number>();
  readonly #steps = new Map<string, PlanStep>();
  readonly #unmet = new Map<string, number>();
  readonly #dependents = new Map<string, string[]>();

  constructor(plan: Plan, earlier: ReadonlyMap<string, StepState> = new Map()) {
    const order = [...plan.steps].sort((a, b) => b.priority - a.priority);
    for (const [rank, step] of order.entries()) this.#rank.set(step.id, rank);
    for (const step of plan.steps) {
      this.#steps.set(step.id, step);
      this.states.set(step.id, 'TODO');
      this.#unmet.set(step.id, new Set(step.depends_on).size);
      for (const id of new Set(step.depends_on)) this.#dependentsOf(id).push(step.id);
    }
    for (const step of order) if (this.#unmet.get(step.id) === 0) this.frontier.add(step);
    for (const [id, state] of earlier) this.record(id, state);
  }

  /** Notes that a step changed state. */
  record(id: string, next: StepState): void {
    const before = this.states.get(id);
    if (before === undefined) throw new Error(`no step ${id} in this plan`);
    if (before === next) return;
    this.states.set(id, next);
    this.running += Number(next === 'IN_PROGRESS') - Number(before === 'IN_PROGRESS');
    if (before === 'TODO') this.frontier.remove(this.#step(id));
    if (next === 'TODO' && this.#unmet.get(id) === 0) this.frontier.add(this.#step(id));
    if (next === 'DONE' || before === 'DONE') {
      for (const dependent of this.#dependentsOf(id)) this.#adjust(dependent, next === 'DONE' ? -1 : 1);
    }
  }

  /** Whether a step is to do and all it depends on is done. */
  mayStart(id: string): boolean {
    return this.states.get(id) === 'TODO' && this.#unmet.get(id) === 0;
  }

  /** Steps still to do that depend, directly or not, on `id`: what a failure of it takes with it. */
  waitingOn(id: string): PlanStep[] {
    const found = new Set<string>();
    const queue = [id];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const dependent of this.#dependentsOf(at)) {
        if (this.states.get(dependent) !== 'TODO' || found.has(dependent)) continue;
        found.add(dependent);
        queue.push(dependent);
      }
    }
    return [...found].map((at) => this.#step(at));
  }

  inState(state: StepState): PlanStep[] {
    return [...this.#steps.values()].filter((s) => this.states.get(s.id) === state);
  }

  #step(id: string): PlanStep {
    return this.#steps.get(id) as PlanStep;
  }

  #dependentsOf(id: string): string[] {
    const list = this.#dependents.get(id) ?? [];
    this.#dependents.set(id, list);
    return list;
  }

  #adjust(id: string, by: number): void {
    const unmet = (this.#unmet.get(id) ?? 0) + by;
    this.#unmet.set(id, unmet);
    if (this.states.get(id) !== 'TODO') return;
    if (unmet === 0) this.frontier.add(this.#step(id));
    else if (by > 0) this.frontier.remove(this.#step(id));
  }
}
