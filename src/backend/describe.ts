// What a Slurm backend would submit, and where, in words for people. Pure.
import type { LoopConfig } from '../config/loop-config.ts';
import { groupBy } from '../io/group-by.ts';
import type { Configuration } from '../stage/configuration.ts';
import { counted } from '../triage/words.ts';
import { placeOf } from './jobs.ts';

/** Where jobs of a spec go, and by how many `workers` of a pool: `partition main, --mem=4G, at most 2 workers`. */
export function placeText({ backend, slurm }: LoopConfig, spec: string, workers: number): string {
  const { partition, options } = placeOf(slurm, spec);
  const where = partition === undefined ? 'the default partition' : `partition ${partition}`;
  const most = Math.min(slurm.specs[spec]?.workers ?? workers, workers);
  const whom = backend === 'slurm-pool' ? [`at most ${counted(most, 'worker')}`] : [];
  return [where, ...options, ...whom].join(', ');
}

/** What would be submitted for these steps to do, a line for each spec; empty for a backend that submits nothing. */
export function submissionText(
  { map, loop }: Configuration,
  stagesToDo: readonly string[],
  { most, workers }: { most: number; workers: number },
): string[] {
  if (!loop.backend.startsWith('slurm-') || stagesToDo.length === 0) return [];
  const bySpec = groupBy(stagesToDo, (stage) => map.stages[stage]?.spec ?? 'default');
  const isPool = loop.backend === 'slurm-pool';
  const lines = [...bySpec].map(([spec, stages]) => {
    const names = [...groupBy(stages, (stage) => stage)].map(([stage, { length: cells }]) =>
      cells > 1 ? `${stage} (${isPool ? '' : 'an array of '}${cells})` : stage,
    );
    const what = counted(stages.length, isPool ? 'task' : 'job');
    return `${loop.backend}, spec ${spec} (${placeText(loop, spec, workers)}): ${what}: ${names.join(', ')}`;
  });
  const jobs = isPool ? Math.min(workers, stagesToDo.length) : stagesToDo.length;
  return jobs > most ? [...lines, `more than ${most} jobs: a run needs --yes`] : lines;
}
