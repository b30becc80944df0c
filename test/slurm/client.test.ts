import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MendError } from '../../src/errors.ts';
import { createSlurm, isUnreachable } from '../../src/slurm/client.ts';
import { type Job, type JobRequest, phaseOf } from '../../src/slurm/job.ts';
import { lossOf, stuckOf } from '../../src/slurm/loss.ts';
import { folder } from '../environment.ts';
import type { Test } from '../needs.ts';
import { cases } from '../sweep.ts';
import { eventually, onSlurm, startCluster } from './cluster.ts';

/** In `npm test` a run of each backend asks it all it is asked. */
const atLength = cases<Test>(() => {}, onSlurm);

const request = (cwd: string, script: string, more: Partial<JobRequest> = {}): JobRequest => ({
  ...{ name: 'mendloop-test', comment: `mendloop test ${script}`, cwd, output: join(cwd, '%j.out') },
  ...{ command: ['sh', '-c', script], place: { options: [] }, ...more },
});

async function refusal(call: Promise<unknown>): Promise<MendError> {
  const error = await call.then(
    () => new Error('it was taken'),
    (error: unknown) => error,
  );
  if (error instanceof MendError) return error;
  throw error;
}

test('without its programs there is one clear error', async () => {
  const error = await refusal(createSlurm({ PATH: '/nowhere' }).jobs());
  assert.is(error.code, 'E_SLURM_MISSING');
  assert.is(error.message, "there is no squeue here, and a Slurm backend needs Slurm's programs");
});

/** What a call says when a program of Slurm prints `words` and fails. */
async function refusalFor(program: 'squeue' | 'sbatch', words: string): Promise<MendError> {
  const bin = folder();
  writeFileSync(join(bin, 'words'), words);
  writeFileSync(join(bin, program), `#!/bin/sh\n/bin/cat ${bin}/words >&2\nexit 1\n`, { mode: 0o755 });
  const slurm = createSlurm({ PATH: bin });
  return refusal(program === 'sbatch' ? slurm.submit(request(bin, 'true')) : slurm.jobs());
}

test('what Slurm says while its controller comes and goes may pass; a wrong question or request does not', async () => {
  for (const words of [
    'slurm_load_jobs error: Unable to contact slurm controller (connect failure)',
    'slurm_msg_sendto: address:port=127.0.0.1:1 msg_type=2003: Unexpected missing socket error\nslurm_load_jobs error: Resource temporarily unavailable',
    'slurm_load_jobs error: Unspecified error',
    'slurm_load_jobs error: words that nobody has thought of',
  ])
    assert.is((await refusalFor('squeue', words)).code, 'E_SLURM_UNREACHABLE', words);
  const restarting =
    'sbatch: error: words of a plugin\nsbatch: error: Batch job submission failed: Socket timed out on send/recv operation';
  assert.is((await refusalFor('sbatch', restarting)).code, 'E_SLURM_UNREACHABLE');
  assert.is((await refusalFor('squeue', "unrecognized option '--me'")).code, 'E_SLURM_REFUSED');
  for (const words of [
    'Batch job submission failed: Invalid partition name specified',
    'Batch job submission failed: words of a site',
    'sbatch: error: Please add --account=<name> to your options and try again\nsbatch: error: Batch job submission failed: Unspecified error',
    'sbatch: error: connection refused by our rules: ask for an account\nsbatch: error: Batch job submission failed: Unspecified error',
    'sbatch: error: Please add --account=<name> to your options and try again',
    'sbatch: error: invalid partition specified: munge-connection\nallocation failure: Requested node configuration is not available',
  ])
    assert.is((await refusalFor('sbatch', words)).code, 'E_SLURM_REFUSED', words);
});

test('a program that does not get through says where to look: at the controller, at munge, or for slurm.conf', async () => {
  const controller = 'see whether its controller is up: scontrol ping\nthen start again: mendloop';
  const munge = "see that munged runs here and has the cluster's key: munge -n | unmunge\nthen start again: mendloop";
  const setUp = 'name the slurm.conf of your cluster with SLURM_CONF, or start on a machine that submits jobs';
  // As Slurm 22.05 said them.
  const cases: [string, string][] = [
    ['allocation failure: Unable to contact slurm controller (connect failure)', controller],
    ['Batch job submission failed: Unexpected missing socket error', controller],
    ['allocation failure: Zero Bytes were transmitted or received', controller],
    ['allocation failure: Socket timed out on send/recv operation', controller],
    ['sbatch: error: Slurm backup controller in standby mode', controller],
    ['sbatch: error: If munged is up, restart with --num-threads=10', munge],
    ['Batch job submission failed: Invalid authentication credential', munge],
    [
      'sbatch: error: fetch_config: DNS SRV lookup failed\nsbatch: fatal: Could not establish a configuration source',
      setUp,
    ],
    ['sbatch: error: Parse error in file /x line 1: "A"\nsbatch: fatal: Unable to process configuration file', setUp],
    ['sbatch: error: Unable to establish control machine address\nallocation failure: No error', setUp],
  ];
  for (const [words, next] of cases) {
    const error = await refusalFor('sbatch', words);
    assert.equal([error.code, error.next], ['E_SLURM_UNREACHABLE', next], words);
  }
  const again = [1, 2, 3].map((tries) => `sbatch: error: getaddrinfo() failed: No error, attempt number ${tries}`);
  const once = await refusalFor(
    'sbatch',
    [...again, 'sbatch: error: slurm_set_addr: Unable to resolve "c1"'].join('\n'),
  );
  assert.is(
    once.message,
    'Slurm cannot be reached: sbatch: getaddrinfo() failed: No error; slurm_set_addr: Unable to resolve "c1"',
  );
});

