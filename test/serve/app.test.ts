// The page over HTTP: what every answer carries, who is refused, and what becomes of paths, files and journals that are not as
// they should be.
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError, type MendError } from '../../src/errors.ts';
import { type HttpServer, listen } from '../../src/io/http-server.ts';
import type { Layout } from '../../src/io/layout.ts';
import { type Access, cookieValue } from '../../src/serve/access.ts';
import { pageApp } from '../../src/serve/app.ts';
import { siteOf } from '../../src/serve/site.ts';
import { journalOf } from '../events.ts';
import { PATHS, pageHome, RUNS, text } from './home.ts';

const LOCAL: Access = { isLocal: true, names: ['127.0.0.1'], cookie: 'mendloop-0' };
const TOKEN = 'a-token-that-is-long-enough';
const bugs: unknown[] = [];
const open: HttpServer[] = [];

interface Page {
  readonly layout: Layout;
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
  /** What a stream says until `enough`. */
  stream(path: string, enough: RegExp, meanwhile?: () => void): Promise<string>;
}
interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function serve(access = LOCAL, layout = pageHome()): Promise<Page> {
  const stop = new AbortController();
  const app = pageApp(siteOf(layout, '1.2.3'), access, stop.signal, (error) => bugs.push(error));
  const server = await listen((one) => app.fetch(one), '127.0.0.1', 0);
  open.push({ ...server, close: () => server.close().finally(() => stop.abort()) });
  const send = (path: string, headers: Record<string, string>, method: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const to = { host: '127.0.0.1', port: server.port, path, method, headers };
      request(to, resolve).on('error', reject).end();
    });
  return {
    layout,
    async get(path, headers = {}, method = 'GET') {
      const answer = await send(path, headers, method);
      let body = '';
      for await (const chunk of answer.setEncoding('utf8')) body += chunk;
      return { status: answer.statusCode, headers: answer.headers, body };
    },
    async stream(path, enough, meanwhile) {
      const answer = await send(path, {}, 'GET');
      let body = '';
      for await (const chunk of answer.setEncoding('utf8')) {
        if (body === '') meanwhile?.();
        body += chunk;
        if (enough.test(body)) break;
      }
      answer.destroy();
      return body;
    },
  };
}

const page = await serve();

