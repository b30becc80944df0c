#!/usr/bin/env node
// Changes one thing in a critical file and sees whether the nearest tests notice: `npm run mutate -- --seed 7 --count 40`. The seed
// decides which mutants are drawn. Each is tried alone in a copy of this repository, --jobs at once; what survives is printed with its
// change. --from 12 goes on with the twelfth.
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transformSync } from 'esbuild';
import { mutantsOf } from './mutate/mutants.mjs';

const ROOT = resolve(import.meta.dirname, '..');
/** A mutant that runs for ever is noticed, too. */
const LIMIT_MS = 900_000;

/** Critical files (a folder stands for all in it), and the tests that are nearest to them: each next list only if the one before passes. */
const TARGETS = {
  gate: {
    files: ['src/fix/gate/', 'src/fix/repair/', 'src/fix/repair/shapes/'],
    tests: [['test/fix'], ['test/e2e/check-patch.test.ts']],
  },
  decide: {
    files: ['src/triage/decide.ts', 'src/triage/judge.ts'],
    tests: [
      ['test/triage'],
      ['test/run', 'test/mend'],
      ['test/e2e/mending.test.ts', 'test/e2e/model-outcomes.test.ts'],
    ],
  },
  fold: {
    files: ['src/triage/fold.ts', 'src/triage/incident.ts', 'src/journal/stages.ts'],
    tests: [
      ['test/triage', 'test/journal'],
      ['test/run', 'test/mend'],
      ['test/e2e/mending.test.ts', 'test/e2e/stages.test.ts'],
    ],
  },
  resume: {
    files: ['src/run/resume.ts'],
    tests: [['test/run'], ['test/e2e/resume.test.ts', 'test/e2e/interrupt.test.ts', 'test/e2e/mending.test.ts']],
  },
  redaction: {
    files: ['src/outbound/redact/'],
    tests: [['test/outbound'], ['test/e2e/redact.test.ts', 'test/e2e/model-secrets.test.ts']],
  },
  promote: {
    files: ['src/promote/'],
    tests: [
      ['test/promote', 'test/cli'],
      ['test/e2e/promote.test.ts', 'test/e2e/escalate-promote.test.ts'],
    ],
  },
  lock: {
    files: ['src/io/lock.ts'],
    tests: [['test/io/lock.test.ts'], ['test/e2e/bad-state.test.ts', 'test/e2e/kill.test.ts']],
  },
};

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '40' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    list: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(TARGETS).join(',') },
  },
});

const git = (...args) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
const tracked = git('ls-files', '--cached', '--others', '--exclude-standard', '-z')
  .split('\0')
  .filter((path) => existsSync(join(ROOT, path)) && path);

/** Numbers from 0 to 1 that the seed decides (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The program that a source is, without its types and spaces; undefined when it is none. */
function program(source) {
  try {
    return transformSync(source, { loader: 'ts', minifyWhitespace: true, minifySyntax: true, logLevel: 'silent' }).code;
  } catch {
    return undefined;
  }
}

const mutated = (source, { start, end, text }) => source.slice(0, start) + text + source.slice(end);

/** Mutants in turn from every target, each another one, and each another program than the original. */
function draw(seed, count) {
  const next = random(seed);
  const pools = values.only.split(',').map((name) => {
    const isOne = (path) =>
      TARGETS[name].files.some((file) => path === file || (file.endsWith('/') && path.startsWith(file)));
    const pool = tracked.filter((path) => isOne(path) && path.endsWith('.ts')).sort();
    return {
      name,
      pool: pool.flatMap((path) => mutantsOf(readFileSync(join(ROOT, path), 'utf8')).map((m) => ({ path, ...m }))),
    };
  });
  const drawn = [];
  for (let turn = 0; drawn.length < count && pools.some(({ pool }) => pool.length > 0); turn++) {
    const { name, pool } = pools[turn % pools.length];
    while (pool.length > 0) {
      const [mutant] = pool.splice(Math.floor(next() * pool.length), 1);
      const source = readFileSync(join(ROOT, mutant.path), 'utf8');
      const changed = program(mutated(source, mutant));
      if (changed === undefined || changed === program(source)) continue;
      drawn.push({ target: name, ...mutant });
      break;
    }
  }
  return drawn;
}

function copyRepository() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-mutate-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const path of tracked) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  // Tests copy what git has of the repository that they are in.
  const commit = ['-c', 'user.name=Mutate', '-c', 'user.email=mutate@example.org', 'commit', '-q', '-m', 'copy'];
  for (const args of [['init', '-q', '-b', 'main'], ['add', '-A'], commit]) execFileSync('git', args, { cwd: folder });
  return folder;
}

/** Whether the tests pass in `folder`, and the lines that say which do not. */
function pass(folder, tests) {
  return new Promise((done) => {
    const paths = tests.filter((path) => existsSync(join(folder, path)));
    const child = spawn(process.execPath, ['scripts/test.mjs', '--bail', ...paths], { cwd: folder, detached: true });
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), LIMIT_MS);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.on('close', (code) => {
      clearTimeout(timer);
      const failed = output.match(/^FAIL .*/gm) ?? [
        code === null ? 'it did not end' : (output.trim().split('\n').at(-1) ?? ''),
      ];
      done({ ok: code === 0, failed: code === 0 ? [] : failed });
    });
  });
}

async function passAll(folder, target) {
  for (const tests of TARGETS[target].tests) {
    const result = await pass(folder, tests);
    if (!result.ok) return result;
  }
  return { ok: true, failed: [] };
}

const drawn = draw(Number(values.seed), Number(values.count)).slice(Number(values.from) - 1);
const told = ({ target, path, line, kind }) => `${target.padEnd(9)}  ${path}:${line}  ${kind}`;
if (values.list) {
  for (const mutant of drawn) console.log(told(mutant));
  process.exit(0);
}

const folders = Array.from({ length: Number(values.jobs) }, copyRepository);
const paths = [...new Set(drawn.flatMap(({ target }) => TARGETS[target].tests.flat()))];
// One that goes on where another was interrupted knows that they pass.
const before = values.from === '1' ? await pass(folders[0], paths) : { ok: true };
if (!before.ok) {
  console.error(`the tests fail before anything is changed:\n${before.failed.join('\n')}`);
  process.exit(1);
}

/** Tries one mutant in a copy and prints what became of it; whether it survived. */
async function survives(mutant, folder) {
  const file = join(folder, mutant.path);
  const source = readFileSync(file, 'utf8');
  writeFileSync(file, mutated(source, mutant));
  const { ok, failed } = await passAll(folder, mutant.target);
  const by = ok ? '' : `  by ${failed[0]?.replace(/^FAIL +/, '').split('  ')[0]}`;
  console.log(`${ok ? 'SURVIVED' : 'killed  '}  ${told(mutant)}${by}`);
  if (ok) {
    const diff = execFileSync('git', ['diff', '--unified=1', '--', mutant.path], { cwd: folder, encoding: 'utf8' });
    console.log(diff.split('\n').slice(4).join('\n').replace(/^/gm, '    '));
  }
  writeFileSync(file, source);
  return ok;
}

const queue = [...drawn];
const work = async (folder) => {
  let count = 0;
  for (let next = queue.shift(); next; next = queue.shift()) count += (await survives(next, folder)) ? 1 : 0;
  return count;
};
const survived = (await Promise.all(folders.map(work))).reduce((a, b) => a + b, 0);
console.log(`${drawn.length - survived} killed, ${survived} survived (seed ${values.seed})`);
