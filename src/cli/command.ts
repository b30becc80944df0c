// What a command is: its words for people, its options, and the module that does it, loaded only when called.
import { MendError } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import type { Output } from '../io/output.ts';
import type { Options } from './options.ts';

export interface CommandInput {
  /** Words after the command's name. */
  words: string[];
  options: Readonly<Record<string, string | boolean | undefined>>;
  /** --dry-run: only say what would be done. */
  dry: boolean;
  /** The command line as typed, for the lock file. */
  line: string;
  /** Every command by its name. */
  commands: Readonly<Record<string, Command>>;
  out: Output;
  /** The owner's checkout; looked for when first asked. Throws MendError. */
  home(): string;
  /** The paths below it. Throws as `home` does. */
  layout(): Layout;
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
  /** Scripts read the text: print it unchanged unless stdout is a terminal. */
  readonly forScripts?: boolean;
  /** With --exit-code, exit 1. */
  readonly hasFindings?: boolean;
}

export interface Command {
  summary: string;
  /** What may follow the name. */
  usage: string;
  /** Lines of help about what it does and what to expect. */
  about?: string;
  options?: Options;
  /**
   * `run` resolves to what is to be printed, or to the exit code when it printed by itself. Throws MendError for what a
   * person can mend.
   */
  load(): Promise<{ run(input: CommandInput): Promise<Answer | number> }>;
}
