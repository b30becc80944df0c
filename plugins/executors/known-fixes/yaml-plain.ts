// Plain values of YAML that hold what ends a plain value: `: ` in a sentence, ` #` in a list. Pure.

const PAIR = /^(\s*(?:- )*[\w."'/-]+:\s+)(.*\S)\s*$/;
const ITEM = /^(\s*(?:- )+)(.*\S)\s*$/;
/** Begins something else than a plain value. */
const NOT_PLAIN = /^["'[\]{}&*!|>%@`#?-]/;

/** The line with its value in quotes, when that is a sentence with a colon in it; undefined when a mapping may be meant. */
export function quotedSentence(line: string): string | undefined {
  const [, head, value] = PAIR.exec(line) ?? [];
  if (head === undefined || value === undefined || NOT_PLAIN.test(value) || / #/.test(value)) return undefined;
  const [before = '', ...after] = value.split(/:(?=\s)/);
  const words = (text: string) => text.trim().split(/\s+/).length;
  // One word on both sides is as likely a mapping on one line, or an image and its tag.
  if (after.length === 0 || (words(before) === 1 && words(after.join(':')) === 1)) return undefined;
  return head + quoted(value);
}

/** The line with the item of a flow list in quotes that holds ` #`; undefined when there is no such one item. */
export function quotedItem(line: string): string | undefined {
  const hash = line.indexOf(' #');
  const open = Math.max(line.lastIndexOf('[', hash), line.lastIndexOf('{', hash));
  if (hash < 0 || open < 0 || line.indexOf(' #', hash + 1) !== -1 || !(PAIR.test(line) || ITEM.test(line)))
    return undefined;
  const start = Math.max(open, line.lastIndexOf(',', hash), line.lastIndexOf(': ', hash)) + 1;
  const end = line.slice(hash).search(/[,\]}]/);
  if (end < 0) return undefined;
  const piece = line.slice(start, hash + end);
  const value = piece.trim();
  if (/["'[\]{}]/.test(value)) return undefined;
  const lead = piece.slice(0, piece.length - piece.trimStart().length);
  return line.slice(0, start) + lead + quoted(value) + line.slice(hash + end);
}

/** In double quotes, unless that would need escapes. */
const quoted = (value: string): string => (/["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`);
