// Finding any of many short texts at every place of a long one. They are told apart by their first eight characters, then
// by the next eight, so that each place costs a few look-ups however many texts begin alike.

import { eachGram } from './gram-table.ts';
import { LEAST_LENGTH } from './secret.ts';
import type { Span } from './spans.ts';

/** Where a known secret is, and whether in base64. */
export interface KnownSpan extends Span {
  base64: boolean;
}

interface Found {
  kind: string;
  base64: boolean;
}

interface Node {
  /** What may follow to the end of a text, by its length. */
  ends: Map<string, Found>[];
  next: Map<string, Node>;
}

const STEP = LEAST_LENGTH;
const FILTER_BITS = 22;

export class WholeTexts {
  readonly #root = node();
  /** Which hashes a first step can have: most places of a text end here. */
  readonly #filter = new Uint8Array(1 << (FILTER_BITS - 3));
  #empty = true;

  /** `text` has LEAST_LENGTH characters at least. */
  add(text: string, found: Found): void {
    this.#empty = false;
    eachGram(text.slice(0, STEP), STEP, (key) => {
      const bit = bitOf(key);
      this.#filter[bit >> 3] = (this.#filter[bit >> 3] as number) | (1 << (bit & 7));
    });
    let at = this.#root;
    let from = 0;
    for (; text.length - from >= STEP; from += STEP) {
      const step = text.slice(from, from + STEP);
      const next = at.next.get(step) ?? node();
      at.next.set(step, next);
      at = next;
    }
    const rest = text.slice(from);
    const ends = at.ends[rest.length] ?? new Map<string, Found>();
    at.ends[rest.length] = ends;
    if (!ends.has(rest)) ends.set(rest, found);
  }

  /** The longest at each place. */
  find(text: string): KnownSpan[] {
    const spans: KnownSpan[] = [];
    if (this.#empty) return spans;
    eachGram(text, STEP, (key, end) => {
      const bit = bitOf(key);
      if (((this.#filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return;
      const span = this.#at(text, end - STEP);
      if (span !== undefined) spans.push(span);
    });
    return spans;
  }

  #at(text: string, start: number): KnownSpan | undefined {
    let span: KnownSpan | undefined;
    let from = start;
    for (let at = this.#root.next.get(text.slice(from, from + STEP)); at !== undefined; ) {
      from += STEP;
      for (let length = 0; length < STEP; length++) {
        const found = at.ends[length]?.get(text.slice(from, from + length));
        if (found === undefined) continue;
        const end = from + length;
        span = { start, end, ...found };
      }
      at = at.next.get(text.slice(from, from + STEP));
    }
    return span;
  }
}

const node = (): Node => ({ ends: [], next: new Map() });
const bitOf = (key: number): number => Math.floor(key / 0x100000) >>> (32 - FILTER_BITS);
