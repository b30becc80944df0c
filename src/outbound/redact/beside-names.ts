// Secrets beside a name without a sign between them: elements of XML, arguments of calls, options, directives, words of
// sentences, lines below. The nearer a word stands, the less it must look like a secret.
import { BYTES, CHOSEN, DRAWN, FILE, isNoSecret, isProse, lookOf, MIXED, NO_VALUE, PLAIN } from './looks.ts';
import { isLineStart, LINE_START, lineBefore, lineBelow, lineFrom, type Name, spanOf } from './name-places.ts';
import { HINT, PASSWORD, SECRET, strengthOf, TOUCH, USER } from './names.ts';
import { remembered } from './remembered.ts';
import type { Span } from './spans.ts';

const MAX_WORD = 512;

/** Who asks for a secret has none; of nginx: where a request is passed on to. */
const asks = remembered((word) =>
  /^(?:[Gg]et|[Hh]as|[Aa]sk|[Rr]ead|[Cc]heck|[Ll]ookup|[Pp]rompt|[Vv]erify|[Ii]s|[Nn]eed|[Ff]ind|[Ff]etch|[Ll]oad|[Gg]en(?:erate)?)(?![a-z])|^(?:proxy|fastcgi|uwsgi|scgi|grpc|memcached)_pass$/.test(
    word,
  ),
);

/** What to mask. */
export function besideName(name: Name): Span[] {
  const element = inElement(name);
  return asks(name.word) ? element : [...element, ...inCall(name), ...beside(name)];
}

/** `auth: me:word`, `stats auth me:word`, `auth=("me", "word")`. */
const LOGIN =
  /["']?[\w.@-]{1,64}:(?!\d{1,5}(?![\w!-/]))([^\s"',:/@$][^\s"',]{3,256})|\(["'][\w.@-]{1,64}["'],[ \t]{0,4}["']([^"'\r\n]{3,256})(?=["'][ \t]{0,4}\))/y;

export function loginOf(text: string, at: number, word: string): Span[] {
  LOGIN.lastIndex = at;
  const match = /(?:auth|login|creds?|credentials?|user_?pass)$/i.test(word) ? LOGIN.exec(text) : null;
  const value = match?.[1] ?? match?.[2] ?? '';
  if (value === '' || NO_VALUE.test(value)) return [];
  return [{ start: LOGIN.lastIndex - value.length, end: LOGIN.lastIndex, kind: 'password' }];
}

const ELEMENT =
  /(?:"|(?:"|(?=[ \t]))[^<>\r\n]{0,60})?>(?:\s{0,20}<(?:value|string)>)?(?:<!\[CDATA\[)?([^<\]]{3,1000})(?=(?:\]\]>)?<\/)/iy;
const NEXT_ELEMENT = /<\/\w{1,16}>\s{0,20}<(?:value|string)>([^<\]]{3,1000})(?=<\/)/y;

/** `<password>…</password>`, `<entry key="password">…</entry>`, `<key>password</key><string>…</string>`. */
function inElement({ text, start, end, word, strength }: Name): Span[] {
  const lead = strength >= SECRET ? text.slice(Math.max(0, start - 66), start) : '';
  const tag = lead.includes('<') ? /<[^<>]{0,64}(>?)$/.exec(lead) : null;
  if (tag === null) return [];
  const pattern = tag[1] === '>' ? NEXT_ELEMENT : ELEMENT;
  pattern.lastIndex = end;
  const value = pattern.exec(text)?.[1];
  if (value === undefined || NO_VALUE.test(value.trim()) || /^[ \t]*\$\w/.test(value)) return [];
  return [spanOf(word, pattern.lastIndex - value.length, pattern.lastIndex)];
}

