// What mending needs to know of this run: waits, fingerprints, fixes kept and fixes not judged yet. Made again from the
// journal when a later process goes on.
import type { LoopEvent } from '../events.ts';
import type { AppliedFix } from '../mend/applied-fix.ts';
import type { Recognised } from './recognise.ts';

export interface Pending {
  fix: AppliedFix;
  /** The failure it is for; unknown to a later process. */
  subject: Recognised | undefined;
  /** The stage ran again already because its end said nothing. */
  rerun: boolean;
}

export class MendingFacts {
  /** Step → the fix that its next attempt judges. */
  readonly pending = new Map<string, Pending>();
  readonly #waits = new Map<string, number>();
  readonly #had = new Map<string, string[]>();
  readonly #kept = new Map<string, AppliedFix[]>();

  waits(stage: string): number {
    return this.#waits.get(stage) ?? 0;
  }

  waited(stage: string): void {
    this.#waits.set(stage, this.waits(stage) + 1);
  }

  /** The failures a stage had in this run, in order. */
  fingerprints(stage: string): readonly string[] {
    return this.#had.get(stage) ?? [];
  }

  had(stage: string, fingerprint: string): void {
    this.#had.set(stage, [...this.fingerprints(stage), fingerprint]);
  }

  /** Fixes that brought another failure instead of an end. */
  kept(stage: string): readonly AppliedFix[] {
    return this.#kept.get(stage) ?? [];
  }

  keep(fix: AppliedFix): void {
    this.#kept.set(fix.stage, [...this.kept(fix.stage), fix]);
  }

  release(stage: string): void {
    this.#kept.delete(stage);
  }
}

/** The facts as a journal tells them. */
export function mendingFacts(events: readonly LoopEvent[]): MendingFacts {
  const facts = new MendingFacts();
  for (const { type, stage, step, data } of events) {
    if (stage === undefined || step === undefined) continue;
    if (type === 'failure.decided' && data.tier === 'wait') facts.waited(stage);
    if (type === 'failure.seen') facts.had(stage, String(data.fingerprint));
    if (type === 'fix.committed') {
      const fix = { stage, step, ...data } as unknown as AppliedFix;
      facts.pending.set(step, { fix, subject: undefined, rerun: false });
    }
    const pending = facts.pending.get(step);
    if (pending?.fix.hash !== data.hash) continue;
    if (type === 'fix.reverted') facts.pending.delete(step);
    if (type === 'fix.judged') {
      facts.pending.delete(step);
      if (data.outcome === 'provisional') facts.keep(pending?.fix as AppliedFix);
    }
  }
  return facts;
}
