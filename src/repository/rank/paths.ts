// What is written → the files it means: the path itself, seen from a folder that is named beside it, or the longest end of it
// that is the end of a file's path. A template stands for what is rendered from it.
import { distance } from 'fastest-levenshtein';
import { nameOf, push, treeOf } from '../tree.ts';
import { isNear } from './near-names.ts';

const TEMPLATE = /\.(?:j2|jinja2?|tmpl|gotmpl|tpl|tftpl|template|mustache|in)$/;

/** The path that a template is rendered to, but for the folder. */
export const renderedName = (path: string): string => path.replace(TEMPLATE, '');

/** Which files a path means, and how surely: 1 is this very file. */
export interface Meaning {
  readonly paths: readonly string[];
  readonly sure: number;
}

export interface PathFinder {
  readonly meaning: (written: string, beside: readonly string[]) => Meaning;
  /** The path that would have to exist for `written` to mean something, when it looks like one of this repository and none does. */
  readonly missing: (written: string, beside: readonly string[]) => string[];
  readonly isFolder: (path: string) => boolean;
  readonly isFile: (path: string) => boolean;
  readonly exists: (path: string) => boolean;
  /** What stands in a folder: names, folders with a slash. */
  readonly listing: (folder: string) => string[];
  /** Paths that could be meant by one that does not exist: of the same name, or nearly; those that have most in common first. */
  readonly alike: (path: string, folder: string) => string[];
}

/** The same but for the ending, or for what a slip of the finger changes. */
function isAlike(name: string, wanted: string): boolean {
  const [a, b] = [name, wanted].map((one) => one.replace(/\.\w+$/, '')) as [string, string];
  return a === b ? a.length > 3 : isNear(a, b) && isNear(name, wanted);
}

/** A name that more files have means none of them. */
const MAX_MEANT = 8;
const NOTHING: Meaning = { paths: [], sure: 0 };

/** `paths`: every path of the repository. */
export function pathFinder(paths: readonly string[]): PathFinder {
  const tree = treeOf({ files: paths });
  const byName = new Map<string, string[]>();
  for (const path of paths)
    for (const name of new Set([nameOf(path), nameOf(renderedName(path))])) push(byName, name, path);
  const joined = (written: string, beside: readonly string[]): string[] => {
    const bases = ['', ...beside.filter((one) => one !== written).map((one) => tailFolder(one, tree.isFolder))];
    return [...new Set(bases.flatMap((base) => (base === undefined ? [] : [normalized(`${base}/${written}`)])))];
  };
  const isFile = (path: string): boolean => tree.exists(path) && !tree.isFolder(path);
  return {
    isFolder: tree.isFolder,
    isFile,
    exists: tree.exists,
    listing: (folder) =>
      tree
        .entries(folder)
        .map((name) => (tree.isFolder(folder === '' ? name : `${folder}/${name}`) ? `${name}/` : name))
        .sort(),
    alike(path, folder) {
      const wanted = nameOf(path);
      const parts = path.split('/');
      const names = [...byName.keys()].filter((name) => name === wanted || isAlike(name, wanted));
      const [absent = '', ...rest] = parts.slice(folder === '' ? 0 : folder.split('/').length);
      const beside = tree
        .entries(folder)
        .filter((name) => isAlike(name, absent))
        .map((name) => normalized([folder, name, ...rest].join('/')))
        .filter(tree.exists);
      const likest = [...new Set([...beside, ...names.flatMap((name) => byName.get(name) ?? [])])];
      const away = (one: string): number => distance(one, path) - 20 * commonEnd(parts, one);
      return likest.length > MAX_MEANT ? [] : likest.sort((a, b) => away(a) - away(b));
    },
    meaning: (written, beside) => {
      const exact = joined(written, beside).filter(isFile);
      if (exact.length > 0) return { paths: exact.slice(-1), sure: 1 };
      const same = byName.get(nameOf(written)) ?? [];
      const parts = normalized(written).split('/');
      const lengths = same.map((path) => [path, commonEnd(parts, path)] as const);
      const longest = Math.max(0, ...lengths.map(([, length]) => length));
      const best = lengths.filter(([, length]) => length === longest).map(([path]) => path);
      if (longest === 0 || best.length > MAX_MEANT) return NOTHING;
      const isWhole = longest === parts.length && parts.length > 1;
      return { paths: best, sure: (isWhole ? 0.95 : longest > 1 ? 0.9 : 0.75) / best.length };
    },
    missing: (written, beside) => {
      if (!/[/.]/.test(written) || /^https?:|^\W*$/.test(written)) return [];
      const isAbsolute = written.startsWith('/');
      const from = isAbsolute ? [belowRoot(written, tree.isFolder)] : joined(written, beside);
      return from.filter((path): path is string => {
        if (path === undefined || tree.exists(path)) return false;
        return !isAbsolute || path.includes('/');
      });
    },
  };
}

/** Without `.` and `..`; what leads out of the repository begins with `..`. */
export function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** How many parts the end of a written path and a file's path (or what it is rendered to) have in common. */
export function commonEnd(parts: readonly string[], path: string): number {
  const count = (other: readonly string[]): number => {
    let length = 0;
    while (length < parts.length && length < other.length && parts.at(-1 - length) === other.at(-1 - length)) length++;
    return length;
  };
  return Math.max(count(path.split('/')), count(renderedName(path).split('/')));
}

/** The folder of the repository that the end of `written` names. */
function tailFolder(written: string, isFolder: (path: string) => boolean): string | undefined {
  const parts = normalized(written).split('/');
  for (let from = 0; from < parts.length; from++) {
    const path = parts.slice(from).join('/');
    if (isFolder(path)) return path;
    const above = parts.slice(from, -1).join('/');
    if (above !== '' && isFolder(above)) return above;
  }
  return undefined;
}

/** An absolute path as one of the repository: from the first part on that is a folder at its top. */
function belowRoot(written: string, isFolder: (path: string) => boolean): string | undefined {
  const parts = normalized(written).split('/');
  const from = parts.findIndex(isFolder);
  return from < 0 ? undefined : parts.slice(from).join('/');
}
