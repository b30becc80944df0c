// How the loop starts itself on another machine: `--attempt <job file> <which of its tasks> <sign ms>`, `--probe <folder>`, and
// a worker of the pool as `--worker <folder> <spec> <batch> <idle ms> <sign ms> <version>`.
import { makeAttempt, makeOfArray } from '../backend/make-attempt.ts';
import { readWorkerArgv, workerId } from '../backend/pool-entry.ts';
import { answerProbe } from '../backend/probe.ts';
import { slurmJobOf } from '../backend/task-file.ts';
import { runWorker } from '../backend/worker.ts';
import { EXIT, failUsage } from '../errors.ts';
import { withPorts } from './ports.ts';

/** Resolves to the exit code: 0 exactly when the attempt is green. Throws MendError when there is none to make. */
function attempt([file = '', index = '', signMs = '0']: readonly string[]): Promise<number> {
  // All tasks of a job array share one command; Slurm tells each its index.
  const which = index === 'array' ? (process.env.SLURM_ARRAY_TASK_ID ?? '') : index;
  if (!/^\d+$/.test(which)) failUsage('--attempt is for mendloop itself, on another machine', 'mendloop --help');
  const make = index === 'array' ? makeOfArray : makeAttempt;
  return withPorts([], (ports) => make(file, Number(which), ports, Number(signMs)));
}

/** Says that this machine sees home. Throws MendError when it does not. */
async function probe([folder = '']: readonly string[]): Promise<number> {
  await answerProbe(folder);
  return EXIT.ok;
}

/** Resolves to 0 when there was nothing left to do, or when it was told to go. Throws MendError. */
function worker(words: readonly string[]): Promise<number> {
  const settings = readWorkerArgv(words);
  const job = slurmJobOf(process.env);
  if (!settings || !job) return failUsage('--worker is for mendloop itself, as a job of Slurm', 'mendloop --help');
  return withPorts([], async (ports) => {
    await runWorker(settings, workerId(job, settings.batch.name), ports);
    return EXIT.ok;
  });
}

/** What each of these words does with the words behind it. */
export const STARTS = { '--attempt': attempt, '--probe': probe, '--worker': worker };
