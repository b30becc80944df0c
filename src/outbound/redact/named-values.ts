// The value that belongs to a name which speaks of secrets, wherever the two stand: pairs of YAML, JSON, TOML, HCL, ini
// and env files, XML, calls, options, directives, sentences, lines below. How much a value must look like a secret
// depends on what its name says and on how near it stands.
import {
  BYTES,
  CHOSEN,
  DRAWN,
  isHighEntropy,
  isNoSecret,
  isProse,
  isRandom,
  lookOf,
  looksChosen,
  MIXED,
  NO_VALUE,
  NONE,
  PLAIN,
} from './looks.ts';
import { HINT, kindOfName, NO_NAME, PASSWORD, SECRET, STEM, strengthOf, TOUCH } from './names.ts';
import type { Span } from './spans.ts';

const MAX_NAME = 64;
const MAX_INDENT = 200;
/** How much of a line before a name is looked at. */
const MAX_LEAD = 120;
const MAX_VALUE = 4096;
const MAX_WORD = 512;
const MAX_BLOCK_LINES = 100;

/** A name that speaks of secrets. */
interface Name {
  text: string;
  start: number;
  end: number;
  word: string;
  strength: number;
}

/** A name that has a value. */
interface Pair extends Name {
  separator: ':' | '=';
  /** Nothing stands before it on its line but what belongs to a list, a diff or a prompt: it is a setting. */
  opensLine: boolean;
  indent: number;
  /** What stands before it on its line, and between it and its value. */
  line: string;
  hit: string;
  /** Where the value begins. */
  at: number;
}

export function findNamedValues(text: string): Span[] {
  const spans: Span[] = namedElsewhere(text);
  let [until, done] = [0, 0];
  for (const { index } of text.matchAll(STEM)) {
    if (index < done) continue;
    const name = nameAround(text, index);
    done = name.end;
    // What looks like a name inside of a value is part of it.
    if (name.strength === NO_NAME || name.start < until) continue;
    const values = valuesOf(name);
    spans.push(...values);
    until = values.at(-1)?.end ?? until;
  }
  return spans;
}

/** A letter of any script, a digit, `_`, `.` or `-`; NaN, before the text, is none. */
const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code > 127 && code < 0xffff);

