// An item is worked on as a stage is mended: its tests are the command, its acceptance the checks, its scope the files.
import { type Stage, stageSchema } from '../config/context-map.ts';
import type { Item } from './item.ts';

/** What the stage of an item is called. */
export const itemStageName = (number: string): string => `item-${number}`;

/** The number in the name of an item's stage; undefined for other stages. */
export const itemNumber = (stage: string): string | undefined => /^item-(\d{2,4})$/.exec(stage)?.[1];

/** The item as a stage. Throws for a scope or command that no stage could have. */
export function stageOfItem({ title, why, scope, steps, acceptance, tests }: Item): Stage {
  const open = steps.filter(({ done }) => !done).map(({ text }) => text);
  return stageSchema.parse({
    description: why === '' ? title : `${title}. ${why}`,
    command: tests.length === 0 ? 'true' : tests.join('\n'),
    files: [...scope],
    verify: [...acceptance],
    success_criteria: open.length === 0 ? [title] : open,
  });
}
