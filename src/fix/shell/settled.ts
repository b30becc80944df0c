// Variables of a script that hold one text whenever they are asked for: which command they are is known.
import { nodesOf, type ShellNode } from './node.ts';
import { readAssignment } from './statement.ts';
import type { Word } from './words.ts';

/** What variables hold that never hold anything else, by their names: one text, or those of a list. */
export type Settled = ReadonlyMap<string, readonly string[]>;

const ASSIGNMENT = new Set(['variable_assignment']);
const MAY_SET_ANY = /(?:^|[\s;&|(])(?:source|\.|eval)\s/g;
/** Names that stand without their dollar, and where they stand with it. */
const BARE = /(?<![$\w]|\$\{)([A-Za-z_]\w*)|\$\{(\w+):?=/g;
const USED = /\$\{?([A-Za-z_]\w*)/g;

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * What a script sets by a plain text at its outermost level; a name that stands anywhere else without its dollar may
 * be set there.
 */
export function settledValues(root: ShellNode): Settled {
  const text = root.text.replace(/^\s*#.*$/gm, (line) => ' '.repeat(line.length));
  const all = outermost(root).map((node) => ({ ...readAssignment(node), from: node.from }));
  const [set, bare] = [
    counted(all.map(({ name }) => name)),
    counted([...text.matchAll(BARE)].map(([, name, other = '']) => name ?? other)),
  ];
  const used = new Map([...text.matchAll(USED)].reverse().map(({ index, 1: name = '' }) => [name, index]));
  const open = [...text.matchAll(MAY_SET_ANY)].at(-1)?.index ?? -1;
  const values = new Map<string, readonly string[]>();
  // Of several the last one counts, unless one before it was used.
  for (const { name, values: given, append, from } of new Map(all.map((one) => [one.name, one])).values()) {
    const isPlain = !append && !given.some(({ dynamic }) => dynamic);
    const isLast = set.get(name) === bare.get(name) && (used.get(name) ?? from) >= from && open < from;
    const texts = given.map((word) => word.text);
    if (isPlain && isLast) values.set(name, texts);
  }
  return values;
}

const outermost = ({ children }: ShellNode): ShellNode[] =>
  children.flatMap((node) =>
    ASSIGNMENT.has(node.type) ? [node] : node.type === 'declaration_command' ? nodesOf(node, ASSIGNMENT) : [],
  );

/** A word with what its variables hold, unless they are altered on the way. */
export function settledWord(word: Word, settled: Settled): Word {
  if (!word.dynamic || /\$\{\w+[^}\w]|\$\(/.test(word.raw)) return word;
  const text = word.text.replace(
    /\$(?:\{(\w+)\}|(\w+))/g,
    (whole, braced, plain) => settled.get(braced ?? plain)?.[0] ?? whole,
  );
  return { ...word, text, dynamic: text.includes('$') };
}

const LIST = /^"?\$\{?(\w+)(?:\[[@*]\])?\}?"?$/;

/** What prints nothing, and no part of a list. */
const NO_WORDS = /^\$\(\s*(?:true|:|echo|seq (?:1 )?0)?\s*\)$|^"?\$\{\w+\[[@*]\]:\d+:0\}"?$/;

/** A word that stands for no words, because its list is empty. */
export function isEmptyList({ raw }: Word, settled: Settled): boolean {
  if (NO_WORDS.test(raw)) return true;
  const texts = settled.get(LIST.exec(raw)?.[1] ?? '');
  return texts?.every((text) => text.trim() === '') === true && !(raw.startsWith('"') && !raw.includes('['));
}
