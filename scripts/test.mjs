#!/usr/bin/env node
// The test command: biome, tsc, then every test file in a process of its own. `node scripts/test.mjs [path…]` runs only tests below
// those paths. --long runs the tests that draw their cases, with other seeds and many more of them (test/sweep.ts), and the files
// that take too long for every day (*.long.test.ts); --nodes also starts the loop with other Nodes, which it fetches; --bail starts
// nothing more once one failed.
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { judge } from './test/judge.mjs';
import { runFile, runProgram } from './test/run.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const given = process.argv.slice(2);
const long = given.includes('--long');
const bail = given.includes('--bail');
const only = given.filter((word) => !word.startsWith('--')).map((path) => relative(ROOT, resolve(path)));
/** How long a file may take, in seconds, and a check, which may have to download something. */
const LIMIT = long ? 3600 : 300;
const CHECK_LIMIT = 600;
/** Besides the one that runs this: the oldest and the newest that are kept up. */
const NODES = given.includes('--nodes') ? ['22', '24', 'newest'] : [];
/** Of what tests cannot do here, one line a reason. */
const skipped = new Map();
const sums = { passed: 0, failed: 0, skipped: 0 };

const isLong = (file) => file.endsWith('.long.test.ts');
const isDrawn = (file) => /from '[./]+\/sweep\.ts'/.test(readFileSync(join(ROOT, file), 'utf8'));
const testFiles = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((file) => join('test', file))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => only.length === 0 || only.some((path) => file === path || file.startsWith(`${path}/`)))
  .filter((file) => (long ? isLong(file) || isDrawn(file) : !isLong(file)))
  .sort();

async function check(name, command, args) {
  const { code, output } = await runProgram(command, args, { cwd: ROOT, limit: CHECK_LIMIT });
  report(name, code === 0 ? { passed: 1 } : { failed: 1, reasons: [`exit code ${code}`] }, output);
}

async function test(file) {
  const began = Date.now();
  const ended = await runFile(join(ROOT, file), { limit: LIMIT, long });
  report(file, judge(ended, { inCi: Boolean(process.env.CI) }), ended.output, (Date.now() - began) / 1000);
}

function report(name, { passed = 0, failed = 0, skips = [], reasons = [] }, output, seconds) {
  sums.passed += passed;
  sums.failed += failed;
  sums.skipped += skips.length;
  for (const why of skips) skipped.set(why, (skipped.get(why) ?? 0) + 1);
  const counts = seconds === undefined ? '' : `  ${passed} passed  ${seconds.toFixed(1)} s`;
  console.log(`${reasons.length > 0 ? 'FAIL' : 'ok  '}  ${name}${counts}`);
  for (const reason of reasons) console.log(`      ${reason}`);
  if (reasons.length > 0) console.log(output.replace(/^/gm, '      '));
}

const { execPath } = process;
const checks = [
  ...NODES.map(
    (major) => () => check(`node ${major}`, execPath, [join(import.meta.dirname, 'smoke-nodes.mjs'), major]),
  ),
  () => check('tsc', 'node_modules/.bin/tsc', []),
  () => check('biome', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']),
];
const queue = [...(only.length === 0 && !long ? checks : []), ...testFiles.map((file) => () => test(file))];
async function work() {
  for (let next = queue.shift(); next; next = queue.shift()) {
    await next();
    if (bail && sums.failed > 0) queue.length = 0;
  }
}

// Two more than there are cores: many tests wait for processes and timeouts.
await Promise.all(Array.from({ length: availableParallelism() + 2 }, work));
for (const [why, count] of [...skipped].sort())
  console.log(`${count} ${count === 1 ? 'test' : 'tests'} skipped: ${why}`);
if (testFiles.length === 0) console.log('no test file matched');
process.exitCode = sums.failed > 0 || testFiles.length === 0 ? 1 : 0;
console.log(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped`);
