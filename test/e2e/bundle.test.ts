// The bundle that the entry makes of itself: never of old sources, and the same program as the sources it is made of.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, type Done, folder, PACKAGE, scenario, startProcess } from './scenario.ts';

const ENTRY = 'scripts/bootstrap_loop.mjs';
const VERSION = 'src/io/package.ts';

/** A copy of the package with packages of its own, but no cache: its cache is its own too. */
async function copy(): Promise<string> {
  const root = folder();
  for (const part of ['scripts', 'src', 'plugins', 'package.json'])
    cpSync(join(PACKAGE, part), join(root, part), { recursive: true });
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(join(PACKAGE, 'node_modules')).filter((entry) => entry !== '.cache'))
    symlinkSync(join(PACKAGE, 'node_modules', name), join(root, 'node_modules', name));
  // What was written a moment ago might still be written to: no bundle is made of it.
  await sleep(100);
  return root;
}

const start = (root: string, args: readonly string[], env: Record<string, string> = {}): Promise<Done> =>
  startProcess([process.execPath, join(root, ENTRY), ...args], { cwd: root, env }).done;

/** The folders of its bundles. */
function bundles(root: string): string[] {
  const all = join(root, 'node_modules/.cache/mendloop/bundles');
  if (!existsSync(all)) return [];
  return readdirSync(all).flatMap((name) =>
    readdirSync(join(all, name))
      .filter((entry) => entry.startsWith('bundle-'))
      .map((entry) => join(all, name, entry)),
  );
}

const edit = (root: string, path: string, from: string, to: string): void => {
  const text = readFileSync(join(root, path), 'utf8');
  assert.ok(text.includes(from), `${path} has no ${from}`);
  writeFileSync(join(root, path), text.replace(from, to));
};

/** The tests below follow each other in it: to make a bundle takes seconds. */
const root = await copy();

test('two first starts at once both work, and leave one bundle in use', async () => {
  const both = await Promise.all([start(root, ['--version']), start(root, ['--help'])]);
  assert.equal(
    both.map(({ exit, stderr }) => [exit, stderr]),
    [
      [0, ''],
      [0, ''],
    ],
  );
  assert.match(both[0]?.stdout ?? '', /^\d+\.\d+\.\d+\n$/);
  const after = bundles(root);
  assert.ok(after.length > 0);
  assert.is((await start(root, ['--version'])).exit, 0);
  assert.equal(bundles(root), after, 'a later start makes no other');
});

test('the thread of the gate is one file: it loads nothing that only the loop needs', () => {
  const [folder = ''] = bundles(root);
  assert.match(readFileSync(join(folder, 'main.mjs'), 'utf8'), /from\s*"\.\//, 'others import each other like this');
  assert.not.match(readFileSync(join(folder, 'gate-worker.mjs'), 'utf8'), /from\s*"\.\//);
});

test('an edited source is never served from an old bundle, even with its old size and time', async () => {
  const { atime, mtime, size } = statSync(join(root, VERSION));
  edit(root, VERSION, '.version;', '.vorsion;');
  utimesSync(join(root, VERSION), atime, mtime);
  assert.is(statSync(join(root, VERSION)).size, size);
  assert.match((await start(root, ['--version'])).stdout, /undefined/);
  edit(root, VERSION, '.vorsion;', '.version;');
});

test('a source with an error, and a lost part of the bundle, lead to the sources', async () => {
  edit(root, 'src/cli/commands.ts', 'import', 'import import');
  const broken = await start(root, ['--version']);
  assert.is(broken.exit, 1);
  assert.match(broken.stderr, /commands\.ts/);
  edit(root, 'src/cli/commands.ts', 'import import', 'import');
  rmSync(join(root, 'node_modules/.cache'), { recursive: true });
  writeFileSync(join(root, 'node_modules/.cache'), 'a file, where no folder can be made');
  const plain = await start(root, ['--version']);
  assert.match(plain.stdout, /^\d+\.\d+\.\d+\n$/);
  assert.is(plain.stderr, '');
});

const PLUGIN = `
  import { definePlugin, MendError } from 'mendloop';
  import { z } from 'zod';
  // The loop's own copy of it, not a second one: a bundle must not meet its sources.
  const from: string = import.meta.resolve('mendloop').replace(/.*\\/(bundles|src)\\/.*/, '$1');
  export default definePlugin({
    name: 'mine',
    options: z.strictObject({ real: z.boolean().default(z.string() instanceof z.ZodType) }),
    propose: () => { throw new Error(\`\${MendError.name} of \${from}\`); },
  });`;

test('bundled and unbundled, a run with a TypeScript plugin is the same; both are the entry', async () => {
  const seen = [];
  for (const [env, from] of [
    [{}, 'bundles'],
    [{ MENDLOOP_UNBUNDLED: '1' }, 'src'],
  ] as const) {
    const s = scenario({
      'ai/context_map.yaml': contextMap({
        a: 'echo fine',
        b: { command: 'echo boom >&2; exit 3', needs: ['a'], files: ['conf/'] },
      }),
      'ai/loop.yaml': 'unattended: all\nexecutors: [mine]\nescalations: []\n',
      'plugins/executors/mine.ts': PLUGIN,
    });
    const run = await s.run([], { env, alone: true });
    const status = await s.run(['status'], { env, alone: true });
    assert.match(run.stdout, `MendError of ${from}`, run.stdout);
    assert.is(run.exit, 1);
    const plain = (text: string) => s.plain(text).replaceAll(`MendError of ${from}`, 'MendError');
    seen.push([plain(run.stdout), run.stderr, plain(status.stdout), status.stderr]);
  }
  assert.equal(seen[1], seen[0]);
});

test('--debug shows where in the sources an error was thrown', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  const done = await s.run(['logs', 'nosuch', '--debug'], { alone: true });
  assert.match(done.stderr, /\bsrc\/\w[\w/-]*\.ts:\d+/);
  assert.not.match(done.stderr, /chunk-|bundles/);
});

test.run();
