// Lines of a host as they come: a list that ends, or a stream that stays open.
import { type GuardedRequest, guardedRequest } from './guarded-request.ts';
import { type Deadline, inTime, ModelFault } from './model-fault.ts';

export interface ReadLines extends Deadline, Pick<GuardedRequest, 'headers' | 'mayReach'> {
  /** A stream that is silent for so long is given up. */
  readonly silentMs: number;
}

/** Nothing that is read here has longer lines. */
const MAX_LINE_CHARS = 65_536;

/** Resolves to the status at the end of the answer; lines of another status than 200 are not told. Throws ModelFault. */
export async function readLines(url: string, read: ReadLines, onLine: (line: string) => void): Promise<number> {
  const to = new URL(url);
  return inTime(to.origin, read, async (signal) => {
    const answer = await guardedRequest(to, { headers: read.headers, signal, mayReach: read.mayReach });
    const silent = () => answer.destroy(new ModelFault(`${to.origin} said nothing for ${read.silentMs / 1000} s`));
    const timer = setTimeout(silent, read.silentMs);
    try {
      if (answer.statusCode !== 200) return answer.statusCode ?? 0;
      let rest = '';
      for await (const piece of answer.setEncoding('utf8') as AsyncIterable<string>) {
        timer.refresh();
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        if (rest.length > MAX_LINE_CHARS) throw new ModelFault(`${to.origin} sent a line that is too long`);
        for (const line of lines) onLine(line);
      }
      if (rest !== '') onLine(rest);
      return 200;
    } finally {
      clearTimeout(timer);
      answer.destroy();
    }
  });
}
