// slurm-dag by what Slurm answers: how often it is asked, and what is told where it does not answer. The files are real, Slurm's
// answers are written here.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DagCarrier } from '../../src/backend/dag.ts';
import { readComment } from '../../src/backend/jobs.ts';
import { SlurmAttempts } from '../../src/backend/slurm-attempts.ts';
import { SlurmBackend } from '../../src/backend/slurm-backend.ts';
import { beginTask, writeResult, writeSign } from '../../src/backend/task-file.ts';
import { mendError } from '../../src/errors.ts';
import type { NewEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { Stop } from '../../src/plan/stop.ts';
import type { Slurm } from '../../src/slurm/client.ts';
import type { Job, JobRequest } from '../../src/slurm/job.ts';
import { watchSlurm } from '../../src/slurm/watch.ts';
import type { Task, TaskAhead } from '../../src/stage/backend.ts';
import type { StageRun } from '../../src/stage/run.ts';
import { folder } from '../environment.ts';
import { eventually } from '../slurm/cluster.ts';

const task = (step: string): Task => ({
  ...{ run: 'r', stage: step, step, cell: {}, attempt: 1, commit: 'c', timeout_ms: 60_000, spec: 'default' },
});

/** A backend, and a Slurm that starts every job at once and ends it when it is cancelled. */
async function openLab({ ahead = [], grace = 200 }: { ahead?: TaskAhead[]; grace?: number } = {}) {
  const layout = layoutOf(folder());
  mkdirSync(layout.jobs('r'), { recursive: true });
  const events: NewEvent[] = [];
  const jobs = new Map<string, Job>();
  const requests = new Map<string, JobRequest>();
  const asked: string[] = [];
  const slurm = { isAway: false };
  const ask = (program: string) => {
    asked.push(program);
    if (slurm.isAway) throw mendError('E_SLURM_UNREACHABLE', { program, words: 'away', next: '' });
  };
  const answers: Partial<Slurm> = {
    async submit(request) {
      ask('sbatch');
      const id = String(jobs.size + 1);
      requests.set(request.name, request);
      const shared = { reason: 'None', exitCode: 0, signal: 0, nodes: 'n1', comment: request.comment };
      jobs.set(id, { ...shared, id, state: 'RUNNING' });
      return id;
    },
    async jobs() {
      ask('squeue');
      return [...jobs.values()];
    },
    async cancel(isMeant) {
      ask('squeue');
      const meant = [...jobs.values()].filter((job) => job.state === 'RUNNING' && isMeant(job));
      if (meant.length > 0) ask('scancel');
      for (const job of meant) jobs.set(job.id, { ...job, state: 'CANCELLED' });
      return meant;
    },
  };
  const run = {
    ...{
      id: 'r',
      layout,
      clock: systemClock,
      lab: 'real',
      graceMs: 100,
      config: { map: { stages: {} }, loop: { logs: { max_mb: 200 } } },
    },
    tree: { head: 'c', gitDir: '/g', branch: 'b', links: [] },
    journal: { append: (...more: NewEvent[]) => void events.push(...more) },
  } as unknown as StageRun;
  const settings = { specs: {}, grace, stale: 60_000, idle: 1000 };
  const watch = watchSlurm(answers as Slurm, systemClock, settings.stale);
  const attempts = new SlurmAttempts(run, { slurm: answers as Slurm, watch, settings, startedAt: '' });
  const shared = { slurm: answers as Slurm, watch, settings, attempts };
  const carrier = await DagCarrier.open(run, { ...shared, count: 0, maxArraySize: 1000, ahead: () => ahead }, []);
  const backend = new SlurmBackend(run, attempts, carrier);
  const fileOf = (step: string) => {
    const { job = '' } = readComment(requests.get(step)?.comment ?? '', layout.home) ?? {};
    return join(layout.jobs('r'), job, 'job.json');
  };
  const notices = () => events.flatMap((event) => (event.type === 'notice' ? [event.data.text] : []));
  const submitted = (count: number) => eventually('all are submitted', () => jobs.size === count, 2000);
  const end = (step: string, state: string) => {
    const [job] = [...jobs.values()].filter(({ comment }) => readComment(comment, layout.home)?.label === step);
    if (job) jobs.set(job.id, { ...job, state });
  };
  return { backend, slurm, asked, notices, submitted, fileOf, events, end, requests };
}

const names = Array.from({ length: 30 }, (_, at) => `s${at}`);

test('when the run stops, one question cancels all of its jobs, those too that nobody has asked for yet', async () => {
  const ahead = [{ ...task('later'), after: ['s0'] }];
  const { backend, asked, submitted, notices, fileOf } = await openLab({ ahead });
  const stop = new AbortController();
  const ends = names.map((name) => backend.attempt(task(name), AbortSignal.any([stop.signal])));
  await submitted(31);
  beginTask(fileOf('s1'), 0);
  asked.length = 0;
  stop.abort();
  assert.equal(
    (await Promise.all(ends)).map(({ end }) => end.kind),
    names.map(() => 'stopped'),
  );
  await backend.close();
  assert.is(asked.filter((program) => program === 'scancel').length, 1);
  assert.ok(asked.length <= 5, asked.join(' '));
  assert.equal(notices(), ['Slurm is asked to end s1 (job 2); to leave without waiting: Ctrl-C again']);
});

test('when the run stops and Slurm is away, it ends at once, and says what may still run and how to end it', async () => {
  const { backend, slurm, submitted, notices, fileOf } = await openLab();
  const stop = new AbortController();
  const ends = ['a', 'b'].map((name) => backend.attempt(task(name), stop.signal));
  await submitted(2);
  beginTask(fileOf('a'), 0);
  slurm.isAway = true;
  stop.abort();
  const began = Date.now();
  await Promise.all(ends);
  assert.is(await backend.close(), false, 'a may still run');
  assert.ok(Date.now() - began < 10_000);
  assert.equal(notices(), [
    'Slurm is asked to end a (job 1); to leave without waiting: Ctrl-C again',
    'Slurm cannot be reached: squeue: away, so this may still run: a (job 1). End it by hand: scancel 1; else the next start does',
  ]);
});

test('a run that runs out of time does not speak of Ctrl-C', async () => {
  const { backend, submitted, notices, fileOf } = await openLab();
  const stop = new AbortController();
  const end = backend.attempt(task('a'), stop.signal);
  await submitted(1);
  beginTask(fileOf('a'), 0);
  stop.abort(new Stop('PLAN_TIMEOUT', 'the run took too long'));
  await end;
  assert.is(await backend.close(), true);
  assert.equal(notices(), ['Slurm is asked to end a (job 1)']);
});

test('nobody is told of attempts that had ended when the run stops, whatever they died of', async () => {
  const { backend, submitted, notices, fileOf } = await openLab({ ahead: [{ ...task('b'), after: ['a'] }] });
  const stop = new AbortController();
  const end = backend.attempt(task('a'), stop.signal);
  await submitted(2);
  beginTask(fileOf('b'), 0);
  writeResult(fileOf('b'), 0, { thrown: { message: 'a bug' } });
  stop.abort();
  await end;
  await backend.close();
  assert.equal(notices(), []);
});

test('a run that stops while Slurm is away does not wait for it to take a job', async () => {
  const { backend, slurm, asked, events } = await openLab();
  slurm.isAway = true;
  const stop = new AbortController();
  const end = backend.attempt(task('a'), stop.signal);
  await eventually('it is tried', () => asked.includes('sbatch'), 2000);
  stop.abort();
  const began = Date.now();
  assert.is((await end).end.kind, 'stopped');
  await backend.close();
  assert.ok(Date.now() - began < 1500);
  // It may have been taken all the same.
  const withdrawn = events.flatMap((event) => (event.type === 'job.withdrawn' ? [event.data] : []));
  assert.equal(withdrawn, [{ job: '1', steps: ['a'], reason: 'Slurm did not take it' }]);
});

test('a job that Slurm started twice, and whose first start lives on, is followed to its end', async () => {
  const { backend, submitted, fileOf, end: endJob, requests } = await openLab({ grace: 300 });
  const end = backend.attempt(task('a'), new AbortController().signal);
  await submitted(1);
  assert.is(requests.get('a')?.command.at(-1), '100', 'signs come often enough');
  const file = fileOf('a');
  beginTask(file, 0);
  // The second start finds that somebody began, and ends; Slurm tells of that one.
  endJob('a', 'FAILED');
  let isOver = false;
  end.then(() => (isOver = true));
  for (let count = 0; count < 30; count++) {
    writeSign(file, 0, String(count));
    await systemClock.sleep(100);
  }
  assert.is(isOver, false);
  writeResult(file, 0, { end: { kind: 'green' } });
  assert.equal(await end, { end: { kind: 'green' } });
});

test('a step that fails takes back all that waits behind it with one question', async () => {
  const chain = names.slice(1).map((name, at) => ({ ...task(name), after: [`s${at}`] }));
  const { backend, asked, submitted, fileOf, events } = await openLab({ ahead: chain });
  const end = backend.attempt(task('s0'), new AbortController().signal);
  await submitted(30);
  asked.length = 0;
  beginTask(fileOf('s0'), 0);
  writeResult(fileOf('s0'), 0, { end: { kind: 'failed', message: 'exit code 1' } });
  await end;
  assert.is(asked.filter((program) => program === 'scancel').length, 1);
  assert.is(events.filter(({ type }) => type === 'job.withdrawn').length, 29);
});

test.run();
