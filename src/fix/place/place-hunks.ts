// All hunks of one file → what they do to its lines, or why not. Claimed line numbers count only while none was found to be wrong.
import type { Hunk, RefusalCode } from '../edit.ts';
import { isEllipsis } from '../formats/ellipsis.ts';
import { similarity } from './indentation.ts';
import { type Pattern, patternOf } from './pattern.ts';
import { type Placing, placeHunk } from './place-hunk.ts';
import { contiguous, lineEnd, type Source } from './source.ts';
import { endOf, type LineEdits, startOf } from './spot.ts';

/** Parts that one change of a file may have. */
const MAX_PARTS = 1000;

type Placed = Extract<Placing, { kind: 'placed' }>;

/** A part of an answer that cannot be placed: which one of its hunks (from 0), why, and where it comes close. */
export interface Obstacle {
  from: number;
  code: RefusalCode;
  why: string;
  near: number[];
  /** How far behind a place in `near` the first line stands that would go, and how far behind that the last one. */
  offset?: number;
  reach?: number;
}

/** `newline`: whether the file ends with one afterwards. */
export type PlacedHunks = { edits: LineEdits[]; newline: boolean } | { obstacles: Obstacle[] };

/** What the hunks do, all of them or none. Never throws. */
export function placeHunks(hunks: readonly Hunk[], source: Source): PlacedHunks {
  const parts = partsOf(hunks, source);
  if (parts.length > MAX_PARTS) {
    return {
      obstacles: [{ from: 0, code: 'too_large', why: `the change has more than ${MAX_PARTS} parts`, near: [] }],
    };
  }
  const patterns = parts.map(({ hunk }) => patternOf(hunk));
  const open = placeAll(parts, patterns, source, false);
  const lying = open.some((placing, i) => placing.kind === 'placed' && isWrong((parts[i] as Part).hunk, placing));
  const unsure = open.some((placing) => placing.kind === 'refused' && placing.code === 'ambiguous');
  const placings = lying || !unsure ? open : placeAll(parts, patterns, source, true);
  const obstacles = placings.flatMap((placing, i) => {
    if (placing.kind !== 'refused') return [];
    const near = placing.near.length > 0 ? placing.near : mostAlike(patterns[i] as Pattern, source);
    const { old } = patterns[i] as Pattern;
    const offset = Math.max(
      0,
      old.findIndex(({ removed }) => removed),
    );
    const reach = Math.max(0, old.findLastIndex(({ removed }) => removed) - offset);
    return [{ from: (parts[i] as Part).from, code: placing.code, why: placing.why, near, offset, reach }];
  });
  if (obstacles.length > 0) return { obstacles };
  const placed = placings.filter((placing) => placing.kind === 'placed');
  return { edits: placed.map(({ edits }) => edits), newline: finalNewline(placings, parts, source) };
}

function placeAll(parts: readonly Part[], patterns: readonly Pattern[], source: Source, believe: boolean): Placing[] {
  let after = -1;
  return parts.map(({ hunk, follows }, i) => {
    const where = { claimed: believe ? hunk.oldStart : undefined, after: follows ? after : -1 };
    const placing = placeHunk(hunk, patterns[i] as Pattern, source, where);
    after = placing.kind === 'placed' ? endOf(placing.spot) : -1;
    return placing;
  });
}

const isWrong = ({ oldStart }: Hunk, { spot }: Placed): boolean =>
  oldStart !== undefined && startOf(spot) !== oldStart - 1;

/** A line that two of them both want, or a place where both add something. */
export function clashOf(all: readonly LineEdits[]): number | undefined {
  const removed = new Map<number, number>();
  const added = new Map<number, number>();
  for (const [i, edits] of all.entries()) {
    for (const at of edits.removed) {
      if (removed.has(at)) return at;
      removed.set(at, i);
    }
    for (const { before } of edits.added) {
      if (added.has(before) && added.get(before) !== i) return before;
      added.set(before, i);
    }
  }
  for (const [before, i] of added) {
    const [above, below] = [removed.get(before - 1), removed.get(before)];
    if (above !== undefined && above === below && above !== i) return before;
  }
  return undefined;
}

/** What the diff says about the end of the file, if it reaches there; otherwise the end stays as it is. */
function finalNewline(placings: readonly Placing[], parts: readonly Part[], source: Source): boolean {
  const last = source.lines.length - 1;
  const telling = parts.find(({ hunk: { noFinalNewline } }, i) => {
    const placing = placings[i];
    return noFinalNewline !== undefined && placing?.kind === 'placed' && endOf(placing.spot) === last;
  });
  return telling ? !telling.hunk.noFinalNewline : source.ends.at(-1) !== '';
}

/** The file with `all` done to it, which do not clash. */
export function textOf(all: readonly LineEdits[], source: Source, newline: boolean): string {
  const removed = new Set(all.flatMap((edits) => edits.removed));
  const added = new Map<number, string[]>();
  for (const edits of all) {
    for (const { before, lines } of edits.added) added.set(before, [...(added.get(before) ?? []), ...lines]);
  }
  const end = lineEnd(source);
  const out: string[] = [];
  for (let i = 0; i <= source.lines.length; i++) {
    for (const line of added.get(i) ?? []) out.push(line + end);
    if (i < source.lines.length && !removed.has(i)) out.push((source.lines[i] as string) + (source.ends[i] || end));
  }
  const text = out.join('');
  return newline ? text : text.replace(/\r?\n$/, '');
}

/** Lines compared when nothing of the hunk is in the file. */
const MAX_COMPARED_LINES = 3000;

/** The line of the file that comes closest to the longest line it removes; [] when none is like it. */
function mostAlike({ old }: Pattern, source: Source): number[] {
  const telling = old.filter(({ removed }) => removed);
  const texts = (telling.length > 0 ? telling : old).map(({ trimmed }) => trimmed);
  const wanted = texts.reduce((a, b) => (b.length > a.length ? b : a), '');
  let best = { at: -1, alike: 0.4 };
  for (let at = 0; at < Math.min(source.lines.length, MAX_COMPARED_LINES); at++) {
    const alike = similarity(source.trimmed[at] as string, wanted);
    if (alike > best.alike) best = { at, alike };
  }
  return best.at < 0 ? [] : [best.at];
}

interface Part {
  hunk: Hunk;
  /** Which of the answer's hunks it is from. */
  from: number;
  /** It comes after the part before it. */
  follows: boolean;
}

/** A hunk in which `...` stands for lines left out becomes its parts that change something, unless the file has that line. */
function partsOf(hunks: readonly Hunk[], source: Source): Part[] {
  return hunks.flatMap((hunk, from): Part[] => {
    const gaps = hunk.lines.flatMap(({ op, text }, i) => (op === ' ' && isEllipsis(text) ? [i] : []));
    const whole = gaps.length === 0 || contiguous(patternOf(hunk).old, source).starts.length > 0;
    if (whole) return [{ hunk, from, follows: false }];
    const { oldStart, ...rest } = hunk;
    const parts = [-1, ...gaps].map((gap, i): Hunk => {
      const lines = hunk.lines.slice(gap + 1, gaps[i] ?? hunk.lines.length);
      return { ...rest, lines, ...(i === 0 && oldStart !== undefined ? { oldStart } : {}) };
    });
    const changing = parts.filter(({ lines }) => lines.some(({ op }) => op !== ' '));
    return changing.map((part, i) => ({ hunk: part, from, follows: i > 0 }));
  });
}
