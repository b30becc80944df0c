// Starts a run for somebody who is not at a terminal: a process of its own under the usual lock, which goes on when the page is closed
// and when the server ends.
import { systemClock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { programArguments } from '../io/package.ts';
import { plainText } from '../io/plain-text.ts';
import { startDetached } from '../io/start-detached.ts';
import { readText } from '../io/store.ts';
import { listRuns } from '../journal/runs.ts';

/** How long a run is waited for until it has begun, or has said why not. */
const BEGUN_MS = 20_000;
const LOOK_EVERY_MS = 50;
/** One that goes on with a run that was cut off opens no journal of its own. */
const RESUMED_MS = 5000;
const MAX_WORDS = 600;

/** What happened, in a sentence. Resolves when the run has begun, or is over. `words`: those of the command line. */
export async function startRun(layout: Layout, words: readonly string[]): Promise<string> {
  if (runAtWork(layout)) return 'A run is at work already, so none was started';
  const [before, began] = [listRuns(layout).at(-1), performance.now()];
  const command = ['mendloop', ...words].join(' ');
  const { MENDLOOP_TOKEN: _, ...env } = process.env;
  const argv = [...programArguments(process.env.PATH ?? ''), '--root', layout.home, ...words];
  const run = await startDetached(argv, { cwd: layout.home, env, output: layout.started });
  let exit: number | null | undefined;
  void run.ended.then((code) => {
    exit = code;
  });
  for (const until = performance.now() + BEGUN_MS; performance.now() < until; await systemClock.sleep(LOOK_EVERY_MS)) {
    if (exit !== undefined) return ended(command, exit, readText(layout.started) ?? '');
    const hasBegun = listRuns(layout).at(-1) !== before || performance.now() - began > RESUMED_MS;
    if (hasBegun && runAtWork(layout)?.pid === run.pid) return `Started: ${command}`;
  }
  return `Started: ${command}; it has not begun yet`;
}

function ended(command: string, exit: number | null, output: string): string {
  if (exit === 0) return `Done: ${command}`;
  const words = plainText(output.trim()).slice(-MAX_WORDS);
  const how = exit === null ? 'was ended by a signal' : `ended with exit code ${exit}`;
  return `${command} ${how}${words === '' ? '' : `\n${words}`}`;
}
