// Words that look like secrets, behind one that speaks of secrets: in sentences, commands, directives, calls, listings,
// wherever no rule knows how a value is given. The nearer a word stands, the less it must look like one.
import { PASSWORD_WORD } from './key-words.ts';
import { BYTES, CHOSEN, DRAWN, lookOf, MIXED, PLAIN } from './looks.ts';
import { isProse } from './no-secret.ts';
import type { Span } from './spans.ts';
import { HARMLESS } from './weak-keys.ts';

const STRONG = `secret|token|psk|credentials?|creds?|api[ _-]?key|private[ _-]?key|securestring|${PASSWORD_WORD}`;
const WEAK = 'keys?|auth|authorization|bearer|pin|seed|salt|t?otp|2fa|cookie|webhook|unseal';
const USER = 'login|user(?:name)?|account|admin|root';
const MAY_SPEAK = new RegExp(`openssl|gen|${STRONG}|${WEAK}|${USER}`, 'i');
const CUE = new RegExp(
  `(?<none>(?:^|[^a-z])pub(?:lic)?[\\w.-]*|^(?:get|has|ask|read|check|lookup|prompt|verify|is|need|find|fetch|load)[_A-Z-]?\\w*)$|(?<password>(?:${PASSWORD_WORD}|[a-z\\d][_-](?:secret|token|(?:api|auth|access|private|shared)[_-]?key))s?\\d{0,3})$|(?<strong>(?:${STRONG})s?\\d{0,3})$|(?:(?:^|[^a-z])(?<weak>${WEAK})|(?<opens>keys?))\\d{0,3}$|^(?<user>${USER})$`,
  'i',
);
/** Between a name and its value; none of them is a value. */
const LINK =
  /^(?:--?(?:value|data|plain|text|string|set|force)|is|are|was|be|been|has|set|reset|changed|updated|to|now|as|with|the|a|an|of|by|value|string|plain|text|using|variable|equals?|ist|lautet|und|and|=+|:|->|=>|:=|→|\||-|\*)$/i;
