// Green stages that no longer stand because the tree was written, and what that means for the fix that did it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { acceptPromotion } from '../../src/promote/promote.ts';
import { answerCase } from '../../src/run/answer-case.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import { runHere } from '../e2e/here.ts';
import { commit, git } from '../worktree/repository.ts';
import { AGREES, failuresIn, NOTE, type Ran, ranSteps, run } from './homelab.ts';
import { type Mendable, mendable } from './probe.ts';

const swap = (path: string, from: string, to: string) => ({
  answer: `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n-${from}\n+${to}\n second\n`,
  note: { fix: `say ${to}`, reason: `it says ${from}` },
});

const outcomes = (home: string) => failuresIn(home).flatMap(({ patches }) => patches.map(({ outcome }) => outcome));
const typesOf = (ran: Ran, ...types: string[]) =>
  ran.events
    .filter(({ type }) => types.includes(type))
    .map(({ type, stage }) => `${type} ${stage}`)
    .filter((line, i, all) => line !== all[i - 1]);

/** `a` renders tpl/x.txt to out/y.txt, `b` needs it and wants the word `good` there. */
function rendered(ignored: boolean, more: { word?: string; a?: object; b?: object } = {}): Mendable {
  const { word = 'bad', a = {}, b = {} } = more;
  const made = mendable({
    stages: {
      a: { command: `${NOTE}; cp tpl/x.txt out/y.txt`, files: ['tpl/'], ...a },
      b: {
        command: `${NOTE}; read -r word < out/y.txt; [ "$word" = good ] || { echo "error: unexpected word $word"; exit 1; }`,
        files: ['tpl/'],
        needs: ['a'],
        ...b,
      },
    },
    files: {
      'tpl/x.txt': `${word}\nsecond\n`,
      ...(ignored ? { '.gitignore': 'out/y.txt\n', 'out/keep': '' } : { 'out/y.txt': 'nothing yet\n' }),
    },
  });
  return made;
}

for (const ignored of [true, false]) {
  const kind = ignored ? 'ignored' : 'tracked';

  test(`what a fix made stale and its stage needs is made again first (${kind} output)`, async () => {
    const { home, probe } = rendered(ignored);
    probe.answers(swap('tpl/x.txt', 'bad', 'good'));
    const ran = await run(home);
    assert.equal([ran.exit, ranSteps(home)], [0, ['a', 'b', 'a', 'b']]);
    assert.equal(outcomes(home), ['verified']);
    assert.equal(typesOf(ran, 'stage.green', 'stage.stale'), [
      'stage.green a',
      'stage.stale a',
      'stage.green a',
      'stage.green b',
    ]);
    assert.equal((await run(home)).exit, 0);
  });

  test(`a wrong fix of a template is never verified (${kind} output)`, async () => {
    const { home, probe } = rendered(ignored);
    probe.answers(swap('tpl/x.txt', 'bad', 'worse'), { pass: 'no idea' });
    const ran = await run(home);
    assert.equal([ran.exit, ran.stages.stages.b?.status], [3, 'give_up']);
    assert.not.ok(outcomes(home).includes('verified'));
    assert.is(git(home, 'diff', '--stat', 'main', 'ai/orchestrator-stage1'), '');
  });
}

test('a stage that is being mended and was green before is said to be stale for what it is', async () => {
  const { home, probe } = rendered(true, { word: 'good' });
  await run(home);
  commit(home, { 'tpl/x.txt': 'bad\nsecond\n' });
  const nonsense = '--- a/tpl/x.txt\n+++ b/tpl/x.txt\n@@ -1,2 +1,2 @@\n bad\n-second\n+third\n';
  probe.answers({ answer: nonsense }, swap('tpl/x.txt', 'bad', 'good'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, ['no_effect', 'verified']]);
  const why = ran.events.filter(({ type }) => type === 'stage.stale').map(({ data }) => data.why);
  assert.equal([...new Set(why)].sort(), ['a was made again', 'its files changed']);
});

/** `a` wants the word `one` or `both` in conf/a.txt, `b` wants `two` or `both`. They do not need each other. */
const sharing = (more: { a?: object; b?: object; loop?: object } = {}): Mendable =>
  mendable({
    word: 'one',
    stages: {
      a: { command: wants('one'), files: ['conf/'], ...more.a },
      b: { command: wants('two'), files: ['conf/'], ...more.b },
    },
    ...(more.loop ? { loop: more.loop } : {}),
  });
