// Validates a proposal as a run would. A stage that would be refused, or that runs a protected file through another one, is removed
// and listed as left out. Pure, but for its sources.
import { MAP_FILE } from '../config/files.ts';
import { parseContextMap } from '../config/parse.ts';
import { formatPath } from '../config/problem.ts';
import type { Sources } from '../fix/check-files/check-files.ts';
import { forbiddenByWords, forbiddenThroughFiles } from '../fix/check-files/forbidden-runs.ts';
import { onlyStages, type Proposal } from './propose.ts';
import { mapText } from './write-map.ts';

/** Repeats until nothing is wrong: each round removes at least one stage. */
export async function settled(proposal: Proposal, sources: Sources): Promise<Proposal> {
  if (proposal.stages.length === 0) return proposal;
  const reasons = await faults(mapText(proposal), sources);
  const bad = proposal.stages.filter(({ name }) => reasons.has(name));
  if (bad.length === 0) return proposal;
  const names = new Set(proposal.stages.map(({ name }) => name).filter((name) => !reasons.has(name)));
  const sound = onlyStages(proposal, names, (name) => reasons.get(name) ?? '');
  return settled(sound, sources);
}

/** Stage → why it would be refused. */
async function faults(text: string, sources: Sources): Promise<Map<string, string>> {
  const parsed = parseContextMap(text, MAP_FILE);
  const problems: (readonly [path: string, why: string])[] = parsed.ok
    ? [...(await forbiddenByWords(parsed.value, sources)), ...(await forbiddenThroughFiles(parsed.value, sources))].map(
        ({ path, what, through }) => [formatPath(path), `it runs ${what}${through ? `, through ${through}` : ''}`],
      )
    : parsed.problems.map(({ path, message }) => [path, message]);
  return new Map(
    problems.flatMap(([path, why]) => {
      const stage = /^stages\.([\w-]+)/.exec(path)?.[1];
      return stage === undefined ? [] : [[stage, why] as const];
    }),
  );
}
