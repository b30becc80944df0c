// A repository whose AI branch is ahead of main in every way that a file can change, a landing that is killed at a chosen place,
// and what must hold after the next command.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { withLockForWork } from '../../src/run/lock-for-work.ts';
import { KILL_LOOP } from '../kill-loop.ts';
import { program } from '../program.ts';
import { AI, folder, git, numbers, repository, script, write } from '../worktree/repository.ts';

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

/** What a stand-in for git does besides, at the first call that has these words, or at its n-th. */
export interface Kill {
  readonly call: number | string;
  readonly how: 'loop before' | 'loop after' | 'git' | 'both';
  /** After how many seconds git is killed. */
  readonly after?: number;
}

export interface Ended {
  readonly signal: string | null;
  readonly code: number | null;
  /** What git was called with. */
  readonly calls: readonly string[];
}

export const landIn = (lab: LandingLab, kill?: Kill): Promise<Ended> => inProcess('land', [lab.home, lab.to], kill);
export const closeIn = (lab: LandingLab, kill?: Kill): Promise<Ended> => inProcess('close-landing', [lab.home], kill);

async function inProcess(name: string, args: readonly string[], kill: Kill | undefined): Promise<Ended> {
  const bin = folder();
  const log = join(bin, 'calls');
  writeFileSync(log, '');
  script(join(bin, 'git'), standIn(join(git(bin, '--exec-path'), 'git'), log, kill));
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const child = spawn(process.execPath, [...program(name), ...args], { env, stdio: 'ignore' });
  const end = await new Promise<Omit<Ended, 'calls'>>((done) =>
    child.once('close', (code, signal) => done({ code, signal })),
  );
  return { ...end, calls: readFileSync(log, 'utf8').trim().split('\n') };
}

function standIn(real: string, log: string, kill: Kill | undefined): string {
  const run = `"${real}" "$@"`;
  if (kill === undefined) return `echo "$*" >>${log}\nexec ${run}`;
  const { call, how, after = 0 } = kill;
  const isIt =
    typeof call === 'number'
      ? `[ "$(wc -l <${log})" -eq ${call} ]`
      : `case " $* " in *" ${call} "*) [ "$(grep -c ' ${call} ' ${log})" -eq 1 ] ;; *) false ;; esac`;
  const killed = `exec 3<&0; ${run} <&3 3<&- & pid=$!; sleep ${after}; kill -9 $pid 2>/dev/null`;
  const at = {
    'loop before': `${KILL_LOOP}; exit 1`,
    'loop after': `${run}; rc=$?; ${KILL_LOOP}; exit $rc`,
    git: `${killed}; wait $pid; exit $?`,
    both: `${killed}; ${KILL_LOOP}; wait $pid; exit $?`,
  }[how];
  return `echo " $* " >>${log}\nif ${isIt}; then ${at}; fi\nexec ${run}`;
}

/** The next command that takes the lock for work; what it says. */
export const nextCommand = ({ home }: LandingLab): Promise<readonly string[]> =>
  withLockForWork(layoutOf(home), systemClock, 'test', async (notices) => notices);

/** Tracked and untracked files that differ from HEAD. */
export const statusOf = (checkout: string): string =>
  git(checkout, 'status', '--porcelain', '--untracked-files=all', '--', '.', ':!ai');

/** Locks, and files of ours, in the git folders of the checkouts. */
export function locksIn({ home, checkout }: LandingLab): string[] {
  const dirs = [home, ...(checkout && checkout !== home ? [checkout] : [])];
  const own = dirs.flatMap((dir) => readdirSync(git(dir, 'rev-parse', '--absolute-git-dir')));
  const heads = readdirSync(join(home, '.git/refs/heads'));
  return [...own, ...heads].filter((name) => name.endsWith('.lock') || name.startsWith('mendloop-'));
}

/** That nothing of a landing is open or left: main is at one of the two commits, and its checkout with it. */
export function assertWhole(lab: LandingLab, words: string): 'landed' | 'as before' {
  const { home, checkout, from, to } = lab;
  assert.is(loadStages(layoutOf(home), { look: true }).state.landing, undefined, words);
  assert.equal(locksIn(lab), [], words);
  for (const dir of [home, ...(checkout ? [checkout] : [])]) assert.is(statusOf(dir), '', words);
  const main = git(home, 'rev-parse', 'main');
  assert.ok([from, to].includes(main), words);
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
