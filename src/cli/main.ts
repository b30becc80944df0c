// The command line: options → one command → exit code. Nothing else reads argv or decides the exit code.
import { suggestion } from '../config/suggest.ts';
import { EXIT, failUsage, formatError, MendError } from '../errors.ts';
import { requireAddressSpace } from '../io/address-space.ts';
import { fitText } from '../io/fit-text.ts';
import { findHome, type Layout, layout as layoutOf } from '../io/layout.ts';
import { openOutput } from '../io/output.ts';
import { packageVersion } from '../io/package.ts';
import { commandCalled, readArguments } from './arguments.ts';
import { type Command, checkoutOf } from './command.ts';
import { COMMANDS } from './commands.ts';
import { GLOBAL_OPTIONS, type Options, optionParts } from './options.ts';

// Set by git for its hooks: git and stages started from one would act on the wrong repository.
const GIT_PLACES = ['DIR', 'WORK_TREE', 'INDEX_FILE', 'COMMON_DIR', 'PREFIX', 'OBJECT_DIRECTORY'];

/** With less Node ends at some point, now and then. */
const ADDRESS_SPACE = 1_000_000_000;

/** Runs one command line to its end; resolves to the exit code, never rejects. */
export async function main(given: readonly string[]): Promise<number> {
  // `mendloop help runs` means `mendloop runs --help`.
  const argv = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  let isRun = false;
  const out = openOutput({ json: argv.includes('--json'), quiet: argv.includes('--quiet') || argv.includes('-q') });
  for (const name of GIT_PLACES) delete process.env[`GIT_${name}`];
  try {
    requireAddressSpace('Node.js', ADDRESS_SPACE);
    // How the loop starts itself on other machines. No stage can have such a name.
    const [first = '', ...rest] = argv;
    if (first === '--attempt' || first === '--probe' || first === '--worker')
      return await (await import('./attempt.ts')).STARTS[first](rest);
    const { command: name, words, options, fault } = readArguments(argv);
    isRun = name === 'all' || name === 'retry';
    let layout: Layout | undefined;
    const findLayout = () => {
      const root = typeof options.root === 'string' ? options.root : undefined;
      layout ??= layoutOf(findHome({ root, env: process.env, cwd: process.cwd() }));
      return layout;
    };
    if (fault) {
      // A misspelt command explains why its options mean nothing.
      if (name === 'all') await requireKnown(words[0], findLayout);
      throw fault;
    }
    if (options.version) return print(packageVersion());
    const command = COMMANDS[name] as Command;
    if (options.help) {
      if (commandCalled(argv[0] ?? '')) return print(forReading(commandHelp(command)));
      await requireKnown(words[0], findLayout);
      return print(forReading(words.length === 0 && name === 'all' ? generalHelp() : commandHelp(command)));
    }
    const { run } = await command.load();
    const result = await run({
      words,
      options,
      dry: options['dry-run'] === true,
      out,
      commands: COMMANDS,
      line: ['mendloop', ...argv].join(' '),
      home: () => findLayout().home,
      layout: findLayout,
    });
    if (typeof result === 'number') return result;
    const { text, json, forScripts, hasFindings } = result;
    print(typeof text === 'string' ? text : text.join('\n'), json, forScripts);
    return hasFindings && options['exit-code'] === true ? EXIT.failed : EXIT.ok;
  } catch (error) {
    return reportError(error, argv.includes('--debug'));
  }

  function print(text: string, json: object = { text }, forScripts = false): number {
    out.answer(text, json, forScripts);
    return EXIT.ok;
  }

  function reportError(error: unknown, debug: boolean): number {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const exit = error instanceof MendError ? error.exit : EXIT.bug;
    // A cron job has nothing to report when another run is at work for certain.
    const isAtWork = error instanceof MendError && error.code === 'E_LOCKED';
    if (isAtWork && isRun && !process.stdout.isTTY && !out.json) return exit;
    const next = 'this is a bug in mendloop: run again with --debug and report it with the output';
    if (error instanceof MendError) out.error(formatError(error), error);
    else out.error(`error E_BUG: ${message}\n  next:  ${next}`, { code: 'E_BUG', message, exit });
    if (debug && stack) out.errorLine(stack);
    return exit;
  }
}

/** Throws E_USAGE for a word that is neither a command nor a stage of the repository around, if there is one. */
async function requireKnown(word: string | undefined, findLayout: () => Layout): Promise<void> {
  if (word === undefined) return;
  const { loadStages, recordedStages } = await import('../journal/load-stages.ts');
  const home = checkoutOf(() => findLayout().home);
  const stages = home === undefined ? [] : recordedStages(home, loadStages(findLayout(), { look: true }).state);
  if (stages.includes(word)) return;
  const hint = suggestion(word, [...Object.keys(COMMANDS), ...stages]);
  failUsage(`there is no command or stage ${JSON.stringify(word)}${hint}`, 'mendloop --help');
}

/** Longer lines than these are hard to read. */
const MAX_COLUMNS = 100;

const forReading = (text: string): string =>
  fitText(text, Math.min(process.stdout.columns || MAX_COLUMNS, MAX_COLUMNS));

const EXIT_CODES = `exit codes
  0    all green
  1    failed, the next run tries again
  2    usage or configuration
  3    a human is needed
  4    a bug
  75   another run is at work
  130  interrupted`;

const optionsHelp = (title: string, options: Options): string =>
  [title, ...Object.entries(options).map(([key, text]) => optionLine(key, text))].join('\n');

function optionLine(key: string, text: string): string {
  const { name, short, value } = optionParts(key);
  const form = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`;
  return `  ${form.padEnd(17)}  ${joined(text)}`;
}

function generalHelp(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(11)}  ${summary}`);
  return `mendloop runs the bootstrap stages of the homelab in this repository.

usage
  mendloop [<command>] [<stage>…] [options]
  mendloop <stage>…  run only these stages

commands
${rows.join('\n')}

${optionsHelp('options of every command', GLOBAL_OPTIONS)}

${EXIT_CODES}

help for one command: mendloop <command> --help`;
}

/** Paragraphs and rows as one line each, to be broken where the terminal ends. A row begins with a small indent. */
const joined = (text: string): string => text.replaceAll(/(?<=\S)\n(?: {8,})?(?=\S)/g, ' ');

const commandHelp = ({ usage, summary, about, options }: Command): string =>
  [
    `usage: mendloop ${usage}`,
    summary,
    ...(about ? [joined(about)] : []),
    ...(options ? [optionsHelp('options', options)] : []),
    optionsHelp('options of every command', GLOBAL_OPTIONS),
    EXIT_CODES,
  ].join('\n\n');
