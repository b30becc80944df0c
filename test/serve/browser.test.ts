// The page in a real browser: shown, up to date, by keyboard, without scripts, and with nothing serious for axe to find. In the
// long sweep every view, on desktop and phone, light and dark.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page, Response } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../src/io/http-server.ts';
import { PACKAGE_ROOT } from '../../src/io/package.ts';
import { readSafeMode } from '../../src/mend/safe-mode.ts';
import { pageApp } from '../../src/serve/app.ts';
import { oneTimeValues } from '../../src/serve/once.ts';
import { siteOf } from '../../src/serve/site.ts';
import { folder } from '../environment.ts';
import { journalOf } from '../events.ts';
import { needs, programAt } from '../needs.ts';
import { cases } from '../sweep.ts';
import { PATHS, pageHome, RUNS, text } from './home.ts';
import { midnightHome } from './midnight.ts';

const { CHROMIUM = 'chromium' } = process.env;
const real = needs(CHROMIUM);

const AXE = readFileSync(join(PACKAGE_ROOT, 'node_modules/axe-core/axe.min.js'), 'utf8');

/** What went wrong in a page: errors of scripts, what its policy refused, dialogs that somebody's markup opened. */
const wrongs: string[] = [];

async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  page.on('pageerror', ({ message }) => wrongs.push(message));
  page.on('console', (message) => message.type() === 'error' && wrongs.push(message.text()));
  page.on('dialog', (dialog) => void wrongs.push(dialog.message()));
  return page;
}

/** The rules that axe sees broken, those that matter. Not put into the page by a script: its policy would refuse that. */
async function findings(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: AXE });
  const run = 'axe.run().then(({ violations }) => JSON.stringify(violations))';
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  });
  const found = JSON.parse(result.value) as { id: string; impact: string; nodes: { html: string }[] }[];
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
}

async function withPage(
  work: (browser: Browser, url: string, layout: ReturnType<typeof pageHome>) => Promise<void>,
  { acts = false, layout = pageHome() } = {},
) {
  const access = { isLocal: true, names: [], acts, cookie: 'mendloop-0' };
  const stop = new AbortController();
  const app = pageApp(siteOf(layout, '1.2.3', acts ? { once: oneTimeValues() } : {}), access, stop.signal, (error) =>
    wrongs.push(String(error)),
  );
  const server = await listen((request) => app.fetch(request), '127.0.0.1', 0);
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: programAt(CHROMIUM) as string, args: ['--no-sandbox'] });
  try {
    await work(browser, `http://127.0.0.1:${server.port}`, layout);
  } finally {
    await browser.close();
    await server.close();
    stop.abort();
  }
}

const NEWER = '20260103-000000-cccc';
const FAILING = journalOf([['run.started'], ['step.started', 'a'], ['step.failed', 'a'], ['stage.failed', 'a']], {
  run: NEWER,
});

