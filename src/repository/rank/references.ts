// Paths that the error names and that do not exist: who refers to them, and what stands there instead.

import type { SourceFile } from '../tree.ts';
import type { Clues } from './clues.ts';
import { normalized, type PathFinder } from './paths.ts';

export interface MissingPath {
  readonly path: string;
  readonly folder: string;
  readonly listing: readonly string[];
  /** Paths that exist and could be meant by it, the likeliest first. */
  readonly alike: readonly string[];
}

const MAX_MISSING = 8;
/** More than a last part in common. */
export const CERTAIN_REFERENCE = 100;

/** The paths that the error names and that do not exist, the latest last. */
export function missingPaths({ paths }: Clues, finder: PathFinder): MissingPath[] {
  const absent = new Set(
    paths.flatMap(({ written, weight, beside, isRooted, isAbsent }) => {
      const { sure } = finder.meaning(written, beside);
      if (weight < 0.25 || !isAbsent || sure === 1 || (!isRooted && sure >= 0.9)) return [];
      return finder.missing(written, beside);
    }),
  );
  const inside = [...absent].filter((path) => !path.startsWith('..'));
  return inside.slice(-MAX_MISSING).map((path) => placeOf(path, finder));
}

/** A path, the nearest folder to it that exists, and what is there. */
export function placeOf(path: string, finder: PathFinder): MissingPath {
  const parts = path.split('/');
  let length = parts.length - 1;
  while (length > 0 && !finder.isFolder(parts.slice(0, length).join('/'))) length--;
  const folder = parts.slice(0, length).join('/');
  return {
    path,
    folder,
    listing: finder.listing(folder),
    alike: finder.exists(path) ? [] : finder.alike(path, folder),
  };
}

/** Where a file refers to a path, and how surely that is the same one; `folder`: the nearest one to it that exists. */
export function reference({ path, text }: SourceFile, { path: missing, folder }: Pick<MissingPath, 'path' | 'folder'>) {
  const none = { line: 0, strength: 0 };
  const parts = missing.split('/');
  const at = folder === '' ? 0 : folder.split('/').length;
  // The first part that does not exist, with what follows: `kubernetes/talos`.
  const absent = parts.slice(at, at + 2).join('/');
  const here = path.split('/').slice(0, -1).join('/');
  let best = none;
  for (const word of [parts.at(-1) as string, absent]) {
    for (let from = text.indexOf(word); from >= 0; from = text.indexOf(word, from + 1)) {
      const written = tokenAround(text, from, word.length);
      const plain = normalized(written.replace(/^(?:\.?\/)+/, ''));
      // From the root of the repository only what names more than one part: a bare name is meant beside its file.
      const bases = plain.includes('/') ? [here, ''] : [here];
      const seenFrom = bases.map((base) => normalized(`${base}/${written}`));
      const isWord = written === word || written.endsWith(`/${word}`) || written.includes(`/${word}/`);
      const ofParts = plain.split('/').filter((part) => part !== '..').length;
      const strength = seenFrom.includes(missing)
        ? 150
        : missing.endsWith(`/${plain}`) && ofParts > 1
          ? 115
          : missing.includes(plain) && ofParts > 1 && plain.includes(absent)
            ? 110
            : isWord && word === parts.at(-1)
              ? 55
              : 0;
      if (strength > best.strength) best = { line: text.slice(0, from).split('\n').length, strength };
    }
  }
  return best;
}

const PATH_CHARACTER = /[\w.@+~/-]/;

function tokenAround(text: string, at: number, length: number): string {
  let [from, to] = [at, at + length];
  while (from > 0 && PATH_CHARACTER.test(text[from - 1] as string)) from--;
  while (to < text.length && PATH_CHARACTER.test(text[to] as string)) to++;
  return text.slice(from, to);
}
