import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError, MendError } from '../../src/errors.ts';
import type { LoopEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { Stop } from '../../src/plan/stop.ts';
import { commit } from '../worktree/repository.ts';
import { cutOff, failuresIn, homelab, journalIn, NOTE, ranSteps, reconfigure, run } from './homelab.ts';

const CHAIN = {
  vms: { command: `${NOTE}; echo 10.0.0.1 > "$MENDLOOP_OUT/ips"`, outputs: { ips: 'ips' }, files: ['config/vms.yaml'] },
  talos: {
    command: `${NOTE}; cat "$MENDLOOP_OUTPUTS/vms/ips"`,
    needs: ['vms'],
    verify: [{ nonempty: 'config/talos.yaml' }],
  },
  infra: { command: NOTE, needs: ['talos'] },
};
const FILES = { 'config/vms.yaml': 'a: 1\n', 'config/talos.yaml': 'b: 1\n' };

test('a run turns every stage green, once each, and leaves a journal that ends once', async () => {
  const home = homelab(CHAIN, {}, FILES);
  const { exit, result, trail, run: name, events } = await run(home);
  assert.equal([exit, result.status, result.error], [0, 'success', null]);
  assert.equal(trail, [
    ...['step.started vms', 'step.done vms', 'stage.green vms'],
    ...['step.started talos', 'step.done talos', 'stage.green talos'],
    ...['step.started infra', 'step.done infra', 'stage.green infra'],
  ]);
  assert.equal(journalIn(home, name), JSON.parse(JSON.stringify(events)));
  assert.is(events.filter((e) => e.type === 'run.ended').length, 1);
  assert.is(events.at(-1)?.type, 'run.ended');
  const log = join(home, `ai/logs/talos/${name}-1.log`);
  assert.equal([readFileSync(log, 'utf8'), statSync(log).mode & 0o777], ['10.0.0.1\n', 0o600]);
});

test('a run halts over what a stage left and cannot be ended, and nothing says that it was ended', async () => {
  const home = homelab({ a: { command: 'sleep 66 &' } });
  const { kill } = process;
  // As if the process were another user's.
  process.kill = (pid, signal) => {
    if (signal === 0) return kill.call(process, pid, 0);
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  };
  let leader: { pid: number } | undefined;
  try {
    const clock = { ...systemClock, monotonic: () => performance.now() * 50 };
    const { exit, result, events, run: name } = await run(home, {}, { clock });
    leader = events.find(({ type }) => type === 'attempt.started')?.data.leader as typeof leader;
    assert.equal([exit, result.error?.message], [3, 'something it started could not be ended']);
    assert.equal(
      events.filter(({ type }) => type === 'notice'),
      [],
    );
    assert.not.match(readFileSync(join(home, `ai/logs/a/${name}-1.log`), 'utf8'), 'left running');
  } finally {
    process.kill = kill;
    if (leader) process.kill(-leader.pid, 'SIGKILL');
  }
});

test('a green stage is not run again while its inputs and checks hold', async () => {
  const home = homelab(CHAIN, {}, FILES);
  await run(home);
  const { trail, exit } = await run(home);
  assert.equal(trail, ['step.fresh vms', 'step.fresh talos', 'step.fresh infra']);
  assert.equal([exit, ranSteps(home)], [0, ['vms', 'talos', 'infra']]);
});

test('a stage whose files changed is done again, and what needs its output only when that changed', async () => {
  const { vms, talos, infra } = CHAIN;
  const checked = { vms, talos: { ...talos, verify: ['true'] }, infra: { ...infra, verify: ['true'] } };
  const home = homelab(checked, {}, FILES);
  await run(home);
  commit(home, { 'config/vms.yaml': 'a: 2\n' });
  assert.equal((await run(home)).exit, 0);
  assert.equal(ranSteps(home), ['vms', 'talos', 'infra', 'vms']);
  reconfigure(home, { ...checked, vms: { ...vms, command: `${NOTE}; echo 10.0.0.2 > "$MENDLOOP_OUT/ips"` } });
  await run(home);
  assert.equal(ranSteps(home).slice(4), ['vms', 'talos']);
});

test('what has no checks is done again when a stage that it needs was', async () => {
  const home = homelab({ a: { command: NOTE, files: ['config/'] }, b: { command: NOTE, needs: ['a'] } }, {}, FILES);
  await run(home);
  commit(home, { 'config/vms.yaml': 'a: 2\n' });
  await run(home);
  assert.equal(ranSteps(home), ['a', 'b', 'a', 'b']);
});

test('a check that no longer holds is drift: told, done again; without recheck nobody looks', async () => {
  const stages = { vms: { command: `${NOTE}; echo x > "$MENDLOOP_OUT/up"`, verify: [{ nonempty: 'out:up' }] } };
  const home = homelab(stages);
  await run(home);
  rmSync(join(home, 'ai/state/out/vms/up'));
  assert.equal((await run(home, { recheck: false })).trail, ['step.fresh vms']);
  const { trail, events } = await run(home);
  assert.equal(trail, ['step.drift vms', 'step.started vms', 'step.done vms', 'stage.green vms']);
  const drift = events.find((e) => e.type === 'step.drift');
  assert.equal(drift?.data.problems, ['nonempty out:up: does not exist']);
});

test('always runs also when green, and a retry runs whatever the state', async () => {
  const home = homelab({ a: { command: NOTE, always: true }, b: { command: NOTE } });
  await run(home);
  await run(home);
  assert.equal(ranSteps(home), ['a', 'b', 'a']);
  await run(home, { stages: ['b'], forced: true });
  assert.equal(ranSteps(home), ['a', 'b', 'a', 'b']);
});

test('a failed stage halts the run with its exit code and log; the next run tries it again', async () => {
  const home = homelab({
    a: { command: 'echo broken; exit 7' },
    b: { command: NOTE, needs: ['a'] },
    c: { command: NOTE },
  });
  const { exit, result, stages, trail } = await run(home);
  assert.equal([exit, result.status], [1, 'failure']);
  assert.equal([result.error?.error_code, result.error?.context.exit_code], ['EXECUTION_HALTED', 7]);
  assert.ok(existsSync(join(home, String(result.error?.context.log))));
  const { a, b, c } = stages.stages;
  assert.equal([a?.status, b?.status, c?.reason], ['failed', 'skipped', 'the run stopped before it: a failed']);
  assert.equal(trail.slice(1), [
    'step.failed a',
    'stage.failed a',
    'step.skipped b',
    'stage.skipped b',
    'stage.skipped c',
  ]);
  assert.equal((await run(home)).trail.slice(0, 2), ['step.started a', 'step.failed a']);
});

test('with retry_failed off a stage found failed stops the run at once, for a human', async () => {
  const home = homelab({ a: { command: `${NOTE}; exit 1` }, b: { command: NOTE } }, { retry_failed: false });
  await run(home);
  reconfigure(home, { a: { command: `${NOTE}; exit 1` }, b: { command: `${NOTE} # to do` } }, { retry_failed: false });
  const refused = await run(home).catch((error) => error);
  assert.ok(refused instanceof MendError);
  assert.is(
    formatError(refused),
    `error E_FOUND_FAILED: stages were found failed, and are not tried again by themselves (retry_failed, limits.max_compute_retries)
  - a: exit code 1
  next:  mend them, then: mendloop retry a`,
  );
  assert.is(refused.exit, 3);
  assert.equal(ranSteps(home), ['a']);
});

test('a stage that may not be rerun is run again only by a human’s retry', async () => {
  const home = homelab({
    a: { command: `${NOTE}; exit 1`, rerun: false, on_failure: 'retry', retry: { max_attempts: 3 } },
  });
  assert.is((await run(home)).exit, 3, 'the next run would not try it');
  const { exit, result } = await run(home);
  assert.equal([exit, result.error?.message], [3, 'not run again by itself (rerun: false)']);
  assert.equal(ranSteps(home), ['a']);
  await run(home, { stages: ['a'], forced: true });
  assert.equal(ranSteps(home), ['a', 'a']);
});

test('a stage that misses something says everything it misses and does not start', async () => {
  const requires = { env: ['NOT_SET_HERE'], tools: ['no-such-tool-here'], files: ['none.yaml'] };
  const home = homelab({ a: { command: NOTE, requires } });
  const { result, events } = await run(home);
  assert.is(
    result.error?.message,
    'requires: environment variable NOT_SET_HERE is not set; tool no-such-tool-here is not on PATH; file none.yaml does not exist',
  );
  assert.equal(ranSteps(home), []);
  assert.ok(events.some((e) => e.type === 'notice' && e.data.text === 'tool no-such-tool-here is not on PATH'));
});

test('of a stage that lacks a file which no fix may make, it is not said that it does not run again', async () => {
  const home = homelab({ a: { command: NOTE, requires: { files: ['none.yaml'] }, files: ['conf/'] } });
  const { events } = await run(home);
  const reasons = events.flatMap((e) => (e.type === 'failure.decided' ? [e.data.reason] : []));
  assert.equal(reasons, ['no fix could bring what it lacks, so none is asked for']);
});

test('a command that succeeds is not enough: its checks must hold, all told', async () => {
  const home = homelab({ a: { command: 'true', verify: ['exit 3', { file: 'none' }] } });
  const { result, stages } = await run(home);
  assert.is(result.error?.message, 'verify: exit 3: exit code 3; file none: does not exist');
  assert.equal([stages.stages.a?.status, stages.stages.a?.last?.outcome], ['failed', 'unverified']);
});

test('a stage that runs past its time is killed', async () => {
  const home = homelab({ a: { command: 'sleep 60', timeout: '200ms' } });
  const began = performance.now();
  const { exit, result, stages } = await run(home);
  assert.equal([exit, result.error?.error_code, stages.stages.a?.last?.outcome], [1, 'STEP_TIMEOUT', 'timeout']);
  assert.ok(performance.now() - began < 20_000);
});

test('an interruption stops the stage, which is idle then, and exits 130 also after a failure', async () => {
  const home = homelab({ a: { command: 'exit 1', on_failure: 'skip' }, b: { command: 'sleep 60' } });
  const controller = new AbortController();
  const stop = (event: LoopEvent) => {
    if (event.type === 'attempt.started' && event.stage === 'b') {
      setTimeout(() => controller.abort(new Stop('INTERRUPTED', 'interrupted by SIGINT')), 50);
    }
  };
  const { exit, stages } = await run(home, {}, { signal: controller.signal, subscribers: [stop] });
  assert.equal([exit, stages.stages.b?.status, stages.stages.b?.last?.outcome], [130, 'idle', 'interrupted']);
});

test('a matrix whose first cell fails is failed, and nothing of it is left running', async () => {
  const home = homelab({ m: { command: `${NOTE}; test "$MENDLOOP_MATRIX_HOST" != a`, matrix: { host: ['a', 'b'] } } });
  const { stages, exit } = await run(home);
  const { status, cells } = stages.stages.m ?? {};
  assert.equal([exit, status, cells?.['host=a']?.status, cells?.['host=b']], [1, 'failed', 'failed', undefined]);
});

test('the cells of a matrix run side by side, each with its own folder, and the stage turns green once', async () => {
  const command = 'echo "$MENDLOOP_MATRIX_HOST" > "$MENDLOOP_OUT/name"';
  const home = homelab(
    { m: { command, matrix: { host: ['a', 'b', 'c'] }, outputs: { name: 'name' } } },
    { workers: 3 },
  );
  const { exit, trail } = await run(home);
  assert.is(exit, 0);
  assert.equal(
    trail.filter((line) => line.startsWith('stage.')),
    ['stage.green m'],
  );
  const names = ['a', 'b', 'c'].map((host) => readFileSync(join(home, `ai/state/out/m/host=${host}/name`), 'utf8'));
  assert.equal(names, ['a\n', 'b\n', 'c\n']);
});

test('a run that was cut off is finished by the next start: same run, nothing done twice, one end', async () => {
  const home = homelab(CHAIN, {}, FILES);
  const first = await run(home);
  cutOff(home, first.run, (e) => e.type === 'attempt.started' && e.stage === 'talos');
  const second = await run(home);
  assert.is(second.run, first.run);
  assert.equal([second.exit, second.result.execution_id], [0, first.result.execution_id]);
  assert.equal(ranSteps(home), ['vms', 'talos', 'infra', 'talos', 'infra']);
  const journal = journalIn(home, first.run);
  assert.equal(
    journal.filter((e) => /^(?:run\.|stage\.)/.test(e.type)).map((e) => `${e.type} ${e.stage ?? ''}`.trim()),
    ['run.started', 'stage.green vms', 'run.resumed', 'stage.green talos', 'stage.green infra', 'run.ended'],
  );
  const attempts = journal.filter((e) => e.type === 'attempt.started' && e.stage === 'talos');
  assert.equal(
    attempts.map((e) => e.attempt),
    [1, 2],
  );
  assert.equal(journal.find((e) => e.type === 'run.resumed')?.data.done, ['vms']);
});

test('a start that asks for something else closes the run that was cut off, and says why', async () => {
  const home = homelab(CHAIN, {}, FILES);
  const first = await run(home);
  cutOff(home, first.run, (e) => e.type === 'attempt.started' && e.stage === 'talos');
  const second = await run(home, { stages: ['vms'] });
  assert.is.not(second.run, first.run);
  const end = journalIn(home, first.run).at(-1);
  assert.equal([end?.type, end?.status], ['run.ended', 'abandoned']);
  assert.equal(end?.data, { reason: 'it ran all, this start asks for vms' });
});

test('stages run at once and stages run one by one end in the same state', async () => {
  const [atOnce, oneByOne] = [homelab(CHAIN, {}, FILES), homelab(CHAIN, {}, FILES)];
  await run(atOnce);
  for (const stage of ['vms', 'talos', 'infra']) await run(oneByOne, { stages: [stage] });
  const facts = async (home: string) => {
    const { stages } = await run(home);
    const published = readFileSync(join(home, 'ai/state/out/vms/ips'), 'utf8');
    const known = Object.entries(stages.stages).map(([name, s]) => {
      const { worktree: _, ...inputs } = s.inputs ?? {};
      return [name, s.status, inputs, s.last?.outcome];
    });
    return { known, published, ran: ranSteps(home) };
  };
  assert.equal(await facts(atOnce), await facts(oneByOne));
});

test('a script that writes to /dev/stderr does not cut its log, and its failure is known by what it said before', async () => {
  const log = 'log() { echo "[common] $*" > /dev/stderr; }';
  const command = `${log}; log begin; echo "Error: no such host pve1" >&2; log "bye"; exit 3`;
  const home = homelab({ a: { command, verify: ['true'] } });
  const { run: id } = await run(home, { ai: false });
  const text = readFileSync(join(home, `ai/logs/a/${id}-1.log`), 'utf8');
  assert.is(text, '[common] begin\nError: no such host pve1\n[common] bye\n');
  assert.match(failuresIn(home)[0]?.excerpt ?? '', 'no such host pve1');
});

test.run();
