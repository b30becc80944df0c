// The application: access check, routes, headers of every response, event streams.
import { createHash, randomBytes } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { formatError, MendError } from '../errors.ts';
import { metricsOf } from '../inspect/metrics.ts';
import { logStream, openFollow } from '../io/log-window.ts';
import { plainLog } from '../io/plain-text.ts';
import { leaveRefusal } from '../mend/answers.ts';
import { html } from '../page/html.ts';
import { shippedText } from '../page/shipped.ts';
import { type Access, cookieValue, isSame, type Refusal, refusalOf } from './access.ts';
import { ACTS, type Act } from './acts.ts';
import { aliveSteps } from './alive.ts';
import { backlogView, itemView } from './backlog.ts';
import { casesView, caseView } from './cases.ts';
import { failuresView, failureView } from './failures.ts';
import { fixesView, fixView } from './fixes.ts';
import { type Assets, documentOf, missing, type Params, type Said, type View, type ViewOf } from './frame.ts';
import { watchChanges } from './live.ts';
import { findLog, logView } from './logs.ts';
import { nowView } from './now.ts';
import type { OnceFault } from './once.ts';
import { promoteView } from './promote.ts';
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
  '/promote': promoteView,
};

/** Why a form is refused, whatever it was for. */
const FAULTS: Readonly<Record<OnceFault | 'gone', string>> = {
  unknown: 'The button is not one of this page, or of an earlier start of it. Nothing was done',
  old: 'The button was an hour old. Nothing was done; this is how things stand now',
  used: 'This button was pressed before. Nothing was done again; this is how things stand now',
  changed: 'Something else is there now than what the button was for. Nothing was done; this is how things stand now',
  gone: 'What the button was for is not there any more. Nothing was done',
};
/** A form has one short value. */
const MAX_FORM_BYTES = 4096;
/** Sentences about what happened, until their page was loaded. */
const MAX_SAID = 100;

/** Headers of every response: no foreign content, no framing, no sniffing, no referrer, no cache. */
const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  // Not no-referrer: a browser would then not say where a form was.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

const PRINTED_LINK = 'Open the link that mendloop serve printed when it was last started.';

const ALIVE_EVERY_MS = 15_000;
const FOLLOW_EVERY_MS = 300;
/** How often the last lines of running steps are looked at. */
const LINE_EVERY_MS = 1000;
/** The most event streams at once. */
const MAX_STREAMS = 64;

/** The one-time value of a form; empty without one. */
async function onceIn(c: Context): Promise<string> {
  if (!(Number(c.req.header('content-length')) <= MAX_FORM_BYTES)) return '';
  const type = c.req.header('content-type') ?? '';
  if (!type.startsWith('application/x-www-form-urlencoded')) return '';
  return new URLSearchParams(await c.req.text()).get('once') ?? '';
}

