// Which files of the repository a word of a command may mean, under any spelling: better one too many than one too few, but
// nothing by a word that could be anything.
import { dirname, join, normalize } from 'node:path/posix';
import { pathMatcher } from '../../config/paths.ts';

/** The files of a commit (or of the index), with their modes. */
export type Listing = ReadonlyMap<string, { readonly mode: string }>;

export const SCRIPT = /\.(?:sh|bash|zsh|bats|py|rb|pl|js|mjs|cjs|ts|mts)$/;
const ROOT = /^\$(?:MENDLOOP_ROOT|PWD)\//;
const VARIABLE = /\$\{\w+\}|\$\w+|\$[@*#?!$-]|…/g;
const VARIABLE_IN = new RegExp(VARIABLE.source);
const LEADING = new RegExp(`^(?:${VARIABLE.source})+/?`);
const MAX_SPELLINGS = 64;

interface Around {
  readonly listing: Listing;
  /** The folder of the script that is read; empty at the root. */
  readonly dir: string;
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
  { listing, dir }: Around,
  goesTo: readonly string[] = [],
  values: readonly (readonly [name: string, value: string])[] = [],
): Place {
  const above = dir === '' ? [''] : dir.split('/').map((_, i, parts) => parts.slice(0, parts.length - i).join('/'));
  const start = [...new Set(['', ...above])];
  const plain = [...goesTo, ...values.map(([, value]) => value)]
    .map((word) => word.replace(ROOT, ''))
    .filter((word) => !VARIABLE_IN.test(word) && !word.startsWith('/'));
  const named = plain
    .flatMap((word) => start.map((from) => inside(from, word)))
    .filter((folder) => isFolder(listing, folder));
  const folders = [...new Set([...start, ...named])];
  // After a `cd` that only the shell knows a word may lie anywhere.
  const anywhere = goesTo.some((word) => VARIABLE_IN.test(word));
  const from = (word: string) =>
    [...new Set(folders.map((folder) => inside(folder, word)))].filter((path) => listing.has(path));
  const exact = (word: string) =>
    [...new Set(['', dir].map((folder) => inside(folder, word)))].filter((path) => listing.has(path));
  const matching = (patterns: string[]) => matchesIn(listing, patterns);
  const byTail = (tail: string): string[] => {
    if (!/[./]/.test(tail) || !hasName(tail)) return [];
    if (/[*?[{]/.test(tail)) return matching([`**/${tail}`]);
    return (indexOf(listing).names.get(nameOf(tail)) ?? []).filter((path) => `/${path}`.endsWith(`/${tail}`));
  };

  /** The word as it stands, and with the values of its variables. */
  function spellings(word: string): Set<string> {
    const all = new Set([word]);
    for (const spelling of all) {
      const parts = new Set(spelling.match(VARIABLE));
      for (const [name, value] of parts.size === 0 ? [] : values) {
        if (all.size >= MAX_SPELLINGS) return all;
        const isMeant = (part: string) => part === `$${name}` || part === `\${${name}}`;
        if ([...parts].some(isMeant)) all.add(spelling.replace(VARIABLE, (part) => (isMeant(part) ? value : part)));
      }
    }
    return all;
  }

  const find = (word: string): string[] => [...new Set([...spellings(word)].flatMap(findSpelling))];

  function findSpelling(given: string): string[] {
    const word = given.replace(ROOT, '').replace(/^(?:\.\/)+/, '');
    if (word === '' || word.startsWith('/') || word.startsWith('~')) return [];
    const [leading] = LEADING.exec(word) ?? [];
    if (leading !== undefined) {
      const tail = word.slice(leading.length);
      if (!leading.endsWith('/') || tail === '') return [];
      const paths = findSpelling(tail);
      return paths.length > 0 ? paths : byTail(globOf(tail.replace(/^(?:\.\.?\/)+/, '')));
    }
    const glob = globOf(word);
    if (glob !== word && !hasName(glob)) return [];
    if (/[*?[{]/.test(glob)) return matching(folders.map((folder) => inside(folder, glob)));
    const paths = from(word);
    return paths.length > 0 || !anywhere ? paths : byTail(word.replace(/^(?:\.\.?\/)+/, ''));
  }
  return {
    find,
    findOrName(word) {
      const paths = find(word);
      const path = inside('', word.replace(ROOT, ''));
      const isPath = path.includes('/') || SCRIPT.test(path);
      const isNamed = isPath && !VARIABLE_IN.test(path) && !/[*?[\]{}\s]|^[/~]|^\.\.\//.test(path);
      return paths.length > 0 || !isNamed ? paths : [path];
    },
    exact,
    folders: (word) =>
      folders.map((folder) => inside(folder, word.replace(ROOT, ''))).filter((folder) => isFolder(listing, folder)),
  };
}

const nameOf = (path: string): string => path.split('/').at(-1) as string;

interface Index {
  /** The paths by their last part. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  readonly folders: ReadonlySet<string>;
}

const indices = new WeakMap<Listing, Index>();
const matches = new WeakMap<Listing, Map<string, string[]>>();

/** Each list of patterns is compared once a listing: scripts that share a library ask the same again and again. */
function matchesIn(listing: Listing, patterns: string[]): string[] {
  const before = matches.get(listing) ?? new Map<string, string[]>();
  matches.set(listing, before);
  const key = patterns.join('\n');
  const paths = before.get(key) ?? [...listing.keys()].filter(pathMatcher(patterns));
  before.set(key, paths);
  return paths;
}

/** Made once a listing. */
function indexOf(listing: Listing): Index {
  const index = indices.get(listing);
  if (index) return index;
  const names = new Map<string, string[]>();
  const folders = new Set<string>();
  for (const path of listing.keys()) {
    const same = names.get(nameOf(path));
    if (same) same.push(path);
    else names.set(nameOf(path), [path]);
    for (let folder = dirname(path); folder !== '.' && !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  }
  indices.set(listing, { names, folders });
  return { names, folders };
}

const isFolder = (listing: Listing, path: string): boolean => indexOf(listing).folders.has(path);

/** Whether a pattern names something: `*.sh` could be any script. */
const hasName = (glob: string): boolean =>
  /\w/.test(
    nameOf(glob)
      .replace(/\.\w+$/, '')
      .replace(/\[[^\]]*\]/g, ''),
  );
const globOf = (word: string): string => word.replace(VARIABLE, '*');
const inside = (folder: string, word: string): string => normalize(join(folder, word)).replace(/\/$/, '');
