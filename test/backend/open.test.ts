import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { groupTasks, parentIds } from '../../src/backend/dag.ts';
import { submissionText } from '../../src/backend/describe.ts';
import { jobComment, openJobs, readComment } from '../../src/backend/jobs.ts';
import { answerProbe, proveShared } from '../../src/backend/probe.ts';
import { formatError } from '../../src/errors.ts';
import type { LoopEvent } from '../../src/events.ts';
import { validateHome } from '../../src/inspect/validate.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { stepsAhead } from '../../src/plan/ahead.ts';
import type { StepState } from '../../src/plan/run-state.ts';
import type { Slurm } from '../../src/slurm/client.ts';
import type { TaskAhead } from '../../src/stage/backend.ts';
import { configurationNow } from '../../src/stage/configuration.ts';
import { checkedPlan, id, labelOf, plan, step } from '../plan/builders.ts';
import { homelab, NOTE, run } from '../run/homelab.ts';

test('without Slurm a Slurm backend is refused by validate, and never replaced', async () => {
  const home = homelab({ a: { command: 'true' } }, { backend: 'slurm-dag' });
  const error = await validateHome(home, { env: { PATH: '/nonexistent' }, labTools: '/nonexistent' }).catch((e) => e);
  assert.is(
    formatError(error),
    `error E_SLURM_MISSING: there is no sbatch here, and a Slurm backend needs Slurm's programs
  next:  start on a machine that submits jobs, or say backend: local in ai/loop.yaml (docs/more-than-one-machine.md)`,
  );
});

test('plan says what would be submitted and where, by spec, and when it takes a word', async () => {
  const hosts = Array.from({ length: 101 }, (_, i) => `h${i}`);
  const slurm = { specs: { big: { partition: 'main', options: ['--mem=4G'] } } };
  const home = homelab(
    { a: { command: 'x' }, m: { command: 'x', spec: 'big', matrix: { host: hosts } } },
    { backend: 'slurm-dag', slurm },
  );
  const { config } = await configurationNow(home);
  assert.equal(submissionText(config, ['a', ...hosts.map(() => 'm')], { most: 100, workers: 4 }), [
    'slurm-dag, spec default (the default partition): 1 job: a',
    'slurm-dag, spec big (partition main, --mem=4G): 101 jobs: m (an array of 101)',
    'more than 100 jobs: a run needs --yes',
  ]);
  const on = (backend: string) => ({ ...config, loop: { ...config.loop, backend } });
  assert.equal(submissionText(on('slurm-pool'), ['a', 'm', 'm'], { most: 100, workers: 1 }), [
    'slurm-pool, spec default (the default partition, at most 1 worker): 1 task: a',
    'slurm-pool, spec big (partition main, --mem=4G, at most 1 worker): 2 tasks: m (2)',
  ]);
  assert.equal(submissionText(on('local'), ['a'], { most: 100, workers: 4 }), []);
});

test('a machine that does not see home says so', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'probe-')), 'none');
  const error = await answerProbe(folder).catch((e) => e);
  assert.is(error.code, 'E_NOT_SHARED');
});

test('a proof that waits for ever is no question of folders: it says what keeps it, and leaves no job', async () => {
  const cancelled: string[] = [];
  const waiting = { ...{ id: '7', state: 'PENDING', exitCode: 0, signal: 0, nodes: '' }, comment: 'mendloop probe' };
  const prove = (reason: string, limitMs: number) => {
    const slurm: Partial<Slurm> = {
      submit: async () => '7',
      jobs: async () => [{ ...waiting, reason }],
      async cancel() {
        cancelled.push(reason);
        return [];
      },
    };
    const layout = layoutOf(mkdtempSync(join(tmpdir(), 'probe-')));
    const ports = { clock: systemClock, signal: new AbortController().signal, limitMs, graceMs: 100 };
    return proveShared({ partition: 'main', options: [] }, { ...ports, slurm: slurm as Slurm, layout }).catch((e) =>
      formatError(e),
    );
  };
  assert.is(
    await prove('PartitionConfig', 1000),
    `error E_SLURM_REFUSED: Slurm refused: sbatch: job 7 asks for what no node has (PENDING PartitionConfig)
  next:  change partition or options of its spec in ai/loop.yaml; what there is: sinfo -N -l`,
  );
  assert.match(
    String(await prove('Priority', 0)),
    /^error E_NOT_SHARED: jobs cannot work in .*: job 7, .* had no turn \(limits\.run_minutes\)\n {2}next: {2}see whether the partition has room: sinfo --partition=main\n/,
  );
  assert.match(
    String(await prove('JobHeldUser', 1000)),
    /^error E_SLURM_REFUSED: .*: job 7 is held, .*\n {2}next: {2}take --hold out of the options of its spec in ai\/loop\.yaml;/,
  );
  assert.equal(cancelled, ['PartitionConfig', 'Priority', 'JobHeldUser']);
});

