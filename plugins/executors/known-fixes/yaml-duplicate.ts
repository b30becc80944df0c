// A key of YAML that stands twice in the same mapping, with the same value. Pure.
import { indentOf } from './yaml-document.ts';

/** The text without the second of two keys, the one at line `number`; undefined when the first says anything else. */
export function withoutDuplicate(text: string, number: number): string | undefined {
  const lines = text.split('\n');
  const again = blockAt(lines, number - 1);
  const depth = again[0] === undefined ? undefined : indentOf(again[0]);
  if (depth === undefined || /^\s*- /.test(again[0] as string)) return undefined;
  for (let i = number - 2; i >= 0; i--) {
    const at = indentOf(lines[i] as string);
    if (at === undefined || at > depth) continue;
    const first = blockAt(lines, i);
    if (at === depth && same(first, again)) {
      lines.splice(number - 1, again.length);
      return lines.join('\n');
    }
    if (at < depth) return undefined;
  }
  return undefined;
}

/** The line and all that are indented below it. */
function blockAt(lines: readonly string[], from: number): string[] {
  const depth = indentOf(lines[from] ?? '');
  if (depth === undefined) return [];
  let to = from + 1;
  while (to < lines.length && (indentOf(lines[to] as string) ?? -1) > depth) to++;
  return lines.slice(from, to);
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, i) => line.trimEnd() === other[i]?.trimEnd());
