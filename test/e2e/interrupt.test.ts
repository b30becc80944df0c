// SIGINT, SIGTERM and what must not run twice by itself.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allGone, contextMap, folder, type Scenario, scenario, tree, until, write } from './scenario.ts';

/** Starts a run, waits until its stage has made the file `in`, sends the signal, and returns how the run ended. */
async function interrupted(s: Scenario, gate: string, signal: NodeJS.Signals) {
  const run = s.start();
  await until('the stage runs', () => tree(gate).in !== undefined);
  run.kill(signal);
  return run.done;
}

const outcomes = (s: Scenario) =>
  s.events().flatMap((e) => (e.type === 'attempt.ended' ? [`${e.step} ${e.attempt} ${e.data.outcome}`] : []));

test('SIGINT ends a stage with all it started, even what ignores TERM and holds its output; the next start runs it', async () => {
  const gate = folder();
  const stubborn = `[ -e ${gate}/in ] || { (trap '' TERM; exec sleep 600) & touch ${gate}/in; sleep 600; }`;
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      a: 'true',
      b: { command: stubborn, needs: ['a'] },
      c: { command: 'true', needs: ['b'] },
    }),
  });
  const done = await interrupted(s, gate, 'SIGINT');
  assert.is(done.exit, 130);
  assert.is(
    s.plain(done.stdout),
    `run <run> begins: a → b → c
a  started
a  green        <n> s  (no checks)
b  started
b  interrupted  <n> s  interrupted by SIGINT
interrupted: 1 green, 1 interrupted, 1 not started  <n> s
  interrupted by SIGINT
`,
  );
  assert.is(done.stderr, '');
  await allGone();
  assert.equal(outcomes(s), ['a 1 done', 'b 1 interrupted']);
  assert.is(s.events().filter((e) => e.type === 'run.ended').length, 1);
  assert.is(s.events().at(-1)?.data.exit, 130);
  assert.is(s.stages().b?.status, 'idle');
  assert.not(s.has('ai/state/lock.json'), 'the lock was left');

  assert.match((await s.run(['runs'])).stdout, /^\S+ +just now +interrupted /);
  assert.match((await s.run(['report'])).stdout, /^ran +1 run +1 interrupted$/m);
  assert.match((await s.run(['report', '--markdown'])).stdout, /^- \*\*ran: 1 run\*\* 1 interrupted$/m);
  const { runs, days } = JSON.parse((await s.run(['report', '--json'])).stdout);
  assert.equal([runs.outcomes, days.at(-1).failed], [{ interrupted: 1 }, 0]);
  const plan = await s.run(['plan']);
  assert.match(plan.stdout, /^b {2}TODO {2}was stopped: interrupted by SIGINT$/m);
  const again = await s.run(['--no-recheck']);
  assert.is(again.exit, 0);
  assert.is(s.runs().length, 2, 'an interrupted run had ended');
  assert.equal(outcomes(s), ['b 1 done', 'c 1 done']);
});

test('a second SIGINT leaves at once, and the next start sees to what still runs', async () => {
  const gate = folder();
  const stubborn = `[ -e ${gate}/in ] || { touch ${gate}/in; trap '' TERM; while :; do sleep 1; done; }`;
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: stubborn }) });
  const run = s.start();
  await until('the stage runs', () => tree(gate).in !== undefined);
  for (const pause of [100, 1500, 0]) {
    run.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  const pressedAt = performance.now();
  const done = await run.done;
  assert.ok(performance.now() - pressedAt < 2000, 'a stage that ignores TERM is given five seconds');
  assert.equal([done.exit, done.stderr], [130, 'left at once: the next start sees to what still runs\n']);
  const again = await s.run([]);
  assert.is(again.exit, 0, again.stdout);
  await allGone();
  assert.equal(outcomes(s), ['a 1 interrupted', 'a 2 done']);
});

test('a second SIGINT during verify promises nothing of a next start: it ends what it runs', async () => {
  const gate = folder();
  const stubborn = `[ ! -e ${gate}/made ] || { touch ${gate}/in; trap '' TERM; while :; do sleep 1; done; }`;
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: { command: 'true', verify: [stubborn] } }) });
  assert.is((await s.run([])).exit, 0);
  write(gate, { made: '' });
  const run = s.start(['verify']);
  await until('the check runs', () => tree(gate).in !== undefined);
  for (const pause of [1500, 0]) {
    run.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  const done = await run.done;
  assert.equal([done.exit, done.stderr], [130, '']);
  await allGone();
});

