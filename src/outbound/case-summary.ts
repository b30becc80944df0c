// The name of a case, and its summary.json: what it is about, how often someone was called, and how it stands. Checked by
// hand: listing cases must not load zod.
import { FIX_TIERS, isAsk, isNote } from '../events.ts';
import { type Check, type Checked, count, listOf, name, oneOf, optional, shaped, text, time } from '../shape.ts';

/**
 * `asked`: it went to an escalation; `open`: a person is waited for; `given_up`: nobody is, and nothing is tried until a
 * person says so; `answered`: the answer is applied when the failure comes back.
 */
const CASE_STATES = ['asked', 'open', 'given_up', 'answered', 'closed'] as const;
export const ANSWER_KINDS = ['patch', 'diagnostics', 'hand_over', 'pass', 'unreadable'] as const;

const isCase: Check<string> = (value): value is string => typeof value === 'string' && isCaseName(value);

const isShaped = shaped({
  version: oneOf([1]),
  case: isCase,
  stage: name,
  fingerprint: name,
  class: name,
  /** The run that opened it. */
  run: text,
  opened: time,
  state: oneOf(CASE_STATES),
  /** Which of case_v1.md and case_v2.md were written. */
  versions: listOf(oneOf([1, 2])),
  /** Calls of escalations about it. */
  calls: count,
  /** What they answered, in order. */
  answers: listOf(oneOf(ANSWER_KINDS)),
  /** What is wanted of a person, or what came of it. */
  why: optional(text),
  /** The hash of a sound fix that only waits for a person's word. */
  patch: optional(name),
  /** What that fix does, who proposed it, and why a person is asked. */
  suggested: optional(shaped({ plugin: text, tier: oneOf(FIX_TIERS), note: isNote, ask: optional(isAsk) })),
  closed: optional(shaped({ time, why: text })),
});
export type CaseSummary = Checked<typeof isShaped>;

/** Whether a value read from disk is the summary of a case: in the right shape, and closed exactly when it says why. */
export const isCaseSummary = (value: unknown): value is CaseSummary =>
  isShaped(value) && (value.state === 'closed') === (value.closed !== undefined);

/** What a person can type about an open case; `hasFix`: one waits in it for their word. */
export const caseCommands = (name: string, hasFix: boolean): string[] =>
  (hasFix ? ['show', 'accept', 'decline'] : ['show']).map((verb) => `mendloop cases ${verb} ${name}`);

const CASE_NAME = /^[a-z0-9][a-z0-9_-]{0,119}$/;

/** Whether `text` can be the name of a case: no path, nothing hidden, nothing that a shell or a file system reads otherwise. */
export const isCaseName = (text: string): boolean => CASE_NAME.test(text);

/** `talos-1a2b3c4d`, or `talos-1a2b3c4d-2` when that is taken, and so on. */
export function caseName(stage: string, fingerprint: string, taken: (name: string) => boolean): string {
  const first = `${plain(stage, 64) || 'stage'}-${plain(fingerprint, 8) || 'unknown'}`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? first : `${first}-${number}`;
    if (!taken(name)) return name;
  }
}

const plain = (text: string, max: number): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, max)
    .replace(/-+$/, '');
