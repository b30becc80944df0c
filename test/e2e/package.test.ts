// What `npm pack` makes, tried as whoever installs it would: nothing of this clone is near, and no network is asked.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../needs.ts';
import { contextMap, folder, PACKAGE, scenario, startProcess, write } from './scenario.ts';

const PARTS = [
  'ai/executor_instructions.md',
  'ai/schema',
  'demo',
  'docs',
  'plugins',
  'scripts',
  'src',
  'stages/lab',
  'test/fixtures/mistakes',
  'test/fixtures/mistakes.ts',
  'test/known-fixes',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'package.json',
  'tsconfig.json',
];

/** A copy, so that no other test meets a half-made dist/. */
function copied(): string {
  const root = folder();
  for (const part of PARTS) cpSync(join(PACKAGE, part), join(root, part), { recursive: true });
  symlinkSync(join(PACKAGE, 'node_modules'), join(root, 'node_modules'));
  return root;
}

async function start(command: readonly string[], cwd: string): Promise<string> {
  const { exit, stdout, stderr } = await startProcess(command, { cwd }).done;
  assert.equal([exit, stderr], [0, ''], `${command.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

const tsc = join(PACKAGE, 'node_modules/typescript/bin/tsc');
const clone = copied();
const destination = folder();
const packed = await startProcess(['npm', 'pack', '--json', '--pack-destination', destination], {
  cwd: clone,
  limitMs: 240_000,
}).done;
assert.is(packed.exit, 0, packed.stderr);
const [tarball] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf('[\n')));
const installed = folder();
write(installed, { 'package.json': '{}' });

test('the package is small, holds only what runs, asks for no other and runs nothing when it is installed', () => {
  assert.ok(tarball.size < 1.75e6, `${tarball.size} bytes`);
  assert.ok(tarball.files.length < 440, `${tarball.files.length} files`);
  const tops = new Set(tarball.files.map(({ path }: { path: string }) => path.replace(/^(dist|docs)\/.*/, '$1')));
  assert.equal([...tops].sort(), [
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'dist',
    'docs',
    'package.json',
    'plugins/template.mjs',
  ]);
  const vocabularies = readdirSync(join(clone, 'src/repository/vocabulary')).filter((name) => name.endsWith('.json'));
  const packedPaths = new Set(tarball.files.map(({ path }: { path: string }) => path));
  for (const name of vocabularies) assert.ok(packedPaths.has(`dist/src/repository/vocabulary/${name}`), name);
  const { dependencies, optionalDependencies, scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'));
  assert.equal([dependencies, optionalDependencies], [undefined, undefined]);
  for (const hook of ['preinstall', 'install', 'postinstall', 'prepare']) assert.not.ok(hook in scripts, hook);
  assert.not.ok(readdirSync(clone).includes('dist'), 'packing leaves nothing behind');
});

test('every link of its pages leads to something in it, but for what is said to be in a clone', () => {
  const paths: string[] = tarball.files.map(({ path }: { path: string }) => path);
  const links = paths
    .filter((path) => path.endsWith('.md') && !path.startsWith('dist/'))
    .flatMap((page) => {
      const text = readFileSync(join(clone, page), 'utf8').replace(/^- In a clone: .*$/m, '');
      const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
      return targets.map((target) => ({ page, target, to: join(dirname(page), target) }));
    })
    .filter(({ target }) => !/^https:/.test(target));
  assert.ok(links.length > 20);
  assert.equal(
    links.filter(({ to }) => !paths.includes(to)),
    [],
  );
});

test('installed into an empty folder, without a word of warning, it mends a script by a plugin of the owner', async () => {
  assert.match(
    await start(['npm', 'install', '--offline', join(destination, tarball.filename)], installed),
    /^\nadded 1 package,? /,
  );
  const fix = ['--- a/apply.sh', '+++ b/apply.sh', '@@ -2 +2 @@', '-cat gone.txt', '+cat apply.sh', ''].join('\n');
  const s = scenario({
    'ai/context_map.yaml': contextMap({ apply: { command: './apply.sh', files: ['apply.sh'] } }),
    'ai/loop.yaml': 'unattended: all\nexecutors: [mine]\nescalations: []\n',
    'apply.sh': '#!/bin/bash\ncat gone.txt\n',
    'plugins/executors/mine.mjs': `
      import { definePlugin, MendError } from 'mendloop';
      import { z } from 'zod';
      const options = z.strictObject({ shared: z.boolean().default(z.string() instanceof z.ZodType) });
      export default definePlugin({ name: 'mine', options, propose: async () => ({ answer: ${JSON.stringify(fix)} }) });
    `,
  });
  const command = [join(installed, 'node_modules/.bin/mendloop')];
  const ran = await s.run([], { command });
  assert.equal([ran.exit, ran.stderr], [0, ''], ran.stdout);
  assert.match(ran.stdout, /mended: 1 fix on the AI branch/);
  assert.match((await s.run(['status'], { command })).stdout, /apply {2}green/);

  s.git('mv', 'plugins/executors/mine.mjs', 'plugins/executors/mine.ts');
  const checked = await s.run(['validate'], { command });
  const helpless = `E_PLUGIN: plugins that ai/loop.yaml names have a problem
  - mine: plugins/executors/mine.ts cannot be loaded: it is TypeScript, which Node ${process.versions.node} does not run by \
itself: use Node 22.18 or newer, or give your repository esbuild (npm install --save-dev esbuild)`;
  if ('typescript' in process.features && process.features.typescript) assert.is(checked.stderr, '');
  else assert.match(checked.stderr + checked.stdout, helpless);
  symlinkSync(join(PACKAGE, 'node_modules'), s.path('node_modules'));
  const helped = await s.run(['validate'], { command });
  assert.not.match(helped.stdout + helped.stderr, 'mine.ts');
});

needs('crontab')('a schedule starts it where it is installed; from the cache of npx it refuses', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  const cron = (root: string) =>
    s.run(['cron'], { command: [process.execPath, join(root, 'node_modules/mendloop/dist/mendloop.mjs')] });
  const printed = await cron(installed);
  assert.match(printed.stdout, ` ${installed}/node_modules/mendloop/dist/mendloop.mjs --quiet # mendloop cron `);
  const cache = join(folder(), '_npx/5c1e');
  cpSync(installed, cache, { recursive: true });
  const refused = await cron(cache);
  assert.equal(
    [refused.exit, refused.stderr],
    [
      2,
      'error E_CRON_UNFIT: npx keeps this program in a cache that may be emptied any day: ' +
        `${cache}/node_modules/mendloop/dist/mendloop.mjs\n` +
        '  next:  install it: npm install --global mendloop, then: mendloop cron install\n',
    ],
  );
});

