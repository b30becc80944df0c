// Words that nobody typed, whatever stands beside them: the token of a maker that no list names yet. Digests, public
// keys and names of things are told apart by their letters and by what stands before them.
import { isDrawn, PUBLIC, strangeParts } from './looks.ts';
import type { Span } from './spans.ts';
import { eachRun } from './text-index.ts';

const MIN_MIXED = 20;
/** As long, base64 is no digest and no public key: it holds something. */
const MIN_PACKED = 60;
/** As much of a word as is looked at. */
const SAMPLE = 256;
const PUBLIC_BEFORE =
  /(?:(?:affiliate|identity)[ \t]{1,8}|(?:sha\d{1,3}|md5|h1|zh|fingerprint)["']?[:-] ?|nix\/store\/|public[ _-]?key["']?[ \t]?[:=]? ?["']?|(?:digest|checksum|uid|kid|[a-z]_id|"[nxy])["']?[:=] ?["']?|TXT (?:record )?"|DNSKEY (?:\d{1,3} ){3}|[ ;]p=|base64,)$/i;

/** Also the word that a random one is part of: `glpat-…`, `hf_…`. */
export function findRandomWords(text: string): Span[] {
  const spans: Span[] = [];
  eachRun(text, MIN_MIXED, (start, end) => {
    const run = text.slice(start, end);
    if (PUBLIC.test(run) || PUBLIC_BEFORE.test(text.slice(Math.max(0, start - 16), start))) return;
    // Shorter base64 with padding or a plus sign is as often a digest or a public key.
    if (run.includes('+') || text.charAt(end) === '=') {
      if (run.length >= MIN_PACKED && isDrawn(run.slice(0, SAMPLE).replace(/[^A-Za-z0-9]/g, '')))
        spans.push({ start, end: paddedEnd(text, end), kind: 'packed' });
      return;
    }
    for (const { 0: word, index } of run.matchAll(/[^/]{20,}/g)) {
      const before = text.slice(Math.max(0, start + index - 16), start + index);
      if (!PUBLIC_BEFORE.test(before) && isDrawn(strangeParts(word, 12)))
        spans.push({ start: start + index, end: start + index + word.length, kind: 'token' });
    }
  });
  return spans;
}

const paddedEnd = (text: string, end: number): number =>
  end + (/^={0,2}/.exec(text.slice(end, end + 2))?.[0].length ?? 0);
