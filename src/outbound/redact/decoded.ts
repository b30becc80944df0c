// What stands in a text as base64 or hexadecimal, decoded: a secret has its form there, too. Spans are brought back to
// the characters that hold them.
import { inOriginal, type View, type Views } from './searchable-view.ts';
import type { Span } from './spans.ts';
import { charSet, eachRun } from './text-index.ts';

type Find = (text: string) => Span[];
type Decoded = { inside: string; toRun: (span: Span) => Span } | undefined;

const ENCODED = charSet(/[A-Za-z0-9+/_-]/);
const MIN_RUN = 11;
const HEX = /(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){8,}(?![0-9A-Za-z])/g;

/** What `find` finds in the decoded parts of a text, also where they are wrapped or their bytes stand apart. */
export function findDecoded(text: string, { joined, bareHex }: Views, find: Find): Span[] {
  return [{ text }, joined, bareHex].flatMap((view) => (view === undefined ? [] : inRuns(view, find)));
}

function inRuns(view: View, find: Find): Span[] {
  const spans: Span[] = [];
  const runs: { start: number; run: string }[] = [];
  eachRun(view.text, ENCODED, (start, end) => {
    if (end - start < MIN_RUN) return;
    // One that nothing was taken out of is found in the text itself.
    const range = inOriginal(view, { start, end });
    if (view.at === undefined || range.end - range.start > end - start)
      runs.push({ start, run: view.text.slice(start, end) });
  });
  for (const { start, run } of runs) {
    const places = /[0-9a-fA-F]{16}/.test(run)
      ? [...run.matchAll(HEX)].map(({ 0: hex, index }) => ({ hex, index }))
      : [];
    const decoded = [
      { offset: start, size: run.length, decoded: fromBase64(run) },
      ...places.map(({ hex, index }) => ({ offset: start + index, size: hex.length, decoded: fromHex(hex) })),
    ];
    for (const { offset, size, decoded: part } of decoded) {
      for (const span of part === undefined ? [] : find(part.inside)) {
        const range = part?.toRun(span) as Span;
        const end = offset + Math.min(range.end, size);
        spans.push({ ...inOriginal(view, { start: offset + range.start, end }), kind: range.kind });
      }
    }
  }
  return spans;
}

/**
 * A run may begin with something that is not part of it: of the four places where the bytes can begin, the one that
 * gives a text.
 */
function fromBase64(run: string): Decoded {
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

function fromHex(run: string): Decoded {
  if (!TEXT_IN_HEX.test(run) || !isText(Buffer.from(run.slice(0, SAMPLE), 'hex'))) return undefined;
  const toRun = ({ start, end, kind }: Span) => ({ start: start * 2, end: end * 2, kind });
  return { inside: Buffer.from(run, 'hex').toString('latin1'), toRun };
}

// What the first bits of printable characters become, at the beginning: most runs are no text, and decoding costs more
// than looking.
const TEXT_IN_BASE64 = /^(?:[CDI-Za-f].{3}){2}[CDI-Za-f]/;
const TEXT_IN_HEX = /^(?:[2-7].|0[9aAdD]){6}/;

/** As much of the beginning as is looked at. */
const SAMPLE = 256;

/** Bytes by chance are printable in two of five cases. What follows a short run without a gap may spoil its end. */
function isText(bytes: Buffer): boolean {
  let printable = 0;
  for (const byte of bytes) if ((byte >= 32 && byte < 127) || byte === 9 || byte === 10 || byte === 13) printable++;
  return bytes.length >= 8 && printable >= bytes.length * 0.85;
}
