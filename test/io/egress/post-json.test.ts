import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer as createTcp } from 'node:net';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionFault, ModelFault } from '../../../src/io/egress/model-fault.ts';
import { type PostJson, postJson } from '../../../src/io/egress/post-json.ts';
import { httpServer, tcpServer } from '../servers.ts';
import { fault } from './faults.ts';

const post = (url: string, more: Partial<PostJson> = {}) =>
  postJson(url, {
    ...{ body: { text: 'grüß dich' }, signal: new AbortController().signal, timeoutMs: 2000, mayReach: () => true },
    ...more,
  });

async function served<T>(listener: RequestListener, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/token`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

test('a document is posted with its length and headers, and any status comes back with headers and text', async () => {
  const seen: [IncomingMessage, string][] = [];
  const answer = await served(
    async (request, response) => {
      let text = '';
      for await (const part of request) text += part;
      seen.push([request, text]);
      response.writeHead(429, { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] }).end('später');
    },
    (url) => post(url, { headers: { authorization: 'Bearer x' } }),
  );
  const [[request, text] = []] = seen;
  assert.equal([request?.method, request?.url, text], ['POST', '/hook/token', '{"text":"grüß dich"}']);
  const { 'content-type': type, 'content-length': length, authorization } = request?.headers ?? {};
  assert.equal([type, length, authorization], ['application/json', '22', 'Bearer x']);
  const { status, headers, text: said } = answer;
  assert.equal([status, headers['retry-after'], headers['set-cookie'], said], [429, '7', 'a=1, b=2', 'später']);
});

test('an answer that points elsewhere is not followed, and of both addresses only the host is named', async () => {
  let asked = 0;
  const points = (location?: string) =>
    served(
      (_, response) => {
        asked++;
        response.writeHead(307, location === undefined ? {} : { location }).end('moved');
      },
      (url) => fault(post(url)),
    );
  assert.equal(
    [await points('https://evil.example/hook/token?x=1'), await points('/hook/token/2'), await points()],
    [
      'ModelFault: http://host answered 307 and points to https://evil.example, which is not followed',
      'ModelFault: http://host answered 307 and points to another path of its own, which is not followed',
      'ModelFault: http://host answered 307 and points to nowhere',
    ],
  );
  assert.is(asked, 3);
});

test('an address that may not be reached gets no connection, by number or by name', async () => {
  let connections = 0;
  const server = createTcp(() => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const refused = { mayReach: () => false };
  const outside = 'which is outside of this machine and its network';
  assert.is(
    await fault(post(`http://127.0.0.1:${port}`, refused)),
    `ModelFault: http://host is at 127.0.0.1, ${outside}`,
  );
  assert.is(await fault(post('http://[::1]:9', refused)), `ModelFault: http://[::1]:9 is at ::1, ${outside}`);
  assert.match(await fault(post(`http://localhost:${port}`, refused)), `${outside}`);
  await new Promise((resolve) => server.close(resolve));
  assert.is(connections, 0);
});

test('too much, too late, broken off, stopped, gone, no address: one line each, without the path', async () => {
  const [silent, gone] = [await tcpServer(), await tcpServer()];
  await gone.stop();
  const stop = new AbortController();
  const stopped = post(`http://127.0.0.1:${silent.port}/token`, { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  assert.equal(
    await Promise.all([
      served(
        (_, response) => void response.end('x'.repeat(5000)),
        (url) => fault(post(url, { maxBytes: 1000 })),
      ),
      fault(post(`http://127.0.0.1:${silent.port}/token`, { timeoutMs: 100 })),
      served(
        (_, response) => void response.write('x', () => response.destroy()),
        (url) => fault(post(url)),
      ),
      fault(stopped),
      fault(post('http://127.0.0.1:1/token', { signal: AbortSignal.abort() })),
      fault(post(`http://127.0.0.1:${gone.port}/token`)),
      fault(post('file:///etc/passwd')),
      fault(post('token')),
    ]),
    [
      'ModelFault: the host sent more than anyone would read',
      'ModelFault: http://host did not answer within 0.1 s',
      'ModelFault: http://host broke off in the middle of its answer',
      'ModelFault: it was stopped',
      'ModelFault: it was stopped',
      'ModelFault: http://host cannot be reached: ECONNREFUSED',
      'ModelFault: what to post to is no http(s) address',
      'ModelFault: what to post to is no http(s) address',
    ],
  );
  await silent.stop();
  assert.match(
    await fault(post('http://no-such-host.invalid/token')),
    /^ModelFault: http:\/\/no-such-host\.invalid cannot be reached: (?:ENOTFOUND|EAI_AGAIN|no connection within 3 s)$/,
  );
});

/** A port whose connections never come about: it listens, nobody takes them up, and its queue is full. */
async function blackHole(): Promise<{ port: number; stop(): Promise<unknown> }> {
  const held = new Int32Array(new SharedArrayBuffer(4));
  const code = `const { parentPort, workerData } = require('node:worker_threads');
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      setImmediate(() => { Atomics.wait(workerData, 0, 0, 20000); process.exit(); });
    });`;
  const worker = new Worker(code, { eval: true, workerData: held });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const stop = () => {
    for (const socket of waiting) socket.destroy();
    Atomics.store(held, 0, 1);
    Atomics.notify(held, 0);
    return worker.terminate();
  };
  return { port, stop };
}

test('a host that swallows connections costs the time of a connection, not that of an answer', async () => {
  const { port, stop } = await blackHole();
  const began = performance.now();
  assert.equal(
    await Promise.all([
      fault(post(`http://127.0.0.1:${port}`, { timeoutMs: 20_000, connectMs: 200 })),
      fault(post(`http://127.0.0.1:${port}`, { timeoutMs: 20_000 })),
    ]),
    [
      'ModelFault: http://host cannot be reached: no connection within 0.2 s',
      'ModelFault: http://host cannot be reached: no connection within 3 s',
    ],
  );
  assert.ok(performance.now() - began < 4500);
  await stop();
});

test('a connection that came about while this process was busy is no late one', async () => {
  await served(
    (_, response) => void response.end('ok'),
    async (url) => {
      const asked = post(url, { connectMs: 50 });
      const until = performance.now() + 200;
      while (performance.now() < until);
      assert.is((await asked).text, 'ok');
    },
  );
});

test('what is wrong with a secure connection is named', async () => {
  const plain = await httpServer({});
  assert.match(
    await fault(post(`https://127.0.0.1:${plain.port}/token`)),
    /^ModelFault: https:\/\/host cannot be trusted: it does not speak TLS there \((?:EPROTO|ERR_SSL_\w+)\)$/,
  );
  const silent = await tcpServer();
  assert.is(
    await fault(post(`https://127.0.0.1:${silent.port}`, { connectMs: 100 })),
    'ModelFault: https://host cannot be reached: no connection within 0.1 s',
  );
  await Promise.all([plain.stop(), silent.stop()]);
  const said = (code: string) => connectionFault(Object.assign(new Error('x'), { code }), 'https://h')?.message;
  assert.is(said('CERT_HAS_EXPIRED'), 'https://h cannot be trusted: its certificate has expired (CERT_HAS_EXPIRED)');
  assert.is(
    said('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'https://h cannot be trusted: its certificate is signed by itself; name the certificate of its authority in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT)',
  );
  assert.is(said('CERT_REVOKED'), 'https://h cannot be trusted: the secure connection failed (CERT_REVOKED)');
  assert.is(connectionFault(new TypeError('ours'), 'https://h'), undefined);
  assert.instance(connectionFault(Object.assign(new Error('x'), { code: 'EPIPE' }), 'h'), ModelFault);
});

test.run();
