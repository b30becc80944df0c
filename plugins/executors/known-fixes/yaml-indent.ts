// One line of YAML that is indented as none of its siblings is: where it can have been meant to stand. Pure.
import { withLine } from './lines.ts';
import { indentOf } from './yaml-document.ts';

const SCALAR_PAIR = /^\s*(?:- )?[\w."'/-]+:\s+[^\s|>&*{[#]/;

/** `text` with line `number` at every indentation that its neighbours allow: one space off, or where both of them stand. */
export function reindented(text: string, number: number): string[] {
  const lines = text.split('\n');
  const line = lines[number - 1];
  const depth = line === undefined ? undefined : indentOf(line);
  if (
    line === undefined ||
    depth === undefined ||
    line.startsWith('---') ||
    !/^\s*(?:- |[\w."'/-]+:(?:\s|$))/.test(line)
  )
    return [];
  const wanted = new Set([depth - 1, depth + 1].filter((at) => at >= 0 && usedAt(lines, number, at)));
  const sibling = siblings(lines, number);
  if (sibling !== undefined) wanted.add(sibling);
  wanted.delete(depth);
  return [...wanted].map((at) => withLine(text, number, ' '.repeat(at) + line.trimStart()));
}

/** Whether something else stands at this depth: another line, or what begins behind a dash. */
function usedAt(lines: readonly string[], number: number, depth: number): boolean {
  const depths = (line: string) => [indentOf(line), /^ *- /.test(line) ? (indentOf(line) ?? 0) + 2 : undefined];
  return lines.some((line, i) => i !== number - 1 && depths(line).includes(depth));
}

/** Where the line before and another one beside it stand, when neither that line nor this one has children. */
function siblings(lines: readonly string[], number: number): number | undefined {
  const isEnd = (line: string) => /^(?:---|\.\.\.)/.test(line);
  const above = lines.slice(0, number - 1);
  const before = above.slice(above.findLastIndex(isEnd) + 1).filter((line) => indentOf(line) !== undefined);
  const below = lines.slice(number).find((line) => indentOf(line) !== undefined);
  const after = below === undefined || isEnd(below) ? undefined : below;
  const [second, first] = [before.at(-2), before.at(-1)];
  const plain = [first, lines[number - 1]].every((line) => line !== undefined && SCALAR_PAIR.test(line));
  if (first === undefined || !plain) return undefined;
  const depth = indentOf(first) as number;
  const beside = (line: string | undefined) => line !== undefined && indentOf(line) === depth && !/^\s*- /.test(line);
  return beside(first) && (beside(second) || beside(after)) ? depth : undefined;
}
