#!/usr/bin/env node
// The test command: biome, tsc, then every test file. `node scripts/test.mjs [path…]` runs only tests below those paths; with
// --long it runs the sweeps: the tests that draw their cases, with other seeds and many more of them (test/sweep.ts), and the files
// that take too long for every day (*.long.test.ts). With --nodes it also starts the loop with other Nodes, which it fetches; with
// --bail it ends at the first test that fails.
// All files are bundled once. A process runs some files of a room, and all of one that touches nothing outside.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { bundle, storeBundle } from './bundle/build.mjs';
import { currentBundle, newBundleFolder, ROOT } from './bundle/cache.mjs';
import { judge, outputByFile } from './test/judge.mjs';

const given = process.argv.slice(2);
const long = given.includes('--long');
const bail = given.includes('--bail');
const only = given.filter((word) => !word.startsWith('--')).map((path) => relative(ROOT, resolve(path)));
const LIMIT_MS = long ? 3_600_000 : 300_000;
/** A download is nobody's fault. */
const CHECK_LIMIT_MS = 600_000;
/** Besides the one that runs this: the oldest and the newest that are kept up, with --nodes. */
const NODES = given.includes('--nodes') ? ['22', '24', 'newest'] : [];
const BATCH = join(import.meta.dirname, 'test/batch.mjs');
const SMOKE = join(import.meta.dirname, 'smoke-nodes.mjs');
/** Tests that start the loop most often, then those that start it, then those with real git. */
const LONGEST = [
  'test/lab/',
  'test/e2e/mending',
  'test/run/killed-mending',
  'test/e2e/escalate-faults',
  'test/e2e/',
  'test/docs/',
  'test/campaign/',
  'test/bench/',
  'test/outbound/',
  'test/run/',
  'test/mend/',
  'test/promote/',
  'test/worktree/',
];
/** Most code of a test runs a few times: to optimise it costs more than it saves, an eighth to a quarter of all. */
const LAZY = '--interrupt-budget=1000000';
/** Room for what a test makes and drops: collecting less often, and not on the other core, saves a tenth. */
const MEMORY_FLAGS = ['--min-semi-space-size=16', '--single-threaded-gc'];
/** Of the others a process runs so many files: to load what they test takes longer than most of them. */
const FILES_AT_MOST = 14;
/** Rooms of which one process runs all files: they touch nothing outside; those of the lab share one that is built. */
const TOGETHER = ['config', 'plan', 'failure', 'triage', 'fix', 'outbound', 'console', 'lab'];

const isLong = (file) => file.endsWith('.long.test.ts');
const text = (file) => readFileSync(join(ROOT, file), 'utf8');
const testFiles = readdirSync(join(ROOT, 'test'), { recursive: true })
  .map((file) => join('test', file))
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) => only.length === 0 || only.some((path) => file === path || file.startsWith(`${path}/`)))
  .filter((file) => (long ? isLong(file) || /from '[./]+\/sweep\.ts'/.test(text(file)) : !isLong(file)));

/** The files of each process, in the order of their start: what takes longest first, so that nothing long is left at the end. */
function batches() {
  const rank = (files) => {
    const at = LONGEST.findIndex((path) => files[0].startsWith(path));
    const size = files.reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0);
    return (at === -1 ? LONGEST.length : at) * 1e7 - size;
  };
  const roomOf = (file) => dirname(file).split('/')[1] ?? '';
  const isAlone = (room) => LONGEST.includes(`test/${room}/`) || TOGETHER.includes(room);
  const rooms = [...new Set(testFiles.map(roomOf))];
  const filesOf = (some) => testFiles.filter((file) => some.includes(roomOf(file)));
  const processes = [
    ...rooms
      .filter(isAlone)
      .flatMap((room) => (TOGETHER.includes(room) ? [filesOf([room])] : portions(filesOf([room])))),
    ...portions(filesOf(rooms.filter((room) => !isAlone(room)))),
  ];
  return processes.sort((a, b) => rank(a) - rank(b));
}

/** The files in as few portions as may be, each with some of the long and some of the short ones. */
function portions(files) {
  const bySize = files.toSorted((a, b) => statSync(join(ROOT, b)).size - statSync(join(ROOT, a)).size);
  const count = Math.ceil(files.length / FILES_AT_MOST);
  return Array.from({ length: count }, (_, at) => bySize.filter((_file, index) => index % count === at));
}

const MEMORY = '/dev/shm';
const MEMORY_BYTES = 4 * 2 ** 30;

/** Where tests make their folders: in memory where there is plenty, for half of their time went into waiting for a disk. */
function temporaryFolder() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (process.env.TMPDIR || bavail * bsize < MEMORY_BYTES) return undefined;
    const folder = mkdtempSync(join(MEMORY, 'mendloop-tests-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return undefined;
  }
}

const TMPDIR = temporaryFolder();
const TEMPORARY = TMPDIR ? { TMPDIR } : {};

