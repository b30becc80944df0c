// The value of a key that says it is secret, wherever such a pair stands: YAML, JSON, TOML, HCL, ini and env files,
// logs and traces of a shell. A name, a reference, a template or a word of an error message is no value.

import { SECRET_KEY } from './key-words.ts';
import { BYTES, lookOf } from './looks.ts';
import { isNoSecret, isProse } from './no-secret.ts';
import { isHighEntropy, looksChosen } from './secret-signs.ts';
import type { Span } from './spans.ts';
import { type Look, looksUnder, weakValue } from './weak-keys.ts';

const SEPARATOR = /=>|->|→|:=|\?=|\+=|[!=]==?(?=[ \t]*["'])|=(?![=~])|:(?!=)/g;
const IS_KEY = new RegExp(`(?:${SECRET_KEY})$`, 'i');
const MAX_NAME = 64;
const MAX_INDENT = 200;
const MAX_VALUE = 4096;
const MAX_WORD = 512;
const MAX_BLOCK_LINES = 100;

/** A place where a secret-like key has a value. */
interface Pair {
  text: string;
  key: string;
  separator: ':' | '=';
  /** Nothing stands before it on its line but what belongs to a list, a diff or a prompt: it is a setting. */
  opensLine: boolean;
  indent: number;
  /** It has quotes, or is made of several words as only names of settings are. */
  isName: boolean;
  /** Where the value begins. */
  at: number;
}

export function findKeyValues(text: string): Span[] {
  const spans: Span[] = [...belowPlurals(text), ...namedValues(text)];
  let until = 0;
  for (const { 0: sign, index: end } of text.matchAll(SEPARATOR)) {
    // What looks like a key inside of a value is part of it.
    if (end < until) continue;
    const { start, stop } = nameBefore(text, end);
    if (start === stop) continue;
    const { key, looks } = nameClass(text.slice(start, stop));
    const behind = end + sign.length;
    const values =
      key !== -1
        ? secretValues(text, start + key, text.slice(start + key, behind))
        : looks.length > 0
          ? [weakValue(text, looks, behind)].flatMap((span) => span ?? [])
          : [];
    spans.push(...values);
    until = values.at(-1)?.end ?? until;
  }
  return spans;
}

interface NameClass {
  /** Where in the name a secret-like key begins that it ends with; -1: nowhere. */
  key: number;
  looks: readonly Look[];
}

/** Texts have few names, each many times. */
const CLASSES = new Map<string, NameClass>();
const MAX_CLASSES = 2000;

function nameClass(name: string): NameClass {
  const remembered = CLASSES.get(name);
  if (remembered !== undefined) return remembered;
  const key = name.search(IS_KEY);
  const made = { key, looks: key === -1 ? looksUnder(name) : [] };
  if (CLASSES.size >= MAX_CLASSES) CLASSES.clear();
  CLASSES.set(name, made);
  return made;
}

function secretValues(text: string, keyAt: number, hit: string): Span[] {
  const pair = pairAt(text, keyAt, hit);
  return pair === undefined || IS_TEMPLATE.test(text.slice(pair.at, pair.at + 24)) ? [] : valueSpans(pair);
}

/**
 * The name before a separator. The separator first, and the name by looking back: so every character is looked at once,
 * however many words there are for secrets.
 */
function nameBefore(text: string, separator: number): { start: number; stop: number } {
  let stop = separator;
  for (let i = 0; i < 8 && isBlank(text.charCodeAt(stop - 1)); i++) stop--;
  for (let i = 0; i < 2 && QUOTES.includes(text.charAt(stop - 1) || ' '); i++) stop--;
  let start = stop;
  while (stop - start < MAX_NAME && (isNameChar(text.charCodeAt(start - 1)) || isBlank(text.charCodeAt(start - 1))))
    start--;
  return { start, stop };
}

const QUOTES = '"\'`]';
const isBlank = (code: number): boolean => code === 32 || code === 9;
/** A letter of any script, a digit, `_`, `.` or `-`; NaN, before the text, is none. */
const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46 ||
  (code > 127 && code < 0xffff);

const PLURAL =
  /^([ \t]{0,80})(?:- )?["']?[\w.-]{0,40}(?:secret|token|password|passwd|credential|(?<!public|ssh|authorized|host|known|annotation|label)[_-]?key)s["']?:[ \t]*\[?[ \t]*\r?\n/gim;
const ENTRY = /^([ \t]*)(?:- )?(?:["']?[\w.-]{1,64}["']?:[ \t]+)?["']?([^\s"'#:]{6,256})["']?,?[ \t]*\r?$/;

/** Values below a key that names several secrets, whatever their own keys are called. */
function belowPlurals(text: string): Span[] {
  return [...text.matchAll(PLURAL)].flatMap(({ 0: head, 1: indent = '', index }) => {
    const spans: Span[] = [];
    let start = index + head.length;
    for (const line of text.slice(start, start + MAX_VALUE).split('\n', 20)) {
      const [, blanks = '', value = ''] = ENTRY.exec(line) ?? [];
      if (blanks.length < indent.length || value === '') break;
      const at = start + line.lastIndexOf(value);
      if (lookOf(value) >= BYTES) spans.push({ start: at, end: at + value.length, kind: 'secret' });
      start += line.length + 1;
    }
    return spans;
  });
}

// `name: X` and its `value: Y`, either first, on one line or on two, in YAML, JSON, XML and what programs print.
const NAMED = `["']?(?:name|key|id|path)["']?[ \\t]{0,4}[:=][ \\t]{0,4}["']?(?<name>[\\w./~-]{1,80})["']?[ \\t]{0,8},?`;
const GIVEN = `["']?(?:value|default)["']?[ \\t]{0,4}[:=][ \\t]{0,4}(?:\\w{0,8}\\((?="))?(?:(?<quote>["'])(?<value>[^"'\\r\\n]{3,1024})\\k<quote>|(?<bare>[^\\s"',}\\](]{3,1024}(?![(\\w])))`;
const NAME_FIRST = new RegExp(
  `(?<![\\w-])${NAMED}(?:[ \\t]{0,8}|\\r?\\n[ \\t+-]{0,200}(?:[\\w"'][^\\r\\n]{0,80}\\r?\\n[ \\t+-]{0,200})?)${GIVEN}`,
  'dgi',
);
const VALUE_FIRST = new RegExp(
  `(?<![\\w-])${GIVEN}[ \\t]{0,8},?(?:[ \\t]{0,8}|\\r?\\n[ \\t+-]{0,200}(?<!-[ \\t]{1,4}))${NAMED}(?=[ \\t}\\r\\n]|$)`,
  'dgi',
);

/** The value of something whose name is a value itself. */
function namedValues(text: string): Span[] {
  if (!/value|default/i.test(text)) return [];
  return [NAME_FIRST, VALUE_FIRST].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(({ groups = {}, indices }) => {
      const name = groups.name ?? '';
      const value = groups.value ?? groups.bare ?? '';
      const { key, looks } = nameClass(name);
      const isSecret =
        key === -1 ? looks.some((look) => look(value)) : !NO_KEY.test(name) && !isNoSecret(value, name, '=');
      const [start, end] = indices?.groups?.value ?? indices?.groups?.bare ?? [0, 0];
      return isSecret ? [{ start, end, kind: kindOfKey(name) }] : [];
    }),
  );
}

const IS_TEMPLATE = /^(?:\$[A-Za-z_({]|[{[(]|<(?!<)|\/[\^(\\]|!\w+\()/;

function pairAt(text: string, hitAt: number, hit: string): Pair | undefined {
  let start = hitAt;
  while (hitAt - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  const name = /^[\p{L}\d_ .-]+/u.exec(text.slice(start, hitAt + hit.length))?.[0].trimEnd() ?? '';
  if (NO_KEY.test(name)) return undefined;
  // Of a text about settings: a key in backticks, or a way through menus.
  const isArrow = /(?:->|→)$/.test(hit);
  if (/`[ \t]*:$/.test(hit) || (isArrow && !/[_-]|[a-z][A-Z]/.test(name))) return undefined;
  const before = text.slice(Math.max(0, start - MAX_INDENT), start);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const opensLine = (line.length < before.length || before.length === start) && LINE_START.test(line);
  // The key under which an ExternalSecret is to hold what it fetches.
  if (name === 'secretKey' && /-[ \t]+["']?$/.test(line)) return undefined;
  let at = hitAt + hit.length;
  at += /^(?:\*{1,2}(?=[ \t]))?(?:[ \t]|\\\r?\n){0,200}/.exec(text.slice(at, at + MAX_INDENT))?.[0].length ?? 0;
  const separator = /(?:[:→]|->)$/.test(hit) ? ':' : '=';
  const isName = /["'`\]][ \t]*\S{1,2}$/.test(hit) || /[_.-]|[a-z][A-Z]/.test(name) || isBesidePair(line);
  const indent = line.length - line.trimStart().length;
  // A comment is no value.
  if (text.charAt(at) === '#' && at > hitAt + hit.length) return undefined;
  // `--a= --b=`: nothing is given.
  if (hit.endsWith('=') && !opensLine && at > hitAt + hit.length && !/[ \t]\S{1,2}$/.test(hit)) return undefined;
  // What follows a key of YAML at once is part of a word, as in `https://` and `sha256:…`.
  if (separator === ':' && at === hitAt + hit.length && !isName && !/["'\w\r\n]/.test(text.charAt(at)))
    return undefined;
  return { text, key: name, separator, opensLine, indent, isName, at };
}

/** In a list of pairs, as JSON, Go and Rust print them: `{Host:db Password:…}`. */
function isBesidePair(line: string): boolean {
  if (/[{,][ \t]{0,8}$|\[$/.test(line.slice(-9))) return true;
  if (!line.endsWith(' ')) return false;
  if (BESIDE_USER.test(line.slice(-80))) return true;
  return GLUED_PAIR.test(line.slice(line.lastIndexOf(' ', line.length - 2) + 1, -1));
}

const BESIDE_USER = /(?:user(?:name)?|login|admin|zugang)[:=][ \t]*[\w.@-]{1,64}[ ,;/]{1,3}$/i;
const GLUED_PAIR = /^(?:\w{0,16}[[{&(]){0,3}[A-Za-z_]\w{0,40}:[^\s:]{0,80}$/;
// Of a listing with line numbers, a diff, a list, a trace, a Dockerfile; a quote may open the key or the whole setting.
const LINE_START =
  /^[ \t]*(?:[\w./-]{1,100}:\d{1,6}[:-]|\d{1,6}[ \t]*[|:]?[ \t]+)?[ \t]*(?:[-+>*|~#][ \t]*){0,4}(?:(?:export|set|ENV|ARG|declare|local|readonly|env|-[exf])[ \t]+){0,2}(?:-x[ \t]+)?(?:[\w-]{1,32}:)?["'`\\[]{0,2}$/;
const NO_KEY =
  /(?:^|[_.-])public|(?:by|com|tres|over|under|sur|encom|multi)pass$|existing[_-]?secret|(?:pull|issuer)[_-]?secret$|(?:un|in)?expected token$/i;

/** What to mask of the value. */
function valueSpans(pair: Pair): Span[] {
  const { text, at } = pair;
  const first = text.charAt(at);
  const lines = manyLines(pair);
  if (lines !== undefined) return lines;
  if (/["'`]/.test(first)) return /^`\w+ /.test(text.slice(at, at + 20)) ? [] : quoted(pair, first);
  if (first === '\\' && /["']/.test(text.charAt(at + 1))) return [];
  if (first === '' || /[\r\n]/.test(first)) return onNextLine(pair);
  const literal =
    /^(?:[&*A-Za-z_][\w.:?'[\]<> ]{0,40}[ \t]{0,4}=[ \t]{0,4}(?=["'])|[A-Za-z_][\w.:]{0,60}(?:::(?:from|new)\(|(?:\[[^\]\r\n]{0,60}\]|\([^()\r\n]{0,60})?[ \t]{0,2}(?:\?\?|\|\||,|or)[ \t]{1,2})(?=["']))/.exec(
      text.slice(at, at + 160),
    )?.[0].length;
  if (literal !== undefined) return quoted({ ...pair, at: at + literal }, text.charAt(at + literal));
  if (/[|>]/.test(first)) return block(pair);
  // An anchor or a type of YAML stands before the value, or what holds it in Rust and Python.
  const anchor =
    /^(?:(?:&[\w-]{1,64}|!!\w{1,16})[ \t]+|(?:Some|Ok|Just|String|Secret\w{0,8}|Sensitive|b|r|f)\(?(?=["']))/.exec(
      text.slice(at, at + 80),
    )?.[0].length ?? 0;
  if (anchor > 0) return valueSpans({ ...pair, at: at + anchor });
  return bare(pair);
}

const OPENING = /^(?:("{3}|'{3})|<<[-~]?["']?(\w{1,32})["']?\r?\n)/;

/** The lines of a text in three quotes, or of a here-document; undefined when it is neither. */
function manyLines({ text, at, key }: Pair): Span[] | undefined {
  const [opening, quotes, word] = OPENING.exec(text.slice(at, at + 48)) ?? [];
  if (opening === undefined) return undefined;
  const start = at + opening.length;
  const part = text.slice(start, start + MAX_VALUE);
  const length = quotes === undefined ? part.search(new RegExp(`^[ \\t]*${word}`, 'm')) : part.indexOf(quotes);
  const inside = part.slice(0, length === -1 ? 0 : length);
  return [...inside.matchAll(/\S[^\r\n]*/g)]
    .filter(([line]) => !isNoSecret(line, key, '='))
    .map(({ 0: line, index }) => ({ start: start + index, end: start + index + line.length, kind: kindOfKey(key) }));
}

function quoted(pair: Pair, quote: string): Span[] {
  const { text, at, key, separator, isName, opensLine } = pair;
  let end = at + 1;
  const limit = Math.min(text.length, at + MAX_VALUE);
  while (end < limit && text.charAt(end) !== '\n') {
    const isDoubled = quote === "'" && text.charAt(end) === quote && text.charAt(end + 1) === quote && end > at + 1;
    if (text.charAt(end) === quote && !isDoubled) break;
    end += isDoubled || (text.charAt(end) === '\\' && quote === '"') ? 2 : 1;
  }
  end = Math.min(end, text.length);
  const value = text.slice(at + 1, end);
  // `unexpected token: 'fi'`; a password in quotes is one.
  const isMessage = separator === ':' && !isName && !opensLine && !/pass|pwd/i.test(key) && !looksChosen(value);
  const spans =
    isMessage || isProse(value, key) || isNoSecret(value, key, separator) ? [] : [spanOf(pair, at + 1, end)];
  // What Terraform's plan has it changed to.
  const next = /^"[ \t]{1,4}(?:->|→)[ \t]{1,4}(?=")/.exec(text.slice(end, end + 16))?.[0].length;
  return next === undefined ? spans : [...spans, ...quoted({ ...pair, at: end + next }, '"')];
}

// What a key of its own holds: `dbPassword:` and below it `secure: …`.
const CHILD =
  /^\r?\n([ \t]{1,200})["']?(?:value|secure|default|plain|plaintext|literal|inline|raw|text|content|inlineString|inline_string)["']?[ \t]{0,4}:[ \t]{1,8}(?=\S)/;

/** A word of its own on the next line, deeper than the key or drawn by chance: a value that was wrapped. */
function onNextLine(pair: Pair): Span[] {
  const { text, at, key, indent, opensLine } = pair;
  const child = opensLine ? CHILD.exec(text.slice(at, at + MAX_INDENT + 40)) : null;
  if (child !== null && (child[1] as string).length > indent)
    return valueSpans({ ...pair, isName: true, at: at + child[0].length });
  const next =
    /^\r?\n([ \t]{0,200})(?:string\(\d{1,5}\)[ \t])?(["']?)([^\s"'#:{[-][^\s"']{3,512})\2[ \t]*(?=\r?\n|$)/.exec(
      text.slice(at, at + MAX_INDENT + 600),
    );
  if (next === null) return [];
  const [whole, blanks = '', quote, value = ''] = next;
  const isDumped = whole.includes('string(');
  const isDeeper = isDumped || (opensLine && blanks.length > indent && (quote !== '' || looksChosen(value)));
  if ((!isDeeper && !isHighEntropy(value)) || /:$/.test(value) || isNoSecret(value, key, ':')) return [];
  const start = at + whole.indexOf(value, blanks.length);
  return [{ start, end: start + value.length, kind: kindOfKey(key) }];
}

/** The lines of a block scalar. */
function block({ text, at, key, indent }: Pair): Span[] {
  const head = /^[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(at, at + MAX_INDENT))?.[0];
  if (head === undefined) return [];
  const spans: Span[] = [];
  let start = at + head.length;
  for (let i = 0; i < MAX_BLOCK_LINES && start < text.length; i++) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    const line = text.slice(start, Math.min(end, start + MAX_VALUE));
    const depth = line.length - line.trimStart().length;
    if (line.trim() !== '') {
      if (depth <= indent) break;
      const value = line.trim();
      const from = start + depth;
      if (!isNoSecret(value, key, ':')) spans.push({ start: from, end: from + value.length, kind: kindOfKey(key) });
    }
    start = end + 1;
  }
  return spans;
}

function bare(pair: Pair): Span[] {
  const { text, at, key, separator, opensLine, isName } = pair;
  const word = wordAt(text, at);
  const behind = text.slice(at + word.length, at + word.length + 16);
  if (/^[ \t]*(?:[!=]==?|\?|&&|\|\||=>)/.test(behind) && /^[A-Za-z_.]+$/.test(word)) return [];
  const rest = opensLine ? (/^[^\r\n]*/.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '') : '';
  const isPhrase = opensLine && isWholeLine(rest, separator, text.charAt(at - 1));
  const value = isPhrase ? rest.replace(/(?:[ \t]+#.*)?[ \t,;]*$/, '') : word;
  if (separator === ':' && !(isName && !isProse(value, key)) && !opensLine && !looksChosen(value)) return [];
  const isPair = /^\w+=$/.test(value) && /["']/.test(text.charAt(at + value.length));
  if (isPair || /^[a-z]{0,3}$/i.test(value) || isNoSecret(value, key, separator)) return [];
  if (isProse(value, key) && !(isPhrase && ARTICLE.test(value) && isAmongPairs(pair, value))) return [];
  if (/\s/.test(value) && !isName && !/\d/.test(value) && !isAmongPairs(pair, value)) return [];
  return [spanOf(pair, at, at + value.length)];
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

const spanOf = ({ key }: Pair, start: number, end: number): Span => ({ start, end, kind: kindOfKey(key) });

export const kindOfKey = (key: string): string =>
  /pass|pwd|pw$|kennwort/i.test(key) ? 'password' : /token/i.test(key) ? 'token' : 'secret';
