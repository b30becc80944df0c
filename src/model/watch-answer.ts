// An answer as it comes, a piece at a time: ends it when nothing comes for too long, when its host does not end it, and when the model
// says the same over and over.
import { durationText } from '../config/duration.ts';
import { ModelFault } from '../io/egress/model-fault.ts';
import { estimateTokens } from '../outbound/text.ts';
import type { Speed } from '../plugin/contract.ts';
import { firstPieceLimit, numberText, readingText, speedText, WAITS, type Waits } from './speed.ts';

/** Thrown to stop a model whose answer can be of no use. */
export class UselessAnswer extends Error {}

export interface Watched {
  /** Who is asked, for people. */
  readonly who: string;
  /** Of the question, as far as the host has not read it already. */
  readonly tokens: number;
  /** Tokens that were asked for at most. */
  readonly maxTokens: number;
  readonly speeds: readonly Speed[];
  /** The setting that is its owner's limit, and the milliseconds it has; null: the time follows from the speed. */
  readonly setting: { readonly name: string; readonly ms: number | null };
  /** Milliseconds until the run must end. */
  readonly timeLeft: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
  readonly waits?: Waits | undefined;
}

const PROGRESS_EVERY_MS = 500;
const CHECK_EVERY_CHARS = 256;
/** What is checked for repetitions, from the end. */
const TAIL_CHARS = 40_000;
/** Of an answer whose host does not keep to the limit it was given. */
const MAX_CHARS_PER_TOKEN = 8;

export interface AnswerWatch {
  readonly signal: AbortSignal;
  /** How many came: most hosts send a token at a time. */
  pieces(): number;
  seconds(): string;
  /** Milliseconds until the first piece, and from there until now; undefined: none came. */
  took(): { readonly first: number; readonly rest: number } | undefined;
  end(): void;
  readonly onText: (piece: string) => void;
}

/** `signal` ends the request, with a ModelFault as its reason when the time is up; `onText` is to be given each piece, and may throw. */
export function watchAnswer(watched: Watched): AnswerWatch {
  const { progress, signal, maxTokens, waits = WAITS } = watched;
  const began = performance.now();
  const controller = new AbortController();
  const stop = () => controller.abort(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  // The times of the last tokens.
  const times: number[] = [];
  let [pieces, characters, first, shownAt] = [0, 0, 0, 0];
  let [tail, unchecked] = ['', 0];
  progress(readingText(watched.tokens, watched.speeds));

  const check = () => {
    const now = performance.now();
    const late = whyLate(watched, { began, now, first, pieces, times, waits });
    if (late !== undefined) controller.abort(new ModelFault(late));
  };
  const timer = setInterval(check, Math.min(1000, waits.between_ms / 10));

  return {
    signal: controller.signal,
    pieces: () => pieces,
    seconds: () => ((performance.now() - began) / 1000).toFixed(1),
    took: () => (pieces === 0 ? undefined : { first: first - began, rest: performance.now() - first }),
    end() {
      clearInterval(timer);
      signal.removeEventListener('abort', stop);
    },
    onText(piece: string) {
      const now = performance.now();
      if (pieces === 0) first = now;
      pieces += 1;
      characters += piece.length;
      for (let n = estimateTokens(piece); n > 0; n--) times.push(now);
      times.splice(0, times.length - waits.window_tokens);
      if (now - shownAt >= PROGRESS_EVERY_MS) {
        shownAt = now;
        progress(`wrote ${countText(pieces)}`);
      }
      if (characters > maxTokens * MAX_CHARS_PER_TOKEN)
        throw new ModelFault(`${watched.who} wrote more than the ${maxTokens} tokens that it was asked for`);
      tail = (tail + piece).slice(-TAIL_CHARS);
      unchecked += piece.length;
      if (unchecked < CHECK_EVERY_CHARS) return;
      unchecked = 0;
      if (repeatsCharacters(tail) || repeatsLines(tail))
        throw new UselessAnswer('the model said the same over and over');
    },
  };
}

const countText = (count: number): string => `${numberText(count)} ${count === 1 ? 'token' : 'tokens'}`;

interface Progress {
  readonly began: number;
  readonly now: number;
  readonly first: number;
  readonly pieces: number;
  /** Of the last tokens, as many as the window must have. */
  readonly times: readonly number[];
  readonly waits: Waits;
}

/** Why an answer is given up, with the setting that changes it and the speed that was seen; undefined: it is in time. Pure. */
export function whyLate(
  { who, tokens, speeds, setting, timeLeft }: Pick<Watched, 'who' | 'tokens' | 'speeds' | 'setting' | 'timeLeft'>,
  { began, now, first, pieces, times, waits }: Progress,
): string | undefined {
  const took = now - began;
  const soFar = pieces === 0 ? `no word of an answer to ${numberText(tokens)} tokens` : countText(pieces);
  if (took > timeLeft) return `${who}: ${soFar} came before the run had to end (limits.run_minutes, or --deadline)`;
  if (setting.ms !== null) {
    if (took <= setting.ms) return undefined;
    return `${who} did not answer within ${durationText(setting.ms)} (${setting.name}); ${soFar} came`;
  }
  const measured = speedText(speeds);
  const seen = measured === undefined ? 'it was never measured' : `so far it ${measured}`;
  const larger = `; ${seen}. A smaller model is faster; ${setting.name} sets one limit instead`;
  if (pieces === 0) {
    const limit = firstPieceLimit(tokens, speeds, waits);
    return took <= limit ? undefined : `${who}: ${soFar} came within ${durationText(limit)}${larger}`;
  }
  const last = times.at(-1) ?? first;
  if (now - last > waits.between_ms) {
    return `${who}: nothing more came for ${durationText(waits.between_ms)}, behind ${soFar}${larger}`;
  }
  if (now - (times[0] ?? first) <= waits.window_ms) return undefined;
  const { window_tokens, window_ms } = waits;
  return `${who}: fewer than ${window_tokens} tokens came in the last ${durationText(window_ms)}${larger}`;
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
