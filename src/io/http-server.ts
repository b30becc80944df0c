// A server of HTTP on one address: answers requests until it is closed, and closes at once.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { fail } from '../errors.ts';

export interface HttpServer {
  /** The one that was given, for port 0. */
  readonly port: number;
  /** Ends every connection. */
  close(): Promise<void>;
}

/** Throws MendError when nobody may listen there. */
export async function listen(
  answer: (request: Request) => Response | Promise<Response>,
  host: string,
  port: number,
): Promise<HttpServer> {
  const server = createAdaptorServer({ fetch: answer, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') fail('E_PORT_IN_USE', { host, port });
    if (error.syscall === undefined) throw error;
    fail('E_LISTEN', { host, port, why: error.code ?? error.message });
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
