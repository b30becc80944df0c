// `mendloop serve` as a process: what it says, what it refuses to start with, and how it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageHome } from '../serve/home.ts';
import { runHere } from './here.ts';
import { ENTRY } from './scenario.ts';

const { home } = pageHome();
const { MENDLOOP_TOKEN: _, ...ENV } = process.env;

/** Starts it and waits for its first `count` lines. */
async function start(count: number, ...args: string[]): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, [ENTRY, 'serve', ...args], {
    cwd: home,
    env: ENV,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.split('\n').length > count) break;
  }
  return { child, lines: text.trimEnd().split('\n') };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

test('with --json it says where it is in one line, refuses a second one on its port, and ends in order when told to', async () => {
  const { child, lines } = await start(1, '--json', '--port', '0');
  const said = JSON.parse(lines[0] as string) as { url: string; port: number };
  assert.equal(said, { url: `http://127.0.0.1:${said.port}/`, host: '127.0.0.1', port: said.port, home, acts: false });
  assert.is((await fetch(said.url)).status, 200);
  const second = await runHere(['serve', '--port', String(said.port)], home, ENV);
  assert.equal([second.exit, second.stdout], [2, '']);
  assert.match(
    second.stderr,
    `error E_PORT_IN_USE: port ${said.port} of 127.0.0.1 is in use\n  next:  the page may be`,
  );
  const stream = await fetch(`${said.url}events`);
  assert.is(await end(child, 'SIGTERM'), 0);
  await stream.text().catch(() => '');
});

test('with a token it prints the link that has it and whom it is for, and Ctrl-C ends it as everywhere', async () => {
  const { child, lines } = await start(3, '--port', '0', '--token');
  const [, link = '', token = ''] =
    /^the page of .*: (http:\/\/127\.0\.0\.1:\d+\/login\?token=([\w-]{32}))$/.exec(lines[0] ?? '') ?? [];
  assert.is(token.length, 32);
  assert.equal(lines.slice(1), ['for this machine alone, and who has this link', 'it only reads; to stop it: Ctrl-C']);
  assert.is((await fetch(new URL('/', link))).status, 401);
  assert.is((await fetch(link, { redirect: 'manual' })).status, 303);
  assert.is(await end(child, 'SIGINT'), 130);
});

const REFUSED: readonly [args: string[], env: Record<string, string>, error: string][] = [
  [['x'], {}, 'serve takes no words: x'],
  [['--port', '70000'], {}, '--port 70000 is not a port'],
  [['--port', 'web'], {}, '--port web is not a port'],
  [['--host', '192.0.2.1', '--port', '0'], {}, 'nobody may listen at 192.0.2.1, port 0: EADDRNOTAVAIL'],
  [['--token'], { MENDLOOP_TOKEN: 'short' }, 'MENDLOOP_TOKEN is no token: 20 or more letters, digits, - . _ or ~'],
];

test('what it cannot be started with is one error, with a next step', async () => {
  for (const [args, env, error] of REFUSED) {
    const { exit, stderr } = await runHere(['serve', ...args], home, { ...ENV, ...env });
    assert.is(exit, 2, error);
    assert.match(stderr, new RegExp(`^error E_(?:USAGE|LISTEN): ${error.replaceAll('.', '\\.')}\n  next:  \\S`));
  }
});

test.run();
