// What a run may not lose or pretend, whatever else goes wrong around it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run as status } from '../../src/cli/status.ts';
import { MendError } from '../../src/errors.ts';
import { explainPlan } from '../../src/inspect/plan.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages, openRun } from '../../src/journal/load-stages.ts';
import { showPromotion } from '../../src/promote/promote.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import { verifyStages } from '../../src/run/verify-stages.ts';
import { findBase } from '../../src/worktree/base.ts';
import { AI, commit, git, refusal } from '../worktree/repository.ts';
import { cutOff, homelab, journalIn, NOTE, ranSteps, reconfigure, run } from './homelab.ts';
import { mendable, says, stageOn } from './probe.ts';

const fails = (name: string) => `${NOTE}; test ! -e "$MENDLOOP_HOME/ai/state/${name}-fails"`;
const breakStage = (home: string, name: string) => writeFileSync(join(home, `ai/state/${name}-fails`), '');
const mendStage = (home: string, name: string) => rmSync(join(home, `ai/state/${name}-fails`));

/** Cuts the journal of a run that ended, so that it looks killed after the event of this type and step. */
function cutAfter(home: string, name: string, type: string, step: string): void {
  const path = layoutOf(home).journal(name);
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  const at = lines.findIndex((line) => line.includes(`"type":"${type}"`) && line.includes(`"step":"${step}"`));
  assert.ok(at > 0, `no ${type} of ${step}`);
  writeFileSync(path, `${lines.slice(0, at + 1).join('\n')}\n`);
  for (const made of [layoutOf(home).runFile(name), layoutOf(home).stages]) rmSync(made);
}

test('stages that are green from before do not make a refused plan a success', async () => {
  const stages = { a: { command: NOTE }, b: { command: `${NOTE}; cat f.txt`, needs: ['a'] } };
  const home = homelab(stages, {}, { 'f.txt': '1\n' });
  await run(home);
  commit(home, { 'f.txt': '2\n' });
  reconfigure(home, stages, { limits: { max_steps: 1 } });
  const { exit, result } = await run(home);
  assert.equal([exit, result.status, result.error?.error_code], [2, 'failure', 'INVALID_PAYLOAD']);
});

test('time that ran out before a stale stage had its turn is no success', async () => {
  const stages = { a: { command: NOTE, verify: ['sleep 0.6'] }, b: { command: `${NOTE}; cat f.txt`, needs: ['a'] } };
  const home = homelab(stages, {}, { 'f.txt': '1\n' });
  await run(home);
  commit(home, { 'f.txt': '2\n' });
  const { exit, result } = await run(home, { deadline: Date.now() + 400 });
  assert.equal([exit, result.error?.error_code], [1, 'DEADLINE_EXCEEDED']);
});

test('a stage that had no turn stays what it was: green stays green and is not run again', async () => {
  const b = { command: NOTE, needs: ['a'], verify: ['true'] };
  const home = homelab({ a: { command: fails('a'), always: true }, b });
  await run(home);
  breakStage(home, 'a');
  const skipped = await run(home);
  assert.equal([skipped.exit, skipped.stages.stages.b?.status], [1, 'green']);
  assert.ok(skipped.trail.includes('step.skipped b'));
  mendStage(home, 'a');
  assert.is((await run(home)).exit, 0);
  assert.equal(
    ranSteps(home).filter((step) => step === 'b'),
    ['b'],
  );
});

test('a failed stage with rerun: false waits for a person, also after a run that skipped it', async () => {
  const home = homelab({
    a: { command: fails('a'), always: true },
    b: { command: fails('b'), needs: ['a'], rerun: false },
  });
  assert.is((await run(home)).exit, 0);
  reconfigure(home, {
    a: { command: fails('a'), always: true },
    b: { command: `${fails('b')} # changed`, needs: ['a'], rerun: false },
  });
  breakStage(home, 'b');
  await run(home);
  breakStage(home, 'a');
  await run(home);
  mendStage(home, 'a');
  mendStage(home, 'b');
  const before = ranSteps(home).length;
  const { exit } = await run(home);
  assert.is(exit, 3);
  assert.equal(ranSteps(home).slice(before), ['a']);
  assert.is((await run(home, { stages: ['b'], forced: true })).exit, 0);
});

test('a request that is refused closes no run that could go on', async () => {
  const home = homelab({ a: { command: NOTE }, b: { command: NOTE, needs: ['a'] } });
  const { run: name } = await run(home);
  cutAfter(home, name, 'step.done', 'a');
  const refused = await run(home, { stages: ['bb'] }).catch((error) => error);
  assert.ok(refused instanceof MendError && refused.code === 'E_UNKNOWN_STAGE');
  assert.is(openRun(loadStages(layoutOf(home)))?.run, name);
  const { run: again, exit, trail } = await run(home);
  assert.equal([again, exit], [name, 0]);
  assert.equal(trail, ['stage.green a', 'step.started b', 'step.done b', 'stage.green b']);
});

