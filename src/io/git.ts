// The one way to git: simple-git starts it, the exit code says how it went, and the text is never parsed for that.
import { type SimpleGitOptions, simpleGit } from 'simple-git';

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

export interface GitAnswer {
  readonly ok: boolean;
  /** -2 when there is no git to start. */
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
  /** What it writes into the repository (objects, refs, index) is on the disk when it ends. git does not care by default. */
  readonly durable?: boolean;
  /** Ends a git that says nothing for so long. */
  readonly quietMs?: number;
}

const IDENTITY = ['user', 'author', 'committer'].flatMap((who) => [
  `${who}.name=mendloop`,
  `${who}.email=mendloop@localhost`,
]);
/** All that git needs when its environment cannot be the inherited one. */
const PLAIN_ENV = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'TMPDIR'];

/** A git for `dir`. Read-only calls leave the index alone, commits are mendloop's, no hook runs unless asked for. */
export function openGit(dir: string, options: GitOptions = {}): Git {
  // Housekeeping is the owner's: none begins beside a stage, and each commit is spared a process that looks for some.
  const config = [
    'core.quotePath=false',
    'maintenance.auto=false',
    `commit.gpgSign=${options.sign === true}`,
    ...IDENTITY,
  ];
  if (!options.hooks) config.push('core.hooksPath=/dev/null');
  if (options.durable) config.push('core.fsync=committed,reference,index');
  const locks = options.refresh ? [] : ['--no-optional-locks'];
  const place = options.gitDir ? [`--git-dir=${options.gitDir}`, `--work-tree=${dir}`] : [];
  const settings: Partial<SimpleGitOptions> = {
    baseDir: dir,
    config,
    completion: { onClose: true, onExit: false },
    unsafe: { allowUnsafeHooksPath: true, allowUnsafeConfigPaths: true },
    allowEnvironment: options.indexFile ? ['GIT_INDEX_FILE'] : [],
    ...(options.quietMs ? { timeout: { block: options.quietMs } } : {}),
  };

  const attempt: Git['attempt'] = async (args, input) => {
    let answer: GitAnswer | undefined;
    const git = simpleGit({
      ...settings,
      ...(input?.length ? { input: () => input } : {}),
      errors(error, { exitCode, stdOut, stdErr }) {
        if (exitCode > 9000) return error; // refused by simple-git itself: a bug of ours
        const bytes = Buffer.concat(stdOut);
        const stderr = Buffer.concat(stdErr).toString();
        answer = { ok: exitCode === 0, code: exitCode ?? -1, stdout: bytes.toString(), stderr, bytes };
        return undefined;
      },
    });
    // simple-git waits 50 ms for more when a command printed nothing at all.
    git.outputHandler((_command, stdout) => {
      stdout.once('end', () => stdout.emit('data', Buffer.alloc(0)));
    });
    if (options.indexFile) git.env(plainEnvironment(options.indexFile));
    await git.raw([...locks, ...place, ...args]);
    if (!answer) throw new GitError(args, -1, 'no answer');
    return answer;
  };
  const bytes: Git['bytes'] = async (args, input) => {
    const answer = await attempt(args, input);
    if (!answer.ok) throw new GitError(args, answer.code, answer.stderr);
    return answer.bytes;
  };
  const run: Git['run'] = async (args, input) => (await bytes(args, input)).toString();
  return { dir, attempt, bytes, run, line: async (args, input) => (await run(args, input)).trim() };
}

function plainEnvironment(indexFile: string): Record<string, string> {
  const variables = PLAIN_ENV.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  return { ...Object.fromEntries(variables), GIT_INDEX_FILE: indexFile };
}

/** The id of a text as it is, no filter asked; with `-w` git stores it. Throws a GitError. */
export function hashText(git: Git, text: string, ...options: string[]): Promise<string> {
  // An input that is empty is never closed.
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
