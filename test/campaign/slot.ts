// A place where one case after the other runs: always the same folder, because git's worktrees know where they are. What a
// scenario begins with is made once and copied back for each case.
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gitNow } from '../git-now.ts';

const ROOT = resolve(process.env.CAMPAIGN_PACKAGE ?? join(import.meta.dirname, '../..'));
const FAULT = join(import.meta.dirname, 'fault.mjs');
/** Has a git of its own, which needs a list to write to. */
const BIN = join(import.meta.dirname, 'bin');
const LIMIT_MS = 180_000;
const FOREIGN = /^(MENDLOOP_|GIT_|NODE_|npm_|FAULT_|TEST_)|^(CI|NO_COLOR|FORCE_COLOR|XDG_CONFIG_HOME)$/;

export interface Ended {
  /** null when it was killed. */
  exit: number | null;
  text: string;
}

export interface StartOptions {
  env?: Record<string, string>;
  /** Words before the command, such as prlimit with its options. */
  under?: readonly string[];
  /** Killed after this many milliseconds; `whole`: with all that it started. */
  killAfterMs?: number;
  whole?: boolean;
}

export type Slot = ReturnType<typeof openSlot>;

/** `base` is a folder that is gone when the campaign is over, `program` the folder of the package that is started. */
export function openSlot(base: string, number: number, program = ROOT) {
  const root = join(base, `slot-${number}`);
  const home = join(root, 'home');
  const side = join(root, 'side');
  const templates = join(base, `templates-${number}`);
  const mark = `${base}/${number}`;
  const env: Record<string, string> = {
    ...(Object.fromEntries(Object.entries(process.env).filter(([key]) => !FOREIGN.test(key))) as Record<
      string,
      string
    >),
    HOME: join(root, 'user'),
    SIDE: side,
    CAMPAIGN_MARK: mark,
    OLLAMA_HOST: 'http://127.0.0.1:1',
  };
  const git = (dir: string, ...args: string[]): string => gitNow(args, dir, env);

  const inHome = (...args: string[]) => git(home, ...args);
  const slot = { root, home, side, git, inHome, write, commit, start, restore, survivors, killMarked };
  return slot;

  function write(files: Record<string, string>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
      if (text.startsWith('#!')) chmodSync(join(home, path), 0o755);
    }
  }

  function commit(files: Record<string, string>, message: string): void {
    write(files);
    git(home, 'add', '--', ...Object.keys(files));
    git(home, 'commit', '-q', '-m', message);
  }

  /** The folder as `make` left it, made at the first time. */
  async function restore(name: string, make: () => Promise<void>): Promise<void> {
    rmSync(root, { recursive: true, force: true });
    const kept = join(templates, name);
    if (existsSync(kept)) return copy(kept, root);
    for (const folder of [home, side, join(root, 'user')]) mkdirSync(folder, { recursive: true });
    const settings = '[user]\n\tname = Owner\n\temail = owner@example.org\n[init]\n\tdefaultBranch = main\n';
    writeFileSync(join(root, 'user/.gitconfig'), settings);
    git(home, 'init', '-q', '-b', 'main');
    await make();
    mkdirSync(templates, { recursive: true });
    copy(root, kept);
  }

  /** Starts the entry and waits for its end. */
  async function start(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
    const entry = join(program, 'scripts/bootstrap_loop.mjs');
    const [file = '', ...rest] = [...(options.under ?? []), process.execPath, '--import', FAULT, entry, ...args];
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
    const ourGit = { PATH: `${BIN}:${env.PATH}`, FAULT_REAL_GIT: realGit(), FAULT_ROOT: root };
    const given = { ...env, ...options.env, ...(options.env?.FAULT_CALLS ? ourGit : {}) };
    const child = spawn(file, rest, { cwd: home, env: given, stdio, detached: true });
    let text = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (more: string) => (text += more));
    // Output that a stage still holds open must not keep us for long: the process itself is waited for.
    const closed = new Promise((done) => child.once('close', done));
    const ended = new Promise<number | null>((done, failed) => {
      child.once('error', failed);
      child.once('exit', (code) => done(code));
    });
    const limit = sleep(options.killAfterMs ?? LIMIT_MS, 'late' as const, { ref: false });
    const first = await Promise.race([ended, limit]);
    if (first === 'late') {
      if (options.whole) killMarked();
      child.kill('SIGKILL');
      if (options.killAfterMs === undefined) text += `\n(still running after ${LIMIT_MS} ms)\n`;
    }
    const exit = await ended;
    await Promise.race([closed, sleep(1000, undefined, { ref: false })]);
    child.stdout.destroy();
    child.stderr.destroy();
    return { exit, text };
  }

  /** Processes that carry the mark and still run, zombies apart. */
  function survivors(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) => {
        try {
          const marks = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
          const state = readFileSync(`/proc/${name}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
          return state !== 'Z' && marks.includes(`CAMPAIGN_MARK=${mark}`);
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  function killMarked(): void {
    for (const pid of survivors()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
  }
}

const realGit = (): string => execFileSync('bash', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
const copy = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);
