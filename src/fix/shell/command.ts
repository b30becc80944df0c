// A command of a script, as plain values: its words, assignments and redirections, and what stands around it.
import type { Word } from './words.ts';

/** One construct around a command, the outermost first. `guard`: the text on which it depends whether the command runs. */
export type Frame =
  /**
   * It is a question; `idle`: whatever the answer is, nothing is done; `fails`: when it fails, what follows does, too;
   * `decided`: the words around it tell the answer.
   */
  | { readonly kind: 'condition'; readonly idle: boolean; readonly fails: boolean; readonly decided: boolean }
  /** `never`: by its words alone the guard keeps it from running. */
  | { readonly kind: 'branch'; readonly guard: string; readonly never?: boolean }
  | { readonly kind: 'function'; readonly name: string }
  /** Left of `||`; `fails`: what stands right of it ends in failure; `by`: its program. */
  | { readonly kind: 'or'; readonly fails: boolean; readonly by: string }
  /** Left of `&&`; `last`: the list is the last command of its script or function, so its failure still counts. */
  | { readonly kind: 'and'; readonly last: boolean }
  /** Not the last of a pipeline; `into` is the program behind it. */
  | { readonly kind: 'piped'; readonly into: string }
  | { readonly kind: 'here-document'; readonly guard: string }
  /** What whoever runs the whole text asks first. */
  | { readonly kind: 'given'; readonly guard: string }
  /** `assigned`: a substitution that is all of an assignment, whose failure is that of the assignment. */
  | { readonly kind: 'negated' | 'background' | 'substitution' | 'assigned' | 'argument' };

export interface Redirect {
  /** `>`, `>>`, `<`, `&>`, `<<<`, … without the descriptor. */
  readonly operator: string;
  readonly descriptor: string;
  readonly target: Word | undefined;
}

export interface Assignment {
  readonly name: string;
  /** Several for an array. */
  readonly values: readonly Word[];
  readonly append: boolean;
}

/** What comes after a command in its list and tells how the list ended; where the list itself stops at a failure, only if `always`. */
export interface Follower {
  /** It ends well whatever happened before. */
  readonly idle: boolean;
  /** The list is a question, or its end is; `set -e` does not count there. */
  readonly always: boolean;
}

export interface Command {
  /** The program first; empty for assignments and redirections that stand alone. */
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly Redirect[];
  readonly around: readonly Frame[];
  /** What a here-document gives it to read, and how that begins. */
  readonly document?: { readonly text: string; readonly head: string };
  readonly follower?: Follower;
  /** The commands that print into it, the nearest first. */
  readonly fedBy: readonly Command[];
  readonly line: number;
  readonly from: number;
}

export interface Script {
  readonly commands: readonly Command[];
  /** Names of the functions and aliases it defines. */
  readonly functions: readonly string[];
  /** Variables of `for` loops, each with all that it is in turn. */
  readonly loops: readonly Assignment[];
}
