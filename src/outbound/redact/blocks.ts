// PEM blocks and lines of wrapped base64. Logs cut them, indent them and put a time before each line, so they are
// followed line by line: down from BEGIN, up from END, and where neither is left, by the look of the lines.
import type { Span } from './spans.ts';
import { eachRun } from './text-index.ts';

const MARK = /-{4,5} ?(BEGIN|END) [A-Za-z0-9 ]{1,48}-{4,5}/g;
// Also the escaped line breaks of a PEM inside of a JSON text.
const BREAKS = /\r?\n|\r|(?:\\{1,4}[nr])+/g;
/** A key is never longer; what follows a BEGIN without END beyond that is judged by its look. */
export const MAX_BLOCK = 48 * 1024;

interface Line {
  start: number;
  text: string;
}

/** What to mask; the BEGIN and END lines stay. */
export const findBlocks = (text: string): Span[] => [...pemBlocks(text), ...wrapped(text)];

function pemBlocks(text: string): Span[] {
  const marks = [...text.matchAll(MARK)].map(({ 0: word, 1: what, index }) => ({
    what,
    start: index,
    end: index + word.length,
  }));
  return marks.flatMap((mark, i) => {
    const next = marks[i + 1];
    if (mark.what === 'BEGIN') {
      const closed = next?.what === 'END' && next.start - mark.end <= MAX_BLOCK;
      const until = Math.min(next?.start ?? text.length, mark.end + MAX_BLOCK);
      const lines = linesOf(text, mark.end, until);
      return bodies(closed ? lines : takeWhile(lines));
    }
    if (marks[i - 1]?.what === 'BEGIN') return [];
    const from = Math.max(marks[i - 1]?.end ?? 0, mark.start - MAX_BLOCK);
    return bodies(takeWhile(linesOf(text, from, mark.start).reverse(), true));
  });
}

/** As long as the lines look like a body. Its last line may be short: read downwards it comes last, upwards first. */
function takeWhile(lines: readonly Line[], upwards = false): Line[] {
  const taken: Line[] = [];
  let bodies = 0;
  for (const line of lines) {
    const plain = line.text.trim();
    const body = /[A-Za-z0-9+/=]+$/.exec(plain.slice(-512))?.[0] ?? '';
    const isShort = body.length > 0 && (body === plain || /=$/.test(body));
    if (body.length >= 16 || (upwards && bodies === 0 && isShort)) bodies++;
    else if (!NO_BODY.test(plain)) {
      if (!upwards && bodies > 0 && isShort) taken.push(line);
      break;
    }
    taken.push(line);
  }
  return taken;
}

/** Blank, or a header of the block. */
const NO_BODY = /^(?:[\s"'\\,|>+]*$|(?:Proc-Type|DEK-Info|Version|Comment):)/;

/** The last word of each line: before it may stand a time, a prefix, an indentation. */
function bodies(lines: readonly Line[]): Span[] {
  return lines.flatMap(({ start, text }) => {
    const end = text.replace(/[\s"',\\]+$/, '').length;
    let from = end;
    while (from > 0 && /[A-Za-z0-9+/=_-]/.test(text.charAt(from - 1))) from--;
    return end - from < 2 ? [] : [{ start: start + from, end: start + end, kind: 'pem' }];
  });
}

const [MIN_WRAPPED, MAX_WRAPPED] = [58, 400];

/** Two or more lines in a row that hold nothing but base64 of the usual widths, and the shorter one that ends them. */
function wrapped(text: string): Span[] {
  // Most texts have no two such lines below each other, and taking them apart costs more than looking.
  let [isLikely, last] = [false, -Infinity];
  eachRun(text, MIN_WRAPPED, (start, end) => {
    isLikely ||= start - last < MAX_WRAPPED;
    last = end;
  });
  if (!isLikely) return [];
  const spans: Span[] = [];
  let run: Line[] = [];
  const close = (last?: Line) => {
    if (run.length >= 2) spans.push(...[...run, ...(last && isTail(last.text) ? [last] : [])].map(whole));
    run = [];
  };
  for (const line of linesOf(text, 0, text.length)) {
    if (isWrapped(line.text)) run.push(line);
    else if (run.length > 0) close(line);
  }
  close();
  return spans;
}

const whole = ({ start, text }: Line): Span => ({ start, end: start + text.length, kind: 'wrapped' });
/** The last line of a body is shorter; a word of the log is not whole groups of four, or has only small letters. */
function isTail(line: string): boolean {
  const body = line.length < MAX_WRAPPED ? line.trim() : '';
  return body.length % 4 === 0 && /^[A-Za-z0-9+/]{2,}={0,2}$/.test(body) && /[A-Z0-9+/=]/.test(body);
}

/** Digests are hexadecimal and stay. */
const WRAPPED = [/^[A-Za-z0-9+/]+={0,2}$/, /[A-Z]/, /[a-z]/, /\d/];

function isWrapped(line: string): boolean {
  if (line.length < 60 || line.length > MAX_WRAPPED) return false;
  const body = line.trim();
  return body.length >= 60 && WRAPPED.every((sign) => sign.test(body));
}

/** The lines of a part of a text that are not empty. */
function linesOf(text: string, from: number, until: number): Line[] {
  const part = text.slice(from, until);
  const lines: Line[] = [];
  let start = 0;
  for (const { 0: gap, index } of [...part.matchAll(BREAKS), { 0: '', index: part.length }]) {
    if (index > start) lines.push({ start: from + start, text: part.slice(start, index) });
    start = index + gap.length;
  }
  return lines;
}
