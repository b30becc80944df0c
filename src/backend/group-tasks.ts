// Which tasks become one job array, and which numbers of Slurm stand for what a job waits for. Pure.
import { groupBy } from '../io/group-by.ts';
import { shortIds } from '../slurm/job.ts';
import type { TaskAhead } from '../stage/backend.ts';

/** Cells of one stage that wait for the same are one array, cut at `maxSize`; the order of the tasks stays, needs first. */
export function groupTasks(tasks: readonly TaskAhead[], maxSize: number): TaskAhead[][] {
  const key = ({ stage, spec, timeout_ms, commit, after }: TaskAhead) =>
    JSON.stringify([stage, spec, timeout_ms, commit, after]);
  return [...groupBy(tasks, key).values()].flatMap((group) => {
    const parts = Math.ceil(group.length / maxSize);
    return Array.from({ length: parts }, (_, i) => group.slice(i * maxSize, (i + 1) * maxSize));
  });
}

/** A job, or a task of an array, that another one waits for. */
export interface Parent {
  /** Slurm's number of the job or array. */
  readonly number: string;
  readonly index: number;
  /** How many tasks the job has; an array has two and more. */
  readonly size: number;
}

/** Slurm's id of a job or of one task of an array. */
export const slurmId = ({ number, index, size }: Parent): string => (size > 1 ? `${number}_${index}` : number);

/** What `afterok` names: an array by its number where every task of it is waited for. */
export function parentIds(parents: readonly Parent[]): string[] {
  const sizes = new Map(parents.map(({ number, size }) => [number, size]));
  return shortIds(parents.map(slurmId), (number) => sizes.get(number));
}
