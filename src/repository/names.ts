// What a reader has found in one file, collected: each definition once a line, each use once.
import { ANY, type FileNames, type Include, type Kind, type Name, type Play, type UsedKind } from './definition.ts';

/** Of a template, a substitution, an alias that nothing resolves: not a name, but what makes one. */
const COMPUTED = /\{\{|\{%|<%|\$[({\w]|`|^\*|^<<$/;

export const isComputed = (text: string): boolean => COMPUTED.test(text);

/** A name that is computed stands for any, one that is empty or undefined for none. */
export interface Found {
  /** Where the reader is. */
  line: number;
  define(kind: Kind, name: string | undefined, of?: string, inside?: string): void;
  /** The same for what only looks like a definition. */
  guess(kind: Kind, name: string | undefined, of?: string): void;
  use(kind: UsedKind, name: string | undefined): void;
  include(path: string | undefined, prefix?: string): void;
  readonly plays: Play[];
  names(): FileNames;
}

/** The names of a file that exceeds a bound or does not parse. */
export const UNREAD: FileNames = { defines: [], uses: [], includes: [], unread: true };

export function collect(): Found {
  const defines = new Map<string, Name>();
  const uses = new Map<string, Name>();
  const includes = new Map<string, Include>();
  const add = (to: Map<string, Name>, isOnce: boolean, text: string | undefined, more: Omit<Name, 'name' | 'line'>) => {
    if (!text) return;
    const name = isComputed(text) ? ANY : text;
    const key = `${isOnce ? '' : found.line} ${more.maybe} ${more.kind} ${more.of} ${name}`;
    if (!to.has(key)) to.set(key, { name, line: found.line, ...more });
  };
  const found: Found = {
    line: 1,
    define: (kind, name, of, inside) =>
      add(defines, false, name, { kind, ...(of && { of }), ...(inside && { inside }) }),
    guess: (kind, name, of) => add(defines, true, name, { kind, ...(of && { of }), maybe: true }),
    use: (kind, name) => add(uses, true, name, { kind }),
    include(path, prefix) {
      if (path) includes.set(`${prefix} ${path}`, prefix ? { path, prefix } : { path });
    },
    plays: [],
    names: () => ({
      ...{ defines: [...defines.values()], uses: [...uses.values()], includes: [...includes.values()] },
      ...(found.plays.length > 0 && { plays: found.plays }),
    }),
  };
  return found;
}

/** Goes through a text line by line. */
export function eachLine(text: string, found: Found, read: (line: string) => void): void {
  text.split(/\r?\n/).forEach((line, i) => {
    found.line = i + 1;
    read(line);
  });
}
