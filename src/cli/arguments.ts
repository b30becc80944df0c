// argv → a command, its words and its options; or one clear error.
import { parseArgs } from 'node:util';
import { didYouMean } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import type { OptionTable } from './command.ts';
import { COMMANDS } from './commands.ts';

/** Options every command takes. */
export const GLOBAL_OPTIONS: OptionTable = {
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

/** Throws E_USAGE for options that nobody knows. */
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
  for (const [name, value] of Object.entries(first.values)) checkOption(name, value, options, command);
  const words = command === word ? rest : first.positionals;
  return { command, words, options: first.values as Arguments['options'] };
}

function checkOption(name: string, value: unknown, options: OptionTable, command: string): void {
  const known = options[name];
  const dashes = (n: string) => (n.length === 1 ? `-${n}` : `--${n}`);
  if (!known) {
    const hint = didYouMean(name, Object.keys(options), 'options').replace(/"([^"]+)"/, '"--$1"');
    fail('E_USAGE', { what: `${command} has no option ${dashes(name)}${hint}`, next: `mendloop ${command} --help` });
  }
  const wantsValue = known.type === 'string';
  if (wantsValue !== (typeof value === 'string')) {
    const what = wantsValue ? `option ${dashes(name)} needs a value` : `option ${dashes(name)} takes no value`;
    fail('E_USAGE', { what, next: `mendloop ${command} --help` });
  }
}
