import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Program, runInShell } from '../../src/io/small-shell.ts';
import { fc, runs } from '../sweep.ts';
import { folder } from './temporary.ts';

const PRINT_WORDS = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
const run = (argv: string[], more: Partial<Program> = {}) =>
  runInShell({ argv, cwd: '/', env: { ...process.env }, ...more });

test('every word arrives as it is, whatever stands in it', async () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
    fc.constantFrom("'", '\\', '$(id)', '`id`', '\n', "'; exit 3 #", '"', '*', '~', '!!', '$HOME', '&', '-n'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 4 }), async (words) => {
      const { stdout } = await run(['printf', '%s\\0', ...words]);
      assert.equal(stdout.toString(), words.map((text) => `${text}\0`).join(''));
    }),
    runs(60, 2000),
  );
  assert.equal((await run([process.execPath, '-e', PRINT_WORDS, '--', "a'b", ''])).stdout.toString(), `["a'b",""]`);
});

test('the exit code, stdout and stderr are those of the program', async () => {
  const { code, stdout, stderr } = await run(['sh', '-c', 'echo out; echo err >&2; exit 7']);
  assert.equal([code, stdout.toString(), stderr.toString()], [7, 'out\n', 'err\n']);
  assert.is((await run(['no-such-program-at-all'])).code, 127);
  assert.is((await run(['sh', '-c', 'kill -9 $$'])).code, 128 + 9);
});

test('what is printed arrives byte for byte, also when it is long or ends without a newline', async () => {
  const bytes = randomBytes(3_000_000);
  const { stdout } = await run(['cat'], { input: bytes });
  assert.ok(stdout.equals(bytes));
  assert.is((await run(['printf', 'x'])).stdout.toString(), 'x');
  assert.is((await run(['true'])).stdout.length, 0);
});

test('a program that leaves its input unread leaves nothing of it to the next', async () => {
  for (let round = 0; round < 3; round++) {
    await run(['false'], { input: 'left over\n'.repeat(50_000) });
    assert.is((await run(['cat'], { input: 'mine' })).stdout.toString(), 'mine');
  }
});

test('without an input there is nothing to read', async () => {
  assert.is((await run(['cat'])).stdout.toString(), '');
  assert.is((await run(['cat'], { input: '' })).stdout.toString(), '');
});

test('the environment and the folder are those asked for, call by call', async () => {
  const place = join(folder(), "it's here");
  mkdirSync(place);
  const { HOME: _home, ...rest } = process.env;
  const env = { ...rest, NEW: "a\n'b'", 'BASH_FUNC_f%%': '() { :; }' };
  const show = ['sh', '-c', 'printf "%s|%s|%s" "$(pwd)" "$NEW" "$(printenv HOME || echo none)"'];
  assert.is((await run(show, { cwd: place, env })).stdout.toString(), `${place}|a\n'b'|none`);
  assert.is((await run(show)).stdout.toString(), `/||${process.env.HOME ?? 'none'}`);
});

test('programs run side by side, and more than there are shells wait for one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => run(['sh', '-c', `sleep 0.0${index % 3}; echo ${index}`])),
  );
  assert.equal(
    answers.map(({ stdout }) => Number(stdout)),
    Array.from({ length: 12 }, (_, index) => index),
  );
});

test('a shell that is killed is an error for its program, and the next program gets another shell', async () => {
  const killed = await run(['sh', '-c', 'kill -9 $PPID; sleep 0.1']).catch(({ message }) => message);
  assert.is(killed, 'the shell that starts programs was ended');
  assert.is((await run(['echo', 'again'])).stdout.toString(), 'again\n');
});

test('a shell keeps no process alive, and ends with the one that started it', () => {
  const module = pathToFileURL(join(import.meta.dirname, '../../src/io/small-shell.ts')).href;
  const program = `const { runInShell } = await import(${JSON.stringify(module)});
    const { stdout } = await runInShell({ argv: ['sh', '-c', 'echo $PPID'], cwd: '/', env: process.env });
    process.stdout.write(stdout);`;
  const loader = join(import.meta.dirname, '../../scripts/typescript.mjs');
  const { stdout, status } = spawnSync(process.execPath, ['--import', loader, '--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.is(status, 0);
  const shell = Number(stdout);
  assert.ok(shell > 1);
  const states = () => spawnSync('ps', ['-o', 'stat=', '-p', String(shell)], { encoding: 'utf8' }).stdout.trim();
  for (let tries = 0; tries < 50 && states() !== '' && !states().startsWith('Z'); tries++)
    execFileSync('sleep', ['0.05']);
  assert.ok(states() === '' || states().startsWith('Z'), 'the shell is gone');
});

test.run();
