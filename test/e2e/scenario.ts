// A person's repository in a temporary folder, and the real entry run on it as a child process. Everything made here is
// removed at the end; only processes that were started here are ever ended.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitNow, headNow, initNow } from '../git-now.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { type Done, runHere, type Typed } from './here.ts';

export type { Done } from './here.ts';

export const PACKAGE = resolve(import.meta.dirname, '../..');
export const ENTRY = join(PACKAGE, 'scripts/bootstrap_loop.mjs');
export const AI = 'ai/orchestrator-stage1';

const LIMIT_MS = 120_000;
const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-e2e-'));
chmodSync(made, 0o755);
/** Carried by every process that a scenario of this file starts, directly or not. */
const MARK = `MARK_OF_E2E=${randomUUID()}`;
const mounts: string[] = [];

// The settings of whoever runs the tests must not decide them.
export const USER = join(made, 'user');
mkdirSync(USER);
writeFileSync(
  join(USER, '.gitconfig'),
  '[user]\n\tname = Owner\n\temail = owner@example.org\n[maintenance]\n\tauto = false\n',
);
const FOREIGN = /^(MENDLOOP_|GIT_|NODE_|npm_)|^(CI|NO_COLOR|FORCE_COLOR|TERM|COLUMNS|LINES|XDG_CONFIG_HOME)$/;
const ENV: Record<string, string> = {
  ...(Object.fromEntries(Object.entries(process.env).filter(([key]) => !FOREIGN.test(key))) as Record<string, string>),
  HOME: USER,
  // No test asks a model that happens to run on this machine: nothing listens there.
  OLLAMA_HOST: 'http://127.0.0.1:1',
  [MARK.split('=')[0] as string]: MARK.split('=')[1] as string,
};

// First of all: no folder can be removed in which a disk is mounted.
process.prependListener('exit', () => {
  for (const pid of survivors()) process.kill(pid, 'SIGKILL');
  for (const path of mounts) execFileSync('umount', ['--lazy', path]);
  rmSync(made, { recursive: true, force: true });
});

/** Text of a file; one that begins with `#!` is executable. */
export type Files = Record<string, string | Buffer>;

export interface Started {
  readonly pid: number;
  readonly done: Promise<Done>;
  /** What it has printed until now. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** Run on a terminal of 40 lines and 120 columns; stdout and stderr come as one. `here`: as if, in this process. */
  tty?: true | 'here';
  /** What is typed at a terminal that is `here`. */
  typed?: Typed;
  cwd?: string;
  /** The whole command, instead of node and the entry. */
  command?: readonly string[];
  /** In a process of its own, whatever it does: it is killed, or another one runs beside it. */
  alone?: true;
  /** How long it may take; a minute unless told. */
  limitMs?: number;
  /** What stdin holds; nothing unless told. */
  stdin?: string | Buffer;
}

export type Stages = Record<string, { status: string; run: string; attempts: number; [key: string]: unknown }>;

export type Scenario = ReturnType<typeof scenario>;

/** A folder of its own, outside every repository. */
export function folder(): string {
  const path = mkdtempSync(join(made, 'f-'));
  chmodSync(path, 0o755);
  return path;
}

/** `ai/context_map.yaml` with these stages; a text is a command. JSON is YAML. */
export function contextMap(stages: Record<string, unknown>, top: Record<string, unknown> = {}): string {
  const full = Object.fromEntries(
    Object.entries(stages).map(([name, stage]) => [name, typeof stage === 'string' ? { command: stage } : stage]),
  );
  return `${JSON.stringify({ stages: full, ...top }, null, 2)}\n`;
}

/** Where a test says nothing of it, nobody is asked for a fix but who needs no model, and nothing is handed over. */
const QUIET = { 'ai/loop.yaml': 'executors: [known-fixes]\nescalations: []\n' };

/** A repository on branch main whose first commit holds `files`. */
export function scenario(files: Files = {}) {
  const home = folder();
  initNow(home, ENV);
  if (Object.keys(files).length > 0) commit({ ...('ai/context_map.yaml' in files ? QUIET : {}), ...files });

  /** Starts the entry in this repository and does not wait for it. */
  function start(args: readonly string[] = [], options: RunOptions = {}): Started {
    return startProcess([...(options.command ?? [process.execPath, ENTRY]), ...args], { cwd: home, ...options });
  }

  function commit(changed: Files, message = 'change'): string {
    write(home, changed);
    git(home, 'add', '--', ...Object.keys(changed));
    git(home, 'commit', '-q', '-m', message);
    return headNow(home);
  }

  return {
    home,
    start,
    commit,
    /** Runs the entry to its end; in this process, where that shows the same. */
    run: (args: readonly string[] = [], options: RunOptions = {}): Promise<Done> => {
      const { env, cwd = home, stdin, tty, typed, ...special } = options;
      const isPlain =
        Object.keys(special).length === 0 && tty !== true && !args.includes('-f') && !args.includes('--follow');
      return isPlain
        ? runHere(args, cwd, environment(env), { stdin, terminal: tty === 'here', typed })
        : start(args, options).done;
    },
    git: (...args: string[]) => git(home, ...args),
    write: (changed: Files) => write(home, changed),
    path: (...parts: string[]) => join(home, ...parts),
    read: (path: string) => readFileSync(join(home, path), 'utf8'),
    has: (path: string) => existsSync(join(home, path)),
    /** Names of the runs, oldest first. */
    runs: () => namesIn(join(home, 'ai/state/runs')),
    /** The events of a run, the latest when none is named. */
    events: (run?: string): AnyEvent[] => {
      const name = run ?? namesIn(join(home, 'ai/state/runs')).at(-1);
      const path = join(home, 'ai/state/runs', name ?? '', 'events.jsonl');
      if (name === undefined || !existsSync(path)) return [];
      const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as AnyEvent);
    },
    /** What ai/state/stages.json says. */
    stages: (): Stages => JSON.parse(readFileSync(join(home, 'ai/state/stages.json'), 'utf8')).stages,
    /** The text with everything that differs from one time to the next replaced. */
    plain: (text: string) => plain(text.replaceAll(home, '<home>')),
  };
}

