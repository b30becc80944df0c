// The commands of pages, run one after the other in one repository, as their reader would.
import { setTimeout as sleep } from 'node:timers/promises';
import { ENTRY, plain, type Scenario, type Started } from '../e2e/scenario.ts';
import { type Block, blocksOf, type Command, commandsOf, isWritten, pathOf } from './pages.ts';

/** A line as it was printed, and when: milliseconds after its command began. */
export interface PrintedLine {
  text: string;
  atMs: number;
}

export interface Ran extends Command {
  block: Block;
  exit: number | null;
  expectedExit: number;
  printed: PrintedLine[];
}

/** A plain call of the program, by whatever name; it needs no shell and no process of its own. */
const PROGRAM =
  /^(?:(?:npx )?mendloop|node scripts\/bootstrap_loop\.mjs|npx zx scripts\/bootstrap_loop\.mjs)((?: [\w./:=@-]+)*)$/;
const NAMED = `mendloop() { '${process.execPath}' '${ENTRY}' "$@"; }`;

/** Runs every command of a page but those that `skips`, and writes the files that it says to write. */
export async function runPage(
  page: string,
  { repo, env, skips }: { repo: Scenario; env: Record<string, string>; skips: (command: string) => boolean },
): Promise<Ran[]> {
  const ran: Ran[] = [];
  const exported: string[] = [];
  for (const block of blocksOf(page)) {
    const path = pathOf(block);
    if (isWritten(block) && path) repo.write({ [path]: block.text });
    const commands = block.language === 'console' ? commandsOf(block).filter(({ command }) => !skips(command)) : [];
    for (const [index, command] of commands.entries()) {
      const done = await run(command.command, block.words.includes('recorded'));
      const [, code = '0'] = /\bexit=(\d+)/.exec(block.words.join(' ')) ?? [];
      ran.push({ block, ...command, ...done, expectedExit: index === commands.length - 1 ? Number(code) : 0 });
      if (command.command.startsWith('export ')) exported.push(command.command);
    }
  }
  return ran;

  async function run(command: string, isTimed: boolean): Promise<Pick<Ran, 'exit' | 'printed'>> {
    const plainCommand = command.replace(/\$\(git rev-parse ([\w./-]+)\)/g, (_, ref) => repo.git('rev-parse', ref));
    const words = PROGRAM.exec(plainCommand)?.[1]?.trim().split(' ').filter(Boolean);
    if (words && !isTimed) {
      const { exit, stdout, stderr } = await repo.run(words, { env });
      return { exit, printed: linesOf(stdout + stderr.replaceAll(PROGRESS, ''), 0) };
    }
    const script = words ? `mendloop ${words.join(' ')}` : command;
    const bash = ['bash', '-c', [NAMED, ...exported, script].join('\n')];
    return timed(repo.start([], { command: bash, env }));
  }
}

/** What `init` says of its work after a second: a faster machine says less of it. */
const PROGRESS = /^(?:reading|trying) .*\n/gm;

/** Looks often enough for a recording. */
async function timed({ output, done }: Started): Promise<Pick<Ran, 'exit' | 'printed'>> {
  const printed: PrintedLine[] = [];
  const began = performance.now();
  const look = (text: string) => printed.push(...linesOf(text, performance.now() - began).slice(printed.length));
  let isOver = false;
  const ended = done.finally(() => (isOver = true));
  for (; !isOver; await Promise.race([sleep(40), ended])) look(output().replace(/[^\n]*$/, ''));
  const { exit, stdout, stderr } = await ended;
  look(stdout + stderr);
  return { exit, printed };
}

const linesOf = (text: string, atMs: number): PrintedLine[] =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((line) => ({ text: line, atMs }));

/** Text with what differs from machine to machine and from day to day named as what it is. `home` is that repository. */
export function normalised(text: string, home: string): string {
  return plain(text.replaceAll(home, '<home>').replace(/\/home\/you\/[\w-]+/g, '<home>'))
    .replace(/\b[0-9a-f]{40}\b|\b[0-9a-f]{7}\b(?= [A-Z])/g, '<commit>')
    .replace(/\bjust now\b|\b\d+ (?:seconds?|minutes?|hours?) ago\b/g, '<ago>')
    .replace(/\b20\d\d-\d\d-\d\d\b/g, '<day>')
    .replace(/\bSECRET_[a-z0-9]+_/g, 'SECRET_<id>_')
    .replace(/\bsince \d\d:\d\d\b/g, 'since <time>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/\b\d+(?:\.\d+)? (GB|MiB|tokens)\b/g, '<n> $1')
    .replace(/ +$/gm, '');
}

/** Whether what a page shows is what was printed, where `…` stands for any lines. */
export function isShown(shown: string, printed: string): boolean {
  const rows = shown.split('\n').map((row) => (row === '…' ? '(?:.*\\n)*?' : `${escaped(row)}\\n`));
  return new RegExp(`^${rows.join('')}$`).test(`${printed}\n`);
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
