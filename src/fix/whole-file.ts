// A text without marks for one file: the whole of it written anew, or an excerpt of it.
import { diffArrays } from 'diff';
import { isEllipsis } from './formats/ellipsis.ts';
import { linesInCommon } from './near-copy.ts';
import { similarity } from './place/indentation.ts';
import { lineEnd, type Source, sourceOf } from './place/source.ts';

const ALIKE = 0.6;
/** A file with fewer lines may change from end to end. */
const FEW_LINES = 8;

/**
 * Whether `text` is all of the file `before`, and not an excerpt or an answer that was cut off: it begins and ends as the file
 * does and has most of its lines, or it has most of them and is no shorter.
 */
export function isWhole(text: string, before: string): boolean {
  const lines = (all: string): string[] => all.split('\n').flatMap((line) => line.trim() || []);
  const [old, made] = [lines(before), lines(text)];
  const [first, last] = [old[0], old.at(-1)];
  if (first === undefined || last === undefined) return true;
  if (made.some((line) => isEllipsis(line) && !old.includes(line))) return false;
  const like = (some: readonly string[], line: string): boolean => some.some((one) => similarity(one, line) >= ALIKE);
  const { ofB } = linesInCommon(text, before);
  const ends = like(made.slice(0, 5), first) && like(made.slice(-Math.max(5, made.length - old.length + 1)), last);
  if (ends) return ofB >= 0.5 || old.length < FEW_LINES;
  return made.length >= old.length && (ofB >= 0.5 || old.length < FEW_LINES);
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
