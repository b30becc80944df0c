// A repository whose AI branch is ahead of main in every way that a file can change, a landing that is killed at a chosen place,
// and what must hold after the next command.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { withLockForWork } from '../../src/run/close-landing.ts';
import { KILL_LOOP } from '../kill-loop.ts';
import { program } from '../program.ts';
import { AI, commit, folder, git, numbers, repository, script, write } from '../worktree/repository.ts';

export type Where = 'here' | 'elsewhere' | 'nowhere';

export interface LandingLab {
  readonly home: string;
  /** Where main is checked out. */
  readonly checkout: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** `smudge`: what every file but other.txt passes through when git writes it. */
export function landingLab(where: Where = 'here', { lines = 30, smudge = '' } = {}): LandingLab {
  const long = (text: string) => `${text}\n`.repeat(lines);
  const home = repository({
    'a.txt': numbers(),
    'b.bin': long('before'),
    'c d.txt': 'one\n',
    'gone/x.txt': 'gone\n',
    'run.sh': 'echo\n',
    'y.txt': 'y\n',
    'other.txt': numbers(),
    ...(smudge && { '.gitattributes': '* filter=f\nother.txt -filter\n.gitattributes -filter\n' }),
  });
  const from = git(home, 'rev-parse', 'HEAD');
  const tree = join(folder(), 'tree');
  git(home, 'worktree', 'add', '-q', '-b', AI, tree);
  write(tree, { 'a.txt': numbers({ 2: 'two' }), 'b.bin': long('afterwards'), 'c d.txt': 'one\ntwo\n' });
  write(tree, { 'new/e.txt': 'new\n', 'new/*.txt': 'star\n' });
  unlinkSync(join(tree, 'gone/x.txt'));
  chmodSync(join(tree, 'run.sh'), 0o755);
  unlinkSync(join(tree, 'y.txt'));
  symlinkSync('a.txt', join(tree, 'y.txt'));
  git(tree, 'add', '-A');
  git(tree, 'commit', '-q', '-m', 'Mend');
  const to = git(tree, 'rev-parse', 'HEAD');
  git(home, 'worktree', 'remove', tree);
  git(home, 'config', `branch.${AI}.mendloop-base`, 'main');
  if (smudge) {
    git(home, 'config', 'filter.f.smudge', smudge);
    git(home, 'config', 'filter.f.clean', 'cat');
    git(home, 'config', 'filter.f.required', 'true');
  }
  mkdirSync(layoutOf(home).state, { recursive: true });
  write(home, { 'ai/state/.gitignore': '*\n' });
  if (where === 'here') return { home, checkout: home, from, to };
  git(home, 'switch', '-q', '-c', 'work');
  if (where === 'nowhere') return { home, checkout: undefined, from, to };
  const checkout = join(folder(), 'elsewhere');
  git(home, 'worktree', 'add', '-q', checkout, 'main');
  return { home, checkout, from, to };
}

/** What a stand-in for git does besides at its n-th call; `sh` has the real git as $real. */
export interface Kill {
  readonly call: number;
  readonly how: 'loop before' | 'loop after' | 'git' | 'both';
  /** After how many seconds git is killed. */
  readonly after?: string;
}

/** Lands in a process of its own; how it ended, and how often it called git. */
export async function landIn({ home, to }: LandingLab, kill?: Kill): Promise<{ signal: string | null; code: number | null; calls: string[] }> {
  const bin = folder();
  const real = join(git(bin, '--exec-path'), 'git');
  const count = join(bin, 'count');
  writeFileSync(count, '');
  const at = kill ? `[ "$(wc -l <${count})" -eq ${kill.call} ]` : 'false';
  const how = kill?.how ?? '';
  const child = `exec 3<&0; "${real}" "$@" <&3 3<&- & pid=$!; sleep ${kill?.after ?? 0}; kill -9 $pid 2>/dev/null`;
  const both = how === 'both' ? KILL_LOOP : ':';
  const lines = [
    `echo "$*" >>${count}`,
    how === 'loop before' ? `if ${at}; then ${KILL_LOOP}; exit 1; fi` : '',
    how === 'git' || how === 'both' ? `if ${at}; then ${child}; ${both}; wait $pid; exit $?; fi` : '',
    how === 'loop after' ? `if ${at}; then "${real}" "$@"; rc=$?; ${KILL_LOOP}; exit $rc; fi` : '',
    `exec "${real}" "$@"`,
  ];
  script(join(bin, 'git'), lines.join('\n'));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const args = [...program('land'), home, to];
  const loop = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', process.env.LAND_SHOWS ? 'inherit' : 'ignore'] });
  const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>((done) =>
    loop.once('close', (code, signal) => done({ code, signal })),
  );
  return { code, signal, calls: readFileSync(count, 'utf8').trim().split('\n') };
}

/** The next command that takes the lock for work; what it says. */
export const nextCommand = ({ home }: LandingLab): Promise<readonly string[]> =>
  withLockForWork(layoutOf(home), systemClock, 'test', async (notices) => notices);

/** Tracked and untracked files that differ from HEAD. */
export const statusOf = (checkout: string): string =>
  git(checkout, 'status', '--porcelain', '--untracked-files=all', '--', '.', ':!ai');

/** That nothing of a landing is open or left: no lock, no file of ours; main is at one of the two commits, and its checkout with it. */
export function assertWhole({ home, checkout, from, to }: LandingLab, words: string): 'landed' | 'as before' {
  assert.is(loadStages(layoutOf(home), { look: true }).state.landing, undefined, words);
  const main = git(home, 'rev-parse', 'main');
  assert.ok([from, to].includes(main), words);
  for (const dir of new Set([home, ...(checkout ? [checkout] : [])])) {
    assert.is(statusOf(dir), '', words);
    const own = git(dir, 'rev-parse', '--absolute-git-dir');
    const left = readdirSync(own).filter((name) => name.endsWith('.lock') || name.startsWith('mendloop'));
    assert.equal(left, [], words);
  }
  assert.not(existsSync(join(home, '.git/refs/heads/main.lock')), words);
  return main === to ? 'landed' : 'as before';
}

/** That the owner's next commit of all that they changed has exactly that. */
export function assertOwnCommit({ checkout }: LandingLab, words: string): void {
  if (checkout === undefined) return;
  write(checkout, { 'other.txt': numbers({ 7: 'mine' }) });
  git(checkout, 'commit', '-q', '-am', 'mine');
  assert.is(git(checkout, 'diff', '--name-only', 'HEAD^', 'HEAD'), 'other.txt', words);
  assert.is(statusOf(checkout), '', words);
}

export { commit, rmSync };
