// A key one level too far in or out: the log rejects it where it stood, and the tool knows it where it stands now.
import { isTolerant } from '../never.ts';
import type { MovedPlace } from '../place.ts';
import type { Grounds, Shape } from '../shape.ts';

export const movedKey: Shape = (place, grounds) => {
  if (place.what !== 'moved') return undefined;
  const { key, from, to } = place;
  const [here, there] = [from, to].map((keys) => keysAt(place, keys, grounds));
  if (isTolerant(key) || !here || !there || here.has(key) || !there.has(key) || !grounds.evidence.rejects(key))
    return undefined;
  return `\`${key}\` belongs below ${to.findLast((step) => step !== '-') ?? 'the root'}, where the tool knows it`;
};

/** What the tool knows below these keys: of Ansible, a module's arguments and a task's own keys. */
function keysAt({ path, document = { keys: [] } }: MovedPlace, keys: readonly string[], { vocabulary }: Grounds) {
  const root = vocabulary.rootOf(path, document);
  if (root !== undefined)
    return vocabulary.keysAt(
      root,
      keys.filter((key) => key !== '-'),
    );
  const last = keys.at(-1) ?? '';
  return last === '-' ? vocabulary.words('ansible', 'task') : vocabulary.moduleArguments(last);
}
