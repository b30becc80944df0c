// How the loop starts itself on another machine: `--attempt <job file> <which of its tasks> <sign ms>`, `--probe <folder>`, and
// a worker of the pool as `--worker <folder> <spec> <batch> <idle ms> <sign ms>`.
import { makeAttempt } from '../backend/make-attempt.ts';
import { readEntry, readWorkerArgv } from '../backend/pool-entry.ts';
import { answerProbe } from '../backend/probe.ts';
import { ARRAY } from '../backend/task-file.ts';
import { EXIT, failUsage, MendError } from '../errors.ts';
import { workerId } from '../slurm/crew.ts';
import { runWorker } from '../slurm/worker.ts';
import { withPorts } from './ports.ts';

/** Resolves to the exit code: 0 exactly when the attempt is green. Throws MendError when there is none to make. */
function attempt([file = '', index = '', signMs = '0']: readonly string[]): Promise<number> {
  // All tasks of a job array share one command; Slurm tells each its index.
  const which = index === ARRAY ? (process.env.SLURM_ARRAY_TASK_ID ?? '') : index;
  if (!/^\d+$/.test(which)) failUsage('--attempt is for mendloop itself, on another machine', 'mendloop --help');
  return withPorts([], (ports) => makeAttempt(file, Number(which), ports, Number(signMs)));
}

/** Says that this machine sees home. Throws MendError when it does not. */
async function probe([folder = '']: readonly string[]): Promise<number> {
  await answerProbe(folder);
  return EXIT.ok;
}

/** Resolves to 0 when there was nothing left to do, or when it was told to go. Throws MendError. */
function worker(words: readonly string[]): Promise<number> {
  const settings = readWorkerArgv(words);
  const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: index } = process.env;
  if (!settings || !array || !index) {
    return failUsage('--worker is for mendloop itself, as a job of Slurm', 'mendloop --help');
  }
  return withPorts([], async (ports) => {
    await runWorker({
      ...settings,
      spec: settings.batch.spec,
      id: workerId(`${array}_${index}`, settings.batch.name),
      clock: ports.clock,
      signal: ports.signal,
      specOf: (text) => readEntry(text)?.spec,
      warn: (error) => console.error(String(error)),
      async make(text, signal) {
        const { file, index: at } = readEntry(text) as { file: string; index: number };
        return makeAttempt(file, at, { ...ports, signal }).then(
          () => true,
          (error) => {
            if (error instanceof MendError && error.code === 'E_TASK_BEGUN') return false;
            throw error;
          },
        );
      },
    });
    return EXIT.ok;
  });
}

/** What each of these words does with the words behind it. */
export const STARTS = { '--attempt': attempt, '--probe': probe, '--worker': worker };
