// What is found in one file, collected.
import { ANY, type FileNames, type Kind, type Name, type Play } from './definition.ts';

/** Of a template, a substitution, an alias that nothing resolves: not a name, but what makes one. */
const COMPUTED = /\{\{|\{%|<%|\$|`|^\*|^<<$/;
export const isComputed = (text: string): boolean => COMPUTED.test(text);

/** Adds one name; one that is computed stands for any, one that is empty or undefined for none. */
export type Add = (kind: Kind, name: string | undefined, of?: string, inside?: string) => void;

export interface Found {
  /** Where the reader is. */
  line: number;
  readonly define: Add;
  /** The same for what only looks like a definition. */
  readonly guess: Add;
  readonly use: Add;
  readonly plays: Play[];
  names(): FileNames;
}

export function collect(): Found {
  const defines = new Map<string, Name>();
  const uses = new Map<string, Name>();
  /** What stands in a file many times is listed once where only its name counts. */
  const adder = (to: Map<string, Name>, isOnce: boolean, more?: { maybe: true }): Add =>
    function add(kind, text, of, inside) {
      if (!text) return;
      const name = kind === 'file' ? text.replace(/["']/g, '') : isComputed(text) ? ANY : text;
      const key = `${isOnce ? '' : found.line} ${more?.maybe} ${kind} ${of} ${name}`;
      if (!to.has(key))
        to.set(key, { kind, name, line: found.line, ...(of && { of }), ...(inside && { inside }), ...more });
    };
  const found: Found = {
    line: 1,
    define: adder(defines, false),
    guess: adder(defines, true, { maybe: true }),
    use: adder(uses, true),
    plays: [],
    names: () => ({
      ...{ defines: [...defines.values()], uses: [...uses.values()] },
      ...(found.plays.length > 0 && { plays: found.plays }),
    }),
  };
  return found;
}
