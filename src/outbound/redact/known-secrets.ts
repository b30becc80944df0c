// Finding known secrets in a text, in all their forms, in time that does not grow with their number: whole, and any
// part of twelve characters, so cutting, wrapping and line prefixes do not hide them.
import { type Form, formsOf } from './encodings.ts';
import { isHighEntropy } from './looks.ts';
import {
  inOriginal,
  joined,
  squeezed,
  unescapedViews,
  type View,
  type Views,
  withDump,
  withoutBlanks,
} from './searchable-view.ts';
import { MIN_SECRET_LENGTH, MIN_WORD_LENGTH, RedactionError, type Secret } from './secret.ts';
import type { Range, Span } from './spans.ts';
import { BASE64, eachPiece, type KnownSpan, PieceTable, TextIndex } from './text-index.ts';

const MAX_CHARACTERS = 1024 * 1024;

export class KnownSecrets {
  readonly #forms = new FormTable();
  /** Secrets of several words, without the blanks: a text may be wrapped at any of them. */
  readonly #phrases = new FormTable();
  readonly #short = new ShortForms();

  /**
   * Values shorter than MIN_WORD_LENGTH are left out. Throws RedactionError when there are too many characters of them.
   */
  constructor(secrets: readonly Secret[]) {
    let total = 0;
    const values = new Set<string>();
    for (const { value: given, kind, ordinary = false } of secrets) {
      const value = given.trim();
      if (value.length < MIN_WORD_LENGTH || values.has(value)) continue;
      values.add(value);
      total += value.length;
      if (total > MAX_CHARACTERS) {
        throw new RedactionError(
          `carried files and the environment hold more than ${MAX_CHARACTERS} characters of secrets`,
          'carry only what stages need: name files, not whole folders',
        );
      }
      if (value.length < MIN_SECRET_LENGTH) {
        this.#short.add(value, kind);
        continue;
      }
      const inParts = isInParts(value, ordinary);
      const forms = formsOf(value).flatMap((form) => [form, { ...form, text: joined(form.text) }]);
      for (const form of new Map(forms.map((form) => [form.text, form])).values()) {
        this.#forms.add(form, kind, inParts);
      }
      if (/[ \t]/.test(value)) this.#phrases.add({ text: squeezed(value) }, kind, inParts);
    }
  }

