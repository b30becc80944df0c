// The words of a command as bash would see them: quotes and escapes resolved, braces expanded, what is only known at run
// time marked as such.
import type { ShellNode } from './node.ts';

export interface Word {
  /** What is only known at run time stands as `$NAME` or `$(…)`. */
  readonly text: string;
  /** Part of it is only known at run time. */
  readonly dynamic: boolean;
  /** It stands in quotes as a whole. */
  readonly quoted: boolean;
  /** As written; two words of one text may differ in it: `${A}` and `${A:?}`. */
  readonly raw: string;
}

interface Part {
  text: string;
  dynamic: boolean;
  quoted: boolean;
}

const MAX_BRACES = 64;

/** The words that a node of arguments stands for; several when braces are expanded. */
export function wordsOf(node: ShellNode): Word[] {
  const parts = partsOf(node);
  const dynamic = parts.some((part) => part.dynamic);
  const quoted = parts.length > 0 && parts.every((part) => part.quoted);
  const word = (text: string): Word => ({ text, dynamic, quoted, raw: node.text });
  if (quoted || !node.text.includes('{')) return [word(joinedText(parts).replace(/[\ue100-\ue102]/g, unhide))];
  // Braces in quotes are text; they are hidden while the others are expanded.
  const shown = parts.map((part) => (part.quoted ? { ...part, text: part.text.replace(/[{},]/g, hide) } : part));
  const all = braces(joinedText(shown));
  if (all.length > MAX_BRACES) return [{ ...word('$(…)'), dynamic: true }];
  return all.map((text) => word(text.replace(/[\ue100-\ue102]/g, unhide)));
}

/** `$a` before a letter stands as `${a}`, so that it can be told from `$ab`. */
const joinedText = (parts: readonly Part[]): string =>
  parts
    .map(({ text }, i) =>
      /^\$\w+$/.test(text) && /^\w/.test(parts[i + 1]?.text ?? '') ? `\${${text.slice(1)}}` : text,
    )
    .join('');

const HIDDEN = '{},';
const hide = (c: string): string => String.fromCharCode(0xe100 + HIDDEN.indexOf(c));
const unhide = (c: string): string => HIDDEN[c.charCodeAt(0) - 0xe100] as string;

function braces(text: string, depth = 0): string[] {
  if (depth > 8) return new Array(MAX_BRACES + 1).fill(text);
  const match = /^(.*?[^$]|)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(text);
  if (!match) return [text];
  const [, before = '', middle = '', after = ''] = match;
  return middle.split(',').flatMap((one) => braces(`${before}${one}${after}`, depth + 1));
}

function partsOf(node: ShellNode): Part[] {
  const { type, text, children } = node;
  if (type === 'raw_string') return [{ text: text.slice(1, -1), dynamic: false, quoted: true }];
  if (type === 'ansi_c_string') return [{ text: ansiText(text.slice(2, -1)), dynamic: false, quoted: true }];
  if (type === 'string' || type === 'translated_string') return stringParts(node);
  if (type === 'simple_expansion' || type === 'expansion')
    return [{ text: variableText(node), dynamic: true, quoted: false }];
  if (/^(?:command_substitution|process_substitution|arithmetic_expansion)$/.test(type))
    return [{ text: '$(…)', dynamic: true, quoted: false }];
  return children.length > 0 && type !== 'word' ? withGaps(node).flatMap(partsOf) : [plain(node)];
}

/** The children, with the text between them that the grammar leaves out. */
function withGaps(node: ShellNode): ShellNode[] {
  const all: ShellNode[] = [];
  let at = node.from;
  for (const part of node.children) {
    if (part.from > at) all.push(gap(node, at, part.from));
    all.push(part);
    at = part.from + part.text.length;
  }
  const end = node.from + node.text.length;
  return end > at ? [...all, gap(node, at, end)] : all;
}

const gap = (node: ShellNode, from: number, to: number): ShellNode => ({
  type: 'word',
  text: node.text.slice(from - node.from, to - node.from),
  from,
  line: node.line,
  children: [],
});

const plain = ({ text }: ShellNode): Part => ({
  text: text.replace(/\\(\n|.)/gs, (_, c) => (c === '\n' ? '' : HIDDEN.includes(c) ? hide(c) : c)),
  dynamic: false,
  quoted: false,
});

function stringParts(node: ShellNode): Part[] {
  const inside = withGaps(node).filter(({ type }) => type !== '"' && type !== '$');
  if (inside.length === 0)
    return [{ text: node.text.slice(node.text.indexOf('"') + 1, -1), dynamic: false, quoted: true }];
  return inside.map((part): Part => {
    const isText = part.type === 'string_content' || part.type === 'word';
    const text = isText
      ? part.text.replace(/\\(\n|[$`"\\])/g, (_, c) => (c === '\n' ? '' : c))
      : partsOf(part)
          .map((one) => one.text)
          .join('');
    return { text, dynamic: !isText, quoted: true };
  });
}

/** `$NAME`, whatever is done to it; `$(…)` where a command fills it in. */
function variableText(node: ShellNode): string {
  const name = /^\$\{?[!#]?([A-Za-z_]\w*|[@*#?$!0-9-])/.exec(node.text)?.[1];
  return name === undefined ? '$(…)' : `$${name}`;
}

function ansiText(text: string): string {
  const code = (digits: string, base: number) =>
    String.fromCodePoint(Math.min(Number.parseInt(digits, base), 0x10ffff));
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
    (_, hex, unicode, octal, one) =>
      octal !== undefined ? code(octal, 8) : one === undefined ? code(hex ?? unicode, 16) : (ESCAPES[one] ?? one),
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  v: '\v',
};
