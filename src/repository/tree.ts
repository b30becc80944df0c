// The files of a tree, as plain values and as something that can be asked. Paths are relative to its root.

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The tree an edit would land in: it goes to the thread that judges. */
export interface Listing {
  readonly files: readonly string[];
  readonly executables?: readonly string[];
  /** Path → where the link points. */
  readonly links?: ReadonlyMap<string, string>;
}

export type Tree = ReturnType<typeof treeOf>;

/** A listing that can be asked. */
export function treeOf({ files, executables = [], links = new Map() }: Listing) {
  const all = new Set([...files, ...links.keys()]);
  const above = new Set(['', ...[...all].flatMap(foldersAbove)]);
  const inFolder = new Map<string, string[]>();
  for (const path of new Set([...all, ...above])) if (path !== '') push(inFolder, folderOf(path), nameOf(path));
  return {
    exists: (path: string): boolean => all.has(path) || above.has(path),
    isFolder: (path: string): boolean => above.has(path),
    /** Where `path` itself points when it is a symbolic link; folders above it are asked for one by one. */
    linkTarget: (path: string): string | undefined => links.get(path),
    isExecutable: (path: string): boolean => executables.includes(path),
    /** The names of what lies directly in a folder; the root is ''. */
    entries: (folder: string): readonly string[] => inFolder.get(folder) ?? [],
  };
}

/** The folder that a path is in, '' for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** The folders on the way to `path`, the outermost first. */
export function foldersAbove(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join('/'));
}

export function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
