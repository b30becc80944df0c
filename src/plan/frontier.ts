// The steps that may start, in starting order. Taking the first costs the same however many wait behind it.
import type { PlanStep } from './contract.ts';

/** Steps are compared by rank: the lower starts first. Each rank occurs once. */
export class Frontier implements Iterable<PlanStep> {
  readonly #rankOf: (step: PlanStep) => number;
  /** What is before `#from` has left. */
  #steps: PlanStep[] = [];
  #from = 0;

  constructor(rankOf: (step: PlanStep) => number) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    return this.#steps.length - this.#from;
  }

  *[Symbol.iterator](): Iterator<PlanStep> {
    for (let at = this.#from; at < this.#steps.length; at++) yield this.#steps[at] as PlanStep;
  }

  add(step: PlanStep): void {
    const at = this.#position(step);
    if (at === this.#from && at > 0) this.#steps[--this.#from] = step;
    else this.#steps.splice(at, 0, step);
  }

  /** Nothing happens when it is not there. */
  remove(step: PlanStep): void {
    const at = this.#position(step);
    if (this.#steps[at] !== step) return;
    if (at !== this.#from) this.#steps.splice(at, 1);
    else if (++this.#from > this.#steps.length / 2) {
      this.#steps = this.#steps.slice(this.#from);
      this.#from = 0;
    }
  }

  /** Where a step stands, or would stand. */
  #position(step: PlanStep): number {
    const rank = this.#rankOf(step);
    let low = this.#from;
    let high = this.#steps.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#rankOf(this.#steps[middle] as PlanStep) < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