real('the page keeps up to date, goes by keys, works without scripts, and has nothing serious for axe', () =>
  withPage(async (browser, url, layout) => {
    const page = await openPage(browser);
    const focused = () => page.evaluate('document.activeElement.textContent');
    const stream = page.waitForResponse(/\/events$/);
    await page.goto(url);
    assert.is(await page.textContent('h1'), '1 case waits for you');
    await page.keyboard.press('j');
    assert.is(await focused(), 'b failed: talos_error');
    await page.keyboard.press('j');
    assert.is(await focused(), 'b', 'failed stages come first');
    await page.keyboard.press('j');
    assert.is(await focused(), 'a');

    await stream;
    await page.evaluate('window.isSame = true');
    mkdirSync(join(layout.runs, NEWER));
    appendFileSync(layout.journal(NEWER), text(FAILING));
    await page.waitForSelector('[data-live="stages"] li:has-text("a") >> text=failed');
    assert.equal([await page.evaluate('window.isSame'), await focused()], [true, 'a']);

    const log = `${url}/runs/${RUNS[1]}/logs/b/1`;
    await page.goto(log);
    await page.keyboard.press('/');
    await page.keyboard.type('BROKE');
    await page.keyboard.press('Enter');
    await page.click('.hit');
    assert.is(await page.textContent('#hit'), 'broke');
    await page.goto(log);
    await page.click('text=Follow');
    appendFileSync(join(layout.logs, 'b', `${RUNS[1]}-1.log`), '<i>written now</i>\n');
    await page.waitForSelector('.log:has-text("<i>written now</i>")');

    const plain = await openPage(browser, { javaScriptEnabled: false });
    await plain.goto(url);
    await plain.click('nav >> text=Runs');
    await plain.click(`a[href="/runs/${RUNS[1]}"]`);
    assert.is(await plain.textContent('h1'), `Run ${RUNS[1]}`);

    await page.setViewportSize({ width: 390, height: 844 });
    await looksGood(page, url, ['/', '/cases/b-f1', `/runs/${RUNS[1]}`]);
  }),
);

const LOOKS: readonly BrowserContextOptions[] = cases<BrowserContextOptions[]>(
  [],
  [390, 1200].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ viewport: { width, height: 844 }, colorScheme })),
  ),
);

for (const look of LOOKS)
  real(`every view has nothing serious for axe, and nothing wider than the screen: ${JSON.stringify(look)}`, () =>
    withPage(async (browser, url) => looksGood(await openPage(browser, look), url, PATHS)),
  );

async function looksGood(page: Page, url: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await page.goto(url + path);
    assert.equal(await findings(page), [], path);
    assert.is(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, path);
  }
  assert.equal(wrongs, []);
}

real('with hands it goes by keyboard and without scripts, and after many runs its first view is small', () =>
  withPage(
    async (browser, url, layout) => {
      const page = await openPage(browser, { viewport: { width: 390, height: 844 } });
      const bodies: Promise<Buffer>[] = [];
      const note = (response: Response) => void bodies.push(response.body());
      page.on('response', note);
      await page.goto(url, { waitUntil: 'load' });
      page.off('response', note);
      const bytes = (await Promise.all(bodies)).reduce((sum, body) => sum + body.length, 0);
      assert.is(await page.textContent('h1'), '1 case waits for you');
      assert.ok(bytes > 10_000 && bytes < 100_000, `${bytes} bytes`);
      await looksGood(page, url, ['/', '/cases', '/cases/apps-c725c93e', '/stages/apps', '/promote', '/runs']);
      for (const width of [320, 390, 700, 1280]) {
        await page.setViewportSize({ width, height: 844 });
        await page.goto(url);
        assert.is(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${width} px`);
        assert.equal(await page.evaluate(OVERLAPS), [], `${width} px`);
      }
      const plain = await openPage(browser, { javaScriptEnabled: false });
      await plain.goto(url);
      await plain.focus('text=Safe mode');
      await plain.keyboard.press('Enter');
      await plain.waitForSelector('.said');
      assert.is(await plain.textContent('.said p'), 'Safe mode is on: stages run, and the AI changes nothing');
      assert.ok(readSafeMode(layout));
      await plain.click('text=Leave safe mode');
      await plain.waitForSelector('text=Safe mode is off');
    },
    { acts: true, layout: midnightHome(folder(), 1000) },
  ),
);

/** Cells of rows that lie over each other. */
const OVERLAPS = `[...document.querySelectorAll('.rows > li')].flatMap((row) => {
  const cells = [...row.children].map((cell) => [cell.textContent, cell.getBoundingClientRect()]);
  return cells.flatMap(([a, one], i) => cells.slice(i + 1).filter(([, other]) =>
    one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1
  ).map(([b]) => a + ' over ' + b));
})`;

test('what is tested is what is shipped', () => {
  assert.ok(PATHS.length > 10 && AXE.length > 100_000);
});

test.run();
