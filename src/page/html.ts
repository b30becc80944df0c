// A template tag for HTML: every value is escaped, and its control characters are spelled out, unless it is Html.
import { plainText } from '../io/plain-text.ts';

/** A piece of HTML; only `html` makes one. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

export type Part = Html | string | number | false | null | undefined | readonly Part[];

/** Escapes all parts, and spells control and bidi characters out. */
export function html(strings: readonly string[], ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, i) => (i === 0 ? text : render(parts[i - 1]) + text)).join(''));
}

function render(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Html) return part.toString();
  return typeof part === 'object' ? part.map(render).join('') : escaped(String(part));
}

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => plainText(text).replace(/[&<>"']/g, (sign) => SIGNS[sign] as string);

/** A length in a drawing without a width of its own. */
export const percent = (value: number): string => `${Math.round(value * 1000) / 1000}%`;