const wants = (word: string) =>
  `${NOTE}; read -r word < conf/a.txt; case $word in ${word}|both) ;; *) echo "error: $MENDLOOP_STAGE wants ${word}, got $word"; exit 1;; esac`;

test('a fix that makes another green stage fail is taken back as broke, and that stage is made again', async () => {
  const { home, probe, tree } = sharing();
  probe.answers(swap('conf/a.txt', 'one', 'two'), { pass: 'no idea' });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  assert.equal(outcomes(home), ['broke']);
  assert.is(tree().split('\n')[0], 'one');
  assert.equal([ran.stages.stages.a?.status, ran.stages.stages.b?.status], ['green', 'give_up']);
  // The failure of `a` was the fix's: nobody was asked about it, and nothing is spent on it.
  assert.equal([...new Set(probe.asked().map(({ stage }) => stage))], ['b']);
});

test('a fix that every stage can live with is verified when the last of them is green', async () => {
  const { home, probe } = sharing();
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home);
  assert.equal([ran.exit, ranSteps(home)], [0, ['a', 'b', 'b', 'a']]);
  const judged = ran.events.filter(({ type }) => type === 'fix.judged').map(({ data }) => data.outcome);
  assert.equal(judged, ['holds', 'verified']);
});

test('a stage that fails alike without the fix is an incident of its own, and the fix is only withdrawn', async () => {
  const { home, probe } = sharing({
    a: {
      command: `${wants('one')}; [ "$(grep -c "^a" "$MENDLOOP_HOME/ai/state/ran")" = 1 ] || { echo "error: used up"; exit 1; }`,
    },
  });
  probe.answers(swap('conf/a.txt', 'one', 'both'), { pass: 'no idea' });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  const [ofB, ofA] = failuresIn(home);
  assert.equal([ofB?.stage, ofA?.stage], ['b', 'a']);
  assert.is(ofB?.patches[0]?.outcome, 'withdrawn');
  assert.is(ofA?.executor_tries, 3, 'its own failure was dealt with');
});

test('a stage that nobody asked for and a fix made stale is to do, and the run says so', async () => {
  const { home, probe } = sharing();
  await run(home, { stages: ['a'] });
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home, { stages: ['b'] });
  assert.equal([ran.exit, ranSteps(home)], [0, ['a', 'b', 'b']]);
  assert.equal([ran.stages.stages.a?.status, ran.stages.stages.b?.status], ['idle', 'green']);
  assert.match(ran.stages.stages.a?.reason ?? '', /no longer stands: its files changed/);
});

test('a need that nobody asked for is made again for a fix of what needs it', async () => {
  const { home, probe } = rendered(true, { word: 'good' });
  await run(home);
  commit(home, { 'tpl/x.txt': 'bad\nsecond\n' });
  probe.answers(swap('tpl/x.txt', 'bad', 'good'));
  const ran = await run(home, { stages: ['b'], withNeeds: true });
  assert.is(ran.exit, 0);
  assert.equal(ranSteps(home), ['a', 'b', 'a', 'b', 'a', 'b']);
});

test('a need that no longer stands is not passed over', async () => {
  const { home } = rendered(true, { word: 'good' });
  await run(home);
  commit(home, { 'tpl/x.txt': 'good\nsecond line\n' });
  try {
    await run(home, { stages: ['b'] });
    assert.unreachable();
  } catch (error) {
    assert.equal((error as { code: string }).code, 'E_NEEDS_UNMET');
    assert.match(String((error as { problems: string[] }).problems), /a no longer stands: its files changed/);
  }
});

test('when a stage was made again, the green stages that need it are looked at again', async () => {
  const { home } = rendered(true, { word: 'good', b: { verify: ['echo b-check >> "$MENDLOOP_HOME/ai/state/ran"'] } });
  await run(home);
  const made = await run(home, { stages: ['a'], forced: true });
  assert.is(made.stages.stages.b?.reason, 'to be checked again: a was made again');
  assert.equal(made.events.at(-1)?.data.stale, [{ stage: 'b', why: 'a was made again' }]);
  const ran = await run(home, { recheck: false });
  assert.equal(ranSteps(home), ['a', 'b', 'b-check', 'a', 'b-check']);
  assert.is(ran.exit, 0);
});

