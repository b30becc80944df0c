// Telling somebody, up to three times: a message that is lost for a moment's trouble is worth another try, and no more.
import { pause } from '../sending/pause.ts';

/** Why it was not told. `again`: it may come right by itself, at the earliest after `afterMs`. */
export interface Untold {
  readonly why: string;
  readonly again: boolean;
  readonly afterMs?: number | undefined;
}

export interface Delivery {
  /** One try within `timeoutMs`; undefined: it was told. */
  attempt(timeoutMs: number): Promise<Untold | undefined>;
  readonly signal: AbortSignal;
  /** For all tries and the waiting between them. */
  readonly timeoutMs: number;
  /** For one try; without it, as long as is left. */
  readonly tryMs?: number;
}

const WAITS_MS = [500, 2000];

/** Throws one line when it could not be told, or `signal` was given. */
export async function deliver({ attempt, signal, timeoutMs, tryMs = timeoutMs }: Delivery): Promise<void> {
  const began = performance.now();
  const left = () => timeoutMs - (performance.now() - began);
  for (let tries = 1; ; tries++) {
    const failed = await attempt(Math.max(1, Math.min(tryMs, left())));
    if (failed === undefined) return;
    const { why, again, afterMs = 0 } = failed;
    const backoff = WAITS_MS[tries - 1];
    const wait = Math.max(backoff ?? 0, afterMs);
    if (!again || backoff === undefined || wait >= left() || signal.aborted) {
      throw new Error(tries === 1 ? why : `${why} (tried ${tries} times)`);
    }
    await pause(wait, signal);
  }
}
