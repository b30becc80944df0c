#!/usr/bin/env node
// The test command: biome, tsc, then every test file in its own process. `node scripts/test.mjs [path…]` runs only tests below those paths.
// uvu reports success for a suite that never ran, so each file must show total > 0, passed = total, nothing skipped, and run every suite it declares.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const FILE_LIMIT_MS = 180_000;
const only = process.argv.slice(2).map((p) => relative(ROOT, resolve(p)));

const testFiles = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((f) => join('test', f))
  .filter((f) => f.endsWith('.test.ts') && (only.length === 0 || only.some((p) => f === p || f.startsWith(`${p}/`))))
  .sort();

function start(command, args, env = {}) {
  return new Promise((done) => {
    let output = '';
    const child = spawn(command, args, { cwd: ROOT, detached: true, env: { ...process.env, ...env } });
    const timer = setTimeout(() => {
      output += `\nkilled: still running after ${FILE_LIMIT_MS / 1000} s\n`;
      process.kill(-child.pid, 'SIGKILL');
    }, FILE_LIMIT_MS);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => done({ code: 127, output: String(error) }));
    child.on('close', (code) => {
      clearTimeout(timer);
      done({ code, output });
    });
  });
}

/** Every suite a file declares must be run, or its tests never happen. */
function suitesNotRun(text) {
  const declared = [...text.matchAll(/\b(\w+)\s*=\s*suite\(/g)].map((m) => m[1]);
  if (/import \{[^}]*\btest\b[^}]*\} from 'uvu'/.test(text)) declared.push('test');
  if (declared.length === 0) return ['(the file declares no suite)'];
  return declared.filter((name) => !new RegExp(`^${name}\\.run\\(\\);`, 'm').test(text));
}

/** uvu's own summary, last of the output: numbers, or undefined when it never came. */
function summary(output) {
  const read = (word) => Number(output.match(new RegExp(`^  ${word}:\\s+(\\d+)`, 'm'))?.[1]);
  const found = { total: read('Total'), passed: read('Passed'), skipped: read('Skipped') };
  return Number.isNaN(found.total + found.passed + found.skipped) ? undefined : found;
}

async function runFile(file) {
  const began = performance.now();
  const { code, output } = await start(
    process.execPath,
    ['--enable-source-maps', '--import', './scripts/typescript.mjs', file],
    {
      FORCE_COLOR: '0',
    },
  );
  const counts = summary(output);
  const skipReason = output.match(/^skipped: .+$/m)?.[0];
  const missing = suitesNotRun(readFileSync(join(ROOT, file), 'utf8'));
  const reasons = [
    missing.length > 0 && `never run: ${missing.join(', ')}`,
    !counts && 'no summary was printed',
    counts?.total === 0 && 'no test was found',
    counts && counts.passed !== counts.total && `${counts.total - counts.passed} of ${counts.total} did not pass`,
    counts?.skipped > 0 && !skipReason && `${counts.skipped} skipped without a line "skipped: why"`,
    counts?.skipped > 0 && process.env.CI && `${counts.skipped} skipped, and in CI nothing may be`,
    code !== 0 && `exit code ${code}`,
  ].filter(Boolean);
  const passed = counts?.passed ?? 0;
  const failed = reasons.length === 0 ? 0 : Math.max(1, (counts?.total ?? 0) - passed);
  const took = ((performance.now() - began) / 1000).toFixed(1);
  console.log(
    `${failed ? 'FAIL' : 'ok  '}  ${file}  ${passed} passed  ${took} s${reasons.length ? `  (${reasons.join('; ')})` : ''}`,
  );
  if (skipReason) console.log(`      ${skipReason}`);
  if (failed) console.log(output.replace(/^/gm, '      '));
  return { passed, failed, skipped: counts?.skipped ?? 0 };
}

async function runCheck(name, command, args) {
  const { code, output } = await start(command, args);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name}`);
  if (code !== 0) console.log(output);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}

const results = [];
if (only.length === 0) {
  results.push(await runCheck('biome', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']));
  results.push(await runCheck('tsc', 'node_modules/.bin/tsc', []));
}
const queue = [...testFiles];
const worker = async () => {
  for (let file = queue.shift(); file; file = queue.shift()) results.push(await runFile(file));
};
// One more than there are cores: many tests wait for processes and timeouts.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, worker));

const total = (key) => results.reduce((sum, r) => sum + r[key], 0);
if (testFiles.length === 0) console.log('no test file matched');
process.exitCode = total('failed') > 0 || testFiles.length === 0 ? 1 : 0;
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
