// The completion facts of a run: which steps are done, and which may start because of it. Pure.
import type { Plan, PlanStep } from './contract.ts';

export type StepState = 'TODO' | 'IN_PROGRESS' | 'DONE' | 'FAILED' | 'SKIPPED';

/** What a scheduler sees. */
export interface RunState {
  readonly states: ReadonlyMap<string, StepState>;
  /** Steps to do whose dependencies are all done, in starting order: priority first, then the plan's order. */
  readonly frontier: Iterable<PlanStep>;
  readonly running: number;
}

interface Node {
  readonly step: PlanStep;
  /** The lower starts first. Each occurs once. */
  readonly rank: number;
  /** How many of its dependencies are not done. */
  unmet: number;
  readonly dependents: Node[];
}

/** The facts of a run of `plan`, in which the steps of `done` are done already. */
export class RunFacts implements RunState {
  readonly states = new Map<string, StepState>();
  running = 0;
  readonly #nodes = new Map<string, Node>();
  readonly frontier: PlanStep[] = [];

  constructor(plan: Plan, done: ReadonlySet<string> = new Set()) {
    for (const [rank, step] of plan.steps.toSorted((a, b) => b.priority - a.priority).entries())
      this.#nodes.set(step.id, { step, rank, unmet: new Set(step.depends_on).size, dependents: [] });
    for (const { id, depends_on } of plan.steps) {
      this.states.set(id, 'TODO');
      for (const needed of new Set(depends_on)) this.#node(needed).dependents.push(this.#node(id));
    }
    for (const { step, unmet } of this.#nodes.values()) if (unmet === 0) this.frontier.push(step);
    for (const id of done) this.record(id, 'DONE');
  }

  /** Notes that a step changed state. */
  record(id: string, next: StepState): void {
    const before = this.states.get(id);
    if (before === undefined) throw new Error(`no step ${id} in this plan`);
    if (before === next) return;
    this.states.set(id, next);
    const node = this.#node(id);
    this.running += Number(next === 'IN_PROGRESS') - Number(before === 'IN_PROGRESS');
    const met = Number(next === 'DONE') - Number(before === 'DONE');
    for (const dependent of node.dependents) dependent.unmet -= met;
    for (const changed of met === 0 ? [node] : [node, ...node.dependents]) this.#sortIn(changed);
  }

  #sortIn({ step, rank }: Node): void {
    let [from, to] = [0, this.frontier.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.#node((this.frontier[middle] as PlanStep).id).rank < rank) from = middle + 1;
      else to = middle;
    }
    const isIn = this.frontier[from] === step;
    if (isIn !== this.mayStart(step.id)) this.frontier.splice(from, Number(isIn), ...(isIn ? [] : [step]));
  }

  /** A done step is to do again, and whatever depends on it is looked at again behind it. */
  reopen(id: string): void {
    if (this.states.get(id) !== 'DONE') return;
    this.record(id, 'TODO');
    for (const { step } of this.#node(id).dependents) this.reopen(step.id);
  }

  /** Everything a step depends on, directly or not. */
  needsOf(id: string): Set<string> {
    const needs = new Set<string>();
    const queue = [...this.#node(id).step.depends_on];
    for (let need = queue.pop(); need !== undefined; need = queue.pop()) {
      if (needs.has(need)) continue;
      needs.add(need);
      queue.push(...this.#node(need).step.depends_on);
    }
    return needs;
  }

  /** Whether a step is to do and all it depends on is done. */
  mayStart(id: string): boolean {
    return this.states.get(id) === 'TODO' && this.#node(id).unmet === 0;
  }

  /** Steps still to do that depend, directly or not, on `id`: what a failure of it takes with it. */
  waitingOn(id: string): PlanStep[] {
    const waiting = new Set<Node>();
    const queue = [this.#node(id)];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for (const dependent of at.dependents) {
        if (this.states.get(dependent.step.id) !== 'TODO' || waiting.has(dependent)) continue;
        waiting.add(dependent);
        queue.push(dependent);
      }
    }
    return [...waiting].map(({ step }) => step);
  }

  /** Skipped steps that depend, directly or not, on `id`. */
  skippedFor(id: string): string[] {
    const skipped = this.#node(id).dependents.filter(({ step }) => this.states.get(step.id) === 'SKIPPED');
    return [...new Set(skipped.flatMap(({ step }) => [step.id, ...this.skippedFor(step.id)]))];
  }

  /** In the plan's order. */
  inState(state: StepState): PlanStep[] {
    return [...this.states].flatMap(([id, now]) => (now === state ? [this.#node(id).step] : []));
  }

  #node(id: string): Node {
    return this.#nodes.get(id) as Node;
  }
}
