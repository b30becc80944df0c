// What a model may be told: everything it needs, and nothing secret; and what is kept of it for people.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseContextMap } from '../../src/config/parse.ts';
import { keepTry } from '../../src/mend/keep-try.ts';
import { outgoing } from '../../src/mend/outgoing.ts';
import { RedactionError } from '../../src/outbound/redact/secret.ts';
import { fixFacts } from '../plugin/plugin-folder.ts';
import { folder } from '../worktree/repository.ts';

/** Made at run time, so that no scanner takes it for a real one. */
const SECRET = ['hunter', 'two', 'is', 'long', 'enough', '77'].join('-');
const LOG = 'ai/logs/talos/r-1.log';

function scopeOf(home: string, carry: string) {
  const parsed = parseContextMap(`stages: { talos: { command: stages/talos/run.sh } }\ncarry: [${carry}]\n`, 'map');
  if (!parsed.ok) throw new Error('the map of this test is not sound');
  return { home, map: parsed.value, instructions: 'Mend it.', memo: '# Talos\nkept', patterns: [], env: {} };
}

function homeWith(files: Record<string, string>): string {
  const home = folder();
  mkdirSync(join(home, 'ai/logs/talos'), { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(home, path), text);
  return home;
}

test('log, files, error lines and earlier diffs reach the prompt with their secrets masked', async () => {
  const home = homeWith({ '.env': `API_TOKEN=${SECRET}\n`, [LOG]: `error: login with ${SECRET} failed\n` });
  const facts = fixFacts({
    files: ['stages/talos/run.sh'],
    read: async () => `curl -H "X: ${SECRET}" https://cp1\n`,
    tries: [{ plugin: 'x', outcome: 'no_effect', diff: `+curl ${SECRET}\n` }],
  });
  const { prompt, redactor } = await outgoing(
    { ...facts, failure: { ...facts.failure, log: LOG, error_lines: [`login with ${SECRET} failed`] } },
    'exit 1',
    scopeOf(home, '.env'),
  );
  assert.not.match(prompt, SECRET);
  assert.not.match(prompt, Buffer.from(SECRET).toString('base64').slice(0, 16));
  for (const part of [/login with SECRET_/, /curl -H "X: SECRET_/, /\+curl SECRET_/, /exit 1/])
    assert.match(prompt, part);
  const back = redactor.restore(prompt);
  assert.ok(back.ok && back.text.includes(SECRET), 'and only here it can be put back');
});

test('a carried file that cannot be understood means that nothing is told to anyone', async () => {
  const home = homeWith({ 'kubeconfig.yaml': 'a: [1, 2\nb: "\n', [LOG]: 'error\n' });
  try {
    await outgoing(fixFacts(), 'exit 1', scopeOf(home, 'kubeconfig.yaml'));
    assert.unreachable();
  } catch (error) {
    assert.instance(error, RedactionError);
  }
});

test('prompt, answer and verdict are kept masked, one file a round', async () => {
  const home = homeWith({ '.env': `API_TOKEN=${SECRET}\n`, [LOG]: 'error\n' });
  const { prompt, redactor } = await outgoing(fixFacts(), 'exit 1', scopeOf(home, '.env'));
  const keep = keepTry(home, { run: 'r', step: 'talos', attempt: 2 }, prompt, redactor);
  keep('ollama', 1, { answer: `use ${SECRET}` }, { ok: false, code: 'outside', reasons: [`no: ${SECRET}`] });
  const [name = ''] = readdirSync(join(home, 'ai/logs/executor'));
  assert.is(name, 'r-talos-2-ollama-1.md');
  const kept = readFileSync(join(home, 'ai/logs/executor', name), 'utf8');
  assert.not.match(kept, SECRET);
  for (const part of ['# Prompt', '# Answer', 'use SECRET_', '# Verdict', 'outside']) assert.match(kept, part);
});

test.run();
