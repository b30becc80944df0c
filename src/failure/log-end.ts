// The end of a log in a window of bytes. A line that would fill the window by itself is stepped over: what stands before it may
// be the cause, and of such a line only the two ends are looked at anyway. Pure.
import { type LogEnd, MAX_LINE_CHARS } from './clean.ts';

/** How far from the end lines are stepped over: whoever cannot go back in a log keeps this much of it. */
export const LOOK_BACK_BYTES = 8 * 1024 * 1024;

const LONG_LINE_BYTES = 32 * 1024;
/** As much of each end as is looked at in a long line that is in the window. */
const KEPT_BYTES = 2 * MAX_LINE_CHARS;
const NEWLINE = 10;

/** At most `bytes` of a log of `size`; `read` returns the bytes between two places. Bytes that are no UTF-8 become U+FFFD. */
export function readEnd(size: number, bytes: number, read: (from: number, to: number) => Buffer): LogEnd {
  const parts: Buffer[] = [];
  let end = size;
  for (let room = bytes; ; ) {
    const from = Math.max(0, end - room);
    const window = read(from, end);
    const lineEnd = endOfFirstLine(window);
    const lineStart = from > 0 && lineEnd > LONG_LINE_BYTES ? startOfLine(from, size, read) : undefined;
    if (lineStart === undefined) {
      parts.unshift(window);
      return { text: Buffer.concat(parts).toString('utf8'), cut: from > 0 };
    }
    const ends = [read(lineStart, lineStart + KEPT_BYTES), window.subarray(lineEnd - KEPT_BYTES)];
    parts.unshift(...ends);
    end = lineStart;
    room = Math.max(0, room - ends.reduce((sum, { length }) => sum + length, 0));
  }
}

function endOfFirstLine(window: Buffer): number {
  const at = window.indexOf(NEWLINE);
  return at === -1 ? window.length : at;
}

/** Where the line begins that the byte before `place` belongs to; undefined when that is too far from the end. */
function startOfLine(place: number, size: number, read: (from: number, to: number) => Buffer): number | undefined {
  const limit = Math.max(0, size - LOOK_BACK_BYTES);
  for (let to = place; to > limit; to -= LONG_LINE_BYTES) {
    const from = Math.max(limit, to - LONG_LINE_BYTES);
    const at = read(from, to).lastIndexOf(NEWLINE);
    if (at !== -1) return from + at + 1;
  }
  return limit === 0 ? 0 : undefined;
}
