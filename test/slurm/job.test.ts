import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Job,
  type JobRequest,
  optionFaults,
  phaseOf,
  readJobs,
  sbatchArgs,
  submittedId,
} from '../../src/slurm/job.ts';
import { lossOf, stuckOf } from '../../src/slurm/loss.ts';

const request = (more: Partial<JobRequest> = {}): JobRequest => ({
  name: 'mendloop-apps',
  comment: 'mendloop r1 apps',
  command: ['/opt/node', 'attempt', "it's $HOME"],
  cwd: '/lab',
  output: '/lab/ai/logs/%j.out',
  place: { options: [] },
  ...more,
});

test('sbatch is told never to start a job again, and its command reaches it word by word', () => {
  assert.equal(sbatchArgs(request()), [
    '--parsable',
    '--no-requeue',
    '--job-name=mendloop-apps',
    '--comment=mendloop r1 apps',
    '--chdir=/lab',
    '--output=/lab/ai/logs/%j.out',
    '--error=/lab/ai/logs/%j.out',
    '--open-mode=append',
    '--export=ALL',
    `--wrap=exec '/opt/node' 'attempt' 'it'\\''s $HOME'`,
  ]);
});

test("an owner's options stand before ours", () => {
  const dependencies = (options: string[], after?: string[]) =>
    sbatchArgs(request({ place: { partition: 'long', options }, after })).filter((word) =>
      /depend|invalid-dep/.test(word),
    );
  const kill = '--kill-on-invalid-dep=yes';
  assert.equal(dependencies(['--mem=4G']), []);
  assert.equal(dependencies(['--mem=4G'], ['7', '9_1']), ['--dependency=afterok:7:9_1', kill]);
  const words = sbatchArgs(request({ place: { partition: 'long', options: ['--requeue', '--mem=4G'] } }));
  assert.equal(words.slice(0, 3), ['--partition=long', '--requeue', '--mem=4G']);
  assert.ok(words.indexOf('--requeue') < words.indexOf('--no-requeue'), 'the last one counts');
});

test("a time limit is whole minutes, and the owner's own where they named one", () => {
  const time = (minutes: number, options: string[] = []) =>
    sbatchArgs(request({ minutes, place: { options } })).filter((word) => /^(--time|-t)/.test(word));
  assert.equal(time(0.1), ['--time=1']);
  assert.equal(time(15.2), ['--time=16']);
  assert.equal(time(5, ['--time=2:00:00']), ['--time=2:00:00']);
  assert.equal(time(5, ['-t', '9']), ['-t']);
});

test('an array is named by its indices', () => {
  assert.ok(sbatchArgs(request({ array: 4 })).includes('--array=0-3'));
});

test('options that would make another thing of a job are named with the reason', () => {
  assert.equal(optionFaults(['--mem=4G', '-c', '4', '--gres=gpu:1']), []);
  assert.equal(optionFaults(['--array=1-3', '-Mother', '--dependency=afterok:1']), [
    '--array=1-3 cannot be given: cells are what `matrix` says',
    '-Mother cannot be given: squeue and scancel ask this cluster only',
    '--dependency=afterok:1 cannot be given: a step waits for what its `needs` says; Slurm starts behind a job that it does not know',
  ]);
});

test('the id is read from what --parsable prints, with or without a cluster', () => {
  assert.is(submittedId('12\n'), '12');
  assert.is(submittedId('12;lab\n'), '12');
  assert.is(submittedId('Submitted batch job 12\n'), undefined);
});

test("squeue's lines are read: a wait status is an exit code or a signal, a comment may hold anything", () => {
  const text =
    '9|FAILED|NonZeroExitCode|768|n1|run|step a\n4_2|PENDING|Priority|0||(null)\n2|FAILED|JobLaunchFailure|4021|n1|x\nrest\n';
  assert.equal(readJobs(text), [
    { id: '9', state: 'FAILED', reason: 'NonZeroExitCode', exitCode: 3, signal: 0, nodes: 'n1', comment: 'run|step a' },
    { id: '4_2', state: 'PENDING', reason: 'Priority', exitCode: 0, signal: 0, nodes: '', comment: '(null)' },
    { id: '2', state: 'FAILED', reason: 'JobLaunchFailure', exitCode: 0, signal: 53, nodes: 'n1', comment: 'x' },
  ]);
});