test('SIGTERM with two stages at work stops both; the run ends once', async () => {
  const gate = folder();
  const wait = `touch ${gate}/$MENDLOOP_STAGE; [ -e ${gate}/a ] && [ -e ${gate}/b ] && touch ${gate}/in; sleep 600`;
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: wait, b: `sleep 0.2; ${wait}`, c: 'true' }),
    'ai/loop.yaml': 'workers: 2\n',
  });
  const done = await interrupted(s, gate, 'SIGTERM');
  assert.is(done.exit, 130, done.stdout);
  assert.equal(outcomes(s).sort(), ['a 1 interrupted', 'b 1 interrupted']);
  assert.equal(
    s.events().flatMap((e) => (e.type === 'run.ended' ? [e.data.exit] : [])),
    [130],
  );
  await allGone();
  assert.equal(
    Object.entries(s.stages()).map(([name, { status }]) => `${name} ${status}`),
    ['a idle', 'b idle', 'c skipped'],
  );
});

test('a green stage stays green when only the look at it was interrupted, and is not run again', async () => {
  const gate = folder();
  const verify = `[ -e ${gate}/calm ] || { touch ${gate}/in; sleep 600; }`;
  const s = scenario({
    'ai/context_map.yaml': contextMap({ once: { command: `echo ran >> ${gate}/ran`, rerun: false, verify: [verify] } }),
  });
  writeFileSync(`${gate}/calm`, '');
  assert.is((await s.run()).exit, 0);
  rmSync(`${gate}/calm`);
  assert.is((await interrupted(s, gate, 'SIGHUP')).exit, 130);
  assert.is(s.stages().once?.status, 'green');
  writeFileSync(`${gate}/calm`, '');
  assert.is((await s.run()).exit, 0);
  assert.equal(readFileSync(`${gate}/ran`, 'utf8'), 'ran\n');
});

test('a deadline that passes stops the stage: exit 1, and the next run takes it up again', async () => {
  const gate = folder();
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      slow: `[ -e ${gate}/go ] || sleep 600`,
      after: { command: 'true', needs: ['slow'] },
    }),
  });
  const done = await s.run(['--deadline', '5s']);
  assert.is(
    s.plain(done.stdout),
    `run <run> begins: slow → after
slow   started
slow   interrupted  <n> s  the deadline <time> passed
failed: 1 interrupted, 1 not started  <n> s
  the deadline <time> passed
`,
  );
  assert.is(done.exit, 1);
  await allGone();
  writeFileSync(`${gate}/go`, '');
  assert.is((await s.run()).exit, 0);
});

test('rerun: false: after an interruption, a crash or a failure only retry runs it again', async () => {
  const gate = folder();
  const command = `echo run >> ${gate}/runs; [ -e ${gate}/fail ] && exit 7; [ -e ${gate}/go ] || { touch ${gate}/in; sleep 600; }`;
  const s = scenario({ 'ai/context_map.yaml': contextMap({ once: { command, rerun: false } }) });
  const refusal = `once  failed       not run again by itself (rerun: false)
a human is needed: 1 failed  <n> s
  next:  look at its log, then: mendloop retry once
`;
  assert.is((await interrupted(s, gate, 'SIGTERM')).exit, 130);
  writeFileSync(`${gate}/go`, '');
  const refused = await s.run();
  assert.is(s.plain(refused.stdout), `run <run> begins: once\n${refusal}`);
  assert.is(refused.exit, 3);
  assert.match(
    (await s.run(['plan'])).stdout,
    /^once {2}FAILED {2}not run again by itself \(rerun: false\); use retry$/m,
  );

  writeFileSync(`${gate}/fail`, '');
  assert.is((await s.run(['retry', 'once'])).exit, 3);
  assert.is((await s.run()).exit, 3);
  assert.equal(
    s.events().filter((e) => e.type === 'attempt.started'),
    [],
    'it ran by itself',
  );
  for (const file of ['fail', 'go', 'in']) rmSync(`${gate}/${file}`);

  const killed = s.start(['retry', 'once']);
  await until('the stage runs', () => tree(gate).in !== undefined);
  killed.kill('SIGKILL');
  await killed.done;
  writeFileSync(`${gate}/go`, '');
  assert.is((await s.run()).exit, 3, 'a crash is an interruption, too');
  assert.is((await s.run(['retry', 'once'])).exit, 0);
  assert.is(s.stages().once?.status, 'green');
  await allGone();
});

test.run();
