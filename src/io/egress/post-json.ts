// One JSON document to a host that its owner named: a hosted model, a webhook.
import { bounded, type GuardedRequest, guardedRequest } from './guarded-request.ts';
import { type Deadline, inTime, ModelFault } from './model-fault.ts';

export interface PostJson extends Deadline, Pick<GuardedRequest, 'headers' | 'mayReach' | 'connectMs'> {
  /** What is sent, as JSON. Whoever calls has masked it. */
  readonly body: unknown;
  /** Bytes of the answer that are read at most; more is a fault. */
  readonly maxBytes?: number;
  /** Told the data of each server-sent event as it comes, where the host streams; the text is then empty. */
  readonly onEvent?: (data: string) => void;
}

export interface Posted {
  /** Any status but a redirect's: what a 429 or a 503 means, the caller knows. */
  readonly status: number;
  /** Names in lower case; of a repeated one all values, joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Each token of a stream comes in an envelope. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;

/**
 * Posts, and reads the answer. Throws ModelFault, which names the host and never the path, when the host cannot be reached
 * or trusted, is late, sends too much or points elsewhere, and when `signal` is given.
 */
export const postJson = (url: string, post: PostJson): Promise<Posted> => {
  const headers = { 'content-type': 'application/json', ...post.headers };
  return send(url, { ...post, headers }, { method: 'POST', body: JSON.stringify(post.body) });
};

/** The same, asking for a document. */
export const getJson = (url: string, get: Omit<PostJson, 'body'>): Promise<Posted> => send(url, get, {});

async function send(
  url: string,
  options: Omit<PostJson, 'body'>,
  what: { method?: string; body?: string },
): Promise<Posted> {
  const { headers, mayReach, maxBytes = MAX_RESPONSE_BYTES, connectMs, onEvent } = options;
  const to = webAddress(url);
  return inTime(to.origin, options, async (signal) => {
    const answer = await guardedRequest(to, { ...what, headers, signal, mayReach, connectMs });
    const status = answer.statusCode ?? 0;
    const isStream = status === 200 && /^text\/event-stream\b/.test(answer.headers['content-type'] ?? '');
    const parts = bounded(answer, onEvent && isStream ? MAX_STREAM_BYTES : maxBytes);
    const text = onEvent && isStream ? await eventsOf(parts, onEvent) : await textOf(parts);
    return { status, headers: flat(answer.headers), text };
  });
}

async function textOf(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all).toString('utf8');
}

/** Of one event; no host has a piece of an answer in more. */
const MAX_EVENT_CHARS = 1024 * 1024;

/** Server-sent events: lines `data: …`, an empty line behind each event; all other lines tell nothing. */
async function eventsOf(parts: AsyncIterable<Uint8Array>, onEvent: (data: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  const take = (line: string) => {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '' || data.length === 0) return;
    const event = data.join('\n');
    data = [];
    onEvent(event);
  };
  for await (const part of parts) {
    const lines = (rest + decoder.decode(part, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
    if (rest.length > MAX_EVENT_CHARS) throw new ModelFault('the stream has a line longer than any answer');
  }
  // Some hosts leave out the last empty line.
  for (const line of [rest, '']) take(line);
  return '';
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
