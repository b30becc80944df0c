// Where one hunk goes: as one piece, exact or nearly so, else by alignment. What is not certain is refused.
import type { Hunk, HunkLine, RefusalCode } from '../edit.ts';
import { alignedSpots } from './align.ts';
import { hasForeignIndent, similarity } from './indentation.ts';
import { changes, newLines, type OldLine, type Pattern, patternOf, weightOf } from './pattern.ts';
import { contiguous, equalAt, indentOf, type Source } from './source.ts';
import { editsAt, type LineEdits, type Spot, spotAt, startOf } from './spot.ts';

export type Placing =
  | { kind: 'placed'; edits: LineEdits; spot: Spot }
  | { kind: 'nothing' }
  | { kind: 'refused'; code: RefusalCode; why: string; near: number[] };

/** What else is known of where it goes: the line that it claims, if claims are to be believed, and what it comes after. */
interface Whereabouts {
  claimed: number | undefined;
  after: number;
}

const refused = (code: RefusalCode, why: string, near: number[] = []): Placing => {
  return { kind: 'refused', code, why, near };
};

/** Never throws. */
export function placeHunk(hunk: Hunk, pattern: Pattern, source: Source, where: Whereabouts): Placing {
  if (!changes(pattern)) return { kind: 'nothing' };
  if (pattern.old.every(({ trimmed }) => trimmed === '')) {
    return refused('not_found', 'it shows no line of the file, so there is no telling where it goes');
  }
  const whole = asOnePiece(hunk, pattern, source, where);
  if (whole) return whole;
  const there = contiguous(newLines(pattern), source).starts;
  if (there.length > 0) return refused('already_applied', 'the file already is as it would make it', there);
  const mended = withDashesBack(hunk, source);
  if (mended === 'unclear') {
    const why = 'a line that begins with "- " may be a removed line or a list entry whose marker was lost';
    return refused('ambiguous', why);
  }
  if (mended) {
    const again = patternOf(mended);
    const placed = asOnePiece(hunk, again, source, where) ?? byAlignment(again, source, where);
    if (placed.kind !== 'placed' || placed.spot.indentation.kind === 'same') return placed;
    return refused('ambiguous', 'list entries lost their markers and the indentation differs');
  }
  return byAlignment(pattern, source, where);
}

/** What must agree before all of it may stand elsewhere in its columns. */
const FEW = 2.5;

const RANK = { same: 1, shifted: 2, crooked: 3 } as const;

function asOnePiece(hunk: Hunk, pattern: Pattern, source: Source, where: Whereabouts): Placing | undefined {
  const claimed = hunk.oldStart === undefined ? undefined : hunk.oldStart - 1;
  const { starts, full } = contiguous(pattern.old, source, claimed);
  const weight = pattern.old.reduce((total, { trimmed }) => total + weightOf(trimmed), 0);
  // A line that stands in the file once is meant there, in whatever column it was written.
  const isOnly = full && starts.length === 1 && claimed === undefined && weight >= 1;
  const spots = starts
    .filter((start) => start > where.after)
    .map((start) => spotAt(start, pattern, source))
    .filter((spot) => !isMoved(spot) || weight >= FEW || startOf(spot) === claimed || isOnly);
  if (spots.length === 0) return undefined;
  const made = newLines(pattern);
  if (claimed !== undefined && !starts.includes(claimed) && equalAt(claimed, made, source) === made.length) {
    return refused('already_applied', 'the file already is as it would make it', [claimed]);
  }
  const ranks = spots.map((spot) => (isExact(spot, pattern, source) ? 0 : RANK[spot.indentation.kind]));
  const best = Math.min(...ranks);
  const good = spots.filter((_, i) => ranks[i] === best);
  const named = claimed === undefined ? undefined : damagedAt(claimed, pattern.old, source);
  const telling = pattern.old.findIndex(({ trimmed }) => trimmed !== '');
  if (named !== undefined && good.every(({ positions }) => positions[telling] !== named)) {
    const why = 'it fits at one place and, but for white space or markers, also at the line that its numbers name';
    return refused('ambiguous', `${why}; copy the lines of the right one as they are`, [...good.map(startOf), named]);
  }
  return choose(good, pattern, source, where, full);
}

/** All of it stands in other columns: the same lines in another place may be meant. */
const isMoved = ({ indentation }: Spot): boolean =>
  indentation.kind === 'shifted' && indentation.by !== 1 && indentation.by !== 'tabs';

const isExact = ({ positions }: Spot, { old }: Pattern, source: Source): boolean =>
  old.every(({ text }, k) => source.lines[positions[k] as number] === text);

/** Where the first old line with text stands if all of them are at `start`, but for white space, blank lines and markers. */
function damagedAt(start: number, old: readonly OldLine[], source: Source): number | undefined {
  let first: number | undefined;
  let at = Math.max(0, start);
  for (const { text, trimmed, removed } of old) {
    if (trimmed === '') continue;
    while (source.trimmed[at] === '') at++;
    const there = source.trimmed[at];
    if (there !== trimmed && !(removed && there === `-${text}`.trim())) return undefined;
    first ??= at;
    at++;
  }
  return first;
}

