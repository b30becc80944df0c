// Real repositories in temporary folders, made by the git command itself.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
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
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { formatError, MendError } from '../../src/errors.ts';
import type { LoopEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { type GitObjects, openObjects } from '../../src/io/git-objects.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { withLock } from '../../src/io/lock.ts';
import { newActionId, openJournal } from '../../src/journal/journal.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { bringOntoBase, closeMove } from '../../src/mend/move-branch.ts';
import { findBase } from '../../src/worktree/base.ts';
import { attachWorktree, furnish, type OpenOptions, openWorktree } from '../../src/worktree/open.ts';
import type { Worktree } from '../../src/worktree/tree.ts';
import { afterTest } from '../environment.ts';
import { gitNow, headNow, initNow } from '../git-now.ts';

export const AI = 'ai/orchestrator-stage1';

const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-worktree-'));
process.on('exit', () => rmSync(made, { recursive: true, force: true }));

const PERSON = ['-c', 'user.name=Owner', '-c', 'user.email=owner@example.org', '-c', 'commit.gpgSign=false'];

const AS_OWNER = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: 'Owner', GIT_AUTHOR_EMAIL: 'owner@example.org' },
  ...{ GIT_COMMITTER_NAME: 'Owner', GIT_COMMITTER_EMAIL: 'owner@example.org' },
};

export function git(dir: string, ...args: string[]): string {
  return gitNow([...PERSON, ...args], dir);
}

export function write(dir: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

export function commit(dir: string, files: Record<string, string>, message = 'change'): string {
  write(dir, files);
  git(dir, '--literal-pathspecs', 'add', '--', ...Object.keys(files));
  git(dir, 'commit', '-q', '-m', message);
  return headNow(dir);
}

export function folder(): string {
  return mkdtempSync(join(made, 'r-'));
}

/** A repository with one commit on main. */
export function repository(files: Record<string, string> = { 'a.txt': numbers() }): string {
  const home = folder();
  initNow(home);
  commit(home, files, 'first');
  return home;
}

/** Thirty lines, some of them replaced, so that changes can lie apart or collide. */
export function numbers(changes: Record<number, string> = {}): string {
  return Array.from({ length: 30 }, (_, i) => `${changes[i + 1] ?? `line ${i + 1}`}\n`).join('');
}

export async function open(home: string, options: Partial<OpenOptions> = {}): Promise<Worktree> {
  return openWorktree(home, await findBase(home, { branch: AI }), {
    objects: objectsOf(home),
    carry: [],
    isSettled: true,
    ...options,
  });
}

/** The same with the branch put onto its base, as a run does it; what was recorded of that. */
export async function bring(
  home: string,
  { sign = false, ...options }: Partial<OpenOptions> & { sign?: boolean } = {},
) {
  const layout = layoutOf(home);
  return withLock(layout, 'test', async () => {
    const base = await findBase(home, { branch: AI });
    const carry = options.carry ?? [];
    const tree = await attachWorktree(home, base, { objects: objectsOf(home), isSettled: true, ...options, carry });
    const { state } = loadStages(layout);
    const id = newActionId({ layout, stages: state, clock: systemClock });
    const events: LoopEvent[] = [];
    const subscribers = [(event: LoopEvent) => void events.push(event)];
    const path = layout.action(id);
    const journal = openJournal({ run: id, layout, path, stages: state, clock: systemClock, subscribers });
    const on = { tree, base, sign, ledger: journal.ledger, record: journal.append };
    const moved = await closeMove(on)
      .then(() => bringOntoBase(on, tree.head))
      .finally(() => journal.close());
    const head = moved?.to ?? tree.head;
    const furnished = await furnish(tree, head);
    const told = events.flatMap((event) => (event.type === 'notice' ? [event.data.text] : []));
    const ended = events.flatMap((event) =>
      event.type === 'fix.judged' ? [`${event.data.hash} ${event.data.outcome}`] : [],
    );
    return { ...tree, ...furnished, head, moved, ended, notices: [...tree.notices, ...told, ...furnished.notices] };
  });
}

/** The whole text of the MendError that `promise` ends in, and its exit code. */
export async function refusal(promise: Promise<unknown>): Promise<{ text: string; exit: number }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof MendError) return { text: formatError(error), exit: error.exit };
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Every byte, mode and link of a folder as one hash; `.git` and the loop's own folders apart, but with the index. */
export function checkoutHash(home: string): string {
  const hash = createHash('sha256')
    .update(readFileSync(join(home, '.git/index')))
    .update(readFileSync(join(home, '.git/HEAD')));
  const walk = (dir: string): void => {
    for (const entry of readdirSync(dir, { withFileTypes: true }).sort((x, y) => (x.name < y.name ? -1 : 1))) {
      const path = join(dir, entry.name);
      if (['.git', 'ai'].includes(entry.name) && dir === home) continue;
      hash.update(path);
      if (entry.isDirectory()) walk(path);
      else hash.update(entry.isSymbolicLink() ? readlinkSync(path) : readFileSync(path));
    }
  };
  walk(home);
  return hash.digest('hex');
}

export const read = (dir: string, path: string): string => readFileSync(join(dir, path), 'utf8');

/** A script at `path` that stands in for a command. */
export function script(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

/** Types the commands of an error, line by line; `edit` at its comment. What conflicts says so, and goes on. */
export async function followAdvice(home: string, advice: string, edit: () => unknown): Promise<void> {
  const typed = advice.split('\n').map((line) => line.replace(/^ *(?:next:)? */, ''));
  const from = typed.findIndex((line) => line.startsWith('git '));
  const commands = typed.slice(from);
  for (const [i, line] of commands.entries()) {
    if (line.startsWith('#')) await edit();
    else if (commands[i + 1]?.startsWith('#')) assert.throws(() => shell(home, line), `${line} conflicts`);
    else shell(home, line);
  }
}

const shell = (home: string, line: string): string =>
  execFileSync('bash', ['-e', '-c', line], {
    cwd: home,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: AS_OWNER,
  });

/** Its objects, closed after the test. */
export function objectsOf(home: string): GitObjects {
  const objects = openObjects(home);
  afterTest(() => objects.close());
  return objects;
}

/** The git commands that ran while `work` did, with how often each waited for the disk. */
export async function flushes(work: () => Promise<unknown>): Promise<string[]> {
  const trace = join(folder(), 'trace');
  writeFileSync(trace, '');
  const settings = join(process.env.HOME as string, '.gitconfig');
  const before = readFileSync(settings);
  writeFileSync(settings, `${before}[trace2]\n\teventTarget = ${trace}\n`);
  try {
    await work();
  } finally {
    writeFileSync(settings, before);
  }
  const events = readFileSync(trace, 'utf8').trim().split('\n');
  const processes = new Map<string, { name: string; count: number }>();
  for (const { sid, event, name, key, value } of events.map((line) => JSON.parse(line))) {
    const one = processes.get(sid) ?? { name: '', count: 0 };
    if (event === 'cmd_name') one.name = name;
    if (key === 'fsync/hardware-flush') one.count += Number(value);
    processes.set(sid, one);
  }
  return [...processes.values()].filter(({ count }) => count > 0).map(({ name, count }) => `${name} ${count}`);
}
