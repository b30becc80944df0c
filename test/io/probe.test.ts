import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { probeHttp, probeTcp } from '../../src/io/probe.ts';
import { httpServer, tcpServer } from './servers.ts';

const never = () => AbortSignal.timeout(10_000);

test('a port that accepts holds, also by name and by IPv6; one that stopped does not', async () => {
  const server = await tcpServer();
  assert.is(await probeTcp(`127.0.0.1:${server.port}`, never()), undefined);
  assert.is(await probeTcp(`localhost:${server.port}`, never()), undefined);
  await server.stop();
  assert.is(await probeTcp(`127.0.0.1:${server.port}`, never()), 'ECONNREFUSED');
});

test('a host that does not exist is no exception', async () => {
  assert.type(await probeTcp('no-such-host.invalid:80', never()), 'string');
  assert.type(await probeHttp('http://no-such-host.invalid/', 200, never()), 'string');
});

test('an answer holds only with the status that was asked for', async () => {
  const server = await httpServer({ '/ready': 200, '/gone': 410 });
  const url = (path: string) => `http://127.0.0.1:${server.port}${path}`;
  assert.is(await probeHttp(url('/ready'), 200, never()), undefined);
  assert.is(await probeHttp(url('/gone'), 410, never()), undefined);
  assert.is(await probeHttp(url('/gone'), 200, never()), 'status 410, expected 200');
  await server.stop();
  assert.is(await probeHttp(url('/ready'), 200, never()), 'ECONNREFUSED');
});

test('a redirect is an answer, not a way', async () => {
  const server = await httpServer({ '/old': 302, '/new': 200 });
  const url = `http://127.0.0.1:${server.port}/old`;
  assert.is(await probeHttp(url, 302, never()), undefined);
  assert.is(await probeHttp(url, 200, never()), 'status 302, expected 200');
  await server.stop();
});

test('a server that never answers is left when the signal says so', async () => {
  const server = await tcpServer();
  const began = performance.now();
  const why = await probeHttp(`http://127.0.0.1:${server.port}/`, 200, AbortSignal.timeout(50));
  assert.ok(typeof why === 'string' && performance.now() - began < 5000);
  assert.type(await probeTcp(`127.0.0.1:${server.port}`, AbortSignal.abort()), 'string');
  await server.stop();
});

test.run();
