// Contents of files by their ids. What is asked for at the same time is read by one git: a process for each file of a large
// stage would take longer than all the rest.
import type { Git } from '../io/git.ts';

export interface Blobs {
  /** Undefined when it is larger than allowed. Rejects with a GitError when there is no such content. */
  read(id: string): Promise<Buffer | undefined>;
}

interface Waiting {
  resolve(bytes: Buffer | undefined): void;
  reject(error: unknown): void;
}

/** Of one batch, so that not everything is in memory at once. */
const MOST_AT_ONCE = 100;

export function openBlobs(git: Git, largest: number): Blobs {
  let waiting = new Map<string, Waiting[]>();
  return {
    read(id) {
      return new Promise((resolve, reject) => {
        if (waiting.size === 0) queueMicrotask(readAll);
        waiting.set(id, [...(waiting.get(id) ?? []), { resolve, reject }]);
      });
    },
  };

  async function readAll(): Promise<void> {
    const asked = [...waiting];
    waiting = new Map();
    for (let from = 0; from < asked.length; from += MOST_AT_ONCE) {
      const batch = asked.slice(from, from + MOST_AT_ONCE);
      try {
        const found = await contents(batch.map(([id]) => id));
        for (const [id, all] of batch) for (const one of all) one.resolve(found.get(id));
      } catch (error) {
        for (const [, all] of batch) for (const one of all) one.reject(error);
      }
    }
  }

  async function contents(ids: readonly string[]): Promise<Map<string, Buffer>> {
    const heads = await git.run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], lines(ids));
    const small = heads
      .trimEnd()
      .split('\n')
      .flatMap((line) => {
        const [id = '', size = ''] = line.split(' ');
        // `<id> missing` must not be taken for a size.
        if (!/^\d+$/.test(size)) throw new Error(`git has no content ${line}`);
        return Number(size) > largest ? [] : [id];
      });
    return small.length === 0 ? new Map() : parsed(await git.bytes(['cat-file', '--batch'], lines(small)));
  }
}

const lines = (ids: readonly string[]): string => `${ids.join('\n')}\n`;

/** `<id> blob <size>\n<bytes>\n`, one behind the other. */
function parsed(answer: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < answer.length; ) {
    const end = answer.indexOf(10, at);
    const [id = '', , size = ''] = answer.subarray(at, end).toString('latin1').split(' ');
    const from = end + 1;
    found.set(id, answer.subarray(from, from + Number(size)));
    at = from + Number(size) + 1;
  }
  return found;
}
