// The value that belongs to a name which speaks of secrets, wherever the two stand. How much a value must look like a secret
// depends on what its name says and on how near it stands.
import { below, besideName, loginOf } from './beside-names.ts';
import { BYTES, CHOSEN, DRAWN, isNoSecret, isRandom, lookOf, MIXED } from './looks.ts';
import { isNameChar, lineBefore, type Name, nameAround, spanOf } from './name-places.ts';
import { HINT, NO_NAME, PASSWORD, SECRET, STEM, strengthOf, TOUCH, USER } from './names.ts';
import { pairValues } from './pairs.ts';
import type { Span } from './spans.ts';

const MAX_INDENT = 200;

export function findNamedValues(text: string): Span[] {
  const spans: Span[] = namedElsewhere(text);
  let until = 0;
  STEM.lastIndex = 0;
  for (let stem = STEM.exec(text); stem !== null; stem = STEM.exec(text)) {
    const name = nameAround(text, stem.index);
    STEM.lastIndex = Math.max(STEM.lastIndex, name.end);
    // What looks like a name inside of a value is part of it.
    if (name.strength === NO_NAME || name.start < until) continue;
    const values = valuesOf(name);
    spans.push(...values);
    until = values.at(-1)?.end ?? until;
  }
  return spans;
}

const SEPARATOR = /["'`\])]{0,2}[ \t]{0,16}(=>|->|→|:=|\?=|\+=|[!=]==?(?=[ \t]*["'])|=(?![=~])|::(?=[ \t])|:(?![:=]))/y;

function valuesOf(name: Name): Span[] {
  const { text, word, strength } = name;
  SEPARATOR.lastIndex = name.end;
  const [hit = '', sign = ''] = SEPARATOR.exec(text) ?? [];
  // Of a text about settings: a key in backticks, or a way through menus.
  const isMenu = (sign === '->' || sign === '→') && strength < PASSWORD && !/[_-]|[a-z][A-Z]/.test(word);
  if (hit === '' || isMenu || hit === ') =>' || (hit.startsWith('`') && sign === ':')) return besideName(name);
  if (strength === USER && sign === ':')
    return [
      ...weakValue(name, valueStart(text, name.end + hit.length)),
      ...besideName({ ...name, end: name.end + hit.length }),
    ];
  const at = valueStart(text, name.end + hit.length);
  // A name behind a slash is an annotation, or where something is; what is given with `=` is a value there, too.
  const isBehindSlash = text.charAt(name.start - 1) === '/' && isNameChar(text.charCodeAt(name.start - 2));
  const isWeak = strength < SECRET || (isBehindSlash && sign !== '=');
  if (isWeak || (IS_PLURAL.test(word) && /[|>"'\w]/.test(text.charAt(at)))) return weakValue(name, at);
  const values = pairValues(name, hit, sign, at);
  const isBelow = values.length === 0 && sign === ':' && /[\r\n]/.test(text.charAt(at)) && !IS_PLURAL.test(word);
  return isBelow ? below(name, strength === PASSWORD ? ':' : '') : values;
}

const ESCAPED_BREAK = /\\\r?\n/y;

/** Behind blanks, line ends that are escaped, and what ends bold text. */
function valueStart(text: string, from: number): number {
  let at = text.startsWith('** ', from) ? from + 2 : from;
  for (const limit = at + MAX_INDENT; at < limit; at++) {
    ESCAPED_BREAK.lastIndex = at;
    if (text.charCodeAt(at) === 92 && ESCAPED_BREAK.test(text)) at = ESCAPED_BREAK.lastIndex - 1;
    else if (!isBlank(text.charCodeAt(at))) break;
  }
  return at;
}

/** Also the blank that no line is broken at. */
const isBlank = (code: number): boolean => code === 32 || code === 9 || code === 160;

/** Several, each on a line of its own; one that stands here must look like it. */
const IS_PLURAL = /(?:secret|token|password|passwd|key)s["']?$/i;
// It ends where another pair would begin, so that no character is read for two.
const WEAK_VALUE = /["'`]?([^\s"'`,;<>|)\]}:=]{4,512}={0,2})(?![\w:=])/y;
/** Four digits and more under the name of a code, or as HomeKit and Matter part them. */
const PIN_NAME =
  /(?:^|[^a-z])pin$|(?:sim|alarm|door|lock|unlock|access|pairing|security|verification|activation|disarm|garage|gate|master|user|guest|setup|homekit|matter|otp|2fa|mfa|pin)[ _-]?(?:code|pin)$/i;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PIN = /^(?:\d{4,12}|\d{3}-\d{2}-\d{3}|\d{4}-\d{3}-\d{4})$/;

/** Under a name that only touches on secrets the look decides. */
function weakValue({ text, word, strength, start }: Name, at: number): Span[] {
  WEAK_VALUE.lastIndex = at;
  const match = WEAK_VALUE.exec(text);
  const value = match?.[1] ?? '';
  const isTouched = strength >= TOUCH || /[a-z\d][_-](?:auth|cookie|seed|login|t?otp|sid)$|community$/i.test(word);
  const isSecret =
    value !== '' &&
    (lookOf(value) >= (isTouched ? CHOSEN : strength >= HINT ? MIXED : DRAWN) ||
      isRandom(value) ||
      (/[_-]key$/i.test(word) && UUID.test(value)) ||
      (PIN.test(value) && PIN_NAME.test(word)));
  if (match === null || !isSecret || /(?:checksum|hash|digest)\/$/.test(lineBefore(text, start)))
    return loginOf(text, at, word);
  const end = at + match[0].length;
  return [{ start: end - value.length, end, kind: 'secret' }];
}

// `name: X` and its `value: Y`, either first, on one line or on two, in YAML, JSON, XML and what programs print.
const NAMED = `["']?([\\w-]{2,33})(?![\\w-])(?<=name|key|id|path|variable)["']?[ \\t]{0,4}[:= ][ \\t]{0,4}["']?([\\w./~@!-]{1,80})["']?[ \\t]{0,8},?`;
const GIVEN = `["']?(?:value|default)["']?[ \\t]{0,4}[:=][ \\t]{0,4}(?:\\w{0,8}\\((?="))?(?:"([^"'\\r\\n]{3,1024})"|'([^"'\\r\\n]{3,1024})'|([^\\s"',}\\](]{3,1024}(?![(\\w])))`;
const NAME_FIRST = new RegExp(
  `(?<![\\w-])${NAMED}(?:[ \\t]{0,8}|[ \\t{]{0,8}\\r?\\n(?:[+-](?=[ \\t]{2}))?[ \\t]{0,200}(?:[\\w"'][^\\r\\n]{0,80}\\r?\\n(?:[+-](?=[ \\t]{2}))?[ \\t]{0,200}){0,2}?)${GIVEN}`,
  'dgi',
);
const VALUE_FIRST = new RegExp(
  `(?<![\\w-])${GIVEN}[ \\t]{0,8},?(?:[ \\t]{0,8}|\\r?\\n[ \\t+-]{0,200}(?<!-[ \\t]{1,4}))${NAMED}(?=[ \\t}\\r\\n]|$)`,
  'dgi',
);

/** The value of something whose name is a value itself. */
function namedElsewhere(text: string): Span[] {
  if (!/value|default/i.test(text)) return [];
  return [...valuesIn(text, NAME_FIRST, 1, 3), ...valuesIn(text, VALUE_FIRST, 4, 1)];
}

/** `name` and `value` are the first groups of NAMED and GIVEN in `pattern`. */
function valuesIn(text: string, pattern: RegExp, name: number, value: number): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const [what, given] = match.slice(name, name + 2) as [string, string];
    const word = strengthOf(given) > USER ? given : what;
    const group = [value, value + 1].find((n) => match[n] !== undefined) ?? value + 2;
    if (!isSecretOf(word, match[group] as string)) continue;
    const [start, end] = (match.indices as RegExpIndicesArray)[group] as [number, number];
    spans.push(spanOf(word, start, end));
  }
  return spans;
}

function isSecretOf(name: string, value: string): boolean {
  const strength = strengthOf(name);
  if (strength >= SECRET) return !isNoSecret(value, name, '=');
  return strength > HINT ? lookOf(value) >= BYTES : strength > NO_NAME && isRandom(value);
}
