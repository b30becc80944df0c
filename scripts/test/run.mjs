// Starts a program, or a test file, with a time limit and a folder of its own, and collects what became of it.
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandLine, endProcess, processesOf } from './processes.mjs';

const FILE = join(import.meta.dirname, 'file.mjs');
const TYPESCRIPT = join(import.meta.dirname, '../typescript.mjs');
/** What of this environment reaches a test: the settings of whoever runs the tests must not decide them. */
const PASSED_ON = /^(PATH|USER|LOGNAME|CHROMIUM|CI|TEST_.*|CAMPAIGN_.*)$/;
const GITCONFIG = '[protocol "file"]\n\tallow = always\n[maintenance]\n\tauto = false\n';
/** Seconds that a file may go on after its last test. */
const END_LIMIT = 30;

/** What is to be done for each file that still runs when this process ends. */
const endings = new Set();
process.on('exit', () => {
  for (const end of endings) end();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));

/**
 * Runs a program to its end: its exit code (undefined when the time was up), what it printed, and the lines of JSON that it wrote to
 * its fourth descriptor, which what it tests knows nothing of.
 */
export function runProgram(command, args, { cwd, env = process.env, limit, onExit = () => {} }) {
  return new Promise((done) => {
    const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    const printed = [];
    const told = [];
    let [isLate, rest] = [false, ''];
    const kill = () => {
      isLate = true;
      endProcess(-child.pid);
    };
    let timer = setTimeout(kill, limit * 1000);
    child.stdio[3].on('data', (chunk) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop();
      told.push(...lines.map((line) => JSON.parse(line)));
      if (!told.at(-1)?.end) return;
      clearTimeout(timer);
      timer = setTimeout(kill, END_LIMIT * 1000);
    });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => printed.push(chunk));
    const end = (code, error = '') => {
      clearTimeout(timer);
      done({ code: isLate ? undefined : code, output: Buffer.concat(printed) + error, told, limit });
    };
    child.on('error', (error) => end(127, error));
    // A process that was left behind may hold what this one printed to.
    child.on('exit', onExit);
    child.on('close', (code, signal) => end(code ?? signal));
  });
}

/** Runs a test file; `left` are the processes that it left behind, which are ended, `kept` says why its folder is
 * not gone. */
export async function runFile(file, { limit, long = false }) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'mt-'));
  chmodSync(folder, 0o755);
  const HOME = join(folder, 'home');
  mkdirSync(HOME);
  writeFileSync(join(HOME, '.gitconfig'), GITCONFIG);
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))),
    ...{ HOME, TMPDIR: folder, LANG: 'C.UTF-8', TEST_LONG: long ? '1' : '' },
  };
  const endProcesses = () => {
    const pids = processesOf(folder);
    const lines = pids.map(commandLine);
    for (const pid of pids) endProcess(pid);
    return lines;
  };
  let left = [];
  const onExit = () => {
    left = endProcesses();
  };
  const end = () => {
    endProcesses();
    return removal(folder);
  };
  endings.add(end);
  const args = ['--enable-source-maps', '--import', TYPESCRIPT, FILE, file];
  const ended = await runProgram(process.execPath, args, { env, limit, onExit });
  endings.delete(end);
  return { ...ended, left, kept: end() };
}

/** Why the folder cannot be removed, or undefined when it is gone. */
function removal(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    return undefined;
  } catch (error) {
    return error.message;
  }
}
