// Old runs are forgotten; what is still referred to is not, and the state can be made again from what is left.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, namesIn, scenario } from './scenario.ts';

const STAGES = { once: 'true', often: { command: 'true', always: true, verify: ['true'] } };

test('gc removes runs with their logs, but not what stages refer to; a lost state is made again from the rest', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap(STAGES) });
  for (let i = 0; i < 14; i++) assert.is((await s.run()).exit, 0);
  const [first, second] = s.runs();
  const log = (run: string | undefined) => s.path(`ai/logs/often/${run}-1.log`);
  const would = await s.run(['gc', '--keep-runs', '1', '--dry-run']);
  assert.match(would.stdout, /^would remove 3 runs with \d+ files, /);
  assert.is(s.runs().length, 14, 'a dry run removes nothing');
  const done = await s.run(['gc', '--keep-runs', '1']);
  assert.match(done.stdout, /^removed 3 runs with /);
  assert.is(s.runs().length, 11, 'the last ten, and the run that made the stage green that never ran again');
  assert.is(s.runs()[0], first);
  assert.equal([existsSync(log(first)), existsSync(log(second))], [true, false]);
  const before = JSON.parse(readFileSync(s.path('ai/state/stages.json'), 'utf8')).stages.once.since;
  rmSync(s.path('ai/state/stages.json'));
  assert.is((await s.run(['status'])).exit, 0);
  assert.is((await s.run()).exit, 0);
  assert.is(JSON.parse(readFileSync(s.path('ai/state/stages.json'), 'utf8')).stages.once.since, before);
  assert.equal(namesIn(s.path('ai/state/runs')).length, 12);
  const unasked = await s.run(['gc']);
  assert.equal(
    [unasked.exit, unasked.stderr.split('\n')[0]],
    [2, 'error E_USAGE: nothing says what may go: ai/loop.yaml has no retention'],
  );
});

test('with retention a run forgets at its end, and says so', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: { command: 'true', always: true } }) });
  for (let i = 0; i < 12; i++) assert.is((await s.run()).exit, 0);
  s.commit({ 'ai/loop.yaml': 'retention: {keep_runs: 5}\n' });
  const done = await s.run();
  assert.match(done.stdout, /note: \d old runs? forgotten, as retention in ai\/loop\.yaml says/);
  assert.is(s.runs().length, 10);
});

test.run();
