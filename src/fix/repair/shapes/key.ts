// A key that its tool rejects becomes the near one that the tool knows there, or that every sibling has.
import { isNearest } from '../near.ts';
import { isBoolean, isNumber, isTolerant } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Grounds, Shape } from '../shape.ts';

export const key: Shape = (place, grounds) => {
  if (place.what !== 'word' || place.role !== 'key') return undefined;
  const { old, new: now } = place;
  if ([old, now].some((word) => isBoolean(word) || isNumber(word) || isTolerant(word))) return undefined;
  const last = (word: string) => word.slice(word.lastIndexOf('.') + 1);
  const { evidence } = grounds;
  const isRejected = [old, last(old)].some((word) => evidence.rejects(word)) || evidence.misses(now);
  if (!isRejected) return undefined;
  if (isOutlier(place)) return `every other one has \`${now}\`, and the log misses it`;
  const known = knownKeys(place, grounds);
  if (!known || known.has(old) || !known.has(now) || !isNearest(old, now, known)) return undefined;
  return `the log rejects the key \`${old}\`, and \`${now}\` is known there`;
};

/** All mappings beside have the new key, and none has the old one. */
function isOutlier({ old, new: now, beside = [], cousins = [] }: WordPlace): boolean {
  const like = cousins.filter((keys) => beside.some((key) => key !== old && keys.includes(key)));
  if (like.length < ENOUGH || !like.every((keys) => keys.includes(now) && !keys.includes(old))) return false;
  return isNearest(
    old,
    now,
    like.flat().filter((key) => !beside.includes(key)),
  );
}

const ENOUGH = 2;

/** The keys that the tool knows where this one stands. */
function knownKeys(place: WordPlace, { vocabulary, text }: Grounds): ReadonlySet<string> | undefined {
  const { path, keys, document = { keys: [] } } = place;
  const steps = keys.filter((each) => each !== '-');
  if (!place.document) return wordsOfTool(place, text, vocabulary);
  const root = vocabulary.rootOf(path, document);
  if (root !== undefined) return vocabulary.keysAt(root, steps);
  // Of Ansible only tasks and the arguments of their modules.
  const isTask = document.keys.length === 0 && keys.at(-1) === '-' && steps.every((each) => BLOCKS.has(each));
  if (isTask)
    return new Set([
      ...vocabulary.modules(),
      ...vocabulary.words('ansible', 'task'),
      ...vocabulary.words('ansible', 'play'),
    ]);
  return vocabulary.moduleArguments(steps.at(-1) ?? '');
}

const BLOCKS = new Set(['tasks', 'handlers', 'pre_tasks', 'post_tasks', 'block', 'rescue', 'always']);
const TEMPLATE = /\.(?:j2|jinja2?|tmpl|gotmpl|tpl)$/;

/** What has no tree here: a template of a file that has one, or a language of words. */
function wordsOfTool(
  { path }: WordPlace,
  text: string,
  vocabulary: Grounds['vocabulary'],
): ReadonlySet<string> | undefined {
  const plain = path.replace(TEMPLATE, '');
  if (/(?:^|\/)Caddyfile/.test(plain))
    return new Set([...vocabulary.words('caddy', 'directive'), ...vocabulary.words('caddy', 'subdirective')]);
  const root = vocabulary.rootOf(plain, { keys: [...text.matchAll(/^([\w-]+):/gm)].map(([, name]) => name as string) });
  return root === undefined ? undefined : vocabulary.allKeys(root);
}
