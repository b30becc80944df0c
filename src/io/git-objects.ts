// Reading git's objects through one `git cat-file` that stays up for as long as its owner needs it: a process for each file
// would take longer than all the rest. Ours and not simple-git's, which starts one process for each question.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import { GitError } from './git.ts';

export interface ObjectInfo {
  readonly id: string;
  readonly type: string;
  readonly size: number;
}

export interface TreeEntry {
  /** 100644, 100755, 120000 (a link) or 160000 (a submodule). */
  readonly mode: string;
  readonly id: string;
}

export interface GitObjects {
  /** What a name of git's (an id, `refs/heads/x^{commit}`, `HEAD:path`) stands for; undefined when it stands for nothing. */
  info(name: string): Promise<ObjectInfo | undefined>;
  /** The content of an object, byte for byte. Throws a GitError when there is no such object. */
  read(name: string): Promise<Buffer>;
  /** Every file of a commit; the same commit is read once. Throws a GitError when there is no such commit. */
  files(commit: string): Promise<ReadonlyMap<string, TreeEntry>>;
  /** Ends the process. What is asked for afterwards starts another one. */
  close(): void;
}

interface Request {
  readonly name: string;
  readonly withContent: boolean;
  resolve(answer: { info: ObjectInfo; content: Buffer } | undefined): void;
  reject(error: GitError): void;
}

const FOLDER = '40000';

/** The objects of the repository that `home` is the top level of. Starts nothing before the first question. */
export function openObjects(home: string): GitObjects {
  const trees = new Map<string, Promise<ReadonlyMap<string, TreeEntry>>>();
  let git: ReturnType<typeof startCatFile> | undefined;
  const ask = async (name: string, withContent: boolean) => {
    git ??= startCatFile(home);
    const asked = git;
    return asked.ask(name, withContent).catch((error) => {
      if (git === asked) git = undefined;
      if (!asked.hasAnswered()) throw error;
      // That it was killed meanwhile is seen only now.
      git ??= startCatFile(home);
      return git.ask(name, withContent);
    });
  };

  async function readObject(name: string): Promise<{ info: ObjectInfo; content: Buffer }> {
    return (await ask(name, true)) ?? noObject(name);
  }

  /** The files of a tree and of the trees in it, in git's order. */
  async function listTree(name: string, prefix: string): Promise<[string, TreeEntry][]> {
    const { info, content } = await readObject(name);
    const entries = treeEntries(content, info.id.length / 2);
    const lists = await Promise.all(
      entries.map(([path, entry]) => {
        const whole = prefix + path;
        return entry.mode === FOLDER ? listTree(entry.id, `${whole}/`) : [[whole, entry] as [string, TreeEntry]];
      }),
    );
    return lists.flat();
  }

  return {
    info: async (name) => (await ask(name, false))?.info,
    read: async (name) => (await readObject(name)).content,
    async files(commit) {
      const tree = (await ask(`${commit}^{tree}`, false))?.info.id ?? noObject(commit);
      const files = trees.get(tree) ?? listTree(tree, '').then((list) => new Map(list));
      trees.set(tree, files);
      return files;
    },
    close() {
      git?.end();
      git = undefined;
    },
  };
}

function noObject(name: string): never {
  throw new GitError(['cat-file', '-p', name], 128, `fatal: git has no content ${name}`);
}

/** The objects of `home` for the length of `work`; those that are `given` are used and left open. */
export async function withObjects<T>(
  home: string,
  given: GitObjects | undefined,
  work: (objects: GitObjects) => Promise<T>,
): Promise<T> {
  const objects = given ?? openObjects(home);
  try {
    return await work(objects);
  } finally {
    if (!given) objects.close();
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
  // Not in the repository: a git at work there may hold a lock, and is waited for. In a group of its own, out of Ctrl-C's reach.
  const child = spawn('git', args, { cwd: '/', env: plainEnvironment(), detached: true });
  const queue: Request[] = [];
  let chunks: Buffer[] = [];
  let size = 0;
  let needed = 1;
  let answered = false;
  let ended = false;

  function answerAll(): void {
    answered = true;
    while (size >= needed) {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const used = answerNext(bytes);
      chunks = [bytes.subarray(used)];
      size -= used;
      if (used > 0) needed = 1;
    }
    if (queue.length === 0) hold(child, false);
  }

  /** Answers the first request when all of its answer is there; how many bytes that took. */
  function answerNext(bytes: Buffer): number {
    const [request] = queue;
    const end = bytes.indexOf('\n');
    if (!request || end < 0) {
      needed = bytes.length + 1;
      return 0;
    }
    const [, id, type = '', count] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.toString('utf8', 0, end)) ?? [];
    if (id === undefined) {
      queue.shift();
      request.resolve(undefined);
      return end + 1;
    }
    const info = { id, type, size: Number(count) };
    const length = request.withContent ? info.size + 1 : 0;
    needed = end + 1 + length;
    if (bytes.length < needed) return 0;
    queue.shift();
    // A copy: a small content would keep all that came with it in memory.
    request.resolve({ info, content: Buffer.from(bytes.subarray(end + 1, end + 1 + Math.max(0, length - 1))) });
    return needed;
  }

  const failed = (code: number, reason: string) => {
    ended = true;
    for (const { name, reject } of queue.splice(0)) reject(new GitError(['cat-file', '-p', name], code, reason));
  };
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk).slice(-2000);
  });
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    answerAll();
  });
  child.stdin.on('error', () => {});
  child.once('error', () => failed(-2, 'there is no git to start'));
  child.once('close', (code) => failed(code ?? -1, stderr));
  hold(child, false);
  return {
    ask(name: string, withContent: boolean): Promise<{ info: ObjectInfo; content: Buffer } | undefined> {
      // One line is one question.
      if (/[\n\0]/.test(name)) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => {
        if (ended) return reject(new GitError(['cat-file', '-p', name], -1, 'it was ended'));
        queue.push({ name, withContent, resolve, reject });
        hold(child, true);
        child.stdin.write(`${withContent ? 'contents' : 'info'} ${name}\n`);
      });
    },
    hasAnswered: () => answered,
    end: () => void child.stdin.end(),
  };
}

function hold(child: ChildProcessWithoutNullStreams, alive: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr]) {
    if (alive && 'ref' in part) (part as { ref(): void }).ref();
    if (!alive && 'unref' in part) (part as { unref(): void }).unref();
  }
}

/** Nothing that points git elsewhere. */
const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.toUpperCase().startsWith('GIT_')));
