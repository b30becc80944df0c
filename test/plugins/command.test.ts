import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import command from '../../plugins/executors/command.ts';
import { formatRule } from '../../src/outbound/answer-format.ts';
import type { Proposal, RefusedRound } from '../../src/plugin/contract.ts';
import { folder, setEnv, write } from '../environment.ts';
import { fixFacts, load } from '../plugin/plugin-folder.ts';
import { DIFF, PATH, promptOf, TEXT, thrownBy } from './ask-ollama.ts';

interface AskOptions {
  options?: Record<string, unknown>;
  refused?: RefusedRound[];
  prompt?: string;
  signal?: AbortSignal;
}

const PROMPT = promptOf({ [PATH]: TEXT });

async function asked(
  script: string,
  { options = {}, refused = [], prompt = PROMPT, signal }: AskOptions = {},
): Promise<Proposal> {
  const context = {
    ...fixFacts({ refused }),
    ...{ say() {}, progress() {}, used() {}, mask: (text: string) => text },
    timeLeft: () => Number.POSITIVE_INFINITY,
    ...{ prompt, signal: signal ?? new AbortController().signal },
    options: (command.options as z.ZodType).parse({ argv: ['bash', '-c', script], ...options }),
  };
  return (await command.propose?.(context as never)) as Proposal;
}

test('the prompt goes to stdin, asking for a diff, and stdout is the answer', async () => {
  const dir = folder();
  write(dir, { answer: DIFF });
  assert.equal(await asked(`cat > ${join(dir, 'prompt')}; cat ${join(dir, 'answer')}`), { answer: DIFF });
  const sent = readFileSync(join(dir, 'prompt'), 'utf8');
  assert.is(sent, PROMPT);
  assert.ok(sent.endsWith(formatRule('diff')));
  await asked(`cat > ${join(dir, 'prompt')}; cat ${join(dir, 'answer')}`, {
    refused: [{ code: 'destroys', reasons: ['line 3 removes it'] }],
  });
  const again = readFileSync(join(dir, 'prompt'), 'utf8');
  assert.ok(again.startsWith(PROMPT));
  assert.match(again, 'Your answer was not taken: an added command destroys data.\n  line 3 removes it\n');
});

test('it sees PATH, HOME, LANG and what the owner lists, and nothing else', async () => {
  setEnv({ MENDLOOP_TEST_SECRET: 'secret', MENDLOOP_TEST_KEY: 'key', LANG: 'C' });
  const script = 'echo "+++ $(env | cut -d= -f1 | grep -v -e ^_ -e ^PWD -e ^SHLVL -e ^OLDPWD | sort | xargs)"';
  const plain = (await asked(script)) as { answer: string };
  assert.is(plain.answer, '+++ HOME LANG PATH\n');
  const listed = (await asked(script, { options: { env: ['MENDLOOP_TEST_KEY', 'MENDLOOP_TEST_UNSET'] } })) as {
    answer: string;
  };
  assert.is(listed.answer, '+++ HOME LANG MENDLOOP_TEST_KEY PATH\n');
});

test('a program that proposes no change is a pass', async () => {
  assert.equal(await asked('echo "The host is off."'), { pass: 'bash proposes no change: The host is off.' });
});

test('a program that fails, is late, is stopped or is missing throws one line', async () => {
  assert.is(await thrownBy(asked('echo "not logged in" >&2; exit 1')), 'bash ended with exit code 1: not logged in');
  assert.is(await thrownBy(asked('sleep 60', { options: { timeout: '100ms' } })), 'bash did not end within 0.1 s');
  assert.is(
    await thrownBy(asked('', { options: { argv: ['no-such-program'] } })),
    'no-such-program cannot be started: ENOENT',
  );
  assert.is(await thrownBy(asked('cat', { prompt: '' })), 'it was given no prompt to send');
  const dir = folder();
  const stop = new AbortController();
  const stopped = thrownBy(asked(`touch ${join(dir, 'on')}; sleep 60`, { signal: stop.signal }));
  for (let i = 0; i < 1000 && !existsSync(join(dir, 'on')); i++) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  assert.is(await stopped, 'it was stopped');
});

test('its settings are checked, and it stands behind the known fixes', async () => {
  const shipped = { executors: ['command', 'known-fixes'], escalations: [], notifiers: [], backends: ['local'] };
  const builtIns = new Map([['executors/command', () => import('../../plugins/executors/command.ts')]]);
  builtIns.set('executors/known-fixes', () => import('../../plugins/executors/known-fixes.ts') as never);
  const loaded = (yaml: string) => load(yaml, {}, { shipped, builtIns });
  const none = await loaded('executors: [command]').catch((error) => error.problems.join('\n'));
  assert.match(none, 'plugins.command.argv');
  const { executors } = await loaded(
    'executors: [known-fixes, command]\nplugins: { command: { argv: [codex, exec, "-"], timeout: 4m } }',
  );
  assert.equal(
    executors.map(({ name }) => name),
    ['known-fixes', 'command'],
  );
});

test.run();
