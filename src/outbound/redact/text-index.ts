// Looking many texts up in a long one, by rolling hashes of short pieces: short texts as a whole, long ones by any of
// their pieces. A bit filter in front lets most places of an ordinary text pass after one look.
import type { Span } from './spans.ts';

/** Where a known secret is, and whether in base64. */
export interface KnownSpan extends Span {
  base64: boolean;
}

type Entry = Pick<KnownSpan, 'kind' | 'base64'>;

class Node {
  /** What may follow to the end of a text, by its length. */
  readonly ends: Map<string, Entry>[] = [];
  readonly next = new Map<string, Node>();
}

/**
 * Finds any of its texts at every place. They are told apart a step of characters at a time, however many begin alike.
 */
export class TextIndex {
  readonly #step: number;
  readonly #root = new Node();
  readonly #filter: BitFilter;
  #empty = true;

  /** No text is shorter than `step`. */
  constructor(step: number, filterBits = 22) {
    this.#step = step;
    this.#filter = new BitFilter(filterBits);
  }

  add(text: string, entry: Entry): void {
    this.#empty = false;
    const step = this.#step;
    eachPiece(text.slice(0, step), step, (hash) => this.#filter.add(hash));
    let at = this.#root;
    let from = 0;
    for (; text.length - from >= step; from += step) {
      const head = text.slice(from, from + step);
      const next = at.next.get(head) ?? new Node();
      at.next.set(head, next);
      at = next;
    }
    const rest = text.slice(from);
    const ends = at.ends[rest.length] ?? new Map<string, Entry>();
    at.ends[rest.length] = ends;
    if (!ends.has(rest)) ends.set(rest, entry);
  }

  /** The longest at each place. */
  find(text: string): KnownSpan[] {
    const spans: KnownSpan[] = [];
    const step = this.#step;
    if (this.#empty) return spans;
    const look = (_: number, end: number) => {
      const span = this.#at(text, end - step);
      if (span !== undefined) spans.push(span);
    };
    eachPiece(text, step, look, this.#filter);
    return spans;
  }

  #at(text: string, start: number): KnownSpan | undefined {
    const step = this.#step;
    let span: KnownSpan | undefined;
    let from = start;
    for (let at = this.#root.next.get(text.slice(from, from + step)); at !== undefined; ) {
      from += step;
      for (let length = 0; length < step; length++) {
        const entry = at.ends[length]?.get(text.slice(from, from + length));
        if (entry !== undefined) span = { start, end: from + length, ...entry };
      }
      at = at.next.get(text.slice(from, from + step));
    }
    return span;
  }
}

/** Hashes of pieces with a small tag each, millions of them in little memory. */
export class PieceTable {
  #keys = new Float64Array(1024);
  #tags = new Uint16Array(1024);
  readonly #filter = new BitFilter(20);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `tag` is not 0; the first one of a hash stays. */
  add(hash: number, tag: number): void {
    if (this.#size * 2 >= this.#keys.length) this.#grow();
    const slot = this.#slot(hash);
    if (this.#tags[slot] !== 0) return;
    this.#keys[slot] = hash;
    this.#tags[slot] = tag;
    this.#filter.add(hash);
    this.#size++;
  }

  /** Calls `each` with the tag of every piece of `length` characters that is in, and where it ends. */
  find(text: string, length: number, each: (tag: number, end: number) => void): void {
    const look = (hash: number, end: number) => {
      const tag = this.#tags[this.#slot(hash)] as number;
      if (tag !== 0) each(tag, end);
    };
    eachPiece(text, length, look, this.#filter);
  }

  #slot(hash: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul((hash % 0x100000000) ^ (hash / 0x100000000), 0x9e3779b1) >>> 7;
    for (slot &= mask; this.#tags[slot] !== 0 && this.#keys[slot] !== hash; slot = (slot + 1) & mask);
    return slot;
  }

  #grow(): void {
    const [keys, tags] = [this.#keys, this.#tags];
    this.#keys = new Float64Array(keys.length * 2);
    this.#tags = new Uint16Array(keys.length * 2);
    this.#size = 0;
    for (let i = 0; i < keys.length; i++) if (tags[i] !== 0) this.add(keys[i] as number, tags[i] as number);
  }
}

/** Says of most hashes that were not added that they were not, and of none that was. */
class BitFilter {
  readonly #size: number;
  /** Of the upper 32 bits of a hash, to the number of its bit. */
  readonly shift: number;
  /** Made when it is first needed: most redactors know few secrets or none. */
  bits = new Uint8Array(0);

  constructor(bits: number) {
    this.#size = 1 << (bits - 3);
    this.shift = 32 - bits;
  }

  add(hash: number): void {
    if (this.bits.length === 0) this.bits = new Uint8Array(this.#size);
    const bit = Math.floor(hash / 0x100000) >>> this.shift;
    this.bits[bit >> 3] = (this.bits[bit >> 3] as number) | (1 << (bit & 7));
  }
}

/** Lets everything pass. */
const NO_FILTER: Pick<BitFilter, 'bits' | 'shift'> = { bits: Uint8Array.of(0b11), shift: 31 };
const BASE_A = 0x01000193;
const BASE_B = 0x5bd1e995;

/** Calls `each` with the hash of every piece of `length` characters that `filter` lets pass, and where it ends. */
export function eachPiece(
  text: string,
  length: number,
  each: (hash: number, end: number) => void,
  { bits, shift } = NO_FILTER,
): void {
  let [hash, top] = [0, 1];
  for (let i = 0; i < length; i++) top = Math.imul(top, BASE_A);
  for (let i = 0; i < text.length; i++) {
    hash = (Math.imul(hash, BASE_A) + text.charCodeAt(i) + 1) | 0;
    if (i >= length) hash = (hash - Math.imul(top, text.charCodeAt(i - length) + 1)) | 0;
    const bit = hash >>> shift;
    // The filter asks here, not in a function of its own: this is done for every character of every text.
    if (i >= length - 1 && ((bits[bit >> 3] as number) >> (bit & 7)) & 1)
      each((hash >>> 0) * 0x100000 + secondHash(text, i + 1 - length, i + 1), i + 1);
  }
}

/** With 52 bits in all two different pieces with the same hash will not occur. */
function secondHash(text: string, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i++) hash = (Math.imul(hash, BASE_B) + text.charCodeAt(i) + 1) | 0;
  return hash >>> 12;
}

/** By its code, whether a character is one of base64, in either alphabet. */
export const BASE64 = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9+/_-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

/**
 * Calls `each` for every longest run of at least `least` characters of base64. Such a run holds one of every `least` places,
 * so that most characters are not looked at.
 */
export function eachRun(text: string, least: number, each: (start: number, end: number) => void): void {
  for (let at = least - 1; at < text.length; at += least) {
    if (BASE64[text.charCodeAt(at)] !== 1) continue;
    let start = at;
    while (start > 0 && BASE64[text.charCodeAt(start - 1)] === 1) start--;
    while (at < text.length && BASE64[text.charCodeAt(at)] === 1) at++;
    if (at - start >= least) each(start, at);
  }
}
