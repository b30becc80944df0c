// The spots where a hunk fits though some of its context is altered, made up or left out, and how sure that is.
import { compareIndentation, similarity } from './indentation.ts';
import { type OldLine, type Pattern, weightOf } from './pattern.ts';
import type { Source } from './source.ts';
import type { Likeness, Spot } from './spot.ts';

/** Spots looked at closely. */
const MOST = 12;
/** A line that stands in more places than this says nothing about where the hunk goes. */
const COMMON = 200;
/** How much better the best spot must be than any other, counted in lines of context. */
const MARGIN = 0.75;
/** The share of the lines shown that must be as they are in the file; an altered one counts less. */
const AGREE = 0.55;

export interface Aligned {
  /** Of the best spot. */
  score: number;
  /** The best spot, or all that are about as good. */
  spots: Spot[];
  /** Where the hunk comes closest to fitting, for the refusal. */
  near: number[];
  why: string;
}

/** Never throws. Spots begin after the line `after`. */
export function alignedSpots(pattern: Pattern, source: Source, after = -1): Aligned {
  const { old } = pattern;
  const missing = old.find(({ removed, trimmed }) => removed && trimmed !== '' && !source.at.has(trimmed));
  const votes = votesOf(old, source);
  const near = [...votes.entries()].sort((a, b) => b[1] - a[1]).slice(0, MOST);
  const nearest = near.slice(0, 1).map(([diagonal]) => Math.max(0, diagonal));
  const nothing = (why: string): Aligned => ({ score: 0, spots: [], near: nearest, why });
  if (missing)
    return nothing(`the file has no line ${JSON.stringify(missing.trimmed.slice(0, 200))}, which it removes`);
  const found = new Map<string, Alignment>();
  for (const [diagonal] of near) {
    const alignment = align(old, source, diagonal);
    if (alignment && first(alignment) > after) found.set(spotKey(alignment, pattern), alignment);
  }
  const ranked = [...found.values()].sort((a, b) => b.score - a.score);
  const best = ranked[0];
  if (!best) return nothing('the lines it removes are not together in the file as it shows them');
  if (!agrees(best, old)) return nothing('too few of the lines it shows are in the file as it shows them');
  const elsewhere = contextElsewhere(old, best, near);
  if (elsewhere)
    return {
      score: 0,
      spots: [],
      near: [elsewhere],
      why: 'its context is elsewhere in the file than the lines it removes',
    };
  const equals = ranked.filter(({ score }) => score > best.score - MARGIN);
  return {
    score: best.score,
    spots: equals.map((alignment) => spotOf(alignment, old, source)),
    near: nearest,
    why: '',
  };
}

/** Diagonal → how many old lines stand on it. */
function votesOf(old: readonly OldLine[], source: Source): Map<number, number> {
  const votes = new Map<number, number>();
  for (let k = 0; k < old.length; k++) {
    const places = source.at.get((old[k] as OldLine).trimmed) ?? [];
    if (places.length > COMMON) continue;
    for (const at of places) votes.set(at - k, (votes.get(at - k) ?? 0) + 1);
    if (votes.size > 100_000) break;
  }
  return votes;
}

/** Alignments that do the same to the file are one spot. */
const spotKey = ({ positions }: Alignment, { old, added }: Pattern): string =>
  old.map(({ removed }, k) => (removed || added[k]?.length || added[k + 1]?.length ? positions[k] : '')).join();

const first = ({ positions }: Alignment): number => positions.find((at) => at >= 0) ?? -1;

function agrees({ likeness }: Alignment, old: readonly OldLine[]): boolean {
  const sum = (counts: (line: OldLine, k: number) => boolean): number =>
    old.reduce((total, line, k) => total + (counts(line, k) ? weightOf(line.trimmed) : 0), 0);
  const same = sum((_, k) => likeness[k] === 'equal');
  const alike = sum((_, k) => likeness[k] === 'alike');
  return same + alike * 0.7 >= sum(() => true) * AGREE && same >= 1.5;
}

/** Another place that has more of the context: the file changed, and the removed lines are gone from there. */
function contextElsewhere(
  old: readonly OldLine[],
  best: Alignment,
  near: readonly (readonly [number, number])[],
): number | undefined {
  const here = best.likeness.filter((is, k) => is === 'equal' && (old[k] as OldLine).trimmed !== '').length;
  const there = near.find(([diagonal, votes]) => votes > here && !best.positions.some((at, k) => at - k === diagonal));
  return there && Math.max(0, there[0]);
}

function spotOf({ positions, likeness }: Alignment, old: readonly OldLine[], source: Source): Spot {
  return { positions, likeness, indentation: compareIndentation(old, positions, source) };
}

interface Alignment {
  score: number;
  /** For each old line the file's line, or -1 when the file has none for it. */
  positions: number[];
  /** How the text there compares: the others are only at the same place. */
  likeness: Likeness[];
}

