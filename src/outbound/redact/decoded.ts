// What stands in a text as base64 or hexadecimal, decoded: a secret has its form there, too. Spans are brought back to
// the characters that hold them.
import { bareHexView, inOriginal, joinedView, type View } from './searchable-view.ts';
import type { Span } from './spans.ts';

type Find = (text: string) => Span[];
type Decode = (run: string) => { inside: string; toRun: (span: Span) => Span } | undefined;

const BASE64_RUN = /[A-Za-z0-9+/_-]{11,}/g;
const HEX_RUN = /(?<![0-9A-Za-z])(?:[0-9a-fA-F]{2}){8,}(?![0-9A-Za-z])/g;

/** What `find` finds in the decoded parts of a text, also where they are wrapped or their bytes stand apart. */
export function findDecoded(text: string, find: Find): Span[] {
  const plain = { text };
  const joined = joinedView(text);
  const bare = bareHexView(text);
  return [
    ...inRuns(plain, BASE64_RUN, fromBase64, find),
    ...inRuns(plain, HEX_RUN, fromHex, find),
    ...(joined ? [...inRuns(joined, BASE64_RUN, fromBase64, find), ...inRuns(joined, HEX_RUN, fromHex, find)] : []),
    ...(bare ? inRuns(bare, HEX_RUN, fromHex, find) : []),
  ];
}

function inRuns(view: View, pattern: RegExp, decode: Decode, find: Find): Span[] {
  const spans: Span[] = [];
  for (const { 0: run, index } of view.text.matchAll(pattern)) {
    // One that nothing was taken out of is found in the text itself.
    const { start: from, end: to } = inOriginal(view, { start: index, end: index + run.length });
    if (view.at !== undefined && to - from === run.length) continue;
    const decoded = decode(run);
    if (decoded === undefined) continue;
    for (const span of find(decoded.inside)) {
      const { start, end, kind } = decoded.toRun(span);
      spans.push({ ...inOriginal(view, { start: index + start, end: index + Math.min(end, run.length) }), kind });
    }
  }
  return spans;
}

/**
 * A run may begin with something that is not part of it: of the four places where the bytes can begin, the one that
 * gives a text.
 */
function fromBase64(run: string): ReturnType<Decode> {
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

function fromHex(run: string): ReturnType<Decode> {
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
