// Python: every name that is bound.
import { ANY } from './definition.ts';
import type { Found } from './found.ts';
import { type LineRow, lines, SPACE_LINE } from './rows.ts';

const KEYWORDS = `False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`;
const NAME = new RegExp(`\\b(?!(?:${KEYWORDS.replace(/\s+/g, '|')})\\b)([A-Za-z_]\\w*)`, 'g');
/** What is assigned to, but no call and no index in it. */
const TARGET = new RegExp(`\\[[^\\]]*\\]|\\b\\w+\\([^)]*\\)|${NAME.source}`, 'g');
const PARAMETER = /(?:[(,*]|^)\s*([A-Za-z_]\w*)\s*(?=[:,=)]|$)/g;
const ROWS: readonly LineRow[] = [
  [/^\s*(?:async\s+)?def\s+(\w+)/g, 'define', 'python-name'],
  [/^\s*(?:async\s+)?def\s+\w+(.*)/g, 'define', 'python-name', PARAMETER],
  [/^\s*(?:from\s+\.*[\w.]*\s+)?import\s+(.*)/g, 'define', 'python-name', /(?:\w[\w.]*\s+as\s+)?(\w+|\*)/g],
  [/^\s*(?:from|import)\s+([\w.]+)/g, 'use', 'file'],
  [/^([^=!<>:]*?[^=!<>:\s])\s*(?::[^=]+)?(?:\/\/|\*\*|>>|<<|[-+*/%&|^@])?=(?!=)/g, 'define', 'python-name', TARGET],
  [/\bfor\s+([^=]{1,200}?)\s+in\b|\blambda\s+([^:]{0,200}):/g, 'define', 'python-name', NAME],
  [/\bas\s+\(?(\w+)|\b(\w+)\s*:=|^\s*class\s+(\w+)/g, 'define', 'python-name'],
  [/\b(?:exec|setattr|globals|locals)\s*\(/g, 'define', 'python-name', ANY],
];

const LONG_TEXT = /[fF]?(?:"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$))/;
const TEXT = /#.*|[fF]?(?:"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*')/;
const TOKENS = new RegExp(`${LONG_TEXT.source}|${TEXT.source}`, 'g');
/** Parameters may go on over lines until the bracket closes. */
const HEADER = /^[^\S\n]*(?:async\s+)?def\s+\w+\s*\([^()]*(?:\([^()]*\)[^()]*)*\)/gm;

export function python(text: string, found: Found): void {
  const plain = text.replace(TOKENS, blanked).replace(HEADER, (header) => header.replaceAll('\n', SPACE_LINE));
  lines(ROWS)(plain, found);
}

/** Quoted text without what it says; what an f-string inserts stays: it may bind a name. */
function blanked(token: string): string {
  if (token.startsWith('#')) return '';
  const kept = /^[fF]/.test(token) ? Array.from(token.matchAll(/\{([^{}\n]*)\}/g), ([, code]) => `(${code})`) : [];
  return `""${kept.join(' ')}${token.replace(/[^\n]/g, '')}`;
}
