import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { answerCase } from '../../src/run/answer-case.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import { commit, git } from '../worktree/repository.ts';
import { AGREES, failuresIn, NOTE, type Ran, ranSteps, run } from './homelab.ts';
import { type Mendable, mendable, swap, wants } from './probe.ts';

const outcomes = (home: string) => failuresIn(home).flatMap(({ patches }) => patches.map(({ outcome }) => outcome));
/** Each fix with the stages that were not seen with it. */
const fates = (home: string) =>
  failuresIn(home).flatMap(({ patches }) => patches.map(({ outcome, unseen }) => [outcome, unseen]));
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
    assert.equal(outcomes(home), ['kept']);
    assert.equal(typesOf(ran, 'stage.green', 'stage.stale'), [
      'stage.green a',
      'stage.stale a',
      'stage.green a',
      'stage.green b',
    ]);
    assert.equal((await run(home)).exit, 0);
  });

  test(`a wrong fix of a template is never kept (${kind} output)`, async () => {
    const { home, probe } = rendered(ignored);
    probe.answers(swap('tpl/x.txt', 'bad', 'worse'), { pass: 'no idea' });
    const ran = await run(home);
    assert.equal([ran.exit, ran.stages.stages.b?.status], [3, 'give_up']);
    assert.not.ok(outcomes(home).includes('kept'));
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
  assert.equal([ran.exit, outcomes(home)], [0, ['no_effect', 'kept']]);
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
test('a stage that was green fails with a trial: that is undone, the stage runs without it, and being green shows that it broke', async () => {
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

test('a fix that every stage can live with is kept when the last of them is green', async () => {
  const { home, probe } = sharing();
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home);
  assert.equal([ran.exit, ranSteps(home)], [0, ['a', 'b', 'b', 'a']]);
  const judged = ran.events.filter(({ type }) => type === 'fix.judged').map(({ data }) => data.outcome);
  assert.equal(judged, ['kept']);
});

test('a stage that fails alike without the trial is an incident of its own; the trial is undone, and its change may be proposed once more', async () => {
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
  assert.equal([ofB?.patches[0]?.outcome, ofB?.first?.because], ['undone', 'prepared']);
  assert.is(ofA?.executor_tries, 1, 'its own failure was dealt with: a pass is asked for once');
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
      [['kept', unchecked]],
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
  assert.is(readFileSync(join(home, 'ai/worktree/tpl/x.txt'), 'utf8').split('\n')[0], 'bad', 'undone, unjudged');
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, ['kept']]);
});

test('what a trial made stale runs before another failure is mended, and then it is kept', async () => {
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
  assert.equal([first.exit, fates(home)], [3, [['kept', undefined]]]);
  assert.equal([first.stages.stages.a?.status, first.stages.stages.b?.status], ['green', 'green']);
  writeFileSync(join(home, 'ai/state/open'), '');
  await resetStages({ home, stages: ['gate'], command: 'reset', force: true }, { clock: systemClock, graceMs: 100 });
  const second = await run(home);
  assert.equal([second.exit, ranSteps(home)], [0, ['a', 'b', 'b', 'gate', 'a', 'gate']]);
});

test('a stage that was not seen with a kept trial and fails later is an ordinary incident: the trial stays kept', async () => {
  const { home, probe, subjects } = sharing();
  await run(home, { stages: ['a'] });
  probe.answers(swap('conf/a.txt', 'one', 'two'), swap('conf/a.txt', 'two', 'both'));
  await run(home, { stages: ['b'] });
  assert.equal(fates(home), [['kept', ['a']]]);
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, ['kept', 'kept']]);
  assert.equal(subjects(), ['Mend b: say two', 'Mend a: say both']);
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
  assert.equal([ran.stages.stages.a?.status, fates(home)], ['idle', [['kept', ['a']]]]);
});

