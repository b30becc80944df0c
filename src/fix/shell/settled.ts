// Variables of a script that hold one text whenever they are asked for: which command they are is known.
import { nodesOf, type ShellNode } from './node.ts';
import { readAssignment } from './statement.ts';
import type { Word } from './words.ts';

/** Texts of variables that never hold another one, by their names. */
export type Settled = ReadonlyMap<string, string>;

const ASSIGNMENT = new Set(['variable_assignment']);
const MAY_SET_ANY = /(?:^|[\s;&|(])(?:source|\.|eval)\s/;

/**
 * What a script sets once, by a plain text, at its outermost level; a name that stands anywhere else without its dollar may
 * be set there.
 */
export function settledValues(root: ShellNode): Settled {
  const text = root.text.replace(/^\s*#.*$/gm, (line) => ' '.repeat(line.length));
  const values = new Map<string, string>();
  for (const node of outermost(root)) {
    const { name, values: given, append } = readAssignment(node);
    const [word] = given;
    const bare = new RegExp(`(?<![$\\w]|\\$\\{)${name}\\b|\\$\\{${name}:?=`, 'g');
    const isOnce = [...text.matchAll(bare)].length === 1;
    if (word && !word.dynamic && !append && isOnce && !MAY_SET_ANY.test(text.slice(node.from)))
      values.set(name, word.text);
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
    (whole, braced, plain) => settled.get(braced ?? plain) ?? whole,
  );
  return { ...word, text, dynamic: text.includes('$') };
}
