// Texts run by a shell that stops at the first part that fails, and what a home of 0.1.0 is told about it.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { homelab, journalIn, type Ran, run } from './homelab.ts';

const reasonOf = ({ events }: Ran, step = 'a') =>
  events.flatMap((e) => (e.type === 'step.failed' && e.step === step ? [e.data.reason] : [])).at(-1);
const notices = ({ events }: Ran) => events.flatMap((e) => (e.type === 'notice' ? [String(e.data.text)] : []));
const exitOf = async (stage: object) => {
  const ran = await run(homelab({ a: { verify: ['true'], ...stage } }), { ai: false });
  return [ran.exit, reasonOf(ran)];
};

/** Makes a home look as if 0.1.0 had written its state. */
function aged(home: string, id: string): void {
  const layout = layoutOf(home);
  const lines = journalIn(home, id).map((event) => {
    const { strict_shell: _, inputs, ...data } = event.data as Record<string, unknown> & { inputs?: object };
    const { carried: __, worktree: ___, ...old } = (inputs ?? {}) as Record<string, unknown>;
    return JSON.stringify({ ...event, data: { ...data, ...(inputs ? { inputs: old } : {}) } });
  });
  writeFileSync(layout.journal(id), `${lines.join('\n')}\n`);
  rmSync(layout.stages);
}

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

test('the first run after 0.1.0 names the commands that are stricter now, once; a new home hears nothing', async () => {
  const home = homelab({ a: { command: 'true | true', verify: ['true; true'] }, b: { command: 'true' } });
  const first = await run(home);
  assert.equal(notices(first), []);
  aged(home, first.run);
  const text =
    'since 0.1.0 a text runs under bash -e, and a command with pipefail: any part that fails ends these: stages.a.command, stages.a.verify[0] (mendloop validate)';
  assert.equal(
    notices(await run(home)).filter((n) => n.includes('bash')),
    [text],
  );
  assert.equal(
    notices(await run(home)).filter((n) => n.includes('bash')),
    [],
  );
});

test('a failure of what 0.1.0 had green says so, in its first line and in the prompt', async () => {
  const a = {
    command: 'cat conf/a.txt; test -e "$MENDLOOP_HOME/ok"; echo done',
    verify: ['test -e "$MENDLOOP_HOME/ok"'],
  };
  // Nobody listens there: the prompt is kept for the person.
  const loop = { executors: ['ollama'], plugins: { ollama: { host: 'http://127.0.0.1:9', model: 'none' } } };
  const home = homelab({ a: { ...a, files: ['conf/a.txt'] } }, loop, { 'conf/a.txt': 'x\n' });
  writeFileSync(join(home, 'ok'), '');
  const first = await run(home);
  assert.is(first.exit, 0);
  aged(home, first.run);
  rmSync(join(home, 'ok'));
  const why = '0.1.0 had this green: any part that fails ends it now, not only the last (several commands)';
  const ran = await run(home);
  assert.match(String(reasonOf(ran)), why);
  const folder = join(home, 'ai/logs/executor');
  const prompt = readdirSync(folder).find((name) => name.endsWith('prompt.md')) as string;
  assert.match(readFileSync(join(folder, prompt), 'utf8'), why);
});

test.run();
