// One run at a time: beside another pid namespace, with a lock that somebody took away, beside what is no run.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identify } from '../../src/io/identity.ts';
import { needs } from '../needs.ts';
import { contextMap, ENTRY, folder, jsonLines, scenario, until } from './scenario.ts';

const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];

const inContainer = needs('right to make a pid namespace');

/** The error that a command with --json ended with. */
const errorOf = (stdout: string) => jsonLines(stdout)[0]?.error as { code: string; message: string; next: string };

/** A repository whose first stage waits for `go`, and the folder where that and what it did are. */
function slow() {
  const gate = folder();
  const wait = `echo in >> ${gate}/in; until [ -e ${gate}/go ]; do sleep 0.05; done`;
  const stages = { a: wait, b: { command: `echo b >> ${gate}/b`, needs: ['a'] } };
  return { s: scenario({ 'ai/context_map.yaml': contextMap(stages) }), gate };
}

inContainer(
  'a run in a container and one on its host, on the same folder: the second is refused, in either order',
  async () => {
    const ways = [
      [{}, { command: [...CONTAINER, process.execPath, ENTRY] }],
      [{ command: [...CONTAINER, process.execPath, ENTRY] }, {}],
    ] as const;
    for (const [one, other] of ways) {
      const { s, gate } = slow();
      const first = s.start([], one);
      await until('the stage runs', () => existsSync(`${gate}/in`));
      const second = await s.run(['--json'], other);
      const { code, message } = errorOf(second.stdout);
      assert.equal([second.exit, code], [75, 'E_LOCK_UNPROVEN']);
      assert.match(message, '(another pid namespace), last sign of life just now');
      writeFileSync(`${gate}/go`, '');
      assert.is((await first.done).exit, 0);
      assert.equal([readFileSync(`${gate}/in`, 'utf8'), s.runs().length], ['in\n', 1]);
    }
  },
);

test('the lock of another host is named at every start, also from cron, and people are notified of it once', async () => {
  const { s, gate } = slow();
  const told = `${gate}/told`;
  s.commit({
    'ai/loop.yaml': `notifiers: [command]\nplugins: { command: { argv: [sh, -c, 'cat >> ${told}'] } }\n`,
  });
  const first = s.start(['a']);
  await until('the stage runs', () => existsSync(`${gate}/in`));
  first.kill('SIGKILL');
  await first.done;
  const lock = { ...identify(1), host: 'nas', since: '2026-01-02T03:04:05.678Z', command: 'mendloop a', kind: 'run' };
  s.write({ 'ai/state/lock.json': JSON.stringify(lock) });
  const words =
    'the lock is held by pid 1 on nas since 2026-01-02T03:04:05.678Z (mendloop a); ' +
    'whether it lives cannot be told from here (another host), last sign of life just now';
  for (let start = 0; start < 2; start++)
    assert.equal(await s.run(), {
      exit: 75,
      stdout: '',
      stderr: `error E_LOCK_UNPROVEN: ${words}\n  next:  look there; if it is gone for sure: mendloop abandon --unlock\n`,
    });
  const [notice, ...more] = jsonLines(readFileSync(told, 'utf8'));
  assert.equal(more, []);
  assert.equal([notice?.reason, notice?.title], ['conflict', 'no run can begin']);
  assert.is(notice?.text, `${words}\nnext: look there; if it is gone for sure: mendloop abandon --unlock`);

  const status = s.plain((await s.run(['status'])).stdout).split('\n');
  assert.equal(status.slice(0, 2), [s.plain(words), 'run <run> has not ended, as far as can be seen from here']);
  assert.match(status[2] ?? '', /^a {2}unclear/);
  const plan = s.plain((await s.run(['plan', 'a'])).stdout);
  assert.match(plan, 'a run is refused (E_LOCK_UNPROVEN)');
  assert.match(plan, 'note: run <run> has not ended, as far as can be seen from here');
  assert.match(plan, /^a {2}IN_PROGRESS {2}it began, and its end is not known here$/m);

  writeFileSync(`${gate}/go`, '');
  s.write({ 'ai/state/lock.json': JSON.stringify({ ...lock, since: '2026-01-03T03:04:05.678Z' }) });
  assert.is((await s.run()).exit, 75);
  assert.is(jsonLines(readFileSync(told, 'utf8')).length, 2, 'another lock is another notice');
  assert.is((await s.run(['abandon', '--unlock'])).exit, 0);
  assert.is((await s.run()).exit, 0);
});

test('a lock that is taken away lets nobody else in while its owner lives, and ends the owner at its next event', async () => {
  const { s, gate } = slow();
  const first = s.start();
  await until('the stage runs', () => existsSync(`${gate}/in`));
  rmSync(s.path('ai/state/lock.json'));
  const second = await s.run(['--json']);
  assert.equal([second.exit, errorOf(second.stdout).code], [75, 'E_LOCKED']);
  const atTerminal = await s.run([], { tty: true, env: { TERM: 'dumb' } });
  assert.match(atTerminal.stdout, 'error E_LOCKED', 'a person is there, though nothing can be drawn');
  writeFileSync(`${gate}/go`, '');
  const lost = await first.done;
  assert.is(lost.exit, 3, lost.stdout);
  assert.match(lost.stderr, /^error E_LOCK_LOST: \S+lock\.json is no longer the lock of this run: it was removed/m);
  assert.not(existsSync(`${gate}/b`), 'nothing more was begun');
  assert.is((await s.run()).exit, 0);
  assert.is(s.runs().length, 1, 'it was gone on with');
});

test('a command that is no run is not told as one', async () => {
  const { s, gate } = slow();
  const first = s.start(['a']);
  await until('the stage runs', () => existsSync(`${gate}/in`));
  first.kill('SIGKILL');
  await first.done;
  const lock = {
    ...identify(process.pid),
    since: '2026-01-02T03:04:05.678Z',
    command: 'mendloop reset b',
    kind: 'command',
  };
  s.write({ 'ai/state/lock.json': JSON.stringify(lock) });
  const status = s.plain((await s.run(['status'])).stdout).split('\n');
  assert.equal(status.slice(0, 2), [
    'mendloop reset b is at work (pid <pid>)',
    'run <run> was cut off; to finish it: mendloop a',
  ]);
  assert.match(status[2] ?? '', /^a {2}cut off/);
  const refused = errorOf((await s.run(['--json'])).stdout);
  assert.match(refused.message, /^another command is at work: pid \d+ on \S+ since \S+ \(mendloop reset b\)$/);
  for (const words of [['reset', 'a'], ['abandon']])
    assert.is((await s.run([...words, '--dry-run'])).exit, 75, 'nothing is said to be done that would be refused');
  rmSync(s.path('ai/state/lock.json'));
  writeFileSync(`${gate}/go`, '');
  assert.is((await s.run()).exit, 0);
});

test.run();
