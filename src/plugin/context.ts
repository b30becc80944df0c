// What a plugin sees of a call: a frozen copy of what the loop gives it, its settings, whom to tell, and its own signal.
import { frozenCopy } from '../config/freeze.ts';
import type { Reporting } from './contract.ts';

/** `given` is plain data but for `read`, which is held to `given.files`, and `shell`. Throws TypeError when it is not. */
export function contextFor(
  given: object,
  options: unknown,
  signal: AbortSignal,
  reporting: Partial<Reporting> = {},
): object {
  const { read, shell, ...data } = given as { read?: Read; shell?: Shell; files?: readonly string[] };
  const copy = frozenCopy(data);
  return Object.freeze({
    ...copy,
    ...(read ? { read: limited(read, new Set(copy.files), signal) } : {}),
    ...(shell ? { shell: Object.freeze({ parses: (text: string) => shell.parses(String(text)) }) } : {}),
    ...heard(reporting, signal),
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

const SAID_AT_MOST = 20;
const LONGEST_LINE = 300;
const MOST_TOKENS = 100_000_000;

/** What a plugin tells, as one bounded line each. */
function heard({ say, progress, used, mask }: Partial<Reporting>, signal: AbortSignal): Reporting {
  let said = 0;
  return {
    // Whoever gave none has told nothing that could come back.
    mask: (text) => (mask ? mask(String(text)) : String(text)),
    say(text) {
      if (signal.aborted || ++said > SAID_AT_MOST) return;
      say?.(line(text));
    },
    progress(text) {
      if (!signal.aborted) progress?.(line(text));
    },
    // Heard late, too: a call that was cut off has used what it used.
    used(tokens, dollars = 0) {
      const cost = Number.isFinite(dollars) && dollars > 0 ? dollars : 0;
      if (Number.isFinite(tokens) && tokens > 0) used?.(Math.min(Math.ceil(tokens), MOST_TOKENS), cost);
    },
  };
}

const line = (text: unknown): string =>
  String(text)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_LINE);
