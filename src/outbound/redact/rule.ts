// Rules about texts that are secrets by their form: what the shipped ones look like, and the owner's patterns, from `redact`
// in ai/loop.yaml. A pattern that takes too long is an error: nothing is sent then.
import { type Context, createContext, runInContext } from 'node:vm';
import { RedactionError } from './secret.ts';
import type { Span } from './spans.ts';

export interface RedactRule {
  name: string;
  /** For the placeholder. */
  kind: string;
  /** With the flags `d` and `g`. What is to be masked is the group `secret`, or all of it. Linear: it begins with something
   * fixed or looks behind itself, and nothing open-ended is followed by something that can fail. */
  pattern: RegExp;
  /** Values that are none: variables, templates, words. */
  unless?: RegExp | undefined;
}

/** Rules from a table: `kind: name` → pattern, or pattern and `unless`. Where two overlap, the kind of the earlier row counts. */
export const rulesOf = (rows: Readonly<Record<string, RegExp | [pattern: RegExp, unless: RegExp]>>): RedactRule[] =>
  Object.entries(rows).map(([row, rule]) => {
    const [kind = '', name = ''] = row.split(': ');
    const [pattern, unless] = rule instanceof RegExp ? [rule] : rule;
    return { name, kind, pattern, unless };
  });

/** Names of a password, as part of a pattern. */
export const PASSWORD = '(?:password|passwd|passphrase|passwort|kennwort|pwd|pass)';

/** A value that only says where the real one comes from, or that there is none. */
export const NO_VALUE =
  /^(?:\$|%[\w]+%$|\{\{|<[^>]*>?$|\*+$|[xX.•-]+$|(?:null|none|nil|true|false|undefined|empty|unset|hidden|masked|redacted|omitted|changeme|required|optional|string|sensitive|\(sensitive|\(known|known|lookup|var\.|local\.|module\.|data\.|each\.|env\.|os\.|process\.|vault:|secretKeyRef|valueFrom|op:\/\/|ref\+|!vault)\b)/i;

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
