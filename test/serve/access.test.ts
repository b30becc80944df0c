// Who may ask: a table of requests, and what each is answered.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Access, cookieValue, isLoopback, isSame, refusalOf } from '../../src/serve/access.ts';

const TOKEN = 'a-token-that-is-long-enough';
const LOCAL: Access = { isLocal: true, names: ['127.0.0.1', 'lab'], cookie: 'mendloop-8420' };
const OPEN: Access = { isLocal: false, names: ['0.0.0.0', 'lab'], token: TOKEN, cookie: 'mendloop-8420' };
const COOKIE = { cookie: `other=1; mendloop-8420=${cookieValue(TOKEN)}` };

const TABLE: readonly [access: Access, headers: Record<string, string>, status: number | undefined][] = [
  [LOCAL, { host: 'localhost:8420' }, undefined],
  [LOCAL, { host: '127.0.0.1:9000' }, undefined],
  [LOCAL, { host: '[::1]:8420' }, undefined],
  [LOCAL, { host: 'LOCALHOST' }, undefined],
  // Names that lead to this machine, and are not its own: DNS rebinding.
  [LOCAL, { host: 'evil.example' }, 403],
  [LOCAL, { host: 'localhost.evil.example:8420' }, 403],
  [LOCAL, { host: '127.0.0.1.evil.example' }, 403],
  [LOCAL, { host: 'lab:8420' }, 403],
  [LOCAL, { host: '192.168.1.4:8420' }, 403],
  [LOCAL, { host: 'localhost:8420@evil.example' }, 403],
  [LOCAL, { host: '' }, 403],
  [LOCAL, {}, 403],
  // Other sites.
  [LOCAL, { host: 'localhost:8420', origin: 'http://localhost:8420' }, undefined],
  [LOCAL, { host: 'localhost:8420', origin: 'https://localhost:8420' }, undefined],
  [LOCAL, { host: 'localhost:8420', origin: 'http://localhost:3000' }, 403],
  [LOCAL, { host: 'localhost:8420', origin: 'http://evil.example' }, 403],
  [LOCAL, { host: 'localhost:8420', origin: 'null' }, 403],
  [LOCAL, { host: 'localhost:8420', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
  [LOCAL, { host: 'localhost:8420', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
  [LOCAL, { host: 'localhost:8420', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, undefined],
  [LOCAL, { host: 'localhost:8420', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }, undefined],
  // The token.
  [OPEN, { host: '192.168.1.4:8420' }, 401],
  [OPEN, { host: '192.168.1.4:8420', ...COOKIE }, undefined],
  [OPEN, { host: 'lab:8420', ...COOKIE }, undefined],
  [OPEN, { host: 'localhost:8420', ...COOKIE }, undefined],
  [OPEN, { host: 'evil.example', ...COOKIE }, 403],
  [OPEN, { host: 'lab:8420', origin: 'http://evil.example', ...COOKIE }, 403],
  [OPEN, { host: 'lab:8420', cookie: `mendloop-8420=${TOKEN}` }, 401],
  [OPEN, { host: 'lab:8420', cookie: `mendloop-8421=${cookieValue(TOKEN)}` }, 401],
  [OPEN, { host: 'lab:8420', cookie: 'mendloop-8420=' }, 401],
  [OPEN, { host: 'lab:8420', authorization: `Bearer ${TOKEN}` }, undefined],
  [OPEN, { host: 'lab:8420', authorization: 'Bearer wrong', ...COOKIE }, 401],
  [OPEN, { host: 'lab:8420', authorization: `Basic ${TOKEN}` }, 401],
];

test('each request is answered or refused as the table says', () => {
  for (const [access, headers, status] of TABLE) {
    const refusal = refusalOf('GET', new Headers(headers), access, false);
    assert.is(refusal?.status, status, JSON.stringify(headers));
    if (refusal) assert.ok(refusal.what.length > 10 && refusal.next.length > 5);
  }
});

test('a form may be posted where the page has hands, and only from a page of its own', () => {
  const acting: Access = { ...OPEN, isLocal: true, acts: true };
  const host = { host: 'localhost:8420', ...COOKIE };
  const table: readonly [headers: Record<string, string>, status: number | undefined][] = [
    [{ ...host, origin: 'http://localhost:8420' }, undefined],
    [{ ...host, origin: 'http://localhost:8420', 'sec-fetch-site': 'same-origin' }, undefined],
    [{ ...host, 'sec-fetch-site': 'same-origin' }, undefined],
    [{ host: 'localhost:8420', origin: 'http://localhost:8420' }, 401],
    [host, 403],
    [{ ...host, origin: 'null' }, 403],
    [{ ...host, origin: 'http://localhost:3000' }, 403],
    [{ ...host, origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' }, 403],
    [{ ...host, 'sec-fetch-site': 'none' }, 403],
    [{ ...host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
    [{ ...host, host: 'evil.example', origin: 'http://evil.example' }, 403],
  ];
  for (const [headers, status] of table)
    assert.is(refusalOf('POST', new Headers(headers), acting, false)?.status, status, JSON.stringify(headers));
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    assert.is(refusalOf(method, new Headers(host), acting, false)?.status, 405);
});

test('only GET and HEAD are answered, and who logs in needs no cookie yet', () => {
  const headers = new Headers({ host: 'localhost' });
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE'])
    assert.is(refusalOf(method, headers, LOCAL, false)?.status, 405);
  assert.is(refusalOf('HEAD', headers, LOCAL, false), undefined);
  assert.is(refusalOf('GET', headers, OPEN, true), undefined);
});

test('loopback is what leads to this machine alone', () => {
  assert.equal(['localhost', '127.0.0.1', '127.1.2.3', '::1', '0.0.0.0', '::', '10.0.0.1', 'lab'].map(isLoopback), [
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('two texts are the same or not, whatever their length', () => {
  assert.ok(isSame('a', 'a'));
  assert.not(isSame('a', 'aa') || isSame('', 'a'));
});

test.run();
