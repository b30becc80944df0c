// A text without marks for one file: the whole of it written anew, or an excerpt of it.
import { diffArrays } from 'diff';
import { isEllipsis } from './formats/ellipsis.ts';
import { linesInCommon } from './near-copy.ts';
import { lineEnd, type Source, sourceOf } from './place/source.ts';

/** A file with fewer lines may change from end to end. */
const FEW_LINES = 8;

/**
 * Whether `text` is all of the file `before`, and not an excerpt or an answer that was cut off: it has most of the file's lines,
 * and is no shorter, or begins and ends as the file does.
 */
export function isWhole(text: string, before: string): boolean {
  const lines = (all: string): string[] => all.split('\n').flatMap((line) => line.trim() || []);
  const [old, made] = [lines(before), lines(text)];
  const [first, last] = [old[0], old.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (made.some((line) => isEllipsis(line) && !old.includes(line))) return false;
  if (linesInCommon(text, before).ofB < 0.5 && (old.length >= FEW_LINES || made.length < old.length)) return false;
  if (made.length >= old.length) return true;
  const ends = made.slice(0, 5).includes(first) && made.slice(-5).includes(last);
  return ends && !mayEndEarly(old, made);
}

/** Whether what is missing could be the end of the file: then a line like the last one only stands there by chance. */
function mayEndEarly(old: readonly string[], made: readonly string[]): boolean {
  const parts = diffArrays([...old], [...made], { maxEditLength: 1000 });
  const at = parts?.findLastIndex(({ added, removed }) => added || removed) ?? -1;
  const gone = parts?.[at];
  if (!parts || !gone?.removed) return false;
  const rest = parts.slice(at + 1).flatMap(({ value }) => value);
  const all = [...gone.value, ...rest];
  return rest.every((line, i) => line === all[i]);
}

/** The new text of the file. Line ends, the final newline and trailing white space of untouched lines are the file's own. */
export function rewritten(text: string, old: Source): string {
  const end = lineEnd(old);
  const joined = withOwnLines(old, sourceOf(text).lines).join(end) + end;
  return old.lines.length > 0 && old.ends.at(-1) === '' ? joined.slice(0, -end.length) : joined;
}

/** Only trailing white space differs: the file's own line stays, unless that is all the answer changes. */
function withOwnLines(old: Source, lines: string[]): string[] {
  const bare = (all: readonly string[]): string[] => all.map((line) => line.trimEnd());
  const parts = diffArrays(bare(old.lines), bare(lines), { maxEditLength: 1000 });
  if (!parts || parts.every(({ added, removed }) => !added && !removed)) return lines;
  let [from, to] = [0, 0];
  return parts.flatMap(({ value, added, removed }) => {
    const mine = added ? lines.slice(to, to + value.length) : removed ? [] : old.lines.slice(from, from + value.length);
    if (!added) from += value.length;
    if (!removed) to += value.length;
    return mine;
  });
}

/** Whether `text`, beside a change in another form, asks for one as well: it is all of the file, and not as the file is. */
export function isOtherWhole(text: string, before: string): boolean {
  const [old, made] = [sourceOf(before), sourceOf(text)];
  const joined = ({ trimmed }: Source): string => `\n${trimmed.filter(Boolean).join('\n')}\n`;
  const excerpt = joined(old).includes(joined(made)) || !isWhole(text, before);
  return !excerpt && linesInCommon(text, before).ofA >= 0.5;
}
