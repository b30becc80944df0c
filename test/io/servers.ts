// Real servers on loopback that can be stopped.
import { createServer as createHttp } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface Running {
  port: number;
  stop(): Promise<void>;
}

/** Accepts connections and says nothing. */
export const tcpServer = (): Promise<Running> => running(createServer());

/** Answers each path with its status, anything else with 404. */
export function httpServer(statuses: Record<string, number>): Promise<Running> {
  return running(
    createHttp((request, response) => {
      response.writeHead(statuses[request.url ?? ''] ?? 404, { location: '/new' }).end('body');
    }),
  );
}

async function running(server: Server): Promise<Running> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}
