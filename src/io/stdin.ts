// Standard input and pipes: their end, the lines of stdin one at a time, or one line from the person at the terminal.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { plainText } from './plain-text.ts';

/** The last `bytes` of stdin, or of the pipe that is named; `cut` when there was more before them. */
export async function readStreamEnd(bytes: number, pipe?: string): Promise<{ end: Buffer; cut: boolean }> {
  // Twice the size, so that old bytes are dropped now and then, not with every chunk.
  const buffer = Buffer.alloc(2 * bytes);
  let size = 0;
  let cut = false;
  for await (const chunk of pipe === undefined ? process.stdin : createReadStream(pipe)) {
    const added = (chunk as Buffer).subarray(-bytes);
    if (size + added.length > buffer.length) {
      buffer.copyWithin(0, size - bytes, size);
      size = bytes;
      cut = true;
    }
    size += added.copy(buffer, size);
    cut ||= added.length < (chunk as Buffer).length;
  }
  return { end: buffer.subarray(Math.max(0, size - bytes), size), cut: cut || size > bytes };
}

/** A line of stdin, or that it was longer than allowed and was passed over. */
export type StdinLine = { text: string } | { tooLong: true };

/** The lines of stdin, the last one also without its end; a line longer than `most` bytes is passed over. */
export async function* stdinLines(most: number): AsyncGenerator<StdinLine> {
  let parts: Buffer[] = [];
  let size = 0;
  const line = (): StdinLine => {
    const whole: StdinLine = size > most ? { tooLong: true } : { text: Buffer.concat(parts).toString('utf8') };
    parts = [];
    size = 0;
    return whole;
  };
  const add = (part: Buffer) => {
    size += part.length;
    if (size > most) parts = [];
    else parts.push(part);
  };
  for await (const chunk of process.stdin) {
    let at = 0;
    const bytes = chunk as Buffer;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, at)) {
      add(bytes.subarray(at, end));
      yield line();
      at = end + 1;
    }
    add(bytes.subarray(at));
  }
  if (size > 0) yield line();
}

/** Whether somebody can type an answer. */
export const canAnswer = (): boolean => process.stdin.isTTY === true;

/** What was typed after the question was there; undefined at the end of input, or when the signal is given first. */
export async function askLine(
  question: string,
  signal: AbortSignal = new AbortController().signal,
): Promise<string | undefined> {
  await forgetTyped();
  process.stdout.write(plainText(question));
  // terminal: false, so that Ctrl-C stays a signal.
  const reader = createInterface({ input: process.stdin, terminal: false });
  return new Promise((resolve) => {
    const end = (answer: string | undefined) => {
      // Resolve first: close() emits `close`, which calls this again.
      resolve(answer);
      signal.removeEventListener('abort', stop);
      reader.close();
      // A flowing stdin would keep the process alive.
      process.stdin.pause();
    };
    const stop = () => end(undefined);
    signal.addEventListener('abort', stop);
    if (signal.aborted) return stop();
    reader.once('line', end);
    reader.once('close', () => end(undefined));
  });
}

/** Whether the person says yes; anything else, and no answer at all, is a no. */
export const askYes = async (question: string): Promise<boolean> =>
  /^y(es)?$/i.test((await askLine(`${question} [y]es, [N]o: `))?.trim() ?? '');

/** How long a terminal may take to hand over what was typed before. */
const FORGET_MS = 100;

/** Drops what was typed before the question. */
async function forgetTyped(): Promise<void> {
  const forget = () => {};
  process.stdin.on('data', forget).resume();
  await sleep(FORGET_MS);
  process.stdin.off('data', forget).pause();
}
