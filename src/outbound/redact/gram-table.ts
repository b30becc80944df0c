// A set of numbers with a small tag each: the hashes of short pieces of text, millions of them in little memory.

const FILTER_BITS = 20;
const bitOf = (key: number): number => Math.floor(key / 0x100000) >>> (32 - FILTER_BITS);

export class GramTable {
  #keys = new Float64Array(1024);
  #tags = new Uint16Array(1024);
  /** Which hashes a key can have: most pieces of an ordinary text end here. */
  readonly #filter = new Uint8Array(1 << (FILTER_BITS - 3));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** `tag` is not 0; the first one of a key stays. */
  add(key: number, tag: number): void {
    if (this.#size * 2 >= this.#keys.length) this.#grow();
    const slot = this.#slot(key);
    if (this.#tags[slot] !== 0) return;
    this.#keys[slot] = key;
    this.#tags[slot] = tag;
    const bit = bitOf(key);
    this.#filter[bit >> 3] = (this.#filter[bit >> 3] as number) | (1 << (bit & 7));
    this.#size++;
  }

  /** The tag of `key`, 0 when it is not in. */
  tag(key: number): number {
    const bit = bitOf(key);
    if (((this.#filter[bit >> 3] as number) & (1 << (bit & 7))) === 0) return 0;
    return this.#tags[this.#slot(key)] as number;
  }

  #slot(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = Math.imul((key % 0x100000000) ^ (key / 0x100000000), 0x9e3779b1) >>> 7;
    for (slot &= mask; this.#tags[slot] !== 0 && this.#keys[slot] !== key; slot = (slot + 1) & mask);
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

/** Calls `each` with the hash of every piece of `length` characters and where it ends. */
export function eachGram(text: string, length: number, each: (key: number, end: number) => void): void {
  let [a, b] = [0, 0];
  let [topA, topB] = [1, 1];
  for (let i = 0; i < length; i++) [topA, topB] = [Math.imul(topA, BASE_A), Math.imul(topB, BASE_B)];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) + 1;
    a = (Math.imul(a, BASE_A) + code) | 0;
    b = (Math.imul(b, BASE_B) + code) | 0;
    if (i >= length) {
      const gone = text.charCodeAt(i - length) + 1;
      a = (a - Math.imul(topA, gone)) | 0;
      b = (b - Math.imul(topB, gone)) | 0;
    }
    // 52 bits: two different pieces that look the same will not be met.
    if (i >= length - 1) each((a >>> 0) * 0x100000 + (b >>> 12), i + 1);
  }
}

const BASE_A = 0x01000193;
const BASE_B = 0x5bd1e995;
