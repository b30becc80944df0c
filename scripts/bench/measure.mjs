// What every benchmark shares: temporary repositories, timed processes, ours and peer side by side, and the printed line.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');
/** In a clone, or as it was packed. */
export const ENTRY = ['scripts/bootstrap_loop.mjs', 'mendloop.mjs'].map((path) => join(ROOT, path)).find(existsSync);

/** A folder that is gone when this process ends, also when it is interrupted. */
export const scratch = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-bench-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.on(signal, () => process.exit(code));
}

// Whoever runs the benchmark must not decide it by their git settings, nor by standing in a hook or in a stage.
const env = { ...process.env, HOME: join(scratch, 'user'), XDG_CONFIG_HOME: join(scratch, 'user') };
for (const name of Object.keys(env)) if (/^(GIT|MENDLOOP)_/.test(name)) delete env[name];
mkdirSync(env.HOME);

let serial = 0;

/** A git repository with `files` (path to text) committed. */
export async function repository(files) {
  const home = join(scratch, `repository-${++serial}`);
  writeFiles(home, files);
  const git = (...words) => run('git', words, { cwd: home });
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '--all');
  await git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '--quiet', '--message=bench');
  return home;
}

export function writeFiles(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** `ai/context_map.yaml` with `count` stages that run `command`, each needing the one before. */
export function contextMap(count, command) {
  const stages = Array.from({ length: count }, (_, i) => {
    const needs = i === 0 ? '' : `\n    needs: [s${i}]`;
    return `  s${i + 1}:\n    command: ${JSON.stringify(command)}${needs}\n`;
  });
  return { 'ai/context_map.yaml': `stages:\n${stages.join('')}` };
}

/** Runs a program to its end: how long it took and what it printed. Rejects when it does not succeed. `watch` is given its pid. */
export function run(program, args, { cwd, more = {}, watch } = {}) {
  return new Promise((done, reject) => {
    const began = performance.now();
    const child = spawn(program, args, { cwd, env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.once('error', reject);
    child.once('spawn', () => watch?.(child.pid));
    child.once('close', (code, signal) => {
      const ms = performance.now() - began;
      if (code === 0) done({ ms, stdout });
      else reject(new Error(`${program} ${args.join(' ')} ended with ${signal ?? code}: ${(stderr || stdout).trim()}`));
    });
  });
}

/**
 * Measures every candidate in turn, `rounds` times after `warmUp` rounds that do not count. A candidate answers with named
 * numbers; the result holds the median of each, and in `range` its extremes as text. Every other round goes backwards, so that none always follows the same one.
 */
export async function sideBySide(candidates, { rounds, warmUp = 1 }) {
  const names = Object.keys(candidates);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const sample = await candidates[name]();
      if (round >= 0) samples[name].push(sample);
    }
  }
  return Object.fromEntries(
    names.map((name) => [name, { ...each(samples[name], median), range: each(samples[name], range) }]),
  );
}

function each(samples, summary) {
  return Object.fromEntries(Object.keys(samples[0]).map((key) => [key, summary(samples.map((s) => s[key]))]));
}

const range = (values) => `${short(Math.min(...values))}–${short(Math.max(...values))}`;

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** `value` with as many digits as say something. */
export function short(value) {
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** One line of a table: ours, the peer's and their ratio in `unit`. */
export function compare(name, unit, ours, peer, note = '') {
  return [name, `ours ${short(ours)} ${unit}`, `peer ${short(peer)} ${unit}`, `ratio ${short(ours / peer)}`, note];
}

/** Prints what `measure` returns: rows of cells, aligned, and lines of text. Only what cannot be measured is a failure. */
export async function bench(name, measure) {
  try {
    const { rows, notes = [] } = await measure();
    const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
    for (const row of rows)
      console.log(
        row
          .map((cell, at) => cell.padEnd(widths[at]))
          .join('   ')
          .trimEnd(),
      );
    for (const note of notes) console.log(`  ${note}`);
  } catch (error) {
    console.error(`${name}   could not be measured: ${error.message}`);
    process.exitCode = 1;
  }
}

/** The lines that `check-patch --jsonl` answers to those of `text`. Rejects when it cannot be started or fails. */
export function checkPatch(text) {
  return new Promise((done, reject) => {
    const stdio = ['pipe', 'pipe', 'inherit'];
    const child = spawn(process.execPath, [ENTRY, 'check-patch', '--jsonl'], { cwd: scratch, stdio });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) done(output.trimEnd().split('\n'));
      else reject(new Error(`check-patch ended with ${code}`));
    });
    // A process that ends before it has read everything is told of by its exit code.
    child.stdin.on('error', () => {}).end(text);
  });
}
