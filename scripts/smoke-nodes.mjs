#!/usr/bin/env node
// Runs the loop with another Node: `smoke-nodes.mjs 24`, or `newest` for the newest even major. The simulated lab turns green from
// the sources, a TypeScript plugin mends a stage from the bundle and from a packed install, and status tells of it. Node comes from npm, as a package that this
// one does not depend on (it would come first on PATH in every npm script), into a cache folder of the user; it is started by its path.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const ENTRY = 'scripts/bootstrap_loop.mjs';
const PACKAGE = `node-${process.platform}-${process.arch}`;
const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mendloop', 'nodes');

const scratch = mkdtempSync(join(tmpdir(), 'mendloop-smoke-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

function run(program, args, { cwd = scratch, env = {} } = {}) {
  const clean = Object.entries(process.env).filter(([name]) => !/^(GIT|MENDLOOP|NODE)_/.test(name));
  try {
    return execFileSync(program, args, {
      cwd,
      env: { ...Object.fromEntries(clean), OLLAMA_HOST: 'http://127.0.0.1:1', ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    const output = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim();
    throw new Error(`${program} ${args.join(' ')}: ${output || error.message}`);
  }
}

/** The newest version of a major, or of the newest even one. Throws when npm cannot tell. */
function versionOf(major) {
  const all = JSON.parse(run('npm', ['view', PACKAGE, 'versions', '--json'])).filter((v) => /^\d+\.\d+\.\d+$/.test(v));
  const parts = (version) => version.split('.').map(Number);
  const byAge = all.sort((a, b) => parts(a)[0] - parts(b)[0] || parts(a)[1] - parts(b)[1] || parts(a)[2] - parts(b)[2]);
  const wanted = (version) => (major === 'newest' ? parts(version)[0] % 2 === 0 : parts(version)[0] === Number(major));
  const version = byAge.findLast(wanted);
  if (!version) throw new Error(`${PACKAGE} has no version for ${major}`);
  return version;
}

/** The program, fetched at most once. */
function nodeOf(version) {
  const folder = join(CACHE, version);
  if (!existsSync(folder)) {
    const [{ filename }] = JSON.parse(run('npm', ['pack', `${PACKAGE}@${version}`, '--json']));
    const made = `${folder}.${process.pid}`;
    mkdirSync(made, { recursive: true });
    run('tar', ['-xzf', join(scratch, filename), '-C', made, '--strip-components=1']);
    renameSync(made, folder);
  }
  return join(folder, 'bin/node');
}

function check(what, text, ...expected) {
  for (const words of expected) if (!text.includes(words)) throw new Error(`${what}: no "${words}" in\n${text}`);
}

function repository(name, files) {
  const home = join(scratch, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}

function commit(home) {
  const git = (...args) =>
    run('git', ['-c', 'user.name=Smoke', '-c', 'user.email=smoke@example.org', ...args], { cwd: home });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=smoke');
}

/** This repository as it is, copied: six stages turn green, with the types stripped by Node itself where it can. */
function simulatedLab(node) {
  const home = repository('lab', { '.gitignore': '/node_modules\n' });
  // All that git has or would have: what packing needs is not listed twice. The bench of models is packed with its exams.
  const listed = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT }).split(
    '\0',
  );
  for (const path of listed.filter((each) => each !== '' && !each.startsWith('.ci/') && existsSync(join(ROOT, each))))
    cpSync(join(ROOT, path), join(home, path));
  symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'));
  commit(home);
  const output = run(node, [ENTRY], { cwd: home, env: { MENDLOOP_UNBUNDLED: '1', MENDLOOP_LAB: 'simulated' } });
  check('the simulated lab', output, 'green: 6 stages');
  return home;
}

/** What `npm pack` makes of a clone, installed: its entry. */
function install(clone) {
  const output = run('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: clone });
  const [{ filename }] = JSON.parse(output.slice(output.indexOf('[\n')));
  const folder = repository('installed', { 'package.json': '{}' });
  run('npm', ['install', '--offline', join(scratch, filename)], { cwd: folder });
  return join(folder, 'node_modules/mendloop/dist/mendloop.mjs');
}

const PLUGIN = `
import { definePlugin } from 'mendloop';
import { z } from 'zod';

const answer: string = ['--- a/word', '+++ b/word', '@@ -1 +1 @@', '-bad', '+good', ''].join('\\n');
export default definePlugin({
  name: 'mine',
  options: z.strictObject({}),
  propose: async () => ({ answer }),
});
`;

/** A TypeScript plugin of the owner mends a stage, and status tells of it. */
function mend(node, entry, name) {
  const home = repository(name, {
    'ai/context_map.yaml': 'stages:\n  speak:\n    command: grep good word\n    files: [word]\n',
    'ai/loop.yaml': 'unattended: all\nexecutors: [mine]\nescalations: []\n',
    'plugins/executors/mine.ts': PLUGIN,
    word: 'bad\n',
  });
  commit(home);
  check(`a mend, ${name}`, run(node, [entry], { cwd: home }), 'mine', 'green: 1 stage');
  check('status', run(node, [entry, 'status'], { cwd: home }), 'speak', 'green');
}

const major = process.argv[2] ?? 'newest';
try {
  const version = versionOf(major);
  const node = nodeOf(version);
  check('its version', run(node, ['--version']), `v${version}`);
  const clone = simulatedLab(node);
  mend(node, join(ROOT, ENTRY), 'bundled');
  mend(node, install(clone), 'packed');
  console.log(`node ${version}: a fresh run, a mend by a TypeScript plugin and status, bundled and packed`);
} catch (error) {
  console.error(`node ${major}: ${error.message}`);
  process.exitCode = 1;
}
