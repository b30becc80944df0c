// Tells a program of the owner's: the notice as JSON on its stdin, and in MENDLOOP_NOTICE_REASON, _STAGE, _TITLE and _TEXT.

import { runModelCommand } from '../../src/io/egress/model-command.ts';
import { ModelFault } from '../../src/io/egress/model-fault.ts';
import { definePlugin } from '../../src/plugin/define.ts';
import { commandSettings, environment } from '../command/settings.ts';
import { deliver, type Untold } from './deliver.ts';
import { type Told, toldOf } from './notice.ts';

/** A variable of more than 128 KiB cannot be handed over. */
const MOST_TEXT = 32_000;
/** What is left of the time that the loop gives a call ends what does not want to end. */
const GRACE_MS = 500;

export default definePlugin({
  name: 'command',
  kind: 'notifier',
  options: commandSettings('25s'),
  async notify(context) {
    const { signal, options } = context;
    const { argv, timeout, env } = options;
    const told = toldOf(context, MOST_TEXT);
    const input = `${JSON.stringify(told)}\n`;
    const whole = { ...environment(env), ...variables(told) };
    const attempt = async (timeoutMs: number): Promise<Untold | undefined> => {
      try {
        await runModelCommand({ argv, input, env: whole, timeoutMs, signal, mayBeSilent: true, graceMs: GRACE_MS });
        return undefined;
      } catch (error) {
        if (!(error instanceof ModelFault)) throw error;
        return { why: error.message, again: !/ cannot be started: /.test(error.message) };
      }
    };
    await deliver({ attempt, signal, timeoutMs: timeout });
  },
});

function variables(told: Told): Record<string, string> {
  const set = Object.entries(told).map(([name, value]) => [
    `MENDLOOP_NOTICE_${name.toUpperCase()}`,
    // No variable can hold one.
    String(value).replaceAll('\0', ''),
  ]);
  return Object.fromEntries(set);
}
