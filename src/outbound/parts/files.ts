// The relevant parts of a file, line numbers kept: all of a small one; of a long one the windows around what the failure
// names and around words it shares.

import { numbered } from '../shown-files.ts';
import { clipLine, estimateTokens, fenced } from '../text.ts';
import type { Suspect } from './suspects.ts';

/** A file of fewer lines is shown whole, and may be asked for whole. */
export const SMALL_FILE_LINES = 150;

const AROUND_NAMED = 12;
const AROUND_WORD = 5;
const HEAD = 5;
const HEAD_WITHOUT_CLUE = 40;
/** Less room than this shows nothing of use. */
const LEAST_ROOM = 60;

/** The file as data, in at most `room` tokens; undefined when nothing of use fits. */
export function filePart(file: Suspect, nonce: string, room: number): string[] | undefined {
  const all = file.lines.length;
  if (all < SMALL_FILE_LINES) {
    const whole = shown(file, nonce, new Set(file.lines.keys()));
    if (size(whole) <= room) return whole;
  }
  if (room < LEAST_ROOM) return undefined;
  const chosen = new Set<number>();
  // Numbers, gaps and the fence take some of the room.
  let left = room - estimateTokens(`${file.path}${nonce}${nonce}`) - 30;
  for (const line of wanted(file)) {
    if (chosen.has(line)) continue;
    left -=
      (Math.min(file.lines[line]?.length ?? 0, 440) + 12) / 4 + (chosen.has(line - 1) || chosen.has(line + 1) ? 0 : 8);
    if (left < 0) break;
    chosen.add(line);
  }
  if (chosen.size === 0) return undefined;
  const part = shown(file, nonce, chosen);
  return size(part) <= room ? part : undefined;
}

const size = (lines: readonly string[]): number => estimateTokens(lines.join('\n'));

/** Indices of lines in the order in which they are worth showing. */
function* wanted({ lines, named, matching }: Suspect): Generator<number> {
  const within = (line: number): boolean => line >= 0 && line < lines.length;
  function* around(line: number, reach: number): Generator<number> {
    for (let away = 0; away <= reach; away++) {
      if (within(line - away)) yield line - away;
      if (within(line + away)) yield line + away;
    }
  }
  for (const line of named) yield* around(line - 1, AROUND_NAMED);
  for (const line of matching) yield* around(line - 1, AROUND_WORD);
  const head = named.length + matching.length > 0 ? HEAD : HEAD_WITHOUT_CLUE;
  for (let line = 0; line < Math.min(head, lines.length); line++) yield line;
}

function shown({ path, lines, text }: Suspect, nonce: string, chosen: ReadonlySet<number>): string[] {
  const width = String(lines.length).length;
  const body: string[] = [];
  let gap = 0;
  const close = () => {
    if (gap > 0) body.push(`${' '.repeat(width)} (${gap} ${gap === 1 ? 'line' : 'lines'} not shown)`);
    gap = 0;
  };
  lines.forEach((line, i) => {
    if (!chosen.has(i)) {
      gap++;
      return;
    }
    close();
    body.push(numbered(clipLine(line), i + 1, width));
  });
  close();
  const ends = text.includes('\r\n') ? ', line ends CRLF' : '';
  const count = lines.length === 1 ? '1 line' : `${lines.length} lines`;
  return fenced(nonce, `file ${path}, ${count}${ends}`, body);
}