/** Those by which a page is given to whoever asked for it, and nothing of a form. */
const readingHeaders = (c: Context): Record<string, string> =>
  Object.fromEntries(
    ['host', 'cookie', 'authorization'].flatMap((name) => {
      const value = c.req.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** `stop` ends the streams; `onBug` receives errors that are no MendError. */
export function pageApp(site: Site, access: Access, stop: AbortSignal, onBug: (error: unknown) => void): Hono {
  const app = new Hono();
  const files = { style: shippedText('src/page/style.css'), script: shippedText('src/serve/page.js') };
  const marked = (name: string, text: string) =>
    `${name}?${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
  const assets: Assets = { style: marked('/style.css', files.style), script: marked('/page.js', files.script) };
  const changes = watchChanges(site.layout);
  const said = new Map<string, Said>();
  let streams = 0;

  app.use(async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
    // The page of a refusal uses the style sheet, too.
    const isOpen = c.req.path === '/login' || c.req.path === '/style.css';
    const refusal = refusalOf(c.req.method, c.req.raw.headers, access, isOpen);
    if (!refusal) return next();
    if (refusal.status === 405) c.header('Allow', access.acts ? 'GET, HEAD, POST' : 'GET, HEAD');
    if (c.req.method === 'POST' && refusal.status === 403) refusedAct(refusal.what);
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
  app.get('/metrics', async (c) =>
    c.body(await metricsOf(site.layout), 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }),
  );
  app.get('/events', (c) =>
    streamed(c, async (stream) => {
      const unwatch = changes.watch(() => void stream.writeSSE({ event: 'changed', data: '' }));
      stream.onAbort(unwatch);
      try {
        let [last, at] = ['', Number.NEGATIVE_INFINITY];
        while (isOpen(stream)) {
          const steps = JSON.stringify(aliveSteps(site));
          if (steps !== last) await stream.writeSSE({ event: 'alive', data: steps });
          else if (performance.now() - at > ALIVE_EVERY_MS) await stream.write(': alive\n\n');
          if (steps !== last || performance.now() - at > ALIVE_EVERY_MS) at = performance.now();
          last = steps;
          await pause(stream, LINE_EVERY_MS);
        }
      } finally {
        unwatch();
      }
    }),
  );
  app.get(`${LOG_PATH}/raw`, async (c) => {
    const path = await findLog(site, c.req.param());
    const body = path === undefined ? undefined : logStream(path);
    if (!body) return shown(c, missing('There is no such log', ''));
    const { run, step, name } = c.req.param();
    const file = `${step}-${run}-${name}.log`.replace(/[^\w.-]/g, '_');
    const type = { 'Content-Type': 'text/plain; charset=utf-8' };
    return c.body(body, 200, { ...type, 'Content-Disposition': `attachment; filename="${file}"` });
  });
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
  for (const [path, act] of Object.entries(ACTS)) {
    app.post(path, (c) => posted(c, act));
    if (!Object.hasOwn(VIEWS, path))
      app.get(path, (c) => {
        c.header('Allow', 'POST');
        return refused(c, 405, 'This is done by a button, not by an address', 'press it on the page that shows it');
      });
  }
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
    const words = said.get(c.req.query('said') ?? '');
    return c.html(documentOf(words ? { ...view, said: words } : view, assets, site), view.status ?? 200);
  }

  /** Does what a form is for, and tells what happened: by another address, so that loading it again does nothing again. */
  async function posted(c: Context, act: Act): Promise<Response> {
    const params = c.req.param();
    const path = decodeURIComponent(c.req.path);
    const value = await onceIn(c);
    const now = await act.shown(site, params);
    const fault = now === undefined ? 'gone' : (site.once?.take(value, path, now) ?? undefined);
    if (fault !== undefined || now === undefined) return notDone(c, act, params, FAULTS[fault ?? 'gone']);
    try {
      const what = await act.act(site, params, now);
      site.log?.(`${path}: ${what}`);
      return c.redirect(`${act.back(params)}?said=${say('good', what)}`, 303);
    } catch (error) {
      if (!(error instanceof MendError)) throw error;
      return notDone(c, act, params, formatError(error));
    }
  }

  /** The page that shows what the form was for, as it is now, with why nothing was done. */
  async function notDone(c: Context, act: Act, params: Params, why: string): Promise<Response> {
    refusedAct(why, params.name);
    const page = await app.request(`${act.page(params)}?said=${say('bad', why)}`, { headers: readingHeaders(c) });
    return new Response(page.body, { status: 409, headers: page.headers });
  }

  function refusedAct(reason: string, about?: string): void {
    site.log?.(`refused: ${reason}`);
    leaveRefusal(site.layout, { at: 'page', reason, case: about }, site.now());
  }

  /** A key by which the next page finds the sentence. */
  function say(look: Said['look'], text: string): string {
    const key = randomBytes(9).toString('base64url');
    said.set(key, { look, text });
    const [oldest] = said.keys();
    if (said.size > MAX_SAID && oldest !== undefined) said.delete(oldest);
    return key;
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
