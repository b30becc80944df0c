// The spots where a hunk fits though some of its context is altered, made up or left out, and how sure that is.
import { similarity } from './indentation.ts';
import { type OldLine, type Pattern, weightOf } from './pattern.ts';
import type { Source } from './source.ts';
import { type Likeness, type Spot, spotOf } from './spot.ts';

const MAX_SPOTS = 12;
/** A line that stands in more places than this says nothing about where the hunk goes. */
const MAX_PLACES = 200;
const MAX_DIAGONALS = 100_000;
/** How much better the best spot must be than any other, counted in lines of context. */
const MARGIN = 0.75;
/** The share of the lines shown that must be as they are in the file; an altered one counts less. */
const AGREE = 0.55;

interface Aligned {
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
  const near = [...votes.entries()].sort((a, b) => b[1] - a[1]).slice(0, MAX_SPOTS);
  const nearest = near.slice(0, 1).map(([diagonal]) => Math.max(0, diagonal));
  const nothing = (why: string): Aligned => ({ score: 0, spots: [], near: nearest, why });
  if (missing)
    return nothing(`the file has no line ${JSON.stringify(missing.trimmed.slice(0, 200))}, which it removes`);
  const bySpot = new Map<string, Alignment>();
  for (const [diagonal] of near) {
    const alignment = align(old, source, diagonal);
    if (alignment && first(alignment) > after) bySpot.set(spotKey(alignment, pattern), alignment);
  }
  const ranked = [...bySpot.values()].sort((a, b) => b.score - a.score);
  const best = ranked[0];
  if (!best) return nothing('the lines it removes are not together in the file as it shows them');
  if (!agrees(best, old)) return nothing('too few of the lines it shows are in the file as it shows them');
  const elsewhere = contextElsewhere(old, best, near);
  if (elsewhere)
    return { ...nothing('its context is elsewhere in the file than the lines it removes'), near: [elsewhere] };
  const equals = ranked.filter(({ score }) => score > best.score - MARGIN);
  const spots = equals.map(({ positions, likeness }) => spotOf(positions, likeness, old, source));
  return { score: best.score, spots, near: nearest, why: '' };
}

/** Diagonal → how many old lines stand on it. */
function votesOf(old: readonly OldLine[], source: Source): Map<number, number> {
  const votes = new Map<number, number>();
  for (let k = 0; k < old.length; k++) {
    const places = source.at.get((old[k] as OldLine).trimmed) ?? [];
    if (places.length > MAX_PLACES) continue;
    for (const at of places) votes.set(at - k, (votes.get(at - k) ?? 0) + 1);
    if (votes.size > MAX_DIAGONALS) break;
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
function contextElsewhere(old: readonly OldLine[], best: Alignment, near: readonly [number, number][]) {
  const here = best.likeness.filter((is, k) => is === 'equal' && (old[k] as OldLine).trimmed !== '').length;
  const there = near.find(([diagonal, votes]) => votes > here && !best.positions.some((at, k) => at - k === diagonal));
  return there && Math.max(0, there[0]);
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
const OTHER = -0.5;
const IMPOSSIBLE = -1e9;
const skipCost = (trimmed: string): number => (trimmed === '' ? -0.1 : -0.6);

const [MATCH, SKIP_OLD, SKIP_FILE] = [1, 2, 3];

/**
 * The best alignment near `diagonal` (file line minus old line); undefined when a removed line has no place. Removed lines
 * must agree; context may be altered, made up or left out. Row i of the table: the first i old lines are placed. Column b: how
 * far from the diagonal. So the cost grows with the hunk alone.
 */
function align(old: readonly OldLine[], source: Source, diagonal: number): Alignment | undefined {
  const table = new Float64Array((old.length + 1) * WIDTH).fill(IMPOSSIBLE);
  const from = new Uint8Array(table.length);
  const score = (cell: number): number => table[cell] as number;
  const reach = (cell: number, value: number, how: number): void => {
    if (value <= score(cell)) return;
    table[cell] = value;
    from[cell] = how;
  };
  const fileLine = (i: number, b: number): number => i + diagonal + b - DRIFT;
  const inFile = (j: number): boolean => j >= 0 && j <= source.lines.length;
  for (let b = 0; b < WIDTH; b++) if (inFile(fileLine(0, b))) table[b] = 0;
  for (let i = 1; i <= old.length; i++) {
    const line = old[i - 1] as OldLine;
    const [row, above] = [i * WIDTH, (i - 1) * WIDTH];
    for (let b = 0; b < WIDTH; b++) {
      const j = fileLine(i, b);
      if (!inFile(j)) continue;
      const possible = j > 0 && score(above + b) > IMPOSSIBLE;
      const gain = possible ? gainOf(line, source.trimmed[j - 1] as string) : undefined;
      if (gain !== undefined) reach(row + b, score(above + b) + gain, MATCH);
      if (!line.removed && b + 1 < WIDTH) reach(row + b, score(above + b + 1) + skipCost(line.trimmed), SKIP_OLD);
    }
    if (i === old.length || (line.removed && (old[i] as OldLine).removed)) continue;
    for (let b = 1; b < WIDTH; b++) {
      const j = fileLine(i, b);
      if (inFile(j) && j > 0) reach(row + b, score(row + b - 1) + skipCost(source.trimmed[j - 1] as string), SKIP_FILE);
    }
  }
  const last = old.length * WIDTH;
  let b = 0;
  for (let other = 1; other < WIDTH; other++) if (score(last + other) > score(last + b)) b = other;
  const total = score(last + b);
  if (total <= IMPOSSIBLE / 2) return undefined;
  const positions = new Array<number>(old.length).fill(-1);
  const likeness = new Array<Likeness>(old.length).fill('other');
  for (let i = old.length; i > 0; ) {
    const how = from[i * WIDTH + b];
    if (how === SKIP_FILE) {
      b--;
      continue;
    }
    if (how === SKIP_OLD) b++;
    else {
      const at = fileLine(i, b) - 1;
      positions[i - 1] = at;
      likeness[i - 1] = likenessOf((old[i - 1] as OldLine).trimmed, source.trimmed[at] as string);
    }
    i--;
  }
  return { score: total, positions, likeness };
}

/** What it is worth to take the file's line `there` for the old line; undefined when that cannot be. */
function gainOf({ trimmed, removed }: OldLine, there: string): number | undefined {
  if (there === trimmed) return trimmed === '' ? 0.2 : weightOf(trimmed) * (removed ? 2 : 1);
  if (removed) return undefined;
  if (there === '' || trimmed === '') return OTHER;
  const alike = similarity(there, trimmed);
  return alike >= ALIKE ? alike / 2 : OTHER;
}

const likenessOf = (a: string, b: string): Likeness =>
  a === b ? 'equal' : a !== '' && b !== '' && similarity(a, b) >= ALIKE ? 'alike' : 'other';
