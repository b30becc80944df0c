// The words of --help.
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';

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

export function generalHelp(): string {
  const rows = Object.values(COMMANDS).map((c) => `  ${c.usage.split(' ')[0]?.padEnd(11)} ${c.summary}`);
  return [
    'mendloop runs the bootstrap stages of the homelab in this repository.',
    '',
    'usage',
    '  mendloop [<command>] [<stage>…] [options]      also: npx zx scripts/bootstrap_loop.mjs …',
    '  mendloop <stage>…                              run only these stages',
    '',
    'commands',
    ...rows,
    '',
    GLOBAL_HELP,
    '',
    'help for one command: mendloop <command> --help',
  ].join('\n');
}

export function commandHelp(command: Command): string {
  return [`usage: mendloop ${command.usage}`, '', `${command.summary}`, '', command.help, '', GLOBAL_HELP].join('\n');
}
