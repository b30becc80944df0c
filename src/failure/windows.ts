// How much of a log is looked at: its end, and more of it only when the end says nothing clear.
import type { LogEnd } from './clean.ts';
import { type Failure, type FailureInput, identify } from './fingerprint.ts';

/** Bytes from the end. The first is enough for nearly every failure; the last bounds time and memory for all. */
export const WINDOWS = [64 * 1024, 512 * 1024] as const;

/** Reads the last bytes of a log; undefined when there is none. */
export type ReadEnd = (bytes: number) => LogEnd | undefined;

/** Identifies a failure from as little of its log as it takes. Never throws unless `read` does. */
export function identifyFrom(read: ReadEnd, input: Omit<FailureInput, 'log'>): Failure {
  const [first, last] = WINDOWS;
  const log = read(first);
  const failure = identify({ ...input, log });
  return failure.grade === 'strong' || !log?.cut ? failure : identify({ ...input, log: read(last) });
}

/** Reads from a text as from a file that holds it. */
export function endOfText(text: string): ReadEnd {
  const all = Buffer.from(text);
  return (bytes) => {
    const from = Math.max(0, all.length - bytes);
    return { text: all.toString('utf8', from), cut: from > 0 };
  };
}
