// Which file reads which into itself: what a file names, resolved to files of the tree.
import { join, normalize } from 'node:path/posix';
import type { Files } from './definition.ts';
import { isEnvFile } from './read-file.ts';
import { nameOf, push, type Tree } from './tree.ts';

/** Files that one can see, each with what stands before the names of its targets. */
export type Seen = readonly (readonly [path: string, prefix: string])[];
export type Includes = ReturnType<typeof includesOf>;

/** What is read in a folder that is included as a whole. */
const COMPOSE = 'compose.yaml compose.yml docker-compose.yaml docker-compose.yml';
const IN_FOLDER = `Taskfile.yml Taskfile.yaml mod.just justfile .justfile ${COMPOSE}`.split(' ');
const COMPUTED = /[$`*?%]|\{\{/;
const ELSEWHERE = /^(?:[/~<-]|\w+:\/\/)/;

export function includesOf(tree: Tree, paths: readonly string[], files: Files) {
  const byLast = new Map<string, string[]>();
  for (const path of paths) push(byLast, nameOf(path), path);

  function resolve(from: string, path: string): string | undefined {
    if (ELSEWHERE.test(path)) return undefined;
    const parts = path.split('/').filter((part) => part !== '.' && part !== '');
    const computed = parts.findLastIndex((part) => COMPUTED.test(part));
    const places = computed === -1 ? [join(from, '..', path), normalize(path)] : [];
    const there = places
      .flatMap((place) => [place, `${place}.just`, ...IN_FOLDER.map((one) => `${place}/${one}`)])
      .map((one) => join(one, '..', tree.linkTarget(one) ?? nameOf(one)))
      .find((one) => tree.exists(one) && !tree.isFolder(one));
    if (there !== undefined) return there;
    // Scripts name files from where they are started, or below a variable: the end of the path must tell.
    const rest = parts.slice(computed + 1).filter((part) => part !== '..');
    const last = byLast.get(rest.at(-1) ?? '') ?? [];
    const alike = last.filter((one) => `/${one}`.endsWith(`/${rest.join('/')}`));
    const [only, ...more] = alike.length > 0 ? alike : last;
    return more.length === 0 ? only : undefined;
  }

  const includes = [...files].flatMap(([from, { uses }]) =>
    uses.flatMap(({ kind, name, of: prefix = '' }) =>
      kind === 'file' ? [{ from, name, prefix, to: resolve(from, name) }] : [],
    ),
  );

  const missing = includes.filter(({ to }) => to === undefined);

  return {
    /** The file itself and all that it reads, directly or not. */
    below(path: string): Seen {
      // Once for each way into a file: two names of one Taskfile are two, and a circle ends.
      const seen = new Map<string, Seen[number]>([[path, [path, '']]]);
      for (const [one, before] of seen.values())
        for (const { from, to, prefix } of includes) {
          const way = prefix === '' ? `${to}` : `${prefix} ${to}`;
          if (from === one && to !== undefined && !seen.has(way)) seen.set(way, [to, before + prefix]);
        }
      return [...seen.values()];
    },
    /** Those that read it, directly or not, without itself; `plain`: not those that put a prefix before its names. */
    above(path: string, plain = false): string[] {
      const seen = new Set([path]);
      for (const one of seen)
        for (const { from, to, prefix } of includes) if (to === one && (!plain || prefix === '')) seen.add(from);
      seen.delete(path);
      return [...seen];
    },
    /** Whether one of these files reads something that is not here; an env file counts only where variables do. */
    isOpen: (seen: Seen, ofVariables: boolean): boolean =>
      missing.some(({ from, name }) => (ofVariables || !isEnvFile(name)) && seen.some(([path]) => path === from)),
    /** The files that read something of which not even the name is known. */
    blind: includes.filter(({ name }) => COMPUTED.test(nameOf(name))).map(({ from }) => from),
  };
}
