// Lines of a file as they are to be, without marks: where they belong and what they change there. Lines that are left out stay;
// what would take lines away, or could stand at two places, is refused.
import { diffArrays } from 'diff';
import { isEllipsis } from '../formats/ellipsis.ts';
import { compareIndentation, hasForeignIndent, similarity } from './indentation.ts';
import { type OldLine, weightOf } from './pattern.ts';
import { indentOf, type Source } from './source.ts';
import type { LineEdits } from './spot.ts';

/** `none`: nothing of it is there; otherwise why it cannot be placed, and where it comes close. */
export type Excerpt =
  | { kind: 'placed'; edits: LineEdits[] }
  | { kind: 'unchanged' }
  | { kind: 'refused'; code: 'not_found' | 'ambiguous' | 'indentation'; why: string; near: number[] };

/** Never throws. Parts that `...` stands between are looked for in their order. */
export function placeExcerpt(lines: readonly string[], source: Source): Excerpt {
  const edits: LineEdits[] = [];
  let after = -1;
  for (const piece of piecesOf(lines, source)) {
    const placed = placePiece(piece, source, after);
    if (placed.kind === 'refused') return placed;
    if (placed.kind === 'placed') {
      edits.push(placed.edits);
      after = placed.last;
    }
  }
  return edits.length > 0 ? { kind: 'placed', edits } : { kind: 'unchanged' };
}

/** The parts between lines that stand for others, without blank lines around them. */
function piecesOf(lines: readonly string[], source: Source): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (isEllipsis(line) && !source.at.has(line.trim())) pieces.push([]);
    else if (line.trim() !== '' || (pieces.at(-1) as string[]).length > 0) pieces.at(-1)?.push(line);
  }
  const trimmed = pieces.map((piece) => piece.slice(0, piece.findLastIndex((line) => line.trim() !== '') + 1));
  return trimmed.filter((piece) => piece.length > 0);
}

type Piece =
  | { kind: 'placed'; edits: LineEdits; last: number }
  | { kind: 'unchanged' }
  | Extract<Excerpt, { kind: 'refused' }>;

const refused = (code: 'not_found' | 'ambiguous' | 'indentation', why: string, near: number[] = []): Piece => {
  return { kind: 'refused', code, why, near };
};

/** What a piece would do at one place: which of its lines are which of the file's, which replace one, which are new. */
interface Fit {
  /** Of each line of the piece: the line of the file that it is, or takes the place of; -1: it is new. */
  to: number[];
  /** All lines that it replaces are much like what replaces them. */
  strong: boolean;
  /** How much of it is in the file as it is. */
  same: number;
}

/** How much more of it must be at one place than at any other, counted in lines. */
const MARGIN = 2;

function placePiece(piece: readonly string[], source: Source, after: number): Piece {
  const texts = piece.map((line) => line.trim());
  const all = windowsOf(piece, source);
  if (all === 'too many') return refused('ambiguous', 'its lines stand in very many places of the file');
  const fits = all.filter(({ to }) => firstOf(to) > after);
  if (
    fits.some(
      ({ to }) => to.every((at, i) => texts[i] === '' || source.trimmed[at] === texts[i]) && inPlace(piece, to, source),
    )
  ) {
    return { kind: 'unchanged' };
  }
  const ranked = fits.toSorted((x, y) => y.same - x.same);
  const [only] = ranked;
  const chosen = ranked.filter(({ same }) => same > (only as Fit).same - MARGIN);
  if (!only) {
    const near = texts.flatMap((text) => source.at.get(text)?.slice(0, 1) ?? []);
    const why = 'these lines do not follow each other in the file, or leave some of its lines out';
    return refused('not_found', `${why}; an excerpt cannot take lines away`, near.slice(0, 1));
  }
  if (chosen.length > 1) {
    const places = chosen.map(({ to }) => firstOf(to));
    return refused(
      'ambiguous',
      `it fits in ${chosen.length} places; show more of the lines around the right one`,
      places,
    );
  }
  const edits = editsOf(piece, only, source);
  if (!edits) {
    return refused('indentation', 'its indentation is not that of the file; copy the lines as they are', [
      firstOf(only.to),
    ]);
  }
  return { kind: 'placed', edits, last: Math.max(...only.to) };
}

const firstOf = (to: readonly number[]): number => to.find((at) => at >= 0) ?? -1;

const inPlace = (piece: readonly string[], to: readonly number[], source: Source): boolean =>
  piece.every((line, i) => line.trim() === '' || indentOf(line) === indentOf(source.lines[to[i] as number] ?? ''));

/** How many lines more or fewer than it has a piece may reach over. */
const DRIFT = 12;
const MAX_PLACES = 60;

