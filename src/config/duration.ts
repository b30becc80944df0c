// Durations as people write them (15m, 1h30m, 500ms), read into milliseconds.
import * as z from 'zod';

const DURATION = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** The longest time a Node timer can wait is 2^31 - 1 ms, a little over 24 days; a longer one would fire at once. */
export const MAX_DURATION_MS = 24 * 86_400_000;

/** Milliseconds of a text like `1h30m`, or undefined when it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const ms = UNITS.reduce((sum, [, factor], index) => sum + Number(match[index + 1] ?? 0) * factor, 0);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/** The shortest text that `parseDuration` reads back as `ms` (a whole number of milliseconds, 0 or more). */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const [unit, factor] of UNITS) {
    const count = Math.floor(rest / factor);
    rest -= count * factor;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === '' ? '0s' : text;
}

const EXPECTED = 'expected a duration with units ms, s, m, h or d, such as 90s or 1h30m';

/** A duration in a configuration file: text in, milliseconds out, at most `MAX_DURATION_MS`. */
export const durationSchema = z
  .string({ error: EXPECTED })
  .regex(DURATION, { error: EXPECTED, abort: true })
  .refine((text) => (parseDuration(text) ?? Infinity) <= MAX_DURATION_MS, {
    error: 'longer than 24d, the longest time that can be waited for',
  })
  .transform((text) => parseDuration(text) ?? 0);

/** A duration that is not zero. */
export const positiveDurationSchema = durationSchema.refine((ms) => ms > 0, {
  error: 'expected a duration longer than zero',
});
