// Rules about texts that are secrets by their form: what the shipped ones look like, and the owner's patterns, from
// `redact` in ai/loop.yaml. A pattern that takes too long is an error: nothing is sent then.
import { type Context, createContext, runInContext } from 'node:vm';
import { RedactionError } from './secret.ts';
import type { Range, Span } from './spans.ts';

export interface RedactRule {
  name: string;
  /** What it finds, in time that grows with the text alone. The first is the kind for placeholders. */
  find: (text: string) => Span[];
}

/** Which values are no secret; `before` is what stands before the match. */
type Unless = RegExp | ((value: string, before: string) => boolean);
const MAX_BEFORE = 400;

/**
 * Rules from a table: `kind: name` → pattern, or pattern and values that are none. Patterns have the flags `d` and `g`;
 * what is to be masked is the group that matched, or all of it. They are linear: each begins with something fixed or
 * looks behind itself, and nothing open-ended is followed by something that can fail. Where two overlap, the kind of
 * the earlier row counts.
 */
export const rulesOf = (rows: Readonly<Record<string, RegExp | [pattern: RegExp, unless: Unless]>>): RedactRule[] =>
  Object.entries(rows).map(([row, rule]) => {
    const [kind = '', name = ''] = row.split(': ');
    const [pattern, unless] = rule instanceof RegExp ? [rule] : rule;
    return { name, find: (text) => findPattern(text, pattern, kind, unless) };
  });

/** What `pattern` masks of its matches that begin in a part of the text, but for values that `unless` knows. */
export function findPattern(
  text: string,
  pattern: RegExp,
  kind: string,
  unless?: Unless,
  from = 0,
  until = text.length,
): Span[] {
  const spans: Span[] = [];
  pattern.lastIndex = from;
  for (let match = pattern.exec(text); match !== null && match.index < until; match = pattern.exec(text)) {
    const [whole, ...groups] = match.indices as RegExpIndicesArray;
    const [start, end] = groups.find((group) => group !== undefined) ?? (whole as [number, number]);
    const value = text.slice(start, end);
    const before = text.slice(Math.max(0, match.index - MAX_BEFORE), match.index);
    if (unless === undefined || !(unless instanceof RegExp ? unless.test(value) : unless(value, before)))
      spans.push({ ...unquoted(value, start), kind });
  }
  return spans;
}

/** Without the quotes around it, so that the text stays what it was to a parser. */
function unquoted(value: string, start: number): Range {
  const inner = /^(["'])(.*?)\1?,?\s*$/s.exec(value)?.[2];
  return inner === undefined
    ? { start, end: start + value.length }
    : { start: start + 1, end: start + 1 + inner.length };
}

const LIMIT_MS = 1000;
// The whole search runs in the other context, where it can be stopped.
const FIND =
  'found = []; pattern.lastIndex = 0; for (let m; (m = pattern.exec(text)) !== null; ) { if (m[0] === "") pattern.lastIndex++; else found.push(m.index, m.index + m[0].length); } found';
let context: Context | undefined;

/** Compiled as the rules of `classify` are: whatever the case, `^` and `$` at each line. */
export const ownerPatterns = (redact: readonly string[]): RegExp[] => redact.map((text) => new RegExp(text, 'im'));

/** Where the owner's `pattern` matches. Throws RedactionError when that takes too long. */
export function findOwnerPattern(pattern: RegExp, text: string): Span[] {
  context ??= createContext({});
  const flags = pattern.flags.replace(/[gy]/g, '');
  Object.assign(context, { pattern: new RegExp(pattern.source, `${flags}g`), text, found: undefined });
  try {
    const offsets = runInContext(FIND, context, { timeout: LIMIT_MS }) as number[];
    return offsets.flatMap((start, i) => (i % 2 === 0 ? [{ start, end: offsets[i + 1] as number, kind: 'own' }] : []));
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new RedactionError(
      `a pattern under redact took longer than ${LIMIT_MS} ms: ${pattern.source}`,
      'make it simpler in ai/loop.yaml: no repetition inside of a repetition',
    );
  } finally {
    Object.assign(context, { text: '', found: undefined });
  }
}
