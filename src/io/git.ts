// The only way to run git: exit codes decide, output is never parsed for that. simple-git starts it where it needs a timeout or
// runs hooks.
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { GATE } from './command.ts';
import { identify, type ProcessIdentity } from './identity.ts';
import type { Ended } from './simple-git.ts';

/** git could not do what `run` or `bytes` asked for. */
export class GitError extends Error {
  readonly args: readonly string[];
  readonly code: number;
  readonly stderr: string;

  constructor(args: readonly string[], code: number, stderr: string) {
    super(`git ${args.join(' ')}: ${stderr.trim() || `exit code ${code}`}`);
    this.name = 'GitError';
    this.args = args;
    this.code = code;
    this.stderr = stderr;
  }
}

interface GitAnswer {
  readonly ok: boolean;
  /** As in Ended. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

export interface Git {
  readonly dir: string;
  /** What git printed; throws a GitError when it failed. */
  run(args: readonly string[], input?: string | Buffer): Promise<string>;
  /** The same without space around it: for answers of one line. */
  line(args: readonly string[], input?: string | Buffer): Promise<string>;
  /** The same, byte for byte. */
  bytes(args: readonly string[], input?: string | Buffer): Promise<Buffer>;
  /** Never throws for what git answers, only when `dir` is no folder. */
  attempt(args: readonly string[], input?: string | Buffer): Promise<GitAnswer>;
}

export interface GitOptions {
  /** The git folder to act on. Without it git looks for one from `dir` upwards, and may find another repository's. */
  readonly gitDir?: string;
  /** An index other than the checkout's own. */
  readonly indexFile?: string;
  readonly hooks?: boolean;
  readonly sign?: boolean | undefined;
  /** Lets a read-only call write what it learned about file times into the index. For a checkout that nobody else uses. */
  readonly refresh?: boolean;
  /** Fsync objects, refs and index, which git does not do by default. */
  readonly durable?: boolean;
  /** Ends a git that says nothing for so long. */
  readonly quietMs?: number;
  /** Called when git's process exists and before it does anything: what must be on disk first. Where it throws, git never starts. */
  readonly beforeStart?: (leader: ProcessIdentity) => void;
}

const IDENTITY = ['user', 'author', 'committer'].flatMap((who) => [
  `${who}.name=mendloop`,
  `${who}.email=mendloop@localhost`,
]);

/** A git for `dir`. Read-only calls leave the index alone, commits are mendloop's, no hook runs unless asked for. */
export function openGit(dir: string, options: GitOptions = {}): Git {
  // No automatic gc or maintenance beside a stage, nor the process that looks for some after each commit.
  const config = [
    'core.quotePath=false',
    'maintenance.auto=false',
    // Both make git believe that files are unchanged without a look at them.
    'core.fsmonitor=false',
    'core.ignoreStat=false',
    `commit.gpgSign=${options.sign === true}`,
    ...IDENTITY,
  ];
  if (!options.hooks) config.push('core.hooksPath=/dev/null');
  if (options.durable) config.push('core.fsync=committed,reference,index');
  const locks = options.refresh ? [] : ['--no-optional-locks'];
  const place = options.gitDir ? [`--git-dir=${options.gitDir}`, `--work-tree=${dir}`] : [];
  const before = [...locks, ...place];
  const { hooks, quietMs, indexFile, beforeStart } = options;

  async function start(args: string[], input: string | Buffer | undefined): Promise<Ended> {
    if (hooks || quietMs) {
      const { askSimpleGit } = await import('./simple-git.ts');
      return askSimpleGit({ dir, config, quietMs }, args, input);
    }
    const env = gitEnvironment(indexFile ? { GIT_INDEX_FILE: indexFile } : {});
    return runGit([...config.flatMap((setting) => ['-c', setting]), ...args], { dir, env, beforeStart }, input);
  }

  const attempt: Git['attempt'] = async (args, input) => {
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw new GitError(args, -1, `${dir} is no folder`);
    const { code, stdout, stderr } = await start([...before, ...args], input);
    return { ok: code === 0, code, stdout: stdout.toString(), stderr: stderr.toString(), bytes: stdout };
  };
  const bytes: Git['bytes'] = async (args, input) => {
    const answer = await attempt(args, input);
    if (!answer.ok) throw new GitError(args, answer.code, answer.stderr);
    return answer.bytes;
  };
  const run: Git['run'] = async (args, input) => (await bytes(args, input)).toString();
  return { dir, attempt, bytes, run, line: async (args, input) => (await run(args, input)).trim() };
}

interface GitPlace {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly beforeStart: GitOptions['beforeStart'];
}

function runGit(args: string[], { dir, env, beforeStart }: GitPlace, input: string | Buffer = ''): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // Detached so that Ctrl-C reaches only the loop.
    const options = { cwd: dir, env, detached: true };
    const child = beforeStart
      ? spawn('/bin/sh', ['-c', GATE, 'mendloop', 'git', ...args], {
          ...options,
          stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
        })
      : spawn('git', args, options);
    const [stdin, out, err] = child.stdio as [Writable, Readable, Readable, ...unknown[]];
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    out.on('data', (chunk: Buffer) => stdout.push(chunk));
    err.on('data', (chunk: Buffer) => stderr.push(chunk));
    const end = (code: number) => resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) });
    child.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? end(-2) : reject(error)));
    child.once('close', (code) => end(code ?? -1));
    // A git that fails leaves its input unread; its exit tells.
    stdin.on('error', () => {});
    stdin.end(input);
    if (beforeStart) openGate(child, beforeStart, reject);
  });
}

function openGate(
  child: ChildProcess,
  beforeStart: (leader: ProcessIdentity) => void,
  reject: (error: unknown) => void,
) {
  const gate = child.stdio[3] as Writable;
  gate.on('error', () => {});
  if (child.pid === undefined) return;
  try {
    beforeStart(identify(child.pid));
    gate.end('go\n');
  } catch (error) {
    gate.destroy();
    reject(error);
  }
}

/** The environment without what points git elsewhere or makes it prompt. */
export function gitEnvironment(added: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const foreign = /^(?:GIT_.*|EDITOR|VISUAL|PAGER|PREFIX|SSH_ASKPASS)$/i;
  const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return { ...Object.fromEntries(inherited), ...added };
}

/** The id of a text as it is, no filter asked; with `-w` git stores it. Throws a GitError. */
export function hashText(git: Git, text: string, ...options: string[]): Promise<string> {
  // An empty text would count as no input.
  const source = text === '' ? ['--no-filters', '/dev/null'] : ['--stdin'];
  return git.line(['hash-object', ...options, ...source], text);
}

/** The lines of an answer that hold something. */
export const lines = (answer: string): string[] => answer.split('\n').filter(Boolean);

/** The parts of a NUL-separated answer. */
export function fields(answer: string): string[] {
  const parts = answer.split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
}
