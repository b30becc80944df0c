// A notice posted as JSON to the address that the owner gave.
import { ModelFault } from '../../src/io/egress/model-fault.ts';
import { postJson } from '../../src/io/egress/post-json.ts';
import { mayReach } from '../sending/address.ts';
import { mayPass, retryAfterMs } from '../sending/retry-after.ts';
import { deliver, type Untold } from './deliver.ts';

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
const MOST_BYTES = 256 * 1024;

/** Throws one line that names the host and nothing else of the address, when it could not be told. */
export async function postNotice({ url, headers, body, signal, timeoutMs, check }: Posting): Promise<void> {
  const { origin } = new URL(url);
  const attempt = async (limitMs: number): Promise<Untold | undefined> => {
    const request = {
      headers: { 'user-agent': 'mendloop', ...headers },
      body,
      signal,
      timeoutMs: limitMs,
      mayReach: mayReach(url),
      maxBytes: MOST_BYTES,
    };
    try {
      const answer = await postJson(url, request);
      const { status } = answer;
      if (status >= 200 && status < 300) return undefined;
      if (!mayPass(status)) return { why: `${origin} answered ${status}; check ${check}`, again: false };
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