/** All ways in which the piece fits, each once. */
function windowsOf(piece: readonly string[], source: Source): Fit[] | 'too many' {
  const texts = piece.map((line) => line.trim());
  const anchors = texts.flatMap((text, i) => (source.at.has(text) ? [i] : []));
  const telling = anchors.filter((i) => weightOf(texts[i] as string) === 1);
  if (telling.length === 0) return keyed(texts, source);
  const [a, z] = [anchors[0] as number, anchors.at(-1) as number];
  const [tops, ends] = [a, z].map((i) => source.at.get(texts[i] as string) as number[]) as [number[], number[]];
  if (tops.length * ends.length > MAX_PLACES * MAX_PLACES) return 'too many';
  const fits = new Map<string, Fit>();
  for (const top of tops) {
    for (const end of ends) {
      if (end < top || Math.abs(end - top - (z - a)) > DRIFT || (a === z && top !== end)) continue;
      // By their indentation too, for a lone bracket is like any other.
      for (const byIndent of [true, false]) {
        const fit = fitAt(piece, source, { a, z, top, end }, byIndent);
        if (fit) fits.set(fit.to.join(), fit);
      }
    }
  }
  return [...fits.values()];
}

/** A line `key: value` whose key stands in the file only once takes that line's place. */
function keyed(texts: readonly string[], source: Source): Fit[] {
  const [text] = texts;
  const key = texts.length === 1 && text !== undefined ? keyOf(text) : undefined;
  if (key === undefined) return [];
  const places = source.trimmed.flatMap((line, at) => (keyOf(line) === key ? [at] : []));
  return places.map((at) => ({ to: [at], strong: true, same: 0 }));
}

