// A sound fix on its way to the branch: whoever is to be asked is asked, then it is applied, declined or left for later.
import type { Happening } from '../events.ts';
import { excerptOf } from '../failure/fingerprint.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { PatchData, RefusedAnswer } from '../triage/records.ts';
import type { AppliedFix } from './applied-fix.ts';
import type { FixStore } from './fix-store.ts';
import type { SoundFix } from './judge-proposal.ts';
import type { Recognised } from './recognise.ts';
import type { AskPerson, Suggestion } from './suggestion.ts';

/**
 * What came of asking for a fix. `spent`: nothing, and that was a try or a call; `down`: nobody could be reached, `prompt`
 * is where the question is kept; `moved`: another fix came between; `left`: a person has it.
 */
export type Made =
  | { fix: AppliedFix }
  | { none: 'spent' | 'stopped' | 'moved' | 'left' }
  | { none: 'down'; prompt?: string };

/** Who made a fix, whether it is a try of the executors, and what they had refused before it. */
export interface By {
  plugin: string;
  tier: PatchData['tier'];
  tried: boolean;
  refused?: readonly RefusedAnswer[];
  /** The case it answers. */
  case?: string;
}

export interface OfferScope {
  run: string;
  ledger: LedgerStore;
  fixes: FixStore;
  /** Who is asked before a fix is applied; undefined: nobody. */
  person: AskPerson | undefined;
  /** Keeps a fix for a person as an open case. */
  leave(subject: Recognised, suggestion: Suggestion): Promise<void>;
  /** Over what a person is shown. */
  mask(text: string): string;
  record(...happenings: Happening[]): void;
}

export interface Offer {
  /** Applies a fix, when whoever is to be asked agrees. */
  offer(subject: Recognised, fix: SoundFix, by: By, signal: AbortSignal): Promise<Made>;
  /** Applies a fix that nobody is to be asked about. */
  apply(subject: Recognised, fix: SoundFix, by: By): Promise<Made>;
  /** A pass through the executors that ended in no fix. */
  tried(subject: Recognised, refused: readonly RefusedAnswer[]): void;
}

export function offerFixes(scope: OfferScope): Offer {
  const { ledger, run, fixes } = scope;
  return { offer, apply, tried };

  async function offer(subject: Recognised, fix: SoundFix, by: By, signal: AbortSignal): Promise<Made> {
    if (!scope.person) return apply(subject, fix, by);
    const { stage, step, attempt, failure } = subject;
    const { plugin } = by;
    const { note, diff, hash } = fix;
    const news = { stage, step, attempt, data: { hash, plugin, note } };
    scope.record({ type: 'fix.suggested', ...news });
    fixes.hold(fix);
    const excerpt = scope.mask(excerptOf(failure));
    const shown = { excerpt, note, diff: scope.mask(diff) };
    const suggestion = { stage, step, fingerprint: failure.fingerprint, plugin, hash, ...shown };
    const word = await scope.person(suggestion, signal);
    if (signal.aborted) return { none: 'stopped' };
    if (word === 'apply') return apply(subject, fix, by);
    if (word === 'leave') {
      await scope.leave(subject, suggestion);
      return { none: 'left' };
    }
    scope.record({ type: 'fix.declined', ...news });
    decline(subject, fix, by);
    return { none: 'spent' };
  }

  function decline(
    subject: Recognised,
    { hash, note }: SoundFix,
    { plugin, tier, tried: isTry, refused = [] }: By,
  ): void {
    const { stage, failure } = subject;
    const data = { hash, outcome: 'declined' as const, tier, plugin, note };
    ledger.record({ type: 'patch', stage, fingerprint: failure.fingerprint, run, data });
    if (isTry) tried(subject, refused);
  }

  async function apply(
    subject: Recognised,
    fix: SoundFix,
    { plugin, tier, tried: isTry, case: of }: By,
  ): Promise<Made> {
    const { stage, step, attempt, failure } = subject;
    const { fingerprint, class: found } = failure;
    const { hash } = fix;
    // It goes into commits, which may go anywhere.
    const note = { fix: scope.mask(fix.note.fix), reason: scope.mask(fix.note.reason) };
    const story = { stage, step, attempt, fingerprint, class: found, hash, note, plugin, tier, run };
    const applied = await fixes.apply(of === undefined ? story : { ...story, case: of }, fix.files, fix.diff, isTry);
    return applied ? { fix: applied } : { none: 'moved' };
  }

  function tried({ stage, failure }: Recognised, refused: readonly RefusedAnswer[]): void {
    const data = refused.length > 0 ? { refused } : {};
    ledger.record({ type: 'tried', stage, fingerprint: failure.fingerprint, run, data });
  }
}

const LONGEST_REASON = 300;

/** A refusal as the ledger keeps it. */
export const refusedBy = (
  plugin: string,
  tier: PatchData['tier'],
  { code, reasons, fix }: { code: string; reasons: readonly string[]; fix?: string },
): RefusedAnswer => ({
  ...{ plugin, tier, code, reason: reasons.join('; ').slice(0, LONGEST_REASON) },
  ...(fix === undefined ? {} : { fix }),
});
