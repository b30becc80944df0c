// Finding known secrets in a text, in all their forms, in time that does not grow with their number.
import { aroundBase64 } from './around-base64.ts';
import { type Form, formsOf } from './encodings.ts';
import { FormTable } from './form-table.ts';
import type { Place } from './placeholder.ts';
import { RedactionError } from './redaction-error.ts';
import { LEAST_LENGTH, type Secret } from './secret.ts';
import type { Span } from './spans.ts';
import { joined, squeezed, type View, viewsOf, withoutBlanks } from './view.ts';
import type { KnownSpan } from './whole-texts.ts';

const MOST_CHARACTERS = 1024 * 1024;

export class KnownSecrets {
  readonly #plain = new FormTable();
  /** Secrets of several words, without the blanks: a text may be wrapped at any of them. */
  readonly #words = new FormTable();

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
      for (const form of forms.values()) this.#plain.add(form, kind);
      if (/[ \t]/.test(value)) this.#words.add({ text: squeezed(value) }, kind);
    }
  }

  /** Where they are in `text`, in no order; nothing is found across `walls`. */
  find(text: string, walls: readonly Place[]): Span[] {
    const found = viewsOf(text, walls).flatMap((view) => placedIn(text, view, this.#plain));
    return this.#words.isEmpty ? found : [...found, ...placedIn(text, withoutBlanks(text, walls), this.#words)];
  }
}

const joinedForm = (form: Form): [string, Form] => {
  const text = joined(form.text);
  return [text, { ...form, text }];
};

const placedIn = (text: string, view: View, table: FormTable): Span[] =>
  table.find(view.text).map((span) => placed(text, view, span));

/** Back in the original. Base64 takes in what is beside it there, but not what is beside it only without the line break. */
function placed(text: string, { at }: View, { start: from, end: to, kind, base64 }: KnownSpan): Span {
  const [start, end] = at === undefined ? [from, to] : [at[from] as number, (at[to - 1] as number) + 1];
  return { ...(base64 ? aroundBase64(text, start, end) : { start, end }), kind };
}
