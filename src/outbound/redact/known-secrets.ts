// Finding known secrets in a text, in all their forms, in time that does not grow with their number. Short forms are found
// whole; of long ones that look random any piece is enough, so cutting, wrapping and line prefixes do not hide them.
import { type Form, formsOf } from './encodings.ts';
import type { Place } from './placeholder.ts';
import { inOriginal, joined, squeezed, type View, viewsOf, withoutBlanks } from './searchable-view.ts';
import { MIN_SECRET_LENGTH, RedactionError, type Secret } from './secret.ts';
import { looksRandom } from './secret-signs.ts';
import type { Range, Span } from './spans.ts';
import { eachPiece, type KnownSpan, PieceTable, TextIndex } from './text-index.ts';

const MAX_CHARACTERS = 1024 * 1024;

export class KnownSecrets {
  readonly #forms = new FormTable();
  /** Secrets of several words, without the blanks: a text may be wrapped at any of them. */
  readonly #phrases = new FormTable();

  /** Values shorter than MIN_SECRET_LENGTH are left out. Throws RedactionError when there are too many characters of them. */
  constructor(secrets: readonly Secret[]) {
    let total = 0;
    const values = new Set<string>();
    for (const { value: given, kind } of secrets) {
      const value = given.trim();
      if (value.length < MIN_SECRET_LENGTH || values.has(value)) continue;
      values.add(value);
      total += value.length;
      if (total > MAX_CHARACTERS) {
        throw new RedactionError(
          `carried files and the environment hold more than ${MAX_CHARACTERS} characters of secrets`,
          'carry only what stages need: name files, not whole folders',
        );
      }
      const forms = formsOf(value).flatMap((form) => [form, { ...form, text: joined(form.text) }]);
      for (const form of new Map(forms.map((form) => [form.text, form])).values()) this.#forms.add(form, kind);
      if (/[ \t]/.test(value)) this.#phrases.add({ text: squeezed(value) }, kind);
    }
  }

  /** Where they are in `text`, in no order; no span crosses one of `walls`. */
  find(text: string, walls: readonly Place[]): Span[] {
    const spans = viewsOf(text, walls).flatMap((view) => spansIn(text, view, this.#forms));
    return this.#phrases.isEmpty ? spans : [...spans, ...spansIn(text, withoutBlanks(text, walls), this.#phrases)];
  }
}

/** Base64 takes in what is beside it in the original, but not what is beside it only without the line break. */
const spansIn = (text: string, view: View, table: FormTable): Span[] =>
  table.find(view.text).map(({ kind, base64, ...span }) => {
    const range = inOriginal(view, span);
    return { ...(base64 ? aroundBase64(text, range) : range), kind };
  });

/** The range with the characters beside it that hold some bits of the secret, and with the padding. */
function aroundBase64(text: string, { start, end }: Range): Range {
  const from = isBase64(text, start - 1) ? start - 1 : start;
  let to = isBase64(text, end) ? end + 1 : end;
  for (let i = 0; i < 2 && text.charAt(to) === '='; i++) to++;
  return { start: from, end: to };
}

const isBase64 = (text: string, at: number): boolean => at >= 0 && /[A-Za-z0-9+/_-]/.test(text.charAt(at));

/** A piece of this length gives a random secret away; a long text of words needs as many as LONG_RUN in a row. */
const PIECE = 16;
const LONG_RUN = 48;
const MIN_RANDOM = 24;
const MAX_WHOLE = 64;

const [RANDOM, BASE64, WORDS] = [1, 2, 3];
const NO_RUN: Span = Object.freeze({ start: -1, end: -1, kind: '' });

class FormTable {
  readonly #whole = new TextIndex();
  readonly #pieces = new PieceTable();
  readonly #kinds: string[] = [];
  isEmpty = true;

  /** What is shorter than MIN_SECRET_LENGTH is left out. */
  add({ text, base64, random: always }: Form, kind: string): void {
    if (text.length < MIN_SECRET_LENGTH) return;
    this.isEmpty = false;
    const random = text.length >= MIN_RANDOM && (always === true || looksRandom(text));
    if (!random && text.length <= MAX_WHOLE) this.#whole.add(text, { kind, base64: base64 === true });
    else {
      if (!this.#kinds.includes(kind)) this.#kinds.push(kind);
      const tag = (this.#kinds.indexOf(kind) << 2) | (base64 ? BASE64 : random ? RANDOM : WORDS);
      eachPiece(text, PIECE, (hash) => this.#pieces.add(hash, tag));
    }
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
      const { start, end, kind } = runs[type] as Span;
      if (end - start >= (type === WORDS ? LONG_RUN : PIECE)) {
        spans.push({ start, end, kind, base64: type === BASE64 });
      }
    };
    eachPiece(text, PIECE, (hash, end) => {
      const tag = this.#pieces.tag(hash);
      if (tag === 0) return;
      const type = tag & 3;
      const run = runs[type] as Span;
      if (end - PIECE <= run.end) run.end = end;
      else {
        close(type);
        runs[type] = { start: end - PIECE, end, kind: this.#kinds[tag >> 2] as string };
      }
    });
    for (const type of [RANDOM, BASE64, WORDS]) close(type);
    return spans;
  }
}
