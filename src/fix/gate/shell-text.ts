// A shell text in a file, and who runs it.

/**
 * `run`: the stage itself runs it. `container`: something else does, in a container or on a machine it makes. `maybe`: a value
 * that looks like a command, whose reader nobody knows.
 */
export type Role = 'run' | 'container' | 'maybe';

export interface ShellText {
  /** A text for the shell, or a list of words. */
  readonly text: string | readonly string[];
  readonly role: Role;
  readonly line: number;
  /** The target, task or key that it belongs to. */
  readonly name: string;
  /** What besides the text decides whether it runs: a task's conditions, a recipe's question. */
  readonly guard?: string;
}
