// `mendloop gc`: forget old runs, as `retention` in ai/loop.yaml or the options say.
import { failUsage } from '../errors.ts';
import { withLock } from '../io/lock.ts';
import { collect } from '../run/gc.ts';
import { configurationNow } from '../stage/configuration.ts';
import { counted } from '../triage/words.ts';
import type { Answer, CommandInput } from './command.ts';

const NEXT = 'for example: mendloop gc --days 90, or retention: {days: 90} in ai/loop.yaml';

export async function run({ options, dry, layout: findLayout, line }: CommandInput): Promise<Answer> {
  const layout = findLayout();
  const asked = { days: number('days'), keep_runs: number('keep-runs'), max_mb: number('max-mb') };
  const isAsked = Object.values(asked).some((value) => value !== null);
  const policy = isAsked ? asked : (await configurationNow(layout.home)).config.loop.retention;
  if (policy === null) failUsage('nothing says what may go: ai/loop.yaml has no retention', NEXT);
  const work = (remove: boolean) => collect(layout, policy, Date.now(), { remove });
  const done = dry ? work(false) : await withLock(layout, line, async () => work(true));
  const what = `${counted(done.runs.length, 'run')} with ${counted(done.files, 'file')}, ${sizeText(done.bytes)} of ${sizeText(done.total)}`;
  const none = `nothing to remove: ${sizeText(done.total)} in runs and logs`;
  return {
    text: done.runs.length === 0 ? none : `${dry ? 'would remove' : 'removed'} ${what}`,
    json: { ...done, policy },
  };

  function number(name: string): number | null {
    const value = options[name];
    if (value === undefined) return null;
    if (!/^[1-9]\d{0,6}$/.test(String(value))) failUsage(`--${name} ${value} is not a number from 1 on`, NEXT);
    return Number(value);
  }
}

const sizeText = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
