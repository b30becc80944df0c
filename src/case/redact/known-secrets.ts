// Finding known secrets in a text, in all their forms, in time that does not grow with their number. Short ones are found
// whole; of long ones that look random any piece is enough, so cutting, wrapping and line prefixes do not hide them.
import { aroundBase64 } from './around-base64.ts';
import { type Form, formsOf } from './encodings.ts';
import { eachGram, GramTable } from './gram-table.ts';
import type { Place } from './placeholder.ts';
import { looksRandom } from './randomness.ts';
import { RedactionError } from './redaction-error.ts';
import { LEAST_LENGTH, type Secret } from './secret.ts';
import type { Span } from './spans.ts';
import { joined, type View, viewsOf } from './view.ts';
import { type KnownSpan, WholeTexts } from './whole-texts.ts';

/** A piece of this length gives a random secret away; a long text of words needs as many as LONG_RUN in a row. */
const GRAM = 16;
const LONG_RUN = 48;
const LEAST_RANDOM = 24;
const MOST_WHOLE = 64;
const MOST_CHARACTERS = 1024 * 1024;

const [RANDOM, BASE64, WORDS] = [1, 2, 3];

export class KnownSecrets {
  readonly #whole = new WholeTexts();
  readonly #grams = new GramTable();
  readonly #kinds: string[] = [];

  /** Values shorter than LEAST_LENGTH are left out. Throws RedactionError when there is more than can be kept in mind. */
  constructor(secrets: readonly Secret[]) {
    let total = 0;
    const values = new Set<string>();
    for (const { value: given, kind } of secrets) {
      const value = given.trim();
      if (value.length < LEAST_LENGTH || values.has(value)) continue;
      values.add(value);
      total += value.length;
      if (total > MOST_CHARACTERS) {
        throw new RedactionError(
          `carried files and the environment hold more than ${MOST_CHARACTERS} characters of secrets`,
          'carry only what stages need: name files, not whole folders',
        );
      }
      const forms = new Map(formsOf(value).flatMap((form) => [[form.text, form] as const, joinedForm(form)]));
      for (const form of forms.values()) this.#add(form, kind);
    }
  }

  #add({ text, base64 }: Form, kind: string): void {
    if (text.length < LEAST_LENGTH) return;
    const random = text.length >= LEAST_RANDOM && (base64 === true || looksRandom(text));
    if (!random && text.length <= MOST_WHOLE) this.#whole.add(text, { kind, base64: base64 === true });
    else {
      const tag = (this.#kindIndex(kind) << 2) | (base64 ? BASE64 : random ? RANDOM : WORDS);
      eachGram(text, GRAM, (key) => this.#grams.add(key, tag));
    }
  }

  #kindIndex(kind: string): number {
    const index = this.#kinds.indexOf(kind);
    return index !== -1 ? index : this.#kinds.push(kind) - 1;
  }

  /** Where they are in `text`, in no order; nothing is found across `walls`. */
  find(text: string, walls: readonly Place[]): Span[] {
    return viewsOf(text, walls).flatMap((view) =>
      [...this.#whole.find(view.text), ...this.#pieces(view.text)].map((span) => placed(text, view, span)),
    );
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

const joinedForm = (form: Form): [string, Form] => {
  const text = joined(form.text);
  return [text, { ...form, text }];
};

/** Back in the original. Base64 takes in what is beside it there, but not what is beside it only without the line break. */
function placed(text: string, { at }: View, { start: from, end: to, kind, base64 }: KnownSpan): Span {
  const [start, end] = at === undefined ? [from, to] : [at[from] as number, (at[to - 1] as number) + 1];
  return { ...(base64 ? aroundBase64(text, start, end) : { start, end }), kind };
}
