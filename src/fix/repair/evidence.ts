// What the log of a failure says of a word, a line or a type. It may be long, foreign or a lie: it only ever says that something is
// broken, or stands in for a definition where the word is near.
import { nameOf } from '../../repository/tree.ts';
import type { RetypedPlace } from './place.ts';

const MAX_CHARS = 60_000;
const MAX_LINES = 1_500;

/** One of these phrases, as a word begins. */
const says = (...phrases: readonly string[]): RegExp => new RegExp(`\\b(?:${phrases.join('|')})`, 'i');

const UNKNOWN = says(
  'un(?:known|defined|recogni[sz]ed|supported|expected|bound|declared|resolved)',
  'no (?:such|rule|match|matches|declaration|task|file|entry|module|resource)\\b',
  'not (?:\\w+ ){0,3}(?:found|exist|known|defined|allowed|supported|declared|valid|expected|matched|permitted)',
  "does ?n[o']t exist|has no attribute|invalid\\b|missing\\b|is not set|KeyError",
  "(?:could not|couldn't|cannot|can't) (?:find|match|resolve|be found|open|read)",
);
const MISSING = says(
  'is (?:not set|required|missing|undefined|not defined)|not set\\b|unbound variable|KeyError|nil pointer',
  '(?:required|missing) (?:required|field|property|value|key)',
);
const OFFER = says('did you mean|maybe you meant|perhaps you meant|similar (?:name|to)|closest match');
const OFFER_LIST = says(
  '(?:supported parameters include|must be one of|expected one of|possible values|choose from) ?:?',
  '(?:valid (?:\\w+ ){1,2}are|available \\w+|allowed (?:values|keys)) ?:?',
);
const SYNTAX = says(
  'syntax ?error|parse ?error|parsing|could not parse|unable to parse|invalid (?:syntax|character)',
  'missing separator|unexpected|unterminated|unclosed|unmatched|inconsistent|not allowed here',
  'expect(?:ed|ing)|(?:did not|could not) find expected|(?:opening|closing) (?:brace|bracket)s?',
);
const TYPE = says(
  'cannot unmarshal|(?:wrong|invalid|expected) type|not of type|must be (?:a|an|of type) \\w+|unhashable',
  '(?:expected|got|type:?|is not a) "?(?:string|number|integer|int|bool(?:ean)?|str)\\b',
  '(?:binary|unary) operator expected|too many arguments|integer expression expected|ambiguous redirect',
);
const NO_PROGRAM = says('command not found|not found|no such file or directory');

/** From this length on a line is hardly anywhere else. */
const TELLING = 8;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
/** As a whole word: no letter, digit or sign of a name beside it. */
const standsIn = (word: string, message: string): boolean =>
  message.includes(word) && new RegExp(`(?<![\\w.-])${escaped(word)}(?![\\w-]|\\.\\w)`).test(message);

/** A failure's log, as shapes ask it. */
export type Evidence = ReturnType<typeof evidenceOf>;

export function evidenceOf(log: string) {
  const messages = messagesOf(log);
  const saying = new Map<RegExp, readonly string[]>();
  /** The messages that say so. */
  function all(pattern: RegExp): readonly string[] {
    const kept = saying.get(pattern) ?? messages.filter((message) => pattern.test(message));
    saying.set(pattern, kept);
    return kept;
  }
  const quoting = (pattern: RegExp, word: string): readonly string[] =>
    word === '' ? [] : all(pattern).filter((message) => standsIn(word, message));
  return {
    /** A message quotes this very word and says that it is not known, found, allowed, supported, defined or existing. */
    rejects: (word: string): boolean => quoting(UNKNOWN, word).length > 0,
    /** A message says that this word is missing: it is used and nothing defines it. */
    misses: (word: string): boolean =>
      all(MISSING).some((message) => standsIn(word, message) || message.includes(`.${word}.`)),
    /** The names that a message which rejects `word` offers in its place. */
    offers: (word: string): readonly string[] => quoting(UNKNOWN, word).flatMap(offered),
    /** A message says that this program is not there. */
    hasNoProgram: (name: string): boolean => quoting(NO_PROGRAM, name).length > 0,
    /** A message names this line of the file and says that it does not parse. */
    cannotParse: (path: string, line: number): boolean => all(SYNTAX).some((message) => names(message, path, line)),
    /** A message says that a text does not parse, or that its brackets do not match, and names this file or quotes this line. */
    complainsOf: (path: string, text: string): boolean =>
      all(SYNTAX).some(
        (message) => message.includes(stemOf(path)) || (text.trim().length >= TELLING && message.includes(text.trim())),
      ),
    /** A message says that a value has another type than it should, and names its line, it, its key, or its object and a key above it. */
    rejectsType: ({ path, line, old, keys, to, document }: RetypedPlace): boolean =>
      all(TYPE).some((message) => {
        const isNamed = [tellingKey(keys), old].some((word) => word !== '' && standsIn(word, message));
        const isObject = document?.name !== undefined && standsIn(document.name, message);
        const isInside = isObject && keys.some((key) => message.includes(`.${key}.`));
        return wants(message, to) && (names(message, path, line, 0) || isNamed || isInside);
      }),
  };
}

