// A long text through the filter piece by piece. Each piece is masked together with a window of text around it, so that
// secrets over several lines are found; a masked text has the lines of the original, so the two are matched by counting.
import { MAX_BLOCK } from './blocks.ts';
import { RedactionError } from './secret.ts';

/** The window around a piece: no less than the longest block. */
const WINDOW = MAX_BLOCK + 16 * 1024;
const PIECE = 512 * 1024;
const MAX_LINE = 16 * 1024 * 1024;

/** `push` takes more text and returns what can be let out, `end` the rest. After a RedactionError nothing more may be. */
export function redactStream(redact: (text: string) => string, piece = PIECE, window = WINDOW) {
  let behind = '';
  let waiting: string[] = [];
  let size = 0;

  /** Lets out whole lines of what waits, all but the last `window` characters. */
  function release(last: boolean): string {
    const text = waiting.join('');
    const cut = last ? text.length : text.lastIndexOf('\n', Math.max(0, text.length - window)) + 1;
    if (cut === 0) {
      if (text.length > MAX_LINE + window) {
        throw new RedactionError(`a line is longer than ${MAX_LINE} characters`, 'shorten it before it is filtered');
      }
      return '';
    }
    const masked = redact(behind + text).split('\n');
    const first = count(behind);
    const lines = count(text.slice(0, cut));
    const out = masked.slice(first, last ? undefined : first + lines);
    behind = tail(behind + text.slice(0, cut), window);
    waiting = [text.slice(cut)];
    size = text.length - cut;
    return out.join('\n') + (last ? '' : '\n');
  }

  return {
    push(text: string): string {
      waiting.push(text);
      size += text.length;
      return size < piece + window ? '' : release(false);
    },
    end: (): string => (size === 0 ? '' : release(true)),
  };
}

const count = (text: string): number => text.split('\n').length - 1;

/** The last lines of a text, at most so long; whole ones. */
function tail(text: string, length: number): string {
  return text.length <= length ? text : text.slice(text.indexOf('\n', text.length - length) + 1 || text.length);
}
