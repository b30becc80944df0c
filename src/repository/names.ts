// What a reader has found in one file, collected: each definition once a line, each use once.
import { ANY, type FileNames, type Include, type Kind, type Name } from './definition.ts';

/** Of a template, a substitution, an alias that nothing resolves: not a name, but what makes one. */
const COMPUTED = /\{\{|\{%|<%|\$[({\w]|`|^\*|^<<$/;

export const isComputed = (text: string): boolean => COMPUTED.test(text);

/** A name that is computed stands for any, one that is empty or undefined for none. */
type Take = (kind: Kind, name: string | undefined, of?: string, inside?: string) => void;

export interface Found {
  /** Where the reader is. */
  line: number;
  readonly define: Take;
  /** The same for what only looks like a definition. */
  readonly guess: Take;
  readonly use: Take;
  include(path: string | undefined, prefix?: string): void;
  names(): FileNames;
}

/** The names of a file that exceeds a bound. */
export const UNREAD: FileNames = { defines: [], uses: [], includes: [], unread: true };

export function collect(): Found {
  const defines = new Map<string, Name>();
  const uses = new Map<string, Name>();
  const includes = new Map<string, Include>();
  const add = (
    to: Map<string, Name>,
    kind: Kind,
    text: string | undefined,
    more: Omit<Name, 'kind' | 'name' | 'line'>,
  ) => {
    if (!text) return;
    const { of, maybe } = more;
    // Each play has its own groups and roles.
    const isOnce = (to === uses && kind !== 'group' && kind !== 'role') || maybe;
    const name = isComputed(text) ? ANY : text;
    const key = `${isOnce ? '' : found.line} ${maybe} ${kind} ${of} ${name}`;
    if (!to.has(key)) to.set(key, { kind, name, line: found.line, ...more });
  };
  const found: Found = {
    line: 1,
    define: (kind, name, of, inside) => add(defines, kind, name, { ...(of && { of }), ...(inside && { inside }) }),
    guess: (kind, name, of) => add(defines, kind, name, { ...(of && { of }), maybe: true }),
    use: (kind, name, of) => add(uses, kind, name, of ? { of } : {}),
    include(path, prefix) {
      if (path) includes.set(`${prefix} ${path}`, prefix ? { path, prefix } : { path });
    },
    names: () => ({ defines: [...defines.values()], uses: [...uses.values()], includes: [...includes.values()] }),
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
