// Words that nobody typed, whatever stands beside them: the token of a maker that no list names yet. Digests, public
// keys and names of things are told apart by their letters and by what stands before them.
import type { Span } from './spans.ts';
import { charSet, eachRun } from './text-index.ts';

const RUN = charSet(/[A-Za-z0-9+/_-]/);
const MIN_MIXED = 20;
/** As long, base64 is no digest and no public key: it holds something. */
const MIN_PACKED = 60;
/** As much of a word as is looked at. */
const SAMPLE = 256;
/** AAAA begins a key of SSH, age1 a recipient; hashes of Nix, and numbers that grow with the time. */
export const PUBLIC = /^AAAA|^age1|^bafy|^[0-9a-df-np-sv-z]{52}$|^[0-7][0-9A-HJKMNP-TV-Z]{25}$|(?:^|\/)sha\d{1,3}-/;
const PUBLIC_BEFORE =
  /(?:(?:sha\d{1,3}|md5|h1|zh|fingerprint)["']?[:-] ?|nix\/store\/|public[ _-]?key["']?[ \t]?[:=]? ?["']?|(?:digest|checksum|uid)["']?[:=] ?["']?|base64,)$/i;

/** Also the word that a random one is part of: `glpat-…`, `hf_…`. */
export function findRandomWords(text: string): Span[] {
  const spans: Span[] = [];
  eachRun(text, RUN, (start, end) => {
    if (end - start < MIN_MIXED) return;
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

// Which letters follow which in words and names, a row for each first letter: about 85 of 100 pairs, of random ones 28.
const PAIRS =
  'abcdgilmnprstuy baeiloru caehklortu dabdeiors eabcdefglmnprstvwx faefio gaeior haeio iacdefglmnoprstv ke ladeilostuy maeiop nacdefginost obcdglmnoprstuvw paeiloprstu qu racdeilmorstuvy sacehikopstuy tacehilorstuy ubelmnprst vaei wae yp';
const USUAL = new Uint8Array(26 * 26);
for (const [first = '', ...rest] of PAIRS.split(' ')) for (const next of rest) USUAL[pairOf(first, next)] = 1;

function pairOf(first: string, next: string): number {
  return (first.charCodeAt(0) - 97) * 26 + next.charCodeAt(0) - 97;
}

/** How many of its neighbours, from 0 to 1, no word would have: letters that do not follow each other, and digits. */
export function strangeness(word: string): number {
  let [strange, all] = [0, 0];
  let before = -2;
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i) | 32;
    const now = code >= 97 && code <= 122 ? code - 97 : -1;
    if (before !== -2 && (before !== -1 || now !== -1)) {
      all++;
      if (before === -1 || now === -1 || USUAL[before * 26 + now] === 0) strange++;
    }
    before = now;
  }
  return all === 0 ? 0 : strange / all;
}

/** What of a word joined by signs is no word itself and no number, when it is as long; hexadecimal may be a digest. */
export const strangeParts = (word: string, least: number): string =>
  word
    .slice(0, SAMPLE)
    .split(/[._/+=:-]/)
    .filter((part) => part.length >= least && /\d|[a-z][A-Z]/.test(part) && !/^(?=.*\d)[0-9a-f]{8,}$|^\d+$/i.test(part))
    .join('');

/** Letters and digits without an order. Hexadecimal may be the name of anything. */
export function isDrawn(whole: string, least = MIN_MIXED): boolean {
  const word = whole.slice(0, SAMPLE);
  const isMixed = /[a-z]/.test(word) && /[A-Z]/.test(word);
  if (word.length < (isMixed ? least : least + 4) || /^[0-9a-fA-F]+$/.test(word)) return false;
  const digits = word.match(/\d/g)?.length ?? 0;
  return digits >= (isMixed ? 1 : 2) && digits < word.length * 0.6 && strangeness(word) >= 0.55;
}
