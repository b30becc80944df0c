// A log by windows: no byte is lost between them, a search goes through all of them, and nothing but a file is ever opened.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type LogWindow, openFollow, readWindow, searchLog, WINDOW_BYTES } from '../../src/io/log-window.ts';
import { folder } from '../environment.ts';

const path = join(folder(), 'a.log');
const put = (content: string | Buffer): void => writeFileSync(path, content);

const windowAt = (place: Parameters<typeof readWindow>[1]) => readWindow(path, place) as LogWindow;

/** All windows from the end to the beginning. */
function backwards(): LogWindow[] {
  const windows = [windowAt({})];
  for (let at = windows[0]?.from ?? 0; at > 0; at = windows[0]?.from ?? 0) {
    windows.unshift(windowAt({ before: at }));
    if ((windows[0]?.from ?? 0) >= at) throw new Error(`no way back from ${at}`);
  }
  return windows;
}

const lines = Array.from({ length: 9000 }, (_, i) => `line ${i} é ${'x'.repeat(i % 40)}\n`).join('');
const LOGS: readonly [name: string, content: Buffer][] = [
  ['lines', Buffer.from(lines)],
  ['one endless line', Buffer.from('é€😀'.repeat(60_000))],
  ['no UTF-8', Buffer.alloc(200_000, Buffer.from([0xff, 0x80, 0x41, 0xc3]))],
  ['nothing', Buffer.alloc(0)],
  ['no line end', Buffer.from('one\ntwo')],
];

for (const [name, content] of LOGS)
  test(`windows join without a gap, backwards and forwards: ${name}`, async () => {
    put(content);
    const windows = backwards();
    assert.equal([windows[0]?.from, windows.at(-1)?.to], [0, content.length]);
    for (const [i, { to }] of windows.slice(0, -1).entries()) assert.is(to, windows[i + 1]?.from);
    assert.ok(windows.every(({ from, to }) => to - from <= WINDOW_BYTES));
    const forward: LogWindow[] = [windowAt({ from: 0 })];
    for (let last = forward[0]; last && last.to < last.size; last = forward.at(-1))
      forward.push(windowAt({ from: last.to }));
    if (name === 'no UTF-8') return;
    const text = content.toString();
    for (const all of [windows, forward]) assert.is(all.flatMap(({ parts }) => parts).join(''), text);
  });

test('escapes of a terminal are left out or spelled, never passed on', async () => {
  put('\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u001b[2J<b>\r\nend\n');
  assert.equal(windowAt({}).parts, ['red \\u{1b}]0;title\\u{7} \\u{1b}[2J<b>\nend\n']);
});

test('a window around a place marks it, and is nothing but text where the place is gone', async () => {
  put(lines);
  const at = lines.indexOf('line 4000');
  const byte = Buffer.byteLength(lines.slice(0, at));
  const { parts, from, to } = windowAt({ around: { at: byte, length: 9 } });
  assert.is(parts[1], 'line 4000');
  assert.ok(from < byte && to > byte && to - from <= WINDOW_BYTES);
  assert.is(windowAt({ around: { at: 10 ** 12, length: 9 } }).parts.length, 1);
});

test('a search finds the last lines first, with letters of either case, one hit a line, and says how far it looked', async () => {
  put(`${'An ERROR here, error\n'}${'fine\n'.repeat(100)}error: <last>\n`);
  const all = await searchLog(path, 'error');
  assert.equal(
    all?.hits.map(({ parts }) => parts),
    [
      ['', 'error', ': <last>'],
      ['An ', 'ERROR', ' here, error'],
    ],
  );
  assert.is(all?.reached, 0);
  const first = await searchLog(path, 'error', { most: 1 });
  assert.equal([first?.hits.length, first?.reached], [1, first?.hits[0]?.at]);
  const next = await searchLog(path, 'error', { before: first?.reached as number });
  assert.equal(
    next?.hits.map(({ at }) => at),
    [3],
  );
  assert.equal((await searchLog(path, 'nowhere'))?.hits, []);
});

test('what stands across two chunks is found, and once; what is no ASCII is found as it is', async () => {
  const chunk = 4 * 1_048_576;
  for (const [shift, needle] of [
    [3, 'needle'],
    [0, 'needle'],
    [6, 'needle'],
    [2, 'Straße'],
  ] as const) {
    const content = Buffer.alloc(chunk * 2, '.');
    content.write(needle, chunk - shift);
    put(content);
    const hits = await searchLog(path, needle);
    assert.equal(
      hits?.hits.map(({ at, parts }) => [at, parts[1]]),
      [[chunk - shift, needle]],
      needle,
    );
  }
});

test('a search that takes too long stops, and the next one goes on where it stopped', async () => {
  put(Buffer.concat([Buffer.from('needle\n'), Buffer.alloc(9 * 1_048_576, '.\n')]));
  let before: number | undefined;
  let looks = 0;
  for (; before !== 0; looks++) {
    const found = await searchLog(path, 'needle', { budgetMs: 0, ...(before === undefined ? {} : { before }) });
    before = found?.reached as number;
    if (before === 0) assert.is(found?.hits.length, 1);
  }
  assert.is(looks, 3);
});

test('a link, a pipe, a folder or nothing is no log', async () => {
  const dir = folder();
  symlinkSync('/etc/passwd', join(dir, 'link'));
  execFileSync('mkfifo', [join(dir, 'pipe')]);
  mkdirSync(join(dir, 'folder'));
  for (const name of ['link', 'pipe', 'folder', 'nothing']) {
    assert.is(readWindow(join(dir, name), {}), undefined, name);
    assert.is(await searchLog(join(dir, name), 'root'), undefined, name);
    assert.is(openFollow(join(dir, name), 0, true)(), undefined, name);
  }
});

test('who follows gets what is written behind, and the end alone of what comes too fast', async () => {
  put('one\n');
  const next = openFollow(path, 4, true);
  assert.equal(next(), { bytes: Buffer.alloc(0), skipped: 0, to: 4 });
  appendFileSync(path, Buffer.from('é').subarray(0, 1));
  assert.is(next()?.bytes.length, 1);
  appendFileSync(path, Buffer.from('é').subarray(1));
  assert.is(next()?.bytes.length, 1);
  appendFileSync(path, Buffer.alloc(WINDOW_BYTES * 10, 'x'));
  const fast = next();
  assert.equal([fast?.bytes.length, fast?.skipped], [WINDOW_BYTES, WINDOW_BYTES * 9]);
  truncateSync(path, 1);
  assert.is(next(), undefined);
  rmSync(path);
  assert.is(next(), undefined);
});

test.run();