for (const [verify, unchecked] of [
  [[], true],
  [['true'], undefined],
] as const)
  test(`checks of a stage that the fix made stale have a say in it: ${verify.length}`, async () => {
    const { home, probe } = rendered(true, { a: { verify } });
    probe.answers(swap('tpl/x.txt', 'bad', 'good'));
    await run(home);
    assert.equal(
      failuresIn(home).map(({ patches: [fix] }) => [fix?.outcome, fix?.unchecked]),
      [['verified', unchecked]],
    );
  });

test('a stale stage that was skipped is to do for what made it stale', async () => {
  const { home, probe } = rendered(true, {
    word: 'good',
    a: { command: `${NOTE}; cp tpl/x.txt out/y.txt; grep good tpl/x.txt` },
  });
  probe.answers({ pass: 'no idea' });
  await run(home);
  await run(home, { stages: ['a'], forced: true });
  commit(home, { 'tpl/x.txt': 'bad\nsecond\n' });
  const ran = await run(home);
  assert.equal(ran.events.at(-1)?.data.stale, [{ stage: 'b', why: 'a was made again' }]);
});

test('what was cut off between a fix and its judgement is made again in the same order', async () => {
  const { home, probe } = rendered(false);
  probe.answers(swap('tpl/x.txt', 'bad', 'good'));
  const stop = new AbortController();
  const { exit } = await run(
    home,
    {},
    { signal: stop.signal, subscribers: [(e) => e.type === 'stage.stale' && stop.abort()] },
  );
  assert.is(exit, 130);
  assert.is(readFileSync(join(home, 'ai/worktree/tpl/x.txt'), 'utf8').split('\n')[0], 'bad', 'taken back unjudged');
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, ['verified']]);
});

test('a fix that holds stays when a run halts before all it changed was made again; the next run goes on there', async () => {
  const gate = `${NOTE}; [ -e "$MENDLOOP_HOME/ai/state/open" ] || { echo "error: the gate is shut"; exit 1; }`;
  const { home, probe } = mendable({
    word: 'one',
    stages: {
      a: { command: wants('one'), files: ['conf/'] },
      b: { command: wants('two'), files: ['conf/'], priority: 1 },
      gate: { command: gate, priority: 1, needs: ['b'], files: ['conf/'] },
    },
  });
  await run(home, { stages: ['a'] });
  probe.answers(swap('conf/a.txt', 'one', 'both'), { pass: 'no idea' });
  const first = await run(home);
  assert.equal([first.exit, outcomes(home)], [3, ['holds']]);
  assert.equal([first.stages.stages.a?.status, first.stages.stages.b?.status], ['idle', 'green']);
  const { stdout } = await runHere(['fixes'], home, { PATH: process.env.PATH });
  assert.match(stdout, 'its stage is green with it; others that it changed are not yet');
  await rejectsWith('E_PROMOTE_STAGES_STALE', () =>
    acceptPromotion({ home, command: 'promote', env: process.env, dryRun: true }, tip(home)),
  );
  writeFileSync(join(home, 'ai/state/open'), '');
  await resetStages({ home, stages: ['gate'], command: 'reset', force: true }, { clock: systemClock, graceMs: 100 });
  const second = await run(home);
  assert.equal([second.exit, outcomes(home)], [0, ['verified']]);
  const landed = await acceptPromotion({ home, command: 'promote', env: process.env, dryRun: true }, tip(home));
  assert.is(landed.story.fixes.length, 1);
});

test('an end that says nothing about the fix is tried once more, then the stage waits for the next run', async () => {
  const flaky = `read -r w < conf/a.txt; [ $w = one ] || { echo "curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused"; exit 7; }`;
  const { home, probe } = sharing({
    a: { command: `${NOTE}; ${flaky}` },
    loop: { wait: { backoff: ['1ms', '1ms', '1ms'] } },
  });
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home);
  assert.equal([ran.exit, ranSteps(home)], [1, ['a', 'b', 'b', 'a', 'a']]);
  assert.equal([ran.stages.stages.a?.status, outcomes(home)], ['idle', ['holds']]);
});

