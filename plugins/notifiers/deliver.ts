// What notifiers share: a notice within bounds, delivered in up to three tries, or posted as JSON so.
import { isPassingStatus, ModelFault, mayReach, type Notice, pause, postJson, retryAfterMs } from '../../src/model.ts';

const MAX_TITLE_BYTES = 250;

/** The words of a notice and nothing else of its context, the text cut to `maxTextBytes`. */
export function boundedNotice({ reason, stage, run, title, text }: Notice, maxTextBytes: number): Notice {
  return {
    reason,
    ...(stage === undefined ? {} : { stage }),
    run,
    title: cut(title.replaceAll(/\s+/g, ' ').trim(), MAX_TITLE_BYTES),
    text: cut(text, maxTextBytes),
  };
}

/** At most `maxBytes`, a character never halved. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes - 3;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return `${bytes.subarray(0, end).toString('utf8')}…`;
}

/** Why it was not delivered. `again`: it may come right by itself, at the earliest after `afterMs`. */
export interface Undelivered {
  readonly why: string;
  readonly again: boolean;
  readonly afterMs?: number | undefined;
}

export interface Delivery {
  /** One try within `timeoutMs`; undefined: it was delivered. */
  attempt(timeoutMs: number): Promise<Undelivered | undefined>;
  readonly signal: AbortSignal;
  /** For all tries and the waits between them. */
  readonly timeoutMs: number;
  /** For one try; without it, as long as is left. */
  readonly tryMs?: number;
}

const WAITS_MS = [500, 2000];

/** Throws one line when it could not be delivered, or `signal` was given. */
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

export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** What to look at when the host does not want it, such as `plugins.webhook.url`. */
  readonly check: string;
}

/** A host that hangs leaves time for another try. */
const TRY_MS = 10_000;
const MAX_ANSWER_BYTES = 256 * 1024;

/** Throws one line that names the host and nothing else of the address, when it could not be delivered. */
export async function postNotice({ url, headers, body, signal, timeoutMs, check }: Posting): Promise<void> {
  const { origin } = new URL(url);
  const attempt = async (limitMs: number): Promise<Undelivered | undefined> => {
    try {
      const answer = await postJson(url, {
        headers: { 'user-agent': 'mendloop', ...headers },
        body,
        signal,
        timeoutMs: limitMs,
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
  await deliver({ attempt, signal, timeoutMs, tryMs: TRY_MS });
}
