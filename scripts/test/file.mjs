// Runs one test file in this process, started by run.mjs, and tells what happens on a descriptor that no test knows: what is printed
// proves nothing. After each test it sees to it that the next one begins as this one did.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { commandLine, processesOf } from './processes.mjs';

/** What was started may just be ending. */
const ENDING_MS = 5000;

globalThis.UVU_DEFER = 1;
globalThis.UVU_QUEUE = [[]];
globalThis.SKIPPED_TESTS = [];
globalThis.LENT_VARIABLES = new Set();
const { test } = await import('uvu');
const tell = (line) => writeSync(3, `${JSON.stringify(line)}\n`);
/** The names of the tests that left something changed. */
const leaking = new Set();
const { TMPDIR } = process.env;
const foreign = new Set();
const started = () => processesOf(TMPDIR, process.pid, foreign);

/** What a test must leave as it was. */
const surroundings = () => ({ env: { ...process.env }, cwd: process.cwd(), pids: started() });

/** Puts all of it back and tells what was not as before. */
async function restore(before, name) {
  const leaves = (what) => {
    leaking.add(name);
    tell({ leaves: what, test: name });
  };
  const { env } = process;
  const changed = Object.keys({ ...env, ...before.env }).filter((key) => env[key] !== before.env[key]);
  const unasked = changed.filter((key) => !globalThis.LENT_VARIABLES.has(key));
  if (unasked.length > 0) leaves(`process.env changed: ${unasked.join(', ')}`);
  for (const key of changed) {
    if (key in before.env) env[key] = before.env[key];
    else delete env[key];
  }
  if (workingFolder() !== before.cwd) leaves('another working folder');
  process.chdir(before.cwd);
  const left = () => started().filter((pid) => !before.pids.includes(pid));
  for (let waited = 0; left().length > 0 && waited < ENDING_MS; waited += 50) await sleep(50);
  for (const pid of left()) {
    leaves(`a process running: ${commandLine(pid)}`);
    process.kill(pid, 'SIGKILL');
  }
}

function workingFolder() {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

const run = test.run;
let isRun = false;
let before;
test.before.each(({ __test__: name }) => {
  tell({ test: name });
  before = surroundings();
});
test.run = () => {
  isRun = true;
  test.after.each(({ __test__: name }) => restore(before, name));
  run();
};

const atFirst = surroundings();
await import(pathToFileURL(process.argv[2]).href);
await restore(atFirst);
// What stands behind `test.run()`, or was never followed by it.
run();
let failures = '';
const sums = { total: 0, passed: 0, skipped: 0, isRun };
const suites = globalThis.UVU_QUEUE[0].splice(0);
for (const suite of suites) {
  const isLast = suite === suites.at(-1);
  const [errors, passed, skipped, total] = await suite();
  if (errors !== true) {
    console.log(errors);
    failures += errors;
  }
  if (isLast) sums.notRun = total;
  sums.total += total;
  sums.passed += passed;
  sums.skipped += skipped;
}
await restore(atFirst);
// One that failed besides counts as one.
const leaks = [...leaking].filter((name) => name && !failures.includes(`"${name}"`)).length;
tell({ end: { ...sums, leaks, skips: globalThis.SKIPPED_TESTS } });