/** `api key`, `seed phrase`, `mot de passe`: the words before say what it is. */
const NEEDS_MORE = /^(?:keys?|phrase|words|passe)$/i;
const BEFORE = /(?:^|[^\p{L}\d])((?:[\p{L}\d]{1,24} ){1,2})$/u;
/** `Secret ID = `, `Unseal Key 1: `. */
const REST_OF_NAME = /[ \t](?:id|key|value|string|phrase|words|hash|\d{1,3})(?=["'`\])]{0,2}[ \t]{0,8}[:=])/iy;

function nameAround(text: string, index: number): Name {
  let [start, end] = [index, index];
  while (index - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  while (end - index < MAX_NAME && isNameChar(text.charCodeAt(end)) && !text.startsWith('..', end)) end++;
  while (start < index && /[.-]/.test(text.charAt(start))) start++;
  while (end > index + 1 && /[.-]/.test(text.charAt(end - 1))) end--;
  REST_OF_NAME.lastIndex = end;
  end += REST_OF_NAME.exec(text)?.[0].length ?? 0;
  const word = text.slice(start, end);
  const isShort = text.charAt(start - 1) === ' ' && NEEDS_MORE.test(word);
  const more = isShort ? (BEFORE.exec(text.slice(Math.max(0, start - 52), start))?.[1] ?? '') : '';
  const before = strengthOf(more + word) !== strengthOf(word) ? more : '';
  return { text, start: start - before.length, end, word: before + word, strength: strengthOf(before + word) };
}

const SEPARATOR = /["'`\])]{0,2}[ \t]{0,16}(=>|->|→|:=|\?=|\+=|[!=]==?(?=[ \t]*["'])|=(?![=~])|::(?=[ \t])|:(?![:=]))/y;

function valuesOf(name: Name): Span[] {
  const { text, word, strength } = name;
  SEPARATOR.lastIndex = name.end;
  const [hit = '', sign = ''] = SEPARATOR.exec(text) ?? [];
  // Of a text about settings: a key in backticks, or a way through menus.
  const isMenu = (sign === '->' || sign === '→') && strength < PASSWORD && !/[_-]|[a-z][A-Z]/.test(word);
  if (hit === '' || isMenu || hit === ') =>' || (hit.startsWith('`') && sign === ':'))
    return [...inElement(name), ...inCall(name), ...beside(name)];
  const at = valueStart(text, name.end + hit.length);
  // A name behind a slash is an annotation, or where something is.
  const isWeak =
    strength < SECRET || (text.charAt(name.start - 1) === '/' && isNameChar(text.charCodeAt(name.start - 2)));
  if (isWeak || (IS_PLURAL.test(word) && /[|>"'\w]/.test(text.charAt(at)))) return weakValue(name, at);
  const pair = IS_TEMPLATE.test(text.slice(at, at + 24)) ? undefined : pairOf(name, hit, sign, at);
  return pair === undefined ? [] : strongValue(pair);
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

const isBlank = (code: number): boolean => code === 32 || code === 9;

/** Several, each on a line of its own; one that stands here must look like it. */
const IS_PLURAL = /(?:secret|token|password|passwd|key)s["']?$/i;
const IS_TEMPLATE = /^(?:\$[A-Za-z_({]|\{(?![ \t]{0,4}["'\w])|\((?!["'])|<(?!<)|\/[\^(\\]|!\w+\()/;

function pairOf(name: Name, hit: string, sign: string, at: number): Pair | undefined {
  const { text, start, word } = name;
  const line = lineBefore(text, start);
  const opensLine = isLineStart(text, start - line.length) && LINE_START.test(line);
  // The key under which an ExternalSecret is to hold what it fetches.
  if (word === 'secretKey' && line.trimEnd().endsWith('-')) return undefined;
  const isTouching = at === name.end + hit.length;
  const separator = sign.includes('=') ? '=' : ':';
  // A comment is no value; of `--a= --b=` nothing is given.
  if (!isTouching && (text.charAt(at) === '#' || (sign === '=' && !opensLine && !/\s=$/.test(hit)))) return undefined;
  const { end, strength } = name;
  const indent = line.length - line.trimStart().length;
  // Each by its name: a copy of `name` would take longer than all the rest.
  const pair: Pair = { text, start, end, word, strength, separator, opensLine, indent, line, hit, at };
  // What follows a key of YAML at once is part of a word, as in `https://` and `sha256:…`.
  const isPart = separator === ':' && isTouching && !/["'\w\r\n]/.test(text.charAt(at)) && !isSetting(pair);
  return isPart ? undefined : pair;
}

/** It has quotes, is made of several words as only names of settings are, or stands beside other pairs. */
const isSetting = ({ hit, word, line }: Pair): boolean =>
  /^["'`\]]/.test(hit) || /[_.-]|[a-z][A-Z]/.test(word) || line.endsWith('--') || isBesidePair(line);

/** What stands before a place on its line, or the end of it. */
function lineBefore(text: string, at: number): string {
  const lead = text.slice(Math.max(0, at - MAX_LEAD), at);
  return lead.slice(lead.lastIndexOf('\n') + 1);
}

const isLineStart = (text: string, at: number): boolean => at === 0 || text.charCodeAt(at - 1) === 10;

/** In a list of pairs, as JSON, Go and Rust print them: `{Host:db Password:…}`. */
function isBesidePair(line: string): boolean {
  if (/[{,][ \t]{0,8}$|\[$/.test(line.slice(-9))) return true;
  if (!line.endsWith(' ')) return false;
  const sign = Math.max(line.lastIndexOf(':'), line.lastIndexOf('='));
  const isUser = USER.test(line.slice(Math.max(0, sign - 8), sign)) && USER_NAME.test(line.slice(sign + 1));
  return isUser || GLUED_PAIR.test(line.slice(line.lastIndexOf(' ', line.length - 2) + 1, -1));
}

const USER = /(?:user(?:name)?|login|admin|zugang)$/i;
const USER_NAME = /^[ \t]*[\w.@-]{1,64}[ ,;/]{1,3}$/;
const GLUED_PAIR = /^(?:\w{0,16}[[{&(]){0,3}[A-Za-z_]\w{0,40}:[^\s:]{0,80}$/;
// Of a listing with line numbers, a diff, a list, a trace, a Dockerfile; a quote may open the key or the whole setting.
const LINE_START =
  /^[ \t]*(?:[\w./-]{1,100}:\d{1,6}[:-]|\d{1,6}[ \t]*[|:]?[ \t]+)?[ \t]*(?:[-+>*|~#][ \t]*){0,4}(?:(?:export|set|ENV|ARG|declare|local|readonly|env|-[exf])[ \t]+){0,2}(?:-x[ \t]+)?(?:[\w-]{1,32}:)?["'`\\[]{0,2}$/;

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
  if (match === null || !isSecret || /(?:checksum|hash|digest)\/$/.test(text.slice(Math.max(0, start - 9), start)))
    return loginOf(text, at, word);
  const end = at + match[0].length;
  return [{ start: end - value.length, end, kind: 'secret' }];
}

const LOGIN = /["']?[\w.@-]{1,64}:(?!\d{1,5}(?![\w!-/]))([^\s"',:/@$][^\s"',]{3,256})/y;

/** `auth: me:word`. */
function loginOf(text: string, at: number, word: string): Span[] {
  LOGIN.lastIndex = at;
  const match = /(?:auth|login|creds?|credentials?|user_?pass)$/i.test(word) ? LOGIN.exec(text) : null;
  if (match === null || NO_VALUE.test(match[1] as string)) return [];
  return [{ start: LOGIN.lastIndex - (match[1] as string).length, end: LOGIN.lastIndex, kind: 'password' }];
}

/** What to mask of the value of a name that says it is secret. */
function strongValue(pair: Pair): Span[] {
  const { text, at } = pair;
  const first = text.charAt(at);
  const lines = manyLines(pair);
  if (lines !== undefined) return lines;
  if (/[[(]/.test(first)) return items(pair);
  if (/["'`]/.test(first)) return /^`\w+ /.test(text.slice(at, at + 20)) ? [] : quoted(pair);
  if (first === '\\' && /["']/.test(text.charAt(at + 1))) return [];
  if (first === '' || /[\r\n]/.test(first)) return onNextLine(pair);
  const rest = text.slice(at, at + 160);
  const lead = /["'&!{]/.test(rest) ? (LEAD.exec(rest)?.[0].length ?? 0) : 0;
  if (lead > 0) return strongValue({ ...pair, at: at + lead });
  return first === '{' ? [] : /[|>]/.test(first) ? block(pair) : bare(pair);
}

/** Before a value: its type, an anchor, what holds it in Rust, Go or Python, what it is the default of. */
const LEAD =
  /^(?:\{(?:[^{}\r\n]{0,80}[ ,])?["']?(?:value|secure|plain|plaintext|literal|raw|text|content)["']?[ \t]{0,4}[:=][ \t]{0,4}|[&*A-Za-z_][\w.:?'[\]<> ]{0,40}[ \t]{0,4}=[ \t]{0,4}(?=["'])|[A-Za-z_][\w.:]{0,60}(?:::(?:from|new)\(|(?:\[[^\]\r\n]{0,60}\]|\([^()\r\n]{0,60})?[ \t]{0,2}(?:\?\?|\|\||,|or)[ \t]{1,2})(?=["'])|(?:&[\w-]{1,64}|!!\w{1,16})[ \t]+|(?:Some|Ok|Just|String|Secret\w{0,8}|Sensitive|b|r|f)\(?(?=["']))/;
const ITEM = /(?<=[[(,\s])(["'])([^"'\r\n]{3,256})\1(?=[\s,]|$)/g;

/** A list on one line. */
function items({ text, at, word, strength }: Pair): Span[] {
  const list = /^[[(][^[\]()\r\n]{0,1000}/.exec(text.slice(at, at + 1001))?.[0] ?? '';
  return [...list.matchAll(ITEM)].flatMap(({ 2: value = '', index }) =>
    !isProse(value) &&
    (strength === PASSWORD ? !isNoSecret(value, word, '=') : !/\s/.test(value) && lookOf(value) >= CHOSEN)
      ? [spanOf(word, at + index + 1, at + index + 1 + value.length)]
      : [],
  );
}

const OPENING = /^(?:("{3}|'{3})|<<[-~]?["']?(\w{1,32})["']?\r?\n)/;

/** The lines of a text in three quotes, or of a here-document; undefined when it is neither. */
function manyLines({ text, at, word: key }: Pair): Span[] | undefined {
  const [opening, quotes, word] = OPENING.exec(text.slice(at, at + 48)) ?? [];
  if (opening === undefined) return undefined;
  const start = at + opening.length;
  const part = text.slice(start, start + MAX_VALUE);
  const length = quotes === undefined ? part.search(new RegExp(`^[ \\t]*${word}`, 'm')) : part.indexOf(quotes);
  return [...part.slice(0, Math.max(length, 0)).matchAll(/\S[^\r\n]*/g)]
    .filter(([line]) => !isNoSecret(line, key, '='))
    .map(({ 0: line, index }) => spanOf(key, start + index, start + index + line.length));
}

const LITERAL = { '"': /"((?:[^"\\\n]|\\[^\n])*)/y, "'": /'((?:[^'\n]|'')*)/y, '`': /`([^`\n]*)/y } as Record<
  string,
  RegExp
>;

function quoted(pair: Pair): Span[] {
  const { text, at, word: key, separator, opensLine } = pair;
  const literal = LITERAL[text.charAt(at)] as RegExp;
  literal.lastIndex = at;
  const value = literal.exec(text)?.[1] ?? '';
  const end = at + 1 + value.length;
  // `unexpected token: 'fi'`; a password in quotes is one.
  const isMessage =
    separator === ':' && !opensLine && !/pass|pwd/i.test(key) && !looksChosen(value) && !isSetting(pair);
  const spans = isMessage || isProse(value, key) || isNoSecret(value, key, separator) ? [] : [spanOf(key, at + 1, end)];
  // What Terraform's plan has it changed to.
  const next = /^"[ \t]{1,4}(?:->|→)[ \t]{1,4}(?=")/.exec(text.slice(end, end + 16))?.[0].length;
  return next === undefined ? spans : [...spans, ...quoted({ ...pair, at: end + next })];
}

// What a key of its own holds: `dbPassword:` and below it `secure: …`.
const CHILD =
  /^\r?\n([ \t]{1,200})["']?(?:value|secure|default|plain|plaintext|literal|inline|raw|text|content|inlineString|inline_string)["']?[ \t]{0,4}:[ \t]{1,8}(?=\S)/;
const NEXT = /^\r?\n([ \t]{0,200})(?:string\(\d{1,5}\)[ \t])?(["']?)([^\s"'#:{[-][^\s"']{3,512})\2[ \t]*(?=\r?\n|$)/;

/** A word of its own on the next line, deeper than the key or drawn by chance: a value that was wrapped. */
function onNextLine(pair: Pair): Span[] {
  const { text, at, word: key, indent, opensLine } = pair;
  const child = opensLine ? CHILD.exec(text.slice(at, at + MAX_INDENT + 40)) : null;
  if (child !== null && (child[1] as string).length > indent)
    return strongValue({ ...pair, hit: '"', at: at + child[0].length });
  if (opensLine && /s["']?$/.test(key)) return belowPlural(pair);
  const [whole = '', blanks = '', quote, value = ''] = NEXT.exec(text.slice(at, at + MAX_INDENT + 600)) ?? [];
  const isDeeper =
    whole.includes('string(') || (opensLine && blanks.length > indent && (quote !== '' || looksChosen(value)));
  if ((!isDeeper && !isHighEntropy(value)) || /:$/.test(value) || isNoSecret(value, key, ':')) return [];
  const start = at + whole.indexOf(value, blanks.length);
  return [spanOf(key, start, start + value.length)];
}

const ENTRY = /^([ \t]*)(?:- )?(?:["']?[\w.-]{1,64}["']?:[ \t]+)?["']?([^\s"'#:]{6,256})["']?,?[ \t]*\r?$/;

/** Values below a key that names several secrets, whatever their own keys are called. */
function belowPlural({ text, at, indent, word }: Pair): Span[] {
  const spans: Span[] = [];
  let start = text.indexOf('\n', at) + 1;
  for (const line of text.slice(start, start + MAX_VALUE).split('\n', 20)) {
    const [, blanks = '', value = ''] = ENTRY.exec(line) ?? [];
    if (blanks.length < indent || value === '') break;
    const from = start + line.lastIndexOf(value);
    if (lookOf(value) >= BYTES) spans.push(spanOf(word, from, from + value.length));
    start += line.length + 1;
  }
  return spans;
}

/** The lines of a block scalar. */
function block({ text, at, word: key, indent }: Pair): Span[] {
  const head = /^[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(at, at + MAX_INDENT))?.[0];
  if (head === undefined) return [];
  const spans: Span[] = [];
  let start = at + head.length;
  for (let i = 0; i < MAX_BLOCK_LINES && start < text.length; i++) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + MAX_VALUE));
    const value = line.trim();
    const from = start + line.length - line.trimStart().length;
    if (value !== '' && from - start <= indent) break;
    if (!isNoSecret(value, key, ':')) spans.push(spanOf(key, from, from + value.length));
    start = end + 1;
  }
  return spans;
}

function bare(pair: Pair): Span[] {
  const { text, at, word: key, separator, opensLine } = pair;
  const word = wordAt(text, at);
  const behind = text.slice(at + word.length, at + word.length + 16);
  if (/^(?:<|[ \t]*(?:[!=]==?|\?|&&|\|\||=>))/.test(behind) && /^[A-Za-z_.]+$/.test(word)) return [];
  const rest = opensLine ? (/^[^\r\n]*/.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '') : '';
  const isPhrase = opensLine && isWholeLine(rest, separator, text.charAt(at - 1));
  const value = isPhrase ? rest.replace(/(?:[ \t]+#.*)?[ \t,;]*$/, '') : word;
  if (separator === ':' && !opensLine && !looksChosen(value) && !(isSetting(pair) && !isProse(value, key))) return [];
  const isPair = /^\w+=$/.test(value) && /["']/.test(text.charAt(at + value.length));
  if (isPair || /^[a-z]{0,3}$/i.test(value) || isNoSecret(value, key, separator)) return [];
  if (isProse(value, key) && !(isPhrase && ARTICLE.test(value) && isAmongPairs(pair, value))) return [];
  if (/\s/.test(value) && !/\d/.test(value) && !isSetting(pair) && !isAmongPairs(pair, value)) return [];
  return [spanOf(key, at, at + value.length)];
}

const IS_PAIR = /^[ \t]*(?:[-#+][ \t]+)?["']?[\w.-]{1,64}["']?(?:[ \t]*=|:)(?:[ \t]+\S|[ \t]*$)/;
/** A phrase may begin so, as a message may. */
const ARTICLE = /^(?:an?|the|you|your|this|that|all|in|on|for|of|to|with) /i;
/** Said of a password by any program: no setting. */
const OUTCOME =
  /(?:^|\s)(?:is|was|has|must|may|not|no|wrong|incorrect|invalid|expired|missing|failed|denied|required|already|cannot|please|unknown)(?:\s|$)/i;

/** Some words that a person chose, in a file of settings: a line beside it is a pair, too. */
function isAmongPairs({ text, at }: Pair, value: string): boolean {
  if (!/^\S+(?: \S+){1,11}$/.test(value) || OUTCOME.test(value)) return false;
  const start = text.lastIndexOf('\n', at - 1);
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, Math.max(start, 0));
  const end = text.indexOf('\n', at);
  const behind = end === -1 ? '' : (text.slice(end + 1, end + 1 + MAX_INDENT).split('\n', 1)[0] ?? '');
  return [before, behind].some((line) => line.length < MAX_INDENT && IS_PAIR.test(line));
}

const FIRST_WORD = /^(?:[^\s"'`<>,;&|)}\]]|[,;&|](?![\s\w.-]{0,64}[=:\s]|$|[&|"'])|[)}\]](?=[^\s,;)}\]"']))+/;
const REST_OF_WORD = /[^\s"'`<>,;&|)}\]]*/y;

/** Up to a blank, or to a sign that ends a value in a list of them. */
function wordAt(text: string, at: number): string {
  const word = FIRST_WORD.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '';
  if (word.length < MAX_WORD) return word;
  REST_OF_WORD.lastIndex = at + word.length;
  return word + (REST_OF_WORD.exec(text)?.[0] ?? '');
}

/** Of `key: some words` and `key = some words` all of it; of `KEY=word` too, unless a command may follow. */
function isWholeLine(rest: string, separator: ':' | '=', before: string): boolean {
  if (separator === ':' || /[ \t]/.test(before)) return !/[{}]|, /.test(rest);
  return /^\S+(?: [A-Za-z0-9!?.,']+){0,9}[ \t]*$/.test(rest.slice(0, 256));
}

const ELEMENT =
  /(?:"|(?:"|(?=[ \t]))[^<>\r\n]{0,60})?>(?:\s{0,20}<(?:value|string)>)?(?:<!\[CDATA\[)?([^<\]]{3,1000})(?=(?:\]\]>)?<\/)/iy;
const NEXT_ELEMENT = /<\/\w{1,16}>\s{0,20}<(?:value|string)>([^<\]]{3,1000})(?=<\/)/y;

/** `<password>…</password>`, `<entry key="password">…</entry>`, `<key>password</key><string>…</string>`. */
function inElement({ text, start, end, word, strength }: Name): Span[] {
  const tag = strength >= SECRET ? /<[^<>]{0,64}(>?)$/.exec(text.slice(Math.max(0, start - 66), start)) : null;
  if (tag === null) return [];
  const pattern = tag[1] === '>' ? NEXT_ELEMENT : ELEMENT;
  pattern.lastIndex = end;
  const value = pattern.exec(text)?.[1];
  if (value === undefined || NO_VALUE.test(value.trim()) || /^[ \t]*\$\w/.test(value)) return [];
  return [spanOf(word, pattern.lastIndex - value.length, pattern.lastIndex)];
}

const ARGUMENTS =
  /["']?(?:\([ \t]{0,4}(?:["'][\w.@-]{1,64}["'],[ \t]{0,4})?|,[ \t]{0,16})(["'])([^"'\r\n]{3,256})\1(?![ \t]{0,4}:)/y;
const ASKS =
  /^(?:[Gg]et|[Hh]as|[Aa]sk|[Rr]ead|[Cc]heck|[Ll]ookup|[Pp]rompt|[Vv]erify|[Ii]s|[Nn]eed|[Ff]ind|[Ff]etch|[Ll]oad|[Gg]en(?:erate)?)(?![a-z])/;

/** `define('DB_PASSWORD', 'word')`, `setPassword("word")`, `login('me', 'word')`, `["--token", "word"]`. */
function inCall({ text, start, end, word, strength }: Name): Span[] {
  // A word inside of a longer text in quotes is no argument.
  if (/["']/.test(text.charAt(end)) && !/["'-]/.test(text.charAt(start - 1))) return [];
  if (strength < SECRET && !/login$|auth$/i.test(word)) return [];
  ARGUMENTS.lastIndex = end;
  const [hit = '', , value = ''] = ARGUMENTS.exec(text) ?? [];
  const isAsking =
    ASKS.test(word) || isNoSecret(value, word, '=') || /^--?\w/.test(value) || strengthOf(value) >= SECRET;
  if (value === '' || isAsking || isProse(value)) return [];
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
const LINK =
  /^(?:--?(?:value|data|plain|text|string|set|force)|is|are|was|be|been|has|set|reset|changed|updated|to|now|as|with|the|a|an|of|by|value|string|plain|text|using|variable|equals?|ist|lautet|und|and|=+|:|->|=>|:=|→|\||-|\*|\.{3,})$/i;
const IS = /^(?:is|was|are|to|ist|lautet|--?value)$/i;
/** What a line goes on about is public. */
const PUBLIC = /^h1$|public|fingerprint|identifier|digest|checksum|sha\d|hash|path|file|version|image|commit|revision/i;
const WORD = /[^\s"'`,;|<>()[\]{}\uffff]+/g;
const MAX_WORDS = 8;
const REACH = 160;
const QUOTES: ReadonlySet<string> = new Set(['""', "''", '``']);
/** Some words in quotes. */
const PHRASE = /^[ \t]{1,8}(["'])([^"'\s]{1,24}(?: [^"'\s]{1,24}){1,4})\1/;

/** Words behind a name on its line, in sentences, commands, directives, listings; else the word alone on the next line. */
function beside(name: Name): Span[] {
  const { text, start, end, word, strength } = name;
  const line = /^[^\r\n]*/.exec(text.slice(end, end + REACH))?.[0] ?? '';
  const before = lineBefore(text, start);
  if (ASKS.test(word) || !/^["'`\])*.]{0,3}(?:[ \t|]|\.{3}|\r?\n|$)/.test(text.slice(end, end + 6))) return [];
  if (strength <= TOUCH && before.endsWith('/')) return [];
  if (strength <= HINT && PUBLIC.test(before.slice(-48))) return [];
  const login =
    strength < SECRET || /cred/i.test(word) ? loginOf(text, end + (/^[ \t]*/.exec(line)?.[0].length ?? 0), word) : [];
  if (login.length > 0) return login;
  const option = /(?:^|[ \t"'])-{1,2}$/.test(before) ? ofOption(name, line) : undefined;
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
  const last = line.trimEnd().length;
  for (const { 0: whole, index } of line.matchAll(WORD)) {
    if (distance > MAX_WORDS) break;
    for (const { 0: part, index: at } of whole.matchAll(/[^=:]+|[=:]+/g)) {
      const plain = part.replace(/[.!?]+$/, '');
      const [from, to] = [index + at, index + at + part.length];
      // In quotes, or alone behind a name of several words to the end of the line.
      const isQuoted =
        QUOTES.has(line.charAt(from - 1) + line.charAt(to)) || (isSeveral && strength === PASSWORD && to === last);
      if (/^[=:]/.test(part)) isLinked ||= distance === 0;
      else if (
        isSecretHere(part, isSeveral ? PASSWORD : word === 'pass' ? SECRET : strength, distance, isLinked, isQuoted)
      ) {
        spans.push(spanOf(word, end + from, end + to));
        distance++;
      } else if (LINK.test(plain)) isLinked ||= distance === 0 && IS.test(plain);
      else if (PUBLIC.test(plain) || strengthOf(plain) >= Math.min(strength, SECRET)) return spans;
      else distance++;
    }
  }
  return spans.length > 0 ? spans : below(name, line);
}

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
const LOGIN_BEFORE = /(?:login|user(?:name)?|account)[ \t]+(?!(?:or|and|&)[ \t])\S{1,64}[ \t]+$/i;

/** The value of a line of its own: `auth_pass word`, `ENV DB_PASSWORD word`, `password ..... word`, `password word` beside such lines. */
function ofDirective({ text, start, end, word, strength }: Name, before: string, line: string): Span[] {
  if (strength < HINT) return [];
  const isSet = SETS.test(before.slice(-24)) && (/[._-]|^[A-Z]{2}/.test(word) || /option|config|\$$/i.test(before));
  const isLogin = strength >= SECRET && LOGIN_BEFORE.test(before.slice(-80));
  if (!isSet && !isLogin && (strength < SECRET || !(strength === PASSWORD ? SOME_WORDS : LINE_START).test(before)))
    return [];
  const [, gap = '', double, single, bare = ''] =
    DIRECTIVE.exec(isLogin ? line.replace(/^([ \t]+\S+)[ \t].*/, '$1') : line) ?? [];
  const value = double ?? single ?? bare;
  if (value === '' || isProse(value) || isNoSecret(value, word, '=') || FILE.test(value)) return [];
  const isNamed =
    strength === PASSWORD && (/[_-]|[a-z][A-Z]|^[a-z]{2,}pw$|^[a-z]{4,}(?:pass|auth)$/.test(word) || gap.length > 2);
  const isPhrase = /\s/.test(value) && value === bare;
  if (isPhrase && !(/\d/.test(value) && isAmongDirectives(text, start, end))) return [];
  const isSure = isSet
    ? strength >= SECRET || value !== bare
    : isLogin || isNamed || isAmongDirectives(text, start, end);
  if (!isSure && lookOf(value) < CHOSEN) return [];
  const from = end + line.indexOf(value, gap.length);
  return [spanOf(word, from, from + value.length)];
}

const IS_DIRECTIVE = /^[ \t]*[A-Za-z][\w-]{1,32}[ \t]+[^\s=:]\S*[ \t]*\r?$/;

/** A line beside it is a word and its value, too. */
function isAmongDirectives(text: string, start: number, end: number): boolean {
  const own = start - lineBefore(text, start).length;
  const behind = text.slice(end, end + 2 * REACH).split('\n', 2)[1] ?? '';
  return (
    isLineStart(text, own) && [own === 0 ? '' : lineBefore(text, own - 1), behind].some((one) => IS_DIRECTIVE.test(one))
  );
}

const FILE = /^[~.]*\/|^[\w./-]+\.(?:ya?ml|json|ini|txt|pem|key|crt|env|conf|toml|p12|jks|sh)$|^[\d.:-]+$/;

/** Whether a word is a secret so near to a name. */
function isSecretHere(word: string, strength: number, distance: number, isLinked: boolean, isQuoted: boolean): boolean {
  const look = lookOf(word);
  if (look === NONE) return false;
  if (strength <= TOUCH) return look >= (distance === 0 && isLinked ? MIXED : DRAWN);
  if (distance > 0) return look >= (strength === PASSWORD && isQuoted ? CHOSEN : MIXED);
  const isTyped = strength === PASSWORD && (isQuoted || /\d/.test(word));
  return look >= (isTyped ? PLAIN : BYTES) && !(look === PLAIN && isProse(word));
}

const ALONE = /^[ \t>$#*-]{0,16}["'`]?([^\s"'`<>]{5,511}[^\s"'`<>*,;({])["'`]?[ \t]*\r?$/;
/** A command that shows a secret, or what asks for one. */
const SHOWS =
  /(?:^|[^a-z])(?:get|read|show|output|printenv|cat|view|print|jsonpath|reveal|gen\w*|rand|create|is|are|below|initial)(?![a-z])|:$/i;

/** The word alone on the line below. */
function below({ text, start, end, word, strength }: Name, line: string): Span[] {
  if (strength <= HINT || line.length >= REACH || PUBLIC.test(line)) return [];
  const from = end + (/^[^\n]*\n(?:[ \t]*\r?\n)?/.exec(text.slice(end, end + 2 * REACH))?.[0].length ?? text.length);
  const next = text.slice(from, from + MAX_WORD).split('\n', 1)[0] as string;
  const value = ALONE.exec(next)?.[1] ?? '';
  const opening = lineBefore(text, start) + text.slice(start, end) + line;
  const look = lookOf(value);
  const least = SHOWS.test(opening) && /[\d!#%^*+?@$~]/.test(value) ? CHOSEN : MIXED;
  if (value === '' || (look < least && look !== BYTES)) return [];
  return [spanOf(word, from + next.indexOf(value), from + next.indexOf(value) + value.length)];
}

// `name: X` and its `value: Y`, either first, on one line or on two, in YAML, JSON, XML and what programs print.
const NAMED = `["']?(?<what>(?:[\\w-]{1,24}_?)?(?:name|key|id|path|variable))["']?[ \\t]{0,4}[:= ][ \\t]{0,4}["']?(?<name>[\\w./~@!-]{1,80})["']?[ \\t]{0,8},?`;
const GIVEN = `["']?(?:value|default)["']?[ \\t]{0,4}[:=][ \\t]{0,4}(?:\\w{0,8}\\((?="))?(?:(?<quote>["'])(?<value>[^"'\\r\\n]{3,1024})\\k<quote>|(?<bare>[^\\s"',}\\](]{3,1024}(?![(\\w])))`;
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
  return [NAME_FIRST, VALUE_FIRST].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ groups = {}, indices }) => {
      const { name: given = '', what = '' } = groups;
      const name = strengthOf(given) > NO_NAME ? given : what;
      const value = groups.value ?? groups.bare ?? '';
      const strength = strengthOf(name);
      const isSecret =
        strength >= SECRET
          ? !isNoSecret(value, name, '=')
          : strength > HINT
            ? lookOf(value) >= BYTES
            : strength > NO_NAME && isRandom(value);
      const [start, end] = indices?.groups?.value ?? indices?.groups?.bare ?? [0, 0];
      return isSecret ? [spanOf(name, start, end)] : [];
    }),
  );
}

const spanOf = (name: string, start: number, end: number): Span => ({ start, end, kind: kindOfName(name) });
