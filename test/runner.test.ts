// The test command itself: what uvu would let pass fails, by name; a skip is told; and a test leaves nothing to the next one.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { folder } from './environment.ts';

const ROOT = resolve(import.meta.dirname, '..');
const address = (path: string) => pathToFileURL(join(ROOT, path)).href;
const { judge } = await import(address('scripts/test/judge.mjs'));
const { runFile } = await import(address('scripts/test/run.mjs'));

const HEAD = [
  `import { test } from '${address('node_modules/uvu/dist/index.mjs')}';`,
  `import { needs } from '${address('test/needs.ts')}';`,
  `import { setEnv, afterTest } from '${address('test/environment.ts')}';`,
  `import { spawn } from 'node:child_process';\n`,
].join('\n');
const GOOD = "test('a', () => {});\ntest('b', () => {});\ntest.run();\n";

/** What became of a test file with this text. */
async function ran(text: string, { limit = 60, inCi = false } = {}) {
  const file = join(folder(), 'a.test.mjs');
  writeFileSync(file, HEAD + text);
  const { passed, failed, skips, reasons } = judge(await runFile(file, { limit }), { inCi });
  return { counts: [passed, failed, skips.length], reasons, skips };
}

test('a file that is fine passes', async () => {
  assert.equal(await ran(GOOD), { counts: [2, 0, 0], reasons: [], skips: [] });
});

const ONE = (body: string) => `test('one', ${body});\ntest('two', () => {});\ntest.run();\n`;
/** What a bad file holds, and why it fails; the counts are those of `one` alone unless told. */
const BAD: Record<string, [text: string, reason: string, counts?: number[]]> = {
  'a forgotten test.run()': ["test('one', () => {});\n", 'test.run() is never called', [0, 1, 0]],
  'a test behind test.run()': [`${GOOD}test('c', () => {});\n`, '1 behind test.run()'],
  'no test': ['test.run();\n', 'no test was found', [0, 1, 0]],
  'nothing at all, and no output': ['', 'no test was found', [0, 1, 0]],
  'a failing test': [ONE("() => { throw new Error('no'); }"), '1 of 2 did not pass'],
  'a throwing before': [`test.before(() => { throw new Error('no'); });\n${GOOD}`, '2 of 2 did not pass', [0, 2, 0]],
  'a throwing after.each': [
    `test.after.each(() => { throw new Error('no'); });\n${GOOD}`,
    '2 of 2 did not pass',
    [0, 2, 0],
  ],
  'a test left out': [`test.skip('c', () => {});\n${GOOD}`, '1 left out without saying why'],
  'the rest left out': [`test.only('c', () => {});\n${GOOD}`, '2 left out without saying why'],
  'exit 0 in a test': [ONE('() => process.exit(0)'), 'ended with exit code 0, in "one"', [0, 1, 0]],
  'exit 0 before the tests': [`process.exit(0);\n${GOOD}`, 'ended with exit code 0, before its first test', [0, 1, 0]],
  'not to be loaded': [`throw new Error('no');\n${GOOD}`, 'ended with exit code 1, before its first test', [0, 1, 0]],
  'a promise that nobody keeps': [ONE('() => new Promise(() => {})'), 'ended with exit code 13, in "one"', [0, 1, 0]],
  'a rejection nobody handles': [
    ONE("() => { Promise.reject(new Error('no')); return new Promise((done) => setTimeout(done, 50)); }"),
    'ended with exit code 1, in "one"',
    [0, 1, 0],
  ],
  'an exit code of its own': [
    `process.on('exit', () => { process.exitCode = 3; });\n${GOOD}`,
    'ended with exit code 3, after its last test',
  ],
  'a changed variable': [ONE("() => { process.env.PATH = '/nowhere'; }"), '"one" leaves process.env changed: PATH'],
  'a variable that is gone': [ONE('() => { delete process.env.HOME; }'), '"one" leaves process.env changed: HOME'],
  'a variable of a test that fails': [
    ONE("() => { process.env.PATH = ''; throw new Error('no'); }"),
    '1 of 2 did not pass; "one" leaves process.env changed: PATH',
  ],
  'a variable that the file changes': [
    `process.env.A = 'b';\n${GOOD}`,
    'the file itself leaves process.env changed: A',
  ],
  'another working folder': [ONE("() => process.chdir('/')"), '"one" leaves another working folder'],
  'a process': [ONE("() => void spawn('sleep', ['61'])"), '"one" leaves a process running: sleep 61'],
  'a process of its own session, elsewhere, of a parent that is gone': [
    ONE(
      "() => { spawn('sh', ['-c', 'setsid sleep 62 &'], { cwd: '/' }); return new Promise((done) => setTimeout(done, 300)); }",
    ),
    '"one" leaves a process running: sleep 62',
  ],
  'a process that the file itself started': [
    `spawn('sleep', ['63'], { detached: true, stdio: 'ignore' }).unref();\n${GOOD}`,
    'the file itself leaves a process running: sleep 63',
  ],
};

for (const [what, [text, reason, counts]] of Object.entries(BAD)) {
  test(`it fails by name: ${what}`, async () => {
    const result = await ran(text);
    assert.is(result.reasons.join('; '), reason);
    if (counts) assert.equal(result.counts, counts);
    assert.is(result.counts[1] === 0, false);
  });
}

test('a hang is ended when its time is up, and told with the test that hangs', async () => {
  const { reasons, counts } = await ran(ONE('() => new Promise((done) => setTimeout(done, 60_000))'), { limit: 1 });
  assert.equal([reasons, counts], [['still running after 1 s, in "one"'], [0, 1, 0]]);
});

test('what a test changes does not reach the next one, also when it throws', async () => {
  const { counts } = await ran(`const { PATH } = process.env;
const folder = process.cwd();
test('one', () => { setEnv({ PATH: undefined, NEW: 'x' }); process.chdir('/'); throw new Error('no'); });
test('two', () => { if (process.env.PATH !== PATH || 'NEW' in process.env || process.cwd() !== folder) throw new Error('changed'); });
test.run();\n`);
  assert.equal(counts, [1, 1, 0]);
});

test('a variable that was lent, and what is closed after a test, are no leftovers', async () => {
  const text = "() => { setEnv({ A: 'b' }); const child = spawn('sleep', ['60']); afterTest(() => child.kill()); }";
  assert.equal((await ran(ONE(text))).reasons, []);
});

test('what is missing skips a test by name; in CI that is a failure', async () => {
  const text = `needs('sh', 'no-such-program')('c', () => {});\n${GOOD}`;
  const why = 'no no-such-program (scripts/install_test_tools.sh)';
  assert.equal(await ran(text), { counts: [2, 0, 1], reasons: [], skips: [why] });
  assert.equal((await ran(text, { inCi: true })).reasons, ['1 skipped, and with CI=true nothing may be']);
});

test('settings of whoever runs the tests do not reach them', async () => {
  const text = ONE(
    "() => { if (process.env.HOME === '/root' || Object.keys(process.env).some((name) => /^npm_/.test(name))) throw new Error(); }",
  );
  assert.equal((await ran(text)).reasons, []);
});

test('a path without a test is a failure', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts/test.mjs'), 'test/nosuch'], {
    encoding: 'utf8',
  });
  assert.is(status, 1);
  assert.match(stdout, /^no test file matched\n0 passed, 0 failed, 0 skipped\n$/);
});

test.run();
