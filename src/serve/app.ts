// The application: access check, routes, headers of every response, event streams.
import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { formatError, MendError } from '../errors.ts';
import { metricsOf } from '../inspect/metrics.ts';
import { openFollow } from '../io/log-window.ts';
import { plainLog } from '../io/plain-text.ts';
import { html } from '../page/html.ts';
import { shippedText } from '../page/shipped.ts';
import { type Access, cookieValue, isSame, type Refusal, refusalOf } from './access.ts';
import { backlogView, itemView } from './backlog.ts';
import { casesView, caseView } from './cases.ts';
import { failuresView, failureView } from './failures.ts';
import { fixesView, fixView } from './fixes.ts';
import { type Assets, documentOf, missing, type View, type ViewOf } from './frame.ts';
import { watchChanges } from './live.ts';
import { findLog, logView } from './logs.ts';
import { nowView } from './now.ts';
import { runsView, runView } from './runs.ts';
import type { Site } from './site.ts';
import { stageView } from './stages.ts';

const LOG_PATH = '/runs/:run/logs/:step/:name';

const VIEWS: Readonly<Record<string, ViewOf>> = {
  '/': nowView,
  '/stages/:stage': stageView,
  '/runs': runsView,
  '/runs/:run': runView,
  [LOG_PATH]: logView,
  '/failures': failuresView,
  '/failures/:stage/:fingerprint': failureView,
  '/fixes': fixesView,
  '/fixes/:commit': fixView,
  '/cases': casesView,
  '/cases/:name': caseView,
  '/backlog': backlogView,
  '/backlog/:number': itemView,
};

/** Headers of every response: no foreign content, no framing, no sniffing, no referrer, no cache. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const PRINTED_LINK = 'Open the link that mendloop serve printed when it was last started.';

const ALIVE_EVERY_MS = 15_000;
const FOLLOW_EVERY_MS = 300;
/** The most event streams at once. */
const MAX_STREAMS = 64;

/** `stop` ends the streams; `onBug` receives errors that are no MendError. */
export function pageApp(site: Site, access: Access, stop: AbortSignal, onBug: (error: unknown) => void): Hono {
  const app = new Hono();
  const files = { style: shippedText('src/page/style.css'), script: shippedText('src/serve/page.js') };
  const marked = (name: string, text: string) =>
    `${name}?${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  const assets: Assets = { style: marked('/style.css', files.style), script: marked('/page.js', files.script) };
  const changes = watchChanges(site.layout);
  let streams = 0;

  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    // The page of a refusal uses the style sheet, too.
    const isOpen = c.req.path === '/login' || c.req.path === '/style.css';
    const refusal = refusalOf(c.req.method, c.req.raw.headers, access, isOpen);
    if (!refusal) return next();
    if (refusal.status === 405) c.header('Allow', 'GET, HEAD');
    return refused(c, refusal.status, refusal.what, refusal.next);
  });
  app.get('/login', (c) => {
    const { token } = access;
    if (token !== undefined) {
      if (!isSame(c.req.query('token') ?? '', token)) return refused(c, 401, 'This is not the token', PRINTED_LINK);
      const settings = 'HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000';
      c.header('Set-Cookie', `${access.cookie}=${cookieValue(token)}; ${settings}`);
    }
    // So that the token does not stay in the address bar.
    return c.redirect('/', 303);
  });
  app.get('/style.css', (c) => asset(c, 'text/css; charset=utf-8', files.style));
  app.get('/page.js', (c) => asset(c, 'text/javascript; charset=utf-8', files.script));
  app.get('/metrics', (c) =>
    c.body(metricsOf(site.layout), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  );
  app.get('/events', (c) =>
    streamed(c, async (stream) => {
      const unwatch = changes.watch(() => void stream.writeSSE({ event: 'changed', data: '' }));
      stream.onAbort(unwatch);
      try {
        while (isOpen(stream)) {
          await stream.write(': alive\n\n');
          await pause(stream, ALIVE_EVERY_MS);
        }
      } finally {
        unwatch();
      }
    }),
  );
  app.get(`${LOG_PATH}/follow`, async (c) => {
    const path = await findLog(site, c.req.param());
    if (path === undefined) return shown(c, missing('There is no such log', ''));
    const from = Number(/^\d{1,15}$/.exec(c.req.query('from') ?? '')?.[0] ?? 0);
    return streamed(c, async (stream) => {
      const read = openFollow(path, from, true);
      const log = plainLog();
      while (isOpen(stream)) {
        const piece = read();
        if (!piece) return void (await stream.writeSSE({ event: 'gone', data: '' }));
        const { skipped, to } = piece;
        const text = log.push(piece.bytes);
        if (text !== '' || skipped > 0)
          await stream.writeSSE({ data: JSON.stringify({ text, skipped, to }), id: String(to) });
        await pause(stream, FOLLOW_EVERY_MS);
      }
    });
  });
  for (const [path, view] of Object.entries(VIEWS))
    app.get(path, async (c) => shown(c, await view(site, c.req.param(), new URL(c.req.url).searchParams)));
  app.notFound((c) => shown(c, missing('There is no such page', 'The menu has those that there are.')));
  app.onError((error, c) => {
    const isOurs = !(error instanceof MendError);
    if (isOurs) onBug(error);
    const text = isOurs
      ? 'this is a bug in mendloop; what it is stands where mendloop serve was started'
      : formatError(error);
    return shown(c, {
      title: 'Error',
      status: 500,
      body: html`<h1>This cannot be shown</h1><pre class="wrapped">${text}</pre>`,
    });
  });
  return app;

  function shown(c: Context, view: View): Response {
    return c.html(documentOf(view, assets, site), view.status ?? 200);
  }

  /** Shows nothing of the home. */
  function refused(c: Context, status: Refusal['status'], what: string, next: string): Response {
    const body = html`<h1>${what}</h1><p class="lead">${next}</p>`;
    return c.html(documentOf({ title: 'Refused', body }, assets, undefined), status);
  }

  function asset(c: Context, type: string, text: string): Response {
    return c.body(text, 200, { 'Content-Type': type, 'Cache-Control': 'private, max-age=31536000, immutable' });
  }

  function streamed(c: Context, work: (stream: SSEStreamingApi) => Promise<void>): Response {
    if (streams >= MAX_STREAMS) return c.text('too many windows look on\n', 503, { 'Retry-After': '30' });
    const response = { 'Content-Type': 'text/event-stream' };
    if (c.req.method === 'HEAD') return c.body(null, 200, response);
    streams++;
    const answer = streamSSE(c, async (stream) => {
      try {
        await work(stream);
      } catch (error) {
        onBug(error);
      } finally {
        streams--;
      }
    });
    answer.headers.set('Cache-Control', 'no-store');
    return answer;
  }

  function isOpen(stream: SSEStreamingApi): boolean {
    return !stream.aborted && !stream.closed && !stop.aborted;
  }

  /** Waits `ms`, or until the client or the server goes away. */
  function pause(stream: SSEStreamingApi, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      stop.addEventListener('abort', done, { once: true });
      stream.onAbort(done);
      function done(): void {
        clearTimeout(timer);
        stop.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}
