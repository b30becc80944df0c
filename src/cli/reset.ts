// `mendloop reset <stage>…`: set stages back to idle.
import { failUsage } from '../errors.ts';
import { refuseAtWork } from '../io/lock.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { resetStages } from '../run/reset-stages.ts';
import { requireStages } from '../stage/unknown-stage.ts';
import type { Answer, CommandInput } from './command.ts';
import { PORTS } from './ports.ts';

export async function run({ words: stages, options, dry, home, layout, line }: CommandInput): Promise<Answer> {
  if (stages.length === 0) failUsage('reset needs a stage', 'mendloop reset <stage>');
  const names = stages.join(', ');
  if (dry) {
    refuseAtWork(layout());
    requireStages(stages, recordedStages(home(), loadStages(layout(), { look: true }).state));
    return { text: `would set to idle: ${names}`, json: { would_reset: stages } };
  }
  const notices = await resetStages({ home: home(), stages, command: line, force: options.force === true }, PORTS);
  return { text: [...notices.map((text) => `note: ${text}`), `idle: ${names}`], json: { reset: stages, notices } };
}
