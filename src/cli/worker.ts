// How the loop starts a worker of the pool on another machine: `--worker <folder> <spec> <batch> <idle ms> <sign ms>`.
import { makeAttempt } from '../backend/make-attempt.ts';
import { readEntry, readWorkerArgv } from '../backend/pool-entry.ts';
import { EXIT, failUsage, MendError } from '../errors.ts';
import { workerId } from '../slurm/crew.ts';
import { runWorker } from '../slurm/worker.ts';
import { withPorts } from './ports.ts';

/** Resolves to 0 when there was nothing left to do, or when it was told to go. Throws MendError. */
export function worker(words: readonly string[]): Promise<number> {
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
