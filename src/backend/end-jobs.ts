// What a run that is over left with a scheduler: its results are taken in, the rest is cancelled and seen gone, before anybody
// writes the tree that it works in.
import { fail } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { createSlurm, type Slurm } from '../slurm/client.ts';
import { phaseOf } from '../slurm/job.ts';
import { openJobs, readComment } from './jobs.ts';
import { markBegun, openTasks, readResult } from './task-file.ts';

interface Ports {
  readonly layout: Layout;
  readonly clock: Clock;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** How long Slurm may take to end a job: its KillWait is 30 s by default. */
const LIMIT_MS = 60_000;
const POLL_MS = 500;

/**
 * Ends what `run` left, and returns what its attempts had recorded by then. Throws MendError when Slurm cannot be reached, and
 * E_JOBS_LEFT when some of it may still run.
 */
export async function endJobs(run: string, events: readonly LoopEvent[], ports: Ports): Promise<NewEvent[]> {
  if (openJobs(events).jobs.length === 0) return [];
  const { layout, clock } = ports;
  const tasks = openTasks(layout, run, events);
  // What has not begun never will.
  for (const { file, index } of tasks) markBegun(file, index, {});
  await cancelJobs(createSlurm(ports.env ?? process.env), layout.home, (of) => of === run, clock);
  return tasks.flatMap(({ file, index, task }): NewEvent[] => {
    const result = readResult(file, index, task);
    if (result === undefined || result === 'broken' || !('outcome' in result)) return [];
    const { outcome, events: told } = result;
    if (outcome.kind !== 'done') return [...told];
    const { stage, step } = task;
    return [...told, { type: 'step.done', stage, step, status: 'green', data: outcome.result ?? {} }];
  });
}

/** Cancels the jobs of this home whose run `isMeant`, and sees them gone. Throws as `endJobs`. */
export async function cancelJobs(slurm: Slurm, home: string, isMeant: (run: string) => boolean, clock: Clock) {
  const alive = async () =>
    (await slurm.jobs()).filter((job) => {
      const of = readComment(job.comment, home);
      return of !== undefined && isMeant(of.run) && phaseOf(job) !== 'ended';
    });
  const jobs = await alive();
  if (jobs.length === 0) return;
  await slurm.cancel(jobs.map(({ id }) => id));
  for (const until = clock.monotonic() + LIMIT_MS; ; await clock.sleep(POLL_MS)) {
    const left = await alive();
    if (left.length === 0) return;
    if (clock.monotonic() > until) fail('E_JOBS_LEFT', { jobs: left.map(({ id }) => id).join(' ') });
  }
}
