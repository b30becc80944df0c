// A key that its tool rejects becomes the near one that the tool knows there, or that every sibling has.
import { isNearest } from '../near.ts';
import { isBoolean, isNumber } from '../never.ts';
import type { WordPlace } from '../place.ts';
import type { Grounds, Shape } from '../shape.ts';

export const key: Shape = (place, grounds) => {
  if (place.what !== 'word' || place.role !== 'key') return undefined;
  const { old, new: now } = place;
  if ([old, now].some((word) => isBoolean(word) || isNumber(word))) return undefined;
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

function knownKeys({ path, keys, document = { keys: [] }, old, beside = [] }: WordPlace, { vocabulary }: Grounds) {
  const module = keys.findLast((each) => each !== '-') ?? '';
  const modules = vocabulary.modules();
  if (
    modules.has(old) === false &&
    beside.includes('name') &&
    /(?:^|\/)(?:tasks|handlers|roles|playbooks)\/|\.ya?ml$/.test(path)
  ) {
    const isTask =
      document.kind === undefined &&
      keys.every((each) => each === '-' || /^(?:tasks|handlers|pre_tasks|post_tasks|block|rescue|always)$/.test(each));
    if (isTask) return modules;
  }
  return vocabulary.moduleArguments(module) ?? vocabulary.keysAt(path, document, keys);
}
