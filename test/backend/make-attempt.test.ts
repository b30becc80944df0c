import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeAttempt } from '../../src/backend/make-attempt.ts';
import {
  attemptArgv,
  endIn,
  hasBegun,
  nextJob,
  readResult,
  writeContext,
  writeJob,
} from '../../src/backend/task-file.ts';
import { MendError } from '../../src/errors.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { runProgram } from '../../src/io/program.ts';
import { readText } from '../../src/io/store.ts';
import type { Task } from '../../src/stage/backend.ts';
import { configurationNow } from '../../src/stage/configuration.ts';
import type { RunPorts, StageRun } from '../../src/stage/run.ts';
import { folder } from '../environment.ts';
import { homelab, run } from '../run/homelab.ts';
import { git } from '../worktree/repository.ts';

const STAGES = {
  a: { command: 'echo out > "$MENDLOOP_OUT/name"; echo "job $MENDLOOP_JOB"', outputs: { name: 'name' }, files: ['f'] },
  fails: { command: 'echo "cannot open f" >&2; exit 3' },
  writes: { command: 'echo more >> f', verify: ['grep -q more f'] },
  sleeps: { command: 'sleep 60' },
};

/** A home with its worktree, and one job with an attempt of each stage. */
async function jobs(stages: Record<string, object> = STAGES) {
  const home = homelab({ first: { command: 'true' }, ...stages }, {}, { f: 'one\n' });
  const { run: id } = await run(home, { stages: ['first'] });
  const layout = layoutOf(home);
  const { config } = await configurationNow(home);
  const commit = git(layout.worktree, 'rev-parse', 'HEAD');
  const tree = { gitDir: git(layout.worktree, 'rev-parse', '--absolute-git-dir'), links: [] };
  const branch = git(layout.worktree, 'branch', '--show-current');
  writeContext({ id, layout, lab: 'real', graceMs: 300, config, tree: { ...tree, branch } } as unknown as StageRun);
  const tasks = Object.keys(stages).map((stage): Task => {
    const timeout_ms = stage === 'sleeps' ? 200 : 60_000;
    return { run: id, stage, step: stage, cell: {}, attempt: 1, commit, timeout_ms, spec: 'default' };
  });
  const file = writeJob(layout, id, '1', tasks);
  const index = (stage: string) => Object.keys(stages).indexOf(stage);
  const ports: RunPorts = {
    ...{ clock: systemClock, env: { PATH: process.env.PATH }, labTools: '/nonexistent', graceMs: 300, subscribers: [] },
    signal: new AbortController().signal,
  };
  const attempt = (stage: string) => makeAttempt(file, index(stage), ports);
  const result = (stage: string) => readResult(file, index(stage), tasks[index(stage)] as Task);
  return { home, layout, file, index, attempt, result, tree, id };
}

test('an attempt on another machine leaves its events and its end, and writes neither journal nor tree', async () => {
  const { home, layout, attempt, result, tree, id, file, index } = await jobs();
  const kept = () =>
    [layout.journal(id), layout.ledgerJournal, join(tree.gitDir, 'index'), join(tree.gitDir, 'HEAD')].map(readText);
  const before = kept();
  assert.is(await attempt('a'), 0);
  const left = result('a');
  assert.ok(left && left !== 'broken' && 'end' in left);
  assert.is(left.end.kind, 'green');
  assert.equal(
    left.events?.map(({ type, step, attempt: number }) => `${type} ${step} ${number}`),
    ['attempt.started a 1', 'attempt.ended a 1'],
  );
  assert.is(readFileSync(join(home, 'ai/state/out/a/name'), 'utf8'), 'out\n');
  assert.is(readFileSync(layout.log('a', '', id, 1), 'utf8'), `job ${file}#${index('a')}\n`);
  assert.is(await attempt('writes'), 0);
  const wrote = result('writes');
  assert.ok(wrote && wrote !== 'broken' && 'end' in wrote);
  const changed = wrote.events?.find(({ type }) => type === 'attempt.changed');
  assert.equal(changed?.data, { files: ['f'], patch: `ai/patches/${id}-writes-1.stage.diff` });
  assert.equal(kept(), before);
});

test('a failure is no exit 0, and its log is where it would be', async () => {
  const { attempt, result, layout, id } = await jobs();
  assert.is(await attempt('fails'), 1);
  const end = endIn(result('fails'));
  assert.ok(end?.kind === 'failed');
  assert.equal([end.message, end.context?.exit_code], ['exit code 3', 3]);
  assert.is(readText(layout.log('fails', '', id, 1)), 'cannot open f\n');
});

test('an attempt keeps its own time limit', async () => {
  const { attempt, result } = await jobs();
  assert.is(await attempt('sleeps'), 1);
  const end = endIn(result('sleeps'));
  assert.ok(end?.kind === 'failed');
  assert.equal(
    [end.code, end.message.replace(/[\d.]+ \w+/, '<limit>')],
    ['STEP_TIMEOUT', 'ran past its <limit> and was stopped'],
  );
});

test('no attempt is made twice', async () => {
  const { attempt, file, index } = await jobs();
  assert.not.ok(hasBegun(file, index('a')));
  await attempt('a');
  assert.ok(hasBegun(file, index('a')));
  const refused = await attempt('a').catch((error) => error);
  assert.ok(refused instanceof MendError);
  assert.is(refused.code, 'E_TASK_BEGUN');
});

test('a worktree at another commit gives the task back, and nothing runs', async () => {
  const { attempt, result, layout, id } = await jobs();
  git(layout.worktree, 'commit', '--allow-empty', '-qm', 'moved');
  assert.is(await attempt('a'), 1);
  const end = endIn(result('a'));
  assert.match(end?.kind === 'unbegun' ? end.message : '', /^the worktree is at [0-9a-f]{40}, not at/);
  assert.is(readText(layout.log('a', '', id, 1)), undefined);
});

test('a result that tells of another attempt, or of what only the controller decides, is broken', async () => {
  const { attempt, result, file, index } = await jobs();
  await attempt('a');
  const path = file.replace('job.json', `${index('a')}.result.json`);
  const written = readFileSync(path, 'utf8');
  for (const wrong of [
    written.slice(0, -20),
    written.replaceAll('"step":"a"', '"step":"b"'),
    written.replace('attempt.ended', 'step.done'),
    written.replace('"kind":"green"', '"kind":"fine"'),
    written.replace('"kind":"green"', '"kind":"lost","message":"gone"'),
    written.replace('"kind":"green"', '"kind":"failed"'),
  ]) {
    writeFileSync(path, wrong);
    assert.is(result('a'), 'broken', wrong);
  }
});

test('the entry makes the attempt that its arguments name, and refuses any other', async () => {
  const { file, index, result } = await jobs();
  const start = ([program = '', ...args]: string[]) => runProgram(program, args, { env: { PATH: process.env.PATH } });
  const made = await start(attemptArgv(file, index('a')));
  assert.equal([made?.ok, made?.stdout, made?.stderr], [true, '', '']);
  assert.ok(result('a') !== undefined);
  const refused = await start(attemptArgv(file, 99));
  assert.is(refused?.ok, false);
  assert.match(refused?.stderr ?? '', `error E_TASK: ${file}#99 is no attempt that can be made`);
});

test('a job never gets the number of one that the journal lost: its attempts would seem to have begun', () => {
  const layout = layoutOf(folder());
  assert.is(nextJob(layout, 'r1', 0), 1);
  for (const lost of ['1', '2']) mkdirSync(join(layout.jobs('r1'), lost), { recursive: true });
  assert.is(nextJob(layout, 'r1', 0), 3);
});

test.run();
