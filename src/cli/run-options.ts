// The options a run takes, as values; or one clear error.
import { parseDuration } from '../config/duration.ts';
import { PLUGIN_NAME, SHIPPED } from '../config/loop-config.ts';
import { didYouMean } from '../config/suggest.ts';
import { failUsage } from '../errors.ts';
import type { Lab } from '../stage/run.ts';
import type { CommandInput } from './command.ts';

/** What every command takes that runs stages or says what a run would do. Throws E_USAGE for values that mean nothing. */
export function runOptions({ options }: Pick<CommandInput, 'options'>) {
  const { backend, workers, deadline } = options as Record<string, string | undefined>;
  if (backend !== undefined && !PLUGIN_NAME.test(backend)) {
    const hint = didYouMean(backend, SHIPPED.backends, 'this version ships');
    failUsage(`there is no backend ${JSON.stringify(backend)}${hint}`, 'leave --backend out, or name one');
  }
  if (workers !== undefined && !/^[1-9]\d{0,3}$/.test(workers)) {
    failUsage(`--workers ${workers} is not a number from 1 to 9999`, 'for example: --workers 2');
  }
  return {
    withNeeds: options['with-needs'] === true,
    recheck: options['no-recheck'] !== true,
    ai: options['no-ai'] !== true,
    backend,
    yes: options.yes === true,
    workers: workers === undefined ? undefined : Number(workers),
    deadline: deadlineOption(deadline, new Date()),
    lab: labOverride(process.env.MENDLOOP_LAB),
  };
}

/** What a run is asked for, but for its stages. Throws E_USAGE, and what `home` throws. */
export const runRequest = (input: CommandInput) => ({
  ...runOptions(input),
  home: input.home(),
  command: input.line,
  commands: Object.keys(input.commands),
});

/** The number that an option was given; undefined when it was not. Throws E_USAGE for what is no number from 1 on. */
export function numberOption(options: CommandInput['options'], name: string, next: string): number | undefined {
  const value = options[name];
  if (value === undefined) return undefined;
  return /^[1-9]\d{0,6}$/.test(String(value))
    ? Number(value)
    : failUsage(`--${name} ${value} is not a number from 1 on`, next);
}

/** A duration from now, a time of day (the next one), or a full date and time, in epoch milliseconds. */
export function deadlineOption(text: string | undefined, now: Date): number | undefined {
  if (text === undefined) return undefined;
  const duration = parseDuration(text);
  if (duration) return now.getTime() + duration;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours && minutes) {
    const at = new Date(now);
    at.setHours(Number(hours), Number(minutes), 0, 0);
    if (at <= now) at.setDate(at.getDate() + 1);
    return at.getTime();
  }
  const date = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(date)) return date;
  const what = `--deadline ${text} is neither a duration, a time of day nor a date`;
  failUsage(what, 'for example: --deadline 2h, --deadline 06:30 or --deadline 2026-12-24T06:30:00Z');
}

export function labOverride(text: string | undefined): Lab | undefined {
  if (text === undefined || text === '') return undefined;
  if (text === 'real' || text === 'simulated') return text;
  failUsage(`MENDLOOP_LAB is ${JSON.stringify(text)}`, 'set it to real or simulated, or unset it');
}
