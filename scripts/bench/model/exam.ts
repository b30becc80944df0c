// What one exam of the model bench is: a repository with a stage that fails, and how an answer is judged.
import type { Replacement } from '../../../test/fixtures/mistakes.ts';
import type { Texts } from './effect.ts';

/**
 * `spelling` and `reading` are small stages that really run; `real` are repositories of the size of real ones; in
 * `declined` no change to what may be changed is right.
 */
export type Group = 'spelling' | 'reading' | 'real' | 'declined';

/** What stands in for the tools of a stage: their words while the mistake is there, and success when it is gone. */
export interface StandIn {
  readonly command: string;
  readonly files: Texts;
  /** Each a way to mend it; none: nothing does. */
  readonly ways: readonly (readonly Replacement[])[];
  readonly log: string;
  readonly exit_code: number;
  /** Files that a success leaves. */
  readonly makes: readonly string[];
}

/** A file with the mistake and mended. */
export interface RightChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface Exam {
  readonly name: string;
  readonly group: Group;
  /** As they are committed; all executable but those of `plain`. */
  readonly files: Texts;
  readonly plain: readonly string[];
  /** As in the context map. */
  readonly stage: {
    readonly command: string | readonly string[];
    readonly files: readonly string[];
    readonly verify?: readonly unknown[];
    readonly requires?: { readonly tools: readonly string[] };
  };
  readonly protectedFiles: readonly string[];
  /** It runs by itself, and is compared with what it does mended; or stand-ins judge it by its files. */
  readonly judge: { readonly mended: Texts } | { readonly standIn: StandIn };
  /** The right changes, one after the other; none where it is right to decline. */
  readonly right: readonly RightChange[];
  /** Whether known fixes leave it: what they mend never gets to a model. */
  readonly isLeft: () => Promise<boolean>;
}
