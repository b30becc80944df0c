// A key one level too far in or out: the log rejects it where it stood, and the tool knows it where it stands now.
import type { Shape } from '../shape.ts';

export const movedKey: Shape = (place, { evidence, vocabulary }) => {
  if (place.what !== 'moved') return undefined;
  const { path, key, from, to, document = { keys: [] } } = place;
  const root = vocabulary.rootOf(path, document);
  if (root === undefined) return undefined;
  const [here, there] = [from, to].map((keys) =>
    vocabulary.keysAt(
      root,
      keys.filter((each) => each !== '-'),
    ),
  );
  if (!here || !there || here.has(key) || !there.has(key) || !evidence.rejects(key)) return undefined;
  return `\`${key}\` belongs below ${to.at(-1) ?? 'the root'}, where the tool knows it`;
};
