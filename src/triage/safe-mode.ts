// When the loop stops changing things by itself: its fixes do more harm than good. Pure.
import type { Ledger } from './ledger.ts';
import { PERSON } from './records.ts';

export interface SafeMode {
  version: 1;
  since: string;
  by: 'hand' | 'loop';
  why: string;
  /** The run in which the loop set it. */
  run?: string;
}

const MOST_REVERTED = 3;

/**
 * Why safe mode goes on by itself now, or undefined when it does not. `turned_red` are stages that were green in this run
 * until a fix. What was withdrawn does not count: nobody knows whether it was wrong.
 */
export function safeModeAfter(ledger: Ledger, run: string, turned_red: readonly string[]): string | undefined {
  if (turned_red.length > 0) return `a fix turned a green stage red: ${turned_red.join(', ')}`;
  const reverted = Object.values(ledger.entries).filter(({ patches }) =>
    patches.some((p) => p.run === run && p.plugin !== PERSON && (p.outcome === 'no_effect' || p.outcome === 'broke')),
  );
  if (reverted.length < MOST_REVERTED) return undefined;
  return `fixes on ${reverted.length} different failures were reverted in this run`;
}
