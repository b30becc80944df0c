// Whether a mistake is gone from a repository, told from its files alone: for exams whose tools are not on this
// machine. Texts are compared by what they say, not by how: data as data, else words, and only where the mistake is one
// of spacing by lines.
import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Replacement } from '../../../test/fixtures/mistakes.ts';

export type Texts = Readonly<Record<string, string>>;

type Reading = (path: string, text: string) => unknown;

/** From the loosest to the strictest. */
const READINGS: readonly Reading[] = [
  (path, text) => (/\.(?:ya?ml|json)$/.test(path) ? dataOf(text) : wordsOf(text)),
  (_, text) => wordsOf(text),
  (_, text) => text.split('\n').flatMap((line) => line.trimEnd() || []),
  (_, text) => text,
];

/**
 * What a text holds, whatever its comments, quotes and order of keys; JSON is YAML as well. A text that does not parse
 * is itself.
 */
export function dataOf(text: string): unknown {
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  const list = Array.isArray(documents) ? documents : [];
  return list.some(({ errors }) => errors.length > 0) ? text : list.map((one) => one.toJS());
}

const wordsOf = (text: string): string =>
  text
    .replaceAll(/(?<=^|\s)#(?!!).*$/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Whether `now` does what `wanted` does, read as loosely as `before` can still be told from it. */
export function sameEffect(path: string, before: string, wanted: string, now: string): boolean {
  if (now === wanted) return true;
  const differs = (read: Reading) => !isDeepStrictEqual(read(path, before), read(path, wanted));
  const read = READINGS.find(differs) ?? (READINGS[0] as Reading);
  return isDeepStrictEqual(read(path, wanted), read(path, now));
}

/** `files` with changes made. */
export const withChanges = (files: Texts, changes: readonly Replacement[]): Texts => ({
  ...files,
  ...Object.fromEntries(changes.map(({ path, old, new: now }) => [path, files[path]?.replace(old, () => now) ?? now])),
});

/**
 * What is still to be done: [] when in one of the `ways` every file does what it should. Each way is a list of
 * changes, in files of their own; files that it does not name must do what they did. What is left of the first way is
 * returned.
 */
export function leftToDo(files: Texts, ways: readonly (readonly Replacement[])[], now: Texts): readonly Replacement[] {
  const leftOf = (way: readonly Replacement[]): readonly Replacement[] => {
    const wanted = withChanges(files, way);
    const wrong = Object.keys(files).filter(
      (path) => !sameEffect(path, files[path] ?? '', wanted[path] ?? '', now[path] ?? ''),
    );
    const left = way.filter(({ path }) => wrong.includes(path));
    // A file that should be as it was: then nothing of this way counts.
    return left.length === wrong.length ? left : way;
  };
  const all = ways.map(leftOf);
  return all.some((left) => left.length === 0) ? [] : (all[0] ?? []);
}
