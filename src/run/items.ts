// The work queue as committed: items become stages of the runs that name them.
import type { Item } from '../backlog/item.ts';
import { INDEX_FILE, type Queue, type QueuedItem, readQueue } from '../backlog/queue.ts';
import { itemNumber, itemStageName, stageOfItem } from '../backlog/stage-of-item.ts';
import { logOf, mergeTicks } from '../backlog/ticks.ts';
import type { ContextMap } from '../config/context-map.ts';
import { failConfig, type Problem } from '../config/problem.ts';
import { didYouMean } from '../config/suggest.ts';
import { failUsage } from '../errors.ts';
import type { Listing } from '../fix/check-files/find-files.ts';
import { forbiddenByWords } from '../fix/check-files/forbidden-runs.ts';
import { readCommands } from '../io/gate/gate.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { backlogAt } from '../mend/item.ts';
import type { Configuration } from '../stage/configuration.ts';

/** An item with its log. */
export type LoggedItem = QueuedItem & { readonly log: readonly string[] };

/**
 * The queue: text and order are the base's, ticks and log those of the AI branch; `isMerged`: that has the base's ticks, too.
 */
export async function queueAt(
  objects: GitObjects,
  base: string,
  branch: string | undefined,
  isMerged: boolean,
  map: Pick<ContextMap, 'protected_files'>,
): Promise<Omit<Queue, 'items'> & { items: readonly LoggedItem[] }> {
  const onBase = await backlogAt(objects, base);
  const onBranch: ReadonlyMap<string, string> = branch === undefined ? new Map() : await backlogAt(objects, branch);
  const withTicks = (path: string, text: string) =>
    path === INDEX_FILE ? text : mergeTicks(text, onBranch.get(path) ?? '');
  const files = new Map([...onBase].map(([path, text]) => [path, withTicks(path, text)]));
  const queue = readQueue(files, map.protected_files);
  const doneFiles = new Set(readQueue(onBranch).items.flatMap(({ done, file }) => (done ? [file] : [])));
  // A tick that landed on the base may have been taken back on the branch since.
  const isDone = ({ done, file }: QueuedItem) => doneFiles.has(file) || (done && !isMerged);
  const logged = (item: QueuedItem) => ({ ...item, done: isDone(item), log: logOf(files.get(item.file) ?? '') });
  return { ...queue, items: queue.items.map(logged) };
}

/** The item of this number. Throws MendError when there is none. */
export function findItem({ items }: Queue, number: string): QueuedItem {
  const item = items.find((queued) => Number(queued.number) === Number(number));
  if (item) return item;
  const hint = didYouMean(
    number,
    items.map((queued) => queued.number),
    'there are',
  );
  return failUsage(`there is no item ${number}${hint}`, 'mendloop backlog');
}

/**
 * The configuration of a run in which these stages are asked for: items among them, as they are at `commit`, are stages like
 * the others, with the limits that their files widen. Throws E_CONFIG with all that is wrong with such an item.
 */
export async function withItems(
  config: Configuration,
  asked: readonly string[],
  objects: GitObjects,
  commit: string,
): Promise<Configuration> {
  const numbers = asked.flatMap((name) => (config.map.stages[name] ? [] : (itemNumber(name) ?? [])));
  if (numbers.length === 0) return config;
  const queue = readQueue(await backlogAt(objects, commit), config.map.protected_files);
  const items = numbers.map((number) => findItem(queue, number));
  failIfAny(queue.problems.filter(({ file }) => file === INDEX_FILE || items.some((item) => item.file === file)));
  failIfAny(await forbiddenItems(items, config.map, await objects.files(commit)));
  return { ...config, map: { ...config.map, stages: { ...config.map.stages, ...stagesOf(items) } } };
}

const stagesOf = (items: readonly Item[]): ContextMap['stages'] =>
  Object.fromEntries(items.map((item) => [itemStageName(item.number), stageOfItem(item)]));

/** Throws E_CONFIG with all of them, if there are any. */
export const failIfAny = (problems: readonly Problem[]): void => {
  if (problems.length > 0) failConfig(problems);
};

/** Commands of items that would run a protected file or a wipe script: what may not be edited may not be run. */
export async function forbiddenItems(
  items: readonly Item[],
  { protected_files }: Pick<ContextMap, 'protected_files'>,
  listing: Listing,
): Promise<Problem[]> {
  const runs = await forbiddenByWords({ stages: stagesOf(items), protected_files }, { listing, read: readCommands });
  return runs.map(({ path, what }) => {
    const item = items.find(({ number }) => itemStageName(number) === path[1]);
    const part = path[2] === 'command' ? 'tests' : 'acceptance';
    const message = `runs ${what}; what may not be edited may not be run`;
    const command = part === 'acceptance' ? item?.acceptance[Number(path[3] ?? 0)] : item?.tests[0];
    return {
      file: item?.file ?? INDEX_FILE,
      line: (item?.lines[command ?? ''] ?? 0) + 1,
      column: 1,
      path: part,
      message,
    };
  });
}
