// The forms of all known secrets, and where a text holds one. Short ones are found whole; of long ones that look random any
// piece is enough, so cutting, wrapping and line prefixes do not hide them.
import type { Form } from './encodings.ts';
import { eachGram, GramTable } from './gram-table.ts';
import { looksRandom } from './randomness.ts';
import { LEAST_LENGTH } from './secret.ts';
import type { Span } from './spans.ts';
import { type KnownSpan, WholeTexts } from './whole-texts.ts';

/** A piece of this length gives a random secret away; a long text of words needs as many as LONG_RUN in a row. */
const GRAM = 16;
const LONG_RUN = 48;
const LEAST_RANDOM = 24;
const MOST_WHOLE = 64;

const [RANDOM, BASE64, WORDS] = [1, 2, 3];

export class FormTable {
  readonly #whole = new WholeTexts();
  readonly #grams = new GramTable();
  readonly #kinds: string[] = [];
  isEmpty = true;

  /** What is shorter than LEAST_LENGTH is left out. */
  add({ text, base64, random: always }: Form, kind: string): void {
    if (text.length < LEAST_LENGTH) return;
    this.isEmpty = false;
    const random = text.length >= LEAST_RANDOM && (always === true || looksRandom(text));
    if (!random && text.length <= MOST_WHOLE) this.#whole.add(text, { kind, base64: base64 === true });
    else {
      const tag = (this.#kindIndex(kind) << 2) | (base64 ? BASE64 : random ? RANDOM : WORDS);
      eachGram(text, GRAM, (key) => this.#grams.add(key, tag));
    }
  }

  /** In no order. */
  find(text: string): KnownSpan[] {
    return [...this.#whole.find(text), ...this.#pieces(text)];
  }

  #kindIndex(kind: string): number {
    const index = this.#kinds.indexOf(kind);
    return index !== -1 ? index : this.#kinds.push(kind) - 1;
  }

  #pieces(text: string): KnownSpan[] {
    const spans: KnownSpan[] = [];
    if (this.#grams.size === 0) return spans;
    const runs = [NO_RUN, NO_RUN, NO_RUN, NO_RUN];
    const close = (of: number) => {
      const { start, end, kind } = runs[of] as Span;
      if (end - start >= (of === WORDS ? LONG_RUN : GRAM)) {
        spans.push({ start, end, kind, base64: of === BASE64 });
      }
    };
    eachGram(text, GRAM, (key, end) => {
      const tag = this.#grams.tag(key);
      if (tag === 0) return;
      const of = tag & 3;
      const run = runs[of] as Span;
      if (end - GRAM <= run.end) run.end = end;
      else {
        close(of);
        runs[of] = { start: end - GRAM, end, kind: this.#kinds[tag >> 2] as string };
      }
    });
    for (const of of [RANDOM, BASE64, WORDS]) close(of);
    return spans;
  }
}

const NO_RUN: Span = Object.freeze({ start: -1, end: -1, kind: '' });
