// What stands for a secret in a text: one plain word, `SECRET_<nonce>_<number>_<kind>_END`. Nobody who has not seen a text of
// this redactor can know the nonce, so no log can hold such a word by itself; one that does is masked like a secret.
import { randomInt } from 'node:crypto';
import { RedactionError } from './secret.ts';
import type { Range } from './spans.ts';

// No vowels: no word, and never the beginning of END.
const LETTERS = 'bcdfghjkmnpqrstvwxz23456789';
const NONCE = /^[bcdfghjkmnpqrstvwxz2-9]{8}$/;
const MAX_PLACEHOLDERS = 200_000;

export const newNonce = (): string => Array.from({ length: 8 }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** Anything of the form, whoever made it. */
export const PLACEHOLDER_FORM = /SECRET_[a-z0-9]{8}_\d{1,9}_[a-z]{1,24}_END/g;

export class Placeholders {
  readonly #nonce: string;
  readonly #byValue = new Map<string, string>();
  readonly #values = new Map<string, string>();
  readonly #kinds: string[] = [];
  readonly #look: RegExp;

  /** Throws on a nonce of another form. */
  constructor(nonce: string) {
    if (!NONCE.test(nonce)) throw new Error(`a nonce is 8 of ${LETTERS}`);
    this.#nonce = nonce;
    this.#look = new RegExp(`${PLACEHOLDER_FORM.source}|${nonce}`, 'gi');
  }

  /** The placeholder of `value`: always the same. Throws RedactionError when there are too many. */
  of(value: string, kind: string): string {
    const given = this.#byValue.get(value);
    if (given !== undefined) return given;
    if (this.#values.size >= MAX_PLACEHOLDERS) {
      throw new RedactionError(
        `more than ${MAX_PLACEHOLDERS} different secrets in one text`,
        'look at what it is before sending it',
      );
    }
    const made = `SECRET_${this.#nonce}_${this.#values.size + 1}_${kind}_END`;
    this.#byValue.set(value, made);
    this.#values.set(made, value);
    this.#kinds.push(kind);
    return made;
  }

  valueOf(placeholder: string): string | undefined {
    return this.#values.get(placeholder);
  }

  /** How many were given out, by kind. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const kind of [...this.#kinds].sort()) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }

  /** Where `text` holds placeholders that were given out, and where it holds what only looks like one. */
  find(text: string): { own: Place[]; foreign: Place[] } {
    const places: { own: Place[]; foreign: Place[] } = { own: [], foreign: [] };
    for (const { 0: word, index } of text.matchAll(this.#look)) {
      places[this.#values.has(word) ? 'own' : 'foreign'].push({ start: index, end: index + word.length, word });
    }
    return places;
  }
}

export interface Place extends Range {
  word: string;
}