  /** Where they are in `text`, in no order. */
  find(text: string, { joined, bareHex, unescaped }: Views): Span[] {
    if (this.#forms.isEmpty && this.#short.isEmpty) return [];
    // An escape may be wrapped like anything else.
    const wrapped = joined === undefined || unescaped.length === 0 ? [] : unescapedViews(joined);
    const views = [{ text }, joined, bareHex, ...unescaped, ...wrapped];
    const spans = views.flatMap((view) =>
      view === undefined ? [] : [...spansIn(text, view, this.#forms), ...this.#short.find(text, view)],
    );
    return this.#phrases.isEmpty ? spans : [...spans, ...spansIn(text, withoutBlanks(text), this.#phrases)];
  }
}

/** Of an address or a path any part would be found in other ones. */
const isInParts = (value: string, ordinary: boolean): boolean =>
  isHighEntropy(value) || (!ordinary && !/^(?:[a-z][\w+.-]*:\/\/|[~.]{0,2}\/)/i.test(value));

/** Base64 takes in what is beside it in the original, but not what is beside it only without the line break. */
const spansIn = (text: string, view: View, table: FormTable): Span[] =>
  table.find(view.text).map(({ kind, base64, ...span }) => {
    const range = inOriginal(view, span);
    return { ...(base64 ? aroundBase64(text, range) : withDump(text, range)), kind };
  });

/** The range with the characters beside it that hold some bits of the secret, and with the padding. */
function aroundBase64(text: string, { start, end }: Range): Range {
  const from = isBase64(text, start - 1) ? start - 1 : start;
  let to = isBase64(text, end) ? end + 1 : end;
  for (let i = 0; i < 2 && text.charAt(to) === '='; i++) to++;
  return { start: from, end: to };
}

const isBase64 = (text: string, at: number): boolean => BASE64[text.charCodeAt(at)] === 1;

/** A part of this length gives a secret away; a long text of words needs as many as LONG_RUN in a row. */
const PIECE = 12;
const LONG_RUN = 48;
const MAX_WHOLE = 64;

/** What a piece is part of; a LETTERS piece only goes on with a run of others, for it may be a word of any text. */
const [RANDOM, ENCODED, WORDS, LETTERS] = [1, 2, 3, 4];
const TYPE_BITS = 3;
type Run = Span & { counts: boolean };
const NO_RUN: Run = Object.freeze({ start: -1, end: -1, kind: '', counts: false });
const ONLY_LETTERS = /^[A-Za-z]+$/;

class FormTable {
  readonly #whole = new TextIndex(MIN_SECRET_LENGTH);
  readonly #pieces = new PieceTable();
  readonly #kinds: string[] = [];
  isEmpty = true;

  /** What is shorter than MIN_SECRET_LENGTH is left out. */
  add({ text, base64, random }: Form, kind: string, inParts: boolean): void {
    if (text.length < MIN_SECRET_LENGTH) return;
    this.isEmpty = false;
    const isParted = text.length >= PIECE && (inParts || random === true);
    if (text.length <= MAX_WHOLE && !(isParted && random)) this.#whole.add(text, { kind, base64: base64 === true });
    if (!isParted && text.length <= MAX_WHOLE) return;
    if (!this.#kinds.includes(kind)) this.#kinds.push(kind);
    const type = base64 ? ENCODED : isParted ? RANDOM : WORDS;
    const isPhrase = type === RANDOM && !ONLY_LETTERS.test(text);
    eachPiece(text, PIECE, (hash, end) => {
      const isWord = isPhrase && ONLY_LETTERS.test(text.slice(end - PIECE, end));
      this.#pieces.add(hash, (this.#kinds.indexOf(kind) << TYPE_BITS) | (isWord ? LETTERS : type));
    });
  }

  /** In no order. */
  find(text: string): KnownSpan[] {
    return [...this.#whole.find(text), ...this.#runs(text)];
  }

  #runs(text: string): KnownSpan[] {
    const spans: KnownSpan[] = [];
    if (this.#pieces.size === 0) return spans;
    const runs = [NO_RUN, NO_RUN, NO_RUN, NO_RUN];
    const close = (type: number) => {
      const { start, end, kind, counts } = runs[type] as Run;
      if (counts && end - start >= (type === WORDS ? LONG_RUN : PIECE)) {
        spans.push({ start, end, kind, base64: type === ENCODED });
      }
    };
    this.#pieces.find(text, PIECE, (tag, end) => {
      const given = tag & ((1 << TYPE_BITS) - 1);
      const type = given === LETTERS ? RANDOM : given;
      const run = runs[type] as Run;
      if (end - PIECE <= run.end) {
        run.end = end;
        run.counts ||= given !== LETTERS;
      } else {
        close(type);
        const kind = this.#kinds[tag >> TYPE_BITS] as string;
        runs[type] = { start: end - PIECE, end, kind, counts: given !== LETTERS };
      }
    });
    for (const type of [RANDOM, ENCODED, WORDS]) close(type);
    return spans;
  }
}

/** What `echo` puts behind a value. */
const LINE_END = Buffer.from('\n');

/** Values of four to seven characters: whole words only, and neither parts nor base64 inside of a longer text. */
class ShortForms {
  readonly #whole = new TextIndex(MIN_WORD_LENGTH);
  isEmpty = true;

  add(value: string, kind: string): void {
    this.isEmpty = false;
    const bytes = Buffer.from(value, 'utf8');
    const hex = bytes.toString('hex');
    const base64 = [bytes, Buffer.concat([bytes, LINE_END])].map((one) => one.toString('base64'));
    const plain = [
      value,
      hex,
      hex.toUpperCase(),
      `0x${hex}`,
      ...base64,
      ...base64.map((one) => one.replace(/=+$/, '')),
    ];
    for (const form of new Set(plain)) this.#whole.add(form, { kind, base64: false });
  }

  /**
   * Where a word begins is seen in the text or in its view: a line break or an escape stands before it in one of them
   * only.
   */
  find(text: string, view: View): Span[] {
    return this.#whole.find(view.text).flatMap((span) => {
      const range = inOriginal(view, span);
      return isWord(view.text, span) || isWord(text, range) ? [{ ...range, kind: span.kind }] : [];
    });
  }
}

/** Whether no letter or digit stands beside it. */
export const isWord = (text: string, { start, end }: Range): boolean =>
  !/[A-Za-z0-9]/.test(text.charAt(start - 1)) && !/[A-Za-z0-9]/.test(text.charAt(end));
