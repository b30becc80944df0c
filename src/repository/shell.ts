// Shell scripts and env files: variables and functions, what they use, what they source.
import { ANY } from './definition.ts';
import { eachLine, type Found } from './names.ts';

/** A comment, an escaped sign, quoted text, an expansion: what parts words or commands in them parts nothing. */
const WHOLE = /(?<=^|[\s;&|(])#.*|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$\{[^}\n]{0,200}\}/gm;
const DOCUMENT = /(?<!<)<<-?[^\S\n]*\\?["']?([A-Za-z_]\w*)/g;
const USE = /\$(?:\{([#!]?)([A-Za-z_]\w*)|([A-Za-z_]\w*))/g;
/** Any word may be the name of a function that is called, but where it is defined. */
const CALL = /(?<![\w-])(?<!\bfunction[ \t]+)[A-Za-z_][\w-]*(?![\w-]|[ \t]*\(\))/g;
const ASSIGNED = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;
const GUESS = /(?:^|[\s;&|("'`])([A-Za-z_]\w*)(?:\[[^\]\n]{0,80}\])?\+?=(?!=)/g;
const ARITHMETIC = /([A-Za-z_]\w*)(\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--))?/g;
const BEGIN = /^(?:then|do|else|elif|if|while|until|!|time)$/;
const DECLARES = /^(?:export|local|readonly|declare|typeset)$/;
const TAKES = /^(?:read|mapfile|readarray|for|select)$/;
/** Stand for what parts words inside of quotes, and for the end of a line there. */
const INSIDE = '\ue000';
const LINE_INSIDE = '\ue001';

export function shell(text: string, found: Found): void {
  const plain = withoutDocuments(text)
    .replace(WHOLE, (whole) => {
      if (whole.startsWith('#')) return '';
      if (whole === '\\\n') return ` ${LINE_INSIDE} `;
      return whole.replace(/\n/g, LINE_INSIDE).replace(/[\s;&|(){}]/g, INSIDE);
    })
    .replace(/(?<![\w-])([\w-]+)[ \t]*\(\)/g, ';function $1;')
    .replaceAll('=(', '=;: ');
  let line = 1;
  for (const part of plain.split(/([\n;&|(){}])/)) {
    found.line = line;
    command(
      part.split(/\s+/).filter((word) => !/^[;&|(){}\ue001]?$/.test(word)),
      found,
    );
    line += part.split(/[\n\ue001]/).length - 1;
  }
  eachLine(text, found, (one) => anywhere(one, found));
}

/** The same lines without the texts of here-documents. */
function withoutDocuments(text: string): string {
  const lines = text.split('\n');
  const there = new Set(lines.map((line) => line.trim()));
  const ends: string[] = [];
  const kept = lines.map((line) => {
    if (ends.length > 0) {
      if (line.trim() === ends[0]) ends.shift();
      return '';
    }
    for (const [, end = ''] of /^\s*#/.test(line) ? [] : line.matchAll(DOCUMENT)) if (there.has(end)) ends.push(end);
    return line;
  });
  return kept.join('\n');
}

/** What one simple command defines and sources. */
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
  else if (program === 'source' || program === '.')
    found.include(rest[0]?.replace(/["']/g, '').replaceAll(INSIDE, ' '));
  else if (program === 'eval') {
    define('$');
    found.define('shell-function', ANY);
  } else if (/^(?:local|declare|typeset)$/.test(program)) {
    // What a function declares for itself no other place can use.
    for (const word of plain) found.guess('shell-variable', nameIn(word));
  } else if (DECLARES.test(program)) {
    plain.forEach(define);
    const isExported = program === 'export' || rest.some((word) => /^-\w*x/.test(word));
    for (const word of isExported ? plain : []) found.define('env-variable', nameIn(word));
  }
}

/** Of `NAME`, `NAME=value` and `"$name=value"`: the name, or what makes it. */
const nameIn = (word = ''): string => /^[A-Za-z_]\w*/.exec(word)?.[0] ?? (word.includes('$') ? ANY : '');

/** Uses, also in comments; assignments in arithmetic and in expansions, and those in texts that another shell may read. */
function anywhere(line: string, found: Found): void {
  for (const [name] of line.matchAll(CALL)) found.use('shell-function', name);
  for (const [, sign, braced, plain] of line.matchAll(USE))
    found.use('shell-variable', sign === '!' ? ANY : (braced ?? plain));
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
