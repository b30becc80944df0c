// Every way in is the same program: zx, node, a linked bin; with or without a terminal; with or without its dependencies.
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMANDS } from '../../src/cli/commands.ts';
import { cases } from '../sweep.ts';
import { contextMap, type Done, ENTRY, folder, jsonLines, PACKAGE, scenario, startProcess } from './scenario.ts';

const NAMES = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs'];

const six = () => {
  const work = (name: string) => `echo ${name} is up${name === 'talos' ? '; sleep 0.8' : ''}`;
  const stages = NAMES.map((name, i) => [name, { command: work(name), needs: NAMES.slice(0, i).slice(-1) }]);
  return scenario({ 'ai/context_map.yaml': contextMap(Object.fromEntries(stages)) });
};

const ESCAPE = String.fromCharCode(27);

test('npx zx, node and a linked bin run the same and understand the same options', async () => {
  const s = six();
  const link = join(folder(), 'mendloop');
  symlinkSync(ENTRY, link);
  const rest = ['--root', s.home, '--json'];
  const ways = [['npx', 'zx', 'scripts/bootstrap_loop.mjs'], [process.execPath, 'scripts/bootstrap_loop.mjs'], [link]];
  const seen = [];
  for (const way of ways) {
    const done = await startProcess([...way, 'retry', 'vms', ...rest], { cwd: PACKAGE }).done;
    assert.is(done.exit, 0, done.stderr);
    seen.push(jsonLines(done.stdout).map((e) => `${e.type} ${e.stage ?? ''}`));
  }
  assert.equal(seen[0]?.at(-1), 'run.ended ');
  assert.equal(seen[1], seen[0]);
  assert.equal(seen[2], seen[0]);
  const failed = await startProcess(['npx', 'zx', 'scripts/bootstrap_loop.mjs', 'nosuch', ...rest], { cwd: PACKAGE })
    .done;
  assert.is(failed.exit, 2, 'zx hands the exit code on');
});

test('a process of its own says what the other tests hear in theirs, for every command', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: { command: 'echo up', verify: ['true'] }, b: 'false' }),
  });
  const words: Record<string, string[]> = {
    logs: ['b'],
    explain: ['b'],
    get: ['a'],
    verify: ['a'],
    fingerprint: ['none'],
  };
  assert.is((await s.run()).exit, 1);
  // These run stages, read a text, make a folder of a new name, or do not end.
  const names = Object.keys(COMMANDS).filter((command) => !['all', 'redact', 'demo', 'serve'].includes(command));
  for (const name of names.filter((_, i) => cases(i % 8 === 0, true))) {
    const args = [name, ...(words[name] ?? [])];
    const said = ({ exit, stdout, stderr }: Done) => [
      exit,
      s.plain(`${stdout}---\n${stderr}`).replace(/\d+ MiB/, '<n> MiB'),
    ];
    const [alone, here] = [await s.run(args, { alone: true }), await s.run(args)];
    assert.equal(said(alone), said(here), name);
  }
});

test('without its dependencies it says what to run, and shows no stack', async () => {
  const bare = folder();
  for (const part of ['scripts', 'src', 'package.json'])
    cpSync(join(PACKAGE, part), join(bare, part), { recursive: true });
  const done = await startProcess([process.execPath, 'scripts/bootstrap_loop.mjs'], { cwd: bare }).done;
  assert.match(done.stderr, /^error E_DEPENDENCIES: cannot find package '[\w@/-]+'\n {2}next: {2}run: npm ci\n$/);
  assert.is(done.stdout, '');
  assert.is(done.exit, 2);
});

test('every command has help, with its usage in the first line', async () => {
  const s = scenario();
  const names = Object.keys(COMMANDS);
  const half = Math.ceil(names.length / 2);
  const help = async (list: string[]) => {
    for (const name of list) {
      const done = await s.run([name, '--help']);
      assert.is(done.exit, 0);
      assert.is(done.stdout.split('\n')[0], `usage: mendloop ${COMMANDS[name]?.usage}`);
      assert.is(done.stderr, '');
    }
  };
  await Promise.all([help(names.slice(0, half)), help(names.slice(half))]);
  assert.match(
    (await s.run(['cases', '--help'])).stdout,
    'gate looks once more for what',
    'rows break at the end of a line',
  );
  const general = await s.run(['--help']);
  for (const name of names) assert.match(general.stdout, new RegExp(`^ {2}\\[?${name}\\]? `, 'm'));
  const version = await s.run(['--version']);
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/);
});

test('on a terminal the board shows states and ends with all green; elsewhere there are no escape codes', async () => {
  const s = six();
  const terminal = await s.run([], { tty: true });
  assert.is(terminal.exit, 0);
  assert.match(terminal.stdout, ESCAPE);
  const text = terminal.stdout.replaceAll(new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g'), '');
  assert.match(text, /▸ talos {4}running +\d+ s {2}talos is up/);
  const shown = [...text.matchAll(/[·▸✓✗] (\w+) +(\w+)/g)].map(([, name = '', state]) => [name, state]);
  assert.ok(shown.some(([name, state]) => name === 'obs' && state === 'waiting'));
  assert.equal(
    NAMES.map((name) => [name, shown.findLast((row) => row[0] === name)?.[1]]),
    NAMES.map((name) => [name, 'green']),
  );
  assert.match(text, /green: 6 stages/);

  const calm = [
    await s.run(['--no-recheck']),
    await s.run(['--no-recheck'], { tty: 'here', env: { CI: '1' } }),
    await s.run(['status'], { tty: 'here', env: { NO_COLOR: '1' } }),
  ];
  for (const done of calm) assert.not.match(done.stdout + done.stderr, ESCAPE);
  const plainBoard = await s.run(['--no-recheck'], { tty: true, env: { NO_COLOR: '1' } });
  assert.not.match(plainBoard.stdout, new RegExp(`${ESCAPE}\\[[0-9;]*m`), 'a colour in spite of NO_COLOR');
});

test.run();
