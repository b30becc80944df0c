// Where a plugin of the owner's own is: one plain file below the folder, found by its name alone.
import { join } from 'node:path';
import { PLUGIN_NAME } from '../config/loop-config.ts';
import { entryAt } from '../io/links.ts';
import { LISTS, type List } from './hooks.ts';

const ENDINGS = ['.ts', '.mjs', '.js'] as const;

/** `files` are relative to the folder: none, the one it is in, or several that cannot be told apart. */
export type Located = { readonly files: readonly string[] } | { readonly refused: string };

/** Looks for `name` in `folder` and its folders of lists. A name or a link that could lead out of it is refused. */
export async function locate(folder: string | undefined, name: string): Promise<Located> {
  if (!PLUGIN_NAME.test(name)) return { refused: 'not the name of a plugin: letters, digits, "-" and "_", at most 64' };
  if (folder === undefined) return { files: [] };
  const files: string[] = [];
  for (const place of ['', ...LISTS.map((list) => `${list}/`)]) {
    const found = await inPlace(folder, place, name);
    if ('refused' in found) return found;
    files.push(...found.files);
  }
  return { files };
}

async function inPlace(folder: string, place: string, name: string): Promise<Located> {
  const at = place === '' ? { kind: 'folder' } : await entryAt(join(folder, place.slice(0, -1)));
  const files: string[] = [];
  for (const file of ENDINGS.map((ending) => `${place}${name}${ending}`)) {
    const entry = await entryAt(join(folder, file));
    if (entry.kind === 'nothing') continue;
    // What a link points to is not what was committed under this name.
    if (at.kind === 'link') return { refused: `plugins/${place.slice(0, -1)} is a link; expected a folder` };
    if (entry.kind !== 'file') return { refused: `plugins/${file} is a ${entry.kind}; expected a file` };
    files.push(file);
  }
  return { files };
}

/** Where a plugin of this name would be looked for, in the words of a message. */
export const wanted = (list: List | undefined, name: string): string =>
  `plugins/${list ? `${list}/` : ''}${name}.ts, .mjs or .js`;
