// Which path of a repository is meant by one that is not there. Pure.
import { posix } from 'node:path';
import { isSlip, slips } from './near.ts';

/** The only path near `said` among `paths` and the folders above them; undefined when it is one of them. */
export function nearPath(said: string, paths: readonly string[]): string | undefined {
  const folders = paths.flatMap((path) =>
    path.split('/').flatMap((_, i, parts) => (i === 0 ? [] : [parts.slice(0, i).join('/')])),
  );
  const every = new Set(said.endsWith('/') ? folders : [...paths, ...folders]);
  const plain = posix.normalize(said).replace(/\/$/, '');
  if (every.has(plain)) return undefined;
  const near = [...every].filter((path) => slips(plain, path) <= 2 && oneSegment(plain, path, isNear));
  const [only] = near;
  return only !== undefined && near.length === 1 && oneSegment(plain, only, isMistyped) ? only : undefined;
}

/** Whether the paths are the same but for one part, and `holds` for that. */
function oneSegment(said: string, path: string, holds: (one: string, other: string) => boolean): boolean {
  const [parts, others] = [said.split('/'), path.split('/')];
  if (parts.length !== others.length) return false;
  const differing = parts.flatMap((part, i) => (part === others[i] ? [] : [[part, others[i] as string] as const]));
  const [first] = differing;
  return first !== undefined && differing.length === 1 && holds(...first);
}

const isNear = (one: string, other: string): boolean => slips(one, other) <= (stemOf(one).length >= 8 ? 2 : 1);

/** The stem alone decides; of endings only those of YAML are the same. */
function isMistyped(one: string, other: string): boolean {
  if (stemOf(one) === stemOf(other)) return [one, other].every((name) => /^\.ya?ml$/.test(posix.extname(name)));
  return posix.extname(one) === posix.extname(other) && isSlip(stemOf(one), stemOf(other));
}

const stemOf = (name: string): string => posix.basename(name, posix.extname(name));