/** What a line goes on about is public. */
const PUBLIC = /public|fingerprint|identifier|digest|checksum|sha\d|hash|path|file|version|image|commit|revision/i;
const WORD = /[^\s"'`,;|<>()[\]{}\uffff]+/g;
const MAX_WORDS = 8;
const REACH = 160;

type Cue = 'password' | 'strong' | 'weak' | 'user' | undefined;

/** What to mask, line by line. */
export function findBesideCues(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  /** What a word alone on the next line must look like; nothing is behind Infinity. */
  let least = Number.POSITIVE_INFINITY;
  for (const line of text.split('\n')) {
    const alone = least === Number.POSITIVE_INFINITY ? undefined : ALONE.exec(line);
    const look = lookOf(alone?.[1] ?? '');
    if (alone && look >= least && (least !== BYTES || (look !== CHOSEN && look !== MIXED))) {
      const from = start + line.indexOf(alone[1] as string);
      spans.push({ start: from, end: from + (alone[1] as string).length, kind: 'secret' });
    }
    const speaks = line.length > 0 && MAY_SPEAK.test(line);
    if (speaks) inLine(line, start, spans);
    if (line.trim() !== '') least = speaks ? leastBelow(line.slice(-REACH)) : Number.POSITIVE_INFINITY;
    start += line.length + 1;
  }
  return spans;
}

const ALONE = /^[ \t>$#*-]{0,16}["'`]?([^\s"'`<>]{6,512})["'`]?[ \t]*\r?$/;
/** A command that shows a secret, or what asks for one; what decodes one may show any word. */
const SHOWS = /(?:get|read|show|output|printenv|cat|view|print|jsonpath|reveal|gen\w*|rand|pwgen|is|are|below|:)/i;

/** Programs that make one. */
const MAKES = /openssl[ \t]+rand|pwgen|wg[ \t]+gen/;

function leastBelow(line: string): number {
  if (PUBLIC.test(line)) return Number.POSITIVE_INFINITY;
  if (MAKES.test(line)) return BYTES;
  if (/base64 (?:-d|-D|--decode)[ \t]*\r?$/.test(line)) return PLAIN;
  const words = line.match(/[\w.-]+/g) ?? [];
  const cue = words.map(cueOf).findLast((one) => one !== undefined);
  if (cue === undefined) return Number.POSITIVE_INFINITY;
  return cueOf(words.at(-1) ?? '') !== undefined && SHOWS.test(line) && cue !== 'weak' ? CHOSEN : BYTES;
}

function inLine(line: string, offset: number, spans: Span[]): void {
  let cue: Cue;
  let distance = 0;
  let isLinked = false;
  let isPublic = false;
  let until = 0;
  let isSeveral = false;
  const last = line.trimEnd().length;
  for (const { 0: whole, index } of line.matchAll(WORD)) {
    if (cue !== undefined && (index > until || distance > MAX_WORDS)) cue = undefined;
    for (const { 0: part, index: at } of whole.matchAll(/[^=:]+|[=:]+/g)) {
      if (/^[=:]/.test(part)) {
        isLinked ||= distance === 0;
        continue;
      }
      const word = part.replace(/[.!?]+$/, '');
      const [start, end] = [index + at, index + at + part.length];
      // In quotes, or alone behind a name of several words to the end of the line.
      const isQuoted = QUOTES.has(line.charAt(start - 1) + line.charAt(end)) || (isSeveral && end === last);
      if (cue !== undefined && isSecretHere(part, cue, distance, isLinked, isQuoted)) {
        spans.push({ start: offset + start, end: offset + end, kind: 'secret' });
        distance++;
        continue;
      }
      const named = cueOf(word);
      if (named !== undefined && (cue === undefined ? !isPublic || RANK[named] > 1 : RANK[named] >= RANK[cue])) {
        [cue, distance, isLinked, until] = [named, 0, false, index + REACH];
        isSeveral = /[a-z\d][_-]\w*(?:pass|pw|psk)/i.test(word);
        const phrase = named === 'password' ? PHRASE.exec(line.slice(end, end + REACH))?.[2] : undefined;
        if (phrase !== undefined && !isProse(phrase)) {
          const from = offset + line.indexOf(phrase, end);
          spans.push({ start: from, end: from + phrase.length, kind: 'secret' });
        }
      } else if (cue === undefined) isPublic ||= PUBLIC.test(word);
      else if (named !== undefined || LINK.test(word)) isLinked ||= distance === 0 && IS.test(word);
      else if (PUBLIC.test(word)) [cue, isPublic] = [undefined, true];
      else distance++;
    }
  }
}

const IS = /^(?:is|was|are|to|ist|lautet|--?value)$/i;
/** Some words in quotes. */
const PHRASE = /^[ \t]{1,8}(["'])([^"'\s]{1,24}(?: [^"'\s]{1,24}){1,4})\1/;

/** Whether a word is one so near to a cue. */
function isSecretHere(word: string, cue: Cue, distance: number, isLinked: boolean, isQuoted: boolean): boolean {
  const look = lookOf(word);
  if (cue === 'user') return look >= (distance > 2 ? DRAWN : MIXED);
  if (cue === 'weak') return look >= (distance === 0 && isLinked ? MIXED : DRAWN);
  if (distance > 0) return look >= (cue === 'password' && isQuoted ? CHOSEN : MIXED);
  const isTyped = cue === 'password' && (isQuoted || /\d/.test(word));
  return look >= (isTyped ? PLAIN : BYTES) && !(look === PLAIN && isProse(word));
}

const RANK = { user: 0, weak: 1, strong: 2, password: 3 };
const QUOTES: ReadonlySet<string> = new Set(['""', "''", '``']);
const CUES = new Map<string, Cue>();
const MAX_CUES = 2000;

function cueOf(word: string): Cue {
  if (word.length > 64) return undefined;
  if (CUES.has(word)) return CUES.get(word);
  const { none, password, strong, weak, opens, user } = CUE.exec(word)?.groups ?? {};
  const isNone = user === undefined && (none !== undefined || HARMLESS.test(word));
  const cue = isNone
    ? undefined
    : password
      ? 'password'
      : strong
        ? 'strong'
        : (weak ?? opens)
          ? 'weak'
          : user && 'user';
  if (CUES.size >= MAX_CUES) CUES.clear();
  CUES.set(word, cue as Cue);
  return cue as Cue;
}
