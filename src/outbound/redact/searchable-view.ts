// The searchable views of a text: without colours, line wraps or blanks, with escapes read, without what parts
// hexadecimal bytes. A secret that was written so is found whole in one of them. Offsets map back to the original.
import type { Range } from './spans.ts';

export interface View {
  text: string;
  /** Which parts of the original its own parts are, see ViewMaker; undefined: it is the original. */
  parts?: readonly number[];
  /** The view that it was made from; undefined: from the original. */
  of?: View | undefined;
}

/** Puts a view together; a part of it takes four numbers, however long it is. */
class ViewMaker {
  readonly #texts: string[] = [];
  readonly #parts: number[] = [];
  #size = 0;

  /** Each character of `text` stands for `width` characters: the first for those at `start`, the next for those `step` farther on. */
  add(text: string, start: number, step = 1, width = 1): void {
    if (text === '') return;
    this.#texts.push(text);
    this.#parts.push(this.#size, start, step, width);
    this.#size += text.length;
  }

  view = (of?: View): View => ({ text: this.#texts.join(''), parts: this.#parts, of });
}

/** What one character of a view stands for. */
function placeOf(parts: readonly number[], index: number): Range {
  let [low, high] = [0, parts.length / 4 - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((parts[middle * 4] as number) <= index) low = middle;
    else high = middle - 1;
  }
  const field = (n: number): number => parts[low * 4 + n] as number;
  const start = field(1) + (index - field(0)) * field(2);
  return { start, end: start + field(3) };
}

/** Where a part of a view that is not empty stands in the original. */
export function inOriginal({ parts, of }: View, { start, end }: Range): Range {
  if (parts === undefined) return { start, end };
  const range = { start: placeOf(parts, start).start, end: placeOf(parts, end - 1).end };
  return of === undefined ? range : inOriginal(of, range);
}

/** All views of a text but the one without blanks; undefined, or none, where one would be the text itself. */
export interface Views {
  joined: View | undefined;
  bareHex: View | undefined;
  colourless: View | undefined;
  unescaped: View[];
}

export const viewsOf = (text: string): Views => ({
  joined: joinedView(text),
  bareHex: bareHexView(text),
  colourless: colourless(text),
  unescaped: unescapedViews({ text }),
});

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

/**
 * The text with each of `places`, which are in order and apart, as one character that is in no secret: no match crosses
 * it.
 */
export const withWalls = (text: string, places: readonly Range[]): View =>
  places.length === 0 ? { text } : viewWithout(text, places, WALL);

/** The text without line breaks and colours; undefined when it has none. */
function joinedView(text: string): View | undefined {
  const gaps = gapsOf(text, SPLIT);
  return gaps.length === 0 ? undefined : viewWithout(text, gaps);
}

/** The text of a secret as it appears in the view without blanks. */
export const squeezed = (text: string): string => text.replace(BLANK, '');

/** The text without line breaks, colours and blanks of any kind. */
export const withoutBlanks = (text: string): View => viewWithout(text, gapsOf(text, BLANK));

const LAST_WORD = /[\w.~+/=:@!$,-][ \t\r]*$/;
const LONE_WORD = /\n[ \t]*([\w.~+/=:$,-]{1,400})[ \t]*\r?(?=\n|$)/g;

/**
 * Words that go on in the lines below, where nothing else stands that `mayGoOn`, each with its line; undefined when there are none. Unlike in
 * the joined text, a word ends with its last line.
 */
export function wrappedWords(text: string, mayGoOn: (word: string) => boolean): View | undefined {
  const made = new ViewMaker();
  let end = -1;
  for (const { 0: line, 1: word = '', index } of text.matchAll(LONE_WORD)) {
    if (!LAST_WORD.test(text.slice(Math.max(0, index - 16), index)) || !mayGoOn(word)) continue;
    if (index !== end) {
      const start = text.lastIndexOf('\n', index - 1) + 1;
      if (end !== -1) made.add('\n', end);
      made.add(text.slice(start, index).trimEnd(), start);
    }
    made.add(word, index + line.indexOf(word));
    end = index + line.length;
  }
  return end === -1 ? undefined : made.view();
}

/** The text without its colours; undefined when it has none. */
function colourless(text: string): View | undefined {
  const gaps = gapsOf(text, COLOUR);
  return gaps.length === 0 ? undefined : viewWithout(text, gaps);
}

// `61:62`, `61 62`, `6162 6364`, `0x61, 0x62`, also over lines; a dump begins each with an address and ends it with the characters.
const BYTES = '(?:[0-9a-fA-F]{2}){1,4}';
const DUMP = '(?:[ \\t]{2,}[^\\r\\n]{1,20})?\\r?\\n[0-9a-fA-F]{4,8}:?[ \\t]{1,4}(?=[0-9a-fA-F]{2})';
const SIGN = '[ \\t]{0,2}[:;,._|/-][ \\t]{0,2}';
const HEX_GAP = `(?:${DUMP}|(?:${SIGN}|[ \\t]{0,4})(?:0x|\\r?\\n[ \\t]{0,80}(?:0x)?)|${SIGN}|[ \\t]{1,2})`;
/** Fewer bytes are times, addresses of network cards, numbers. */
const HEX_RUN = new RegExp(`(?<![0-9A-Za-z])(?:0x)?${BYTES}(?:${HEX_GAP}${BYTES}){3,}(?![0-9A-Za-z])`, 'g');
const ADDRESS = /^[0-9a-fA-F]{7,8}[ \t]{2}/;
const GAP_IN_RUN = new RegExp(HEX_GAP, 'g');

/** The text without what stands between the bytes of hexadecimal numbers; undefined when there are none. */
function bareHexView(text: string): View | undefined {
  const gaps = gapsOf(text, HEX_RUN).flatMap(({ start, end }) => {
    const run = text.slice(start, end);
    const address = start === 0 || text.charAt(start - 1) === '\n' ? (ADDRESS.exec(run)?.[0].length ?? 0) : 0;
    return [
      ...(address > 0 ? [{ start, end: start + address }] : []),
      ...gapsOf(run.slice(address), GAP_IN_RUN).map((gap) => ({
        start: start + address + gap.start,
        end: start + address + gap.end,
      })),
    ];
  });
  return gaps.length === 0 ? undefined : viewWithout(text, gaps);
}

// The rest of a line of a dump: the bytes that follow, and the characters of all of them.
const DUMP_END = /^[0-9a-fA-F \t]{0,60}[ \t]{2}\|?[^\r\n]{1,20}(?=\r?\n|$)/;

/** A part of a dump goes on to the characters at the end of its line. */
export function withDump(text: string, { start, end }: Range): Range {
  const isByte = /[0-9a-fA-F]{2}$/.test(text.slice(Math.max(start, end - 2), end));
  const rest = isByte ? (DUMP_END.exec(text.slice(end, end + 90))?.[0].length ?? 0) : 0;
  return { start, end: end + rest };
}

const ESCAPE =
  /(?:%[0-9a-fA-F]{2})+|\\u[0-9a-fA-F]{4}|(?:\\x[0-9a-fA-F]{2})+|(?:\\[0-3][0-7]{2})+|(?:\\[nrt -/:-@[-`{-~])+|&(?:amp|lt|gt|quot|apos|#\d{2,5}|#x[0-9a-fA-F]{2,4});/g;
const NAMED: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&apos;': "'" };
const CONTROL: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** Of a run of backslashes with a sign behind each. */
function signsOf(mark: string): string {
  let plain = '';
  for (let i = 1; i < mark.length; i += 2) plain += CONTROL.get(mark.charAt(i)) ?? mark.charAt(i);
  return plain;
}

function plainOf(mark: string): string {
  if (mark.length === 2) return signsOf(mark);
  if (/^%|^\\x/.test(mark)) return Buffer.from(mark.replace(/%|\\x/g, ''), 'hex').toString('utf8');
  if (/^\\\d/.test(mark)) {
    const bytes = mark.slice(1).split('\\');
    return Buffer.from(bytes.map((digits) => Number.parseInt(digits, 8))).toString('utf8');
  }
  const [, base, digits = ''] = /^(\\u|&#x|&#)(\w+)/.exec(mark) ?? [];
  if (base === undefined) return NAMED[mark] ?? signsOf(mark);
  return String.fromCharCode(Number.parseInt(digits, base === '&#' ? 10 : 16));
}

const MAX_DEPTH = 3;

/** A view as it is with its escapes read, once for each time it may have been escaped: of URLs, JSON, shells, XML. */
export function unescapedViews(of: View): View[] {
  const views: View[] = [];
  let view = of;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const next = unescapedView(view);
    if (next === undefined) break;
    views.push(next);
    view = next;
  }
  return views;
}

function unescapedView(view: View): View | undefined {
  const { text } = view;
  const made = new ViewMaker();
  let from = 0;
  const copy = (start: number, end: number) => made.add(text.slice(start, end), start);
  /** Lines far from any escape are in the text itself: they are left out. */
  const keep = (to: number) => {
    if (to - from < MIN_GAP) return copy(from, to);
    const head = from === 0 ? 0 : lineAfter(text, from, to);
    const tail = to === text.length ? to : lineBefore(text, head, to);
    if (tail - head < MIN_GAP) return copy(from, to);
    copy(from, head);
    made.add(WALL, head);
    made.add('\n', tail - 1);
    copy(tail, to);
  };
  for (const { 0: mark, index } of text.matchAll(ESCAPE)) {
    keep(index);
    from = index + mark.length;
    const plain = plainOf(mark);
    // Of a run that stands for single bytes each has its own part; of a character of several bytes all of it.
    const unit = mark.startsWith('%') ? 3 : /^\\[x\d]/.test(mark) ? 4 : 2;
    if (plain.length * unit === mark.length) made.add(plain, index, unit, unit);
    else made.add(plain, index, 0, mark.length);
  }
  if (from === 0) return undefined;
  keep(text.length);
  return made.view(view);
}

/** Shorter parts are not worth leaving out. */
const MIN_GAP = 1024;
const NEAR_LINES = 3;

/** The beginning of the third line behind `from`, or `to`. */
function lineAfter(text: string, from: number, to: number): number {
  let at = from;
  for (let i = 0; i <= NEAR_LINES && at < to; i++) at = text.indexOf('\n', at) + 1 || to;
  return Math.min(at, to);
}

/** The beginning of the third line before `to`, or `from`. */
function lineBefore(text: string, from: number, to: number): number {
  let at = to;
  for (let i = 0; i <= NEAR_LINES && at > from; i++) at = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
  return Math.max(at, from);
}

function gapsOf(text: string, pattern: RegExp): Range[] {
  const gaps: Range[] = [];
  pattern.lastIndex = 0;
  for (let gap = pattern.exec(text); gap !== null; gap = pattern.exec(text)) {
    gaps.push({ start: gap.index, end: pattern.lastIndex });
  }
  return gaps;
}

/** `gaps` are in order and apart; `mark`, of at most one character, stands in the place of each. */
function viewWithout(text: string, gaps: readonly Range[], mark = ''): View {
  const made = new ViewMaker();
  let from = 0;
  for (const { start, end } of gaps) {
    made.add(text.slice(from, start), from);
    made.add(mark, start);
    from = end;
  }
  made.add(text.slice(from), from);
  return made.view();
}