test('green cells whose files a fix of another cell changed are made again, and judge it', async () => {
  const cell = `${NOTE}; grep -q "^$MENDLOOP_MATRIX_HOST$" conf/a.txt || { echo "error: no host $MENDLOOP_MATRIX_HOST"; exit 1; }`;
  const { home, probe } = mendable({
    word: 'one',
    stages: { a: { command: cell, files: ['conf/'], matrix: { host: ['one', 'two'] } } },
  });
  probe.answers(swap('conf/a.txt', 'one', 'two'), swap('conf/a.txt', 'one', 'one\n+two'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, ['broke', 'kept']]);
  const greens = ran.events.filter(({ type }) => type === 'stage.green' || type === 'stage.stale');
  assert.is(greens.at(-1)?.type, 'stage.green');
});

test('with several workers a failure waits until the trial of another is over, and nobody waits for ever', async () => {
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
  assert.equal(outcomes(home), ['kept']);
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
  assert.equal([accepted.stages.stages.b?.status, fates(home)], ['green', [['kept', ['a']]]]);
  const retried = await run(home, { stages: ['a'], forced: true });
  assert.equal([retried.exit, outcomes(home)], [0, ['kept']]);
});

const statuses = (ran: Ran) =>
  Object.fromEntries(Object.entries(ran.stages.stages).map(([name, { status }]) => [name, status]));
/** Copies conf/a.txt to out.txt, which git ignores. */
const RENDERS = { command: `${NOTE}; cp conf/a.txt out.txt`, files: ['conf/'] };
const IGNORED = { '.gitignore': 'out.txt\n' };

test('a fix that made a file and is undone makes stale who was made with that file', async () => {
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
  assert.is(git(home, 'diff', '--stat', 'main', 'ai/orchestrator-stage1'), '', 'the unjudged fix is undone');
});

test('a trial is not kept while a green stage that needs its stage fails with it', async () => {
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
    outcomes(home).filter((outcome) => outcome === 'kept'),
    [],
  );
});
function reconfigureStage(home: string, a: object): void {
  const map = JSON.parse(readFileSync(join(home, 'ai/context_map.yaml'), 'utf8'));
  commit(home, { 'ai/context_map.yaml': JSON.stringify({ ...map, stages: { ...map.stages, a } }) });
}

test('a failure of another stage waits until the trial is over, and the stage that this made stale runs meanwhile', async () => {
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
    loop: { limits: { run_minutes: 1 } },
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
  assert.is(byStage.x, 'broke');
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

test('a need is made again ten times in a run for the sake of fixes; then the trial is undone and its stage is failed', async () => {
  const { home, probe } = mendable({
    stages: { a: RENDERS, b: { command: reads('good'), files: ['conf/'], needs: ['a'] } },
    files: IGNORED,
    loop: { limits: { executor_tries: 12 } },
  });
  const nonsense = (n: number) => ({ files: { 'conf/a.txt': `bad\nsecond ${n}\n` }, note: { fix: 'x', reason: 'y' } });
  probe.answers(...Array.from({ length: 12 }, (_, i) => nonsense(i)));
  const ran = await run(home);
  assert.equal(outcomes(home), [...Array(10).fill('no_effect'), 'undone']);
  assert.equal([ran.exit, statuses(ran)], [1, { a: 'idle', b: 'failed' }]);
  assert.match(ran.stages.stages.b?.reason ?? '', 'a, which it needs, was made again 10 times in this run');
  assert.is(git(home, 'diff', '--stat', 'main', 'ai/orchestrator-stage1'), '');
});

test('a stage that fails with the trial for a reason outside of the repository was not seen with it', async () => {
  const off = '"$MENDLOOP_HOME/ai/state/off"';
  const { home, probe } = sharing({
    a: { command: `[ ! -e ${off} ] || { echo "error: the landlord has switched off the power"; exit 1; }` },
    b: { command: `touch ${off}; ${wants('two')}` },
  });
  probe.answers(swap('conf/a.txt', 'one', 'both'));
  const ran = await run(home);
  assert.equal([ran.exit, statuses(ran), fates(home)], [1, { a: 'idle', b: 'green' }, [['kept', ['a']]]]);
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

test.run();
