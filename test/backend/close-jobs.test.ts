// What becomes of attempts that a closed run left with Slurm. Slurm's answers are programs here.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { closeJobs } from '../../src/backend/close-jobs.ts';
import { beginTask, hasBegun, type Result, withdrawTask, writeJob, writeResult } from '../../src/backend/task-file.ts';
import type { LoopEvent, NewEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import type { Loss, Task } from '../../src/stage/backend.ts';
import { folder } from '../io/temporary.ts';

const STEPS = ['green', 'failed', 'starved', 'silent', 'died', 'moved', 'waits'];
const attemptEnded = (step: string): NewEvent => ({
  ...{ type: 'attempt.ended', stage: step, step, attempt: 2, data: { outcome: 'failed' } },
});
const loss: Loss = { code: 'JOB_OUT_OF_MEMORY', message: 'too little', next: 'more', transient: true, began: true };

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
  writeFileSync(join(bin, 'squeue'), '#!/bin/sh\n', { mode: 0o755 });
  const begin = (step: string, result?: Result) => {
    beginTask(file, STEPS.indexOf(step), {});
    if (result) writeResult(file, STEPS.indexOf(step), result);
  };
  const ports = { layout, clock: systemClock, env: { PATH: bin } };
  return { file, begin, end: () => closeJobs('r', events, ports) };
}

test('a run that is closed takes in what its attempts left: ends, losses, and that the rest will not be made', async () => {
  const { begin, end, file } = closedRun();
  begin('green', { outcome: { kind: 'done', result: { head: 'c' } }, events: [attemptEnded('green')] });
  begin('failed', { outcome: { kind: 'failed', message: 'exit code 1' }, events: [attemptEnded('failed')] });
  begin('starved', { lost: loss, events: [attemptEnded('starved')] });
  begin('silent');
  begin('died', { thrown: { message: 'a bug' } });
  begin('moved', { returned: 'the worktree is elsewhere' });
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
    lost('silent', 'RUN_CLOSED', 'its run is over'),
    lost('died', 'RUN_CLOSED', 'its run is over'),
    withdrawn('moved'),
    withdrawn('waits'),
  ]);
  assert.equal(
    ['silent', 'waits'].map((step) => hasBegun(file, STEPS.indexOf(step))),
    [true, false],
  );
  assert.equal(await end(), recorded, 'the same again, where the first start could not end the jobs');
});

test('a task is begun or withdrawn, whichever comes first', () => {
  const { file } = closedRun();
  assert.equal([beginTask(file, 0, {}), withdrawTask(file, 0), hasBegun(file, 0)], [true, false, true]);
  assert.equal([withdrawTask(file, 1), withdrawTask(file, 1), beginTask(file, 1, {})], [true, true, false]);
  assert.is(hasBegun(file, 1), false);
});

test.run();
