// Workers of a pool by what Slurm answers; the folder is real, Slurm's answers are written here.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openQueueFolder } from '../../src/io/queue-folder.ts';
import type { Slurm } from '../../src/slurm/client.ts';
import { openCrew, workerId } from '../../src/slurm/crew.ts';
import type { Job, JobRequest } from '../../src/slurm/job.ts';
import { folder } from '../environment.ts';

/** A crew of one worker, and a Slurm that gives every job the number 7. */
function openLab() {
  const at = folder();
  const queue = openQueueFolder(join(at, 'pool'));
  const submitted: JobRequest[] = [];
  const cancelled: string[] = [];
  let jobs: Job[] = [];
  const slurm = {
    async submit(request: JobRequest) {
      submitted.push(request);
      return '7';
    },
    jobs: async () => jobs,
    async cancel(isMeant: (job: Job) => boolean) {
      const meant = jobs.filter(isMeant);
      cancelled.push(...meant.map(({ comment }) => comment));
      return meant;
    },
  } as Partial<Slurm> as Slurm;
  const crew = openCrew(queue, {
    ...{ slurm, limits: { graceMs: 100, staleMs: 1000 }, total: 1, cap: () => 1 },
    comment: ({ spec, name }) => `${spec} ${name}`,
    readComment(comment) {
      const [spec, name] = comment.split(' ');
      return spec && name ? { spec, name } : undefined;
    },
    worker: () => ({ name: 'worker', command: [], cwd: at, output: '', place: { options: [] } }),
  });
  const running = (comment: string): Job => ({
    ...{ id: '7_0', state: 'RUNNING', reason: 'None', exitCode: 0, signal: 0, nodes: 'n1', comment },
  });
  const answer = (...comments: string[]) => {
    jobs = comments.map(running);
  };
  return { crew, queue, submitted, cancelled, answer };
}

test('a worker that Slurm forgot is lost, also where Slurm gave its number to the next worker, which goes on', async () => {
  const { crew, queue, submitted, cancelled, answer } = openLab();
  const tasks = new Map([['default', 1]]);
  const commentAt = (at: number) => submitted[at]?.comment as string;
  const idOf = (comment: string) => workerId('7_0', comment.split(' ')[1] as string);
  await crew.start(tasks, 0);
  answer(commentAt(0));
  await crew.ask(1);
  queue.join(idOf(commentAt(0)));
  queue.sign(idOf(commentAt(0)), 'first sign');
  crew.readSigns(2);

  answer();
  await crew.ask(50);
  assert.equal(crew.judge(60).gone, [], 'it may live as long as it shows signs');
  await crew.start(tasks, 60);
  assert.is(submitted.length, 2);
  answer(commentAt(1));
  await crew.ask(150);
  queue.sign(idOf(commentAt(1)), 'a sign of the second');
  crew.readSigns(151);
  const { gone } = crew.judge(200);
  assert.equal(
    gone.map(({ id, jobId, loss }) => [id, jobId, loss.code]),
    [[idOf(commentAt(0)), '7_0', 'JOB_FORGOTTEN']],
  );
  assert.equal(crew.live(), [idOf(commentAt(1))]);
  await crew.cancel([idOf(commentAt(0))]);
  assert.equal(cancelled, [], 'the number alone names nobody');
  await crew.cancel(crew.live());
  assert.equal(cancelled, [commentAt(1)]);
});

test('a worker that is to end is cancelled at every look until it is gone, for Slurm may forget that too', async () => {
  const { crew, submitted, cancelled, answer } = openLab();
  await crew.start(new Map([['default', 1]]), 0);
  const comment = submitted[0]?.comment as string;
  answer(comment);
  await crew.ask(1);
  for (const now of [200, 300]) {
    const { gone, useless } = crew.judge(now);
    assert.equal(gone, []);
    await crew.cancel(useless);
  }
  assert.equal(cancelled, [comment, comment]);
  answer();
  await crew.ask(400);
  assert.equal(
    crew.judge(400).gone.map(({ loss }) => loss.code),
    ['WORKER_SILENT'],
  );
});

test.run();