test('green cells whose files a fix of another cell changed are made again, and judge it', async () => {
  const cell = `${NOTE}; grep -q "^$MENDLOOP_MATRIX_HOST$" conf/a.txt || { echo "error: no host $MENDLOOP_MATRIX_HOST"; exit 1; }`;
  const { home, probe } = mendable({
    word: 'one',
    stages: { a: { command: cell, files: ['conf/'], matrix: { host: ['one', 'two'] } } },
  });
  probe.answers(swap('conf/a.txt', 'one', 'two'), swap('conf/a.txt', 'one', 'one\n+two'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, ['broke', 'verified']]);
  const greens = ran.events.filter(({ type }) => type === 'stage.green' || type === 'stage.stale');
  assert.is(greens.at(-1)?.type, 'stage.green');
});

test('with several workers a failure waits until the fix of another is judged, and nobody waits for ever', async () => {
  const { home, probe } = mendable({
    word: 'bad',
    stages: {
      a: { command: `${NOTE}; cp conf/a.txt out.txt`, files: ['conf/'] },
      b: { command: `sleep 0.2; ${reads('good')}`, files: ['conf/'], needs: ['a'] },
      c: { command: reads('good'), files: ['conf/'], needs: ['a'] },
      d: { command: `sleep 0.1; ${reads('good')}`, files: ['conf/'], needs: ['a'] },
    },
    loop: { workers: 2 },
    files: { '.gitignore': 'out.txt\n' },
  });
  probe.answers(swap('conf/a.txt', 'bad', 'good'));
  const ran = await run(home);
  assert.is(ran.exit, 0);
  assert.is(probe.asked().length, 1, 'one failure was mended, the others were mended by it');
  assert.equal(outcomes(home), ['verified']);
});
const reads = (word: string) =>
  `${NOTE}; read -r word < out.txt; [ $word = ${word} ] || { echo "error: $MENDLOOP_STAGE wants ${word}, got $word"; exit 1; }`;

test('a fix that changes what a stage with rerun: false is made from waits for a word, in every mode', async () => {
  const { home, probe } = sharing({ a: { rerun: false } });
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status, outcomes(home)], [3, 'green', []]);
  const [entry] = failuresIn(home);
  assert.ok(entry?.case);
  await answerCase(
    { home, case: entry?.case ?? '', answer: undefined, command: 'accept', dry: false },
    { clock: systemClock, env: process.env, graceMs: 100 },
  );
  const accepted = await run(home);
  assert.equal([accepted.exit, accepted.stages.stages.a?.status], [3, 'failed']);
  assert.is(accepted.events.at(-1)?.data.stale, undefined, 'what failed is not told as to do');
  assert.equal([accepted.stages.stages.b?.status, outcomes(home)], ['green', ['holds']]);
  const retried = await run(home, { stages: ['a'], forced: true });
  assert.equal([retried.exit, outcomes(home)], [0, ['verified']]);
});

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

const tip = (home: string) => git(home, 'rev-parse', 'ai/orchestrator-stage1').trim();

async function rejectsWith(code: string, work: () => Promise<unknown>): Promise<void> {
  const error = await work().then(
    () => undefined,
    (thrown) => thrown,
  );
  assert.is((error as { code?: string } | undefined)?.code, code);
}

const statuses = (ran: Ran) =>
  Object.fromEntries(Object.entries(ran.stages.stages).map(([name, { status }]) => [name, status]));
/** Copies conf/a.txt to out.txt, which git ignores. */
const RENDERS = { command: `${NOTE}; cp conf/a.txt out.txt`, files: ['conf/'] };
const IGNORED = { '.gitignore': 'out.txt\n' };

test('a fix that made a file and is taken back makes stale who was made with that file', async () => {
  const absent = (file: string) =>
    `${NOTE}; [ ! -e ${file} ] || { echo "error: $MENDLOOP_STAGE wants no ${file}"; exit 1; }`;
  const { home, probe } = mendable({
    word: 'good',
    stages: {
      b: {
        command: `${NOTE}; [ -e conf/new.txt ] || { echo "error: b misses conf/new.txt"; exit 1; }`,
        files: ['conf/'],
      },
      c: { command: absent('conf/new.txt'), files: ['conf/'], priority: 1 },
    },
  });
  probe.answers({ files: { 'conf/new.txt': 'x\n' }, note: { fix: 'add it', reason: 'missing' } }, { pass: 'no idea' });
  const ran = await run(home, {}, AGREES);
  assert.equal([ran.exit, statuses(ran)], [3, { b: 'give_up', c: 'green' }]);
  assert.equal(outcomes(home), ['broke']);
});

