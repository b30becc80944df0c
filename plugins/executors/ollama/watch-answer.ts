// An answer as it comes, a token at a time: shows how far it is, and stops a model that says the same over and over, for it
// never ends by itself.

/** Thrown to stop a model that repeats itself. */
export class Repeating extends Error {
  override readonly message = 'the model said the same over and over';
}

const PROGRESS_EVERY_MS = 500;
const CHECK_EVERY_CHARS = 256;
/** What is checked, from the end. */
const TAIL_CHARS = 40_000;

/** `onText` is to be given each piece of the answer; it throws Repeating. */
export function watchAnswer(model: string, progress: (text: string) => void) {
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  let [pieces, shownAt] = [0, 0];
  let [tail, unchecked] = ['', 0];
  return {
    seconds,
    /** How many came: a host sends a token at a time. */
    pieces: () => pieces,
    onText(piece: string) {
      pieces += 1;
      if (performance.now() - shownAt >= PROGRESS_EVERY_MS) {
        shownAt = performance.now();
        progress(`${model}: ${pieces} tokens, ${seconds()} s`);
      }
      tail = (tail + piece).slice(-TAIL_CHARS);
      unchecked += piece.length;
      if (unchecked < CHECK_EVERY_CHARS) return;
      unchecked = 0;
      if (repeatsCharacters(tail) || repeatsLines(tail)) throw new Repeating();
    },
  };
}

const MAX_PERIOD = 100;
const MIN_CHARS = 600;
const MIN_TIMES = 12;

/** The end is one short text, a dozen times. */
function repeatsCharacters(text: string): boolean {
  for (let period = 1; period <= MAX_PERIOD; period++) {
    const length = Math.max(MIN_CHARS, MIN_TIMES * period);
    if (text.length < length + period) return false;
    let i = text.length - 1;
    const end = text.length - length;
    while (i >= end && text[i] === text[i - period]) i--;
    if (i < end) return true;
  }
  return false;
}

const MAX_BLOCK_LINES = 60;
const MIN_BLOCK_TIMES = 5;
const MIN_BLOCK_CHARS = 1000;

/** The end is one block of lines, several times. */
function repeatsLines(text: string): boolean {
  const lines = text.split('\n');
  // The last one is not complete yet.
  lines.pop();
  for (let period = 1; period <= MAX_BLOCK_LINES; period++) {
    const length = period * MIN_BLOCK_TIMES;
    if (lines.length < length) return false;
    const end = lines.slice(-length);
    if (end.join('\n').length < MIN_BLOCK_CHARS) continue;
    if (end.every((line, i) => i < period || line === end[i - period])) return true;
  }
  return false;
}
