// The leaves of Terraform's language: assignments with the blocks around them, here-documents and lists as one value, and each
// block itself as a leaf of value `{}`.
import type { Data, Leaf } from './data.ts';

const BLOCK = /^([\w-]+)((?:\s+(?:"[^"]*"|[\w-]+))*)\s*\{(.*)$/s;
const ASSIGNMENT = /^"?([\w.-]+)"?\s*=\s*(.*)$/s;
const PAIR = /"?([\w.-]+)"?\s*[=:]\s*("(?:[^"\\]|\\.)*"|[^\s,}]+)/g;

/** Total: what it does not know it leaves out. */
export function readHcl(text: string): Data {
  const lines = withoutComments(text).split('\n');
  const leaves: Leaf[] = [];
  const path: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = i + 1;
    const start = (lines[i] as string).trim();
    if (/^[\])}]/.test(start)) path.pop();
    const [, type, labels = '', rest = ''] = BLOCK.exec(start) ?? [];
    if (type !== undefined) {
      const name = [type, ...labels.split(/["\s]+/)].filter(Boolean).join('.');
      leaves.push({ keys: [...path, name], value: '{}', line });
      leaves.push(...pairsOf([...path, name], rest, line));
      if (!/\}\s*$/.test(rest)) path.push(name);
      continue;
    }
    const [, key, first = ''] = ASSIGNMENT.exec(start) ?? [];
    if (key === undefined) continue;
    const keys = [...path, key];
    const parts = [first];
    let mark = MARK.exec(first)?.[1];
    for (let depth = opened(first); i + 1 < lines.length && (mark !== undefined || depth > 0); ) {
      const next = lines[++i] as string;
      parts.push(next);
      if (mark !== undefined) mark = next.trim() === mark ? undefined : mark;
      else {
        mark = MARK.exec(next)?.[1];
        depth += opened(next);
      }
    }
    const value = parts.join('\n');
    leaves.push({ keys, value: first.startsWith('<<') ? parts.slice(1, -1).join('\n') : unquoted(value), line });
    if (value.startsWith('{')) leaves.push(...pairsOf(keys, value, line));
  }
  return { leaves, documents: [], lines: new Map(), inner: new Map(), parsed: true };
}

const MARK = /<<[-~]?(\w+)\s*$/;
const ITEM = /<<[-~]?(\w+)\n([\s\S]*?)\n\s*\1(?=\n|$)|"((?:[^"\\]|\\.)*)"/g;

/** The texts of a list, also of `compact([…])`, each with how many lines it stands below the list's; undefined: no list. */
export const listItems = (value: string): { text: string; below: number }[] | undefined =>
  /^(?:\w+\()*\[/.test(value)
    ? [...value.matchAll(ITEM)].map(({ index, 2: document, 3: quoted = '' }) => ({
        text: document ?? quoted.replace(/\\(["'\\])/g, '$1').replace(/\\n/g, '\n'),
        below: value.slice(0, index).split('\n').length - (document === undefined ? 1 : 0),
      }))
    : undefined;

const unquoted = (value: string): string => /^"((?:[^"\\]|\\.)*)"$/s.exec(value.trim())?.[1] ?? value.trim();
const pairsOf = (keys: readonly string[], text: string, line: number): Leaf[] =>
  [...text.matchAll(PAIR)].map(([, key, value]) => ({
    keys: [...keys, key as string],
    value: unquoted(value as string),
    line,
  }));

/** How many more brackets a line opens than it closes, outside of texts. */
function opened(line: string): number {
  const plain = line.replace(/"(?:[^"\\\n]|\\.)*"/g, '');
  return (plain.match(/[[{(]/g)?.length ?? 0) - (plain.match(/[\])}]/g)?.length ?? 0);
}

/** Comments as blanks; lines stay. */
const withoutComments = (text: string): string =>
  text.replace(
    /("(?:[^"\\\n]|\\.)*")|(<<[-~]?(\w+)\n[\s\S]*?\n\s*\3(?=\n|$))|\/\*[\s\S]*?(?:\*\/|$)|(?:#|\/\/)[^\n]*/g,
    (whole, quoted, document) => quoted ?? document ?? whole.replace(/[^\n]/g, ' '),
  );
