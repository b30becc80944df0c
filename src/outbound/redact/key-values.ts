// The value of a key that says it is secret, wherever such a pair stands: YAML, JSON, TOML, HCL, ini and env files,
// logs and traces of a shell. A name, a reference, a template or a word of an error message is no value.
import { isNoSecret, isProse } from './no-secret.ts';
import { SECRET_KEY } from './rule.ts';
import { isHighEntropy } from './secret-signs.ts';
import type { Span } from './spans.ts';

const PAIR = new RegExp(`(?:${SECRET_KEY})["'\`\\]]{0,2}[ \\t]{0,8}(?:=>|:=|\\?=|\\+=|=(?![=~])|:(?!=))`, 'gi');
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
  const spans: Span[] = [];
  let until = 0;
  for (const { 0: hit, index } of text.matchAll(PAIR)) {
    // What looks like a key inside of a value is part of it.
    const pair = index < until ? undefined : pairAt(text, index, hit);
    const values = pair === undefined || IS_TEMPLATE.test(text.slice(pair.at, pair.at + 2)) ? [] : valueSpans(pair);
    spans.push(...values);
    until = values.at(-1)?.end ?? until;
  }
  return spans;
}

const IS_TEMPLATE = /^(?:\$[A-Za-z_({]|\{|\[|<)/;

function pairAt(text: string, hitAt: number, hit: string): Pair | undefined {
  let start = hitAt;
  while (start > 0 && hitAt - start < MAX_NAME && /[\w.-]/.test(text.charAt(start - 1))) start--;
  const name = /^[\w .-]+/.exec(text.slice(start, hitAt + hit.length))?.[0].trimEnd() ?? '';
  if (NO_KEY.test(name)) return undefined;
  const before = text.slice(Math.max(0, start - MAX_INDENT), start);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const opensLine = (line.length < before.length || before.length === start) && LINE_START.test(line);
  // The key under which an ExternalSecret is to hold what it fetches.
  if (name === 'secretKey' && /-[ \t]+["']?$/.test(line)) return undefined;
  let at = hitAt + hit.length;
  while (at - hitAt < MAX_INDENT && /[ \t]/.test(text.charAt(at))) at++;
  const separator = /:$/.test(hit) ? ':' : '=';
  const isName = /["'`\]][ \t]*\S{1,2}$/.test(hit) || /[_.-]|[a-z][A-Z]/.test(name) || /[{,][ \t]*$/.test(line);
  const indent = line.length - line.trimStart().length;
  // `--a= --b=`: nothing is given.
  if (hit.endsWith('=') && !opensLine && at > hitAt + hit.length && !/[ \t]\S{1,2}$/.test(hit)) return undefined;
  // What follows a key of YAML at once is part of a word, as in `https://` and `sha256:…`.
  if (separator === ':' && at === hitAt + hit.length && !isName && !/["'\w\r\n]/.test(text.charAt(at)))
    return undefined;
  return { text, key: name, separator, opensLine, indent, isName, at };
}

// Of a listing with line numbers, a diff, a list, a trace, a Dockerfile; a quote may open the key or the whole setting.
const LINE_START =
  /^[ \t]*(?:\d{1,6}[ \t]*[|:]?[ \t]+)?(?:[-+>*|~#][ \t]*){0,4}(?:(?:export|set|ENV|ARG|declare|local|readonly|env|-[exf])[ \t]+){0,2}(?:-x[ \t]+)?["'`\\]{0,2}$/;
const NO_KEY =
  /^(?:old)?pwd$|(?:^|[_.-])public|(?:by|com|tres|over|under|sur|encom|multi)pass$|(?:existing|pull|issuer)[_-]?secret$|(?:un|in)?expected token$/i;

/** What to mask of the value. */
function valueSpans(pair: Pair): Span[] {
  const { text, at } = pair;
  const first = text.charAt(at);
  if (/["'`]/.test(first)) return quoted(pair, first);
  if (first === '\\' && /["']/.test(text.charAt(at + 1))) return [];
  if (first === '' || /[\r\n]/.test(first)) return onNextLine(pair);
  if (/[|>]/.test(first)) return block(pair);
  // An anchor of YAML stands before the value.
  const anchor = first === '&' ? (/^&[\w-]{1,64}[ \t]+/.exec(text.slice(at, at + 80))?.[0].length ?? 0) : 0;
  if (anchor > 0) return valueSpans({ ...pair, at: at + anchor });
  return bare(pair);
}

function quoted(pair: Pair, quote: string): Span[] {
  const { text, at, key, separator, isName, opensLine } = pair;
  let end = at + 1;
  const limit = Math.min(text.length, at + MAX_VALUE);
  while (end < limit && text.charAt(end) !== quote && text.charAt(end) !== '\n') {
    end += text.charAt(end) === '\\' && quote === '"' ? 2 : 1;
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

/** A word of its own on the next line, deeper than the key or drawn by chance: a value that was wrapped. */
function onNextLine({ text, at, key, indent, opensLine }: Pair): Span[] {
  const next = /^\r?\n([ \t]{0,200})(["']?)([^\s"'#:{[-][^\s"']{3,512})\2[ \t]*(?=\r?\n|$)/.exec(
    text.slice(at, at + MAX_INDENT + 600),
  );
  if (next === null) return [];
  const [whole, blanks = '', quote, value = ''] = next;
  const isDeeper = opensLine && blanks.length > indent && (quote !== '' || looksChosen(value));
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
  const rest = /^[^\r\n]*/.exec(text.slice(at, at + MAX_WORD))?.[0] ?? '';
  const word = wordAt(text, at, rest);
  if (/^[ \t]*(?:[!=]==?|\?|&&|\|\||=>)/.test(rest.slice(word.length)) && /^[A-Za-z_.]+$/.test(word)) return [];
  const isPhrase = opensLine && isWholeLine(rest, separator, text.charAt(at - 1));
  const value = isPhrase ? rest.replace(/(?:[ \t]+#.*)?[ \t,;]*$/, '') : word;
  if (/^[a-z]{0,3}$/i.test(value) || isNoSecret(value, key, separator)) return [];
  if (separator === ':' && !(isName && !isProse(value, key)) && !opensLine && !looksChosen(value)) return [];
  if (isProse(value, key) || (/\s/.test(value) && !isName && !/\d/.test(value))) return [];
  return [spanOf(pair, at, at + value.length)];
}

const FIRST_WORD = /^(?:[^\s"'`<>,;&|)}\]]|[,;&|](?![\s\w.-]{0,64}[=:\s]|$|[&|"'])|[)}\]](?=[^\s,;)}\]"']))+/;
const REST_OF_WORD = /[^\s"'`<>,;&|)}\]]*/y;

/** Up to a blank, or to a sign that ends a value in a list of them. */
function wordAt(text: string, at: number, rest: string): string {
  const word = FIRST_WORD.exec(rest)?.[0] ?? '';
  if (word.length < MAX_WORD) return word;
  REST_OF_WORD.lastIndex = at + word.length;
  return word + (REST_OF_WORD.exec(text)?.[0] ?? '');
}

/** Of `key: some words` and `key = some words` all of it; of `KEY=word` too, unless a command may follow. */
function isWholeLine(rest: string, separator: ':' | '=', before: string): boolean {
  if (separator === ':' || /[ \t]/.test(before)) return !/[{}]|, /.test(rest);
  return /^\S+(?: [A-Za-z0-9!?.,']+){0,9}[ \t]*$/.test(rest.slice(0, 256));
}

/** What nobody writes in a sentence: digits, signs, letters in turn. */
const looksChosen = (value: string): boolean =>
  value.length >= 6 &&
  (/\d/.test(value) || /[!#%^*+?@$~]/.test(value) || /[a-z][A-Z]/.test(value)) &&
  /[a-z]/i.test(value);

const spanOf = ({ key }: Pair, start: number, end: number): Span => ({ start, end, kind: kindOfKey(key) });

export const kindOfKey = (key: string): string =>
  /pass|pwd|pw$|kennwort/i.test(key) ? 'password' : /token/i.test(key) ? 'token' : 'secret';
