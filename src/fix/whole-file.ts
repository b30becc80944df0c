// A text without marks for one file: the whole of it written anew, or an excerpt of it.
import { diffArrays } from 'diff';
import { isEllipsis } from './formats/ellipsis.ts';
import { linesInCommon } from './near-copy.ts';
import { similarity } from './place/indentation.ts';
import { lineEnd, type Source, sourceOf } from './place/source.ts';

/** The lines that hold something, without the white space around them. */
const trimmedLines = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

/** Fewer lines that are missing at an edge may be meant to go. */
const FEW_MISSING = 2;
/** A file with no more lines may change from end to end. */
const FEW_LINES = 3;

/**
 * Whether `text` is all of the file `before`, and not an excerpt or an answer that was cut off: it has most of the file's lines,
 * and neither the first nor the last of them is just missing. `bare`: perhaps it is not meant as lines of a file at all.
 */
export function isWhole(text: string, before: string, bare = false): boolean {
  const [old, made] = [trimmedLines(before), trimmedLines(text)];
  if (old.length === 0) return true;
  if (made.some((line) => isEllipsis(line) && !old.includes(line))) return false;
  const isShort = !bare && old.length <= FEW_LINES && Math.abs(made.length - old.length) <= FEW_LINES;
  if (linesInCommon(text, before).ofB < 0.5 && (!isShort || made.length < old.length)) return false;
  return !mayEndEarly(old, made) && !mayEndEarly(old.toReversed(), made.toReversed());
}

/**
 * Whether nearly all of the file is there but for a line or two at its beginning or its end, so that it is not clear whether they
 * are to go or were left out.
 */
export function lacksEdge(text: string, before: string): boolean {
  const [old, made] = [trimmedLines(before), trimmedLines(text)];
  if (linesInCommon(text, before).ofB < 0.6) return false;
  const missing = (all: readonly string[]): number => {
    const at = all.findIndex((line) => made.includes(line));
    return at < 0 ? 0 : at;
  };
  const edges = [missing(old), missing(old.toReversed())];
  return made.length < old.length && edges.some((count) => count > 0 && count <= FEW_MISSING);
}

/** Lines that name interpreters are of one kind, however they differ. */
const isLike = (a: string, b: string): boolean => similarity(a, b) >= 0.5 || (a.startsWith('#!') && b.startsWith('#!'));

/**
 * Whether the end of the file may be missing: lines of it just go there, or they go before lines that are like theirs, so that
 * what stands last may only by chance be like the file's end.
 */
function mayEndEarly(old: readonly string[], made: readonly string[]): boolean {
  const parts = diffArrays([...old], [...made], { maxEditLength: 1000 });
  if (!parts) return true;
  const at = parts.findLastIndex(({ added, removed }) => added || removed);
  const group = [parts[at - 1], parts[at]].filter((part) => part && (part.added || part.removed));
  const gone = group.flatMap((part) => (part?.removed ? part.value : []));
  const come = group.flatMap((part) => (part?.added ? part.value : []));
  const rest = parts.slice(at + 1).flatMap(({ value }) => value);
  const last = gone.at(-1);
  // The file's own last line must have something like it in its place, unless lines are exchanged one by one: who writes all but
  // the last lines and then more than these means them to go.
  const isExchanged = gone.length === come.length || (gone.length <= FEW_MISSING && come.length > gone.length);
  const isLost = last !== undefined && !isExchanged && !come.some((line) => isLike(line, last));
  if (rest.length === 0 && isLost) return true;
  if (gone.length <= come.length) return false;
  const all = [...gone, ...rest];
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
