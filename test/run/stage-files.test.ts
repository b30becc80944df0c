// Tracked files that stages write: whose they are, and that they are there again after each write of the tree.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runHere } from '../e2e/here.ts';
import { commit, git } from '../worktree/repository.ts';
import { NOTE, type Ran, ranSteps, run } from './homelab.ts';
import { mendable, swap, wants } from './probe.ts';

test('tracked files that a stage with rerun: false wrote are written again after each write of the tree', async () => {
  const { home, probe, tree } = mendable({
    word: 'bad',
    stages: {
      once: { command: `${NOTE}; echo token >> made/key.txt`, rerun: false },
      b: { command: `grep -q token made/key.txt; ${wants('good')}`, files: ['conf/'], needs: ['once'] },
    },
    files: { 'made/key.txt': 'none\n' },
  });
  probe.answers(swap('conf/a.txt', 'bad', 'good'));
  const ran = await run(home);
  assert.equal([ran.exit, tree('made/key.txt')], [0, 'none\ntoken\n']);
  assert.equal(
    ranSteps(home).filter((step) => step === 'once'),
    ['once'],
  );
});

test('of two such stages that wrote the same file, the later has the text of both', async () => {
  const once = (word: string, more: object) => ({
    command: `${NOTE}; echo ${word} >> made/key.txt`,
    rerun: false,
    ...more,
  });
  const { home, probe, tree } = mendable({
    word: 'bad',
    stages: {
      // Not in the order in which they run.
      z: once('two', { needs: ['first'] }),
      first: once('one', {}),
      b: { command: wants('good'), files: ['conf/'], needs: ['z'] },
    },
    files: { 'made/key.txt': 'none\n' },
  });
  probe.answers(swap('conf/a.txt', 'bad', 'good'));
  assert.equal([(await run(home)).exit, tree('made/key.txt')], [0, 'none\none\ntwo\n']);
  commit(home, { 'other.txt': 'x\n' });
  assert.equal([(await run(home)).exit, tree('made/key.txt')], [0, 'none\none\ntwo\n']);
  assert.equal(
    ranSteps(home).filter((step) => step !== 'b'),
    ['first', 'z'],
  );
});

test('after a merge of the base tracked files of a stage with rerun: false are written again', async () => {
  const { home, tree } = mendable({
    word: 'good',
    stages: { once: { command: `${NOTE}; echo token >> made/key.txt`, rerun: false } },
    files: { 'made/key.txt': 'none\n' },
  });
  await run(home);
  commit(home, { 'other.txt': 'x\n' });
  assert.equal([(await run(home)).exit, tree('made/key.txt')], [0, 'none\ntoken\n']);
  assert.equal(ranSteps(home), ['once']);
});

const wroteBy = (ran: Ran) =>
  ran.events.flatMap(({ type, step, data }) => (type === 'attempt.changed' ? [`${step} ${data.files}`] : []));

test('what one stage wrote is not held for the work of the next', async () => {
  const { home, tree } = mendable({
    word: 'good',
    stages: {
      a: { command: `${NOTE}; cp conf/a.txt made/a.txt`, files: ['conf/'] },
      once: { command: `${NOTE}; echo token >> made/key.txt`, rerun: false, needs: ['a'] },
    },
    files: { 'made/key.txt': 'none\n', 'made/a.txt': 'none\n' },
  });
  assert.equal(wroteBy(await run(home)), ['a made/a.txt', 'once made/key.txt']);
  // Its owner commits what `a` wrote, and more: nothing of that is the business of `once`.
  commit(home, { 'made/a.txt': 'rendered by hand\n', 'conf/a.txt': 'better\nsecond\n' });
  const next = await run(home);
  assert.equal([next.exit, ranSteps(home)], [0, ['a', 'once', 'a']]);
  assert.equal([tree('made/key.txt'), tree('made/a.txt')], ['none\ntoken\n', 'better\nsecond\n']);
});

/** Writes what the map does not name. */
const ONCE = `${NOTE}; echo token >> made/key.txt`;

async function rejectsWith(code: string, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => undefined,
    (thrown) => thrown,
  );
  assert.is((error as { code?: string } | undefined)?.code, code);
}

test('what a stage that must not run twice wrote and does not fit any more halts the run, named', async () => {
  const { home } = mendable({
    word: 'good',
    stages: {
      once: { command: 'bash once.sh', rerun: false },
      again: { command: `${NOTE}; echo token >> made/b.txt`, rerun: false },
    },
    files: { 'made/key.txt': 'none\n', 'made/b.txt': 'none\n', 'once.sh': ONCE },
  });
  await run(home);
  commit(home, { 'made/b.txt': 'something else\n' });
  assert.is((await run(home)).exit, 0, 'what its owner changed, and its command names, makes it run again');
  commit(home, { 'made/key.txt': 'something else\n' });
  await rejectsWith('E_STAGE_FILES_LOST', () => run(home));
  assert.equal(ranSteps(home), ['once', 'again', 'again']);
});

