// `mendloop reset <stage>…`: set stages back to idle.
import { failUsage } from '../errors.ts';
import { systemClock } from '../io/clock.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { resetStages } from '../run/reset-stages.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import type { Answer, CommandInput } from './command.ts';
import { GRACE_MS } from './ports.ts';

export async function run({ words, options, home, line }: CommandInput): Promise<Answer> {
  if (words.length === 0) failUsage('reset needs a stage', 'mendloop reset <stage>');
  if (options['dry-run']) {
    const known = recordedStages(home(), loadStages(layoutOf(home()), { look: true }).state);
    const unknown = words.find((name) => !known.includes(name));
    if (unknown !== undefined) unknownStage(unknown, known);
    return { text: `would set to idle: ${words.join(', ')}`, json: { would_reset: words } };
  }
  await resetStages(
    { home: home(), stages: words, command: line, force: options.force === true },
    { clock: systemClock, graceMs: GRACE_MS },
  );
  return { text: `idle: ${words.join(', ')}`, json: { reset: words } };
}
