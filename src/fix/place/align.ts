// Alignment of a hunk with a part of the file where not every line agrees: removed lines must, context may be altered,
// made up or left out. A band around one diagonal, so the cost grows with the hunk alone.
import { similarity } from './indentation.ts';
import { type OldLine, weightOf } from './pattern.ts';
import type { Source } from './source.ts';

export interface Alignment {
  score: number;
  /** For each old line the file's line, or -1 when the file has none for it. */
  positions: number[];
  /** How the text there compares: the others are only at the same place. */
  likeness: Likeness[];
}

export type Likeness = 'equal' | 'alike' | 'other';

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
export function align(old: readonly OldLine[], source: Source, diagonal: number): Alignment | undefined {
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
