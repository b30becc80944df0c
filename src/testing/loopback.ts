// What the scripted hosts share: a free port on loopback, a record of requests, no process held open, an end after a while without
// requests.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it came. */
export interface ServedRequest {
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

/** Replies one after the other; or a function of the request and of how many came before it. */
export type Script<Reply> = readonly Reply[] | ((request: ServedRequest, before: number) => Reply);

export const replyOf = <Reply>(script: Script<Reply>, request: ServedRequest, before: number): Reply | undefined =>
  typeof script === 'function' ? script(request, before) : script[before];

export interface LoopbackOptions {
  /** It stops by itself after so long without a request. Default: five minutes. */
  readonly idleMs?: number | undefined;
  /** PEM texts: it then speaks TLS. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
}

export interface LoopbackServer {
  /** `http://127.0.0.1:<port>`, or https. */
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ServedRequest[];
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

const IDLE_MS = 300_000;

/** Listens on a free port of 127.0.0.1 and nowhere else. `serve` is called with each request that has come to its end. */
export async function listen(
  serve: (request: ServedRequest, response: ServerResponse) => unknown,
  { idleMs = IDLE_MS, tls }: LoopbackOptions,
): Promise<LoopbackServer> {
  const requests: ServedRequest[] = [];
  const sockets = new Set<Socket>();
  const handle: RequestListener = async (request, response) => {
    idle.refresh();
    const { method = '', url = '', headers } = request;
    const served = { method, path: url, headers, body: await bodyOf(request), aborted: false };
    response.on('close', () => {
      served.aborted = !response.writableFinished;
    });
    requests.push(served);
    serve(served, response);
  };
  const server = tls ? createTlsServer({ ...tls }, handle) : createServer(handle);
  const close = () =>
    new Promise<void>((resolve) => {
      clearTimeout(idle);
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  const idle = setTimeout(() => void close(), idleMs).unref();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.unref());
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`, requests, close };
}

/** A request's body, as far as it came: the value when it is JSON, else the text. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    // The client went away.
  }
  const text = Buffer.concat(parts).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Waits `ms`, or without it until all that was written is taken. False when the client went away meanwhile. */
export function paused(response: ServerResponse, ms?: number): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      resolve(!response.destroyed);
    };
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    if (ms === undefined) response.once('drain', done);
    response.once('close', done);
  });
}

/** Flushes what was written before the connection breaks. */
export const breakOff = (response: ServerResponse): void => void setTimeout(() => response.destroy(), 10);
