// Which file reads which into itself: what a file names, resolved to files of the tree.
import { join, normalize } from 'node:path/posix';
import type { FileNames } from './definition.ts';
import { isEnvFile } from './read-file.ts';
import { push, type Tree } from './tree.ts';

/** Files that one can see, each with what stands before the names of its targets. */
export type Seen = readonly (readonly [path: string, prefix: string])[];

export interface Includes {
  /** The file itself and all that it reads, directly or not. */
  below(path: string): Seen;
  /** Those that read it, directly or not, without itself; `plain`: not those that put a prefix before its names. */
  above(path: string, plain?: boolean): readonly string[];
  /** Whether one of these files reads something that is not here; an env file counts only where variables do. */
  isOpen(paths: Seen, ofVariables: boolean): boolean;
  /** The files that read something of which not even the name is known. */
  readonly blind: readonly string[];
}

/** What is read in a folder that is included as a whole. */
const IN_FOLDER = ['Taskfile.yml', 'Taskfile.yaml', 'mod.just', 'justfile', '.justfile'].concat(
  ['compose', 'docker-compose'].flatMap((name) => [`${name}.yaml`, `${name}.yml`]),
);
const COMPUTED = /[$`*?%]|\{\{/;
const ELSEWHERE = /^(?:[/~<-]|\w+:\/\/)/;

export function includesOf(tree: Tree, paths: readonly string[], files: ReadonlyMap<string, FileNames>): Includes {
  const byLast = new Map<string, string[]>();
  for (const path of paths) push(byLast, path.slice(path.lastIndexOf('/') + 1), path);

  function resolve(from: string, path: string): string | undefined {
    if (ELSEWHERE.test(path)) return undefined;
    const parts = path.split('/').filter((part) => part !== '.' && part !== '');
    const computed = parts.findLastIndex((part) => COMPUTED.test(part));
    const places = computed === -1 ? [join(from, '..', path), normalize(path)] : [];
    const candidates = places.flatMap((place) => [
      place,
      `${place}.just`,
      ...IN_FOLDER.map((one) => `${place}/${one}`),
    ]);
    const there = candidates
      .map((one) => normalize(join(one, '..', tree.linkTarget(one) ?? one.slice(one.lastIndexOf('/') + 1))))
      .find((one) => tree.exists(one) && !tree.isFolder(one));
    if (there !== undefined) return there;
    // Scripts name files from where they are started, or below a variable: the end of the path must tell.
    const rest = parts.slice(computed + 1).filter((part) => part !== '..');
    const last = byLast.get(rest.at(-1) ?? '') ?? [];
    const alike = last.filter((one) => `/${one}`.endsWith(`/${rest.join('/')}`));
    const [only, ...more] = alike.length > 0 ? alike : last;
    return more.length === 0 ? only : undefined;
  }

  const reads = new Map<string, { path: string; prefix: string }[]>();
  const readers = new Map<string, { path: string; prefix: string }[]>();
  const missing = new Map<string, string[]>();
  const blind = new Set<string>();
  for (const [from, { includes }] of files) {
    for (const { path, prefix = '' } of includes) {
      const to = resolve(from, path);
      if (to === undefined) push(missing, from, path);
      if (COMPUTED.test(path.slice(path.lastIndexOf('/') + 1))) blind.add(from);
      if (to === undefined || to === from) continue;
      push(reads, from, { path: to, prefix });
      push(readers, to, { path: from, prefix });
    }
  }

  return {
    below(path) {
      // Once for each way into a file: two names of one Taskfile are two, and a circle ends.
      const seen = new Map<string, Seen[number]>([[path, [path, '']]]);
      for (const [, [one, before]] of seen) {
        for (const next of reads.get(one) ?? []) {
          const way = next.prefix === '' ? next.path : `${next.prefix} ${next.path}`;
          if (!seen.has(way)) seen.set(way, [next.path, before + next.prefix]);
        }
      }
      return [...seen.values()];
    },
    above(path, plain = false) {
      const seen = new Set([path]);
      for (const one of seen)
        for (const reader of readers.get(one) ?? []) if (!plain || reader.prefix === '') seen.add(reader.path);
      seen.delete(path);
      return [...seen];
    },
    isOpen: (seen, ofVariables) =>
      seen.some(([path]) => missing.get(path)?.some((one) => ofVariables || !isEnvFile(one)) ?? false),
    blind: [...blind],
  };
}
