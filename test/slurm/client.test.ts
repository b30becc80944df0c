import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MendError } from '../../src/errors.ts';
import { createSlurm, isUnreachable } from '../../src/slurm/client.ts';
import { type Job, type JobRequest, phaseOf } from '../../src/slurm/job.ts';
import { lossOf, stuckOf } from '../../src/slurm/loss.ts';
import { folder } from '../io/temporary.ts';
import { cases } from '../sweep.ts';
import { eventually, noSlurm, startCluster } from './cluster.ts';

/** In `npm test` a run of each backend asks it all it is asked. */
const atLength = cases<typeof test.skip>(() => {}, noSlurm ? test.skip : test);

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

test('what Slurm says while its controller comes and goes may pass; a wrong question or request does not', async () => {
  const bin = folder();
  const codeFor = async (program: string, words: string) => {
    for (const name of ['squeue', 'sbatch']) {
      const script = name === program ? `#!/bin/sh\necho "${words}" >&2\nexit 1\n` : '#!/bin/sh\n';
      writeFileSync(join(bin, name), script, { mode: 0o755 });
    }
    const slurm = createSlurm({ PATH: bin });
    return (await refusal(program === 'sbatch' ? slurm.submit(request(bin, 'true')) : slurm.jobs())).code;
  };
  for (const words of [
    'slurm_load_jobs error: Unable to contact slurm controller (connect failure)',
    'slurm_msg_sendto: address:port=127.0.0.1:1 msg_type=2003: Unexpected missing socket error\nslurm_load_jobs error: Resource temporarily unavailable',
    'slurm_load_jobs error: Unspecified error',
    'slurm_load_jobs error: words that nobody has thought of',
  ])
    assert.is(await codeFor('squeue', words), 'E_SLURM_UNREACHABLE', words);
  assert.is(await codeFor('squeue', "unrecognized option '--me'"), 'E_SLURM_REFUSED');
  assert.is(
    await codeFor('sbatch', 'Batch job submission failed: Unexpected missing socket error'),
    'E_SLURM_UNREACHABLE',
  );
  assert.is(
    await codeFor('sbatch', 'Batch job submission failed: Invalid partition name specified'),
    'E_SLURM_REFUSED',
  );
  assert.is(await codeFor('sbatch', 'Batch job submission failed: words of a site'), 'E_SLURM_REFUSED');
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
  const array = await submit('echo $SLURM_ARRAY_TASK_ID; sleep 60', { array: [0, 1, 4] });
  const child = await submit('true', { after: [failed] });
  const grandchild = await submit('true', { after: [child] });
  const impossible = await submit('true', { place: { options: ['-N', '5'] } });
  const jobs = async () => new Map((await slurm.jobs()).map((job) => [job.id, job]));
  await eventually('all have come as far as they can', async () => {
    const now = await jobs();
    const ended = [done, failed, launch, child, grandchild].map((id) => now.get(id));
    const started = [runs, `${array}_0`, `${array}_1`, `${array}_4`].map((id) => now.get(id)?.state);
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

  const isMeant = ({ id }: Job) => [runs, `${array}_4`, impossible, done].includes(id);
  const cancelled = (await slurm.cancel(isMeant)).map(({ id }) => id);
  assert.equal(
    cancelled.toSorted(),
    [runs, `${array}_4`, impossible].toSorted(),
    'one of an array, and nothing that ended',
  );
  assert.is((await jobs()).get(`${array}_0`)?.state, 'RUNNING');
  await slurm.cancel(({ id }) => id.startsWith(`${array}_`));
  await eventually('what was cancelled has ended', async () => {
    const after = await jobs();
    return cancelled.every((id) => after.get(id)?.state === 'CANCELLED');
  });
  assert.is(lossOf(runs, (await jobs()).get(runs)).code, 'JOB_CANCELLED');

  await slurm.rehearse(request(cwd, 'true', { after: [failed], array: [0, 1] }));
  for (const options of [['-N', '5'], ['-p', 'nope'], ['--bogus']]) {
    const error = await refusal(slurm.rehearse(request(cwd, 'true', { place: { options } })));
    assert.is(error.code, 'E_SLURM_REFUSED', options.join(' '));
  }
  const refused = await refusal(submit('true', { place: { partition: 'nope', options: [] } }));
  assert.is(
    refused.message,
    'Slurm refused: sbatch: invalid partition specified: nope; Batch job submission failed: Invalid partition name specified',
  );
  assert.is(await slurm.maxArraySize(), 1001);
  const inside = createSlurm({ ...env, SQUEUE_FORMAT: '%i', SBATCH_PARTITION: 'nope', SLURM_JOB_ID: '1' });
  assert.is((await inside.jobs()).length, now.size, 'variables of Slurm change nothing');
  assert.is(run('squeue', '-h'), '', 'nothing was left behind');
});

atLength('a controller that does not answer is an error that may pass, within its limit', async () => {
  const cluster = startCluster({ nodes: 1 });
  const cwd = folder();
  cluster.control('kill', 'ctld');
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
