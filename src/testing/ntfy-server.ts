// A host on loopback that speaks ntfy's protocol: publishing as JSON or to a topic, reading what is kept by polling or as a stream,
// access by token, and its limits. For tests of what notifies and is answered.
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type LoopbackOptions, type LoopbackServer, listen, type ServedRequest } from './loopback.ts';

export interface NtfyMessage {
  readonly id: string;
  /** Unix time, in seconds. */
  readonly time: number;
  readonly event: 'message' | 'open' | 'keepalive';
  readonly topic: string;
  readonly title?: string;
  readonly message?: string;
  readonly actions?: readonly NtfyAction[];
  readonly [more: string]: unknown;
}

export interface NtfyAction {
  readonly action: string;
  readonly label: string;
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface NtfyOptions extends LoopbackOptions {
  /** Token → what it may do with which topics; without it, everybody may do all. */
  readonly access?: Readonly<Record<string, Readonly<Record<string, 'read-write' | 'read-only' | 'write-only'>>>>;
}

export interface NtfyServer extends LoopbackServer {
  /** What was published to a topic, the oldest first. */
  published(topic: string): readonly NtfyMessage[];
  /** Streams that are open on a topic. */
  listeners(topic: string): number;
  /** Presses a button of a message, as the app does. Returns the status. */
  press(action: NtfyAction): Promise<number>;
}

const MAX_MESSAGE_BYTES = 4096;
const MAX_ACTIONS = 3;
const CACHE_SECONDS = 12 * 3600;
const TOPICS = /^\/([-_A-Za-z0-9]{1,64})(?:\/(json|auth))?$/;

/** It stops by itself when nobody asks it for long. */
export async function startNtfyServer({ access, ...options }: NtfyOptions = {}): Promise<NtfyServer> {
  const kept: NtfyMessage[] = [];
  const streams = new Set<{ topic: string; response: ServerResponse }>();
  const server = await listen(serve, options);
  return {
    ...server,
    published: (topic) => kept.filter((one) => one.topic === topic),
    listeners: (topic) => [...streams].filter((one) => one.topic === topic).length,
    async press({ url, method = 'POST', headers = {}, body = '' }) {
      return (await fetch(url, { method, headers, body })).status;
    },
  };

  function serve(request: ServedRequest, response: ServerResponse): unknown {
    const url = new URL(request.path, 'http://ntfy');
    const [, topic = '', what] = TOPICS.exec(url.pathname) ?? [];
    const isPublish = request.method === 'POST' || request.method === 'PUT';
    if (isPublish && url.pathname === '/') return publish(request, response, request.body);
    if (topic === '') return fail(response, 404, 40401, 'page not found');
    if (isPublish && what === undefined) return publish(request, response, { topic, message: textOf(request.body) });
    if (request.method !== 'GET' || what === undefined) return fail(response, 404, 40401, 'page not found');
    if (!mayDo(request, topic, 'read')) return fail(response, 403, 40301, 'forbidden');
    if (what === 'auth') return json(response, 200, { success: true });
    return subscribe(response, topic, url.searchParams);
  }

  function publish(request: ServedRequest, response: ServerResponse, body: Partial<NtfyMessage>): unknown {
    const { topic = '', title, message = 'triggered', actions = [] } = body ?? {};
    if (!TOPICS.test(`/${topic}`)) return fail(response, 400, 40009, 'invalid request: topic invalid');
    if (!mayDo(request, topic, 'write')) return fail(response, 403, 40301, 'forbidden');
    if (
      Buffer.byteLength(JSON.stringify(body)) > 2 * MAX_MESSAGE_BYTES ||
      Buffer.byteLength(message) > MAX_MESSAGE_BYTES
    )
      return fail(response, 413, 41301, 'request entity too large');
    if (actions.length > MAX_ACTIONS) return fail(response, 400, 40018, `only ${MAX_ACTIONS} actions allowed`);
    const sent: NtfyMessage = {
      ...{ id: randomBytes(6).toString('hex'), time: now(), event: 'message', topic, message },
      ...(title !== undefined && { title }),
      ...(actions.length > 0 && { actions }),
    };
    kept.push(sent);
    for (const stream of streams) if (stream.topic === topic) stream.response.write(`${JSON.stringify(sent)}\n`);
    return json(response, 200, sent);
  }

  function subscribe(response: ServerResponse, topic: string, query: URLSearchParams): unknown {
    const isPoll = query.get('poll') === '1';
    const since = query.get('since') ?? (isPoll ? 'all' : 'none');
    const from = since === 'all' ? now() - CACHE_SECONDS : since === 'none' ? Number.POSITIVE_INFINITY : Number(since);
    response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
    const line = (message: object) => response.write(`${JSON.stringify(message)}\n`);
    if (!isPoll) line({ id: 'open', time: now(), event: 'open', topic });
    for (const message of kept) if (message.topic === topic && message.time >= from) line(message);
    if (isPoll) return response.end();
    const stream = { topic, response };
    streams.add(stream);
    return response.on('close', () => streams.delete(stream));
  }

  /** `write-only` may not read, and who brings no token only what everybody may. */
  function mayDo({ headers }: ServedRequest, topic: string, what: 'read' | 'write'): boolean {
    if (!access) return true;
    const token = /^Bearer (.+)$/.exec(String(headers.authorization ?? ''))?.[1] ?? '';
    const right = access[token]?.[topic];
    return right === 'read-write' || right === `${what}-only`;
  }
}

const now = (): number => Math.floor(Date.now() / 1000);
const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));

function json(response: ServerResponse, status: number, value: object): unknown {
  return response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(value)}\n`);
}

const fail = (response: ServerResponse, http: number, code: number, error: string): unknown =>
  json(response, http, { code, http, error });
