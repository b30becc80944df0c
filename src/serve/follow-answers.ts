// With hands, the page's process reads the answers of notices as they come, and does at once what a button of the page would.
import { formatError, MendError } from '../errors.ts';
import { systemClock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { leaveRefusal } from '../mend/answers.ts';
import { callHook, faultLine } from '../plugin/call.ts';
import type { HeardAnswer } from '../plugin/contract.ts';
import { type Heard, heardAnswer, readers, since } from '../run/hear-answers.ts';
import { configurationNow } from '../stage/configuration.ts';
import { pluginsAt } from '../stage/own-plugins.ts';
import { takeAndRun } from './acts.ts';

/** The connection is made anew, with the configuration of then. */
const STREAM_MS = 30 * 60_000;
const AGAIN_MS = 5000;

/** Until `stop`. `log`: told what was done, and once what keeps it from listening. */
export async function followAnswers(layout: Layout, stop: AbortSignal, log: (line: string) => void): Promise<void> {
  let said = '';
  const once = (line: string) => {
    if (line !== said) log(line);
    said = line;
  };
  let turn: Promise<unknown> = Promise.resolve();
  const heard = (message: HeardAnswer) => {
    turn = turn.then(() => act(layout, message, log));
  };
  while (!stop.aborted) {
    const plugins = await notifiersOf(layout).catch((error) => {
      if (!(error instanceof MendError)) throw error;
      once(`answers are not read: ${error.message}`);
      return [];
    });
    const follow = { follow: true, since: since(Date.now()) };
    const options = { signal: stop, timeoutMs: STREAM_MS, reporting: { heard } };
    const ends = await Promise.all(plugins.map((plugin) => callHook(plugin, 'answers', follow, options)));
    for (const end of ends)
      if (!('answer' in end) && end.why !== 'late' && end.why !== 'stopped')
        once(`answers are not read: ${faultLine(end)}`);
    await systemClock.sleep(plugins.length === 0 ? STREAM_MS : AGAIN_MS, stop);
  }
  await turn;
}

async function notifiersOf(layout: Layout) {
  const { base, config } = await configurationNow(layout.home);
  return readers((await pluginsAt(layout, base.commit, config.loop)).notifiers);
}

async function act(layout: Layout, message: HeardAnswer, log: (line: string) => void): Promise<void> {
  try {
    const answer = heardAnswer(layout, message, Date.now());
    if (answer) log('refused' in answer ? `refused: ${answer.refused}` : `ntfy: ${await take(layout, answer)}`);
  } catch (error) {
    // One answer that cannot be taken keeps no later one from being read.
    log(error instanceof MendError ? formatError(error) : `error E_BUG: ${(error as Error).message}`);
  }
}

async function take(layout: Layout, answer: Heard): Promise<string> {
  try {
    return await takeAndRun(layout, { ...answer, at: 'ntfy' });
  } catch (error) {
    if (!(error instanceof MendError)) throw error;
    leaveRefusal(layout, { at: 'ntfy', reason: error.message, case: answer.case }, Date.now());
    throw error;
  }
}
