// A server on loopback that speaks the protocols of hosted models, OpenAI's chat completions and Anthropic's messages, as it
// is told to: for tests of this package and of plugins. It holds no process open, and stops by itself when it is forgotten.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiKind, type ApiReply, answerBodyOf, errorBodyOf } from './api-replies.ts';
import { bodyOf, listen, parsed, paused } from './loopback.ts';

export type { ApiKind, ApiReply } from './api-replies.ts';

/** A request as it came. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed when it was JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client sent, to be looked at by a test
  readonly body: any;
  /** Whether the client went away before the answer was complete. */
  readonly aborted: boolean;
}

export interface ApiServerOptions {
  /** Without it, by the path: Anthropic's where that ends in `/messages`. */
  readonly kind?: ApiKind;
  /** Answers to POST requests, one after the other; or a function of the request and of how many came before it. */
  readonly script?: readonly ApiReply[] | ((request: ApiRequest, before: number) => ApiReply);
  /** A request without this key gets 401, with an error that repeats parts of the key it had. */
  readonly key?: string;
  /** PEM texts: it then speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** It stops by itself after so long without a request. Default: five minutes. */
  readonly idleMs?: number;
}

export interface ApiServer {
  /** `http://127.0.0.1:<port>`, or https. */
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ApiRequest[];
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

const IDLE_MS = 300_000;

/** Listens on a free port of 127.0.0.1 and nowhere else. */
export async function startApiServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const { script = [], key, tls, idleMs = IDLE_MS } = options;
  const requests: ApiRequest[] = [];
  const { url, close } = await listen((request, response) => void serve(request, response), { idleMs, tls });
  return { url, requests, close };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen: { -readonly [K in keyof ApiRequest]: ApiRequest[K] } = {
      ...{ method: request.method ?? '', path: request.url ?? '', headers: request.headers },
      ...{ body: parsed(await bodyOf(request)), aborted: false },
    };
    const before = requests.filter(({ method }) => method === 'POST').length;
    requests.push(seen);
    response.on('close', () => {
      seen.aborted = !response.writableFinished;
    });
    const kind = options.kind ?? (seen.path.endsWith('/messages') ? 'anthropic' : 'openai');
    if (seen.method !== 'POST') return send(response, kind, { status: 405, error: 'only POST is served' }, seen);
    const given = keyOf(seen);
    if (key !== undefined && given !== key) {
      const error = `Incorrect API key provided: ${given.slice(0, 8)}********${given.slice(-4)}`;
      return send(response, kind, { status: 401, error }, seen);
    }
    const reply = typeof script === 'function' ? script(seen, before) : script[before];
    const none: ApiReply = { status: 500, error: `the script has no reply number ${before + 1}` };
    await send(response, kind, reply ?? none, seen);
  }
}

async function send(response: ServerResponse, kind: ApiKind, reply: ApiReply, { body }: ApiRequest): Promise<void> {
  const { status = 200, headers = {}, contentType = 'application/json', end = 'done' } = reply;
  if (reply.delayMs !== undefined && !(await paused(reply.delayMs, response))) return;
  if (end === 'hang') return;
  if (end === 'disconnect') return void response.destroy();
  const whole = Buffer.from(
    reply.raw ?? (reply.error === undefined ? answerBodyOf(kind, reply, body) : errorBodyOf(kind, reply)),
  );
  response.writeHead(status, { 'content-type': contentType, 'content-length': String(whole.length), ...headers });
  // A length that is announced and not kept.
  const sent = end === 'truncated' ? whole.subarray(0, Math.floor(whole.length / 2)) : whole;
  if (reply.gapMs === undefined) response.write(sent);
  else if (!(await dripped(response, sent, reply.gapMs))) return;
  // What was said is on its way before the connection breaks.
  if (end === 'truncated') return void setTimeout(() => response.destroy(), 10);
  response.end();
}

/** A byte at a time. False when the client went away meanwhile. */
async function dripped(response: ServerResponse, bytes: Buffer, gapMs: number): Promise<boolean> {
  for (const byte of bytes) {
    response.write(Buffer.of(byte));
    if (!(await paused(gapMs, response))) return false;
  }
  return true;
}

const keyOf = ({ headers }: ApiRequest): string =>
  String(headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /, '');