function start(command, args, { env = {}, limitMs = LIMIT_MS } = {}) {
  return new Promise((done) => {
    let output = '';
    const child = spawn(command, args, { cwd: ROOT, detached: true, env: { ...process.env, ...TEMPORARY, ...env } });
    const timer = setTimeout(() => {
      output += `\nkilled: still running after ${limitMs / 1000} s\n`;
      process.kill(-child.pid, 'SIGKILL');
    }, limitMs);
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => done({ code: 127, output: String(error) }));
    child.on('close', (code) => {
      clearTimeout(timer);
      done({ code, output });
    });
  });
}

/** Runs files in one process, each after the other; a file that ends it early fails, and with it those that come after. */
async function runBatch(folder, files) {
  const moduleOf = (file) => (folder ? join(folder, file.replace(/\.ts$/, '.mjs')) : join(ROOT, file));
  const loader = folder ? [] : ['--import', './scripts/typescript.mjs'];
  const flags = [...loader, LAZY, ...MEMORY_FLAGS, '--enable-source-maps'];
  const args = [...flags, BATCH, ...files.flatMap((file) => [file, moduleOf(file)])];
  const env = { FORCE_COLOR: '0', TEST_BUNDLE: folder ?? '', TEST_LONG: long ? '1' : '', TEST_BAIL: bail ? '1' : '' };
  const { code, output } = await start(process.execPath, args, { env, limitMs: LIMIT_MS * files.length });
  const parts = outputByFile(output);
  const results = files.map((file) => report(file, parts.get(file) ?? output, files.length === 1 ? code : 0));
  const explained = code === 0 || results.some(({ failed }) => failed > 0);
  return explained ? results : [...results, outside(files, code, output)];
}

/** Something went wrong that no file of several shows: the last of them is not to blame, but it is a failure. */
function outside(files, code, output) {
  console.log(`FAIL  ${files.join(', ')}: exit code ${code}\n${output.replace(/^/gm, '      ')}`);
  return { passed: 0, failed: 1, skipped: 0 };
}

function report(file, output, code) {
  const { reasons, skipReason, ...counts } = judge(text(file), output, code);
  const took = (Number(output.match(/^ {2}Duration: +([\d.]+)ms/m)?.[1] ?? 0) / 1000).toFixed(1);
  const used = output.match(/^ {2}Processor: +([\d.]+) s/m)?.[1] ?? '?';
  const why = reasons.length > 0 ? `  (${reasons.join('; ')})` : '';
  const mark = reasons.length > 0 ? 'FAIL' : 'ok  ';
  console.log(`${mark}  ${file}  ${counts.passed} passed  ${took} s  (processor ${used} s)${why}`);
  if (skipReason) console.log(`      ${skipReason}`);
  if (reasons.length === 0) for (const [line] of output.matchAll(/^took .*$/gm)) console.log(`      ${line}`);
  if (reasons.length > 0) console.log(output.replace(/^/gm, '      '));
  return counts;
}

async function runCheck(name, command, args) {
  const { code, output } = await start(command, args, { limitMs: CHECK_LIMIT_MS });
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name}`);
  if (code !== 0) console.log(output);
  return [{ passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: 0 }];
}

/** Bundles the tests and the programs that they start; undefined when that is not possible, and each file shows why. */
async function bundled(folder) {
  const programs = readdirSync(join(ROOT, 'test/fixtures')).filter((name) => name.endsWith('.ts'));
  const sources = [...testFiles, ...programs.map((name) => `test/fixtures/${name}`)];
  try {
    await bundle(Object.fromEntries(sources.map((file) => [file.replace(/\.ts$/, ''), file])), folder, {
      external: ['uvu'],
    });
    // So that the tests that start the entry find it made, and not each its own.
    currentBundle() ?? (await storeBundle().catch(() => undefined));
    return folder;
  } catch (error) {
    console.log(`the tests run without a bundle: ${error.message}`);
    return undefined;
  }
}

async function runAll() {
  const made = newBundleFolder();
  process.on('exit', () => rmSync(made, { recursive: true, force: true }));
  const folder = await bundled(made);
  const queue = batches().map((files) => () => runBatch(folder, files));
  if (only.length === 0 && !long) {
    queue.unshift(() => runCheck('biome', 'node_modules/.bin/biome', ['check', '--error-on-warnings', '.']));
    queue.unshift(() => runCheck('tsc', 'node_modules/.bin/tsc', []));
  }
  for (const major of NODES) queue.unshift(() => runCheck(`node ${major}`, process.execPath, [SMOKE, major]));
  const results = [];
  const worker = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      results.push(...(await next()));
      if (bail && results.some(({ failed }) => failed > 0)) queue.length = 0;
    }
  };
  // Two more than there are cores: many tests wait for processes and timeouts.
  await Promise.all(Array.from({ length: availableParallelism() + 2 }, worker));
  return results;
}

const results = await runAll();
const total = (key) => results.reduce((sum, result) => sum + result[key], 0);
if (testFiles.length === 0) console.log('no test file matched');
process.exitCode = total('failed') > 0 || testFiles.length === 0 ? 1 : 0;
const skipped = total('skipped') > 0 ? `, ${total('skipped')} skipped` : '';
console.log(`${total('passed')} passed, ${total('failed')} failed${skipped}`);
