// What becomes of attempts that a closed run left with Slurm. Slurm's answers are programs here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeJobs } from '../../src/backend/close-jobs.ts';
import { jobComment } from '../../src/backend/jobs.ts';
import { beginTask, hasBegun, type Result, withdrawTask, writeJob, writeResult } from '../../src/backend/task-file.ts';
import { formatError } from '../../src/errors.ts';
import type { LoopEvent, NewEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import type { EndOf } from '../../src/plan/stage-end.ts';
import { Stop } from '../../src/plan/stop.ts';
import type { Task } from '../../src/stage/backend.ts';
import { folder } from '../environment.ts';

const STEPS = ['green', 'failed', 'starved', 'silent', 'died', 'moved', 'waits'];
const attemptEnded = (step: string): NewEvent => ({
  ...{ type: 'attempt.ended', stage: step, step, attempt: 2, data: { outcome: 'failed' } },
});
const loss = { code: 'JOB_OUT_OF_MEMORY', next: 'more', transient: true, began: true };
const starved: EndOf<'lost'> = { kind: 'lost', message: 'too little', loss };

/** A run with one job of all steps, and a Slurm that knows no job any more. */
function closedRun() {
  const layout = layoutOf(folder());
  const tasks = STEPS.map((step): Task => {
    const shared = { run: 'r', cell: {}, attempt: 2, commit: 'c', timeout_ms: 1, spec: 'default' };
    return { ...shared, stage: step, step };
  });
  const file = writeJob(layout, 'r', '1', tasks);
  const intended = { job: '1', backend: 'slurm-dag', tasks, commit: 'c', after: [] };
  const events = [{ type: 'job.intended', data: intended }] as unknown as LoopEvent[];
  const bin = folder();
  for (const program of ['squeue', 'scancel']) writeFileSync(join(bin, program), '#!/bin/sh\n', { mode: 0o755 });
  const begin = (step: string, result?: Result) => {
    beginTask(file, STEPS.indexOf(step));
    if (result) writeResult(file, STEPS.indexOf(step), result);
  };
  const ports = { layout, clock: systemClock, env: { PATH: bin } };
  const submitted = { type: 'job.submitted', data: { job: '1', id: '77' } } as unknown as LoopEvent;
  const end = (word = false, more: object = {}) => closeJobs('r', [...events, submitted], { ...ports, ...more }, word);
  const squeue = (script: string) => writeFileSync(join(bin, 'squeue'), `#!/bin/sh\n${script}\n`);
  return { file, begin, end, squeue, layout };
}

test('a run that is closed takes in what its attempts left: ends, losses, and that the rest will not be made', async () => {
  const { begin, end, file } = closedRun();
  begin('green', { end: { kind: 'green', result: { head: 'c' } }, events: [attemptEnded('green')] });
  begin('failed', { end: { kind: 'failed', message: 'exit code 1' }, events: [attemptEnded('failed')] });
  begin('starved', { end: starved, events: [attemptEnded('starved')] });
  begin('silent');
  begin('died', { thrown: { message: 'a bug' } });
  begin('moved', { end: { kind: 'unbegun', message: 'the worktree is elsewhere' } });
  const recorded = await end();
  const lost = (step: string, code: string, reason: string) => ({
    ...{ type: 'attempt.lost', stage: step, step, attempt: 2, data: { code, reason, began: true } },
  });
  const withdrawn = (step: string) => ({
    ...{ type: 'job.withdrawn', data: { job: '1', steps: [step], reason: 'its run is over' } },
  });
  assert.equal(recorded, [
    attemptEnded('green'),
    { type: 'step.done', stage: 'green', step: 'green', status: 'green', data: { head: 'c' } },
    attemptEnded('failed'),
    attemptEnded('starved'),
    lost('starved', 'JOB_OUT_OF_MEMORY', 'too little'),
    { type: 'attempt.ended', stage: 'silent', step: 'silent', attempt: 2, data: { outcome: 'interrupted' } },
    lost('died', 'RUN_CLOSED', 'its run is over: a bug'),
    withdrawn('moved'),
    withdrawn('waits'),
  ]);
  assert.equal(
    ['silent', 'waits'].map((step) => hasBegun(file, STEPS.indexOf(step))),
    [true, false],
  );
  assert.equal(await end(), recorded, 'the same again, where the first start could not end the jobs');
});

test("while Slurm cannot be asked nothing is closed but at a person's word, and then nobody says that it was ended", async () => {
  const { begin, end, squeue } = closedRun();
  begin('silent');
  squeue('echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1');
  assert.is(
    formatError(await end().catch((error) => error)),
    `error E_JOBS_LEFT: jobs of an earlier run may still run, and nothing may be changed under them: Slurm cannot be reached: squeue: slurm_load_jobs error: Unable to contact slurm controller (connect failure)
  next:  end them: scancel 77
         then, when Slurm answers: mendloop
         or, when you know that they are gone: mendloop abandon`,
  );
  const reasons = (await end(true)).flatMap(({ type, data }) => (type === 'attempt.lost' ? [data.reason] : []));
  assert.equal(reasons, ["its run is over at a person's word, and nobody saw it end"]);
  const missing = await end(false, { env: { PATH: '/nonexistent' } }).catch((error) => error);
  assert.equal([missing.code, missing.exit], ['E_JOBS_LEFT', 3]);
});

test('Ctrl-C while jobs of an earlier run are ended is an interruption, and no bug', async () => {
  const { begin, end, squeue, layout } = closedRun();
  begin('silent');
  squeue(`echo "77|RUNNING|None|0|node1|${jobComment(layout.home, 'r', '1', 'silent')}"`);
  const stop = new AbortController();
  const progress = () => stop.abort(new Stop('INTERRUPTED', 'interrupted by SIGINT'));
  const error = await end(false, { signal: stop.signal, progress }).catch((thrown) => thrown);
  assert.equal([error.code, error.exit], ['E_INTERRUPTED', 130]);
});

test('a task is begun or withdrawn, whichever comes first', () => {
  const { file } = closedRun();
  assert.equal([beginTask(file, 0), withdrawTask(file, 0), hasBegun(file, 0)], [true, false, true]);
  assert.equal([withdrawTask(file, 1), withdrawTask(file, 1), beginTask(file, 1)], [true, true, false]);
  assert.is(hasBegun(file, 1), false);
});

test.run();
