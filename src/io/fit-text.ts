// Lines that fit a terminal: broken at spaces, what follows indented under what it belongs to. Wide characters count as two.
import { eastAsianWidth } from 'get-east-asian-width';

const ASCII = /^[ -~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are escape sequences.
const COLOURS = /\u001b\[\d+m/g;
let segmenter: Intl.Segmenter | undefined;

/** Splits into graphemes. Created lazily: it is slow, and most text is ASCII. */
function signsOf(text: string): string[] {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** How many columns a text takes on a terminal; colours take none. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const sign of signsOf(text.replaceAll(COLOURS, ''))) width += signWidth(sign);
  return width;
}

/** Combining marks and joiners take no column. */
function signWidth(sign: string): number {
  if (/^[\p{Mark}\p{Format}\p{Control}]/u.test(sign)) return 0;
  if (sign.includes('\ufe0f')) return 2;
  return eastAsianWidth(sign.codePointAt(0) ?? 0);
}

/** Cut to `columns`, with … for what is missing. */
export function cutText(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let cut = '';
  for (const sign of signsOf(text)) {
    if (displayWidth(cut + sign) > columns - 1) break;
    cut += sign;
  }
  return `${cut}…`;
}

/** Fewer columns than this are not worth fitting into. */
const MIN_COLUMNS = 20;

/** A line that is pasted into a shell. */
const COMMAND = /^ *(?:mendloop|git) [a-z]/;

/** Every line of `text` broken to fit. Words longer than a line stay whole, and so does what is copied: diffs, commands. */
export function fitText(text: string, columns: number): string {
  if (columns < MIN_COLUMNS) return text;
  let inDiff = false;
  return text
    .split('\n')
    .flatMap((line) => {
      inDiff = line !== '' && (inDiff || /^ *(?:diff --git|--- (?:a\/|\/dev\/null)|@@ )/.test(line));
      return inDiff || COMMAND.test(line) || displayWidth(line) <= columns ? [line] : fitLine(line, columns);
    })
    .join('\n');
}

function fitLine(line: string, columns: number): string[] {
  const head = headOf(line, columns);
  const indent = ' '.repeat(displayWidth(head));
  const lines: string[] = [];
  let current = head;
  let isEmpty = true;
  for (const [, gap = '', word = ''] of line.slice(head.length).matchAll(/( *)([^ ]+)/g)) {
    const next = isEmpty ? current + word : current + gap + word;
    if (!isEmpty && displayWidth(next) > columns) {
      lines.push(current);
      current = indent + word;
    } else current = next;
    isEmpty = false;
  }
  return [...lines, current];
}

/** The indent for the rest of a wrapped line: its last column if there is room, else its bullet. */
function headOf(line: string, columns: number): string {
  const room = Math.floor(columns / 2);
  const gaps = [...line.matchAll(/\S {2,}(?=\S)/g)].map(({ index, 0: gap }) => line.slice(0, index + gap.length));
  const column = gaps.findLast((head) => displayWidth(head) <= room);
  const mark = /^ *(?:[-|*] |\w+: +)?/.exec(line)?.[0] ?? '';
  return column ?? (displayWidth(mark) <= room ? mark : '');
}
