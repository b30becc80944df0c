// A file as numbered lines: all of a small one; of a long one the windows around the lines that matter, with the lines
// that these stand below (keys of YAML, the head of a function), and no gap where showing its lines takes as little.
import { counted } from '../../triage/words.ts';
import { numbered } from '../shown-files.ts';
import { clipLine, textLines } from '../text.ts';

/** A file of fewer lines is shown whole, and may be asked for whole. */
export const SMALL_FILE_LINES = 150;

const AROUND_NAMED = 12;
const AROUND_WORD = 5;
const HEAD = 5;
const HEAD_WITHOUT_CLUE = 40;
/** Less room than this shows nothing of use of a long file. */
const MIN_ROOM = 40;
/** A gap of so few lines is closed. */
const SMALL_GAP = 2;
/** Lines that may stand above one, each further out. */
const MAX_ABOVE = 8;

/** Which lines matter, from 1; a failure may be wrong about how many there are. */
export interface Clued {
  readonly text: string;
  /** Lines that the failure names. */
  readonly named: readonly number[];
  /** Lines with a rare word of the failure, the rarest word first. */
  readonly matching: readonly number[];
}

/** Its lines in at most `room` tokens, `small` of them whole if they fit; undefined when nothing of use fits. */
export function excerpt(file: Clued, room: number, small = SMALL_FILE_LINES): string[] | undefined {
  const lines = textLines(file.text);
  // A numbered line is a token at least.
  if (lines.length < small && lines.length <= room) {
    const whole = shown(lines, new Set(lines.keys()));
    if (sizeOf(whole) <= room) return whole;
  }
  if (room < MIN_ROOM) return undefined;
  const chosen = new Set<number>();
  let left = room;
  for (const i of byWorth(lines, file)) {
    if (chosen.has(i)) continue;
    // Numbers and gaps take room too.
    left -= (Math.min(lines[i]?.length ?? 0, 440) + 12) / 4 + (chosen.has(i - 1) || chosen.has(i + 1) ? 0 : 8);
    if (left < 0) break;
    chosen.add(i);
  }
  if (chosen.size === 0) return undefined;
  const [closed, open] = [shown(lines, withoutSmallGaps(chosen, lines.length)), shown(lines, chosen)];
  return [closed, open].find((some) => sizeOf(some) <= room);
}

const sizeOf = (lines: readonly string[]): number => Math.ceil(lines.join('\n').length / 4);

/** Indices of lines in the order in which they are worth showing. */
function* byWorth(lines: readonly string[], { named, matching }: Clued): Generator<number> {
  const within = (i: number): boolean => i >= 0 && i < lines.length;
  function* around(i: number, reach: number): Generator<number> {
    const core = Math.ceil(reach / 3);
    for (let away = 0; away <= reach; away++) {
      if (away === core) yield* linesAbove(lines, i);
      if (within(i - away)) yield i - away;
      if (within(i + away)) yield i + away;
    }
  }
  for (const line of named) yield* around(line - 1, AROUND_NAMED);
  for (const line of matching) yield* around(line - 1, AROUND_WORD);
  const head = named.length + matching.length > 0 ? HEAD : HEAD_WITHOUT_CLUE;
  for (let i = 0; i < Math.min(head, lines.length); i++) yield i;
}

/** The lines that line `i` stands below: each nearest one that is indented less, up to the margin. */
function* linesAbove(lines: readonly string[], i: number): Generator<number> {
  let indent = indentOf(lines[i] ?? '');
  for (let at = i - 1, count = 0; at >= 0 && indent > 0 && count < MAX_ABOVE; at--) {
    const line = lines[at] as string;
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    indent = indentOf(line);
    count++;
    yield at;
  }
}

const indentOf = (line: string): number => line.search(/\S|$/);

function withoutSmallGaps(chosen: ReadonlySet<number>, length: number): Set<number> {
  const closed = new Set(chosen);
  let next = 0;
  for (const i of [...[...chosen].sort((a, b) => a - b), length]) {
    if (i - next <= SMALL_GAP) for (let at = next; at < i; at++) closed.add(at);
    next = i + 1;
  }
  return closed;
}

function shown(lines: readonly string[], chosen: ReadonlySet<number>): string[] {
  const width = String(lines.length).length;
  const body: string[] = [];
  let next = 0;
  for (const i of [...[...chosen].sort((a, b) => a - b), lines.length]) {
    const gap = i - next;
    if (gap > 0) body.push(`${' '.repeat(width)} (${counted(gap, 'line')} not shown)`);
    if (i < lines.length) body.push(numbered(clipLine(lines[i] as string), i + 1, width));
    next = i + 1;
  }
  return body;
}
