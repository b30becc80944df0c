// One place where a hunk could go: which of the file's lines it means, and what would be done there.
import { compareIndentation, type Indentation, shiftsAdded, similarity } from './indentation.ts';
import type { OldLine, Pattern } from './pattern.ts';
import { indentOf, type Source } from './source.ts';

/** How an old line compares with the file's line at its place. */
export type Likeness = 'equal' | 'alike' | 'other';

export interface Spot {
  /** For each old line the file's line, or -1. */
  positions: number[];
  /** How each old line compares with what stands there. */
  likeness: Likeness[];
  indentation: Indentation;
}

/** What a hunk does to a file: lines that go, and lines that come in before a line. */
export interface LineEdits {
  removed: number[];
  added: { before: number; lines: string[] }[];
}

export function spotOf(positions: number[], likeness: Likeness[], old: readonly OldLine[], source: Source): Spot {
  return { positions, likeness, indentation: compareIndentation(old, positions, source) };
}

/** The spot at `start` where all old lines stand as one piece. */
export function spotAt(start: number, { old }: Pattern, source: Source): Spot {
  const [positions, likeness] = [old.map((_, k) => start + k), old.map((): Likeness => 'equal')];
  return spotOf(positions, likeness, old, source);
}

/** The first line of the file that it means. */
export const startOf = ({ positions }: Spot): number => positions.find((at) => at >= 0) ?? 0;
export const endOf = ({ positions }: Spot): number => positions.findLast((at) => at >= 0) ?? 0;

/** What is to be done at a spot; `indentation` or `between` when that is not certain. */
export function editsAt(spot: Spot, pattern: Pattern, source: Source): LineEdits | 'indentation' | 'between' {
  const { old, added } = pattern;
  const flat = spot.indentation.kind === 'crooked' && isFlat(pattern);
  const move = flat ? undefined : mover(spot, pattern, source);
  if (!move && !flat) return 'indentation';
  const edits: LineEdits = { removed: [], added: [] };
  for (let k = 0; k <= old.length; k++) {
    const lines = added[k] as string[];
    if (lines.length > 0) {
      const before = boundary(spot, old, k, source);
      if (before === undefined) return 'between';
      const moved = move ? lines.map(move) : lines.map((line, n) => likeReplaced(line, n, k, spot, pattern, source));
      if (moved.includes(undefined)) return 'indentation';
      edits.added.push({ before, lines: moved as string[] });
    }
    if (old[k]?.removed) edits.removed.push(spot.positions[k] as number);
  }
  return edits;
}

/** All its lines begin in the first column, and some of the file's do not: their indentation was lost. */
const isFlat = ({ old, added }: Pattern): boolean =>
  [...old.map(({ text }) => text), ...added.flat()].every((text) => indentOf(text) === '');

/** Line `n` of what comes in before `old[k]`, indented like the line that it replaces; undefined where lines do not go by twos. */
function likeReplaced(line: string, n: number, k: number, spot: Spot, { old, added }: Pattern, source: Source) {
  let first = k;
  while (first > 0 && old[first - 1]?.removed && (first === k || (added[first] as string[]).length === 0)) first--;
  if (k - first !== (added[k] as string[]).length) return undefined;
  const replaced = source.lines[spot.positions[first + n] as number] as string;
  return similarity(replaced.trim(), line.trim()) < 0.5 ? undefined : indentOf(replaced) + line.trimStart();
}

/** How added lines are written at a spot; undefined when their indentation is not certain. */
function mover(spot: Spot, pattern: Pattern, source: Source): ((line: string) => string | undefined) | undefined {
  const { indentation, positions } = spot;
  const asWritten = (line: string): string => line;
  if (indentation.kind === 'same' || pattern.added.every((lines) => lines.length === 0)) {
    return indentation.kind === 'crooked' && !removedInPlace(spot, pattern, source) ? undefined : asWritten;
  }
  if (indentation.kind === 'crooked') return nextInPlace(spot, pattern, source) ? asWritten : undefined;
  const { shift } = indentation;
  const shifted = shiftsAdded(pattern, positions, source, indentation);
  if (shifted === undefined) return undefined;
  if (!shifted) return asWritten;
  return (line) => {
    const indent = line.trim() === '' ? indentOf(line) : shift(indentOf(line));
    return indent === undefined ? undefined : indent + line.trimStart();
  };
}

const inPlace = (spot: Spot, { old }: Pattern, source: Source, k: number): boolean => {
  const line = old[k] as OldLine;
  const at = spot.positions[k] as number;
  if (at < 0 || spot.likeness[k] !== 'equal') return false;
  const [hunk, file] = [indentOf(line.text), indentOf(source.lines[at] as string)];
  return hunk === file || (!line.removed && !line.bare && ` ${hunk}` === file);
};

const removedInPlace = (spot: Spot, pattern: Pattern, source: Source): boolean =>
  pattern.old.every(({ removed }, k) => !removed || inPlace(spot, pattern, source, k));

/** Among context of mixed indentation added lines are right only where those next to them are. */
function nextInPlace(spot: Spot, pattern: Pattern, source: Source): boolean {
  const { old, added } = pattern;
  if (!removedInPlace(spot, pattern, source)) return false;
  return added.every((lines, k) => {
    if (lines.length === 0 || old[k - 1]?.removed || old[k]?.removed) return true;
    const before = old.findLastIndex((line, n) => n < k && line.trimmed !== '');
    const after = old.findIndex((line, n) => n >= k && line.trimmed !== '');
    return [before, after].every((n) => n < 0 || inPlace(spot, pattern, source, n));
  });
}

/** The line before which what stands in front of `old[k]` goes; undefined when lines were left out just there. */
function boundary(spot: Spot, old: readonly OldLine[], k: number, source: Source): number | undefined {
  const { positions } = spot;
  if (old[k - 1]?.removed) return (positions[k - 1] as number) + 1;
  if (old[k]?.removed) return positions[k] as number;
  const [prev, next] = [positions[k - 1] ?? -1, positions[k] ?? -1];
  const [above, below] = [certainty(spot, old, k - 1, source), certainty(spot, old, k, source)];
  if (prev >= 0 && next >= 0) return next === prev + 1 && above + below >= 2 ? next : undefined;
  /** A line that is surely the one meant, by itself or by the one behind it. */
  const backed = (sure: number, n: number, at: number): boolean =>
    sure === 2 || (sure === 1 && positions[n] === at && spot.likeness[n] === 'equal');
  if (prev >= 0) {
    const later = positions.find((at, n) => n >= k && at >= 0) ?? prev + 1;
    return backed(above, k - 2, prev - 1) && later === prev + 1 ? prev + 1 : undefined;
  }
  if (next < 0) return undefined;
  const earlier = positions.findLast((at, n) => n < k && at >= 0) ?? next - 1;
  return backed(below, k + 1, next + 1) && earlier === next - 1 ? next : undefined;
}

/** How sure it is that the file's line is the old line meant. One that the file has elsewhere was left out here. */
function certainty({ likeness }: Spot, old: readonly OldLine[], k: number, source: Source): number {
  const line = old[k];
  if (!line) return 0;
  if (likeness[k] === 'equal') return line.trimmed === '' ? 1 : 2;
  if (source.at.has(line.trimmed)) return -1;
  return likeness[k] === 'alike' ? 1 : 0;
}
