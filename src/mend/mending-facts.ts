// What mending needs to know of this run: waits, fingerprints, fixes kept and fixes not judged yet. Made again from the
// journal when a later process goes on.
import type { LoopEvent } from '../events.ts';
import type { AppliedFix } from './applied-fix.ts';
import type { Recognised } from './recognise.ts';

export interface Pending {
  fix: AppliedFix;
  /** The failure it is for; unknown to a later process. */
  subject: Recognised | undefined;
  /** The failures that the stage had in this run before the fix. */
  earlier: readonly string[];
  /** The stage ran again already because its end said nothing. */
  rerun: boolean;
}

export class MendingFacts {
  /** Step → the fix that its next attempt judges. */
  readonly pending = new Map<string, Pending>();
  readonly #waits = new Map<string, number>();
  readonly #had = new Map<string, string[]>();
  readonly #kept = new Map<string, AppliedFix[]>();
  /** Step → what its first kept fix found, for the day it is taken back. */
  readonly #found = new Map<string, unknown>();

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

  /** A fix is on the branch, and the next attempt of its step judges it. */
  committed(fix: AppliedFix, subject: Recognised | undefined): void {
    this.pending.set(fix.step, { fix, subject, earlier: this.fingerprints(fix.stage), rerun: false });
  }

  /** Fixes of a stage that brought another failure instead of an end. */
  kept(stage: string): readonly AppliedFix[] {
    return this.#kept.get(stage) ?? [];
  }

  /** The fix that its step waits on stays for now. */
  keep(fix: AppliedFix): void {
    if (!this.keptBy(fix).length) this.#found.set(fix.step, this.pending.get(fix.step)?.subject?.inputs);
    this.pending.delete(fix.step);
    this.#kept.set(fix.stage, [...this.kept(fix.stage), fix]);
  }

  /** Fixes that a step's end decides about, the first one first. */
  keptBy({ stage, step }: Pick<AppliedFix, 'stage' | 'step'>): readonly AppliedFix[] {
    return this.kept(stage).filter((fix) => fix.step === step);
  }

  /** What the step was made from before its kept fixes; undefined when it has none. */
  foundBy(fix: Pick<AppliedFix, 'stage' | 'step'>): unknown {
    return this.keptBy(fix).length > 0 ? this.#found.get(fix.step) : undefined;
  }

  /** Nothing waits to be known of a fix any more. By its commit: one patch may be on the branch for two failures. */
  settled({ stage, step, commit }: Pick<AppliedFix, 'stage' | 'step' | 'commit'>): void {
    if (this.pending.get(step)?.fix.commit === commit) this.pending.delete(step);
    this.#kept.set(
      stage,
      this.kept(stage).filter((fix) => fix.commit !== commit),
    );
  }

  /** Every fix that is on the branch and neither verified nor taken back, the first one first. */
  open(): AppliedFix[] {
    return [...[...this.#kept.values()].flat(), ...[...this.pending.values()].map(({ fix }) => fix)];
  }
}

/** The facts as a journal tells them. */
export function mendingFacts(events: readonly LoopEvent[]): MendingFacts {
  const facts = new MendingFacts();
  /** Steps that failed since their fix was committed. */
  const failed = new Set<string>();
  for (const { type, stage, step, data } of events) {
    if (stage === undefined || step === undefined) continue;
    const pending = facts.pending.get(step);
    if (type === 'failure.decided' && data.tier === 'wait') facts.waited(stage);
    if (type === 'failure.seen') {
      facts.had(stage, String(data.fingerprint));
      failed.add(step);
    }
    if (type === 'fix.committed') {
      failed.delete(step);
      facts.committed({ stage, step, ...data } as unknown as AppliedFix, undefined);
    }
    // Run again without a word on the fix: its end had said nothing.
    if (type === 'step.retry' && pending && failed.has(step)) pending.rerun = true;
    const provisional = type === 'fix.judged' && data.outcome === 'provisional';
    if (provisional && pending && pending.fix.commit === data.commit) facts.keep(pending.fix);
    else if (type === 'fix.reverted') facts.settled({ stage, step, commit: String(data.reverts) });
    else if (type === 'fix.judged') facts.settled({ stage, step, commit: String(data.commit) });
  }
  return facts;
}
