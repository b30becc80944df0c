// Numbers, days and authors in the words of a reason. Pure.
import { type AnsweredAt, PERSON } from '../events.ts';

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

/** `first`, `second`; numbers above ten as `number 11`. */
export const ordinal = (n: number): string => ORDINALS[n - 1] ?? `number ${n}`;

/** `1 try`, `3 tries`. */
export const counted = (n: number, singular: string, plural = `${singular}s`): string =>
  `${n} ${n === 1 ? singular : plural}`;

/** Who made a fix: `ollama`, with its tier `ollama (executor)`, or `known-fixes, accepted by a person (page)`. */
export function authorOf({ plugin, proposed_by, answered_at, outcome }: Authored, tier?: string): string {
  const proposer = proposed_by ?? plugin;
  const isAnswer = proposed_by !== undefined || answered_at !== undefined;
  if (!isAnswer) return `${plugin}${tier ? ` (${tier})` : ''}`;
  const where = answered_at === undefined ? '' : ` (${answered_at})`;
  if (proposer === PERSON) return `a person${where}`;
  return `${proposer}, ${outcome === 'declined' ? 'declined' : 'accepted'} by a person${where}`;
}

interface Authored {
  readonly plugin: string;
  readonly proposed_by?: string | undefined;
  readonly answered_at?: AnsweredAt | undefined;
  readonly outcome?: string | undefined;
}

/** Why a green stage is looked at, or made, again. */
export const staleWords = ({
  why,
  recheck,
}: {
  readonly why: string;
  readonly recheck?: boolean | undefined;
}): string => `${recheck ? 'to be checked again' : 'no longer stands'}: ${why}`;

/** Of a stage that only a person's `retry` runs once more. */
export const NOT_AGAIN = 'not run again by itself (rerun: false)';

/** The UTC day of an ISO time. */
export const dayOf = (time: string): string => time.slice(0, 10);
