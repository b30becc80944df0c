// The words of one shell line as the shell would see them: quotes taken off, comments left out, operators apart. Not a
// parser of the whole language: where it is unsure it keeps text, so that what is hidden is looked at rather than missed.

/** A simple command: its words, and the quoted texts in it that are more than one word. */
export interface Segment {
  words: string[];
  strings: string[];
  /** The operator that follows it. */
  next: string;
}

const MORE_THAN_A_WORD = /[\s;&|(){}`<>]/;
const QUOTED = '…';

/** Splits `text` into simple commands. `hidden` is what stands behind a quote inside a comment: it may be no comment. */
export function shellSegments(text: string): { segments: Segment[]; hidden: string[] } {
  const segments: Segment[] = [];
  const hidden: string[] = [];
  let words: string[] = [];
  let strings: string[] = [];
  let word: string | undefined;

  const endWord = () => {
    if (word !== undefined) words.push(word === '' ? "''" : word);
    word = undefined;
  };
  const operator = (next: string) => {
    endWord();
    segments.push({ words, strings, next });
    words = [];
    strings = [];
  };
  const quoted = (content: string) => {
    const many = MORE_THAN_A_WORD.test(content);
    if (many) strings.push(content);
    word = (word ?? '') + (many ? QUOTED : content);
  };

  const scan = (source: string, depth: number): void => {
    for (let i = 0; i < source.length; i++) {
      const c = source[i] as string;
      const two = source.slice(i, i + 2);
      if (c === '\\') {
        if (source[i + 1] !== '\n') word = (word ?? '') + (source[i + 1] ?? '');
        i++;
      } else if (two === "$'") {
        const end = closing(source, i + 2, "'");
        quoted(decoded(source.slice(i + 2, end)));
        i = end;
      } else if (c === "'") {
        const end = plainEnd(source, i + 1);
        quoted(source.slice(i + 1, end));
        i = end;
      } else if (c === '"' || two === '$"') {
        const from = i + (c === '"' ? 1 : 2);
        const end = closing(source, from, '"');
        i = end;
        const { literal, inner } = substitutions(source.slice(from, end));
        quoted(literal);
        for (const command of depth > 8 ? [] : inner) {
          operator('$(');
          scan(command, depth + 1);
          operator(')');
        }
      } else if (c === '#' && word === undefined) {
        const stop = source.indexOf('\n', i);
        const comment = source.slice(i + 1, stop === -1 ? undefined : stop);
        for (const { index } of comment.matchAll(/["'](?=[\s;&|)])/g)) hidden.push(comment.slice(index + 1));
        if (stop === -1) break;
        i = stop - 1;
      } else if (c === '\n') operator(';');
      else if (/\s/.test(c)) endWord();
      else if (two === '&>') {
        endWord();
        word = '&>';
        i += 1;
        while (/[>\s]/.test(source[i + 1] ?? '')) i++;
      } else if (c === '>' || c === '<') {
        if (source[i + 1] === '(') {
          operator(`${c}(`);
          i++;
          continue;
        }
        const descriptor = word !== undefined && /^\d+$/.test(word) ? word : '';
        if (descriptor === '') endWord();
        word = `${descriptor}${c}`;
        while (/[<>&|]/.test(source[i + 1] ?? '')) word += source[++i];
        while (/[ \t]/.test(source[i + 1] ?? '')) i++;
      } else if (two === '$(') {
        operator('$(');
        i++;
      } else if (two === '&&' || two === '||' || two === ';;' || two === '|&') {
        operator(two);
        i++;
      } else if (/[;&|()`]/.test(c)) operator(c);
      else word = (word ?? '') + c;
    }
  };
  scan(text, 0);
  operator('');
  return { segments: segments.filter((s, i) => s.words.length > 0 || s.next !== '' || i === 0), hidden };
}

function plainEnd(source: string, from: number): number {
  const end = source.indexOf("'", from);
  return end === -1 ? source.length : end;
}

/** Where the quote that was opened before `from` ends: not behind a backslash, not inside `$(…)`. */
function closing(source: string, from: number, quote: string): number {
  let depth = 0;
  for (let i = from; i < source.length; i++) {
    if (source[i] === '\\') i++;
    else if (quote === '"' && source[i] === '$' && source[i + 1] === '(') depth++;
    else if (depth > 0 && source[i] === ')') depth--;
    else if (depth === 0 && source[i] === quote) return i;
  }
  return source.length;
}

/** A double-quoted text without its command substitutions, and these. */
function substitutions(content: string): { literal: string; inner: string[] } {
  if (!/\$\(|`/.test(content)) return { literal: content, inner: [] };
  const inner: string[] = [];
  let literal = '';
  for (let i = 0; i < content.length; i++) {
    const dollar = content[i] === '$' && content[i + 1] === '(';
    if (!dollar && content[i] !== '`') {
      literal += content[i];
      continue;
    }
    const end = dollar ? closingParenthesis(content, i + 2) : content.indexOf('`', i + 1);
    const stop = end === -1 ? content.length : end;
    inner.push(content.slice(i + (dollar ? 2 : 1), stop));
    literal += QUOTED;
    i = stop;
  }
  return { literal, inner };
}

function closingParenthesis(text: string, from: number): number {
  for (let i = from, depth = 1; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')' && --depth === 0) return i;
  }
  return -1;
}

/** What `$'…'` stands for. */
function decoded(text: string): string {
  const code = (digits: string, base: number) =>
    String.fromCodePoint(Math.min(Number.parseInt(digits, base), 0x10ffff));
  return text
    .replace(/\\x([0-9a-fA-F]{1,2})/g, (_, hex) => code(hex, 16))
    .replace(/\\[uU]([0-9a-fA-F]{1,6})/g, (_, hex) => code(hex, 16))
    .replace(/\\([0-7]{1,3})/g, (_, octal) => code(octal, 8))
    .replace(/\\n/g, '\n')
    .replace(/\\(.)/g, '$1');
}
