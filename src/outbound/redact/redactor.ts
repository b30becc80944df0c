// The one filter that every text passes before it is sent to a model or saved as a prompt. Known secrets are found in all
// their forms, then what is a secret by its form or its place; each becomes a placeholder that can be put back.
import { findBlocks } from './blocks.ts';
import { KEY_RULES } from './key-rules.ts';
import { KnownSecrets } from './known-secrets.ts';
import { PLACE_RULES } from './place-rules.ts';
import { newNonce, Placeholders } from './placeholder.ts';
import { type MaskedEdit, type Restored, type RestoredEdit, restoreEdit, unknownPlaceholder } from './restore-edit.ts';
import { findOwnerPattern, type RedactRule } from './rule.ts';
import { colourless, inOriginal } from './searchable-view.ts';
import { RedactionError, type Secret } from './secret.ts';
import { findManifests } from './secret-manifest.ts';
import { cutAtLines, merge, type Range, replaceEach, type Span, without } from './spans.ts';
import { TOKEN_RULES } from './token-rules.ts';

export interface Redactor {
  /**
   * The text with every secret replaced. It has the same lines, the same secret has the same placeholder, and doing it
   * again changes nothing. Throws RedactionError when it cannot be done for sure: then nothing may be sent.
   */
  redact(text: string): string;
  /** A text with its placeholders replaced by what they stand for; refused when one is changed or was never given out. */
  restore(text: string): Restored;
  /** A file as it was sent and as an answer would have it, both restored; refused when a placeholder is not at its place. */
  restoreEdit(edit: MaskedEdit): RestoredEdit;
  /** How many different texts were masked, by kind. */
  masked(): Record<string, number>;
}

const RULES: readonly RedactRule[] = [...TOKEN_RULES, ...PLACE_RULES, ...KEY_RULES];
const MAX_PASSES = 12;

/** `rules` are the owner's patterns. Throws RedactionError when there are more secrets than can be looked for. */
export function createRedactor(options: {
  secrets: readonly Secret[];
  rules?: readonly RegExp[];
  /** For tests; otherwise made anew for each redactor. */
  nonce?: string;
}): Redactor {
  const { secrets, rules = [], nonce = newNonce() } = options;
  const knownSecrets = new KnownSecrets(secrets);
  const placeholders = new Placeholders(nonce);

  /** One pass. What is masked changes what stands beside it, so passes are made until nothing changes. */
  function pass(text: string): string {
    const { own, foreign } = placeholders.find(text);
    const spans = [
      ...foreign.map(({ start, end }) => ({ start, end, kind: 'placeholder' })),
      ...knownSecrets.find(text, own),
      ...byForm(text),
      ...inColour(text),
      ...rules.flatMap((rule) => findOwnerPattern(rule, text)),
    ];
    if (spans.length === 0) return text;
    const lines = cutAtLines(text, without(merge(spans), own));
    return replaceEach(text, lines, ({ start, end, kind }) => placeholders.of(text.slice(start, end), kind));
  }

  function redact(text: string): string {
    let before = text;
    for (let i = 0; i < MAX_PASSES; i++) {
      const after = pass(before);
      if (after === before) return after;
      before = after;
    }
    throw new RedactionError(
      'a text keeps showing more secrets each time it is masked',
      'do not send it; look at it yourself',
    );
  }

  function restore(text: string): Restored {
    const { own, foreign } = placeholders.find(text);
    if (foreign.length > 0) {
      const words = [...new Set(foreign.map(({ word, start }) => around(text, start, word)))];
      return { ok: false, reasons: words.map(unknownPlaceholder) };
    }
    return { ok: true, text: replaceEach(text, own, ({ word }) => placeholders.valueOf(word) as string) };
  }

  return {
    redact,
    restore,
    restoreEdit: (edit) => restoreEdit(edit, restore, (text) => placeholders.find(text).own.map(({ word }) => word)),
    masked: () => placeholders.counts(),
  };
}

const byForm = (text: string): Span[] => [
  ...RULES.flatMap((rule) => findByRule(rule, text)),
  ...findBlocks(text),
  ...findManifests(text),
];

/** What is a secret by its form once the colours in it are left out. */
function inColour(text: string): Span[] {
  const view = colourless(text);
  return view === undefined ? [] : byForm(view.text).map((span) => ({ ...span, ...inOriginal(view, span) }));
}

/** Exported for the tests of the rules. */
export function findByRule({ pattern, unless, kind }: RedactRule, text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const groups = match.indices?.groups;
    const [start, end] =
      groups?.secret ?? groups?.bare ?? ((match.indices as RegExpIndicesArray)[0] as [number, number]);
    const value = text.slice(start, end);
    if (unless?.test(value) !== true) spans.push({ ...unquoted(value, start), kind });
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

/** The whole word that something stands in, shortened. */
function around(text: string, at: number, word: string): string {
  let [start, end] = [at, at + word.length];
  while (start > 0 && at - start < 40 && /\w/.test(text.charAt(start - 1))) start--;
  while (end < text.length && end - at < 80 && /\w/.test(text.charAt(end))) end++;
  return text.slice(start, end);
}

/** A copy; texts are masked, keys and everything else stay. */
export function maskedLeaves(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskedLeaves(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskedLeaves(one, mask)]));
}
