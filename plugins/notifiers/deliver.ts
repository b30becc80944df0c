// What notifiers share: a notice within bounds, delivered in up to three tries, or posted as JSON so.
import { isPassingStatus, ModelFault, mayReach, type Notice, pause, postJson, retryAfterMs } from '../../src/model.ts';

const MAX_TITLE_BYTES = 250;

/** The words of a notice and nothing else of its context, the text cut to `maxTextBytes`. */
export function boundedNotice({ reason, stage, run, title, text, ask }: Notice, maxTextBytes: number): Notice {
  return {
    reason,
    ...(stage === undefined ? {} : { stage }),
    run,
    title: cut(title.replaceAll(/\s+/g, ' ').trim(), MAX_TITLE_BYTES),
    text: cut(text, maxTextBytes),
    ...(ask && { ask }),
  };
}

/** At most `maxBytes`, a character never halved. */
export function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}

/** Why it was not delivered. `again`: it may come right by itself, at the earliest after `afterMs`. */
interface Undelivered {
  readonly why: string;
  readonly again: boolean;
  readonly afterMs?: number | undefined;
}

/** Of the context of a notifier: when to stop, and how long all tries and the waits between them may take. */
type Limits = { readonly signal: AbortSignal; readonly options: { readonly timeout: number } };

const WAITS_MS = [500, 2000];

/**
 * Tries up to three times; one try may take `tryMs`, without it as long as is left. `attempt` is told how long it may take, and
 * returns undefined when it delivered. Throws one line when none did, or the signal was given.
 */
export async function deliver(
  { signal, options: { timeout } }: Limits,
  attempt: (timeoutMs: number) => Promise<Undelivered | undefined>,
  tryMs = timeout,
): Promise<void> {
  const began = performance.now();
  const left = () => timeout - (performance.now() - began);
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

/** A host that hangs leaves time for another try. */
const TRY_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/**
 * Posts `body`. Throws one line that names the host and nothing else of the address, when it could not be delivered; with
 * `check`, what to look at (such as `plugins.webhook.url`), when the host does not want it.
 */
export async function postNotice(
  context: Limits,
  { url, headers, body, check }: { url: string; headers: Record<string, string>; body: unknown; check: string },
): Promise<void> {
  const { origin } = new URL(url);
  const attempt = async (timeoutMs: number): Promise<Undelivered | undefined> => {
    try {
      const answer = await postJson(url, {
        headers: { 'user-agent': 'mendloop', ...headers },
        body,
        signal: context.signal,
        timeoutMs,
        mayReach: mayReach(url),
        maxBytes: MAX_ANSWER_BYTES,
      });
      const { status } = answer;
      if (status >= 200 && status < 300) return undefined;
      if (!isPassingStatus(status)) return { why: `${origin} answered ${status}; check ${check}`, again: false };
      const afterMs = retryAfterMs(answer.headers['retry-after'], Date.now());
      return { why: `${origin} answered ${status}`, again: true, afterMs };
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error;
      // Neither a redirect nor a certificate changes within seconds.
      const lasting = error.status !== undefined || /cannot be trusted|is outside of/.test(error.message);
      return { why: error.message, again: !lasting };
    }
  };
  await deliver(context, attempt, TRY_MS);
}
