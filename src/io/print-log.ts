// A log onto stdout, as it is or as it grows, never held in memory.
import { createReadStream } from 'node:fs';
import type { Clock } from './clock.ts';
import { fileFacts } from './files.ts';

/** Copies the file from byte `from` to stdout; resolves to the byte after the last one copied. */
export async function printLog(path: string, from = 0): Promise<number> {
  let at = from;
  for await (const chunk of createReadStream(path, { start: from })) {
    at += (chunk as Buffer).length;
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }
  return at;
}

const POLL_MS = 200;

/** Goes on printing while `more()` says that something is still writing. */
export async function followLog(path: string, more: () => boolean, clock: Clock): Promise<void> {
  for (let at = 0; ; ) {
    const last = !more();
    if ((fileFacts(path)?.size ?? 0) > at) at = await printLog(path, at);
    if (last) return;
    await clock.sleep(POLL_MS);
  }
}