test('a step whose need cannot be made again ends at once, and others are mended meanwhile', async () => {
  const once = `read -r w < conf/a.txt; [ $w = bad ] || { echo "curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused"; exit 7; }`;
  const { home, probe } = mendable({
    word: 'bad',
    stages: {
      a: { command: `${NOTE}; ${once}`, files: ['conf/'], on_failure: 'skip' },
      b: { command: wants('good'), files: ['conf/'], needs: ['a'], on_failure: 'skip' },
      z: { command: 'echo "error: z has its own"; exit 1', files: ['conf/'], on_failure: 'skip' },
    },
    loop: { wait: { backoff: ['1ms', '1ms', '1ms'] }, limits: { executor_tries: 1, run_minutes: 1 } },
  });
  probe.answers(swap('conf/a.txt', 'bad', 'good'), { pass: 'no idea' });
  const began = performance.now();
  const ran = await run(home);
  assert.ok(performance.now() - began < 50_000, 'nobody waited for the deadline');
  assert.equal(statuses(ran), { a: 'idle', b: 'failed', z: 'give_up' });
  assert.is(git(home, 'diff', '--stat', 'main', 'ai/orchestrator-stage1'), '', 'the unjudged fix is taken back');
});

test('a fix is not verified while a green stage that needs its stage fails with it', async () => {
  const { home, probe } = mendable({
    word: 'good',
    stages: {
      a: RENDERS,
      b: { command: `${NOTE}; grep -q good out.txt || { echo "error: b wants good"; exit 1; }`, needs: ['a'] },
    },
    files: IGNORED,
  });
  assert.is((await run(home)).exit, 0);
  commit(home, { 'conf/a.txt': 'broken\nsecond\n' });
  reconfigureStage(home, { ...RENDERS, command: `${wants('other')}; cp conf/a.txt out.txt` });
  probe.answers(swap('conf/a.txt', 'broken', 'other'), { pass: 'no idea' });
  const ran = await run(home);
  assert.is.not(ran.exit, 0);
  assert.equal(
    outcomes(home).filter((outcome) => outcome === 'verified'),
    [],
  );
});
function reconfigureStage(home: string, a: object): void {
  const map = JSON.parse(readFileSync(join(home, 'ai/context_map.yaml'), 'utf8'));
  commit(home, { 'ai/context_map.yaml': JSON.stringify({ ...map, stages: { ...map.stages, a } }) });
}

test('a run of another stage does not verify a fix that waits for one', async () => {
  const flaky = `read -r w < conf/a.txt; [ $w = one ] || { echo "curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused"; exit 7; }`;
  const made = mendable({
    word: 'one',
    stages: {
      a: { command: `${NOTE}; ${flaky}`, files: ['conf/'], on_failure: 'skip' },
      b: { command: wants('two'), files: ['conf/'] },
      c: { command: NOTE },
    },
    loop: { wait: { backoff: ['1ms', '1ms', '1ms'] } },
  });
  made.probe.answers(swap('conf/a.txt', 'one', 'both'));
  await run(made.home);
  assert.equal(outcomes(made.home), ['holds']);
  await run(made.home, { stages: ['c'] });
  assert.equal(outcomes(made.home), ['holds']);
  await resetStages({ home: made.home, stages: ['a'], command: 'reset' }, { clock: systemClock, graceMs: 100 });
  await run(made.home, { stages: ['c'] });
  assert.equal(outcomes(made.home), ['holds'], 'a reset cuts no link');
});

test('the older of two fixes is the culprit: only that one broke', async () => {
  const { home, probe } = mendable({
    word: 'one',
    stages: {
      a: {
        command: `${NOTE}; read -r w < conf/a.txt; [ $w != two ] || { echo "error: a refuses two"; exit 1; }`,
        files: ['conf/'],
        priority: -1,
      },
      x: { command: wants('two'), files: ['conf/'] },
      y: {
        command: `${NOTE}; grep -q third conf/a.txt || { echo "error: y wants a third line"; exit 1; }`,
        files: ['conf/'],
      },
    },
  });
  probe.answers(
    swap('conf/a.txt', 'one', 'two'),
    { files: { 'conf/a.txt': 'two\nsecond\nthird\n' }, note: { fix: 'a third line', reason: 'wanted' } },
    { pass: 'no idea' },
  );
  await run(home, { stages: ['a'] });
  const ran = await run(home);
  assert.is.not(ran.exit, 0);
  const byStage = Object.fromEntries(failuresIn(home).map(({ stage, patches }) => [stage, patches[0]?.outcome]));
  assert.equal([byStage.x, byStage.y], ['broke', 'withdrawn']);
});

