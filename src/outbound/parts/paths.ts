// What is written → the files it means: the path itself, seen from a folder that is named beside it, or the longest end of it
// that is the end of a file's path. A template stands for what is rendered from it.
import { foldersAbove } from '../../repository/tree.ts';

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
  /** What stands in a folder: names, folders with a slash. */
  readonly listing: (folder: string) => string[];
}

const NOTHING: Meaning = { paths: [], sure: 0 };

/** `tree`: every path of the repository; `files`: those that are looked for. */
export function pathFinder(files: readonly string[], tree: readonly string[]): PathFinder {
  const wanted = new Set(files);
  const all = new Set([...tree, ...files]);
  const folders = new Set([...all].flatMap(foldersAbove));
  const byName = new Map<string, string[]>();
  for (const path of files) {
    for (const name of new Set([lastPart(path), lastPart(renderedName(path))])) {
      byName.set(name, [...(byName.get(name) ?? []), path]);
    }
  }
  const joined = (written: string, beside: readonly string[]): string[] => {
    const bases = ['', ...beside.filter((one) => one !== written).map((one) => tailFolder(one, folders))];
    return [...new Set(bases.flatMap((base) => (base === undefined ? [] : [normalized(`${base}/${written}`)])))];
  };
  return {
    isFolder: (path) => folders.has(path),
    listing: (folder) => {
      const prefix = folder === '' ? '' : `${folder}/`;
      const below = [...all].filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
      return [...new Set(below.map((path) => path.replace(/\/.*$/s, '/')))].sort();
    },
    meaning: (written, beside) => {
      const exact = joined(written, beside).filter((path) => wanted.has(path));
      if (exact.length > 0) return { paths: exact.slice(-1), sure: 1 };
      const same = byName.get(lastPart(written)) ?? [];
      const parts = normalized(written).split('/');
      const lengths = same.map((path) => [path, commonEnd(parts, path)] as const);
      const longest = Math.max(0, ...lengths.map(([, length]) => length));
      const best = lengths.filter(([, length]) => length === longest).map(([path]) => path);
      if (longest === 0) return NOTHING;
      const isWhole = longest === parts.length && parts.length > 1;
      return { paths: best, sure: (isWhole ? 0.95 : longest > 1 ? 0.9 : 0.75) / best.length };
    },
    missing: (written, beside) => {
      if (!/[/.]/.test(written) || /^https?:|^\W*$/.test(written)) return [];
      const isAbsolute = written.startsWith('/');
      const from = isAbsolute ? [belowRoot(written, folders)] : joined(written, beside);
      return from.filter((path): path is string => {
        if (path === undefined || all.has(path) || folders.has(path)) return false;
        return !isAbsolute || path.includes('/');
      });
    },
  };
}

const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

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
function tailFolder(written: string, folders: ReadonlySet<string>): string | undefined {
  const parts = normalized(written).split('/');
  for (let from = 0; from < parts.length; from++) {
    const path = parts.slice(from).join('/');
    if (folders.has(path)) return path;
    const above = parts.slice(from, -1).join('/');
    if (above !== '' && folders.has(above)) return above;
  }
  return undefined;
}

/** An absolute path as one of the repository: from the first part on that is a folder at its top. */
function belowRoot(written: string, folders: ReadonlySet<string>): string | undefined {
  const parts = normalized(written).split('/');
  const from = parts.findIndex((part) => folders.has(part));
  return from < 0 ? undefined : parts.slice(from).join('/');
}
