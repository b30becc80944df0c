// What a command is: its words for people, its options, and the module that does it, loaded only when called.
import type { ParseArgsConfig } from 'node:util';
import { MendError } from '../errors.ts';
import type { Output } from '../io/output.ts';

export type OptionTable = NonNullable<ParseArgsConfig['options']>;

export interface CommandInput {
  /** Words after the command's name. */
  words: string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
  /** The command line as typed, for whoever meets the lock. */
  line: string;
  /** Every word that is a command. */
  commands: readonly string[];
  out: Output;
  /** The owner's checkout; looked for when first asked. Throws MendError. */
  home(): string;
}

/** The owner's checkout; undefined outside of a repository. */
export function checkoutOf(home: () => string): string | undefined {
  try {
    return home();
  } catch (error) {
    if (error instanceof MendError && error.code === 'E_NOT_GIT') return undefined;
    throw error;
  }
}

/** What a command has to say: text or lines for people, `json` with --json. */
export interface Answer {
  readonly text: string | readonly string[];
  readonly json: object;
}

export interface CommandModule {
  /** Resolves to what is to be printed, or to the exit code when it printed by itself. Throws MendError for what a person can mend. */
  run(input: CommandInput): Promise<Answer | number>;
}

export interface Command {
  summary: string;
  /** What may follow the name. */
  usage: string;
  options?: OptionTable;
  /** Lines of help about the options and what to expect. */
  help: string;
  load(): Promise<CommandModule>;
}
