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
    const [, mark] = /^<<[-~]?(\w+)/.exec(first) ?? [];
    let value = first;
    if (mark !== undefined) value = '';
    while (i + 1 < lines.length && (mark !== undefined ? (lines[i + 1] as string).trim() !== mark : isOpen(value))) {
      i++;
      value += `${mark === undefined || value !== '' ? '\n' : ''}${lines[i]}`;
    }
    if (mark !== undefined) i++;
    leaves.push({ keys, value: unquoted(value), line });
    if (value.startsWith('{')) leaves.push(...pairsOf(keys, value, line));
  }
  return { leaves, documents: [], lines: new Map(), inner: new Map(), parsed: false };
}

const unquoted = (value: string): string => /^"((?:[^"\\]|\\.)*)"$/s.exec(value.trim())?.[1] ?? value.trim();
const pairsOf = (keys: readonly string[], text: string, line: number): Leaf[] =>
  [...text.matchAll(PAIR)].map(([, key, value]) => ({
    keys: [...keys, key as string],
    value: unquoted(value as string),
    line,
  }));

/** Brackets outside of texts that are not closed yet. */
function isOpen(value: string): boolean {
  const plain = value.replace(/"(?:[^"\\\n]|\\.)*"/g, '');
  return (plain.match(/[[{(]/g)?.length ?? 0) > (plain.match(/[\])}]/g)?.length ?? 0);
}

/** Comments as blanks; lines stay. */
const withoutComments = (text: string): string =>
  text.replace(
    /("(?:[^"\\\n]|\\.)*")|(<<[-~]?(\w+)\n[\s\S]*?\n\s*\3(?=\n|$))|\/\*[\s\S]*?(?:\*\/|$)|(?:#|\/\/)[^\n]*/g,
    (whole, quoted, document) => quoted ?? document ?? whole.replace(/[^\n]/g, ' '),
  );
