// Names as tests write them: `kind of:name`, with `?` behind what only looks like a definition and `@3` for its line.
import type { Name } from '../../src/repository/definition.ts';
import { namesIn } from '../../src/repository/read-file.ts';

const written = ({ kind, name, of, maybe }: Name): string => `${kind} ${of ? `${of}:` : ''}${name}${maybe ? '?' : ''}`;
const unique = (list: readonly string[]): string[] => [...new Set(list)].sort();

/** What a file defines, but for guesses that are definitions as well. */
export function defined(path: string, text: string, ...kinds: string[]): string[] {
  const all = unique(namesIn(path, text).defines.map(written)).filter((one) => keeps(one, kinds));
  return all.filter((one) => !one.endsWith('?') || !all.includes(one.slice(0, -1)));
}

export const used = (path: string, text: string, ...kinds: string[]): string[] =>
  unique(
    namesIn(path, text)
      .uses.filter(({ kind }) => kind !== 'file')
      .map(written),
  ).filter((one) => keeps(one, kinds));

export const included = (path: string, text: string): string[] =>
  namesIn(path, text).uses.flatMap(({ kind, name, of }) => (kind === 'file' ? (of ? `${of} ${name}` : name) : []));

const keeps = (one: string, kinds: readonly string[]) =>
  // Every key at the top of YAML is an entry: tests ask for them by name.
  kinds.length === 0 ? !one.startsWith('entry ') : kinds.some((kind) => one.startsWith(`${kind} `));
