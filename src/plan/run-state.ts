// The completion facts of a run: which steps are done, and which may start because of it.
// Facts are recorded one at a time, and nothing before the first step that may start is looked at again.
import type { Plan, PlanStep } from './contract.ts';

export type StepState = 'TODO' | 'IN_PROGRESS' | 'DONE' | 'FAILED' | 'SKIPPED';

/** What a scheduler sees. */
export interface RunState {
  readonly states: ReadonlyMap<string, StepState>;
  /** Steps to do whose dependencies are all done, in starting order: priority first, then the plan's order. */
  readonly frontier: Iterable<PlanStep>;
  readonly running: number;
}

/** A step and its place among the others. */
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
  readonly frontier: Iterable<PlanStep> = { [Symbol.iterator]: () => this.#ready() };
  running = 0;
  readonly #nodes = new Map<string, Node>();
  /** In starting order; so many of them may start, and none before `#from`. */
  readonly #order: readonly Node[];
  #readyCount = 0;
  #from = 0;

  constructor(plan: Plan, done: ReadonlySet<string> = new Set()) {
    this.#order = plan.steps
      .toSorted((a, b) => b.priority - a.priority)
      .map((step, rank) => ({ step, rank, unmet: new Set(step.depends_on).size, dependents: [] }));
    for (const node of this.#order) this.#nodes.set(node.step.id, node);
    for (const { id, depends_on } of plan.steps) {
      this.states.set(id, 'TODO');
      for (const needed of new Set(depends_on)) this.#node(needed).dependents.push(this.#node(id));
    }
    this.#readyCount = this.#order.filter((node) => this.#isReady(node)).length;
    for (const id of done) this.record(id, 'DONE');
  }

  /** Notes that a step changed state. */
  record(id: string, next: StepState): void {
    const before = this.states.get(id);
    if (before === undefined) throw new Error(`no step ${id} in this plan`);
    if (before === next) return;
    const node = this.#node(id);
    this.running += Number(next === 'IN_PROGRESS') - Number(before === 'IN_PROGRESS');
    this.#change(node, () => this.states.set(id, next));
    const met = Number(next === 'DONE') - Number(before === 'DONE');
    for (const dependent of met === 0 ? [] : node.dependents)
      this.#change(dependent, () => {
        dependent.unmet -= met;
      });
  }

  #change(node: Node, change: () => void): void {
    const before = this.#isReady(node);
    change();
    const after = this.#isReady(node);
    this.#readyCount += Number(after) - Number(before);
    if (after) this.#from = Math.min(this.#from, node.rank);
  }

  *#ready(): Generator<PlanStep, undefined> {
    let left = this.#readyCount;
    const order = this.#order;
    while (left > 0 && !this.#isReady(order[this.#from] as Node)) this.#from++;
    for (let at = this.#from; left > 0 && at < order.length; at++) {
      const node = order[at] as Node;
      if (!this.#isReady(node)) continue;
      left--;
      yield node.step;
    }
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
    const node = this.#nodes.get(id);
    return node !== undefined && this.#isReady(node);
  }

  #isReady({ step, unmet }: Node): boolean {
    return unmet === 0 && this.states.get(step.id) === 'TODO';
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
