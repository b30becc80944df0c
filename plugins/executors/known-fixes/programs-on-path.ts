// Which programs there are on a PATH: the only look at the file system that a repair takes.
import { readdir } from 'node:fs/promises';
import { delimiter, isAbsolute } from 'node:path';

/** The names in all folders of `path`; a folder that cannot be read has none. */
export async function programsOnPath(path: string): Promise<Set<string>> {
  const folders = [...new Set(path.split(delimiter))].filter(isAbsolute);
  const names = await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])));
  return new Set(names.flat());
}
