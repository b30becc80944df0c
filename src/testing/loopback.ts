// What every scripted host here has: a free port of this machine and no other, no process held open, an end by itself when it
// is forgotten.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface LoopbackOptions {
  /** It stops by itself after so long without a request. */
  readonly idleMs: number;
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
}

export interface Loopback {
  readonly url: string;
  /** Ends every connection. May be called twice. */
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 and nowhere else. */
export async function listen(serve: RequestListener, { idleMs, tls }: LoopbackOptions): Promise<Loopback> {
  const open = new Set<Socket>();
  const handle: RequestListener = (request, response) => {
    idle.refresh();
    serve(request, response);
  };
  const server = tls ? createTlsServer({ ...tls }, handle) : createServer(handle);
  const close = () =>
    new Promise<void>((resolve) => {
      clearTimeout(idle);
      server.close(() => resolve());
      for (const socket of open) socket.destroy();
    });
  const idle = setTimeout(() => void close(), idleMs).unref();
  server.on('connection', (socket: Socket) => {
    open.add(socket.unref());
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return { url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** All of a request's body; of a client that went away, what came. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {
    // The client went away; what came is all there is.
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The value when it is JSON, else the text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** False when the client went away meanwhile. */
export function paused(ms: number, response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off('close', done);
      resolve(!response.destroyed);
    };
    const timer = setTimeout(done, ms);
    response.once('close', done);
  });
}
