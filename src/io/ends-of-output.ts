// The beginning and the end of an output of any length, in a fixed amount of memory. Cut where a line ends, or at least a
// word: half a secret would no longer be known as one.

const HEAD_BYTES = 8 * 1024;
const TAIL_BYTES = 24 * 1024;

export class EndsOfOutput {
  /** How many came in all. */
  bytes = 0;
  #head = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #tailBytes = 0;

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    const more = chunk.subarray(0, HEAD_BYTES - this.#head.length);
    if (more.length > 0) this.#head = Buffer.concat([this.#head, more]);
    const rest = chunk.subarray(more.length);
    if (rest.length === 0) return;
    // A copy: a small piece would keep all of its chunk in memory.
    this.#tail.push(Buffer.from(rest.subarray(-TAIL_BYTES)));
    this.#tailBytes += Math.min(rest.length, TAIL_BYTES);
    while (this.#tailBytes - (this.#tail[0]?.length ?? 0) >= TAIL_BYTES)
      this.#tailBytes -= this.#tail.shift()?.length ?? 0;
  }

  /** Bytes that are no UTF-8 become U+FFFD. */
  read(): { text: string; cut: boolean } {
    const tail = Buffer.concat(this.#tail).subarray(-TAIL_BYTES);
    if (this.bytes <= this.#head.length + tail.length) {
      return { text: Buffer.concat([this.#head, tail]).toString('utf8'), cut: false };
    }
    const first = toLastBreak(this.#head.toString('utf8'));
    const last = fromFirstBreak(tail.toString('utf8'));
    const missing = this.bytes - Buffer.byteLength(first) - Buffer.byteLength(last);
    return { text: `${first.trimEnd()}\n… (${missing} bytes not shown)\n${last}`, cut: true };
  }
}

const WORD_ENDS = /[\s"',;]/;

function toLastBreak(text: string): string {
  const line = text.lastIndexOf('\n');
  if (line >= 0) return text.slice(0, line + 1);
  for (let i = text.length - 1; i >= 0; i--) if (WORD_ENDS.test(text[i] as string)) return text.slice(0, i + 1);
  return '';
}

function fromFirstBreak(text: string): string {
  const line = text.indexOf('\n');
  if (line >= 0) return text.slice(line + 1);
  const word = text.search(WORD_ENDS);
  return word < 0 ? '' : text.slice(word + 1);
}
