// The table of what a repository defines, read from a commit: only files that some reader wants, and each blob once.
import type { FileNames } from '../repository/definition.ts';

import { isRead, namesIn, unknownNames } from '../repository/read-file.ts';
import { isIgnoreFile, type Outside, type RepositoryFacts } from '../repository/repository.ts';
import type { Snapshot } from './read.ts';

const MAX_FILES = 20_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;
const AT_ONCE = 64;
const EXECUTABLE = '100755';

export interface RepositoryReader {
  /** The facts of a commit. A later one reads only what has changed since the last. Throws a GitError. */
  at(snapshot: Snapshot, outside: Outside): Promise<RepositoryFacts>;
}

export function openRepositoryReader(): RepositoryReader {
  /** By the blob's id and the path, which decides how it is read. */
  let known = new Map<string, FileNames>();
  return {
    async at(snapshot, outside) {
      const names = new Map<string, FileNames>();
      const kept = new Map<string, FileNames>();
      const ignores = new Map<string, string>();
      const regular = [...snapshot.files].filter(([, { mode }]) => mode.startsWith('100'));
      const wanted = regular.filter(([path]) => isRead(path) || isIgnoreFile(path));
      let left = wanted.length > MAX_FILES ? 0 : MAX_CHARACTERS;

      async function read(path: string, id: string): Promise<void> {
        const key = `${id} ${path}`;
        const before = known.get(key);
        const text = before ? undefined : await snapshot.text(path);
        left -= text?.length ?? 0;
        if (isIgnoreFile(path)) ignores.set(path, text ?? '');
        else names.set(path, before ?? (text === undefined ? unknownNames(path) : namesIn(path, text)));
        if (names.has(path)) kept.set(key, names.get(path) as FileNames);
      }

      for (let at = 0; at < wanted.length && left > 0; at += AT_ONCE)
        await Promise.all(wanted.slice(at, at + AT_ONCE).map(([path, { id }]) => read(path, id)));
      known = kept;
      const files = regular.map(([path]) => path);
      const executables = regular.filter(([, { mode }]) => mode === EXECUTABLE).map(([path]) => path);
      const facts = { listing: { files, executables, links: snapshot.links }, files: names, ignores, outside };
      return left > 0 ? facts : { ...facts, isPartial: true };
    },
  };
}
