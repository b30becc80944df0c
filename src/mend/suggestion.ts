// A fix that a person is asked about before anything is changed, and what they can say.
import type { Note } from '../fix/edit.ts';

export interface Suggestion {
  stage: string;
  step: string;
  fingerprint: string;
  /** What the stage says of its failure. */
  excerpt: string;
  plugin: string;
  note: Note;
  diff: string;
  hash: string;
}

/** `leave`: not now; it is kept as a case for whoever comes later. */
export type Word = 'apply' | 'decline' | 'leave';

/** Asks a person. Resolves to `leave` when the signal is given. */
export type AskPerson = (suggestion: Suggestion, signal: AbortSignal) => Promise<Word>;

/** Where nobody is there to be asked. */
export const nobody: AskPerson = async () => 'leave';
