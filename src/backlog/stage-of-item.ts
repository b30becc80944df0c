// An item is worked on as a stage is mended: its tests are the command, its acceptance the checks, its scope the files.
import { type Stage, stageSchema } from '../config/context-map.ts';
import type { Problem } from '../config/problem.ts';
import type { Item } from './item.ts';

/** What the stage of an item is called. */
export const itemStageName = (number: string): string => `item-${number}`;

/** The number in the name of an item's stage; undefined for other stages. */
export const itemNumber = (stage: string): string | undefined => /^item-(\d{2,4})$/.exec(stage)?.[1];

/** Whether a stage is that of an item. */
export const isItemStage = (stage: string): boolean => itemNumber(stage) !== undefined;

/** The item as a stage. Throws for one that has `stageProblems`. */
export const stageOfItem = (item: Item): Stage => ({ ...stageSchema.parse(keysOf(item)), wider: item.limits });

/** What no stage could have: paths that lead elsewhere, for example. */
export function stageProblems(item: Item): Problem[] {
  const parsed = stageSchema.safeParse(keysOf(item));
  return (parsed.error?.issues ?? []).map(({ path: [key, index = 0], message }) => {
    const [part, texts] = key === 'files' ? ['scope', item.scope] : ['acceptance', item.acceptance];
    const line = item.lines[texts[Number(index)] ?? ''] ?? 0;
    return { file: item.file, line: line + 1, column: 1, path: part as string, message };
  });
}

/** Many tests fail without a word: which one it was is then all that there is to know. */
const NAME_FAILED_TEST = `trap 'code=$?; [ $code -eq 0 ] || echo "test failed with exit $code: $item_test" >&2' EXIT`;
const namedTest = (test: string): string[] => [`item_test='${test.replaceAll("'", "'\\''")}'`, test];

function keysOf({ title, why, scope, steps, acceptance, tests }: Item): object {
  const open = steps.filter(({ done }) => !done).map(({ text }) => text);
  return {
    description: why === '' ? title : `${title}. ${why}`,
    command: tests.length === 0 ? 'true' : [NAME_FAILED_TEST, ...tests.flatMap(namedTest)].join('\n'),
    files: [...scope],
    verify: [...acceptance],
    success_criteria: open.length === 0 ? [title] : open,
  };
}