/** The last key, where it is more than `value` or `name`: a message that has it means this place. */
function tellingKey(keys: readonly string[]): string {
  const key = keys.findLast((each) => each !== '-') ?? '';
  return /^(?:value|name|key|default|type)$/.test(key) ? '' : key;
}

/** Boxes and colours taken away; what a tool says over several lines is one message beside each of its lines. */
function messagesOf(log: string): string[] {
  const text = log.length > MAX_CHARS ? `${log.slice(0, MAX_CHARS / 4)}\n${log.slice(-(MAX_CHARS * 3) / 4)}` : log;
  const lines = text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal
    .replace(/\u001b\[[\d;]*[A-Za-z]/g, '')
    .replace(/\\n/g, '\n')
    .split(/\r?\n/)
    .slice(-MAX_LINES)
    .map((line) => line.replace(/^[\s│╷╵|]+/, ''));
  const messages = lines.flatMap((line, i) =>
    isStart(line)
      ? lines
          .slice(i, i + REACH)
          .join('\n')
          .split('\n\n\n', 1)
      : [],
  );
  return [...lines, ...messages].filter((line) => line !== '');
}

/** How many lines a message that begins with `Error:` may go on. */
const REACH = 7;
const isStart = (line: string): boolean =>
  /^(?:[Ee]rror\b|fatal:|Traceback)|\b(?:ERROR|FAILED|failed)\b|\bline \d+/.test(line) ||
  (line.endsWith(':') && UNKNOWN.test(line));

function offered(message: string): string[] {
  const behind = (match: RegExpExecArray, length: number) =>
    message.slice(match.index + match[0].length, match.index + length);
  const meant = OFFER.exec(message);
  if (meant) {
    const rest = behind(meant, 200);
    const quoted = [...rest.matchAll(/["'`‘“]([\w./:@-]+)["'`’”]/g)].map(([, word]) => word as string);
    const bare = /^[\s:]*(?:this\??\s*)?([\w./-]+)/.exec(rest.replace(/^[\s:]*(?:a|an|the)\s+\w+\s+(?=["'`])/, ''));
    return quoted.length > 0 ? quoted : (bare?.slice(1) ?? []);
  }
  const list = OFFER_LIST.exec(message);
  const rest = list ? (behind(list, 4_000).split(/\n|\.\s/, 1)[0] as string) : '';
  return rest.split(/[\s,;'"`[\]()]+/).filter((word) => /^[\w.-]{2,}$/.test(word) && !/^(?:and|or)$/.test(word));
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'str(?:ing)?',
  number: '(?:number|int(?:eger)?|float)',
  boolean: 'bool(?:ean)?',
};

/** Whether a message says that this type is wanted; a shell that takes words apart wants a string. */
function wants(message: string, to: string): boolean {
  const type = TYPES[to];
  if (type === undefined) return false;
  if (to === 'string' && /operator expected|too many arguments|unhashable/i.test(message)) return true;
  return new RegExp(
    `(?:of type|expected|wants?|must be(?: an?| of type)?|not an?)\\W{1,4}(?:an? )?${type}\\b`,
    'i',
  ).test(message);
}

/** The last part of a path, without the ending that only says that it is a template: what is made of it is called so. */
const stemOf = (path: string): string => nameOf(path).replace(/\.(?:j2|jinja2?|tmpl|gotmpl|tpl|tftpl)$/, '');

/** Whether a message names this line of the file, by its path or its last part; parsers may mean the line before or after. */
function names(message: string, path: string, line: number, reach = 1): boolean {
  if (!message.includes(nameOf(path))) return false;
  const numbers = [...message.matchAll(/(?:\bline[ :]+|:|\bon line )(\d{1,6})\b/g)].map(([, number]) => Number(number));
  return numbers.some((number) => Math.abs(number - line) <= reach);
}
