// The command line: options → one command → exit code. Nothing else reads argv or decides the exit code.
import { EXIT, formatError, MendError, mendError } from '../errors.ts';
import type { GitError } from '../io/git.ts';
import { findHome, type Layout, layout as layoutOf } from '../io/layout.ts';
import { openOutput } from '../io/output.ts';
import { packageVersion } from '../io/package.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';

// Set by git for its hooks: git and stages started from one would act on the wrong repository.
const GIT_PLACES = ['DIR', 'WORK_TREE', 'INDEX_FILE', 'COMMON_DIR', 'PREFIX', 'OBJECT_DIRECTORY'];

/** Runs one command line to its end; resolves to the exit code, never rejects. */
export async function main(given: readonly string[]): Promise<number> {
  // As people ask everywhere else.
  const argv = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  let isRun = false;
  const out = openOutput({ json: argv.includes('--json'), quiet: argv.includes('--quiet') || argv.includes('-q') });
  for (const name of GIT_PLACES) delete process.env[`GIT_${name}`];
  try {
    const { command: name, words, options } = readArguments(argv);
    isRun = name === 'all' || name === 'retry';
    if (options.version) return print(packageVersion());
    const command = COMMANDS[name] as Command;
    if (options.help) {
      return print(name === 'all' && words.length === 0 && argv[0] !== 'all' ? generalHelp() : commandHelp(command));
    }
    let layout: Layout | undefined;
    const findLayout = () => {
      const root = options.root as string | undefined;
      layout ??= layoutOf(findHome({ root, env: process.env, cwd: process.cwd() }));
      return layout;
    };
    const { run } = await command.load();
    const result = await run({
      words,
      options,
      dry: options['dry-run'] === true,
      out,
      commands: Object.keys(COMMANDS),
      line: ['mendloop', ...argv].join(' '),
      home: () => findLayout().home,
      layout: findLayout,
    });
    if (typeof result === 'number') return result;
    const { text, json, forScripts } = result;
    return print(typeof text === 'string' ? text : text.join('\n'), json, forScripts);
  } catch (error) {
    return reportError(await forPeople(error), argv.includes('--debug'));
  }

  function print(text: string, json: object = { text }, forScripts = false): number {
    out.answer(text, json, forScripts);
    return EXIT.ok;
  }

  function reportError(error: unknown, debug: boolean): number {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    const exit = error instanceof MendError ? error.exit : EXIT.bug;
    // A cron job that meets a run at work has nothing to report.
    if (exit === EXIT.locked && isRun && !out.isTerminal && !out.json) return exit;
    const next = 'this is a bug in mendloop: run again with --debug and report it with the output';
    if (error instanceof MendError) out.error(formatError(error), error);
    else out.error(`error E_BUG: ${message}\n  next:  ${next}`, { code: 'E_BUG', message, exit });
    if (debug && stack) out.errorLine(stack);
    return exit;
  }
}

/** What git refused, where nobody on the way said what it was for; any other error as it is. */
async function forPeople(error: unknown): Promise<unknown> {
  // By its name: the class comes with simple-git, which most commands must not load.
  if (!(error instanceof Error) || error.name !== 'GitError') return error;
  const { args, stderr } = error as GitError;
  const { complaints, shellWord } = await import('../worktree/messages.ts');
  const doing = `finish ${args.find((word) => !word.startsWith('-')) ?? 'its work'}`;
  const command = `git ${args.map(shellWord).join(' ')}`;
  const shown = mendError('E_GIT_FAILED', { doing, command }, complaints(stderr));
  return Object.assign(shown, { stack: error.stack });
}

const GLOBAL_HELP = `options of every command
  --root DIR         the repository (default: MENDLOOP_HOME, else the one around this folder)
  --json             machine-readable: events of a run, one JSON object a line; answers as one JSON object
  -q, --quiet        say only what went wrong
  --debug            show where an error comes from
  -h, --help         this, or help for one command
  -V, --version      the version

exit codes
  0 all green   1 failed, the next run tries again   2 usage or configuration   3 a human is needed
  4 a bug       75 another run is at work            130 interrupted`;

function generalHelp(): string {
  const rows = Object.values(COMMANDS).map((c) => `  ${c.usage.split(' ')[0]?.padEnd(11)} ${c.summary}`);
  return `mendloop runs the bootstrap stages of the homelab in this repository.

usage
  mendloop [<command>] [<stage>…] [options]      also: npx zx scripts/bootstrap_loop.mjs …
  mendloop <stage>…                              run only these stages

commands
${rows.join('\n')}

${GLOBAL_HELP}

help for one command: mendloop <command> --help`;
}

const commandHelp = ({ usage, summary, help }: Command): string =>
  [`usage: mendloop ${usage}`, summary, help, GLOBAL_HELP].join('\n\n');
