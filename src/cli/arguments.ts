// argv → a command, its words and its options; or one clear error.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from '../config/suggest.ts';
import { type MendError, mendError } from '../errors.ts';
import { COMMANDS } from './commands.ts';
import { ALIASES, GLOBAL_OPTIONS, type Options, optionParts, RUN_OPTIONS } from './options.ts';

export interface Arguments {
  /** A key of COMMANDS; `all` when the first word is no command. */
  command: string;
  words: string[];
  options: Record<string, string | boolean | undefined>;
  /** E_USAGE for an option that nobody knows, or for words after a command that takes none. */
  fault: MendError | undefined;
}

/** Never throws: who knows the stages can tell whether another fault comes first. */
export function readArguments(argv: readonly string[]): Arguments {
  // Words behind -- are stages, also when they are names of commands.
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const parse = (options: NonNullable<ParseArgsConfig['options']>) =>
    parseArgs({ args: argv.slice(0, end), options, allowPositionals: true, strict: false, tokens: true });
  const everyOption = optionTable(
    ...Object.values(COMMANDS).map(({ options }) => options),
    RUN_OPTIONS,
    GLOBAL_OPTIONS,
  );
  const [word = 'all'] = parse(everyOption).positionals;
  const command = commandCalled(word) ?? 'all';
  const accepted = optionTable(RUN_OPTIONS, GLOBAL_OPTIONS, COMMANDS[command]?.options);
  // The command's own come first: a short form may be that of another command, too.
  const parsed = parse({ ...accepted, ...everyOption, ...accepted });
  const optionFault = ([name, value]: [string, unknown]): string[] => {
    const option = accepted[name];
    if (!option) {
      const offered = Object.keys(optionTable(COMMANDS[command]?.options, GLOBAL_OPTIONS));
      const near = nearest(name, Object.keys(accepted));
      const hint = near ? `did you mean "${dashes(near)}"?` : `options: ${offered.map(dashes).join(', ')}`;
      // Do not name the default command when nobody typed it.
      const none = command === parsed.positionals[0] ? `${command} has no option` : 'there is no option';
      const as = parsed.tokens.find((token) => token.kind === 'option' && token.name === name);
      return [`${none} ${as && 'rawName' in as ? as.rawName : dashes(name)}; ${hint}`];
    }
    const wantsValue = option.type === 'string';
    if (wantsValue === (typeof value === 'string')) return [];
    return [`option ${dashes(name)} ${wantsValue ? 'needs a value' : 'takes no value'}`];
  };
  const typed = commandCalled(parsed.positionals[0] ?? '') ? parsed.positionals.slice(1) : parsed.positionals;
  const words = [...typed, ...argv.slice(end + 1)];
  // The usage tells whether words may follow: `<stage>`, or `on|off`.
  const takesWords = /<|\w\|\w/.test(COMMANDS[command]?.usage ?? '');
  const hasTooMany = words.length > 0 && !takesWords && !parsed.values.help;
  const [what] = [
    ...Object.entries(parsed.values).flatMap(optionFault),
    ...(hasTooMany ? [`${command} takes no words: ${words.join(' ')}`] : []),
  ];
  const fault = what === undefined ? undefined : mendError('E_USAGE', { what, next: `mendloop ${command} --help` });
  return { command, words, options: parsed.values as Arguments['options'], fault };
}

/** The command that a word means, if it means one. */
export const commandCalled = (word: string): string | undefined =>
  Object.hasOwn(COMMANDS, word) ? word : Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined;

const dashes = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`);

function optionTable(...tables: readonly (Options | undefined)[]): NonNullable<ParseArgsConfig['options']> {
  const keys = tables.flatMap((table) => Object.keys(table ?? {}));
  return Object.fromEntries(
    keys.map((key) => {
      const { name, short, value } = optionParts(key);
      return [name, { type: value ? 'string' : 'boolean', ...(short ? { short } : {}) }];
    }),
  );
}
