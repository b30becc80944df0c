import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import command from '../../plugins/notifiers/command.ts';
import { folder, setEnv } from '../environment.ts';
import { thrownBy } from './ask-ollama.ts';
import { ASK, NOTICE, tell } from './notify.ts';

const told = (script: string, options: object = {}, more: Parameters<typeof tell>[2] = {}) =>
  tell(command, { argv: ['bash', '-c', script], ...options }, more);

test('the notice is on stdin as JSON and in variables, and the program need not say anything', async () => {
  const dir = folder();
  await told(
    `cat > ${dir}/in; printf '%s|' "$MENDLOOP_NOTICE_REASON" "$MENDLOOP_NOTICE_STAGE" "$MENDLOOP_NOTICE_TITLE" "$MENDLOOP_NOTICE_TEXT" > ${dir}/env`,
  );
  assert.equal(JSON.parse(readFileSync(join(dir, 'in'), 'utf8')), NOTICE);
  assert.is(readFileSync(join(dir, 'env'), 'utf8'), `hand_over|talos|${NOTICE.title}|${NOTICE.text}|`);
});

test('a change that waits for a word is there with its token, as JSON and in variables', async () => {
  const dir = folder();
  const names = ['CASE', 'REASONS', 'DIFF', 'TOKEN'].map((name) => `"$MENDLOOP_NOTICE_ASK_${name}"`).join(' ');
  await told(`cat > ${dir}/in; printf '%s|' ${names} > ${dir}/env`, {}, { notice: { ask: ASK } });
  assert.equal(JSON.parse(readFileSync(join(dir, 'in'), 'utf8')).ask, ASK);
  const said = `apps-1|changes 2 to 3; it is a number|${ASK.diff}|${ASK.token}|`;
  assert.is(readFileSync(join(dir, 'env'), 'utf8'), said);
});

test('no text of a notice is run or breaks the hand-over, whatever it holds', async () => {
  const dir = folder();
  const text = `$(touch ${dir}/evil) \`touch ${dir}/evil\`; touch ${dir}/evil\0 ${'x'.repeat(200_000)}`;
  await told(
    `cat > ${dir}/in; [ "\${#MENDLOOP_NOTICE_TEXT}" -gt 30000 ]`,
    {},
    { notice: { text, title: '-n --help' } },
  );
  assert.not.ok(existsSync(join(dir, 'evil')));
  assert.is(JSON.parse(readFileSync(join(dir, 'in'), 'utf8')).title, '-n --help');
});

test('it sees the notice, PATH, HOME, LANG and what the owner lists, and nothing else', async () => {
  const dir = folder();
  setEnv({ MENDLOOP_TEST_SECRET: 'secret', MENDLOOP_TEST_KEY: 'key', LANG: 'C' });
  const names = `env | cut -d= -f1 | grep -v -e ^_ -e ^PWD -e ^SHLVL -e ^OLDPWD -e ^MENDLOOP_NOTICE | sort | xargs > ${dir}/names`;
  await told(names, { env: ['MENDLOOP_TEST_KEY'] }, { notice: { text: 'one line' } });
  assert.is(readFileSync(join(dir, 'names'), 'utf8'), 'HOME LANG MENDLOOP_TEST_KEY PATH\n');
});

test('a program that fails is run three times; one that is not there, once', async () => {
  const dir = folder();
  await told(`echo x >> ${dir}/runs; [ $(wc -l < ${dir}/runs) -eq 3 ]`);
  assert.is(readFileSync(join(dir, 'runs'), 'utf8'), 'x\nx\nx\n');
  assert.is(
    await thrownBy(told('echo "no route" >&2; exit 4')),
    'bash ended with exit code 4: no route (tried 3 times)',
  );
  assert.is(await thrownBy(tell(command, { argv: ['no-such'] })), 'no-such cannot be started: ENOENT');
});

test('it ends within its time and with the signal', async () => {
  const began = performance.now();
  assert.match(await thrownBy(told('sleep 60', { timeout: '300ms' })), /^bash did not end within 0\.\d+ s$/);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 200);
  assert.is(await thrownBy(told('sleep 60', {}, { signal: stop.signal })), 'it was stopped');
  assert.ok(performance.now() - began < 5000);
});

test.run();
