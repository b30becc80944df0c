// The completion facts of a run: which steps are done, and which may start because of it.
// Facts are recorded one at a time; the frontier is kept up to date, so a whole run costs time linear in its edges.
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

/** The steps that may start, in starting order. Taking the first costs the same however many wait behind it. */
class Frontier implements Iterable<PlanStep> {
  /** What is before `#from` has left. */
  #nodes: Node[] = [];
  #from = 0;

  *[Symbol.iterator](): Iterator<PlanStep> {
    for (let at = this.#from; at < this.#nodes.length; at++) yield (this.#nodes[at] as Node).step;
  }

  add(node: Node): void {
    const at = this.#position(node);
    if (at === this.#from && at > 0) this.#nodes[--this.#from] = node;
    else this.#nodes.splice(at, 0, node);
  }

  /** Nothing happens when it is not there. */
  remove(node: Node): void {
    const at = this.#position(node);
    if (this.#nodes[at] !== node) return;
    if (at !== this.#from) this.#nodes.splice(at, 1);
    else if (++this.#from > this.#nodes.length / 2) {
      this.#nodes = this.#nodes.slice(this.#from);
      this.#from = 0;
    }
  }

  /** Where a step stands, or would stand. */
  #position({ rank }: Node): number {
    let low = this.#from;
    let high = this.#nodes.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#nodes[middle] as Node).rank < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The facts of a run of `plan`, in which the steps of `done` are done already. */
export class RunFacts implements RunState {
  readonly states = new Map<string, StepState>();
  readonly frontier = new Frontier();
  running = 0;
  readonly #nodes = new Map<string, Node>();

  constructor(plan: Plan, done: ReadonlySet<string> = new Set()) {
    const order = [...plan.steps].sort((a, b) => b.priority - a.priority);
    for (const [rank, step] of order.entries()) {
      this.#nodes.set(step.id, { step, rank, unmet: new Set(step.depends_on).size, dependents: [] });
    }
    for (const { id, depends_on } of plan.steps) {
      this.states.set(id, 'TODO');
      for (const needed of new Set(depends_on)) this.#node(needed).dependents.push(this.#node(id));
    }
    for (const node of this.#nodes.values()) if (node.unmet === 0) this.frontier.add(node);
    for (const id of done) this.record(id, 'DONE');
  }

  /** Notes that a step changed state. */
  record(id: string, next: StepState): void {
    const before = this.states.get(id);
    if (before === undefined) throw new Error(`no step ${id} in this plan`);
    if (before === next) return;
    const node = this.#node(id);
    this.states.set(id, next);
    this.running += Number(next === 'IN_PROGRESS') - Number(before === 'IN_PROGRESS');
    if (before === 'TODO') this.frontier.remove(node);
    if (next === 'TODO' && node.unmet === 0) this.frontier.add(node);
    if (next !== 'DONE' && before !== 'DONE') return;
    const change = next === 'DONE' ? -1 : 1;
    for (const dependent of node.dependents) {
      dependent.unmet += change;
      if (this.mayStart(dependent.step.id)) this.frontier.add(dependent);
      else if (change > 0) this.frontier.remove(dependent);
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
