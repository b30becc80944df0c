// A whole file that a model wrote anew: lines it did not mean to touch stay as they are, and a part is no whole.
import { diffArrays } from 'diff';
import { type Refusal, refuse } from '../edit.ts';
import { isEllipsis } from '../formats/ellipsis.ts';
import { lineEnd, type Source, sourceOf } from './source.ts';

/** The file's new text. Line ends, the final newline and trailing white space of untouched lines are the file's own. */
export function wholeFile(path: string, text: string, before: string): { ok: true; text: string } | Refusal {
  const [old, made] = [sourceOf(before), sourceOf(text)];
  const left = made.lines.find((line) => isEllipsis(line) && !old.at.has(line.trim()));
  if (left !== undefined) {
    return refuse('unreadable', `${path}: lines were left out (${JSON.stringify(left.trim())}); write the whole file`);
  }
  if (isPart(old, made)) return refuse('unreadable', `${path}: this is only a part of the file; write all of it`);
  const end = lineEnd(old);
  const lines = withOwnLines(old, made.lines);
  const joined = lines.join(end) + end;
  return { ok: true, text: old.lines.length > 0 && old.ends.at(-1) === '' ? joined.slice(0, -end.length) : joined };
}

/** Shorter than the file, and the file's beginning or end is not in it: an excerpt, or an answer that was cut off. */
function isPart(old: Source, made: Source): boolean {
  if (made.lines.length >= old.lines.length * 0.8 || old.lines.length < 8) return false;
  const [head, tail] = [old.trimmed.find(Boolean) ?? '', old.trimmed.findLast(Boolean) ?? ''];
  const begins = (made.at.get(head)?.[0] ?? Number.POSITIVE_INFINITY) < 5;
  const ends = (made.at.get(tail)?.at(-1) ?? -1) >= made.lines.length - 5;
  return !begins || !ends;
}

/** Only trailing white space differs: the file's own line stays, unless that is all the answer changes. */
function withOwnLines(old: Source, lines: string[]): string[] {
  const bare = (all: readonly string[]): string[] => all.map((line) => line.trimEnd());
  const parts = diffArrays(bare(old.lines), bare(lines), { maxEditLength: 1000 });
  if (!parts || parts.every(({ added, removed }) => !added && !removed)) return lines;
  let from = 0;
  let to = 0;
  return parts.flatMap(({ value, added, removed }) => {
    const mine = added ? lines.slice(to, to + value.length) : removed ? [] : old.lines.slice(from, from + value.length);
    if (!added) from += value.length;
    if (!removed) to += value.length;
    return mine;
  });
}
