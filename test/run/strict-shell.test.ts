// Texts run by a shell that stops at the first part that fails.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { homelab, type Ran, run } from './homelab.ts';

const reasonOf = ({ events }: Ran, step = 'a') =>
  events.flatMap((e) => (e.type === 'step.failed' && e.step === step ? [e.data.reason] : [])).at(-1);
const exitOf = async (stage: object) => {
  const ran = await run(homelab({ a: { verify: ['true'], ...stage } }), { ai: false });
  return [ran.exit, reasonOf(ran)];
};

test('any part of a command that fails ends it, also in a pipe; a list has no shell', async () => {
  assert.equal(await exitOf({ command: 'false; true' }), [1, 'exit code 1']);
  assert.equal(await exitOf({ command: 'true\nfalse\ntrue' }), [1, 'exit code 1']);
  assert.equal(await exitOf({ command: '(exit 4) | cat' }), [1, 'exit code 4']);
  assert.equal(await exitOf({ command: 'false || true; if false; then true; fi' }), [0, undefined]);
  assert.equal(await exitOf({ command: ['sh', '-c', 'false; true'] }), [0, undefined]);
});

test('a check ends at its first failing part, but a pipe into grep -q holds', async () => {
  assert.equal(await exitOf({ command: 'true', verify: ['false; true'] }), [1, 'verify: false; true: exit code 1']);
  assert.equal(await exitOf({ command: 'true', verify: ['yes | grep -q y'] }), [0, undefined]);
});

test('exit code 141 of a text with a pipe is told as what it is', async () => {
  const why = 'exit code 141: the reader of a pipe (head, grep -q) ended before its writer, and pipefail counts that';
  assert.equal(await exitOf({ command: 'yes | head -n 1' }), [1, why]);
  assert.equal(await exitOf({ command: 'exit 141' }), [1, 'exit code 141']);
});

test.run();
