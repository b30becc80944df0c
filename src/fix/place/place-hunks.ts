// All hunks of one file → its new lines, or why not. Claimed line numbers count only while none was found to be wrong.
import { type Hunk, type OrRefusal, refuse } from '../edit.ts';
import { isEllipsis } from '../formats/ellipsis.ts';
import { similarity } from './indentation.ts';
import { type Pattern, patternOf } from './pattern.ts';
import { type Placing, placeHunk } from './place-hunk.ts';
import { contiguous, lineEnd, type Source } from './source.ts';
import { endOf, startOf } from './spot.ts';

/** Parts that one change of a file may have. */
const MAX_PARTS = 1000;

type Placed = Extract<Placing, { kind: 'placed' }>;

/** The file's new text. `name` is what a part is called in reasons. Never throws. */
export function placeHunks(
  path: string,
  hunks: readonly Hunk[],
  source: Source,
  name: 'hunk' | 'block',
): OrRefusal<{ text: string }> {
  const parts = partsOf(hunks, source);
  if (parts.length > MAX_PARTS) return refuse('too_large', `${path}: the change has more than ${MAX_PARTS} ${name}s`);
  const patterns = parts.map(({ hunk }) => patternOf(hunk));
  const open = placeAll(parts, patterns, source, false);
  const lying = open.some((placing, i) => placing.kind === 'placed' && isWrong((parts[i] as Part).hunk, placing));
  const unsure = open.some((placing) => placing.kind === 'refused' && placing.code === 'ambiguous');
  const placings = lying || !unsure ? open : placeAll(parts, patterns, source, true);
  const bad = placings.flatMap((placing, i) => (placing.kind === 'refused' ? [{ placing, i }] : []));
  const worst = bad.find(({ placing }) => placing.code !== 'already_applied') ?? bad[0];
  if (worst) {
    const reasons = bad
      .slice(0, 5)
      .flatMap(({ placing, i }) => [
        `${path}, ${name} ${(parts[i] as Part).from + 1} of ${hunks.length}: ${placing.why}`,
        ...nearestLines(patterns[i] as Pattern, placing, source),
      ]);
    return refuse(worst.placing.code, ...reasons);
  }
  const placed = placings.filter((placing) => placing.kind === 'placed');
  if (placed.length === 0) return refuse('no_change', `${path}: the change takes out nothing and adds nothing`);
  const clash = clashOf(placed);
  if (clash !== undefined) return refuse('ambiguous', `${path}: two parts of the change meet at line ${clash + 1}`);
  return { ok: true, text: textOf(placed, source, finalNewline(placings, parts, source)) };
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

/** A line that two parts both want, or a place where both add something. */
function clashOf(placed: readonly Placed[]): number | undefined {
  const removed = new Map<number, number>();
  const added = new Map<number, number>();
  for (const [i, { edits }] of placed.entries()) {
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

function textOf(placed: readonly Placed[], source: Source, newline: boolean): string {
  const removed = new Set(placed.flatMap(({ edits }) => edits.removed));
  const added = new Map<number, string[]>();
  for (const { edits } of placed) {
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

const LINES_AROUND = 3;
/** Lines compared when nothing of the hunk is in the file. */
const MAX_COMPARED_LINES = 3000;
/** Places shown of an ambiguous hunk. */
const MAX_SHOWN_PLACES = 6;

type Unplaced = Extract<Placing, { kind: 'refused' }>;

/** The file's lines that a refused hunk comes closest to, with their numbers, for a model to copy from: at most a dozen. */
function nearestLines(pattern: Pattern, { code, near }: Unplaced, source: Source): string[] {
  const numbered = (at: number): string => `  line ${at + 1}: ${(source.lines[at] ?? '').slice(0, 200)}`;
  if (code === 'ambiguous') {
    return near.slice(0, MAX_SHOWN_PLACES).map((start) => numbered(Math.min(start, source.lines.length - 1)));
  }
  const at = near[0] ?? mostAlike(pattern, source);
  if (at === undefined) return [];
  const from = Math.max(0, at - LINES_AROUND);
  const to = Math.min(source.lines.length, at + Math.min(pattern.old.length, 6) + LINES_AROUND);
  return ['nearest lines:', ...Array.from({ length: Math.max(0, to - from) }, (_, i) => numbered(from + i))];
}

function mostAlike({ old }: Pattern, source: Source): number | undefined {
  const telling = old.filter(({ removed }) => removed);
  const texts = (telling.length > 0 ? telling : old).map(({ trimmed }) => trimmed);
  const wanted = texts.reduce((a, b) => (b.length > a.length ? b : a), '');
  let best = { at: -1, alike: 0.4 };
  for (let at = 0; at < Math.min(source.lines.length, MAX_COMPARED_LINES); at++) {
    const alike = similarity(source.trimmed[at] as string, wanted);
    if (alike > best.alike) best = { at, alike };
  }
  return best.at < 0 ? undefined : best.at;
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
