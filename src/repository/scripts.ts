// Scripts: variables and functions of shells, what they use and source; every name that Python binds.
import { ANY } from './definition.ts';
import { type Found, type LineRow, lines } from './rows.ts';

/** Where a command begins; what stands in quotes there begins none. */
const AT = String.raw`(?:^|[;&|){}]|(?<!=)\(|(?<![\w-])(?:then|do|else|elif|if|while|until|time|!)\s)\s*`;
const SET = String.raw`[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=[^\s;&|(){}]*`;
const command = (rest: string) => new RegExp(`${AT}(?:${SET}\\s+)*${rest}`, 'g');
const WORDS = String.raw`\s+([^;&|(){}]*)`;
/** Of `NAME`, `NAME=value` and `"$name=value"`: the name, or what makes it. */
const NAME = /(?<!\S)(?!-)([A-Za-z_]\w*|[^\s$]*\$)/g;
const COMMANDS: readonly LineRow[] = [
  // Before a command, it is a variable of that command alone.
  [new RegExp(`${AT}(${SET}(?:\\s+${SET})*)\\s*(?=$|[;&|(){}])`, 'g'), 'define', 'shell-variable', NAME],
  [command(`(?:export|readonly)${WORDS}`), 'define', 'shell-variable', NAME],
  [command(`export${WORDS}`), 'define', 'env-variable', NAME],
  // What a function declares for itself no other place can use.
  [command(`(?:local|declare|typeset)${WORDS}`), 'guess', 'shell-variable', NAME],
  [command(`(?:read|mapfile|readarray)${WORDS}`), 'define', 'shell-variable', NAME],
  [command(String.raw`(?:for|select|getopts\s+\S+|printf\s+-v)\s+(\S+)`), 'define', 'shell-variable', NAME],
  [command(String.raw`function\s+([^\s;&|(){}]+)`), 'define', 'shell-function'],
  [/(?<![\w-])([\w-]+)[ \t]*\(\)/g, 'define', 'shell-function'],
  [command(String.raw`(?:source|\.)\s+([^\s;&|(){}]+)`), 'use', 'file'],
  [command(String.raw`eval\b`), 'define', 'shell-variable', ANY],
  [command(String.raw`eval\b`), 'define', 'shell-function', ANY],
];
const ARITHMETIC = /\(\(([^()]*)\)\)/g;
/** Uses, also in comments; assignments in arithmetic and in expansions, and those in texts that another shell may read. */
const ANYWHERE: readonly LineRow[] = [
  // Any word may be the name of a function that is called, but where it is defined.
  [/(?<![\w-])(?<!\bfunction[ \t]+)([A-Za-z_][\w-]*)(?![\w-]|[ \t]*\(\))/g, 'use', 'shell-function'],
  [/\$\{?#?([A-Za-z_]\w*)/g, 'use', 'shell-variable'],
  [/\$\{![A-Za-z_]/g, 'use', 'shell-variable', ANY],
  [ARITHMETIC, 'use', 'shell-variable', /([A-Za-z_]\w*)/g],
  [ARITHMETIC, 'define', 'shell-variable', /([A-Za-z_]\w*)\s*(?:[-+*/%&|^]?=(?!=)|\+\+|--)/g],
  [/\$\{(\w+):?=/g, 'define', 'shell-variable'],
  [/(?:^|[\s;&|("'`])([A-Za-z_]\w*)(?:\[[^\]\n]{0,80}\])?\+?=(?!=)/g, 'guess', 'shell-variable'],
];

/** A comment, an escaped sign, quoted text, an expansion: what parts words or commands in them parts nothing. */
const WHOLE = /(?<=^|[\s;&|(])#.*|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\$\{[^}\n]{0,200}\}/gm;

export function shell(text: string, found: Found): void {
  lines(ANYWHERE)(text, found);
  const plain = withoutDocuments(text).replace(WHOLE, (whole) => {
    if (whole.startsWith('#')) return '';
    return whole === '\\\n' ? '\v' : whole.replace(/\n/g, '\u0085').replace(/[\s;&|(){}]/g, '_');
  });
  lines(COMMANDS)(plain, found);
}

const DOCUMENT = /(?<!<)<<[-~]?[^\S\n]*\\?["']?([A-Za-z_]\w*)/g;

/** The same lines without the texts of here-documents. */
export function withoutDocuments(text: string): string {
  const all = text.split('\n');
  const there = new Set(all.map((line) => line.trim()));
  const ends: string[] = [];
  const kept = all.map((line) => {
    const isText = ends.length > 0;
    if (isText && line.trim() === ends[0]) ends.shift();
    const begun = isText ? [] : line.replace(/^\s*#.*/, '').matchAll(DOCUMENT);
    for (const [, end = ''] of begun) if (there.has(end)) ends.push(end);
    return isText ? '' : line;
  });
  return kept.join('\n');
}

const KEYWORDS = `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`;
const BOUND = new RegExp(`\\b(?!(?:${KEYWORDS.replace(/\s+/g, '|')})\\b)([A-Za-z_]\\w*)`, 'g');
/** What is assigned to, but no call and no index in it. */
const TARGET = new RegExp(`\\[[^\\]]*\\]|\\b\\w+\\([^)]*\\)|${BOUND.source}`, 'g');
const PARAMETER = /(?:[(,*]|^)\s*([A-Za-z_]\w*)\s*(?=[:,=)]|$)/g;
const PYTHON: readonly LineRow[] = [
  [/^\s*(?:async\s+)?def\s+(\w+)/g, 'define', 'python-name'],
  [/^\s*(?:async\s+)?def\s+\w+(.*)/g, 'define', 'python-name', PARAMETER],
  [/^\s*(?:from\s+\.*[\w.]*\s+)?import\s+(.*)/g, 'define', 'python-name', /(?:\w[\w.]*\s+as\s+)?(\w+|\*)/g],
  [/^\s*(?:from|import)\s+([\w.]+)/g, 'use', 'python-name'],
  [/^([^=!<>:]*?[^=!<>:\s])\s*(?::[^=]+)?(?:\/\/|\*\*|>>|<<|[-+*/%&|^@])?=(?!=)/g, 'define', 'python-name', TARGET],
  [/\bfor\s+([^=]{1,200}?)\s+in\b|\blambda\s+([^:]{0,200}):/g, 'define', 'python-name', BOUND],
  [/\bas\s+\(?(\w+)|\b(\w+)\s*:=|^\s*class\s+(\w+)/g, 'define', 'python-name'],
  [/\b(?:exec|setattr|globals|locals)\s*\(/g, 'define', 'python-name', ANY],
];

const LONG_TEXT = /[fF]?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/;
const TEXT = /#.*|[fF]?(?:"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/;
const TOKENS = new RegExp(`${LONG_TEXT.source}|${TEXT.source}`, 'g');
/** Parameters may go on over lines until the bracket closes. */
const HEADER = /^[^\S\n]*(?:async\s+)?def\s+\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\)/gm;

export function python(text: string, found: Found): void {
  const quiet = (token: string) => (token.startsWith('#') ? '' : `""${token.replace(/[^\n]/g, '')}`);
  const plain = text.replace(TOKENS, quiet).replace(HEADER, (header) => header.replaceAll('\n', '\v'));
  lines(PYTHON)(plain, found);
}
