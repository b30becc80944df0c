// The spots where a hunk fits though some of its context is altered, made up or left out, and how sure that is.
import { type Alignment, align } from './align.ts';
import { compareIndentation } from './indentation.ts';
import { type OldLine, type Pattern, weightOf } from './pattern.ts';
import type { Source } from './source.ts';
import type { Spot } from './spot.ts';

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
