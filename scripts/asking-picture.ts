// The three moments of docs/asking.webp; see asking-picture.mjs.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';

const ROOT = resolve(import.meta.dirname, '..');
const ENTRY = join(ROOT, 'scripts/bootstrap_loop.mjs');
const VIEW = { width: 390, height: 860 };

const APPS = `#!/usr/bin/env bash
set -euo pipefail
echo 'Kustomization apps: reconciling'
sleep 2
grep -q 'replicas: 3' apps/loki.yaml && exit 0
echo 'Error: StatefulSet.apps "loki" is invalid: spec.replicas: Invalid value: 2: a quorum needs 3' >&2
exit 1
`;
const ANSWER = `Fix: Give loki three replicas
Reason: its quorum needs three

--- a/apps/loki.yaml
+++ b/apps/loki.yaml
@@ -1,3 +1,3 @@
 loki:
   image: grafana/loki:3.1.0
-  replicas: 2
+  replicas: 3
`;
const MAP = `stages:
  talos: { command: sleep 0.1, verify: ['test -d apps'] }
  infra: { command: sleep 0.1, needs: [talos], verify: ['test -d apps'] }
  apps: { command: bash stages/apps.sh, needs: [infra], files: [apps/], verify: ['test -d apps'] }
`;

const home = mkdtempSync(join(tmpdir(), 'lab-'));
const lab = join(home, 'lab');
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=You', '-c', 'user.email=you@example.org', ...words], { cwd: lab });
for (const folder of ['ai', 'apps', 'stages']) mkdirSync(join(lab, folder), { recursive: true });
const files = {
  '../answer': ANSWER,
  'ai/context_map.yaml': MAP,
  'ai/loop.yaml': JSON.stringify({
    executors: ['command'],
    escalations: [],
    plugins: { command: { argv: ['cat', join(home, 'answer')] } },
  }),
  'apps/loki.yaml': 'loki:\n  image: grafana/loki:3.1.0\n  replicas: 2\n',
  'stages/apps.sh': APPS,
};
for (const [path, text] of Object.entries(files)) writeFileSync(join(lab, path), text);
git('init', '-q', '-b', 'main');
git('add', '.');
git('commit', '-q', '-m', 'lab');
const run = (...words: string[]) =>
  spawn(process.execPath, [ENTRY, '--root', lab, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise((end) => run('-q').on('exit', end).stdout.resume());
const server = run('serve', '--act', '--port', '0', '--json');
const [first] = (await new Promise<string>((resolve) => server.stdout.setEncoding('utf8').once('data', resolve))).split(
  '\n',
);
const { url } = JSON.parse(first as string) as { url: string };

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const page = await (await browser.newContext({ viewport: VIEW, deviceScaleFactor: 1 })).newPage();
const shots: string[] = [];
const shot = async (of: Page = page) => void shots.push((await of.screenshot({ type: 'png' })).toString('base64'));
try {
  await page.goto(url);
  await shot();
  await page.click('button:has-text("Apply")');
  await page.waitForSelector('[data-alive="apps"]', { timeout: 60_000 });
  await sleep(700);
  await shot();
  await page.waitForSelector('h1:has-text("All 3 stages are green")', { timeout: 60_000 });
  await page.goto(new URL('/promote', url).href);
  await shot();
  const [left, middle, right] = shots.map((data) => `data:image/png;base64,${data}`);
  const sheet = await (await browser.newContext({ viewport: { width: 1240, height: 940 } })).newPage();
  const figure = (image: string | undefined, words: string) =>
    `<figure><figcaption>${words}</figcaption><img src="${image}"></figure>`;
  await sheet.setContent(`<style>
body { margin: 0; padding: 20px; display: flex; gap: 17px; background: #e9e8e4; font: 600 17px "DejaVu Sans", sans-serif; color: #1d2126 }
figure { margin: 0 } figcaption { padding: 0 0 10px 4px } img { width: 388px; border-radius: 14px; border: 1px solid #bbb; display: block }
</style>${figure(left, '02:14 · it asks')}${figure(middle, '02:15 · Apply is tapped')}${figure(right, '07:30 · you land it')}`);
  const drawn = (await sheet.screenshot({ type: 'png' })).toString('base64');
  // Chromium writes WebP from a canvas: a quarter of the PNG.
  const webp = await sheet.evaluate(`new Promise((done) => {
    const image = new Image();
    image.onload = () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      canvas.getContext('2d').drawImage(image, 0, 0);
      done(canvas.toDataURL('image/webp', 0.8).split(',')[1]);
    };
    image.src = 'data:image/png;base64,${drawn}';
  })`);
  writeFileSync(join(ROOT, 'docs/asking.webp'), Buffer.from(String(webp), 'base64'));
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await new Promise((end) => server.once('exit', end));
  rmSync(home, { recursive: true, force: true });
}