test('a stage with rerun: false is not run again through its need, and stands again when the fix is gone', async () => {
  const { home, probe } = mendable({
    word: 'bad',
    stages: {
      x: { command: `${NOTE}; cp conf/a.txt "$MENDLOOP_OUT/o"`, files: ['conf/'], outputs: { o: 'o' } },
      once: { command: NOTE, needs: ['x'], rerun: false },
      b: { command: wants('good'), files: ['conf/'], needs: ['once'] },
    },
  });
  probe.answers(swap('conf/a.txt', 'bad', 'good'));
  const ran = await run(home);
  assert.is(ran.exit, 3);
  assert.equal(
    ranSteps(home).filter((step) => step === 'once'),
    ['once'],
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

test('a need is made again ten times in a run for the sake of fixes; then the fix is withdrawn and its stage is failed', async () => {
  const { home, probe } = mendable({
    stages: { a: RENDERS, b: { command: reads('good'), files: ['conf/'], needs: ['a'] } },
    files: IGNORED,
    loop: { limits: { executor_tries: 12 } },
  });
  const nonsense = (n: number) => ({ files: { 'conf/a.txt': `bad\nsecond ${n}\n` }, note: { fix: 'x', reason: 'y' } });
  probe.answers(...Array.from({ length: 12 }, (_, i) => nonsense(i)));
  const ran = await run(home);
  assert.equal(outcomes(home), [...Array(10).fill('no_effect'), 'withdrawn']);
  assert.equal([ran.exit, statuses(ran)], [1, { a: 'idle', b: 'failed' }]);
  assert.match(ran.stages.stages.b?.reason ?? '', 'a, which it needs, was made again 10 times in this run');
  assert.is(git(home, 'diff', '--stat', 'main', 'ai/orchestrator-stage1'), '');
});

test('a stage whose last failure is external is named by promote, and no reason to refuse', async () => {
  const off = '"$MENDLOOP_HOME/ai/state/off"';
  const { home, probe } = sharing({
    a: { command: `[ ! -e ${off} ] || { echo "error: the landlord has switched off the power"; exit 1; }` },
    b: { command: `touch ${off}; ${wants('two')}` },
  });
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home);
  assert.equal([ran.exit, statuses(ran), outcomes(home)], [1, { a: 'idle', b: 'green' }, ['holds']]);
  const request = { home, command: 'promote', env: process.env, dryRun: true };
  const { story } = await acceptPromotion(request, tip(home));
  assert.equal(story.fixes[0]?.not_standing, [{ stage: 'a', external: true }]);
});

test('a matrix of which any cell was made again makes stale who needs it', async () => {
  const flag = '"$MENDLOOP_HOME/ai/state/flag"';
  const { home } = mendable({
    stages: {
      a: {
        command: NOTE,
        matrix: { host: ['one', 'two'] },
        verify: [`[ $MENDLOOP_MATRIX_HOST = two ] || [ ! -e ${flag} ] || { rm ${flag}; exit 1; }`],
      },
      b: { command: NOTE, needs: ['a'] },
    },
  });
  await run(home);
  writeFileSync(join(home, 'ai/state/flag'), '');
  await run(home);
  assert.equal(ranSteps(home), ['a[host=one]', 'a[host=two]', 'b', 'a[host=one]', 'b']);
});

test('a stage that left the map keeps no fix from being promoted', async () => {
  const { home, probe } = sharing();
  await run(home, { stages: ['a'] });
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  await run(home, { stages: ['b'] });
  const request = { home, command: 'promote', env: process.env, dryRun: true };
  await rejectsWith('E_PROMOTE_STAGES_STALE', () => acceptPromotion(request, tip(home)));
  const map = JSON.parse(readFileSync(join(home, 'ai/context_map.yaml'), 'utf8'));
  commit(home, { 'ai/context_map.yaml': JSON.stringify({ stages: { b: map.stages.b } }) });
  assert.is((await acceptPromotion(request, tip(home))).story.fixes.length, 1);
});

test.run();
