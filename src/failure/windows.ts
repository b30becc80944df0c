// How much of a log is looked at: its end, and more of it only when the end says nothing clear.
import type { LogEnd } from './clean.ts';
import { type Failure, type FailureInput, identify } from './fingerprint.ts';

/** Bytes from the end. The first is enough for nearly every failure; the last bounds time and memory for all. */
export const WINDOWS = [64 * 1024, 512 * 1024] as const;

/** Reads the last bytes of a log; undefined when there is none. */
export type ReadEnd = (bytes: number) => LogEnd | undefined;

/** As for `identify`, with the last green log to be read when it matters. */
export type WindowedInput = Omit<FailureInput, 'log' | 'green'> & { green?: ReadEnd | undefined };

/** Identifies a failure from as little of its log as it takes. Never throws unless `read` does. */
export function identifyFrom(read: ReadEnd, input: WindowedInput): Failure {
  const [first, last] = WINDOWS;
  const log = read(first);
  const sure = identify({ ...input, log, green: undefined });
  if (sure.grade === 'strong' || (!log?.cut && !input.green)) return sure;
  return identify({ ...input, log: log?.cut ? read(last) : log, green: input.green?.(first) });
}

/** Reads from bytes in memory as from a file that holds them; `cut` when they are only the end of it. */
export function endOfBytes(all: Buffer, cut = false): ReadEnd {
  return (bytes) => {
    const from = Math.max(0, all.length - bytes);
    return { text: all.toString('utf8', from), cut: cut || from > 0 };
  };
}