test('ahead is what is sure and waits only for what is under way or ahead itself, needs first', () => {
  const of = checkedPlan(plan([step(4, [3]), step(1), step(2, [1]), step(3, [2]), step(5, [6]), step(6)]));
  const states = new Map<string, StepState>(of.steps.map(({ id: of }) => [of, 'TODO']));
  states.set(id(1), 'IN_PROGRESS');
  const ahead = (unsure: number[]) =>
    stepsAhead(of, states, (one) => !unsure.map(id).includes(one.id)).map(
      ({ step: one, after }) => `${labelOf(one)} after ${after.map(labelOf).join(' ')}`,
    );
  assert.equal(ahead([]), ['s2 after s1', 's3 after s2', 's4 after s3', 's6 after ', 's5 after s6']);
  assert.equal(ahead([3, 6]), ['s2 after s1']);
});

test('cells that wait for the same are one array, cut where Slurm cuts; a whole array is one parent', () => {
  const task = (stage: string, cell: number, after: string[]): TaskAhead => ({
    ...{
      run: 'r',
      stage,
      step: `${stage}[${cell}]`,
      cell: {},
      attempt: 1,
      commit: 'c',
      timeout_ms: 1,
      spec: 'default',
    },
    after,
  });
  const tasks = [task('a', 0, []), task('m', 0, ['a']), task('m', 1, ['a']), task('m', 2, ['a']), task('m', 3, [])];
  assert.equal(
    groupTasks(tasks, 2).map((group) => group.map(({ step: of }) => of)),
    [['a[0]'], ['m[0]', 'm[1]'], ['m[2]'], ['m[3]']],
  );
  assert.is(groupTasks(tasks, 0).length, 5, 'a site may have no arrays at all');
  const cells = [0, 1, 2].map((index) => ({ id: `7_${index}`, size: 3 }));
  assert.equal(parentIds([...cells, { id: '8', size: 1 }]), ['7', '8']);
  assert.equal(parentIds(cells.slice(1)), ['7_1', '7_2']);
});

test('a journal tells which jobs are open: not what ended, was lost or was withdrawn', () => {
  const event = (type: string, data: object, place: object = {}) => ({ type, data, ...place }) as unknown as LoopEvent;
  const tasks = ['a', 'b', 'c', 'd'].map((name) => ({ step: name, attempt: 1 }));
  const events = [
    event('job.intended', { job: '1', backend: 'slurm-dag', tasks, commit: 'c', after: ['z'] }),
    event('job.submitted', { job: '1', id: '77' }),
    event('job.intended', {
      job: '2',
      backend: 'slurm-dag',
      tasks: [{ step: 'e', attempt: 2 }],
      commit: 'c',
      after: [],
    }),
    event('attempt.ended', {}, { step: 'a', attempt: 1 }),
    event('attempt.lost', {}, { step: 'b', attempt: 1 }),
    event('job.withdrawn', { job: '1', steps: ['c'] }),
  ];
  assert.equal(openJobs(events), {
    jobs: [
      { job: '1', backend: 'slurm-dag', after: ['z'], id: '77', open: new Map([[3, { step: 'd', attempt: 1 }]]) },
      { job: '2', backend: 'slurm-dag', after: [], id: undefined, open: new Map([[0, { step: 'e', attempt: 2 }]]) },
    ],
    count: 2,
  });
  assert.equal(readComment(jobComment('/my home', 'r-1', '2', 'm[host=a b]'), '/my home'), {
    run: 'r-1',
    job: '2',
    label: 'm[host=a b]',
  });
  assert.is(readComment(jobComment('/other', 'r-1', '2', 'm'), '/home'), undefined);
});

test('a spec that nothing is said of, and an option that is not theirs, are problems of the configuration', async () => {
  const specs = { default: { options: ['--array=1-3'] } };
  const home = homelab({ a: { command: NOTE, spec: 'gpu' } }, { backend: 'slurm-dag', slurm: { specs } });
  const error = await run(home).catch((refused) => refused);
  assert.is(error.code, 'E_CONFIG');
  assert.match(error.problems[0], /stages\.a\.spec: slurm\.specs in ai\/loop\.yaml has no "gpu"/);
  assert.match(error.problems[1], /slurm\.specs\.default\.options: --array=1-3 cannot be given/);
});

test('more than a hundred jobs need a word of their owner', async () => {
  const hosts = Array.from({ length: 101 }, (_, i) => `h${i}`);
  const home = homelab({ m: { command: NOTE, matrix: { host: hosts } } }, { backend: 'slurm-dag' });
  const error = await run(home).catch((refused) => refused);
  assert.equal(
    [error.code, error.message],
    ['E_MANY_JOBS', 'this would be 101 jobs, and more than 100 are submitted only at your word'],
  );
});

test.run();
