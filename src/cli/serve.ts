// `mendloop serve [--host H] [--port N] [--act]`: a page that shows how things stand, until it is stopped; with --act it has buttons.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { EXIT, failUsage } from '../errors.ts';
import { listen } from '../io/http-server.ts';
import { packageVersion } from '../io/package.ts';
import { stopSignals } from '../io/signals.ts';
import { type Access, isLoopback } from '../serve/access.ts';
import { pageApp } from '../serve/app.ts';
import { followAnswers } from '../serve/follow-answers.ts';
import { oneTimeValues } from '../serve/once.ts';
import { siteOf } from '../serve/site.ts';
import type { CommandInput } from './command.ts';

const PORT = 8420;
const MIN_TOKEN = 20;

/** Resolves when it is stopped: to 130 by SIGINT, to 0 by any other signal. */
export async function run({ options, layout: findLayout, out }: CommandInput): Promise<number> {
  const layout = findLayout();
  const host = typeof options.host === 'string' ? options.host : '127.0.0.1';
  const asked = options.port === undefined ? PORT : Number(/^\d{1,5}$/.exec(String(options.port))?.[0] ?? 'no');
  if (!(asked >= 0 && asked < 65_536))
    failUsage(`--port ${options.port} is not a port`, 'for example: --port 8420, or 0 for any that is free');
  const isLocal = isLoopback(host);
  const acts = options.act === true;
  const token = isLocal && options.token !== true && !acts ? undefined : tokenOf(process.env.MENDLOOP_TOKEN);
  const stop = stopSignals((name) => name);
  const access: Access = { isLocal, names: [host, hostname()], token, acts, cookie: `mendloop-${asked}` };
  const bug = (error: unknown) => out.errorLine(`error E_BUG: ${error instanceof Error ? error.message : error}`);
  const hands = acts ? { once: oneTimeValues(), log: (line: string) => out.line(line) } : {};
  const app = pageApp(siteOf(layout, packageVersion(), hands), access, stop.signal, bug);
  try {
    const server = await listen((request) => app.fetch(request), host, asked);
    // Render one page now, so that the first visitor does not wait for lazy imports.
    await app.request('/', { headers: { host: 'localhost', authorization: `Bearer ${token}` } });
    const shown = /^(?:0\.0\.0\.0|::)$/.test(host) ? hostname() : host.includes(':') ? `[${host}]` : host;
    const url = `http://${shown}:${server.port}/`;
    const link = token === undefined ? url : `${url}login?token=${token}`;
    if (out.json) out.jsonLine({ url: link, host, port: server.port, home: layout.home, acts });
    out.line(`the page of ${layout.home}: ${link}`);
    out.line(isLocal ? FOR_THIS_MACHINE[token === undefined ? 'all' : 'token'] : FOR_OTHERS);
    if (!out.json) out.line(`${acts ? 'it acts for whoever has this link' : 'it only reads'}; to stop it: Ctrl-C`);
    const following = acts ? followAnswers(layout, stop.signal, (line) => out.line(line)) : undefined;
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
    await following;
    await server.close();
    return stop.signal.reason === 'SIGINT' ? EXIT.interrupted : EXIT.ok;
  } finally {
    stop.dispose();
  }
}

const FOR_THIS_MACHINE = {
  all: 'for this machine alone, and every user of it; only for who has a link: --token',
  token: 'for this machine alone, and who has this link',
};
const FOR_OTHERS =
  'for everybody who reaches this machine and has this link; not encrypted, and logs are shown as they are:\nuse it in a network that you trust';

function tokenOf(given: string | undefined): string {
  if (given === undefined) return randomBytes(24).toString('base64url');
  if (given.length < MIN_TOKEN || !/^[\w.~-]+$/.test(given))
    failUsage(
      `MENDLOOP_TOKEN is no token: ${MIN_TOKEN} or more letters, digits, - . _ or ~`,
      'leave it out, and one is made',
    );
  return given;
}
