// What a run tells its owner before the first stage.
import { shortSecrets } from '../journal/mask.ts';
import { stagePath } from '../stage/env.ts';
import { missingTools } from '../stage/requires.ts';
import type { Run } from '../stage/run.ts';
import { uncarriedIgnored, uncarriedNotice } from '../stage/uncarried.ts';
import type { Base } from '../worktree/base.ts';
import { short } from '../worktree/messages.ts';

/** What the configuration lacks for these stages. */
export async function configurationNotices(run: Omit<Run, 'journal'>, stages: readonly string[]) {
  const { layout, config, tree } = run;
  const used = stages.flatMap((name) => config.map.stages[name] ?? []);
  const ignored = { carry: config.map.carry, tracked: (await tree.files()).keys() };
  const short = shortSecrets(layout.home, config);
  return [
    ...(await uncarriedIgnored(layout.home, used, ignored)).map(uncarriedNotice),
    ...missingTools(used, stagePath(run)),
    short.length > 0 && `too short to be masked in what a model is told: ${shortList(short)} (mendloop doctor)`,
  ];
}

/** A resumed run stays on the commit it began with: an owner who has mended something since must know. */
export const movedNotice = ({ name, commit }: Pick<Base, 'name' | 'commit'>): string =>
  `${name} moved since this run began; it goes on from ${short(commit)} (to start anew from ${name}: mendloop abandon)`;

const MAX_LISTED = 5;

/** The first few, and how many more. */
export function shortList(items: readonly string[]): string {
  const more = items.length - MAX_LISTED;
  return `${items.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