test('a job that completes still runs; a state that nobody has heard of has ended', () => {
  assert.is(phaseOf({ state: 'PENDING' }), 'waiting');
  assert.is(phaseOf({ state: 'COMPLETING' }), 'running');
  assert.is(phaseOf({ state: 'NODE_FAIL' }), 'ended');
  assert.is(phaseOf({ state: 'NEW_IN_2030' }), 'ended');
});

const job = (state: string, reason = 'None', more: Partial<Job> = {}): Job => ({
  ...{ id: '7', state, reason, exitCode: 0, signal: 0, nodes: 'n2', comment: '' },
  ...more,
});

test('each end of a job without a result has its own code, words and advice', () => {
  const ends: [Job | undefined, string, boolean][] = [
    [job('TIMEOUT', 'TimeLimit', { signal: 15 }), 'JOB_TIMEOUT', false],
    [job('NODE_FAIL', 'NodeDown'), 'JOB_NODE_FAIL', true],
    [job('PREEMPTED'), 'JOB_PREEMPTED', true],
    [job('OUT_OF_MEMORY', 'OutOfMemory'), 'JOB_OUT_OF_MEMORY', false],
    [job('BOOT_FAIL'), 'JOB_BOOT_FAIL', true],
    [job('DEADLINE'), 'JOB_DEADLINE', false],
    [job('REVOKED'), 'JOB_REVOKED', false],
    [job('CANCELLED', 'None', { signal: 15 }), 'JOB_CANCELLED', false],
    [job('CANCELLED', 'DependencyNeverSatisfied'), 'JOB_DEPENDENCY', false],
    [job('FAILED', 'JobLaunchFailure', { signal: 53 }), 'JOB_LAUNCH', true],
    [job('FAILED', 'JobLaunchFailure', { signal: 9 }), 'JOB_KILLED', true],
    [job('FAILED', 'BadConstraints', { signal: 1 }), 'JOB_IMPOSSIBLE', false],
    [job('FAILED', 'NonZeroExitCode', { exitCode: 127 }), 'JOB_NO_RESULT', true],
    [job('COMPLETED'), 'JOB_NO_RESULT', true],
    [undefined, 'JOB_FORGOTTEN', true],
  ];
  for (const [end, code, transient] of ends) {
    const loss = lossOf('7', end);
    assert.is(loss.code, code, JSON.stringify(end));
    assert.is(loss.transient, transient, code);
    assert.ok(loss.message.startsWith('job 7'), loss.message);
    assert.ok(loss.next.length > 10);
  }
  assert.is(
    lossOf('7', job('TIMEOUT', 'TimeLimit', { signal: 15 })).message,
    'job 7 on n2 ran into the time limit that Slurm has for it (TIMEOUT TimeLimit signal 15)',
  );
});

test('a job that would wait for ever is told from one that waits its turn', () => {
  const codes = (reason: string) => stuckOf(job('PENDING', reason, { nodes: '' }))?.code;
  assert.is(codes('DependencyNeverSatisfied'), 'JOB_DEPENDENCY');
  assert.is(codes('PartitionConfig'), 'JOB_IMPOSSIBLE');
  assert.is(codes('PartitionNodeLimit'), 'JOB_IMPOSSIBLE');
  assert.is(codes('InvalidQOS'), 'JOB_NOT_ALLOWED');
  assert.is(codes('JobHeldUser'), 'JOB_HELD');
  for (const reason of [
    'None',
    'Priority',
    'Resources',
    'Dependency',
    'JobArrayTaskLimit',
    'ReqNodeNotAvail',
    'BeginTime',
  ]) {
    assert.is(codes(reason), undefined, reason);
  }
});

test.run();
