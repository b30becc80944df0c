// How fast a model answered before, and what follows from it: how long the next answer may take, and which form of it fits. Pure.
import { durationText } from '../config/duration.ts';
import type { Speed } from '../plugin/contract.ts';

/** The limits of a wait; one object, so that a test can scale them. */
export const WAITS = {
  /** Until the first piece, of a model that was never measured. */
  unmeasured_ms: 600_000,
  /** Until the first piece, at least. */
  first_ms: 120_000,
  between_ms: 120_000,
  /** At least `window_tokens` in any `window_ms`. */
  window_ms: 600_000,
  window_tokens: 60,
  /** Of an answer that comes in one piece. */
  whole_ms: 900_000,
  /** Until a host that is busy, or loads its model, is asked again. */
  again_ms: 5000,
};
export type Waits = typeof WAITS;

export const MAX_ANSWER_TOKENS = 2000;

/** How much slower than the slowest of the last answers the next one may be. */
const MARGIN = 3;

const msPerToken = ({ tokens, ms }: { tokens: number; ms: number }): number => ms / Math.max(1, tokens);

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const readings = (speeds: readonly Speed[]): number[] => speeds.flatMap(({ read }) => (read ? [msPerToken(read)] : []));

const writings = (speeds: readonly Speed[]): number[] =>
  speeds.flatMap(({ wrote }) => (wrote ? [msPerToken(wrote)] : []));

/** Milliseconds until the first piece of an answer to `tokens`, at most. */
export function firstPieceLimit(tokens: number, speeds: readonly Speed[], waits: Waits = WAITS): number {
  if (speeds.some(({ whole }) => whole)) return waits.whole_ms;
  const reads = readings(speeds);
  if (reads.length === 0) return waits.unmeasured_ms;
  const loading = Math.max(0, ...speeds.map(({ load_ms = 0 }) => load_ms));
  return Math.max(waits.first_ms, MARGIN * (tokens * Math.max(...reads) + loading));
}

/** Milliseconds that reading `tokens` usually takes; undefined: it was never measured. */
export function readingTime(tokens: number, speeds: readonly Speed[]): number | undefined {
  const ms = median(readings(speeds));
  return ms === undefined ? undefined : tokens * ms;
}

/** Milliseconds that writing `tokens` usually takes; undefined: it was never measured. */
export function writingTime(tokens: number, speeds: readonly Speed[]): number | undefined {
  const ms = median(writings(speeds));
  return ms === undefined ? undefined : tokens * ms;
}

/** A question as it usually is, and an answer in a short form. */
const USUAL = { read: 2000, write: 200 };

/** Milliseconds that a usual question takes with its answer; undefined: it was never measured. */
export function usualTime(speeds: readonly Speed[]): number | undefined {
  const [read, write] = [readingTime(USUAL.read, speeds), writingTime(USUAL.write, speeds)];
  return read === undefined || write === undefined ? undefined : read + write;
}

/** The slowest host that this is made for: what is assumed before the first answer. */
const SLOWEST: readonly Speed[] = [{ read: { tokens: 20, ms: 1000 }, wrote: { tokens: 5, ms: 1000 } }];
const LONG_ANSWER_MS = 60_000;

/** Whether an answer of `tokens` would be waited for longer than another form of it deserves. */
export const isLongToWrite = (tokens: number, speeds: readonly Speed[]): boolean =>
  (writingTime(tokens, speeds) ?? (writingTime(tokens, SLOWEST) as number)) > LONG_ANSWER_MS;

/** `reads 20 and writes 5 tokens a second`; undefined: it was never measured. */
export function speedText(speeds: readonly Speed[]): string | undefined {
  const [read, write] = [median(readings(speeds)), median(writings(speeds))];
  const words = [
    ...(read === undefined ? [] : [`reads ${perSecond(read)}`]),
    ...(write === undefined ? [] : [`writes ${perSecond(write)}`]),
  ];
  return words.length === 0 ? undefined : `${words.join(' and ')} tokens a second`;
}

const perSecond = (ms: number): string => {
  const speed = 1000 / Math.max(ms, 0.001);
  return speed < 10 ? String(Math.round(speed * 10) / 10) : numberText(Math.round(speed));
};

/** `1,900`. */
export const numberText = (value: number): string => value.toLocaleString('en-US');

/** `reads 1,900 tokens, about 95 s`; without a time while the model was never measured. */
export function readingText(tokens: number, speeds: readonly Speed[]): string {
  const ms = readingTime(tokens, speeds);
  return `reads ${numberText(tokens)} tokens${ms === undefined ? '' : `, about ${aboutText(ms)}`}`;
}

/** Seconds up to two minutes, then minutes. */
export const aboutText = (ms: number): string =>
  ms < 120_000 ? `${Math.max(1, Math.round(ms / 1000))} s` : durationText(Math.round(ms / 60_000) * 60_000);
