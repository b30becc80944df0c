// What a run that is over left with a scheduler: its results are taken in, the rest is cancelled and seen gone, before anybody
// writes the tree that it works in.
import { fail, MendError, mendError } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import type { Layout } from '../io/layout.ts';
import { stopReason } from '../plan/stop.ts';
import { createSlurm, type Slurm } from '../slurm/client.ts';
import type { Job } from '../slurm/job.ts';
import { type EndJobsPorts, endJobs } from '../slurm/watch.ts';
import { openJobs, readComment } from './jobs.ts';
import { endIn, type OpenTask, openTasks, readResult, withdrawTask } from './task-file.ts';

interface Ports extends EndJobsPorts {
  readonly layout: Layout;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** What is done before anything is run. Throws E_INTERRUPTED when the signal aborted, else what `work` throws. */
export async function interruptible<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return work().catch((error) => {
    const stop = signal && stopReason(signal);
    // The signal that stops us stops Slurm's programs too, and they report a failure of their own.
    throw stop ? mendError('E_INTERRUPTED', { why: stop.message }) : error;
  });
}

/**
 * Ends what `run` left, and returns what its attempts had recorded by then. Throws E_JOBS_LEFT or E_LEFTOVER when some of it may
 * still run, also because Slurm cannot be asked, unless a person gave their `word`; E_INTERRUPTED when the signal aborts.
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
  let end = ENDED;
  try {
    if (jobs.some(isSlurm)) {
      const slurm = createSlurm(ports.env ?? process.env);
      const cancel = () => cancelJobs(slurm, layout.home, (of) => of === run, ports);
      await interruptible(ports.signal, cancel).catch((error) => {
        if (!(error instanceof MendError) || !CANNOT_ASK.includes(error.code)) throw error;
        // The numbers of a pool's workers are not in the journal.
        const ids = jobs.filter(isSlurm).flatMap(({ id }) => id ?? []);
        fail('E_JOBS_LEFT', { jobs: ids, why: error.message });
      });
    }
    // A plugin's backend cannot be asked what became of a task.
    const unknown = begun.find((openTask) => !isSlurm(openTask) && resultOf(openTask) === undefined);
    if (unknown) fail('E_LEFTOVER', { step: unknown.task.step, pid: 0, host: `the backend ${unknown.backend}` });
  } catch (error) {
    if (!word || !(error instanceof MendError)) throw error;
    end = NOT_SEEN_TO_END;
  }
  return tasks.flatMap((openTask) => endEvents(openTask, resultOf(openTask), begun.includes(openTask), end));
}

const isSlurm = ({ backend }: { backend: string }): boolean => backend.startsWith('slurm-');
const CANNOT_ASK: readonly string[] = ['E_SLURM_UNREACHABLE', 'E_SLURM_MISSING'];

/** What is recorded of a task of a closed run. */
function endEvents(
  { job, task }: OpenTask,
  result: ReturnType<typeof readResult>,
  hasBegun: boolean,
  unseen: string,
): NewEvent[] {
  const { stage, step, attempt } = task;
  const end = endIn(result);
  const events = typeof result === 'object' && 'end' in result ? (result.events ?? []) : [];
  const withdrawn: NewEvent = { type: 'job.withdrawn', data: { job, steps: [step], reason: CLOSED } };
  if (end?.kind === 'green')
    return [...events, { type: 'step.done', stage, step, status: 'green', data: end.result ?? {} }];
  if (end && end.kind !== 'lost' && end.kind !== 'unbegun')
    return events.some(({ type }) => type === 'attempt.ended') ? [...events] : [...events, withdrawn];
  if (!hasBegun || end?.kind === 'unbegun') return [withdrawn];
  // It was ended here, and seen to end.
  if (result === undefined && unseen === ENDED)
    return [{ type: 'attempt.ended', stage, step, attempt, data: { outcome: 'interrupted' } }];
  const reason = typeof result === 'object' && 'thrown' in result ? `${CLOSED}: ${result.thrown.message}` : unseen;
  const data = end
    ? { code: end.loss.code, reason: end.message, began: end.loss.began }
    : { code: 'RUN_CLOSED', reason, began: true };
  return [...events, { type: 'attempt.lost', stage, step, attempt, data }];
}

const CLOSED = 'its run is over';
const ENDED = `${CLOSED}, and it was ended`;
const NOT_SEEN_TO_END = `${CLOSED} at a person's word, and nobody saw it end`;

/** Cancels the jobs of this home whose run `isMeant`, and sees them gone. Throws as `closeJobs`. */
export async function cancelJobs(slurm: Slurm, home: string, isMeant: (run: string) => boolean, ports: EndJobsPorts) {
  const isOurs = ({ comment }: Job) => {
    const of = readComment(comment, home);
    return of !== undefined && isMeant(of.run);
  };
  const alive = await endJobs(slurm, isOurs, ports);
  if (alive.length > 0) fail('E_JOBS_LEFT', { jobs: alive.map(({ id }) => id) });
}
