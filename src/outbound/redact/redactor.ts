// The one filter that every text passes before it is sent to a model or saved as a prompt. Known secrets are found in
// all their forms, then what is a secret by its form or its place; each becomes a placeholder that can be put back.
import { findBlocks } from './blocks.ts';
import { findInColumns } from './columns.ts';
import { COMMAND_RULES } from './commands.ts';
import { decodedParts } from './decoded.ts';
import { PLACE_RULES, TOKEN_RULES } from './forms.ts';
import { isWord, KnownSecrets } from './known-secrets.ts';
import { isHighEntropy, looksChosen, strangeness } from './looks.ts';
import { findNamedValues } from './named-values.ts';
import { newNonce, Placeholders } from './placeholder.ts';
import { findRandomWords } from './random-words.ts';
import { type MaskedEdit, type Restored, type RestoredEdit, restoreEdit, unknownPlaceholder } from './restore-edit.ts';
import { findOwnerPattern, type RedactRule } from './rule.ts';
import { inOriginal, type View, type Views, viewsOf, withWalls, wrappedWords } from './searchable-view.ts';
import { MIN_SECRET_LENGTH, RedactionError, type Secret } from './secret.ts';
import { findManifests } from './secret-manifest.ts';
import { cutAtLines, merge, mergeCrowds, type Range, replaceEach, type Span, without } from './spans.ts';
import { TextIndex } from './text-index.ts';

export interface Redactor {
  /**
   * The text with every secret replaced. It has the same lines, the same secret has the same placeholder, and doing it
   * again changes nothing. Throws RedactionError when it cannot be done for sure: then nothing may be sent.
   */
  redact(text: string): string;
  /**
   * A text with its placeholders replaced by what they stand for; refused when one is changed or was never given out.
   */
  restore(text: string): Restored;
  /**
   * A file as it was sent and as an answer would have it, both restored; refused when a placeholder is not at its
   * place.
   */
  restoreEdit(edit: MaskedEdit): RestoredEdit;
  /** How many different texts were masked, by kind. */
  masked(): Record<string, number>;
}

/** Exported for the tests. The last one knows nothing but the look: whatever else finds a word, names it. */
export const RULES: readonly RedactRule[] = [
  ...TOKEN_RULES,
  ...COMMAND_RULES,
  ...PLACE_RULES,
  { name: 'value of a secret-like name', find: findNamedValues },
  { name: 'value below a heading', find: findInColumns },
  { name: 'PEM or lines of base64', find: findBlocks },
  { name: 'data of a Secret', find: findManifests },
  { name: 'random word', find: findRandomWords },
];
/** What branches are usually called, and digests: told at every start, and no pattern needs to be compiled for them. */
const BRANCHES: ReadonlySet<string> = new Set(['main', 'master', 'ai/orchestrator-stage1']);
const DIGEST = /^[0-9a-f]{32,64}$/;
const MAX_PASSES = 12;
/** Base64 inside of base64. */
const MAX_DECODED = 2;

/**
 * `rules` are the owner's patterns. `paths` are the tracked files: words of them are never masked, nor is what `open`
 * holds. Throws RedactionError when there are more secrets than can be looked for.
 */
