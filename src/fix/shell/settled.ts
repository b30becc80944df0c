// Variables of a script that hold one text whenever they are asked for: which command they are is known.
import { nodesOf, type ShellNode } from './node.ts';
import { readAssignment } from './statement.ts';
import type { Word } from './words.ts';

/** What variables hold that never hold anything else, by their names: one text, or those of a list. */
export type Settled = ReadonlyMap<string, readonly string[]>;

const ASSIGNMENT = new Set(['variable_assignment']);
const MAY_SET_ANY = /(?:^|[\s;&|(])(?:source|\.|eval)\s/;

/**
 * What a script sets once, by a plain text, at its outermost level; a name that stands anywhere else without its dollar may
 * be set there.
 */
export function settledValues(root: ShellNode): Settled {
  const text = root.text.replace(/^\s*#.*$/gm, (line) => ' '.repeat(line.length));
  const values = new Map<string, readonly string[]>();
  for (const node of outermost(root)) {
    const { name, values: given, append } = readAssignment(node);
    const bare = new RegExp(`(?<![$\\w]|\\$\\{)${name}\\b|\\$\\{${name}:?=`, 'g');
    const isOnce = [...text.matchAll(bare)].length === 1;
    const texts = given.map((word) => word.text);
    if (!given.some(({ dynamic }) => dynamic) && !append && isOnce && !MAY_SET_ANY.test(text.slice(node.from)))
      values.set(name, texts);
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

/** A word that stands for no words, because its list is empty. */
export function isEmptyList({ raw }: Word, settled: Settled): boolean {
  const texts = settled.get(LIST.exec(raw)?.[1] ?? '');
  return texts?.every((text) => text.trim() === '') === true && !(raw.startsWith('"') && !raw.includes('['));
}
