// Shell scripts and env files: variables and functions, what they use, what they source.
import { ANY } from './definition.ts';
import type { Found } from './names.ts';

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
const SUBSTITUTED = /\$\(\s*([A-Za-z_][\w-]*)/g;
const USE = /\$(?:\{[#!]?([A-Za-z_]\w*)|([A-Za-z_]\w*))/g;
const ASSIGNED = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;
const GUESS = /(?:^|[\s;&|("'`])([A-Za-z_]\w*)(?:\[[^\]\n]{0,80}\])?\+?=(?!=)/g;
const BEGINS = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', 'time', '{']);
const DECLARES = new Set(['export', 'local', 'readonly', 'declare', 'typeset']);
const ARITHMETIC = /\(\(([^()\n]*)\)\)|\blet\s+(.*)/g;

export function shell(text: string, found: Found): void {
  let line = 1;
  let begin = 1;
  /** The words of the command so far. */
  let words: string[] = [];
  let word = '';
  let documents: { end: string; isQuoted: boolean }[] = [];
  let skipTo = 0;
  const endWord = () => {
    if (word !== '') words.push(word);
    word = '';
  };
  const endCommand = () => {
    endWord();
    command(words, begin, found);
    words = [];
  };
  for (const match of text.matchAll(TOKENS)) {
    const [token] = match;
    if (match.index < skipTo) continue;
    if (token.startsWith('<<'))
      documents.push({ end: token.replace(/[<\s"'\\-]/g, ''), isQuoted: /["'\\]/.test(token) });
    else if (token === '\n') {
      endCommand();
      line++;
      for (const { end, isQuoted } of documents) {
        const from = Math.max(match.index + 1, skipTo);
        skipTo = endOfDocument(text, from, end);
        const document = text.slice(from, skipTo);
        if (!isQuoted) uses(document, line, found);
        line += lineCount(document);
      }
      documents = [];
    } else if (token === '\\\n') {
      endWord();
      line++;
    } else if (/^[;&|(){}]+$/.test(token)) {
      // `name()`: the brackets belong to the word before them.
      if (token === '(' && text[match.index + 1] === ')' && /\w$/.test(word || (words.at(-1) ?? ''))) {
        endWord();
        found.define('shell-function', words.at(-1) ?? '', begin);
        words = [];
      } else if (token === '(' && /=$/.test(word)) {
        endCommand();
        words = [ANY];
      } else if (token !== '}' || word === '') endCommand();
    } else if (/^\s+$/.test(token)) endWord();
    else if (!token.startsWith('#') || word !== '') {
      if (words.length === 0 && word === '') begin = line;
      word += token;
      if (!token.startsWith("'")) uses(token, line, found);
      line += lineCount(token);
    }
  }
  endCommand();
  guesses(text, found);
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
  if (!text.includes('$')) return;
  let at = line;
  for (const one of text.split('\n')) {
    for (const [whole, braced, plain] of one.matchAll(USE))
      found.use('shell-variable', whole.startsWith('${!') ? ANY : (braced ?? plain ?? ''), at);
    for (const [, name] of one.matchAll(SUBSTITUTED)) found.use('shell-function', name as string, at);
    at++;
  }
}

/** What one simple command defines, uses and sources. */
function command(given: readonly string[], line: number, found: Found): void {
  const words = given.slice(countWhile(given, (word) => BEGINS.has(word)));
  const assigned = words.slice(
    0,
    countWhile(words, (word) => ASSIGNED.test(word)),
  );
  const [program = '', ...rest] = words.slice(assigned.length);
  // Before a command, it is a variable of that command alone.
  for (const word of program === '' ? assigned : []) found.define('shell-variable', nameIn(word), line);
  const plain = rest.filter((word) => !word.startsWith('-'));
  const define = (name = '') => found.define('shell-variable', nameIn(name), line);
  // What a function declares for itself another place cannot use.
  const isOwn = program === 'local' || program === 'declare' || program === 'typeset';
  if (isOwn) for (const word of plain) found.guess('shell-variable', nameIn(word), line);
  if (DECLARES.has(program)) {
    if (!isOwn) plain.forEach(define);
    const isExported = program === 'export' || (program !== 'local' && rest.some((word) => /^-\w*x/.test(word)));
    for (const word of isExported ? plain : []) found.define('env-variable', nameIn(word), line);
  } else if (program === 'for' || program === 'select' || program === 'getopts')
    define(plain[program === 'getopts' ? 1 : 0]);
  else if (program === 'read' || program === 'mapfile' || program === 'readarray') plain.forEach(define);
  else if (program === 'printf' && rest[0] === '-v') define(rest[1]);
  else if (program === 'function') found.define('shell-function', rest[0] ?? '', line);
  else if (program === 'source' || program === '.') found.include(unquoted(rest[0] ?? ''));
  else if (program === 'eval')
    for (const kind of ['shell-variable', 'shell-function'] as const) found.define(kind, ANY, line);
  else if (/^[A-Za-z_][\w-]*$/.test(program)) found.use('shell-function', program, line);
}

function countWhile(words: readonly string[], holds: (word: string) => boolean): number {
  const end = words.findIndex((word) => !holds(word));
  return end === -1 ? words.length : end;
}

/** Of `NAME`, `NAME=value` and `"$name=value"`: the name, or what makes it. */
const nameIn = (word: string): string => /^[A-Za-z_]\w*/.exec(word)?.[0] ?? (word.includes('$') ? ANY : '');
const unquoted = (word: string): string => word.replace(/["']/g, '');

/** Assignments anywhere, also in arithmetic and in texts that another shell may read. */
function guesses(text: string, found: Found): void {
  text.split('\n').forEach((line, i) => {
    if (line.includes('='))
      for (const [, name] of line.matchAll(GUESS)) found.guess('shell-variable', name as string, i + 1);
    for (const [, brackets, words] of /\(\(|let/.test(line) ? line.matchAll(ARITHMETIC) : []) {
      for (const [name, after] of (brackets ?? words ?? '').matchAll(/[A-Za-z_]\w*(?=(.{0,9}))/g)) {
        found.use('shell-variable', name, i + 1);
        if (/^\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)/.test(after ?? '')) found.define('shell-variable', name, i + 1);
      }
    }
    for (const [, name] of line.includes(':=') ? line.matchAll(/\$\{(\w+):?=/g) : [])
      found.define('shell-variable', name as string, i + 1);
  });
}

/** `NAME=value` lines, also with export. */
export function envFile(text: string, found: Found): void {
  text.split('\n').forEach((line, i) => {
    const [, name] = /^\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*[=:]/.exec(line) ?? [];
    if (name)
      for (const kind of ['env-variable', 'shell-variable', 'make-variable'] as const) found.define(kind, name, i + 1);
    if (!/^\s*#/.test(line))
      for (const [, braced, plain] of line.matchAll(USE)) found.use('env-variable', braced ?? plain ?? '', i + 1);
  });
}
