// What a reader has found in one file, collected: each definition once a line, each use once.
import { ANY, type FileNames, type Include, type Kind, type Name } from './definition.ts';

/** Of a template, a substitution, an alias that nothing resolves: not a name, but what makes one. */
const COMPUTED = /\{\{|\{%|<%|\$[({\w]|`|^\*/;

export const isComputed = (text: string): boolean => COMPUTED.test(text);

export interface Found {
  /** A name that is computed stands for any, one that is empty for none; `inside`: the namespace it is in. */
  define(kind: Kind, name: string, line: number, of?: string, inside?: string): void;
  /** The same for what only looks like a definition. */
  guess(kind: Kind, name: string, line: number): void;
  use(kind: Kind, name: string, line: number, of?: string): void;
  include(path: string, prefix?: string): void;
  /** The file exceeds a bound. */
  giveUp(): void;
  names(): FileNames;
}

/** The names of a file that nobody could read. */
export const UNREAD: FileNames = { defines: [], uses: [], includes: [], unread: true };

export function collect(): Found {
  const defines = new Map<string, Name>();
  const uses = new Map<string, Name>();
  const includes = new Map<string, Include>();
  let isRead = true;
  const add = (to: Map<string, Name>, given: Name, key: string) => {
    if (given.name === '') return;
    const name = isComputed(given.name) ? { ...given, name: ANY } : given;
    const id = `${key} ${name.kind} ${name.of ?? ''} ${name.name}`;
    if (!to.has(id)) to.set(id, name);
  };
  return {
    define: (kind, name, line, of, inside) =>
      add(defines, { kind, name, line, ...(of && { of }), ...(inside && { inside }) }, String(line)),
    guess: (kind, name, line) => add(defines, { kind, name, line, maybe: true }, 'maybe'),
    // Each play has its own groups and roles.
    use: (kind, name, line, of) =>
      add(uses, { kind, name, line, ...(of && { of }) }, kind === 'group' || kind === 'role' ? String(line) : ''),
    include(path, prefix) {
      if (path !== '') includes.set(`${prefix ?? ''} ${path}`, prefix ? { path, prefix } : { path });
    },
    giveUp() {
      isRead = false;
    },
    names: () =>
      isRead ? { defines: [...defines.values()], uses: [...uses.values()], includes: [...includes.values()] } : UNREAD,
  };
}