const ARGUMENTS =
  /["']?(?:\([ \t]{0,4}(?:["'][\w.@-]{1,64}["'],[ \t]{0,4})?|,[ \t]{0,16})(["'])([^"'\r\n]{3,256})\1(?![ \t]{0,4}:)/y;

/** `define('DB_PASSWORD', 'word')`, `setPassword("word")`, `login('me', 'word')`, `["--token", "word"]`. */
function inCall({ text, start, end, word, strength }: Name): Span[] {
  ARGUMENTS.lastIndex = end;
  const match = ARGUMENTS.exec(text);
  if (match === null) return [];
  const [hit, , value] = match as unknown as [string, string, string];
  // A word inside of a longer text in quotes is no argument.
  if (/^["']/.test(hit) && !/["'-]/.test(text.charAt(start - 1))) return [];
  if (strength < SECRET && !/login$|auth$/i.test(word)) return [];
  const isAsking =
    isNoSecret(value, word, '=') || /^--?\w/.test(value) || (strengthOf(value) >= SECRET && lookOf(value) < CHOSEN);
  if (isAsking || isProse(value)) return [];
  // Words in a list are no arguments, unless one looks so.
  const isArgument = hit.includes('(')
    ? strength === PASSWORD || (strength < SECRET && hit.includes(','))
    : /^[A-Z\d_]+$/.test(word) ||
      /[-(]/.test(text.charAt(start - 1)) ||
      (strength === PASSWORD && text.charAt(start - 2) === '(');
  if (!isArgument && lookOf(value) < CHOSEN) return [];
  return [spanOf(word, ARGUMENTS.lastIndex - 1 - value.length, ARGUMENTS.lastIndex - 1)];
}

/** Between a name and its value; none of them is a value. */
const LINKS =
  /^(?:--?(?:value|data|plain|text|string|set|force)|is|are|was|be|been|has|set|reset|changed|updated|to|now|as|with|the|a|an|of|by|value|string|plain|text|using|variable|equals?|ist|lautet|und|and|=+|:|->|=>|:=|→|\||-|\*|\.{3,})$/i;
const IS = /^(?:is|was|are|to|ist|lautet|--?value)$/i;
/** What a line goes on about is public. */
const PUBLIC = /^h1$|public|fingerprint|identifier|digest|checksum|sha\d|hash|path|file|version|image|commit|revision/i;
const [NO_LINK, LINK, LINK_IS, LINK_PUBLIC] = [0, 1, 2, 3];
const linkOf = remembered((word) =>
  LINKS.test(word) ? (IS.test(word) ? LINK_IS : LINK) : PUBLIC.test(word) ? LINK_PUBLIC : NO_LINK,
);
/** Of a word of the line: what stands between its signs of equality, and these. */
const PART = /[=:]+|[^\s"'`,;|<>()[\]{}\uffff=:]+/g;
const MAX_WORDS = 8;
const REACH = 160;
const isQuote = (code: number, other: number): boolean => code === other && (code === 34 || code === 39 || code === 96);
/** Some words in quotes. */
const PHRASE = /^[ \t]{1,8}(["'])([^"'\s]{1,24}(?: [^"'\s]{1,24}){1,4})\1/;

const FOLLOWED = /["'`\])*.]{0,3}(?:[ \t|]|\.{3}|\r?\n|$)/y;

function lineBehind(text: string, end: number): string {
  const line = lineFrom(text, end, REACH);
  const length = line.indexOf('\r');
  return length === -1 ? line : line.slice(0, length);
}

/** Words behind a name on its line, in sentences, commands, directives, listings; else the word alone on the next line. */
function beside(name: Name): Span[] {
  const { text, start, end, word, strength } = name;
  FOLLOWED.lastIndex = end;
  if (!FOLLOWED.test(text)) return [];
  const line = lineBehind(text, end);
  const before = lineBefore(text, start);
  if (strength <= TOUCH && before.endsWith('/')) return [];
  if (strength <= HINT && PUBLIC.test(before.slice(-48))) return [];
  const login =
    strength < SECRET || /cred/i.test(word) ? loginOf(text, end + (/^[ \t]*/.exec(line)?.[0].length ?? 0), word) : [];
  if (login.length > 0) return login;
  const option = before.endsWith('-') && /(?:^|[ \t"'])-{1,2}$/.test(before) ? ofOption(name, line) : undefined;
  if (option !== undefined) return option;
  const isSeveral = strength >= SECRET && /[a-z\d][_-]\w/i.test(word);
  const directive = ofDirective(name, before, line);
  if (directive.length > 0) return directive;
  const phrase = strength === PASSWORD || isSeveral ? PHRASE.exec(line)?.[2] : undefined;
  if (phrase !== undefined && !isProse(phrase))
    return [spanOf(word, end + line.indexOf(phrase), end + line.indexOf(phrase) + phrase.length)];
  const spans: Span[] = [];
  let distance = 0;
  let isLinked = false;
  const last = isSeveral && strength === PASSWORD ? line.trimEnd().length : -1;
  let wordEnd = -1;
  // `matchAll` would make a pattern anew for each name.
  PART.lastIndex = 0;
  for (let match = PART.exec(line); match !== null; match = PART.exec(line)) {
    const part = match[0];
    const from = match.index;
    const to = PART.lastIndex;
    if (from > wordEnd && distance > MAX_WORDS) break;
    wordEnd = to;
    // In quotes, or alone behind a name of several words to the end of the line.
    const isQuoted = isQuote(line.charCodeAt(to), line.charCodeAt(from - 1)) || to === last;
    if (part.startsWith('=') || part.startsWith(':')) isLinked ||= distance === 0;
    else if (
      isSecretHere(part, isSeveral ? PASSWORD : word === 'pass' ? SECRET : strength, distance, isLinked, isQuoted)
    ) {
      spans.push(spanOf(word, end + from, end + to));
      distance++;
    } else {
      const plain = part.replace(/[.!?]+$/, '');
      const link = linkOf(plain);
      if (link === LINK || link === LINK_IS) isLinked ||= distance === 0 && link === LINK_IS;
      else if (link === LINK_PUBLIC || isOtherName(plain, strength)) return spans;
      else distance++;
    }
  }
  return spans.length > 0 ? spans : below(name, line);
}

/** What follows belongs to that one; `secret/nas` is where something is. */
const isOtherName = (word: string, strength: number): boolean =>
  !word.includes('/') && strengthOf(word) >= Math.min(strength, SECRET);

/** The value of `--password`; undefined when there is none. */
function ofOption({ word, end, strength }: Name, line: string): Span[] | undefined {
  if (strength < SECRET) return undefined;
  const match = /^["']?[ \t]{1,8}(?:(["'])([^"'\r\n]{2,512})\1|([^\s"'|;&<>()-][^\s"'|;&<>()]{1,511}))/.exec(line);
  const value = match?.[2] ?? match?.[3] ?? '';
  if (match === null || isNoSecret(value, word, '=') || isProse(value) || FILE.test(value)) return undefined;
  const from = end + match[0].length - value.length - (match[1] === undefined ? 0 : 1);
  return [spanOf(word, from, from + value.length)];
}

const DIRECTIVE =
  /^(["']?(?:[ \t]{1,40}|\.{3,60})(?:--\w+[ \t]+|password[ \t]+)?)(?:"([^"\r\n]{3,256})"|'([^'\r\n]{3,256})'|([^\s"';{(=:-][^\s"';]{2,256}(?: [\w!-]{1,24}){0,2}))[ \t]*(?:[;}]|\r?$)/;
const SETS =
  /(?:^|[ \t])(?:env|arg|setenv|(?:fastcgi|uwsgi|scgi)_param|setx|-[gUx]+|option|config[ \t]+set|set)[ \t]+["'$]?$/i;
const SOME_WORDS = /(?:^|[{;"])[ \t]{0,40}(?:[\w/.-]{1,40}[ \t]+){0,3}[\w-]{0,24}[/ ]?$/;
/** Where a line was found, as grep tells it. */
const LISTED = /^[\w./-]{1,100}:\d{1,6}[:-]/;
const LOGIN_BEFORE = /(?:login|user(?:name)?|account)[ \t]+(?!(?:or|and|&)[ \t])\S{1,64}[ \t]+$/i;

/** The value of a line of its own: `auth_pass word`, `ENV DB_PASSWORD word`, `password ..... word`, `password word` beside such lines. */
function ofDirective({ text, start, end, word, strength }: Name, before: string, line: string): Span[] {
  if (strength < HINT) return [];
  const isLogin = strength >= SECRET && LOGIN_BEFORE.test(before.slice(-80));
  const match = DIRECTIVE.exec(isLogin ? line.replace(/^([ \t]+\S+)[ \t].*/, '$1') : line);
  if (match === null) return [];
  const isSet = SETS.test(before.slice(-24)) && (/[._-]|^[A-Z]{2}/.test(word) || /option|config|\$$/i.test(before));
  const lead = before.replace(LISTED, '');
  if (!isSet && !isLogin && (strength < SECRET || !(strength === PASSWORD ? SOME_WORDS : LINE_START).test(lead)))
    return [];
  const [, gap = '', double, single, bare = ''] = match;
  const value = double ?? single ?? bare;
  if (value === '' || isProse(value) || isNoSecret(value, word, '=') || FILE.test(value)) return [];
  const isNamed =
    strength === PASSWORD && (/[_-]|[a-z][A-Z]|^[a-z]{2,}pw$|^[a-z]{4,}(?:pass|auth)$/.test(word) || gap.length > 2);
  const isPhrase = /\s/.test(value) && value === bare;
  if (isPhrase && !(/\d/.test(value) && isAmongDirectives(text, start, end))) return [];
  const isSure = isSet
    ? strength >= SECRET || value !== bare
    : isLogin || isNamed || (strength === PASSWORD && isAmongDirectives(text, start, end));
  if (!isSure && lookOf(value) < CHOSEN) return [];
  const from = end + line.indexOf(value, gap.length);
  return [spanOf(word, from, from + value.length)];
}

const IS_DIRECTIVE = /^[ \t]*[A-Za-z][\w-]{1,32}[ \t]+(?!\S*\.{3})[^\s=:]\S*[ \t]*\r?$/;

/** A line beside it is a word and its value, too. */
function isAmongDirectives(text: string, start: number, end: number): boolean {
  const lineStart = start - lineBefore(text, start).length;
  const behind = lineBelow(text, end, 2 * REACH);
  return (
    isLineStart(text, lineStart) &&
    [lineStart === 0 ? '' : lineBefore(text, lineStart - 1), behind].some((one) => IS_DIRECTIVE.test(one))
  );
}

/** Whether a word is a secret so near to a name. */
function isSecretHere(word: string, strength: number, distance: number, isLinked: boolean, isQuoted: boolean): boolean {
  const look = lookOf(word);
  if (strength === USER) return look >= (distance > 2 ? DRAWN : MIXED);
  if (strength <= TOUCH) return look >= (distance === 0 && isLinked ? MIXED : DRAWN);
  if (distance > 0) return look >= (strength === PASSWORD && isQuoted ? CHOSEN : MIXED);
  const isTyped = strength === PASSWORD && (isQuoted || /\d/.test(word));
  return look >= (isTyped ? PLAIN : BYTES) && !(look === PLAIN && isProse(word));
}

const ALONE = /^[ \t>$#*-]{0,16}["'`]?([^\s"'`<>]{5,511}[^\s"'`<>*,;({])["'`]?[ \t]*\r?$/;
/** A command that shows a secret, or what asks for one. */
const SHOWS =
  /(?:^|[^a-z])(?:get|read|show|output|printenv|echo|cat|view|print|jsonpath|reveal|gen\w*|rand|create|is|are|below|initial)(?![a-z])|:$/i;

/** The word alone on the line below; `line` is what follows the name on its own. */
export function below({ text, start, end, word, strength }: Name, line: string): Span[] {
  if (strength <= HINT || line.length >= REACH || PUBLIC.test(line)) return [];
  const from = end + (/^[^\n]*\n(?:[ \t]*\r?\n)?/.exec(text.slice(end, end + 2 * REACH))?.[0].length ?? text.length);
  const next = lineFrom(text, from, MAX_WORD);
  const value = ALONE.exec(next)?.[1] ?? '';
  const look = lookOf(value);
  if (look !== BYTES && look < CHOSEN) return [];
  const opening = lineBefore(text, start) + text.slice(start, end) + line;
  if (look === CHOSEN && !(/[\d!#%^*+?@$~]/.test(value) && SHOWS.test(opening))) return [];
  return [spanOf(word, from + next.indexOf(value), from + next.indexOf(value) + value.length)];
}
