// argv → a command, its words and its options; or one clear error.
import { parseArgs } from 'node:util';
import { nearest } from '../config/suggest.ts';
import { failUsage } from '../errors.ts';
import type { OptionTable } from './command.ts';
import { COMMANDS } from './commands.ts';

/** Options every command takes. */
const GLOBAL_OPTIONS: OptionTable = {
  root: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  'dry-run': { type: 'boolean' },
  'no-ai': { type: 'boolean' },
  'no-recheck': { type: 'boolean' },
  backend: { type: 'string' },
  workers: { type: 'string' },
  deadline: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  debug: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
};

export interface Arguments {
  /** A key of COMMANDS; `all` when the first word is no command. */
  command: string;
  words: string[];
  options: Record<string, string | boolean | undefined>;
}

/** Throws E_USAGE for options that nobody knows, and for words after a command that takes none. */
export function readArguments(argv: readonly string[]): Arguments {
  const everyOption = Object.assign(
    {},
    ...Object.values(COMMANDS).map((c) => c.options),
    GLOBAL_OPTIONS,
  ) as OptionTable;
  const first = parseArgs({ args: [...argv], options: everyOption, allowPositionals: true, strict: false });
  const [word = 'all', ...rest] = first.positionals;
  const command = Object.hasOwn(COMMANDS, word) ? word : 'all';
  const options = { ...GLOBAL_OPTIONS, ...COMMANDS[command]?.options };
  const typed = command === word && first.positionals.length > 0;
  for (const [name, value] of Object.entries(first.values)) {
    checkOption(name, value, options, { command, typed });
  }
  const words = command === word ? rest : first.positionals;
  if (words.length > 0 && !takesWords(command) && !first.values.help) {
    failUsage(`${command} takes no words: ${words.join(' ')}`, `mendloop ${command} --help`);
  }
  return { command, words, options: first.values as Arguments['options'] };
}

/** Its usage names what may follow, in angle brackets; after `all` stages may follow, too. */
const takesWords = (command: string) => command === 'all' || COMMANDS[command]?.usage.includes('<') === true;

const dashes = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);

interface Typed {
  command: string;
  /** False: nobody wrote the command, it is the default. */
  typed: boolean;
}

function checkOption(name: string, value: unknown, options: OptionTable, { command, typed }: Typed): void {
  const option = options[name];
  const next = `mendloop ${command} --help`;
  if (!option) {
    const names = Object.keys(options);
    const near = nearest(name, names);
    const hint = near ? `did you mean "${dashes(near)}"?` : `options: ${names.map(dashes).join(', ')}`;
    const none = typed ? `${command} has no option` : 'there is no option';
    failUsage(`${none} ${dashes(name)}; ${hint}`, next);
  }
  const wantsValue = option.type === 'string';
  if (wantsValue !== (typeof value === 'string')) {
    const what = wantsValue ? `option ${dashes(name)} needs a value` : `option ${dashes(name)} takes no value`;
    failUsage(what, next);
  }
}
