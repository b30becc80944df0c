// The leaves of Nix: settings with the names above them, items of lists each as one; texts keep their lines.
import type { Data, Leaf } from './data.ts';

const NAME = /[\w'-]+|"[^"\n]*"|\$\{[^}\n]*\}/;
const TOKEN = new RegExp(
  [
    String.raw`#[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|\bwith\s+[\w.]+\s*;`,
    String.raw`(?<name>(?:${NAME.source})(?:\.(?:${NAME.source}))*)\s*=(?!=)`,
    String.raw`''(?<text>(?:[^']|'(?!')|'''|''[$\\])*)''`,
    String.raw`"(?<quoted>(?:[^"\\]|\\[\s\S])*)"`,
    String.raw`(?<sign>[{}[\];])`,
    String.raw`(?<word>[^\s"'{}[\];=#]+)`,
  ].join('|'),
  'g',
);
const CLOSES: Readonly<Record<string, string>> = { '}': '{', ']': '[' };

/** Total: what it does not know it leaves out. */
export function readNix(text: string): Data {
  const leaves: Leaf[] = [];
  const open: { sign: string; keys: readonly string[] }[] = [];
  let [at, line] = [0, 1];
  for (const match of text.matchAll(TOKEN)) {
    const { name, text: block, quoted, sign, word } = match.groups as Readonly<Record<string, string | undefined>>;
    line += text.slice(at, match.index).split('\n').length - 1;
    at = match.index;
    const keys = open.at(-1)?.keys ?? [];
    const value = block ?? quoted ?? word;
    if (name !== undefined) {
      const parts = name.match(new RegExp(NAME, 'g')) ?? [];
      open.push({ sign: '=', keys: [...keys, ...parts.map((part) => part.replace(/^"|"$/g, ''))] });
    } else if (sign === ';') {
      if (open.at(-1)?.sign === '=') open.pop();
    } else if (sign !== undefined && CLOSES[sign] === undefined) open.push({ sign, keys });
    else if (sign !== undefined) {
      const from = open.findLastIndex((one) => one.sign === CLOSES[sign]);
      if (from !== -1) open.splice(from);
    } else if (value !== undefined && open.some((one) => one.sign === '=')) leaves.push({ keys, value, line });
  }
  return { leaves, documents: [], lines: new Map(), inner: new Map(), parsed: true };
}
