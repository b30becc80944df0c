// What a run that is over left with a scheduler: its results are taken in, the rest is cancelled and seen gone, before anybody
// writes the tree that it works in.
import { fail, MendError } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { createSlurm, type Slurm } from '../slurm/client.ts';
import { type EndJobsPorts, endJobs } from '../slurm/end-jobs.ts';
import type { Job } from '../slurm/job.ts';
import { openJobs, readComment } from './jobs.ts';
import { type OpenTask, openTasks, readResult, withdrawTask } from './task-file.ts';

interface Ports extends EndJobsPorts {
  readonly layout: Layout;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/**
 * Ends what `run` left, and returns what its attempts had recorded by then. Throws MendError when Slurm cannot be reached, and
 * E_JOBS_LEFT or E_LEFTOVER when some of it may still run; with a person's `word` none of these.
 */
export async function closeJobs(
  run: string,
  events: readonly LoopEvent[],
  ports: Ports,
  word = false,
): Promise<NewEvent[]> {
  const { jobs } = openJobs(events);
  if (jobs.length === 0) return [];
  const { layout } = ports;
  const tasks = openTasks(layout, run, events);
  const resultOf = ({ file, index, task }: OpenTask) => readResult(file, index, task);
  const begun = tasks.filter(({ file, index }) => !withdrawTask(file, index));
  try {
    if (jobs.some(({ backend }) => backend.startsWith('slurm-')))
      await cancelJobs(createSlurm(ports.env ?? process.env), layout.home, (of) => of === run, ports);
    // Nobody can ask an owner's own backend what became of it.
    const unknown = begun.find((one) => !one.backend.startsWith('slurm-') && resultOf(one) === undefined);
    if (unknown) fail('E_LEFTOVER', { step: unknown.task.step, pid: 0, host: `the backend ${unknown.backend}` });
  } catch (error) {
    if (!word || !(error instanceof MendError)) throw error;
  }
  return tasks.flatMap((one) => endEvents(one, resultOf(one), begun.includes(one)));
}

/** What is recorded of a task that nobody waits for any more. */
function endEvents({ job, task }: OpenTask, result: ReturnType<typeof readResult>, hasBegun: boolean): NewEvent[] {
  const { stage, step, attempt } = task;
  const left = typeof result === 'object' ? result : undefined;
  const events = left && 'events' in left ? (left.events ?? []) : [];
  const withdrawn: NewEvent = { type: 'job.withdrawn', data: { job, steps: [step], reason: CLOSED } };
  if (left && 'outcome' in left) {
    const { outcome } = left;
    if (outcome.kind === 'done')
      return [...events, { type: 'step.done', stage, step, status: 'green', data: outcome.result ?? {} }];
    return events.some(({ type }) => type === 'attempt.ended') ? [...events] : [...events, withdrawn];
  }
  if (!hasBegun || (left && 'returned' in left)) return [withdrawn];
  const loss = left && 'lost' in left ? left.lost : { code: 'RUN_CLOSED', message: CLOSED, began: true };
  const data = { code: loss.code, reason: loss.message, began: loss.began };
  return [...events, { type: 'attempt.lost', stage, step, attempt, data }];
}

const CLOSED = 'its run is over';

/** Cancels the jobs of this home whose run `isMeant`, and sees them gone. Throws as `closeJobs`. */
export async function cancelJobs(slurm: Slurm, home: string, isMeant: (run: string) => boolean, ports: EndJobsPorts) {
  const isOurs = ({ comment }: Job) => {
    const of = readComment(comment, home);
    return of !== undefined && isMeant(of.run);
  };
  const left = await endJobs(slurm, isOurs, ports);
  if (left.length > 0) fail('E_JOBS_LEFT', { jobs: left.map(({ id }) => id).join(' ') });
}
