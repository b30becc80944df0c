// Which files of the repository a word of a command may mean, under any spelling: better one too many than one too few, but
// nothing by a word that could be anything.
import { join, normalize } from 'node:path/posix';
import { pathMatcher } from '../../config/paths.ts';

/** The files of a commit (or of the index), with their modes. */
export type Listing = ReadonlyMap<string, { readonly mode: string }>;

export const SCRIPT = /\.(?:sh|bash|zsh|bats|py|rb|pl|js|mjs|cjs|ts|mts)$/;
const ROOT = /^\$(?:MENDLOOP_ROOT|PWD)\//;
const VARIABLE = /\$\w+|\$[@*#?]|…|\{\{[^}]*\}\}/g;
const VARIABLE_IN = new RegExp(VARIABLE.source);

interface Around {
  readonly listing: Listing;
  /** The folder of the script that is read; empty at the root. */
  readonly own: string;
}

export interface Place {
  /** The files of the listing that a word may mean: as a path, from the folders named beside it, as a pattern, by its tail. */
  find(word: string): string[];
  /** The same; where there is none, the path that a plain word means. */
  findOrName(word: string): string[];
  /** From the root or the script's own folder, as it stands. */
  exact(word: string): string[];
  /** The folders that a word may mean, the root apart. */
  folders(word: string): string[];
}

/** `goesTo`: folders that the text changes to; `values`: what it keeps in variables. */
export function placeOf(
  { listing, own }: Around,
  goesTo: readonly string[] = [],
  values: readonly string[] = [],
): Place {
  const above = own === '' ? [''] : own.split('/').map((_, i, parts) => parts.slice(0, parts.length - i).join('/'));
  const start = [...new Set(['', ...above])];
  const plain = [...goesTo, ...values]
    .map((word) => word.replace(ROOT, ''))
    .filter((word) => !VARIABLE_IN.test(word) && !word.startsWith('/'));
  const folders = [...new Set([...start, ...plain.flatMap((word) => start.map((from) => inside(from, word)))])];
  // After a `cd` that only the shell knows a word may lie anywhere.
  const anywhere = goesTo.some((word) => VARIABLE_IN.test(word));
  const from = (word: string) =>
    [...new Set(folders.map((folder) => inside(folder, word)))].filter((path) => listing.has(path));
  const exact = (word: string) =>
    [...new Set(['', own].map((folder) => inside(folder, word)))].filter((path) => listing.has(path));
  const matching = (patterns: string[]) => [...listing.keys()].filter(pathMatcher(patterns));
  const byTail = (tail: string): string[] => {
    if (!/[./]/.test(tail) || !hasName(tail)) return [];
    if (/[*?[{]/.test(tail)) return matching([`**/${tail}`]);
    return (byName(listing).get(nameOf(tail)) ?? []).filter((path) => `/${path}`.endsWith(`/${tail}`));
  };

  function find(given: string): string[] {
    const word = given.replace(ROOT, '').replace(/^(?:\.\/)+/, '');
    if (word === '' || word.startsWith('/') || word.startsWith('~')) return [];
    const [leading] = /^(?:\$\w+|\$[@*#?]|…|\{\{[^}]*\}\})+\/?/.exec(word) ?? [];
    if (leading !== undefined) {
      const tail = word.slice(leading.length);
      if (!leading.endsWith('/') || tail === '') return [];
      const found = find(tail);
      return found.length > 0 ? found : byTail(globOf(tail.replace(/^(?:\.\.?\/)+/, '')));
    }
    const glob = globOf(word);
    if (glob !== word && !hasName(glob)) return [];
    if (/[*?[{]/.test(glob)) return matching(folders.map((folder) => inside(folder, glob)));
    const found = from(word);
    return found.length > 0 || !anywhere ? found : byTail(word.replace(/^(?:\.\.?\/)+/, ''));
  }
  return {
    find,
    findOrName(word) {
      const found = find(word);
      const path = inside('', word.replace(ROOT, ''));
      const isPath = path.includes('/') || SCRIPT.test(path);
      const isNamed = isPath && !VARIABLE_IN.test(path) && !/[*?[\]{}\s]|^[/~]|^\.\.\//.test(path);
      return found.length > 0 || !isNamed ? found : [path];
    },
    exact,
    folders: (word) =>
      folders
        .map((folder) => inside(folder, word.replace(ROOT, '')))
        .filter((folder) => folder !== '.' && [...listing.keys()].some((path) => path.startsWith(`${folder}/`))),
  };
}

const nameOf = (path: string): string => path.split('/').at(-1) as string;

/** The paths of a listing by their last part, found once a listing. */
const namesIn = new WeakMap<Listing, Map<string, string[]>>();
function byName(listing: Listing): Map<string, string[]> {
  const known = namesIn.get(listing);
  if (known) return known;
  const names = new Map<string, string[]>();
  for (const path of listing.keys()) names.set(nameOf(path), [...(names.get(nameOf(path)) ?? []), path]);
  namesIn.set(listing, names);
  return names;
}

/** Whether a pattern names something: `*.sh` could be any script. */
const hasName = (glob: string): boolean =>
  /\w/.test(
    nameOf(glob)
      .replace(/\.\w+$/, '')
      .replace(/\[[^\]]*\]/g, ''),
  );
const globOf = (word: string): string => word.replace(VARIABLE, '*');
const inside = (folder: string, word: string): string => normalize(join(folder, word)).replace(/\/$/, '');
