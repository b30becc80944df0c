#!/usr/bin/env node
// The page with 1,000 past runs in Chromium, and a log of 1 GB: bytes of the first view, time to first paint, opening and searching.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { chromium } from 'playwright-core';
import { bench, compare, contextMap, ENTRY, repository, run } from './measure.mjs';
import { writePast } from './past-runs.mjs';

const RUNS = 1000;
const LOG_BYTES = 1e9;
const ROUNDS = 7;
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

await bench('page', async () => {
  const home = await repository(contextMap(6, 'echo made'));
  writePast(home, { count: RUNS, days: 40, now: Date.now() - 3_600_000 });
  await run(process.execPath, [ENTRY], { cwd: home });
  const log = await run(process.execPath, [ENTRY, 'logs', 's1', '--path'], { cwd: home });
  await writeLog(log.stdout.trim());
  const server = spawn(process.execPath, [ENTRY, 'serve', '--json', '--port', '0'], { cwd: home });
  const other = createServer((_, answer) => answer.setHeader('Content-Type', 'text/html').end('<p>x')).listen(
    0,
    '127.0.0.1',
  );
  await once(other, 'listening');
  const bare = `http://127.0.0.1:${other.address().port}/`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    const { url } = JSON.parse(line);
    const views = [];
    const empty = [];
    for (let round = 0; round < ROUNDS; round++) {
      views.push(await firstView(browser, url));
      empty.push((await firstView(browser, bare)).paint);
    }
    const [, stage, name] = /([^/]+)\/([^/]+)\.log$/.exec(log.stdout.trim());
    const [, id, attempt] = /^(.*)-(\w+)$/.exec(name);
    const page = `${url}runs/${id}/logs/${stage}/${attempt}`;
    const opened = [];
    for (let round = 0; round < ROUNDS; round++) opened.push(await timed(page));
    const searched = [];
    // A text that is nowhere: every page looks as far as it may, until the beginning is reached.
    for (let next = `${page}?q=nowhere`; next; ) {
      const { ms, text } = await timed(next);
      searched.push(ms);
      const more = /href="([^"]+)" rel="next"/.exec(text)?.[1];
      next = more && new URL(more.replaceAll('&amp;', '&'), url).href;
    }
    const bytes = median(views.map((view) => view.bytes));
    return {
      rows: [
        compare('first view', 'kB', bytes / 1000, 100, '(peer: the target)'),
        compare(
          'first paint',
          'ms',
          median(views.map((view) => view.paint)),
          300,
          `(peer: the target; first ${views[0].paint.toFixed(0)})`,
        ),
        compare('1 GB log, its end', 'ms', median(opened.map(({ ms }) => ms)), 300, '(peer: what counts as at once)'),
        compare(
          'search, a page',
          'ms',
          Math.max(...searched),
          2000,
          `(peer: the target; ${searched.length} pages for all of it)`,
        ),
      ],
      notes: [
        `${RUNS} past runs; median of ${ROUNDS} visits with an empty cache, of the searches the slowest; a page with one letter is painted after ${median(empty).toFixed(0)} ms here`,
      ],
    };
  } finally {
    await browser.close();
    other.close();
    server.kill('SIGTERM');
  }
});

async function firstView(browser, url) {
  const page = await (await browser.newContext()).newPage();
  const bodies = [];
  page.on('response', (response) => !response.url().endsWith('/events') && bodies.push(response.body()));
  await page.goto(url, { waitUntil: 'load' });
  const paint = await page.evaluate(
    `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true }))`,
  );
  const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + body.length, 0);
  await page.context().close();
  return { bytes, paint };
}

async function timed(url) {
  const began = performance.now();
  const text = await (await fetch(url)).text();
  return { ms: performance.now() - began, text };
}

async function writeLog(path) {
  mkdirSync(dirname(path), { recursive: true });
  const file = createWriteStream(join(path));
  const chunk = Array.from(
    { length: 20_000 },
    (_, i) => `2026-11-17T10:00:00Z node-${i % 7} kubelet: reconciled pod ${i} in 12ms\n`,
  ).join('');
  for (let written = 0; written < LOG_BYTES; written += chunk.length) if (!file.write(chunk)) await once(file, 'drain');
  file.end();
  await once(file, 'finish');
}
