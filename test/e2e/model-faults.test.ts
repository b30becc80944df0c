// A host of models that does not do its part, through the real entry: no try is spent, nothing is changed, and the question
// is kept for a person.
import { existsSync, statSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServedReply } from '../../src/testing/ollama-server.ts';
import { allText, dataOf, type Lab, type LabOptions, modelLab, type Ran, saying, stageOn } from './model-lab.ts';
import { folder, write } from './scenario.ts';

/** Stages of their own files, each failing in its own way; one that fails does not keep the others from running. */
function severalStages(names: readonly string[]): Pick<LabOptions, 'stages' | 'files'> {
  const file = (name: string) => `conf/${name}.txt`;
  return {
    stages: Object.fromEntries(names.map((name) => [name, stageOn(file(name), { on_failure: 'skip' })])),
    files: Object.fromEntries(names.map((name) => [file(name), `bad-${name}\nsecond\n`])),
  };
}

/** What holds for every fault: failed, exit 1, no try, nothing changed, nobody else bothered, the question kept. */
function assertNobodyAsked(
  lab: Lab,
  done: Ran,
  stages: readonly string[],
  reasons: readonly (string | RegExp)[],
): void {
  assert.is(done.exit, 1, done.said);
  const { day, entries } = lab.ledger();
  assert.equal([day.tries, Object.values(entries).map((entry) => entry.executor_tries)], [0, stages.map(() => 0)]);
  assert.equal(lab.subjects(), []);
  assert.not(existsSync(lab.path('ai/escalations')), 'nothing is escalated');
  assert.not.match(JSON.stringify(done.decided), /escalation|give_up/);
  const failed = dataOf(done, 'plugin.failed', 'reason').map(String);
  assert.is(failed.length, stages.length, failed.join('\n'));
  for (const [i, reason] of reasons.entries()) assert.match(failed[i] as string, reason);
  const saved = dataOf(done, 'prompt.saved', 'path').map(String);
  assert.is(new Set(saved).size, stages.length, 'one question each');
  for (const [i, stage] of stages.entries()) {
    assert.is(lab.stages()[stage]?.status, 'failed');
    const path = saved[i] as string;
    assert.match(path, /^ai\/logs\/executor\//);
    assert.match(lab.read(path), `The stage ${stage} failed.`);
    assert.is(statSync(lab.path(path)).mode & 0o077, 0, 'for the owner alone');
    assert.ok(done.said.includes(path), `${path} is printed\n${done.said}`);
    assert.ok(done.said.includes(failed[i] as string), `${failed[i]} is printed`);
  }
}

const HTML = `<html>\n<head><title>502 Bad Gateway</title></head>\n<body>\n${'<p>nginx is sorry</p>\n'.repeat(90)}</body>\n</html>`;
const MEGABYTE = () => Array.from({ length: 16_000 }, () => `key_${Math.random()}: ${Math.random()}\n`).join('');

/** By three: after that many failures a host is not asked again in the same run. */
const BY_THREE: Record<string, [ServedReply, string | RegExp][]> = {
  'a stream that breaks off, ends early, or holds an error': [
    [{ text: 'conf/a.txt', end: 'disconnect' }, 'broke off in the middle of its answer'],
    [{ text: saying('good'), end: 'cut' }, 'the stream ended before the answer was complete'],
    [{ text: 'x', end: 'error', error: 'out of memory' }, 'failed in the middle of its answer: out of memory'],
  ],
  'a model that is gone, a host that is busy, a request that is refused': [
    [
      { status: 404, error: 'model "qwen2.5-coder:7b" not found, try pulling it first' },
      /answered 404: model .* not found/,
    ],
    [{ status: 503, error: 'server busy, please try again' }, 'answered 503: server busy, please try again'],
    [{ status: 400, error: 'invalid options: num_ctx' }, 'answered 400: invalid options: num_ctx'],
  ],
  'a page instead of an answer, and a prompt that was cut without a word': [
    [{ status: 502, error: HTML, contentType: 'text/html' }, /answered 502/],
    [{ chunks: [], raw: `${HTML}\n` }, 'the stream has a line that is not JSON'],
    [{ text: saying('good'), truncatesTo: 100 }, /cut the prompt: qwen2\.5-coder:7b read 100 of about \d+ tokens/],
  ],
  'silence in the middle, fifty megabytes, and an error without words': [
    [{ text: 'conf', end: 'hang' }, 'did not answer within 2 s'],
    [{ chunks: Array.from({ length: 50 }, MEGABYTE) }, /wrote more than the \d+ tokens that it was asked for/],
    [{ status: 500, error: '', contentType: 'text/plain' }, /answered 500/],
  ],
};

for (const [what, replies] of Object.entries(BY_THREE)) {
  test(`${what}: no try is spent and the question is kept`, async () => {
    const stages = ['one', 'two', 'three'];
    const lab = await modelLab({
      ...severalStages(stages),
      loop: { escalations: undefined, plugins: { ollama: { timeout: '2s' } } },
    });
    lab.answers(...replies.map(([reply]) => reply));
    const began = performance.now();
    const done = await lab.mend();
    assertNobodyAsked(
      lab,
      done,
      stages,
      replies.map(([, reason]) => reason),
    );
    assert.is(lab.server.chats.length, 3, 'each was asked once');
    for (const reason of dataOf(done, 'plugin.failed', 'reason').map(String)) {
      assert.ok(!reason.includes('\n') && reason.length <= 400, `one line that can be read: ${reason}`);
    }
    assert.ok(performance.now() - began < 20_000);
  });
}

test('what was heard before a fault is counted as used', async () => {
  const lab = await modelLab();
  lab.answers({ text: 'conf/a.txt\n```\ngood\n', end: 'cut' });
  await lab.mend();
  assert.ok(lab.ledger().day.tokens > 100, JSON.stringify(lab.ledger().day));
  // The host is back: the same failure is mended, and the first of its three tries is still there.
  lab.answers(saying('good'));
  const next = await lab.mend();
  assert.equal([next.exit, lab.inTree()], [0, 'good\nsecond\n'], next.said);
  const [decision] = next.events.filter(({ type }) => type === 'failure.decided');
  assert.match(String(decision?.data.reason), 'first of 3 tries');
});

test('a model that repeats itself without end is stopped, asked once more, and passed over: a try', async () => {
  const lab = await modelLab({ loop: { limits: { executor_tries: 1 } } });
  lab.answers({ chunks: Array(200_000).fill('and so on ') });
  const began = performance.now();
  const done = await lab.mend();
  assert.ok(performance.now() - began < 15_000);
  assert.equal([done.exit, lab.server.chats.length, lab.subjects()], [3, 2, []], done.said);
  assert.ok(
    lab.server.chats.every(({ aborted }) => aborted),
    'neither was heard to its end',
  );
  assert.match(done.said, 'the model said the same over and over');
});

test('the first executor is down: the second is asked and mends', async () => {
  const at = folder();
  const answer = `cat > "${at}/prompt"; printf '%s\\n' '--- a/conf/a.txt' '+++ b/conf/a.txt' '@@ -1,2 +1,2 @@' '-bad' '+good' ' second' 'Fix: Say good' 'Reason: bash knows'`;
  write(at, { 'answer.sh': `#!/usr/bin/env bash\n${answer}\n` });
  const lab = await modelLab({
    loop: { executors: ['known-fixes', 'ollama', 'command'], plugins: { command: { argv: [`${at}/answer.sh`] } } },
  });
  const done = await lab.mend([], { env: { OLLAMA_HOST: 'http://127.0.0.1:1' } });
  assert.equal([done.exit, lab.inTree()], [0, 'good\nsecond\n'], done.said);
  assert.equal(done.trail, ['plugin.failed', 'fix.intended', 'fix.committed', 'fix.judged kept']);
  assert.equal(dataOf(done, 'fix.committed', 'plugin'), ['command']);
  assert.is(lab.server.requests.length, 0);
  assert.not.match(allText(lab, 'ai/logs/executor'), 'nobody could be asked');
});

test.run();