export function createRedactor(options: {
  secrets: readonly Secret[];
  rules?: readonly RegExp[];
  paths?: Iterable<string>;
  open?: readonly string[];
  /** For tests; otherwise made anew for each redactor. */
  nonce?: string;
}): Redactor {
  const { secrets, rules = [], paths = [], open = [], nonce = newNonce() } = options;
  const knownSecrets = new KnownSecrets(secrets);
  const placeholders = new Placeholders(nonce);
  const isOpen = openWords(paths, open);

  function find(text: string, depth = MAX_DECODED): Span[] {
    const views = viewsOf(text);
    const hasForm = !BRANCHES.has(text) && !DIGEST.test(text);
    const found = [knownSecrets.find(text, views)];
    if (hasForm) found.push(inAnyView(text, views));
    for (const { inside, inText } of depth === 0 ? [] : decodedParts(text, views))
      found.push(inText(find(inside, depth - 1)));
    return found.flat();
  }

  /** One pass over the parts of the text that are `near`; where the placeholders are that it put in. */
  function pass(
    text: string,
    repeated: TextIndex,
    near: readonly Range[],
    count: number,
  ): { text: string; changed: Range[] } {
    const { own, foreign } = placeholders.find(text);
    const whole = withWalls(text, own);
    const view = withWalls(text, outside(text.length, near, own));
    const spans = [
      ...foreign.map(({ start, end }) => ({ start, end, kind: 'placeholder' })),
      ...find(view.text).map((span) => moved(view, span)),
      ...outsideTemplates(
        whole.text,
        repeated.find(whole.text).filter((span) => isWord(whole.text, span)),
      ).map((span) => moved(whole, span)),
      ...rules.flatMap((rule) => findOwnerPattern(rule, text)),
    ];
    const closed = cutAtLines(text, without(merge(spans), own)).filter(
      ({ start, end, kind }) => kind === 'placeholder' || !isOpen(text.slice(start, end)),
    );
    const lines = mergeCrowds(text, without(withRest(text, closed, count), own), own);
    let longer = 0;
    const changed: Range[] = [];
    const masked = replaceEach(text, lines, ({ start, end, kind }) => {
      const value = text.slice(start, end);
      if (isRepeatable(value)) repeated.add(value, { kind, base64: false });
      const placeholder = placeholders.of(value, kind);
      changed.push({ start: start + longer, end: start + longer + placeholder.length });
      longer += placeholder.length - value.length;
      return placeholder;
    });
    return { text: masked, changed };
  }

  /** What is masked changes what stands beside it, so passes are made there until nothing changes. */
  function redact(text: string): string {
    if (text === '') return '';
    // What was masked at one place is masked at all others, where only the word itself stands.
    const repeated = new TextIndex(MIN_SECRET_LENGTH, 16);
    let before = text;
    let near: readonly Range[] = [{ start: 0, end: text.length }];
    for (let i = 0; i < MAX_PASSES; i++) {
      const after = pass(before, repeated, near, i);
      if (after.changed.length === 0) return after.text;
      before = after.text;
      near = after.changed;
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

/** From these passes on. */
const [TO_WORD_END, TO_LINE_END] = [2, 4];

/**
 * No rule reads a value of any length: of a longer one the rest is found in the next pass, again up to a limit. What is found so
 * late is taken to the end of its word, and then of its line, so that passes come to an end. `spans` are in order and apart.
 */
function withRest(text: string, spans: readonly Span[], count: number): Span[] {
  if (count < TO_WORD_END) return [...spans];
  const rest = count < TO_LINE_END ? /[^\s"'`]*/y : /[^\r\n]*/y;
  const whole: Span[] = [];
  for (const span of spans) {
    if (span.end <= (whole.at(-1)?.end ?? 0)) continue;
    rest.lastIndex = span.end;
    whole.push({ ...span, end: span.end + (rest.exec(text)?.[0].length ?? 0) });
  }
  return merge(whole);
}

const isRepeatable = (value: string): boolean =>
  value.length >= MIN_SECRET_LENGTH &&
  /[\d!#%^*+?@$~]/.test(value) &&
  looksChosen(value) &&
  !/\s/.test(value) &&
  !NAME_LIKE.test(value);
/** Words that are joined may be the name of many things. */
const NAME_LIKE = /^[a-z]+\d*(?:[_./-][a-z]*\d*)+$/i;

/** How far from a change a rule may see it. */
const REACH = 4096;

/** What a text of `length` need not be searched in: `walls`, which are in order, and all that is far from `near`. */
function outside(length: number, near: readonly Range[], walls: readonly Range[]): Range[] {
  const gaps: Range[] = [];
  let from = 0;
  for (const { start, end } of [...near, { start: length + REACH, end: length + REACH }]) {
    if (start - REACH > from) gaps.push({ start: from, end: Math.min(start - REACH, length) });
    from = Math.max(from, end + REACH);
  }
  if (gaps.length === 0) return [...walls];
  return without(
    [...walls].map((wall) => ({ ...wall, kind: '' })),
    gaps,
  )
    .concat(gaps.map((gap) => ({ ...gap, kind: '' })))
    .sort((a, b) => a.start - b.start);
}

const byRules = (text: string, rules: readonly RedactRule[]): Span[] => rules.flatMap(({ find }) => find(text));

/** What is a secret by its form in any view of the text; template expressions stay what they are. */
function inAnyView(text: string, { colourless, unescaped, joined }: Views): Span[] {
  const found = [overLineEnds(text, joined)];
  for (const view of [{ text }, ...(colourless ? [colourless] : []), ...unescaped])
    found.push(outsideTemplates(view.text, byRules(view.text, RULES)).map((span) => moved(view, span)));
  return found.flat();
}

function moved(view: View, span: Span): Span {
  const { start, end } = inOriginal(view, span);
  return { start, end, kind: span.kind };
}

// What is never secret by its form. `${{ … }}` of workflows, `{{ … }}` of Jinja and Helm, `{% … %}`, `${…}` of shells, Flux and Terraform, `$(…)`;
// certificates and public keys.
const TEMPLATE =
  /\{\{[^\r\n]{0,400}?\}\}|\{%[^{}%\r\n]{0,400}%\}|\$\{\{?(?:[^{}\r\n]|\$\{[^{}\r\n]{0,100}\}){0,400}\}\}?|<%[^%\r\n]{0,400}%>|-----BEGIN (?:CERTIFICATE|[A-Z0-9 ]{0,16}PUBLIC KEY(?: BLOCK)?)-----[^-]{0,16384}-----END/g;

/** But for literals: those are secrets inside of a template. */
function outsideTemplates(text: string, spans: readonly Span[]): Span[] {
  if (spans.length === 0) return [];
  const templates = [...text.matchAll(TEMPLATE)].map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }));
  if (templates.length === 0) return [...spans];
  const outside = without(merge(spans), templates).filter(({ start, end }) => /\w{3}/.test(text.slice(start, end)));
  return [...outside, ...spans.filter(({ kind }) => kind === 'literal')];
}

/**
 * Tokens that were wrapped. What follows one that is whole without its next line belongs to it only when it looks like
 * it.
 */
function overLineEnds(text: string, joined: View | undefined): Span[] {
  if (joined === undefined) return [];
  const words = wrappedWords(text, mayGoOn);
  const alone = words === undefined ? [] : wrappedTokens(text, words);
  const wrapped = wrappedTokens(text, joined);
  if (wrapped.length === 0) return alone;
  const whole = new Set(byRules(text, TOKEN_RULES).map(({ start }) => start));
  return [
    ...alone,
    ...wrapped.filter(({ start, rest }) => !whole.has(start) || rest.every((line) => CONTINUES.test(line.trim()))),
  ];
}

function wrappedTokens(text: string, view: View): (Span & { rest: string[] })[] {
  return byRules(view.text, TOKEN_RULES).flatMap((span) => {
    const range = inOriginal(view, span);
    const [, ...rest] = text.slice(range.start, range.end).split(/\r?\n|\\n/);
    // Without what parts it a UUID is like any other number.
    const isWrapped = rest.length > 0 && isHighEntropy(view.text.slice(span.start, span.end).replaceAll('-', ''));
    return isWrapped ? [{ ...range, kind: span.kind, rest }] : [];
  });
}

const CONTINUES = /^(?=[^\s]{0,200}\d)(?=[^\s]{0,200}[A-Z])[\w.~+/=-]{8,}$/;
/** The end of a token is no word. */
const mayGoOn = (word: string): boolean => /\d|=$/.test(word) || strangeness(word) >= 0.5;

/** The whole word that something stands in, shortened. */
function around(text: string, at: number, word: string): string {
  let [start, end] = [at, at + word.length];
  while (start > 0 && at - start < 40 && /\w/.test(text.charAt(start - 1))) start--;
  while (end < text.length && end - at < 80 && /\w/.test(text.charAt(end))) end++;
  return text.slice(start, end);
}

/** Between the words of a path. */
const BETWEEN = /[/._-]+/;
const isBetween = (char: string): boolean => char === '' || char === '\n' || BETWEEN.test(char);

/** Whether a text is one of `values`, or a part of one of `paths` that begins and ends where a word does. */
function openWords(paths: Iterable<string>, values: readonly string[]): (text: string) => boolean {
  const open = new Set(values);
  const all = [...paths].join('\n');
  const words = new Set(all.split(/[/._\n-]+/));

  function isInPath(text: string): boolean {
    // Most texts end here: looking through all paths takes its time.
    if (all === '' || !text.split(BETWEEN).every((word) => words.has(word))) return false;
    for (let at = all.indexOf(text); at !== -1; at = all.indexOf(text, at + 1)) {
      if (isBetween(all.charAt(at - 1)) && isBetween(all.charAt(at + text.length))) return true;
    }
    return false;
  }
  return (text) => open.has(text) || isInPath(text);
}

/** A copy; texts are masked, keys and everything else stay. */
export function maskedLeaves(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((one) => maskedLeaves(one, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, maskedLeaves(one, mask)]));
}
