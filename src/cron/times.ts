// When a schedule starts a run: minutes of hours, local time, every day. Written for cron and for systemd, read back, and
// counted out. A time that the clock skips in spring is none; one that it shows twice in autumn counts once.
import { parseDuration } from '../config/duration.ts';
import { failUsage } from '../errors.ts';

/** Each minute of each hour. */
export interface Times {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
}

/** Not on the hour, when other jobs start. */
const USUAL_START = '00:17';
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

/** `--every` gives the distance, `--at` a time of day that is one of them. Throws E_USAGE for what cron cannot say. */
export function readTimes(at: string | undefined, every: string | undefined): Times {
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(at ?? USUAL_START) ?? [];
  if (hour === undefined || minute === undefined)
    failUsage(
      `--at ${at} is no time of day`,
      'for example: --at 03:17, with --every 6h: 03:17, 09:17, 15:17 and 21:17',
    );
  const distance = (parseDuration(every ?? (at === undefined ? '1h' : '1d')) ?? 0) / MINUTE_MS;
  const fits = distance < 60 ? 60 % distance === 0 : distance % 60 === 0 && DAY_MINUTES % distance === 0;
  if (!Number.isInteger(distance) || !fits)
    failUsage(
      `--every ${every} does not divide the hour or the day`,
      'take one of 5m, 10m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h, 1d',
    );
  const start = Number(hour) * 60 + Number(minute);
  const all = range(DAY_MINUTES).filter((time) => (time - start) % distance === 0);
  return {
    minutes: sorted(all.map((time) => time % 60)),
    hours: sorted(all.map((time) => Math.floor(time / 60))),
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const sorted = (numbers: readonly number[]): number[] => [...new Set(numbers)].sort((a, b) => a - b);
const padded = (number: number, digits = 2): string => String(number).padStart(digits, '0');
const listed = (numbers: readonly number[], count: number, digits = 1): string =>
  numbers.length === count ? '*' : numbers.map((number) => padded(number, digits)).join(',');

/** The first five fields of a line of crontab. */
export const cronFields = ({ minutes, hours }: Times): string => `${listed(minutes, 60)} ${listed(hours, 24)} * * *`;

/** What stands behind `OnCalendar=`. */
export const calendar = ({ minutes, hours }: Times): string =>
  `*-*-* ${listed(hours, 24, 2)}:${listed(minutes, 60, 2)}:00`;

/** The times of fields or of a calendar as they are written here; undefined when their owner wrote something else. */
export function readBack(text: string): Times | undefined {
  const [, minutes, hours] = /^(\S+)\s+(\S+)\s+\*\s+\*\s+\*$/.exec(text) ?? [];
  const [, calendarHours, calendarMinutes] = /^\*-\*-\* ([\d,*]+):([\d,*]+):00$/.exec(text) ?? [];
  const read = (list: string | undefined, count: number): number[] => {
    if (list === '*') return range(count);
    const numbers = /^\d+(?:,\d+)*$/.test(list ?? '') ? sorted((list ?? '').split(',').map(Number)) : [];
    return numbers.every((number) => number < count) ? numbers : [];
  };
  const times = { minutes: read(minutes ?? calendarMinutes, 60), hours: read(hours ?? calendarHours, 24) };
  return times.minutes.length > 0 && times.hours.length > 0 ? times : undefined;
}

/** `every hour at minute 17`, `every day at 03:17, 15:17`. */
export function spellTimes({ minutes, hours }: Times): string {
  if (hours.length < 24)
    return `every day at ${hours.flatMap((hour) => minutes.map((minute) => `${padded(hour)}:${padded(minute)}`)).join(', ')}`;
  if (minutes.length === 60) return 'every minute';
  return `every hour at ${minutes.length === 1 ? 'minute' : 'minutes'} ${minutes.join(', ')}`;
}

/** Runs are an hour apart at most, so that a missed start needs no catching up. */
export const isOften = ({ hours }: Times): boolean => hours.length === 24;

/** The times in `[from, to)`, in milliseconds since the epoch, oldest first. */
export function slots({ minutes, hours }: Times, from: number, to: number): number[] {
  const all: number[] = [];
  const day = new Date(from);
  day.setHours(0, 0, 0, 0);
  for (; day.getTime() < to; day.setDate(day.getDate() + 1)) {
    for (const hour of hours) {
      for (const minute of minutes) {
        const slot = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute);
        const exists = slot.getHours() === hour && slot.getMinutes() === minute;
        if (exists && slot.getTime() >= from && slot.getTime() < to) all.push(slot.getTime());
      }
    }
  }
  return all;
}

/** The longest time between two runs, in the days that follow. */
export function longestGap(times: Times, now: number): number {
  const next = slots(times, now, now + 3 * DAY_MINUTES * MINUTE_MS);
  return Math.max(...next.slice(1).map((slot, i) => slot - (next[i] as number)));
}

/** The first time after `now`. */
export function nextSlot(times: Times, now: number): number {
  const [next] = slots(times, now + 1, now + 3 * DAY_MINUTES * MINUTE_MS);
  return next as number;
}

/** When a run was at work. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const LOOKED_BACK_MS = 7 * DAY_MINUTES * MINUTE_MS;
const MAX_SLOTS = 200;
/** How late a run may begin: cron checks once a minute, a timer has its accuracy. */
const LATE_MS = 3 * MINUTE_MS;

/** The times of the last week, 200 at most, by which a run should have begun; `since`: when the schedule was made. */
export const pastSlots = (times: Times, since: number, now: number): number[] =>
  slots(times, Math.max(since, now - LOOKED_BACK_MS), now - LATE_MS).slice(-MAX_SLOTS);

/** Those of `past` at which no run was at work, and after which none began before the next. */
export function missedSlots(past: readonly number[], spans: readonly Span[]): number[] {
  return past.filter((slot, index) => {
    const end = past[index + 1] ?? Number.POSITIVE_INFINITY;
    return !spans.some(({ from, to }) => from < end && to >= slot);
  });
}
