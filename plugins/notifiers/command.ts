// Tells a program of the owner's: the notice as JSON on its stdin, and in MENDLOOP_NOTICE_REASON, _STAGE, _TITLE, _TEXT and, for a
// change that waits for a word, _ASK_CASE, _ASK_DIFF, _ASK_TOKEN and the others of `ask`.
import type { Notice } from '../../src/model.ts';
import { definePlugin, ModelFault, programEnvironment, programSettings, runModelCommand } from '../../src/model.ts';
import { boundedNotice, deliver } from './deliver.ts';

/** A variable of more than 128 KiB cannot be handed over. */
const MAX_TEXT_BYTES = 32_000;
/** What is left of the time that the loop gives a call ends what does not want to end. */
const GRACE_MS = 500;

export default definePlugin({
  name: 'command',
  kind: 'notifier',
  options: programSettings('25s'),
  async notify(context) {
    const { signal, options } = context;
    const { argv } = options;
    const notice = boundedNotice(context, MAX_TEXT_BYTES);
    const input = `${JSON.stringify(notice)}\n`;
    const env = { ...programEnvironment(options.env), ...noticeVariables(notice) };
    await deliver(context, async (timeoutMs) => {
      try {
        await runModelCommand({ argv, input, env, timeoutMs, signal, mayBeSilent: true, graceMs: GRACE_MS });
        return undefined;
      } catch (error) {
        if (!(error instanceof ModelFault)) throw error;
        return { why: error.message, again: !/ cannot be started: /.test(error.message) };
      }
    });
  },
});

function noticeVariables(notice: Notice): Record<string, string> {
  // No variable can hold a NUL.
  const text = (value: unknown) => String(value).replaceAll('\0', '');
  const { ask, ...words } = notice;
  const asked = Object.entries(ask ?? {}).map(([name, value]): [string, unknown] => [
    `ask_${name}`,
    Array.isArray(value) ? value.join('; ') : value,
  ]);
  const variables: [string, unknown][] = [...Object.entries(words), ...asked];
  return Object.fromEntries(variables.map(([name, value]) => [`MENDLOOP_NOTICE_${name.toUpperCase()}`, text(value)]));
}
