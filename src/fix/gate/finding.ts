// One thing that is wrong with an edit, and how several become one refusal.
import type { Refusal, RefusalCode } from '../edit.ts';

export interface Finding {
  code: RefusalCode;
  /** Where, what and why: for a model to act on. */
  reason: string;
}

const MOST_REASONS = 12;
const LONGEST = 200;

/** `text` on one line and no longer than a reason needs. */
export function clip(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** The refusal that all `findings` make together, under the code of the first; undefined when there are none. */
export function refusalOf(findings: readonly Finding[]): Refusal | undefined {
  const [first] = findings;
  if (!first) return undefined;
  const reasons = [...new Set(findings.map(({ reason }) => reason))];
  const more = reasons.length - MOST_REASONS;
  return {
    ok: false,
    code: first.code,
    reasons: [...reasons.slice(0, MOST_REASONS), ...(more > 0 ? [`and ${more} more`] : [])],
  };
}
