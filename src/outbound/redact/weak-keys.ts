// Values under names that only touch on secrets: `APP_KEY`, `webhook_id`, `PASSWORD_FOR_X`, `erlang_cookie`. The name
// alone does not tell, so the look of the value decides.
import { BYTES, lookOf } from './looks.ts';
import { NO_VALUE } from './no-secret.ts';
import { isDrawn } from './random-words.ts';
import { CHOSEN } from './rule.ts';
import { isHighEntropy } from './secret-signs.ts';
import type { Span } from './spans.ts';

/** Whether a value looks like a secret. */
export type Look = (value: string) => boolean;

// It ends where another pair would begin, so that no character is read for two.
const VALUE = /[ \t]{0,4}["'`]?([^\s"'`,;<>|)\]}:=]{6,512}={0,2})(?![\w:=])/y;

/** Of a key's length; 40 is the length of a commit. */
const isHex = (value: string): boolean => /^(?=[a-f]*\d)(?:[0-9a-f]{32,39}|[0-9a-f]{41,})$/i.test(value);
/** In base32, or as Erlang draws its cookies. */
const isSeed = (value: string): boolean => /^(?:(?=[A-Z]*\d)[A-Z2-7]{16,64}|[A-Z]{20})$/.test(value);
const isRandom = (value: string): boolean =>
  isHex(value) || (/^[\w+/=.-]{16,}$/.test(value) && (isMixed(value) || isDrawn(value.replace(/[+/=._-]/g, ''), 14)));
const isMixed = (value: string): boolean =>
  isHighEntropy(value) && [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(value));
const IS_CHOSEN = new RegExp(`^${CHOSEN}$`);
const isChosen = (value: string): boolean =>
  IS_CHOSEN.test(value) && !NO_VALUE.test(value) && !/(?:sha|aes|[hre]s)-?\d{3}/i.test(value);

/** The end of a name, and what a value must look like to be secret there. */
/** A community that programs do not come with. */
const isShared = (value: string): boolean => lookOf(value) >= BYTES && !NO_VALUE.test(value);

const LOOKS: readonly (readonly [end: RegExp, look: Look])[] = [
  [/(?:^|[^a-z])community$/i, isShared],
  [/(?:^|[^a-z])(?:key|seed|salt|psk|nonce|pepper|t?otp|cookie)$/i, (value) => isRandom(value) || isSeed(value)],
  [
    /(?:[_-](?:key|auth|data|cert|crt|psk|pat|sid|sas|dsn|jwt)|[a-z](?:Key|Salt|Seed)|secret|token|passw|passphrase|credential|encrypt|cookie|signature|webhook|licen[cs]e|session)[\w.-]{0,30}$/i,
    isRandom,
  ],
  [
    /(?:password|passwd|passphrase|passwort|pass|pwd|pw|secret|token)(?:[_-][a-z0-9]{1,20}){1,3}$|[a-z0-9][_-](?:auth|cookie|seed|login|t?otp|sid)$/i,
    isChosen,
  ],
];

// What is told about a secret, and keys that open nothing.
export const HARMLESS = new RegExp(
  `(?:${[
    'file|path|dir|folder|name|ttl|count|length|type|kind|sock|socket|expiry|expires|expiration|enabled|disabled|algorithm|alg|usage|ref',
    'required|version|policy|url|uri|endpoint|host|port|user|username|email|store|backend|method|mode|limit|min|max|days|hours|minutes',
    'seconds|timeout|interval|age|lifetime|duration|rotation|format|prefix|suffix|regex|pattern|header|field|manager|provider|class|hint',
    'prompt|label|title|description|image|tag|template|namespace|annotation|issuer|audience|scope|address|hash|digest|checksum|revision',
  ].join(
    '|',
  )})s?$|pub(?:lic)?[\\w .-]{0,40}$|(?:cache|host|primary|foreign|partition|sort|group|index|source|object|topology|idempotency|lookup|composite|registry|translation|known)[ _.-]?keys?$`,
  'i',
);

/** The looks that a value may have to be secret under this name; most names have none. */
export const looksUnder = (name: string): readonly Look[] =>
  HARMLESS.test(name) ? [] : LOOKS.filter(([end]) => end.test(name)).map(([, look]) => look);

/** What to mask of the value at `at`: it has one of these looks. */
export function weakValue(text: string, looks: readonly Look[], at: number): Span | undefined {
  VALUE.lastIndex = at;
  const match = VALUE.exec(text);
  const value = match?.[1] ?? '';
  if (match === null || !looks.some((look) => look(value))) return undefined;
  const end = at + match[0].length;
  return { start: end - value.length, end, kind: 'secret' };
}