test('its bench of models runs, and goes on where it was', async () => {
  const command = join(installed, 'node_modules/.bin/mendloop-bench-model');
  const words = ['--recorded', '--only', 'a selector that matches nothing', '--state', join(folder(), 'state.jsonl')];
  const ran = spawnSync(command, words, { cwd: folder(), encoding: 'utf8', timeout: 120_000 });
  assert.is(ran.status, 0, ran.stderr);
  assert.match(ran.stdout, 'exam 1 of 1, auto, a selector that matches nothing: fixed in ');
});

test('its demo runs to its end, outside of any repository', async () => {
  const dir = folder();
  const told = await start([join(installed, 'node_modules/.bin/mendloop'), 'demo', '--fast', '--dir', dir], installed);
  assert.match(told, '\n4 of 5 stages are green, ');
  assert.match(await start(['./mendloop', 'status'], dir), /\ningress {2}green /);
});

test('its doors have types that hold without a look at its sources', async () => {
  for (const name of ['zod', '@types', 'undici-types'])
    symlinkSync(join(PACKAGE, 'node_modules', name), join(installed, 'node_modules', name));
  write(installed, {
    'plan.mts': `
      import { definePlugin } from 'mendloop/model';
      import { createPlanRunner, validatePlan } from 'mendloop';
      import { startOllamaServer } from 'mendloop/testing';
      import { z } from 'zod';
      export default definePlugin({
        name: 'pager',
        options: z.strictObject({ url: z.url() }),
        async notify({ title, options, signal }) {
          signal.throwIfAborted();
          const url: string = options.url + title;
          // @ts-expect-error a text is no number
          const wrong: number = options.url;
        },
      });
      // @ts-expect-error it needs actions
      createPlanRunner({});
      export const doors = [typeof validatePlan, (await startOllamaServer({ script: [] })).url];`,
  });
  const flags = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node', '--noEmit'];
  assert.is(await start([process.execPath, tsc, ...flags, 'plan.mts'], installed), '');
});

test.run();
