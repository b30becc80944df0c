// The plugin as the loop sees it: loaded by its name, asked through its hook, its answers within the schema.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REPAIRS } from '../../plugins/executors/known-fixes/repairs.ts';
import { callHook } from '../../src/plugin/call.ts';
import type { FixFacts } from '../../src/plugin/contract.ts';
import { loadPlugins } from '../../src/plugin/load.ts';
import { factsOf, HEAD, RUN, type Told } from './facts.ts';

const loop = { executors: ['known-fixes'], escalations: [], notifiers: [], backend: 'local', plugins: {} };
const { executors } = await loadPlugins({ loop, own: undefined });
const [plugin] = executors;

/** What the loop gets from the plugin. */
async function answer(told: Told, more: Partial<FixFacts> = {}) {
  assert.ok(plugin);
  const given = { ...factsOf(told), tries: [], refused: [], limits: { files: 1, changed_lines: 100 }, ...more };
  const called = await callHook(plugin, 'propose', given as unknown as FixFacts);
  return 'failed' in called ? called.failed : called.answer;
}

const DOS = HEAD.replaceAll('\n', '\r\n');
const said = `${RUN}: line 2: $'\\r': command not found`;

test('proposes whole texts with a note of one sentence each', async () => {
  assert.equal(await answer({ files: { [RUN]: DOS }, said }), {
    files: { [RUN]: HEAD },
    note: {
      fix: `Give ${RUN} Unix line ends`,
      reason: 'The shell takes the carriage return at the end of its lines for a part of the commands',
    },
  });
});

test('proposes a script to be made executable', async () => {
  const denied = { files: { [RUN]: HEAD }, said: `bash: line 1: ${RUN}: Permission denied` };
  const { files, executable } = (await answer(denied)) as unknown as { files: object; executable: string[] };
  assert.equal({ files, executable }, { files: {}, executable: [RUN] });
});

test('passes when nothing is certain, and when its proposal was refused', async () => {
  assert.equal(await answer({ files: { [RUN]: HEAD }, said: 'error: no' }), {
    pass: 'none of the faults it knows is certain here',
  });
  const refused = [{ code: 'protected' as const, reasons: ['no'] }];
  assert.equal(await answer({ files: { [RUN]: DOS }, said }, { refused }), { pass: 'its only proposal was refused' });
});

test('every repair has a name of its own', () => {
  assert.is(new Set(Object.values(REPAIRS)).size, Object.keys(REPAIRS).length);
  for (const name of Object.keys(REPAIRS)) assert.match(name, /^[a-z-]+$/);
});

test.run();