test('a run that is closed for another is told as a note, not by its events', async () => {
  const home = homelab({ a: { command: NOTE }, b: { command: NOTE } });
  const { run: name } = await run(home);
  cutAfter(home, name, 'attempt.started', 'b');
  const { events, run: next } = await run(home, { stages: ['a'] });
  assert.ok(events.every((event) => event.run === next));
  assert.is(events[0]?.type, 'run.started');
  const notes = events.filter((e) => e.type === 'notice').map((e) => String(e.data.text));
  assert.match(notes.join('\n'), `run ${name} was cut off and is closed: it ran all, this start asks for a`);
  assert.is(journalIn(home, name).at(-1)?.type, 'run.ended');
});

test('a run that goes on says that the base has moved since', async () => {
  const home = homelab({ a: { command: NOTE }, b: { command: NOTE } });
  const { run: name } = await run(home);
  cutAfter(home, name, 'step.done', 'a');
  commit(home, { 'new.txt': 'mended\n' });
  const { events } = await run(home);
  const notes = events.filter((e) => e.type === 'notice').map((e) => String(e.data.text));
  assert.match(notes.join('\n'), /^main moved since this run began; it goes on from [0-9a-f]{12} /m);
});

test('what a check does to the tree is seen, and blamed on its own stage', async () => {
  const home = homelab(
    { a: { command: NOTE, verify: ['echo x > f.txt'] }, b: { command: NOTE, needs: ['a'] } },
    {},
    { 'f.txt': '1\n' },
  );
  const { events } = await run(home);
  assert.equal(
    events.filter((e) => e.type === 'attempt.changed').map((e) => [e.step, e.data.files]),
    [['a', ['f.txt']]],
  );
});

test('a check that moves HEAD halts the run', async () => {
  const home = homelab({
    a: { command: NOTE, verify: ['git -c user.name=x -c user.email=x@y commit -q --allow-empty -m x'] },
  });
  const { exit, events } = await run(home);
  assert.is(exit, 3);
  assert.match(String(events.find((e) => e.type === 'step.failed')?.data.reason), /^E_HEAD_MOVED /);
});

/** A run that was killed while its stage, which had committed, was still at work. */
async function killedAfterCommit(): Promise<{ home: string; was: string; made: string }> {
  const home = homelab({ a: { command: NOTE } });
  const { run: name } = await run(home);
  cutOff(home, name, ({ type }) => type === 'attempt.started');
  const tree = join(home, 'ai/worktree');
  const was = git(tree, 'rev-parse', 'HEAD');
  return { home, was, made: commit(tree, { 'made.txt': 'x' }, 'by a stage') };
}

const selection = { stages: [], withNeeds: false, forced: false, recheck: true };
const promotion = async (home: string) => showPromotion(home, await findBase(home, { branch: AI }), false);

test('what a stage committed before its run was killed is neither gone on from nor promoted, until a person says whose it is', async () => {
  for (const isKept of [false, true]) {
    const { home, was, made } = await killedAfterCommit();
    const keep = `git update-ref refs/mendloop/by-stage/${was}-unsure ${was}`;
    const { text } = await refusal(promotion(home));
    assert.match(
      text,
      /^error E_HEAD_MOVED: .* by a stage before its run was cut off, or by you since; nobody can tell$/m,
    );
    assert.ok(text.endsWith(`by you: keep it:\n         ${keep}`), text);
    const notes = async () => (await explainPlan(home, selection)).notices.filter((note) => /E_HEAD_MOVED/.test(note));
    assert.is((await notes()).length, 1);
    for (const start of [1, 2]) assert.is((await refusal(run(home))).text, text, `start ${start}`);
    assert.is((await refusal(promotion(home))).text, text);
    const { text: shown } = await status({ words: [], options: {}, layout: () => layoutOf(home) } as never);
    assert.match(shown?.[0] ?? '', /^CONFLICT: ai\/worktree moved from /);
    if (isKept) execFileSync('sh', ['-c', keep], { cwd: home });
    else git(join(home, 'ai/worktree'), 'reset', '-q', '--keep', was);
    assert.equal(await notes(), []);
    assert.is((await run(home)).exit, 0);
    assert.is(git(join(home, 'ai/worktree'), 'rev-parse', 'HEAD'), isKept ? made : was);
    assert.equal((await promotion(home)).others.length, isKept ? 1 : 0);
    assert.is(git(home, 'for-each-ref', 'refs/mendloop/by-stage'), '');
  }
});

