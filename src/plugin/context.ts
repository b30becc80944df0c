// What a plugin sees of a call: a frozen copy of what the loop gives it, its settings, and its own signal.
import { frozenCopy } from '../config/freeze.ts';

/** `given` is plain data but for `read`, which is held to `given.files`, and `shell`. Throws TypeError when it is not. */
export function contextFor(given: object, options: unknown, signal: AbortSignal): object {
  const { read, shell, ...data } = given as { read?: Read; shell?: Shell; files?: readonly string[] };
  const copy = frozenCopy(data);
  return Object.freeze({
    ...copy,
    ...(read ? { read: limited(read, new Set(copy.files), signal) } : {}),
    ...(shell ? { shell: Object.freeze({ parses: (text: string) => shell.parses(String(text)) }) } : {}),
    ...{ options, signal },
  });
}

interface Shell {
  parses(text: string): Promise<boolean>;
}

type Read = (path: string) => Promise<string>;

function limited(read: Read, files: ReadonlySet<string>, signal: AbortSignal): Read {
  return async (path) => {
    if (signal.aborted) throw new Error('read: the call is over');
    if (!files.has(path)) throw new Error(`read: ${JSON.stringify(path)} is not a file that this stage may change`);
    return read(path);
  };
}
