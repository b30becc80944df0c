// The value of a pair whose key says that it is secret, in YAML, JSON, TOML, HCL, ini and env files, programs, logs and
// traces of a shell. A name, a reference, a template or a word of an error message is no value.
import { BYTES, CHOSEN, isHighEntropy, isNoSecret, isProse, lookOf, looksChosen } from './looks.ts';
import { isLineStart, LINE_START, lineBefore, lineBelow, type Name, spanOf } from './name-places.ts';
import { PASSWORD } from './names.ts';
import type { Span } from './spans.ts';

const MAX_INDENT = 200;
const MAX_VALUE = 4096;
const MAX_WORD = 512;
const MIN_ANSWER = 6;

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

const IS_TEMPLATE = /^(?:\$[A-Za-z_({]|\{(?![ \t]{0,4}["'\w])|\((?!["'])|<(?!<)|\/[\^(\\]|!\w+\()/;

/** What to mask of the value at `at`, behind a name and `hit`, which ends in the sign between them. */
export function pairValues(name: Name, hit: string, sign: string, at: number): Span[] {
  const pair = IS_TEMPLATE.test(name.text.slice(at, at + 24)) ? undefined : pairOf(name, hit, sign, at);
  return pair === undefined ? [] : strongValue(pair);
}

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
  /^["'`\]]/.test(hit) ||
  /[_.-]|[a-z][A-Z]/.test(word) ||
  line.endsWith('--') ||
  OPTION.test(line.slice(-40)) ||
  isBesidePair(line);

const OPTION = /(?:^|[ \t])(?:--[\w-]+[ =]|-H ?)["']?$/;

/** In a list of pairs, as JSON, Go and Rust print them: `{Host:db Password:…}`. */
function isBesidePair(line: string): boolean {
  if (/[{,][ \t]{0,8}$|\[$/.test(line) || GLUED_PAIR.test(line)) return true;
  const sign = Math.max(line.lastIndexOf(':'), line.lastIndexOf('='));
  return USER.test(line.slice(0, sign)) && USER_NAME.test(line.slice(sign + 1));
}

const USER = /(?:user(?:name)?|login|admin|zugang)$/i;
const USER_NAME = /^[ \t]*[\w.@-]{1,64}[ ,;/]{1,3}$/;
const GLUED_PAIR = /(?:^| )(?:\w{0,16}[[{&(]){0,3}[A-Za-z_]\w{0,40}:[^\s:]{0,80} $/;

/** What to mask of the value of a name that says it is secret. */
function strongValue(pair: Pair): Span[] {
  const { text, at } = pair;
  const first = text.charAt(at);
  const lines = manyLines(pair);
  if (lines !== undefined) return lines;
  if (/[[(]/.test(first)) return items(pair);
  if (/["'`]/.test(first)) return /^`\w+ /.test(text.slice(at, at + 20)) ? [] : quoted(pair);
  if (first === '' || /[\r\n]/.test(first)) return onNextLine(pair);
  const rest = text.slice(at, at + 160);
  const type = pair.separator === ':' ? TYPE.exec(rest) : null;
  const lead = /["'&!{]/.test(rest) ? ((type ?? LEAD.exec(rest))?.[0].length ?? 0) : 0;
  if (lead > 0) return strongValue({ ...pair, at: at + lead });
  return first === '{' ? [] : /[|>]/.test(first) ? block(pair) : bare(pair);
}

/** The type of a variable. */
const TYPE = /^[&*A-Za-z_][\w.:?'[\]<> ]{0,40}[ \t]{0,4}=[ \t]{0,4}(?=["'])/;
/** Before a value: an anchor, what holds it in Rust, Go or Python, what it is the default of. */
const LEAD =
  /^(?:\{(?:[^{}\r\n]{0,80}[ ,])?["']?(?:value|secure|plain|plaintext|literal|raw|text|content)["']?[ \t]{0,4}[:=][ \t]{0,4}|[A-Za-z_][\w.:]{0,60}(?:::(?:from|new)\(|(?:\[[^\]\r\n]{0,60}\]|\([^()\r\n]{0,60})?[ \t]{0,2}(?:\?\?|\|\||,|or)[ \t]{1,2})(?=["'])|(?:&[\w-]{1,64}|!!\w{1,16}|!unsafe)[ \t]+|(?:Some|Ok|Just|String|Secret\w{0,8}|Sensitive|b|r|f)\(?(?=["'])|(?:MD5|SHA\d{0,3}|PASSWORD|[Cc]rypt|[Bb]crypt|[Hh]ash\w{0,16})\((?=["']))/;
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
  const part = text.slice(at + opening.length, at + opening.length + MAX_VALUE);
  const length = quotes === undefined ? part.search(new RegExp(`^[ \\t]*${word}`, 'm')) : part.indexOf(quotes);
  return eachLine(length === -1 ? part : part.slice(0, length), at + opening.length, key);
}

/** The lines of a block scalar. */
function block({ text, at, word, indent }: Pair): Span[] {
  const head = /^[|>][+-]?\d?[+-]?[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(at, at + MAX_INDENT))?.[0];
  if (head === undefined) return [];
  const part = text.slice(at + head.length, at + head.length + MAX_VALUE);
  const length = part.search(new RegExp(`^[ \\t]{0,${indent}}[^ \\t\\r\\n]`, 'm'));
  return eachLine(length === -1 ? part : part.slice(0, length), at + head.length, word);
}

const eachLine = (lines: string, start: number, key: string): Span[] =>
  [...lines.matchAll(/\S[^\r\n]*/g)]
    .filter(([line]) => !isNoSecret(line, key, '='))
    .map(({ 0: line, index }) => spanOf(key, start + index, start + index + line.trimEnd().length));

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

function bare(pair: Pair): Span[] {
  const { text, at, word: key, strength, separator, opensLine } = pair;
  const word = wordAt(text, at);
  const behind = text.slice(at + word.length, at + word.length + 16);
  if (/^(?:<|[ \t]*(?:[!=]==?|\?|&&|\|\||=>))/.test(behind) && /^[A-Za-z_.]+$/.test(word)) return [];
  const rest = opensLine ? (/^[^\r\n]*/.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '') : '';
  const isPhrase = opensLine && isWholeLine(rest, separator, text.charAt(at - 1));
  const value = isPhrase ? rest.replace(/(?:[ \t]+#.*)?[ \t,;]*$/, '') : word;
  // `Generated password: word`, to the end of the line.
  const isAnswer =
    strength === PASSWORD && word.length >= MIN_ANSWER && /^[).]?[ \t]*(?:\r?\n|$)/.test(behind) && !isProse(word);
  if (separator === ':' && !opensLine && !isAnswer && !looksChosen(value) && (isProse(value, key) || !isSetting(pair)))
    return [];
  const isPair = /^\w+=$/.test(value) && /["']/.test(text.charAt(at + value.length));
  if (isPair || /^[a-z]{0,3}$/i.test(value) || isNoSecret(value, key, separator)) return [];
  if (isProse(value, key) && !(isPhrase && ARTICLE.test(value) && isAmongPairs(pair, value))) return [];
  if (/\s/.test(value) && !/\d/.test(value) && !isSetting(pair) && !isAmongPairs(pair, value)) return [];
  return [spanOf(key, at, at + value.length)];
}

const IS_PAIR = /^[ \t]*(?:[-#+][ \t]+)?["']?[\w.-]{1,64}["']?(?:[ \t]*=|:(?:[ \t]|$))/;
/** A phrase may begin so, as a message may. */
const ARTICLE = /^(?:an?|the|you|your|this|that|all|in|on|for|of|to|with) /i;
/** Said of a password by any program: no setting. */
const OUTCOME =
  /(?:^|\s)(?:is|was|has|must|may|not|no|wrong|incorrect|invalid|expired|missing|failed|denied|required|already|cannot|please|unknown)(?:\s|$)/i;

/** Some words that a person chose, in a file of settings: a line beside it is a pair, too. */
function isAmongPairs({ text, at }: Pair, value: string): boolean {
  if (!/^\S+(?: \S+){1,11}$/.test(value) || OUTCOME.test(value)) return false;
  const before =
    text
      .slice(Math.max(0, at - MAX_WORD), at)
      .split('\n')
      .at(-2) ?? '';
  const behind = lineBelow(text, at, MAX_WORD);
  return [before, behind].some((line) => line.length < MAX_INDENT && IS_PAIR.test(line));
}

const FIRST_WORD = /^(?:[^\s"'`<>,;&|)}\]]|[,;&|](?![\s\w.-]{0,64}[=:\s]|$|[&|"'])|[)}\]](?=[^\s,;)}\]"']))+/;
const REST_OF_WORD = /[^\s"'`<>,;&|)}\]]*/y;

/** Up to a blank, or to a sign that ends a value in a list of them. */
function wordAt(text: string, at: number): string {
  const word = FIRST_WORD.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '';
  REST_OF_WORD.lastIndex = at + word.length;
  return word + (REST_OF_WORD.exec(text)?.[0] ?? '');
}

/** Of `key: some words` and `key = some words` all of it; of `KEY=word` too, unless a command may follow. */
function isWholeLine(rest: string, separator: ':' | '=', before: string): boolean {
  if (separator === ':' || /[ \t]/.test(before)) return !/[{}]|, /.test(rest);
  return /^\S+(?: [A-Za-z0-9!?.,']+){0,9}[ \t]*$/.test(rest);
}
