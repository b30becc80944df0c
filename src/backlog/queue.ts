// The work queue as a whole: the index gives the order and what is done, the files beside it the items. Every problem at once.
import { pathMatcher } from '../config/paths.ts';
import { inOrder, type Problem } from '../config/problem.ts';
import { didYouMean } from '../config/suggest.ts';
import { CHECKBOX, ITEM_FILE, type Item, parseItem } from './item.ts';
import { stageProblems } from './stage-of-item.ts';

export const BACKLOG_FOLDER = 'ai/backlog';
export const INDEX_FILE = `${BACKLOG_FOLDER}/00-index.md`;

export interface QueuedItem extends Item {
  /** Ticked in the index. */
  readonly done: boolean;
  /** Of its entry in the index, from 0. */
  readonly line: number;
}

export interface Queue {
  /** In the order of the index. */
  readonly items: readonly QueuedItem[];
  readonly problems: readonly Problem[];
}

/** The entries of an index: checkboxes with a link, or with the name of a file, from the root or from `folder`. */
export function readIndex(text: string, folder = BACKLOG_FOLDER) {
  return text.split(/\r?\n/).flatMap((row, line) => {
    const [, before = '', mark, , rest = ''] = CHECKBOX.exec(row) ?? [];
    const [, linked] = /\]\(\s*<?(?:\.\/)?([^)>\s]+)>?[^)]*\)/.exec(rest) ?? [];
    const [, named] = /(?:^|[\s`])(?:\.\/)?([\w./-]+\.md)\b/.exec(rest) ?? [];
    const path = linked ?? named;
    if (mark === undefined || path === undefined) return [];
    const file = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    return [{ line, column: before.length, done: mark !== ' ', file }];
  });
}

/** The numbers of the items that an index has ticked. */
export const itemsTicked = (index: string): string[] =>
  readIndex(index).flatMap(({ done, file }) => (done ? (ITEM_FILE.exec(file)?.[1] ?? []) : []));

/**
 * Reads the queue from `files` (path from the root → text). `protect`: patterns of files that nothing may change. No index, no
 * queue.
 */
export function readQueue(
  files: ReadonlyMap<string, string>,
  protect: readonly string[] = [],
  folder = BACKLOG_FOLDER,
): Queue {
  const index = `${folder}/00-index.md`;
  const entries = readIndex(files.get(index) ?? '', folder);
  const problems: Problem[] = [];
  const say = (file: string, message: string, { line, column } = { line: 0, column: 0 }) =>
    problems.push({ file, line: line + 1, column: column + 1, path: '', message });
  const inFolder = [...files.keys()].flatMap((path) =>
    path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
  );
  const itemFiles = inFolder.filter((name) => ITEM_FILE.test(name) && !name.startsWith('00-'));
  if (!files.has(index) && itemFiles.length > 0)
    say(index, 'missing: it says which items there are, and in which order');
  const words = wordsForAll(files.get(index) ?? '');
  const forAll = words && `For all items: ${words}`;
  const items: QueuedItem[] = [];
  const listed = new Map<string, string>();
  for (const entry of entries) {
    const { file, line, done } = entry;
    const [, number] = ITEM_FILE.exec(file) ?? [];
    const text = files.get(`${folder}/${file}`);
    if (text === undefined) say(index, `there is no ${file}${didYouMean(file, itemFiles, 'there are')}`, entry);
    else if (number === undefined) say(index, `${file} is not called NN-<slug>.md`, entry);
    else if (listed.has(number)) say(index, `${file} has the number of ${listed.get(number)}`, entry);
    else {
      listed.set(number, file);
      const { item, problems: itemProblems } = parseItem(`${folder}/${file}`, text);
      problems.push(...itemProblems, ...scopeProblems(item, protect), ...stageProblems(item));
      items.push({ ...item, why: [item.why, forAll].filter(Boolean).join(' '), done, line });
    }
  }
  const names = new Set(entries.map(({ file }) => file));
  for (const name of itemFiles.filter((each) => !names.has(each)).sort())
    say(
      `${folder}/${name}`,
      `not in the index: add "- [ ] [${titleOf(files.get(`${folder}/${name}`))}](${name})" to it`,
    );
  return { items, problems: sorted(problems) };
}

/** So much of what an index says for all items is read: it is in every prompt. */
const MAX_WORDS = 2000;

/** The text of an index beside its headings, entries and comments. */
const wordsForAll = (index: string): string =>
  index
    .replaceAll(/<!--.*?-->/gs, '')
    .split(/\r?\n/)
    .filter((row) => !CHECKBOX.test(row) && !/^\s*#/.test(row))
    .map((row) => row.trim())
    .filter(Boolean)
    .join(' ')
    .slice(0, MAX_WORDS);

const titleOf = (text = ''): string => /^#\s+(.*)$/m.exec(text)?.[1] ?? 'its title';

function scopeProblems({ file, scope, lines }: Item, protect: readonly string[]): Problem[] {
  const isProtected = pathMatcher(protect);
  return scope.flatMap((glob) => {
    const inScope = pathMatcher([glob]);
    const hit = protect.find((pattern) => inScope(pattern)) ?? (isProtected(glob) ? glob : undefined);
    const message = `${glob} reaches ${hit}, which is protected`;
    return hit === undefined ? [] : [{ file, line: (lines[glob] ?? 0) + 1, column: 1, path: 'scope', message }];
  });
}

const sorted = (problems: readonly Problem[]): Problem[] =>
  [...new Set(problems.map(({ file }) => file))]
    .sort()
    .flatMap((file) => inOrder(problems.filter((one) => one.file === file)));
