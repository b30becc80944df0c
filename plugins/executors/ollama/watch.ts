// A model that says the same over and over never ends by itself: noticed while it speaks.

/** Thrown to stop a model that repeats itself. */
export class Repeating extends Error {
  constructor() {
    super('the model said the same over and over');
    this.name = 'Repeating';
  }
}

const LOOK_EVERY = 256;
const LONGEST_PERIOD = 100;
const LEAST_CHARS = 600;
const LEAST_TIMES = 12;
const BLOCK_LINES = 60;
const BLOCK_TIMES = 5;
const BLOCK_CHARS = 1000;
/** What is looked at, from the end. */
const TAIL = 40_000;

/** To be told each piece of an answer; throws Repeating. */
export function watchRepeats(): (piece: string) => void {
  let [tail, unseen] = ['', 0];
  return (piece) => {
    tail = (tail + piece).slice(-TAIL);
    unseen += piece.length;
    if (unseen < LOOK_EVERY) return;
    unseen = 0;
    if (repeatsCharacters(tail) || repeatsLines(tail)) throw new Repeating();
  };
}

/** The end is one short text, a dozen times. */
function repeatsCharacters(text: string): boolean {
  for (let period = 1; period <= LONGEST_PERIOD; period++) {
    const length = Math.max(LEAST_CHARS, LEAST_TIMES * period);
    if (text.length < length + period) return false;
    let i = text.length - 1;
    const end = text.length - length;
    while (i >= end && text[i] === text[i - period]) i--;
    if (i < end) return true;
  }
  return false;
}

/** The end is one block of lines, several times. */
function repeatsLines(text: string): boolean {
  const lines = text.split('\n');
  // The last one is not complete yet.
  lines.pop();
  for (let period = 1; period <= BLOCK_LINES; period++) {
    const length = period * BLOCK_TIMES;
    if (lines.length < length) return false;
    const end = lines.slice(-length);
    if (end.join('\n').length < BLOCK_CHARS) continue;
    if (end.every((line, i) => i < period || line === end[i - period])) return true;
  }
  return false;
}