test('every view is shown whole, with headers that keep others out, and nothing in it is markup that somebody wrote', async () => {
  for (const path of PATHS) {
    const { status, headers, body } = await page.get(path);
    assert.is(status, 200, path);
    assert.match(
      String(headers['content-security-policy']),
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
    );
    assert.equal(
      ['x-content-type-options', 'referrer-policy', 'cache-control', 'cross-origin-resource-policy'].map(
        (name) => headers[name],
      ),
      ['nosniff', 'same-origin', 'no-store', 'same-origin'],
    );
    assert.match(body, /<\/html>\n$/);
    assert.not.match(body, /<script>|<img|onerror=alert\(1\)>|<b>bold/, path);
    assert.not(
      ['\u001b', '\u202e', 'javascript:'].some((sign) => body.includes(sign)),
      path,
    );
    assert.not.match(body.replaceAll(/"[^"]*"/g, '""'), /<[^>]*\s(?:style|on\w+)=/, path);
    assert.ok(body.length < 100_000);
  }
  assert.equal(bugs, []);
});

test('what is shown is what there is: stages, the failure with its reasons, the case with its commands, the log with its text', async () => {
  const shows = async (path: string, ...texts: string[]) => {
    const { body } = await page.get(path);
    for (const one of texts) assert.ok(body.includes(one), `${path}: ${one}\n${body}`);
  };
  const escaped =
    '&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;\\u{1b}[2J\\u{202e}';
  await shows('/', '1 case waits for you', 'run 20260102-000000-bbbb ended', 'href="/stages/b"', 'needs a');
  await shows('/failures/b/f1', 'Next time', 'Ledger', escaped);
  await shows('/cases/b-f1', 'mendloop cases accept b-f1', '<del class="line del">', escaped);
  await shows('/runs', '<option value="success">all green</option>', '✕</span> failed<');
  await shows(`/runs/${RUNS[1]}`, `href="/runs/${RUNS[1]}/logs/b/1"`, 'a human is needed');
  await shows(`/runs/${RUNS[1]}/logs/b/1`, escaped, '\ufffd\ufffd', 'error: it broke', 'all of it');
  await shows(`/runs/${RUNS[1]}/logs/b/1?q=BROKE`, 'error: it <mark>broke</mark>', '1 line with it');
  assert.match((await page.get('/metrics')).body, /^# HELP mendloop_/);
  assert.match((await page.get('/page.js')).headers['content-type'] ?? '', /javascript/);
});

test('another name, another site and another method are refused on every address, streams and files too', async () => {
  const all = [
    ...PATHS,
    '/events',
    `/runs/${RUNS[1]}/logs/b/1/follow`,
    '/metrics',
    '/page.js',
    '/style.css',
    '/login',
    '/nowhere',
  ];
  for (const path of all) {
    assert.is((await page.get(path, { host: 'evil.example' })).status, 403, path);
    assert.is((await page.get(path, { origin: 'http://evil.example' })).status, 403, path);
    const post = await page.get(path, {}, 'POST');
    assert.equal([post.status, post.headers.allow], [405, 'GET, HEAD'], path);
  }
  const { body } = await page.get('/', { host: 'evil.example' });
  assert.match(body, 'this page is not for the name &quot;evil.example&quot;');
  assert.not.match(body, 'case');
});

test('no path leads out of what the journals list', async () => {
  const log = `/runs/${RUNS[1]}/logs`;
  const paths = [
    ...['/runs/%2e%2e%2f%2e%2e', '/cases/..%2f..%2fai', '/cases/%00', '/stages/__proto__', '/stages/constructor'],
    ...['/failures/__proto__/f1', '/failures/b/constructor', '/fixes/HEAD', '/fixes/--output=x', '/style.css/..%2f'],
    ...[
      `${log}/b/2`,
      `${log}/b/..%2f..%2f..%2f..%2fetc%2fpasswd`,
      `${log}/..%2f..%2fstate/1`,
      `${log}/b%5B..%2F..%5D/1`,
    ],
    ...['/runs/%E0%A4%A', `/runs/20990101-000000-abcd/logs/b/1`, '/%2e%2e/%2e%2e/etc/passwd', '/../../etc/passwd'],
  ];
  for (const path of paths) {
    const { status, body } = await page.get(path);
    assert.ok(status === 404, `${path}: ${status}`);
    assert.not.match(body, 'root:');
  }
  assert.equal(bugs, []);
});

test('a log that is a link, or in a folder that is one, is not followed', async () => {
  const { layout, get } = await serve();
  const folder = join(layout.logs, 'b');
  const file = join(folder, `${RUNS[1]}-1.log`);
  rmSync(file);
  symlinkSync('/etc/passwd', file);
  assert.is((await get(`/runs/${RUNS[1]}/logs/b/1`)).status, 404);
  rmSync(file);
  renameSync(folder, join(layout.home, 'elsewhere'));
  writeFileSync(join(layout.home, 'elsewhere', `${RUNS[1]}-1.log`), 'outside');
  symlinkSync(join(layout.home, 'elsewhere'), folder);
  assert.is((await get(`/runs/${RUNS[1]}/logs/b/1`)).status, 404);
});

test('with a token nobody sees anything without it, and the link that brings it leads away from it', async () => {
  const { get } = await serve({ ...LOCAL, isLocal: false, token: TOKEN });
  for (const path of ['/', '/runs', '/events', '/metrics', '/page.js']) {
    const { status, body } = await get(path);
    assert.is(status, 401, path);
    assert.not.match(body, /bbbb|waits for you/);
  }
  assert.is((await get('/login?token=wrong')).status, 401);
  assert.is((await get('/login')).status, 401);
  const { status, headers } = await get(`/login?token=${TOKEN}`);
  assert.equal([status, headers.location], [303, '/']);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  assert.is(cookie, `mendloop-0=${cookieValue(TOKEN)}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000`);
  assert.not.match(cookie, TOKEN);
  assert.is((await get('/', { cookie: cookie.split(';')[0] as string })).status, 200);
  assert.is((await get('/metrics', { authorization: `Bearer ${TOKEN}` })).status, 200);
});

test('who looks on hears of changes; a log is followed until it is gone', async () => {
  const { layout, stream } = await serve();
  const more = text(journalOf([['notice']], { run: RUNS[1], from: Date.UTC(2026, 0, 3) }));
  assert.match(
    await stream('/events', /changed/, () => appendFileSync(layout.journal(RUNS[1]), more)),
    'event: changed',
  );
  const path = join(layout.logs, 'b', `${RUNS[1]}-1.log`);
  const follow = `/runs/${RUNS[1]}/logs/b/1/follow?from=0`;
  assert.match(await stream(follow, /it broke/), /^data: \{"text":"<script>/);
  assert.match(await stream(follow, /gone/, () => rmSync(path)), 'event: gone');
});

test('a run that is deleted while it is shown is said to be gone, and so is its log', async () => {
  const { layout, get } = await serve();
  assert.is((await get(`/runs/${RUNS[0]}`)).status, 200);
  rmSync(join(layout.runs, RUNS[0]), { recursive: true });
  const gone = await get(`/runs/${RUNS[0]}`);
  assert.is(gone.status, 404);
  assert.match(gone.body, 'gc has forgotten it since');
  rmSync(layout.logs, { recursive: true });
  assert.is((await get(`/runs/${RUNS[1]}/logs/b/1`)).status, 404);
});

test('of a journal of a newer version what can be read is shown, and that there is more', async () => {
  const { layout, get } = await serve();
  const run = '20260103-000000-cccc';
  const [first] = journalOf([['run.started']], { run });
  mkdirSync(join(layout.runs, run));
  writeFileSync(
    layout.journal(run),
    `${JSON.stringify({ ...first, v: 2, seq: 1 })}\n${JSON.stringify({ ...first, seq: 2 })}\n`,
  );
  for (const path of [`/runs/${run}`, '/'])
    assert.match((await get(path)).body, 'has lines of a newer version of mendloop (1): they are left out');
  assert.is((await get('/runs')).status, 200);
});

test('HEAD answers without a body, also where a stream would begin', async () => {
  for (const path of ['/', '/events', `/runs/${RUNS[1]}/logs/b/1/follow`]) {
    const { status, body } = await page.get(path, {}, 'HEAD');
    assert.equal([status, body], [200, ''], path);
  }
});

test('why a stage was skipped is told once', async () => {
  const { layout, get } = await serve();
  const run = '20260103-000000-cccc';
  const why = 'needs a, which failed';
  const events = journalOf(
    [
      ['run.started', undefined, { stages: ['a', 'b'] }],
      ['step.skipped', 'b', { reason: why }],
      ['stage.skipped', 'b', { reason: why }],
      ['run.ended', undefined, { exit: 1, duration_ms: 1 }],
    ],
    { run, from: Date.UTC(2026, 0, 3) },
  );
  mkdirSync(join(layout.state, 'runs', run));
  writeFileSync(layout.journal(run), text(events));
  for (const path of ['/', '/stages/b']) {
    const head = (await get(path)).body.split('id="runs"')[0] as string;
    assert.is(head.split(why).length, 2, path);
  }
});

test('a home without any past, and one whose map is broken, are shown all the same', async () => {
  const { layout, get } = await serve();
  rmSync(layout.state, { recursive: true });
  assert.match((await get('/')).body, 'no run yet; 2 stages in ai/context_map.yaml');
  writeFileSync(join(layout.home, 'ai/context_map.yaml'), 'stages: [');
  for (const path of ['/', '/runs', '/failures', '/cases']) assert.is((await get(path)).status, 200, path);
  rmSync(join(layout.home, '.git'), { recursive: true });
  const { status, body } = await get('/backlog');
  assert.is(status, 500);
  assert.not.match(body, /\bat .*\.ts:\d/);
});

test('a port in use, and an address that is not ours, are one clear error each', async () => {
  const [{ port }] = open as [HttpServer];
  const refused = (host: string, at: number) =>
    listen(() => new Response(), host, at).then(
      () => 'nothing',
      (error: MendError) => formatError(error),
    );
  assert.is(
    await refused('127.0.0.1', port),
    `error E_PORT_IN_USE: port ${port} of 127.0.0.1 is in use
  next:  the page may be served already: open it there; or name another port: mendloop serve --port N (0: any that is free)`,
  );
  assert.is(
    await refused('192.0.2.1', 0),
    `error E_LISTEN: nobody may listen at 192.0.2.1, port 0: EADDRNOTAVAIL
  next:  name an address of this machine, and a port from 1024 on: mendloop serve --host H --port N`,
  );
});

test('closing ends every connection', async () => {
  for (const server of open) await server.close();
});

test.run();