/** The key of a line of settings; a list entry or a command has none. */
const keyOf = (line: string): string | undefined =>
  /^(?:export\s+)?["']?([\w./-]{2,})["']?\s*[:=]\s*\S/.exec(line)?.[1];

const ALIKE = 0.6;
const alike = (a: string, b: string): boolean => {
  const key = keyOf(a);
  return similarity(a, b) >= ALIKE || (key !== undefined && key === keyOf(b));
};

interface Window {
  a: number;
  z: number;
  top: number;
  end: number;
}

/** The lines between the two anchors one by one; then those outside of them, which must replace what stands there. */
function fitAt(
  piece: readonly string[],
  source: Source,
  { a, z, top, end }: Window,
  byIndent: boolean,
): Fit | undefined {
  const texts = piece.map((line) => line.trim());
  const to = new Array<number>(texts.length).fill(-1);
  const mine = numbersOf(texts, a, z);
  const files = numbersOf(source.trimmed, top, end);
  const parts = diffArrays(
    files.map((at) => (byIndent ? source.lines : source.trimmed)[at] as string),
    mine.map((i) => (byIndent ? piece : texts)[i] as string),
  );
  let [f, m] = [0, 0];
  let gone: number[] = [];
  let come: number[] = [];
  let strong = true;
  const pair = (): boolean => {
    const paired = replacedBy(gone, come, texts, source);
    if (!paired) return false;
    strong &&= paired.strong;
    paired.to.forEach((at, i) => {
      to[come[i] as number] = at;
    });
    [gone, come] = [[], []];
    return true;
  };
  for (const { added, removed, value } of parts) {
    if (removed) gone.push(...files.slice(f, f + value.length));
    else if (added) come.push(...mine.slice(m, m + value.length));
    else if (!pair()) return undefined;
    else for (const i of value.keys()) to[mine[m + i] as number] = files[f + i] as number;
    if (!added) f += value.length;
    if (!removed) m += value.length;
  }
  if (!pair()) return undefined;
  for (const [edge, step] of [
    [a, -1],
    [z, 1],
  ] as const) {
    let at = step < 0 ? top : end;
    for (let i = edge + step; i >= 0 && i < texts.length; i += step) {
      if (texts[i] === '') continue;
      do at += step;
      while (source.trimmed[at] === '');
      const there = source.trimmed[at];
      // Beyond the file's first and last line there is nothing to be replaced.
      if (there === undefined) continue;
      if (!alike(there, texts[i] as string)) return undefined;
      to[i] = at;
    }
  }
  if (repeats(texts, to, source)) return undefined;
  const same = to.reduce((sum, at, i) => sum + (source.trimmed[at] === texts[i] ? weightOf(texts[i] as string) : 0), 0);
  return { to, strong, same };
}

/** Whether it would put in two lines that follow each other in the file already: then it was laid at the wrong place. */
function repeats(texts: readonly string[], to: readonly number[], source: Source): boolean {
  return texts.some((text, i) => {
    const isNew = to[i] === -1 && to[i + 1] === -1 && weightOf(text) === 1 && weightOf(texts[i + 1] ?? '') === 1;
    return isNew && (source.at.get(text) ?? []).some((at) => source.trimmed[at + 1] === texts[i + 1]);
  });
}

const numbersOf = (texts: readonly string[], from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i).filter((i) => texts[i] !== '');

/** Which of the lines that come takes the place of which that goes, in order; undefined when one would just go. */
function replacedBy(gone: number[], come: number[], texts: readonly string[], source: Source) {
  if (gone.length > come.length) return undefined;
  const to = come.map(() => -1);
  let from = 0;
  let strong = true;
  for (const [n, at] of gone.entries()) {
    const rest = come.length - (gone.length - n);
    const options = come.map((_, i) => i).filter((i) => i >= from && i <= rest);
    const like = options.filter((i) => alike(source.trimmed[at] as string, texts[come[i] as number] as string));
    const best = like.reduce<number | undefined>((one, i) => {
      const score = (k: number): number => similarity(source.trimmed[at] as string, texts[come[k] as number] as string);
      return one === undefined || score(i) > score(one) ? i : one;
    }, undefined);
    if (best === undefined && gone.length !== come.length) return undefined;
    strong &&= best !== undefined;
    to[best ?? from] = at;
    from = (best ?? from) + 1;
  }
  return { to, strong };
}

/** What is done to the file; undefined when it is not certain how the new lines are indented. */
function editsOf(piece: readonly string[], { to }: Fit, source: Source): LineEdits | undefined {
  const texts = piece.map((line) => line.trim());
  const same = piece.flatMap((text, i): { line: OldLine; at: number }[] => {
    const at = to[i] as number;
    const isSame = at >= 0 && source.trimmed[at] === texts[i];
    return isSame ? [{ line: { text, trimmed: texts[i] as string, removed: true, bare: true }, at }] : [];
  });
  const indentation = compareIndentation(
    same.map(({ line }) => line),
    same.map(({ at }) => at),
    source,
  );
  const exact = same.filter(({ line, at }) => indentOf(line.text) === indentOf(source.lines[at] as string)).length;
  const isFlat = piece.every((line) => line.trim() === '' || indentOf(line) === indentOf(piece[0] as string));
  // Most lines stand as they do in the file, so that the others are meant to be moved.
  const moves = indentation.kind !== 'same' && exact >= 2 && exact * 2 > same.length;
  const written = (line: string, i: number): string | undefined => {
    const at = to[i] as number;
    if (indentation.kind === 'same' || moves) return same.length > 0 || at < 0 ? line : ownIndent(line, at, source);
    if (at >= 0 && (isFlat || texts[i] === source.trimmed[at])) return ownIndent(line, at, source);
    if (indentation.kind !== 'shifted') return undefined;
    const indent = indentation.shift(indentOf(line));
    return indent === undefined ? undefined : indent + line.trimStart();
  };
  const edits: LineEdits = { removed: [], added: [] };
  for (const [i, line] of piece.entries()) {
    const at = to[i] as number;
    if (texts[i] === '' && !isInside(to, i, texts)) continue;
    const text = written(line, i);
    if (text === undefined) return undefined;
    const file = source.lines[at];
    if (file !== undefined && (text.trim() !== file.trim() ? false : indentOf(text) === indentOf(file))) continue;
    if (at >= 0) edits.removed.push(at);
    const before = at >= 0 ? at : nextOf(to, i);
    const last = edits.added.at(-1);
    if (last && last.before === before) last.lines.push(text);
    else edits.added.push({ before, lines: [text] });
  }
  const added = edits.added.flatMap(({ lines }) => lines);
  const removed = edits.removed.map((at) => source.lines[at] as string);
  return hasForeignIndent(added, removed, source) ? undefined : edits;
}

const ownIndent = (line: string, at: number, source: Source): string =>
  indentOf(source.lines[at] as string) + line.trimStart();

/** Where a new line goes in: before the next line that the file has, or after the one before it. */
function nextOf(to: readonly number[], i: number): number {
  const next = to.find((at, n) => n > i && at >= 0);
  const before = to.findLast((at, n) => n < i && at >= 0);
  return before === undefined ? (next ?? 0) : before + 1;
}

/** A blank line between two lines that are new. */
const isInside = (to: readonly number[], i: number, texts: readonly string[]): boolean => {
  const before = texts.findLastIndex((text, n) => n < i && text !== '');
  const after = texts.findIndex((text, n) => n > i && text !== '');
  return to[before] === -1 && to[after] === -1;
};
