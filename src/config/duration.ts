// Durations as people write them (15m, 1h30m, 500ms), read into milliseconds. Loads nothing.
export const DURATION = /^(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;
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

/** `ms` for people: `3 s`, `1 h 30 min`; milliseconds only below a second. */
export function durationText(ms: number): string {
  let rest = ms < 1000 ? Math.round(ms) : Math.round(ms / 1000) * 1000;
  const parts: string[] = [];
  for (const [unit, factor] of UNITS) {
    const count = Math.floor(rest / factor);
    rest -= count * factor;
    if (count > 0) parts.push(`${count} ${unit === 'm' ? 'min' : unit}`);
  }
  return parts.join(' ') || '0 s';
}
