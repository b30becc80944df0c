// How the loop starts itself on another machine: `--attempt <job file> <which of its tasks>`, `--probe <folder>`.
import { makeAttempt } from '../backend/make-attempt.ts';
import { answerProbe } from '../backend/probe.ts';
import { ARRAY } from '../backend/task-file.ts';
import { EXIT, failUsage } from '../errors.ts';
import { withPorts } from './ports.ts';

/** Resolves to the exit code: 0 exactly when the attempt is green. Throws MendError when there is none to make. */
export function attempt([file = '', index = '']: readonly string[]): Promise<number> {
  // All tasks of a job array share one command; Slurm tells each its index.
  const which = index === ARRAY ? (process.env.SLURM_ARRAY_TASK_ID ?? '') : index;
  if (!/^\d+$/.test(which)) failUsage('--attempt is for mendloop itself, on another machine', 'mendloop --help');
  return withPorts([], (ports) => makeAttempt(file, Number(which), ports));
}

/** Says that this machine sees home. Throws MendError when it does not. */
export async function probe([folder = '']: readonly string[]): Promise<number> {
  await answerProbe(folder);
  return EXIT.ok;
}
