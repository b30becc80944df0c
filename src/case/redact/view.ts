// A text as it is searched for known secrets: placeholders are walls, and, in the second view, line breaks and the
// indentation after them are left out, so that what was wrapped is found whole.
import type { Place } from './placeholder.ts';

export interface View {
  text: string;
  /** Where each character of `text` stands in the original; undefined: at its own place. */
  at?: Int32Array;
}

/** In no secret, so that nothing is found across it. */
const WALL = '\uffff';

// A line break, also one that is escaped once or twice, and what indents the next line.
const BREAK = /(?:\\?\r?\n|(?:\\{1,4}[nr])+)[ \t]*/g;

/** The text of a secret as it appears in the view without line breaks. */
export const joined = (text: string): string => text.replace(BREAK, '');

/** The text itself, and, when there are breaks, the text without them. `walls` are in order and apart. */
export function viewsOf(text: string, walls: readonly Place[]): View[] {
  const breaks = [...text.matchAll(BREAK)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));
  const plain = walls.length === 0 ? { text } : viewWithout(text, [], walls);
  return breaks.length === 0 ? [plain] : [plain, viewWithout(text, breaks, walls)];
}

function viewWithout(text: string, breaks: readonly { start: number; end: number }[], walls: readonly Place[]): View {
  const parts: string[] = [];
  const at = new Int32Array(text.length + walls.length);
  let size = 0;
  let from = 0;
  const keep = (to: number) => {
    if (to > from) parts.push(text.slice(from, to));
    for (let i = from; i < to; i++) at[size++] = i;
  };
  let b = 0;
  let w = 0;
  while (b < breaks.length || w < walls.length) {
    const wall = walls[w];
    const gap = breaks[b];
    const first = wall !== undefined && (gap === undefined || wall.start <= gap.start) ? wall : gap;
    const { start, end } = first as { start: number; end: number };
    keep(start);
    if (first === wall) {
      parts.push(WALL);
      at[size++] = start;
      w++;
    } else b++;
    from = Math.max(from, end);
  }
  keep(text.length);
  return { text: parts.join(''), at: at.subarray(0, size) };
}
