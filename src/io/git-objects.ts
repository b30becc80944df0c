// Reading git's objects through one `git cat-file` that stays up for as long as its owner needs it: a process for each file
// would take longer than all the rest. Ours and not simple-git's, which starts one process for each question.
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { GitError, gitEnvironment } from './git.ts';

interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** Empty unless it was asked for. */
  readonly content: Buffer;
}

export interface TreeEntry {
  /** 100644, 100755, 120000 (a link) or 160000 (a submodule). */
  readonly mode: string;
  readonly id: string;
}

export interface GitObjects {
  /** What a name of git's (an id, `refs/heads/x^{commit}`, `HEAD:path`) stands for; undefined when it stands for nothing. */
  info(name: string): Promise<Omit<GitObject, 'content'> | undefined>;
  /** The content of an object, byte for byte. Throws a GitError when there is no such object. */
  read(name: string): Promise<Buffer>;
  /** Every file of a commit; the same commit is read once. Throws a GitError when there is no such commit. */
  files(commit: string): Promise<ReadonlyMap<string, TreeEntry>>;
  /** Ends the process. To ask for anything afterwards is a bug, and throws. */
  close(): void;
}

const FOLDER = '40000';

/** The objects of the repository that `home` is the top level of. Starts nothing before the first question. */
export function openObjects(home: string): GitObjects {
  const trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  let git: ReturnType<typeof startCatFile> | undefined;
  let closed = false;
  const ask = async (name: string, withContent: boolean) => {
    if (closed) throw new Error(`git's objects are closed, and asked for ${name}`);
    git ??= startCatFile(home);
    const asked = git;
    return asked.ask(name, withContent).catch((error) => {
      if (git === asked) git = undefined;
      if (closed || !asked.hasAnswered()) throw error;
      // It may have been killed since the last question.
      git ??= startCatFile(home);
      return git.ask(name, withContent);
    });
  };

  const readObject = async (name: string): Promise<GitObject> => (await ask(name, true)) ?? noObject(name);

  /** The files of a tree and of the trees in it, in git's order. */
  async function listTree(name: string, prefix: string): Promise<[string, TreeEntry][]> {
    const { id, content } = await readObject(name);
    const entries = treeEntries(content, id.length / 2);
    const lists = await Promise.all(
      entries.map(([path, entry]) => {
        const whole = prefix + path;
        return entry.mode === FOLDER ? listTree(entry.id, `${whole}/`) : [[whole, entry] as [string, TreeEntry]];
      }),
    );
    return lists.flat();
  }

  return {
    info: (name) => ask(name, false),
    read: async (name) => (await readObject(name)).content,
    async files(commit) {
      const tree = (await ask(`${commit}^{tree}`, false))?.id ?? noObject(commit);
      const files = trees.get(tree) ?? listTree(tree, '').then((list) => new Map(list));
      trees.set(tree, files);
      files.catch(() => trees.delete(tree));
      return files;
    },
    close() {
      closed = true;
      git?.end();
      git = undefined;
    },
  };
}

function noObject(name: string): never {
  throw new GitError(['cat-file', '-p', name], 128, `fatal: git has no content ${name}`);
}

/** The objects of a repository for the length of `work`; those that are given are used and left open. */
export async function withObjects<T>(of: string | GitObjects, work: (objects: GitObjects) => Promise<T>): Promise<T> {
  if (typeof of !== 'string') return work(of);
  const objects = openObjects(of);
  try {
    return await work(objects);
  } finally {
    objects.close();
  }
}

/** `<mode> <name>\0<id>`, one behind the other; an id has `idBytes`. */
function treeEntries(tree: Buffer, idBytes: number): [string, TreeEntry][] {
  const entries: [string, TreeEntry][] = [];
  for (let at = 0; at < tree.length; ) {
    const space = tree.indexOf(' ', at);
    const end = tree.indexOf(0, space);
    const id = tree.toString('hex', end + 1, end + 1 + idBytes);
    entries.push([tree.toString('utf8', space + 1, end), { mode: tree.toString('latin1', at, space), id }]);
    at = end + 1 + idBytes;
  }
  return entries;
}

/** One process, which answers in the order it is asked. It keeps the loop alive only while it is asked something. */
function startCatFile(home: string) {
  const args = [`--git-dir=${join(home, '.git')}`, 'cat-file', '--batch-command'];
  // cwd is / so that it does not count as a git at work in the repository; detached so that Ctrl-C does not reach it.
  const child = spawn('git', args, { cwd: '/', env: gitEnvironment(), detached: true });
  const closed = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  const output = child.stdout[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  let stderr = '';
  let waiting = 0;
  let answered = false;
  let last: Promise<unknown> = Promise.resolve();
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-2000);
  });
  // Its exit is handled; errors of the pipe and of a failed start add nothing.
  for (const part of [child, child.stdin]) part.on('error', () => {});
  hold(child, false);

  async function more(): Promise<Buffer> {
    const { value, done } = await output.next();
    if (done) throw new GitError(args, await closed, stderr);
    answered = true;
    return value;
  }

  async function take(size: number): Promise<Buffer> {
    const parts = [rest];
    for (let missing = size - rest.length; missing > 0; missing -= (parts.at(-1) as Buffer).length) {
      parts.push(await more());
    }
    const bytes = parts.length === 1 ? rest : Buffer.concat(parts);
    rest = bytes.subarray(size);
    return bytes.subarray(0, size);
  }

  async function readAnswer(withContent: boolean): Promise<GitObject | undefined> {
    while (!rest.includes('\n')) rest = Buffer.concat([rest, await more()]);
    const header = (await take(rest.indexOf('\n') + 1)).toString('utf8');
    const [, id, type = '', length] = /^([0-9a-f]{40,64}) (\w+) (\d+)\n$/.exec(header) ?? [];
    if (id === undefined) return undefined;
    const size = Number(length);
    const content = withContent ? (await take(size + 1)).subarray(0, size) : Buffer.alloc(0);
    return { id, type, size, content };
  }

  return {
    hasAnswered: () => answered,
    end: () => void child.stdin.end(),
    async ask(name: string, withContent: boolean): Promise<GitObject | undefined> {
      // A newline would start another question.
      if (/[\n\0]/.test(name)) return undefined;
      if (++waiting === 1) hold(child, true);
      child.stdin.write(`${withContent ? 'contents' : 'info'} ${name}\n`);
      const answer = last.then(() => readAnswer(withContent));
      last = answer.catch(() => {});
      return answer.finally(() => {
        if (--waiting === 0) hold(child, false);
      });
    },
  };
}

/** Whether a child and its pipes keep this process alive. */
function hold(child: ChildProcess, alive: boolean): void {
  const parts = [child, ...child.stdio] as unknown as ({ ref(): void; unref(): void } | null)[];
  for (const part of parts) part?.[alive ? 'ref' : 'unref']();
}
