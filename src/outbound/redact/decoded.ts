// What stands in a text as base64 or hexadecimal, decoded: a secret has its form there, too. Spans are brought back to
// the characters that hold them.
import { inOriginal, type View, type Views } from './searchable-view.ts';
import { merge, type Span } from './spans.ts';
import { eachRun } from './text-index.ts';

type Decoded = { inside: string; toRun: (span: Span) => Span };

const MIN_RUN = 11;
/** No rule sees beyond it, and no value goes on behind it. */
export const BETWEEN = '\n\uffff\n\uffff\n';
const HEX = /(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){8,}(?![0-9A-Za-z])/g;

/** A text that another one holds, and where in that one something stands that was found in it. */
export interface DecodedPart {
  inside: string;
  inText: (spans: readonly Span[]) => Span[];
}

/** The decoded parts of a text, also where they are wrapped or their bytes stand apart. */
export const decodedParts = (text: string, { joined, bareHex }: Views): DecodedPart[] =>
  [{ text }, joined, bareHex].flatMap((view) => (view === undefined ? [] : runsOf(view)));

/** All that is decoded is searched at once, its parts with a wall between them. */
function runsOf(view: View): DecodedPart[] {
  const parts: { offset: number; size: number; from: number; decoded: Decoded }[] = [];
  const texts: string[] = [];
  let from = 0;
  const add = (offset: number, size: number, decoded: Decoded | undefined) => {
    if (decoded === undefined) return;
    parts.push({ offset, size, from, decoded });
    texts.push(decoded.inside);
    from += decoded.inside.length + BETWEEN.length;
  };
  eachRun(view.text, MIN_RUN, (start, end) => {
    const run = view.text.slice(start, end);
    if (!MAY_HOLD_TEXT.test(run)) return;
    // One that nothing was taken out of is found in the text itself.
    const range = inOriginal(view, { start, end });
    if (view.parts !== undefined && range.end - range.start <= run.length) return;
    add(start, run.length, fromBase64(run));
    if (/[0-9a-fA-F]{16}/.test(run))
      for (const { 0: hex, index } of run.matchAll(HEX)) add(start + index, hex.length, fromHex(hex));
  });
  if (parts.length === 0) return [];
  const inText = (spans: readonly Span[]): Span[] => {
    let next = 0;
    return merge(spans).flatMap((span) => {
      while (next + 1 < parts.length && (parts[next + 1] as { from: number }).from <= span.start) next++;
      const { offset, size, from: begin, decoded } = parts[next] as (typeof parts)[number];
      const [start, end] = [span.start - begin, Math.min(span.end - begin, decoded.inside.length)];
      if (start >= end) return [];
      const range = decoded.toRun({ start, end, kind: span.kind });
      const inView = { start: offset + range.start, end: offset + Math.min(range.end, size) };
      return [{ ...inOriginal(view, inView), kind: span.kind }];
    });
  };
  return [{ inside: texts.join(BETWEEN), inText }];
}

/**
 * A run may begin with something that is not part of it: of the four places where the bytes can begin, the one that
 * gives a text.
 */
function fromBase64(run: string): Decoded | undefined {
  for (let lead = 0; lead < 4; lead++) {
    if (!TEXT_IN_BASE64.test(run.slice(lead, lead + 12))) continue;
    if (!isText(Buffer.from(run.slice(lead, lead + SAMPLE), 'base64'))) continue;
    const inside = Buffer.from(run.slice(lead), 'base64').toString('latin1');
    const toRun = ({ start, end, kind }: Span) => ({
      start: lead + Math.floor((start * 4) / 3),
      end: lead + Math.ceil((end * 4) / 3),
      kind,
    });
    return { inside, toRun };
  }
  return undefined;
}

function fromHex(run: string): Decoded | undefined {
  if (!TEXT_IN_HEX.test(run) || !isText(Buffer.from(run.slice(0, SAMPLE), 'hex'))) return undefined;
  const toRun = ({ start, end, kind }: Span) => ({ start: start * 2, end: end * 2, kind });
  return { inside: Buffer.from(run, 'hex').toString('latin1'), toRun };
}

// What the first bits of printable characters become, at the beginning: most runs are no text, and decoding costs more
// than looking.
const TEXT_IN_BASE64 = /^(?:[CDI-Za-f].{3}){2}[CDI-Za-f]/;
const MAY_HOLD_TEXT = /^.{0,3}(?:[CDI-Za-f].{3}){2}[CDI-Za-f]|[0-9a-fA-F]{16}/;
/** Numbers without a letter are those of a table: of text some byte has one. */
const TEXT_IN_HEX = /^(?=\d*[a-fA-F])(?:[2-7].|0[9aAdD]){6}/;

/** As much of the beginning as is looked at. */
const SAMPLE = 256;

/** Bytes by chance are printable in two of five cases. What follows a short run without a gap may spoil its end. */
function isText(bytes: Buffer): boolean {
  let printable = 0;
  for (const byte of bytes) if ((byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13) printable++;
  return bytes.length >= 8 && printable >= bytes.length * 0.85;
}