export function git(dir: string, ...args: string[]): string {
  return gitNow(args, dir, ENV);
}

export function write(dir: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
    if (text.toString().startsWith('#!')) chmodSync(join(dir, path), 0o755);
  }
}

/** Starts a command in a session of its own. One that does not end in time is ended and says so. */
export function startProcess(argv: readonly string[], options: RunOptions & { cwd: string }): Started {
  const { limitMs = LIMIT_MS } = options;
  const env = environment({ ...(options.tty ? { TERM: 'xterm-256color' } : {}), ...options.env });
  const [file = '', ...args] = options.tty ? onTerminal(argv) : argv;
  const stdio = [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'];
  const child = spawn(file, args, { cwd: options.cwd, env, stdio, detached: true });
  // It may end before it has read everything.
  if (options.stdin !== undefined) child.stdin.on('error', () => {}).end(options.stdin);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const pid = child.pid ?? 0;
  return { pid, done: ended(), output: () => stdout + stderr, kill: (signal) => void child.kill(signal) };

  async function ended(): Promise<Done> {
    const limit = setTimeout(() => {
      stderr += `\n(the test ended it after ${limitMs} ms)\n`;
      child.kill('SIGKILL');
    }, limitMs);
    const exit = await exitOf(child);
    clearTimeout(limit);
    return { exit, stdout, stderr };
  }
}

export function environment(more: RunOptions['env'] = {}): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries({ ...ENV, ...more }).filter(([, value]) => value !== undefined));
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (code) => done(code));
  });
}

function onTerminal(argv: readonly string[]): string[] {
  const line = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return ['script', '-qec', `stty rows 40 cols 120; ${line}`, '/dev/null'];
}

/** Waits until `holds` says so; fails with `what` when it takes too long. */
export async function until(what: string, holds: () => boolean, limitMs = 20_000): Promise<void> {
  for (const end = performance.now() + limitMs; !holds(); await sleep(20)) {
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
  }
}

/** Processes that carry this file's mark and still run, zombies apart. */
export function survivors(also = ''): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
        const state = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
        return state !== 'Z' && environment.includes(MARK) && (also === '' || environment.includes(also));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Nothing that was started here still runs, but for what is just ending: a git or a relay whose input was closed. */
export const allGone = (): Promise<void> =>
  until('all that was started is gone', () => survivors().length === 0, 10_000).catch((error) => {
    throw new Error(`${error.message}; there are: ${survivors().map(commandLine).join('; ')}`);
  });

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return `${pid}, gone by now`;
  }
}

/** Mounts a small disk at `path`, gone with the test: for `needsMount()`. */
export function smallDisk(path: string, size: string): void {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', path]);
  mounts.push(path);
}

/** Path → kind, mode and content of everything below `dir`; `but` names paths to leave out, with all below them. */
export function tree(dir: string, but: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  const walk = (at: string) => {
    for (const name of namesIn(join(dir, at))) {
      const path = at === '' ? name : `${at}/${name}`;
      if (but.includes(path)) continue;
      const stat = lstatSync(join(dir, path));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isDirectory()) {
        found[path] = `folder ${mode}`;
        walk(path);
      } else if (stat.isSymbolicLink()) found[path] = `link ${readlinkSync(join(dir, path))}`;
      else found[path] = `${mode} ${hash(readFileSync(join(dir, path)))}`;
    }
  };
  walk('');
  return found;
}

const hash = (content: Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 16);

export function namesIn(dir: string): string[] {
  return existsSync(dir) ? readdirSync(dir).sort() : [];
}

/** Times, process numbers, run names, fingerprints and commits as what they are, not as which. */
export function plain(text: string): string {
  return text
    .replaceAll(made, '<tmp>')
    .replace(/\b\d{8}-\d{6}-[0-9a-f]{4}\b/g, '<run>')
    .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '<time>')
    .replace(/\b(pid|process group) \d+/g, '$1 <pid>')
    .replace(/\b\d+(\.\d)? (ms|s|min)\b/g, '<n> $2')
    .replace(/\b[0-9a-f]{16}\b|(?<=\bexplain )[0-9a-f]{8}\b/g, '<fingerprint>')
    .replace(/\b[0-9a-f]{12}\b/g, '<commit>');
}

/** The lines of `--json` output. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
