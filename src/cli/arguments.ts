// argv → a command, its words and its options; or one clear error.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../config/suggest.ts';
import { failUsage } from '../errors.ts';
import { COMMANDS } from './commands.ts';

/** Options every command takes, as in `Command`. */
const GLOBAL_OPTIONS =
  'root= json quiet|q dry-run no-ai no-recheck backend= workers= deadline= yes|y debug help|h version|V';

export interface Arguments {
  /** A key of COMMANDS; `all` when the first word is no command. */
  command: string;
  words: string[];
  options: Record<string, string | boolean | undefined>;
}

/** Throws E_USAGE for options that nobody knows, and for words after a command that takes none. */
export function readArguments(argv: readonly string[]): Arguments {
  const everyOption = optionTable(GLOBAL_OPTIONS, ...Object.values(COMMANDS).map(({ options }) => options));
  const parsed = parseArgs({ args: [...argv], options: everyOption, allowPositionals: true, strict: false });
  const [word = 'all', ...rest] = parsed.positionals;
  const command = Object.hasOwn(COMMANDS, word) ? word : 'all';
  const help = `mendloop ${command} --help`;
  const options = optionTable(GLOBAL_OPTIONS, COMMANDS[command]?.options);
  for (const [name, value] of Object.entries(parsed.values)) {
    const option = options[name];
    if (!option) {
      const names = Object.keys(options);
      const near = nearest(name, names);
      const hint = near ? `did you mean "${dashes(near)}"?` : `options: ${names.map(dashes).join(', ')}`;
      // A command that nobody typed is the default, and not worth naming.
      const none = command === parsed.positionals[0] ? `${command} has no option` : 'there is no option';
      failUsage(`${none} ${dashes(name)}; ${hint}`, help);
    }
    const wantsValue = option.type === 'string';
    if (wantsValue !== (typeof value === 'string')) {
      failUsage(`option ${dashes(name)} ${wantsValue ? 'needs a value' : 'takes no value'}`, help);
    }
  }
  const words = command === word ? rest : parsed.positionals;
  // The usage of a command names what may follow, in angle brackets; after `all` stages may follow, too.
  const takesWords = command === 'all' || COMMANDS[command]?.usage.includes('<');
  if (words.length > 0 && !takesWords && !parsed.values.help) {
    failUsage(`${command} takes no words: ${words.join(' ')}`, help);
  }
  return { command, words, options: parsed.values as Arguments['options'] };
}

const dashes = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);

function optionTable(...specs: readonly (string | undefined)[]): NonNullable<ParseArgsConfig['options']> {
  const specified = specs.flatMap((spec) => spec?.split(' ') ?? []);
  return Object.fromEntries(
    specified.map((option) => {
      const [, name = '', short, value] = /^([\w-]+)(?:\|(\w))?(=)?$/.exec(option) ?? [];
      return [name, { type: value ? 'string' : 'boolean', ...(short ? { short } : {}) }];
    }),
  );
}