/** From here on two lines are one line that was altered. */
const ALIKE = 0.6;

/** How far lines left out or made up may move the rest. */
const DRIFT = 4;
const WIDTH = 2 * DRIFT + 1;
const SKIP = -0.6;
const SKIP_BLANK = -0.1;
const OTHER = -0.5;
const IMPOSSIBLE = -1e9;

/** The best alignment near `diagonal` (file line minus old line); undefined when a removed line has no place. */
function align(old: readonly OldLine[], source: Source, diagonal: number): Alignment | undefined {
  const rows = old.length + 1;
  const score = new Float64Array(rows * WIDTH).fill(IMPOSSIBLE);
  const from = new Uint8Array(rows * WIDTH);
  for (let b = 0; b < WIDTH; b++) if (inFile(source, diagonal + b - DRIFT)) score[b] = 0;
  for (let i = 0; i < rows; i++) {
    if (i > 0) fromRowAbove(old, source, diagonal, i, score, from);
    const between = i > 0 && i < old.length && !((old[i - 1] as OldLine).removed && (old[i] as OldLine).removed);
    if (between) skipFileLines(source, diagonal, i, score, from);
  }
  let end = 0;
  const last = old.length * WIDTH;
  for (let b = 1; b < WIDTH; b++) if ((score[last + b] as number) > (score[last + end] as number)) end = b;
  const total = score[last + end] as number;
  return total <= IMPOSSIBLE / 2 ? undefined : trace(old, source, diagonal, total, end, from);
}

const inFile = ({ lines }: Source, j: number): boolean => j >= 0 && j <= lines.length;

const MATCH = 1;
const SKIP_OLD = 2;
const SKIP_FILE = 3;

/** Old line i-1 is matched with the file's line, or skipped when it is context. */
function fromRowAbove(
  old: readonly OldLine[],
  source: Source,
  diagonal: number,
  i: number,
  score: Float64Array,
  from: Uint8Array,
): void {
  const line = old[i - 1] as OldLine;
  for (let b = 0; b < WIDTH; b++) {
    const j = i + diagonal + b - DRIFT;
    if (!inFile(source, j)) continue;
    const above = score[(i - 1) * WIDTH + b] as number;
    let best = IMPOSSIBLE;
    let how = 0;
    if (above > IMPOSSIBLE && j > 0) {
      const gain = gainOf(line, source, j - 1);
      if (gain !== undefined) {
        best = above + gain;
        how = MATCH;
      }
    }
    if (!line.removed && b + 1 < WIDTH) {
      const skipped = (score[(i - 1) * WIDTH + b + 1] as number) + (line.trimmed === '' ? SKIP_BLANK : SKIP);
      if (skipped > best) {
        best = skipped;
        how = SKIP_OLD;
      }
    }
    score[i * WIDTH + b] = best;
    from[i * WIDTH + b] = how;
  }
}

function skipFileLines(source: Source, diagonal: number, i: number, score: Float64Array, from: Uint8Array): void {
  for (let b = 1; b < WIDTH; b++) {
    const j = i + diagonal + b - DRIFT;
    if (!inFile(source, j) || j < 1) continue;
    const skipped = (score[i * WIDTH + b - 1] as number) + (source.trimmed[j - 1] === '' ? SKIP_BLANK : SKIP);
    if (skipped > (score[i * WIDTH + b] as number)) {
      score[i * WIDTH + b] = skipped;
      from[i * WIDTH + b] = SKIP_FILE;
    }
  }
}

function gainOf({ trimmed, removed }: OldLine, source: Source, at: number): number | undefined {
  const there = source.trimmed[at] as string;
  if (there === trimmed) return trimmed === '' ? 0.2 : weightOf(trimmed) * (removed ? 2 : 1);
  if (removed) return undefined;
  if (there === '' || trimmed === '') return OTHER;
  const alike = similarity(there, trimmed);
  return alike >= ALIKE ? alike / 2 : OTHER;
}

function trace(
  old: readonly OldLine[],
  source: Source,
  diagonal: number,
  score: number,
  end: number,
  from: Uint8Array,
): Alignment {
  const positions = new Array<number>(old.length).fill(-1);
  const likeness = new Array<Likeness>(old.length).fill('other');
  let i = old.length;
  let b = end;
  while (i > 0) {
    const how = from[i * WIDTH + b];
    if (how === SKIP_FILE) b--;
    else {
      if (how === MATCH) {
        const at = i + diagonal + b - DRIFT - 1;
        positions[i - 1] = at;
        likeness[i - 1] = compare((old[i - 1] as OldLine).trimmed, source.trimmed[at] as string);
      } else b++;
      i--;
    }
  }
  return { score, positions, likeness };
}

const compare = (a: string, b: string): Likeness =>
  a === b ? 'equal' : a !== '' && b !== '' && similarity(a, b) >= ALIKE ? 'alike' : 'other';
