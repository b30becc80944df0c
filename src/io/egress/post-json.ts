// One JSON document to a host that its owner named: a hosted model, a webhook.

import { limited } from '../signals.ts';
import { bounded, guardedRequest } from './guarded-request.ts';
import { connectionFault, ModelFault } from './model-fault.ts';

export interface PostJson {
  readonly headers?: Readonly<Record<string, string>>;
  /** What is sent, as JSON. Whoever calls has masked it. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** From the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Whether an address that the host's name stands for may be talked to. */
  readonly mayReach: (address: string) => boolean;
  /** Bytes of the answer that are read at most; more is a fault. */
  readonly maxBytes?: number;
  /** How long the connection may take to come about. */
  readonly connectMs?: number;
}

export interface Posted {
  /** Any status but a redirect's: what a 429 or a 503 means, the caller knows. */
  readonly status: number;
  /** Names in lower case; of a repeated one all values, joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Posts and reads the answer. Throws ModelFault, which names the host and never the path, when the host cannot be reached
 * or trusted, is late, sends too much or points elsewhere, and when `signal` is given.
 */
export async function postJson(url: string, post: PostJson): Promise<Posted> {
  const { headers, body, signal, timeoutMs, mayReach, maxBytes = MAX_RESPONSE_BYTES, connectMs } = post;
  const to = webAddress(url);
  if (signal.aborted) throw new ModelFault('it was stopped');
  const limit = limited(timeoutMs, signal);
  try {
    const asked = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
    const request = { ...asked, body: JSON.stringify(body), signal: limit.signal, mayReach, connectMs };
    const answer = await guardedRequest(to, request);
    const parts: Uint8Array[] = [];
    for await (const part of bounded(answer, maxBytes)) parts.push(part);
    const text = Buffer.concat(parts).toString('utf8');
    return { status: answer.statusCode ?? 0, headers: flat(answer.headers), text };
  } catch (error) {
    if (signal.aborted) throw new ModelFault('it was stopped');
    if (limit.isLate()) throw new ModelFault(`${to.origin} did not answer within ${timeoutMs / 1000} s`);
    if (error instanceof ModelFault) throw error;
    throw connectionFault(error, to.origin) ?? error;
  } finally {
    limit.end();
  }
}

function webAddress(url: string): URL {
  const to = URL.canParse(url) ? new URL(url) : undefined;
  // The address is not repeated: a webhook's is a secret as a whole.
  if (to === undefined || !/^https?:$/.test(to.protocol)) throw new ModelFault('what to post to is no http(s) address');
  return to;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const set = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, [value].flat().join(', ')]));
}
