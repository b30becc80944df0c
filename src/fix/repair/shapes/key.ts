// A key that its tool rejects becomes one that the tool knows there, or goes to where it knows it.
import { isMended, isNearest } from '../near.ts';
import { isFixed, isTolerant } from '../never.ts';
import type { MovedPlace, WordPlace } from '../place.ts';
import type { Grounds, Shape } from '../shape.ts';

/** It becomes the near one that the tool knows there, or that every sibling has. */
export const key: Shape = (place, grounds) => {
  if (place.what !== 'word' || place.role !== 'key') return undefined;
  const { old, new: now, keys } = place;
  if (isFixed(old) || isFixed(now)) return undefined;
  const last = (word: string) => word.slice(word.lastIndexOf('.') + 1);
  const { evidence } = grounds;
  const isRejected = [old, last(old)].some((word) => evidence.rejects(word)) || evidence.misses(now);
  if (!isRejected) return undefined;
  if (isOutlier(place)) return `every other one has \`${now}\`, and the log misses it`;
  return isMended(old, now, keysBelow(place, keys, grounds))
    ? `the log rejects the key \`${old}\`, and \`${now}\` is known there`
    : undefined;
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

/** It goes one level further in or out: the log rejects it where it stood, and the tool knows it where it stands now. */
export const movedKey: Shape = (place, grounds) => {
  if (place.what !== 'moved') return undefined;
  const { key: name, from, to } = place;
  const [here, there] = [from, to].map((keys) => keysBelow(place, keys, grounds));
  if (isTolerant(name) || !here || here.has(name) || !there?.has(name) || !grounds.evidence.rejects(name))
    return undefined;
  return `\`${name}\` belongs below ${to.findLast((step) => step !== '-') ?? 'the root'}, where the tool knows it`;
};

const BLOCKS = new Set(['tasks', 'handlers', 'pre_tasks', 'post_tasks', 'block', 'rescue', 'always']);
const TEMPLATE = /\.(?:j2|jinja2?|tmpl|gotmpl|tpl)$/;

/** The keys that the tool knows below these of the place's file. */
function keysBelow({ path, document }: WordPlace | MovedPlace, keys: readonly string[], { vocabulary, text }: Grounds) {
  const words = (tool: string, ...lists: readonly string[]) =>
    new Set(lists.flatMap((list) => [...vocabulary.words(tool, list)]));
  const steps = keys.filter((each) => each !== '-');
  if (document) {
    const root = vocabulary.rootOf(path, document);
    if (root !== undefined) return vocabulary.keysAt(root, steps);
    // Of Ansible only tasks and the arguments of their modules.
    const isTask = document.keys.length === 0 && keys.at(-1) === '-' && steps.every((each) => BLOCKS.has(each));
    return isTask
      ? new Set([...vocabulary.modules(), ...words('ansible', 'task', 'play')])
      : vocabulary.moduleArguments(steps.at(-1) ?? '');
  }
  // What has no tree here: a template of a file that has one, or a language of words.
  const plain = path.replace(TEMPLATE, '');
  if (/(?:^|\/)Caddyfile/.test(plain)) return words('caddy', 'directive', 'subdirective');
  const root = vocabulary.rootOf(plain, { keys: [...text.matchAll(/^([\w-]+):/gm)].map(([, name]) => name as string) });
  return root === undefined ? undefined : vocabulary.allKeys(root);
}
