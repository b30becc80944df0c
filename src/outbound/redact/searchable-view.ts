// The searchable views of a text: colours, line wraps or blanks removed, so that a secret that was coloured or wrapped is
// found whole. Offsets map back to the original, and no match crosses a placeholder.
import type { Place } from './placeholder.ts';
import type { Range } from './spans.ts';

export interface View {
  text: string;
  /** Where each character of `text` stands in the original; undefined: at its own place. */
  at?: Int32Array;
}

/** Where a part of a view that is not empty stands in the original. */
export const inOriginal = ({ at }: View, { start, end }: Range): Range =>
  at === undefined ? { start, end } : { start: at[start] as number, end: (at[end - 1] as number) + 1 };

/** Stands for a placeholder. It is in no secret, so no match crosses it. */
const WALL = '\uffff';

// What moves the cursor or changes the colour of a terminal, as it is and as JSON, shells and people escape it.
const COLOUR =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
  /(?:\u001b|\\u001[bB]|\\x1[bB]|\\033|\\e|\^\[)\[[0-?]{0,32}[ -/]{0,4}[@-~]|\u009b[0-?]{0,32}[ -/]{0,4}[@-~]|\u001b\][^\u0007\u001b\n]{0,2048}(?:\u0007|\u001b\\)|\u001b[()][0-9A-Z]|\u001b[=>78cDEHM]/g;
// A line break, also one that is escaped once or twice, and what indents the next line.
const BREAK = /(?:\\?\r?\n|(?:\\{1,4}[nr])+)[ \t]*/g;
const SPLIT = new RegExp(`${BREAK.source}(?:${COLOUR.source}|[ \\t])*|${COLOUR.source}`, 'g');

const BLANK = new RegExp(`(?:${BREAK.source}|${COLOUR.source}|\\s)+`, 'g');

/** The text of a secret as it appears in the view without line breaks. */
export const joined = (text: string): string => text.replace(BREAK, '');

/** The text itself, and, when it is split by line breaks or colours, the text without them. `walls` are in order and apart. */
export function viewsOf(text: string, walls: readonly Place[]): View[] {
  const gaps = gapsOf(text, SPLIT);
  const plain = walls.length === 0 ? { text } : viewWithout(text, [], walls);
  return gaps.length === 0 ? [plain] : [plain, viewWithout(text, gaps, walls)];
}

/** The text of a secret as it appears in the view without blanks. */
export const squeezed = (text: string): string => text.replace(BLANK, '');

/** The text without line breaks, colours and blanks of any kind. */
export const withoutBlanks = (text: string, walls: readonly Place[]): View =>
  viewWithout(text, gapsOf(text, BLANK), walls);

/** The text without its colours; undefined when it has none. */
export function colourless(text: string): Required<View> | undefined {
  const gaps = gapsOf(text, COLOUR);
  return gaps.length === 0 ? undefined : viewWithout(text, gaps, []);
}

const gapsOf = (text: string, pattern: RegExp): Range[] =>
  [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({ start: index, end: index + length }));

function viewWithout(text: string, gaps: readonly Range[], walls: readonly Place[]): Required<View> {
  const parts: string[] = [];
  const at = new Int32Array(text.length + walls.length);
  let size = 0;
  let from = 0;
  const keep = (to: number) => {
    if (to > from) parts.push(text.slice(from, to));
    for (let i = from; i < to; i++) at[size++] = i;
  };
  for (const place of [...walls, ...gaps].sort((a, b) => a.start - b.start)) {
    keep(place.start);
    if ('word' in place) {
      parts.push(WALL);
      at[size++] = place.start;
    }
    from = Math.max(from, place.end);
  }
  keep(text.length);
  return { text: parts.join(''), at: at.subarray(0, size) };
}
