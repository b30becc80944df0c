// Shell scripts and env files: variables and functions, what they use, what they source.
import { ANY } from './definition.ts';
import { eachLine, type Found } from './names.ts';

/** What a shell reads as one: a comment, quoted text, a here-document's begin, an operator, white space, a word. */
const TOKENS = new RegExp(
  [
    /(?<=^|[\s;&|(])#.*/,
    /'[^']*'|"(?:[^"\\]|\\[\s\S])*"/,
    /<<-?[^\S\n]*\\?["']?[A-Za-z_]\w*["']?/,
    /\\[\s\S]|\n|;;|&&|\|\||[;&|(){}]|[^\S\n]+/,
    /(?:[^\s;&|(){}'"\\$`<]|\$\{[^}\n]{0,200}\}|[$`<])+?(?=[\s;&|(){}'"\\]|\$\{|<<|$)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);
const USE = /\$(?:\{([#!]?)([A-Za-z_]\w*)|([A-Za-z_]\w*)|\(\s*([A-Za-z_][\w-]*))/g;
const ASSIGNED = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const GUESS = /(?:^|[\s;&|("'`])([A-Za-z_]\w*)(?:\[[^\]\n]{0,80}\])?\+?=(?!=)/g;
const ARITHMETIC = /([A-Za-z_]\w*)(\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--))?/g;
const BEGIN = /^(?:then|do|else|elif|if|while|until|!|time)$/;
const DECLARES = /^(?:export|local|readonly|declare|typeset)$/;
const TAKES = /^(?:read|mapfile|readarray|for|select)$/;

/** A here-document that a line began, and that comes below it. */
interface Document {
  readonly end: string;
  readonly isQuoted: boolean;
}

export function shell(text: string, found: Found): void {
  let line = 1;
  let begin = 1;
  /** The words of the command so far. */
  let words: string[] = [];
  let word = '';
  let documents: Document[] = [];
  let skipTo = 0;
  const endWord = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  const endCommand = () => {
    endWord();
    found.line = begin;
    command(words, found);
    words = [];
  };
  function operator(token: string, next: string | undefined): void {
    const isArray = token === '(' && word.endsWith('=');
    // `name()`: the brackets belong to the word before them.
    if (token === '(' && next === ')' && /\w$/.test(word || (words.at(-1) ?? ''))) {
      endWord();
      words = ['function', words.at(-1) ?? ''];
    }
    if (token !== '}' || word === '') endCommand();
    if (isArray) words = [ANY];
  }
  function readDocuments(from: number): void {
    for (const { end, isQuoted } of documents) {
      const start = Math.max(from, skipTo);
      skipTo = endOfDocument(text, start, end);
      if (!isQuoted) uses(text.slice(start, skipTo), line, found);
      line += lineCount(text.slice(start, skipTo));
    }
    documents = [];
  }
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (index < skipTo) continue;
    if (token.startsWith('<<')) {
      documents.push({ end: token.replace(/[<\s"'\\-]/g, ''), isQuoted: /["'\\]/.test(token) });
    } else if (token === '\n') {
      endCommand();
      line++;
      readDocuments(index + 1);
    } else if (token === '\\\n') {
      endWord();
      line++;
    } else if (/^[;&|(){}]+$/.test(token)) operator(token, text[index + 1]);
    else if (/^\s+$/.test(token)) endWord();
    else if (!token.startsWith('#') || word !== '') {
      if (words.length === 0 && word === '') begin = line;
      word += token;
      if (!token.startsWith("'")) uses(token, line, found);
      line += lineCount(token);
    }
  }
  endCommand();
  eachLine(text, found, (one) => anywhere(one, found));
}

const lineCount = (text: string): number => text.split('\n').length - 1;

function endOfDocument(text: string, from: number, word: string): number {
  for (let at = from; at < text.length; ) {
    const next = text.indexOf('\n', at);
    const end = next === -1 ? text.length : next;
    if (text.slice(at, end).trim() === word) return Math.min(end + 1, text.length);
    at = end + 1;
  }
  return text.length;
}

function uses(text: string, line: number, found: Found): void {
  (text.includes('$') ? text.split('\n') : []).forEach((one, i) => {
    found.line = line + i;
    for (const [, sign, braced, plain, program] of one.matchAll(USE)) {
      found.use('shell-variable', sign === '!' ? ANY : (braced ?? plain));
      found.use('shell-function', program);
    }
  });
}

/** What one simple command defines, uses and sources. */
function command(given: readonly string[], found: Found): void {
  let at = 0;
  while (BEGIN.test(given[at] ?? '')) at++;
  const words = given.slice(at);
  const firstOther = words.findIndex((word) => !ASSIGNED.test(word));
  const define = (word: string | undefined) => found.define('shell-variable', nameIn(word));
  // Before a command, it is a variable of that command alone.
  if (firstOther === -1) words.forEach(define);
  const [program = '', ...rest] = words.slice(firstOther === -1 ? words.length : firstOther);
  const plain = rest.filter((word) => !word.startsWith('-'));
  if (TAKES.test(program)) (/^[fs]/.test(program) ? plain.slice(0, 1) : plain).forEach(define);
  else if (program === 'getopts') define(plain[1]);
  else if (program === 'printf' && rest[0] === '-v') define(rest[1]);
  else if (program === 'function') found.define('shell-function', rest[0]);
  else if (program === 'source' || program === '.') found.include(rest[0]?.replace(/["']/g, ''));
  else if (program === 'eval') {
    define('$');
    found.define('shell-function', ANY);
  } else if (!DECLARES.test(program)) found.use('shell-function', /^[A-Za-z_][\w-]*$/.exec(program)?.[0]);
  else if (/^(?:local|declare|typeset)$/.test(program)) {
    // What a function declares for itself no other place can use.
    for (const word of plain) found.guess('shell-variable', nameIn(word));
  } else {
    plain.forEach(define);
    const isExported = program === 'export' || rest.some((word) => /^-\w*x/.test(word));
    for (const word of isExported ? plain : []) found.define('env-variable', nameIn(word));
  }
}

/** Of `NAME`, `NAME=value` and `"$name=value"`: the name, or what makes it. */
const nameIn = (word = ''): string => /^[A-Za-z_]\w*/.exec(word)?.[0] ?? (word.includes('$') ? ANY : '');

/** Assignments in arithmetic and in expansions, and those in texts that another shell may read. */
function anywhere(line: string, found: Found): void {
  for (const [, name] of line.includes('=') ? line.matchAll(GUESS) : []) found.guess('shell-variable', name);
  for (const [, name] of line.includes('=') ? line.matchAll(/\$\{(\w+):?=/g) : []) found.define('shell-variable', name);
  for (const [, inside = ''] of line.includes('((') ? line.matchAll(/\(\(([^()]*)\)\)/g) : []) {
    for (const [, name, changes] of inside.matchAll(ARITHMETIC)) {
      found.use('shell-variable', name);
      if (changes) found.define('shell-variable', name);
    }
  }
}

/** `NAME=value` lines, also with export. */
export function envFile(text: string, found: Found): void {
  eachLine(text, found, (line) => {
    const [, name] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*[=:]/.exec(line) ?? [];
    for (const kind of ['env-variable', 'shell-variable', 'make-variable'] as const) found.define(kind, name);
    for (const [, , braced, plain] of /^\s*#/.test(line) ? [] : line.matchAll(USE))
      found.use('env-variable', braced ?? plain);
  });
}
