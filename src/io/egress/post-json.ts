// One JSON document to a host that its owner named: a hosted model, a webhook.
import { bounded, type GuardedRequest, guardedRequest } from './guarded-request.ts';
import { type Deadline, inTime, ModelFault } from './model-fault.ts';

export interface PostJson extends Deadline, Pick<GuardedRequest, 'headers' | 'mayReach' | 'connectMs'> {
  /** What is sent, as JSON. Whoever calls has masked it. */
  readonly body: unknown;
  /** Bytes of the answer that are read at most; more is a fault. */
  readonly maxBytes?: number;
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
  const { body, mayReach, maxBytes = MAX_RESPONSE_BYTES, connectMs } = post;
  const to = webAddress(url);
  return inTime(to.origin, post, async (signal) => {
    const headers = { 'content-type': 'application/json', ...post.headers };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal, mayReach, connectMs };
    const answer = await guardedRequest(to, request);
    const parts: Uint8Array[] = [];
    for await (const part of bounded(answer, maxBytes)) parts.push(part);
    const text = Buffer.concat(parts).toString('utf8');
    return { status: answer.statusCode ?? 0, headers: flat(answer.headers), text };
  });
}

function webAddress(url: string): URL {
  const to = URL.canParse(url) ? new URL(url) : undefined;
  // Without the address: that of a webhook is a secret.
  if (to === undefined || !/^https?:$/.test(to.protocol)) throw new ModelFault('what to post to is no http(s) address');
  return to;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const set = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([name, value]) => [name, [value].flat().join(', ')]));
}
