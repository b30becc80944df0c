// The test command itself: what uvu would let pass must fail, alone and among others in one process.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const SCRIPTS = resolve(import.meta.dirname, '../scripts/test');
const UVU = pathToFileURL(resolve(import.meta.dirname, '../node_modules/uvu/dist/index.mjs')).href;
const { judge, outputByFile } = await import(pathToFileURL(join(SCRIPTS, 'judge.mjs')).href);

const HEAD = "import { test } from 'uvu';\n";
const GOOD = `${HEAD}test('a', () => {});\ntest('b', () => {});\ntest.run();\n`;
// Not in one piece, or this file would declare it.
const MORE = ['const more', "suite('more');\n"].join(' = ');
const BAD: Record<string, [text: string, reason: string]> = {
  'a suite that is never run': [`${HEAD}test('a', () => {});\n`, 'never run: test'],
  'a second suite that is never run': [
    `import { suite, test } from 'uvu';\n${MORE}more('b', () => {});\ntest('a', () => {});\ntest.run();\n`,
    'never run: more',
  ],
  'no test': [`${HEAD}test.run();\n`, 'no test was found'],
  'a failing test': [`${HEAD}test('a', () => { throw new Error('no'); });\ntest.run();\n`, '1 of 1 did not pass'],
  'a throwing before': [
    `${HEAD}test.before(() => { throw new Error('no'); });\ntest('a', () => {});\ntest.run();\n`,
    '1 of 1 did not pass',
  ],
  'a throwing after.each': [
    `${HEAD}test.after.each(() => { throw new Error('no'); });\ntest('a', () => {});\ntest.run();\n`,
    '1 of 1 did not pass',
  ],
  'a test left out': [
    `${HEAD}test('a', () => {});\ntest.skip('b', () => {});\ntest.run();\n`,
    '1 skipped without a line',
  ],
  'the rest left out': [
    `${HEAD}test('a', () => {});\ntest.only('b', () => {});\ntest.run();\n`,
    '1 skipped without a line',
  ],
  'leaving the process': [`${HEAD}test('a', () => process.exit(0));\ntest.run();\n`, 'no summary was printed'],
  'leaving it before': [`${HEAD}process.exit(0);\ntest('a', () => {});\ntest.run();\n`, 'no summary was printed'],
  'not to be loaded': [`${HEAD}throw new Error('no');\ntest('a', () => {});\ntest.run();\n`, 'no summary was printed'],
  'a rejection nobody handles': [
    `${HEAD}test('a', () => void Promise.reject(new Error('no')));\ntest('b', () => new Promise((done) => setTimeout(done, 50)));\ntest.run();\n`,
    'no summary was printed',
  ],
};

const folder = mkdtempSync(join(tmpdir(), 'mendloop-runner-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The reasons why each of these files failed, run in one process. */
function reasonsOf(texts: readonly string[], bail = ''): string[] {
  const args = texts.flatMap((text, at) => {
    const path = join(folder, `${at}.mjs`);
    writeFileSync(path, text.replace("'uvu'", `'${UVU}'`));
    return [`test/${at}.test.ts`, path];
  });
  const env = { ...process.env, FORCE_COLOR: '0', CI: '', TEST_BAIL: bail };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(SCRIPTS, 'batch.mjs'), ...args], {
    env,
    encoding: 'utf8',
  });
  const parts = outputByFile(stdout + stderr);
  return texts.map((text, at) => {
    const output = parts.get(`test/${at}.test.ts`) ?? '';
    return judge(text, output, at === texts.length - 1 ? status : 0).reasons.join('; ');
  });
}

test('files that are fine pass, alone and together', () => {
  assert.equal(reasonsOf([GOOD]), ['']);
  assert.equal(reasonsOf([GOOD, GOOD, GOOD]), ['', '', '']);
});

test('with --bail a file that fails is the last one, and nothing behind it counts as passed', () => {
  const [failing = ''] = BAD['a failing test'] ?? [];
  assert.equal(reasonsOf([GOOD, failing, GOOD], '1').slice(0, 2), ['', 'no summary was printed']);
  assert.match(reasonsOf([GOOD, failing, GOOD], '1')[2] ?? '', 'no summary was printed');
});

for (const [what, [text, reason]] of Object.entries(BAD)) {
  test(`it fails, alone and before others: ${what}`, () => {
    assert.match(reasonsOf([text])[0] ?? '', reason);
    const [before, own, after] = reasonsOf([GOOD, text, GOOD]);
    assert.is(before, '');
    assert.match(own ?? '', reason);
    if (reason === 'no summary was printed') assert.match(after ?? '', reason, 'what comes after never ran');
  });
}

test('a path without a test is a failure', () => {
  const command = [resolve(SCRIPTS, '../test.mjs'), 'test/nosuch'];
  assert.throws(
    () => execFileSync(process.execPath, command, { stdio: 'pipe', encoding: 'utf8' }),
    ({ stdout }: { stdout: string }) => /no test file matched\n0 passed, 0 failed\n$/.test(stdout),
  );
});

test.run();
