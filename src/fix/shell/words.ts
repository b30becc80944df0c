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

type Part = Pick<Word, 'text' | 'dynamic' | 'quoted'>;

const MAX_BRACES = 64;

/** The words that a node of arguments stands for; several when braces are expanded. */
export function wordsOf(node: ShellNode): Word[] {
  const parts = partsOf(node);
  const dynamic = parts.some((part) => part.dynamic);
  const quoted = parts.length > 0 && parts.every((part) => part.quoted);
  const word = (text: string): Word => ({ text, dynamic, quoted, raw: node.text });
  const all = braces(joinedText(parts));
  if (all.length > MAX_BRACES) return [{ ...word('$(…)'), dynamic: true }];
  return all.map((text) => word(text.replace(/[\ue100-\ue102]/g, unhide)));
}

/** `$a` before a letter stands as `${a}`, so that it can be told from `$ab`. */
function joinedText(parts: readonly Part[]): string {
  const isOpen = ({ text, dynamic }: Part, i: number) =>
    dynamic && /^\$\w+$/.test(text) && /^\w/.test(parts[i + 1]?.text ?? '');
  return parts.map((part, i) => (isOpen(part, i) ? `\${${part.text.slice(1)}}` : part.text)).join('');
}

/** Braces in quotes are text; they are hidden while the others are expanded. */
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

const known = (text: string): Part => ({ text: text.replace(/[{},]/g, hide), dynamic: false, quoted: true });

/** `quoted`: it stands inside of double quotes. */
function partsOf(node: ShellNode, quoted = false): Part[] {
  const { type, text, children } = node;
  if (type === 'raw_string') return [known(text.slice(1, -1))];
  if (type === 'ansi_c_string') return [known(ansiText(text.slice(2, -1)))];
  if (type === 'string' || type === 'translated_string') {
    const inside = withGaps(node).filter((part) => part.type !== '"' && part.type !== '$');
    if (inside.length === 0) return [known(text.slice(text.indexOf('"') + 1, -1))];
    return inside.flatMap((part) => partsOf(part, true));
  }
  if (type === 'simple_expansion' || type === 'expansion') return [{ text: variableText(text), dynamic: true, quoted }];
  if (/^(?:command_substitution|process_substitution|arithmetic_expansion)$/.test(type))
    return [{ text: '$(…)', dynamic: true, quoted }];
  if (children.length > 0 && type !== 'word') return withGaps(node).flatMap((part) => partsOf(part, quoted));
  if (quoted) return [known(text.replace(/\\(\n|[$`"\\])/g, (_, c) => (c === '\n' ? '' : c)))];
  const bare = text.replace(/\\(\n|.)/gs, (_, c) => (c === '\n' ? '' : HIDDEN.includes(c) ? hide(c) : c));
  return [{ text: bare, dynamic: false, quoted }];
}

/** The children, with the text between them that the grammar leaves out. */
function withGaps({ text, from: start, line, children }: ShellNode): ShellNode[] {
  const all: ShellNode[] = [];
  let at = start;
  const fill = (to: number) => {
    if (to > at) all.push({ type: 'word', text: text.slice(at - start, to - start), from: at, line, children: [] });
  };
  for (const part of children) {
    fill(part.from);
    all.push(part);
    at = part.from + part.text.length;
  }
  fill(start + text.length);
  return all;
}

/** `$NAME`, whatever is done to it; `$(…)` where a command fills it in. */
function variableText(text: string): string {
  const name = /^\$\{?[!#]?([A-Za-z_]\w*|[@*#?$!0-9-])/.exec(text)?.[1];
  return name === undefined ? '$(…)' : `$${name}`;
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v' };

function ansiText(text: string): string {
  const code = (digits: string, base: number) =>
    String.fromCodePoint(Math.min(Number.parseInt(digits, base), 0x10ffff));
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|[uU]([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/gs,
    (_, hex, unicode, octal, one) =>
      octal !== undefined ? code(octal, 8) : one === undefined ? code(hex ?? unicode, 16) : (ESCAPES[one] ?? one),
  );
}
