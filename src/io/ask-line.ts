// One line from the person at the terminal.
import { createInterface } from 'node:readline';

/** Whether somebody can type an answer. */
export const canAnswer = (): boolean => process.stdin.isTTY === true;

/** What was typed after the question was there; undefined at the end of input, or when the signal is given first. */
export async function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  await forgetTyped();
  process.stdout.write(question);
  // Not as a terminal of its own: Ctrl-C stays a signal to the whole run.
  const reader = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    const end = (answer: string | undefined) => {
      // First: closing ends it once more.
      resolve(answer);
      signal.removeEventListener('abort', stop);
      reader.close();
      // A stream that is listened to would keep the process alive.
      process.stdin.pause();
    };
    const stop = () => end(undefined);
    signal.addEventListener('abort', stop);
    if (signal.aborted) return stop();
    reader.once('line', end);
    reader.once('close', () => end(undefined));
  });
}

/** How long a terminal may take to hand over what was typed before. */
const FORGET_MS = 100;

/** What was typed before a question is no answer to it. */
function forgetTyped(): Promise<void> {
  const { stdin } = process;
  const forget = () => {};
  stdin.on('data', forget).resume();
  return new Promise((resolve) => {
    setTimeout(() => {
      stdin.off('data', forget).pause();
      resolve();
    }, FORGET_MS);
  });
}
