// Runs one test file in this process, started by run.mjs, and tells what happens on a descriptor that no test knows: what is printed
// proves nothing. After each test it sees to it that the next one begins as this one did.
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { commandLine, endProcess, processesOf } from './processes.mjs';

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

const leaves = (name, what) => {
  leaking.add(name);
  tell({ leaves: what, test: name });
};

/** Puts variables and folder back, and tells what nobody lent. */
function putBack(before, name) {
  const { env } = process;
  const changed = Object.keys({ ...env, ...before.env }).filter((key) => env[key] !== before.env[key]);
  const taken = changed.filter((key) => !globalThis.LENT_VARIABLES.has(key));
  if (taken.length > 0) leaves(name, `process.env changed: ${taken.join(', ')}`);
  for (const key of changed) {
    if (key in before.env) env[key] = before.env[key];
    else delete env[key];
  }
  globalThis.LENT_VARIABLES.clear();
  if (workingFolder() !== before.cwd) leaves(name, 'another working folder');
  process.chdir(before.cwd);
}

/** Ends what was started since, and tells what did not end by itself. */
async function endProcesses(before, name) {
  const left = () => started().filter((pid) => !before.pids.includes(pid));
  for (let waited = 0; left().length > 0 && waited < ENDING_MS; waited += 50) await sleep(50);
  for (const pid of left()) {
    leaves(name, `a process running: ${commandLine(pid)}`);
    endProcess(pid);
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
  test.after.each(async ({ __test__: name }) => {
    putBack(before, name);
    await endProcesses(before, name);
  });
  run();
};

const atFirst = surroundings();
await import(pathToFileURL(process.argv[2]).href);
putBack(atFirst);
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
putBack(atFirst);
await endProcesses(atFirst);
// One that failed besides counts as one.
const leaks = [...leaking].filter((name) => name && !failures.includes(`"${name}"`)).length;
tell({ end: { ...sums, leaks, skips: globalThis.SKIPPED_TESTS } });