async function verified(home: string): Promise<void> {
  const signal = new AbortController().signal;
  const ports = { clock: systemClock, env: process.env, labTools: '', graceMs: 300, signal, subscribers: [] };
  await verifyStages({ ...selection, home, command: 'test', ai: true }, ports, () => {});
}

test('a commit that a person keeps as theirs before the next start lets the run that was killed go on', async () => {
  const { home, was, made } = await killedAfterCommit();
  git(home, 'update-ref', `refs/mendloop/by-stage/${was}-unsure`, was);
  await verified(home);
  const { exit, events } = await run(home);
  assert.equal([exit, events[0]?.type], [0, 'run.resumed']);
  assert.is(git(join(home, 'ai/worktree'), 'rev-parse', 'HEAD'), made);
});

test('whoever closes a run that was killed marks what its stage may have committed', async () => {
  const { home, was, made } = await killedAfterCommit();
  await resetStages({ home, command: 'test', stages: ['a'], force: true }, { clock: systemClock, graceMs: 300 });
  assert.is(git(home, 'rev-parse', `refs/mendloop/by-stage/${was}-unsure`), made);
});

test('a run whose journal cannot be written writes no branch any more, and the next one goes on', async () => {
  // The second attempt, which judges the fix, takes the run's lock away.
  const command =
    'bash check.sh conf/a.txt || { test $MENDLOOP_ATTEMPT != 2 || rm -f "$MENDLOOP_HOME/ai/state/lock.json"; exit 1; }';
  const { home, probe, subjects, tree } = mendable({ stages: { a: { ...stageOn(), command } } });
  probe.answers(says('bad', 'other'));
  await run(home).catch((error) => assert.is(error.code, 'E_LOCK_LOST'));
  assert.equal([subjects(), tree()], [[], 'bad\nother\n']);
  probe.answers({ pass: 'nothing to say' });
  const next = await run(home);
  assert.equal([next.exit, subjects(), tree()], [3, [], 'bad\nsecond\n']);
});

test('checks of a green stage that do not end in time are drift, not a failure', async () => {
  const stage = {
    command: `${NOTE}; rm -f "$MENDLOOP_HOME/ai/state/hang"`,
    verify: ['test ! -e "$MENDLOOP_HOME/ai/state/hang" || sleep 30'],
  };
  const home = homelab({ a: { ...stage, timeout: '500ms' } });
  await run(home);
  writeFileSync(join(home, 'ai/state/hang'), '');
  const { exit, trail } = await run(home);
  assert.equal([exit, trail], [0, ['step.drift a', 'step.started a', 'step.done a', 'stage.green a']]);
});

test('the process group of every check is on the journal before it runs', async () => {
  const home = homelab({ a: { command: NOTE, verify: ['true', { file: 'ai/loop.yaml' }, ['true']] } });
  const { events } = await run(home);
  const leaders = events
    .filter((e) => e.type === 'check.started')
    .map((e) => typeof (e.data.leader as { pid: number }).pid);
  assert.equal(leaders, ['number', 'number']);
});

test('a service that a finished stage left in a session of its own outlives a run that goes on', async () => {
  const home = homelab({
    a: { command: `${NOTE}; setsid sleep 30 >/dev/null 2>&1 & echo $! > "$MENDLOOP_HOME/ai/state/pid"` },
    b: { command: NOTE, needs: ['a'] },
  });
  const { run: name } = await run(home);
  const pid = Number(readFileSync(join(home, 'ai/state/pid'), 'utf8'));
  try {
    cutAfter(home, name, 'attempt.started', 'b');
    assert.is((await run(home)).exit, 0);
    assert.ok(existsSync(`/proc/${pid}`), 'the service is still there');
  } finally {
    process.kill(pid, 'SIGKILL');
  }
});

test('paths in requires and checks count however they are written', async () => {
  const stages = {
    a: { command: NOTE, requires: { files: ['./x.txt', 'config/'] }, verify: [{ nonempty: './y.txt' }] },
  };
  const home = homelab(stages, {}, { 'x.txt': '1\n', 'y.txt': '1\n', 'config/z.yaml': '1\n' });
  await run(home);
  for (const path of ['x.txt', 'y.txt', 'config/z.yaml']) {
    commit(home, { [path]: 'changed\n' });
    assert.equal((await run(home)).trail, ['step.started a', 'step.done a', 'stage.green a'], path);
  }
  assert.is(git(home, 'status', '--porcelain'), '');
});

test.run();
