import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import command from '../../plugins/escalations/command.ts';
import { CASE_REMINDER, CASE_TASK } from '../../src/model.ts';
import { folder, setEnv, write } from '../environment.ts';
import { load } from '../plugin/plugin-folder.ts';
import { type AskOptions, askedAbout, CASE } from './ask-about-case.ts';
import { DIFF, thrownBy } from './ask-ollama.ts';

const asked = (script: string, given: AskOptions = {}) =>
  askedAbout(command, { ...given, options: { argv: ['bash', '-c', script], ...given.options } });

test('the case goes to stdin behind the task, and stdout is the answer', async () => {
  const dir = folder();
  write(dir, { answer: DIFF });
  const { reply, said, tokens } = await asked(`cat > ${dir}/case; cat ${dir}/answer`);
  assert.equal(reply, { answer: DIFF });
  assert.equal(said, [`asks bash about ${CASE.name}`]);
  assert.is(readFileSync(join(dir, 'case'), 'utf8'), `${CASE_TASK}\n${CASE.text.trimEnd()}\n\n${CASE_REMINDER}\n`);
  assert.ok(tokens > 300, String(tokens));
});

test('diagnostics and a hand-over are read as they are from a hosted model', async () => {
  const diagnostics = [['talosctl', 'health']];
  assert.equal((await asked(`echo '${JSON.stringify({ diagnostics })}'`)).reply, { diagnostics });
  const { reply } = await asked(`printf 'I looked.\\n\\n{"hand_over": "buy a disk"}\\n'`);
  assert.equal(reply, { hand_over: 'buy a disk' });
});

test('an answer that is none is told as such; run again by another call, the program is shown it', async () => {
  const dir = folder();
  write(dir, { answer: DIFF });
  const subject = { ...CASE, name: 'unreadable-by-command' };
  const why = 'it is neither a change of files nor one JSON object with diagnostics or hand_over';
  const first = await asked('echo Hm.', { case: subject });
  assert.equal([first.reply, first.said.length], [{ unreadable: why }, 1]);
  const refused = [{ code: 'unreadable' as const, reasons: [why] }];
  const { reply } = await asked(`cat > ${dir}/in; cat ${dir}/answer`, { case: subject, refused });
  assert.equal(reply, { answer: DIFF });
  assert.match(
    readFileSync(join(dir, 'in'), 'utf8'),
    `# Your answer before\n\nHm.\n\nYour answer cannot be used: ${why}.`,
  );
});

test('why its change was not taken is told with the change', async () => {
  const dir = folder();
  write(dir, { answer: DIFF });
  const subject = { ...CASE, name: 'refined-by-command' };
  const run = `cat > ${dir}/in; cat ${dir}/answer`;
  await asked(run, { case: subject });
  await asked(run, { case: subject, refused: [{ code: 'destroys', reasons: ['line 3 removes it'] }] });
  const told = readFileSync(join(dir, 'in'), 'utf8');
  assert.match(told, `# Your answer before\n\n${DIFF.trimEnd()}\n\nYour change was not taken: `);
  assert.match(told, '\n  line 3 removes it\n');
});

test('it sees PATH, HOME, LANG and what the owner lists, and nothing else', async () => {
  setEnv({ MENDLOOP_TEST_SECRET: 'secret', MENDLOOP_TEST_KEY: 'key', LANG: 'C' });
  const names = 'env | cut -d= -f1 | grep -v -e ^_ -e ^PWD -e ^SHLVL -e ^OLDPWD | sort | xargs';
  const run = `echo "{\\"hand_over\\": \\"$(${names})\\"}"`;
  assert.equal((await asked(run)).reply, { hand_over: 'HOME LANG PATH' });
  const { reply } = await asked(run, { options: { env: ['MENDLOOP_TEST_KEY'] } });
  assert.equal(reply, { hand_over: 'HOME LANG MENDLOOP_TEST_KEY PATH' });
});

test('a program that fails, says nothing, is late, is stopped or is missing throws one line', async () => {
  assert.is(await thrownBy(asked('echo "not logged in" >&2; exit 1')), 'bash ended with exit code 1: not logged in');
  assert.is(await thrownBy(asked('true')), 'bash said nothing');
  assert.is(await thrownBy(asked('sleep 60', { options: { timeout: '100ms' } })), 'bash did not end within 0.1 s');
  assert.is(await thrownBy(asked('', { options: { argv: ['no-such'] } })), 'no-such cannot be started: ENOENT');
  const dir = folder();
  const stop = new AbortController();
  const stopped = thrownBy(asked(`touch ${dir}/on; sleep 60`, { signal: stop.signal }));
  for (let i = 0; i < 1000 && !existsSync(join(dir, 'on')); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  assert.is(await stopped, 'it was stopped');
});

test('it stands beside the executor of the same name, and its settings are checked', async () => {
  const yaml = 'escalations: [command, case-file]\nplugins: { command: { argv: [codex, exec, "-"], timeout: 8m } }';
  const { escalations } = await load(yaml, {});
  assert.equal(
    escalations.map(({ name }) => name),
    ['command', 'case-file'],
  );
  assert.equal(await load('escalations: [command]', {}).catch((error) => error.problems), [
    'command: plugins.command.argv: missing; expected a list',
  ]);
});

test.run();
