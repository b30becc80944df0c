// HTML that is safe where it is put together: whatever stands in a template is text, shown as on a terminal, unless it is Html.
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

/** A template whose parts are escaped: control characters and turned reading order are spelled out, and no part is markup. */
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

/** What a state looks like, besides its colour, and the class that gives it one. */
const STATES: Readonly<Record<string, readonly [sign: string, look: string]>> = {
  green: ['✓', 'good'],
  fresh: ['✓', 'good'],
  success: ['✓', 'good'],
  verified: ['✓', 'good'],
  landed: ['✓', 'good'],
  done: ['✓', 'good'],
  running: ['▶', 'busy'],
  open: ['▶', 'busy'],
  applied: ['▶', 'busy'],
  asked: ['▶', 'busy'],
  answered: ['▶', 'busy'],
  failed: ['✕', 'bad'],
  failure: ['✕', 'bad'],
  broke: ['✕', 'bad'],
  give_up: ['!', 'bad'],
  given_up: ['!', 'bad'],
  stuck: ['!', 'bad'],
  partial: ['◐', 'warn'],
  provisional: ['◐', 'warn'],
  holds: ['◐', 'warn'],
  waits: ['◆', 'warn'],
};

/** How a state is drawn: a sign that tells it without colour, and its look: good, busy, bad, warn or idle. */
export const stateLook = (state: string): { sign: string; look: string } => {
  const [sign, look] = STATES[state] ?? ['○', 'idle'];
  return { sign, look };
};

const WORDS: Readonly<Record<string, string>> = { fresh: 'still holds', give_up: 'given up' };

/** The word that people use for a state. */
export const stateWord = (state: string): string => WORDS[state] ?? state.replaceAll('_', ' ');

/** A state with its sign, its colour and its word. */
export function stateHtml(state: string, word = stateWord(state)): Html {
  const { sign, look } = stateLook(state);
  return html`<span class="state ${look}"><span class="sign" aria-hidden="true">${sign}</span> ${word}</span>`;
}