atLength('on a real Slurm: how jobs end, wait and are refused', async () => {
  const { env, slurm: run } = startCluster({ nodes: 2 });
  const slurm = createSlurm(env);
  const cwd = mkdtempSync(join(folder(), 'jobs-'));
  const submit = (script: string, more: Partial<JobRequest> = {}) => slurm.submit(request(cwd, script, more));

  const done = await submit(`echo "it's done"`);
  const failed = await submit('exit 3');
  const launch = await submit('true', { output: join(cwd, 'missing/%j.out') });
  const runs = await submit('sleep 60');
  const array = await submit('echo $SLURM_ARRAY_TASK_ID; sleep 60', { array: 3 });
  const child = await submit('true', { after: [failed] });
  const grandchild = await submit('true', { after: [child] });
  const impossible = await submit('true', { place: { options: ['-N', '5'] } });
  const jobs = async () => new Map((await slurm.jobs()).map((job) => [job.id, job]));
  await eventually('all have come as far as they can', async () => {
    const now = await jobs();
    const ended = [done, failed, launch, child, grandchild].map((id) => now.get(id));
    const started = [runs, `${array}_0`, `${array}_1`, `${array}_2`].map((id) => now.get(id)?.state);
    const reason = now.get(impossible)?.reason;
    return (
      ended.every((job) => job && phaseOf(job) === 'ended') &&
      started.every((s) => s === 'RUNNING') &&
      reason !== 'None'
    );
  });
  const now = await jobs();
  const lost = (id: string) => lossOf(id, now.get(id)).code;
  assert.is(readFileSync(join(cwd, `${done}.out`), 'utf8'), "it's done\n");
  assert.equal([now.get(done)?.state, now.get(failed)?.exitCode], ['COMPLETED', 3]);
  assert.is(now.get(done)?.comment, `mendloop test echo "it's done"`);
  assert.equal([failed, launch, child, grandchild, '99999'].map(lost), [
    'JOB_NO_RESULT',
    'JOB_LAUNCH',
    'JOB_DEPENDENCY',
    'JOB_DEPENDENCY',
    'JOB_FORGOTTEN',
  ]);
  const waiting = now.get(impossible);
  assert.is(waiting && stuckOf(waiting)?.code, 'JOB_IMPOSSIBLE');

  const isMeant = ({ id }: Job) => [runs, `${array}_2`, impossible, done].includes(id);
  const cancelled = (await slurm.cancel(isMeant)).map(({ id }) => id);
  assert.equal(
    cancelled.toSorted(),
    [runs, `${array}_2`, impossible].toSorted(),
    'one of an array, and nothing that ended',
  );
  assert.is((await jobs()).get(`${array}_0`)?.state, 'RUNNING');
  await slurm.cancel(({ id }) => id.startsWith(`${array}_`));
  await eventually('what was cancelled has ended', async () => {
    const after = await jobs();
    return cancelled.every((id) => after.get(id)?.state === 'CANCELLED');
  });
  assert.is(lossOf(runs, (await jobs()).get(runs)).code, 'JOB_CANCELLED');

  await slurm.rehearse(request(cwd, 'true', { after: [failed], array: 2 }));
  for (const options of [['-N', '5'], ['-p', 'nope'], ['--bogus']]) {
    const error = await refusal(slurm.rehearse(request(cwd, 'true', { place: { options } })));
    assert.is(error.code, 'E_SLURM_REFUSED', options.join(' '));
  }
  const refused = await refusal(submit('true', { place: { partition: 'nope', options: [] } }));
  assert.is(
    refused.message,
    'Slurm refused: sbatch: invalid partition specified: nope; Batch job submission failed: Invalid partition name specified',
  );
  const { maxArraySize, startedAt } = await slurm.config();
  assert.is(maxArraySize, 1001);
  assert.match(startedAt, /^\d{4}-/);
  const inside = createSlurm({ ...env, SQUEUE_FORMAT: '%i', SBATCH_PARTITION: 'nope', SLURM_JOB_ID: '1' });
  assert.is((await inside.jobs()).length, now.size, 'variables of Slurm change nothing');
  assert.is(run('squeue', '-h'), '', 'nothing was left behind');
});

atLength('a controller that does not answer is an error that may pass, within its limit', async () => {
  const cluster = startCluster({ nodes: 1 });
  const cwd = folder();
  const isUp = () => createSlurm(cluster.env).isUp();
  assert.is(await isUp(), true);
  cluster.control('kill', 'ctld');
  const asked = Date.now();
  assert.is(await isUp(), false);
  assert.ok(Date.now() - asked < 5000, 'at once');
  const hasty = await refusal(createSlurm(cluster.env, 500).jobs());
  assert.is(hasty.message, 'Slurm cannot be reached: squeue: no answer in 0.5 s');
  assert.ok(isUnreachable(hasty) && !isUnreachable(new Error('x')));
  // Its programs are silent for nine seconds before they say so themselves.
  const patient = await refusal(createSlurm(cluster.env).submit(request(cwd, 'true')));
  assert.match(patient.message, /^Slurm cannot be reached: sbatch: .*Unable to contact slurm controller/);
  cluster.control('start');
  assert.match(await createSlurm(cluster.env).submit(request(cwd, 'true')), /^\d+$/);
});

test.run();
