// How a hosted model is asked and answers: what the two protocols have in common.
import type { Turn } from '../answer/consult.ts';

export interface Question {
  readonly model: string;
  readonly maxTokens: number;
  readonly system: string;
  readonly turns: readonly Turn[];
}

/** `cut`: it did not come to its end; `refused`: the model would not answer. */
export interface Answered {
  readonly text: string;
  readonly end: 'done' | 'cut' | 'refused';
  /** Tokens; undefined when the host did not count. */
  readonly read: number | undefined;
  readonly wrote: number | undefined;
}

export interface Protocol {
  /** As people call it. */
  readonly title: string;
  readonly base: string;
  readonly keyEnv: string;
  /** Where questions go, for a base address without a slash at its end. */
  endpoint(base: string): string;
  headers(key: string | undefined): Record<string, string>;
  body(question: Question, url: string): Record<string, unknown>;
  /** The body for a host that did not take the first one and says why; undefined: there is no other. */
  otherBody(body: Record<string, unknown>, why: string): Record<string, unknown> | undefined;
  /** undefined: that is no answer of this protocol. */
  answered(body: unknown): Answered | undefined;
}
