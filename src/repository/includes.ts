// Which file reads which into itself: what a file names, resolved to files of the tree.
import { join, normalize } from 'node:path/posix';
import type { FileNames } from './definition.ts';
import { isEnvFile } from './read-file.ts';
import type { Tree } from './tree.ts';

interface Edge {
  readonly path: string;
  readonly prefix: string;
}
/** A file that another can see, and what stands before the names of its targets then. */
export type Seen = ReadonlyMap<string, string>;

export interface Includes {
  /** The file itself and all that it reads, directly or not. */
  below(path: string): Seen;
  /** Those that read it, directly or not, without the file itself. */
  above(path: string): ReadonlySet<string>;
  /** Whether something that one of these files reads is not known. An env file cannot define more than variables. */
  isOpen(paths: Iterable<string>, countsEnv: boolean): boolean;
  /** The files that read something of which not even the name is known. */
  readonly blind: readonly string[];
}

/** What stands in a folder that is included as a whole. */
const IN_FOLDER = ['Taskfile.yml', 'Taskfile.yaml', 'mod.just', 'justfile', '.justfile', 'compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];
const COMPUTED_PART = /[$`*?]|\{\{|%/;

export function includesOf(tree: Tree, listed: readonly string[], files: ReadonlyMap<string, FileNames>): Includes {
  const byLast = Map.groupBy ? undefined : undefined;
  void byLast;
  const named = new Map<string, string[]>();
  for (const path of listed) {
    const last = path.slice(path.lastIndexOf('/') + 1);
    named.set(last, [...(named.get(last) ?? []), path]);
  }
  const isFile = (path: string) => tree.exists(path) && !tree.isFolder(path);
  const throughLink = (path: string) => {
    const target = tree.linkTarget(path);
    return target === undefined ? path : normalize(join(path, '..', target));
  };

  function resolve(from: string, path: string): string | undefined {
    if (/^(?:[/~<-]|\w+:\/\/)/.test(path)) return undefined;
    const parts = path.split('/').filter((part) => part !== '.' && part !== '');
    const computed = parts.findLastIndex((part) => COMPUTED_PART.test(part));
    if (computed === -1) {
      const places = [join(from, '..', path), normalize(path)];
      const candidates = places.flatMap((place) => [place, `${place}.just`, ...IN_FOLDER.map((name) => join(place, name))]);
      const found = candidates.map(throughLink).find(isFile);
      if (found !== undefined) return found;
    }
    const rest = parts.slice(computed + 1).filter((part) => part !== '..');
    const last = named.get(rest.at(-1) ?? '') ?? [];
    const alike = last.filter((one) => `/${one}`.endsWith(`/${rest.join('/')}`));
    const [only, ...more] = alike.length > 0 ? alike : last;
    return more.length === 0 ? only : undefined;
  }

  const edges = new Map<string, Edge[]>();
  const readers = new Map<string, string[]>();
  /** The files that read what is not here; true where more than an env file is missing. */
  const open = new Map<string, boolean>();
  const blind: string[] = [];
  for (const [from, { includes }] of files) {
    for (const { path, prefix = '' } of from.endsWith('.py') ? [] : includes) {
      const to = resolve(from, path);
      if (to === undefined) open.set(from, open.get(from) === true || !isEnvFile(path));
      if (COMPUTED_PART.test(path.split('/').at(-1) ?? '')) blind.push(from);
      if (to === undefined || to === from) continue;
      edges.set(from, [...(edges.get(from) ?? []), { path: to, prefix }]);
      readers.set(to, [...(readers.get(to) ?? []), from]);
    }
  }

  function below(path: string): Seen {
    const seen = new Map([[path, '']]);
    for (const [one, before] of seen) {
      for (const { path: next, prefix } of edges.get(one) ?? []) if (!seen.has(next)) seen.set(next, before + prefix);
    }
    return seen;
  }

  function above(path: string): ReadonlySet<string> {
    const seen = new Set(readers.get(path));
    for (const one of seen) for (const next of readers.get(one) ?? []) seen.add(next);
    seen.delete(path);
    return seen;
  }

  const isOpen = (paths: Iterable<string>, countsEnv: boolean) =>
    [...paths].some((path) => (countsEnv ? open.has(path) : open.get(path) === true));
  return { below, above, isOpen, blind };
}
