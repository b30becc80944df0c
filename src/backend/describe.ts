// What a Slurm backend would submit, and where, in words for people. Pure.
import type { Configuration } from '../stage/configuration.ts';
import { placeOf } from './jobs.ts';

/** Where jobs of a spec go: `partition main, --mem=4G`. */
export function placeText(loop: Configuration['loop'], spec: string): string {
  const { partition, options } = placeOf(loop.slurm, spec);
  const where = partition === undefined ? 'the default partition' : `partition ${partition}`;
  return [where, ...options].join(', ');
}

/** What would be submitted for these steps to do, a line for each spec; empty for a backend that submits nothing. */
export function submissionText({ map, loop }: Configuration, stagesToDo: readonly string[], most: number): string[] {
  if (!loop.backend.startsWith('slurm-') || stagesToDo.length === 0) return [];
  const bySpec = new Map<string, string[]>();
  for (const stage of stagesToDo) {
    const spec = map.stages[stage]?.spec ?? 'default';
    bySpec.set(spec, [...(bySpec.get(spec) ?? []), stage]);
  }
  const isPool = loop.backend === 'slurm-pool';
  const lines = [...bySpec].map(([spec, stages]) => {
    const counts = [...new Set(stages)].map((stage) => {
      const cells = stages.filter((one) => one === stage).length;
      return cells > 1 ? `${stage} (an array of ${cells})` : stage;
    });
    const workers = loop.slurm.specs[spec]?.workers ?? loop.workers;
    const what = isPool
      ? `${stages.length} tasks for at most ${Math.min(workers, loop.workers)} workers`
      : `${stages.length === 1 ? '1 job' : `${stages.length} jobs`}: ${counts.join(', ')}`;
    return `${loop.backend}, spec ${spec} (${placeText(loop, spec)}): ${what}`;
  });
  const jobs = isPool ? Math.min(loop.workers, stagesToDo.length) : stagesToDo.length;
  return jobs > most ? [...lines, `more than ${most} jobs: a run needs --yes`] : lines;
}
