// What a run that is over left with a scheduler: its results are taken in, the rest is cancelled and seen gone, before anybody
// writes the tree that it works in.
import { fail, MendError } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { createSlurm, type Slurm } from '../slurm/client.ts';
import { openJobs, readComment } from './jobs.ts';
import { markBegun, type OpenTask, openTasks, readResult } from './task-file.ts';

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
 * E_JOBS_LEFT or E_LEFTOVER when some of it may still run; with a person's `word` none of these.
 */
export async function endJobs(
  run: string,
  events: readonly LoopEvent[],
  ports: Ports,
  word = false,
): Promise<NewEvent[]> {
  const { jobs } = openJobs(events);
  if (jobs.length === 0) return [];
  const { layout, clock } = ports;
  const tasks = openTasks(layout, run, events);
  const resultOf = ({ file, index, task }: OpenTask) => readResult(file, index, task);
  // What has not begun never will.
  const begun = tasks.filter(({ file, index }) => !markBegun(file, index, {}));
  try {
    if (jobs.some(({ backend }) => backend.startsWith('slurm-')))
      await cancelJobs(createSlurm(ports.env ?? process.env), layout.home, (of) => of === run, clock);
    // Nobody can ask an owner's own backend what became of it.
    const unknown = begun.find((one) => !one.backend.startsWith('slurm-') && resultOf(one) === undefined);
    if (unknown) fail('E_LEFTOVER', { step: unknown.task.step, pid: 0, host: `the backend ${unknown.backend}` });
  } catch (error) {
    if (!word || !(error instanceof MendError)) throw error;
  }
  return tasks.flatMap((one): NewEvent[] => {
    const result = resultOf(one);
    const { stage, step } = one.task;
    const attemptEnd = typeof result === 'object' && 'outcome' in result ? result : undefined;
    if (!attemptEnd)
      return [{ type: 'job.withdrawn', data: { job: one.job, steps: [step], reason: 'its run is over' } }];
    if (attemptEnd.outcome.kind !== 'done') return [...attemptEnd.events];
    return [
      ...attemptEnd.events,
      { type: 'step.done', stage, step, status: 'green', data: attemptEnd.outcome.result ?? {} },
    ];
  });
}

/** Cancels the jobs of this home whose run `isMeant`, and sees them gone. Throws as `endJobs`. */
export async function cancelJobs(slurm: Slurm, home: string, isMeant: (run: string) => boolean, clock: Clock) {
  for (const until = clock.monotonic() + LIMIT_MS; ; await clock.sleep(POLL_MS)) {
    const left = await slurm.cancel(({ comment }) => {
      const of = readComment(comment, home);
      return of !== undefined && isMeant(of.run);
    });
    if (left.length === 0) return;
    if (clock.monotonic() > until) fail('E_JOBS_LEFT', { jobs: left.map(({ id }) => id).join(' ') });
  }
}
