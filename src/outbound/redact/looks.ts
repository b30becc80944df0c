// How much a word looks like a secret, whatever stands beside it: the one test for places where a name alone does not
// say that the next word is its value.
import { NO_VALUE } from './no-secret.ts';
import { isDrawn, PUBLIC, strangeness, strangeParts } from './random-words.ts';

/**
 * NONE: a reference, a path, an address, a version, a name of several words. PLAIN: letters, as any word. BYTES: a number
 * in hexadecimal, or a UUID: it may be the name of anything. CHOSEN: as people choose a password. MIXED: as nobody would
 * call anything else. DRAWN: nobody typed it.
 */
export const [NONE, PLAIN, BYTES, CHOSEN, MIXED, DRAWN] = [0, 1, 2, 3, 4, 5];

const MIN_LENGTH = 6;
const MAX_LENGTH = 512;
const OTHER = new RegExp(
  [
    // Options, variables, paths, patterns, numbers with their units, versions, dates, addresses, names of files and hosts.
    '^[-$%@/~.*\\\\=:]|:\\/\\/|^[\\w.-]+@[\\w.-]+(?:!|$)|^sha\\d+[:/-]|^v?\\d+(?:\\.\\d+)+|^!?[a-z_]\\w*(?:\\.[a-z_]\\w*)+$|^v?[\\d.,:_+-]+[a-z]{0,3}$|^[\\w-]+(?:\\.[\\w-]+)*\\.[a-z]{2,12}:?\\d*$',
    // Names of ciphers, digests, encodings, machines.
    '^(?:apache|mit|[al]?gpl|sha|md|base|aes|rsa|dsa|utf|iso|ipv|x|amd|arm|[rhep]s|ed|curve|tls|ssl|http|oauth|pkcs|rfc|cve|v|s|k|p|h)[-_v]?\\d[\\w.-]*$',
  ].join('|'),
  'i',
);
const SIGN = /[!#^?~&$%@*+]/;
const SEVERAL = /^[A-Za-z]*\d*(?:[._-][A-Za-z]*\d*)+$|^[a-z\d]+(?:[._-][a-z\d]+)+$/;
const CAMEL = /^(?:[A-Z]?[a-z]+|[A-Z]{2,4}(?=[A-Z][a-z]|\d|$))+\d{0,4}$/;

/** Which of these a word is; quotes and stops around it are no part of it. */
export function lookOf(word: string): number {
  if (
    word.length < MIN_LENGTH ||
    word.length > MAX_LENGTH ||
    OTHER.test(word) ||
    PUBLIC.test(word) ||
    NO_VALUE.test(word)
  )
    return NONE;
  if (/^[A-Za-z]+$/.test(word)) return isIrregular(word) ? CHOSEN : PLAIN;
  if (/^(?:0x)?[0-9a-f-]+$/i.test(word)) return /^(?=.*\d)[0-9a-f](?:-?[0-9a-f]){15,}$/i.test(word) ? BYTES : NONE;
  if (/^[a-z]\w{0,15}[_-](?=[a-f]*\d)[0-9a-f]{24,}$/i.test(word)) return BYTES;
  if (isDrawn(strangeParts(word, 3)) || isDrawn(strangeParts(word, 12), 12)) return DRAWN;
  if (/[/\\=:(){}<>[\]|]/.test(word)) return NONE;
  if (SIGN.test(word)) return /[a-z]/i.test(word) && /\d|[a-z].*[A-Z]|[A-Z].*[a-z]/.test(word) ? MIXED : NONE;
  if (SEVERAL.test(word)) return !/\d/.test(word) ? NONE : /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(word) ? CHOSEN : PLAIN;
  return !/\d/.test(word) || CAMEL.test(word) || !(/[a-z]/.test(word) && /[A-Z]/.test(word)) ? CHOSEN : MIXED;
}

/** Letters that do not follow each other, and capitals where no name has them. */
const isIrregular = (word: string): boolean =>
  word.length >= 8 && /[a-z]/.test(word) && /[A-Z]/.test(word) && strangeness(word) >= (CAMEL.test(word) ? 0.7 : 0.5);