test('with several workers a tracked file counts for every step that ran meanwhile', async () => {
  const until = (file: string) => `for i in $(seq 200); do [ -e ${file} ] && break; sleep 0.05; done`;
  const { home } = mendable({
    word: 'good',
    stages: {
      a: { command: `${until('made/b.done')}; echo a > made/a.txt` },
      b: { command: `echo b > made/b.txt; touch made/b.done; ${until('"$MENDLOOP_HOME/ai/state/a.done"')}` },
      c: { command: 'touch "$MENDLOOP_HOME/ai/state/a.done"', needs: ['a'] },
    },
    files: { 'made/a.txt': 'none\n', 'made/b.txt': 'none\n', '.gitignore': '*.done\n' },
    loop: { workers: 2 },
  });
  assert.equal(wroteBy(await run(home)).sort(), ['a made/a.txt,made/b.txt', 'b made/a.txt,made/b.txt']);
});

const tip = (home: string) => git(home, 'rev-parse', 'ai/orchestrator-stage1').trim();

test('promote names what stages and cells wrote from what lands, also after the base moved, with commands that work', async () => {
  const { home, probe } = mendable({
    word: 'bad',
    stages: {
      a: { command: 'cp conf/a.txt made/a.txt', files: ['conf/'] },
      m: { command: 'cp conf/a.txt "made/$MENDLOOP_MATRIX_H.txt"', files: ['conf/'], matrix: { h: ['one', 'two'] } },
      more: { command: 'cat conf/a.txt >> made/a.txt', files: ['conf/'], needs: ['a'] },
      b: { command: wants('good'), files: ['conf/'], needs: ['more', 'm'] },
    },
    files: { 'made/a.txt': 'none\n', 'made/one.txt': 'none\n', 'made/two.txt': 'none\n' },
  });
  probe.answers(swap('conf/a.txt', 'bad', 'good'));
  assert.is((await run(home)).exit, 0);
  commit(home, { 'other.txt': 'x\n' });
  assert.is((await run(home)).exit, 0);
  const env = { PATH: process.env.PATH };
  for (const key of ['name', 'email']) git(home, 'config', `user.${key}`, 'owner@example.org');
  const shown = await runHere(['promote'], home, env);
  const commands = shown.stdout.match(/(?<=^ {4})git apply --index .*$/gm) ?? [];
  assert.is(commands.length, 3, shown.stdout);
  const landed = await runHere(['promote', '--accept', tip(home)], home, env);
  assert.is(landed.exit, 0, landed.stderr);
  for (const command of commands) execFileSync('bash', ['-ec', command], { cwd: home, stdio: 'pipe' });
  assert.equal(
    ['a', 'one', 'two'].map((name) => readFileSync(join(home, `made/${name}.txt`), 'utf8').slice(0, 4)),
    ['good', 'good', 'good'],
  );
  assert.is(readFileSync(join(home, 'made/a.txt'), 'utf8'), 'good\nsecond\ngood\nsecond\n');
  assert.is(git(home, 'status', '--porcelain'), '');
});

test('tracked files that a stage wrote and that were put back without a word are noticed by the next run', async () => {
  const { home, tree } = mendable({
    word: 'good',
    stages: {
      a: { command: `${NOTE}; cp conf/a.txt made/a.txt`, files: ['conf/'] },
      b: { command: NOTE, matrix: { h: ['one'] }, needs: ['a'] },
      once: { command: `${NOTE}; echo token >> made/key.txt`, rerun: false },
    },
    files: { 'made/key.txt': 'none\n', 'made/a.txt': 'none\n' },
  });
  await run(home);
  // As a person does, or a merge of the base that was killed before it could be recorded.
  git(join(home, 'ai/worktree'), 'checkout', '-q', 'HEAD', '--', '.');
  const next = await run(home);
  assert.equal([next.exit, ranSteps(home)], [0, ['a', 'b[h=one]', 'once', 'a', 'b[h=one]']]);
  assert.equal([tree('made/a.txt'), tree('made/key.txt')], ['good\nsecond\n', 'none\ntoken\n']);
});

test('what a stage with rerun: false wrote may be committed by its owner', async () => {
  const { home, tree } = mendable({
    word: 'good',
    stages: { once: { command: 'bash once.sh', rerun: false } },
    files: { 'made/key.txt': 'none\n', 'made/b.txt': 'none\n', 'once.sh': `${ONCE}; echo x > made/b.txt` },
  });
  await run(home);
  commit(home, { 'made/key.txt': 'none\ntoken\n' });
  for (const exit of [0, 0]) assert.is((await run(home)).exit, exit);
  assert.equal([tree('made/key.txt'), tree('made/b.txt'), ranSteps(home)], ['none\ntoken\n', 'x\n', ['once']]);
});

test("the owner's own commit makes a stage with rerun: false to do again like any other", async () => {
  const { home } = mendable({ word: 'good', stages: { once: { command: NOTE, files: ['conf/'], rerun: false } } });
  await run(home);
  commit(home, { 'conf/a.txt': 'other\n' });
  assert.equal([(await run(home)).exit, ranSteps(home)], [0, ['once', 'once']]);
});

test.run();
