// Killed before or after any git call while the branch is put onto its base: branch and base are as before or as after, nothing of
// the owner's is touched, and the next start finishes it, once.
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { listJournals } from '../../src/journal/runs.ts';
import { commitFix } from '../../src/worktree/commit-fix.ts';
import { fixMessage } from '../../src/worktree/fix-message.ts';
import { program } from '../program.ts';
import { cases } from '../sweep.ts';
import { AI, bring, checkoutHash, commit, folder, git, numbers, open, read, repository, script } from './repository.ts';

/** A git that counts its calls in `counts`, and kills whoever calls it the `nth` time, before or after. */
function countingGit(counts: string, nth: number, isBefore: boolean): string {
  const bin = folder();
  const real = git(bin, '--exec-path');
  mkdirSync(counts);
  const kill = (at: boolean) => (at === isBefore ? `[ $n = ${nth} ] && { kill -9 $PPID; exit 1; }` : '');
  const count = `n=1\nwhile ! mkdir "${counts}/$n" 2>/dev/null; do n=$((n + 1)); done`;
  script(join(bin, 'git'), `${count}\n${kill(true)}\n"${real}/git" "$@"\nrc=$?\n${kill(false)}\nexit $rc`);
  return bin;
}

/** Puts the branch of `home` onto its base in a process of its own; whether that was killed. */
async function killedAt(home: string, counts: string, nth: number, isBefore: boolean): Promise<boolean> {
  const env = { ...process.env, PATH: `${countingGit(counts, nth, isBefore)}:${process.env.PATH}` };
  const args = [...program('open-worktree'), home];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((done) => child.once('close', (_code, signal) => done(signal === 'SIGKILL')));
}

async function fixed(): Promise<{ home: string; from: string; path: string }> {
  const home = repository({ 'a.txt': numbers(), 'b.txt': numbers(), 'gone.txt': 'g\n' });
  const { path } = await open(home);
  for (const [hash, files] of [
    ['h1', { 'a.txt': numbers({ 5: 'ours' }) }],
    ['h2', { 'b.txt': numbers({ 20: 'carried' }) }],
  ] as const) {
    const note = { fix: `Mend ${hash}`, reason: 'because' };
    const story = { stage: 'a', step: 'a', class: 'unknown', tier: 'executor' as const, plugin: 'probe', run: 'r1' };
    const message = fixMessage({ ...story, attempt: 1, fingerprint: 'f1', hash, note });
    const texts = Object.entries(files).map(([name, text]) => ({ path: name, text }));
    await commitFix(await open(home), texts, message, { hooks: false, sign: false });
  }
  git(home, 'rm', '-q', 'gone.txt');
  commit(home, { 'a.txt': numbers({ 5: 'theirs' }), 'new/one.txt': 'new\n' });
  return { home, from: git(home, 'rev-parse', AI), path };
}

const eventsOf = (home: string) => listJournals(layoutOf(home)).flatMap(({ path }) => readEvents(path).events);

async function killAndFinish(nth: number, isBefore: boolean): Promise<boolean> {
  const { home, from, path } = await fixed();
  const owners = checkoutHash(home);
  const counts = join(folder(), 'counts');
  const isKilled = await killedAt(home, counts, nth, isBefore);
  const where = `${isBefore ? 'before' : 'after'} git call ${nth} of ${readdirSync(counts).length}`;
  const tip = git(home, 'rev-parse', AI);
  const main = git(home, 'rev-parse', 'main');
  if (tip !== from) assert.is(git(home, 'rev-parse', `${tip}^`), main, where);
  await bring(home);
  const events = eventsOf(home);
  const ended = events.flatMap(({ type, data }) => (type === 'fix.judged' && 'hash' in data ? [data.hash] : []));
  const notes = events.filter((event) => event.type === 'notice').map((event) => event.data.text);
  assert.equal(
    {
      base: [main, git(home, 'rev-parse', `${AI}^`), git(home, 'rev-parse', `refs/mendloop/base/${AI}`)],
      files: [read(path, 'a.txt'), read(path, 'b.txt'), read(path, 'new/one.txt'), git(path, 'status', '--porcelain')],
      owners: checkoutHash(home),
      ended,
      told: notes.filter((text) => text.includes('yours stands')).length,
      moved: events.filter(({ type }) => type === 'branch.moved').length,
      open: readLedger(layoutOf(home)).ledger.move,
      before: git(home, 'for-each-ref', '--format=%(objectname)', 'refs/mendloop/before/').split('\n').includes(from),
    },
    {
      base: [main, main, main],
      files: [numbers({ 5: 'theirs' }), numbers({ 20: 'carried' }), 'new\n', ''],
      owners,
      ...{ ended: ['h1'], told: 1, moved: 1, open: undefined, before: true },
    },
    where,
  );
  return isKilled;
}

/** More than there are calls: the last of them are not reached, and that must be seen. */
const LAST = 70;

for (const nth of cases(
  [30, 44, 47, 48, 49, 50, 51],
  Array.from({ length: LAST }, (_, i) => i + 1),
))
  test(`killed at git call ${nth}`, async () => {
    const isKilled = [await killAndFinish(nth, true), await killAndFinish(nth, false)];
    if (nth < 20) assert.equal(isKilled, [true, true]);
    if (nth === LAST) assert.equal(isKilled, [false, false], 'there are fewer calls');
  });

test.run();