/** Among equally good spots only a claimed line number that is one of them decides. */
function choose(spots: readonly Spot[], pattern: Pattern, source: Source, where: Whereabouts, full = true): Placing {
  const claimed = spots.filter((spot) => where.claimed !== undefined && startOf(spot) === where.claimed - 1);
  const spot = spots.length === 1 && full ? spots[0] : claimed.length === 1 ? claimed[0] : undefined;
  if (!spot) {
    const why = `it fits in ${full ? spots.length : 'very many'} places; show more of the lines around the right one`;
    return refused('ambiguous', why, spots.map(startOf));
  }
  const edits = editsAt(spot, pattern, source);
  const here = [startOf(spot)];
  if (edits === 'indentation') {
    return refused('indentation', 'its indentation is not that of the file; copy the lines as they are', here);
  }
  if (edits === 'between') {
    const why = 'lines of the file are missing just where it adds some; show the lines directly before and after';
    return refused('not_found', why, here);
  }
  const added = edits.added.flatMap(({ lines }) => lines);
  const removed = edits.removed.map((at) => source.lines[at] as string);
  if (hasForeignIndent(added, isExact(spot, pattern, source) ? removed : [], source)) {
    const why = 'it indents with spaces where the file has tabs, or the other way round';
    return refused('indentation', why, here);
  }
  if (isThere(edits, source)) return refused('already_applied', 'the lines it adds are already there', here);
  return { kind: 'placed', edits, spot };
}

/** A hunk that only adds, and shows only what stands on one side, fits again after it was applied. */
function isThere({ removed, added }: LineEdits, source: Source): boolean {
  if (removed.length > 0) return false;
  return added.every(({ before, lines }) => {
    if (!lines.some((line) => /\w{3}/.test(line))) return false;
    const same = (from: number): boolean =>
      lines.every((line, i) => source.lines[from + i]?.trimEnd() === line.trimEnd());
    return same(before) || same(before - lines.length);
  });
}

function byAlignment(pattern: Pattern, source: Source, where: Whereabouts): Placing {
  const { spots, near, why, score } = alignedSpots(pattern, source, where.after);
  const there = alignedSpots(asNew(pattern), source);
  const telling = pattern.added.flat().some((line) => weightOf(line.trim()) === 1);
  if (telling && there.spots.length > 0 && there.score >= score) {
    return refused('already_applied', 'the file already is as it would make it', there.near);
  }
  if (spots.length === 0) return refused('not_found', why, near);
  if (spots.every(isMoved)) {
    return refused('indentation', 'neither its text nor its indentation is that of the file', near);
  }
  return choose(spots, pattern, source, where);
}

/** The pattern as it would look for itself after it was applied. */
function asNew(pattern: Pattern): Pattern {
  const old = newLines(pattern);
  return { old, added: [...old, undefined].map(() => []) };
}

/**
 * In YAML and Markdown a list entry `- x` of the context that lost its marker reads as a removed line ` x`. The hunk with such
 * lines read as context; undefined when there are none; 'unclear' when nothing else shows that markers were lost, or when the
 * line could be meant to go.
 */
function withDashesBack(hunk: Hunk, source: Source): Hunk | 'unclear' | undefined {
  const lost = hunk.lines.map((line) => line.op === '-' && isEntry(line, source));
  if (!lost.includes(true)) return undefined;
  const lines = hunk.lines.map(
    (line, i): HunkLine => (lost[i] ? { op: ' ', text: `-${line.text}`, bare: true } : line),
  );
  const evident = hunk.lines.some((line) => line.op === ' ' && (line.bare || lacksSpace(line, source)));
  const replaced = lost.some((is, i) => is && isReplaced(hunk.lines, i));
  return evident && !replaced && lines.some(({ op }) => op !== ' ') ? { ...hunk, lines } : 'unclear';
}

const isEntry = ({ text }: HunkLine, source: Source): boolean => {
  const whole = `-${text}`.trimEnd();
  const places = source.at.has(text.trim()) ? [] : (source.at.get(whole) ?? []);
  return places.some((at) => source.lines[at]?.trimEnd() === whole);
};

const lacksSpace = ({ text }: HunkLine, source: Source): boolean => {
  const places = source.at.get(text.trim());
  return places?.length === 1 && indentOf(source.lines[places[0] as number] as string) === ` ${indentOf(text)}`;
};

/** An added line just after it that looks like it and is written the same way: then it may be meant to go. */
function isReplaced(lines: readonly HunkLine[], i: number): boolean {
  const { text } = lines[i] as HunkLine;
  for (let n = i + 1; lines[n]?.op === '+'; n++) {
    const added = (lines[n] as HunkLine).text;
    if (added.startsWith('-') || indentOf(added) !== indentOf(text)) continue;
    if (similarity(added.trim(), text.trim()) >= 0.5) return true;
  }
  return false;
}
