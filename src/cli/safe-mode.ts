// `mendloop safe-mode [on|off]`: stop the AI from changing anything, let it again, or say how things stand.
import { safeModeLines } from '../console/status-lines.ts';
import { failUsage } from '../errors.ts';
import { systemClock } from '../io/clock.ts';
import { requireWritable } from '../io/store.ts';
import { clearSafeMode, readSafeMode, setSafeMode } from '../mend/safe-mode.ts';
import type { Answer, CommandInput } from './command.ts';

/** Needs no lock: a run that is at work looks again before each change. */
export async function run({ words, dry, layout: findLayout }: CommandInput): Promise<Answer> {
  const [word, ...reason] = words;
  const layout = findLayout();
  const now = systemClock.now();
  if (word !== undefined && word !== 'on' && word !== 'off') {
    failUsage(`safe-mode is on or off, not ${word}`, 'mendloop safe-mode on|off');
  }
  if (word !== undefined && !dry) {
    requireWritable(layout.state);
    if (word === 'off') clearSafeMode(layout);
    else {
      const why = reason.join(' ') || 'a person said so';
      setSafeMode(layout, { since: new Date(now).toISOString(), by: 'hand', why });
    }
  }
  const mode = readSafeMode(layout);
  const text = mode ? safeModeLines(mode, now).join('\n') : 'safe mode is off';
  const would = dry && word !== undefined ? `\nwould set it ${word}` : '';
  return { text: `${text}${would}`, json: { safe_mode: mode ?? null } };
}
