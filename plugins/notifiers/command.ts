// Tells a program of the owner's: the notice as JSON on its stdin, and in MENDLOOP_NOTICE_REASON, _STAGE, _TITLE and _TEXT.
import {
  definePlugin,
  ModelFault,
  type Notice,
  programEnvironment,
  programSettings,
  runModelCommand,
} from '../../src/model.ts';
import { boundedNotice, deliver, type Undelivered } from './deliver.ts';

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
    const { argv, timeout, env } = options;
    const notice = boundedNotice(context, MAX_TEXT_BYTES);
    const input = `${JSON.stringify(notice)}\n`;
    const variables = { ...programEnvironment(env), ...noticeVariables(notice) };
    const attempt = async (timeoutMs: number): Promise<Undelivered | undefined> => {
      const command = { argv, input, env: variables, timeoutMs, signal, mayBeSilent: true, graceMs: GRACE_MS };
      try {
        await runModelCommand(command);
        return undefined;
      } catch (error) {
        if (!(error instanceof ModelFault)) throw error;
        return { why: error.message, again: !/ cannot be started: /.test(error.message) };
      }
    };
    await deliver({ attempt, signal, timeoutMs: timeout });
  },
});

function noticeVariables(notice: Notice): Record<string, string> {
  const set = Object.entries(notice).map(([name, value]) => [
    `MENDLOOP_NOTICE_${name.toUpperCase()}`,
    // No variable can hold one.
    String(value).replaceAll('\0', ''),
  ]);
  return Object.fromEntries(set);
}
