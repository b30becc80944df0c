// Green is not for ever: what makes a stage run again, and what does not.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, folder, type Scenario, scenario, write } from './scenario.ts';

/** step and how it went, for the latest run. */
const steps = (s: Scenario) =>
  s.events().flatMap((e) => (/^step\.(fresh|done|drift)$/.test(e.type) ? [`${e.step} ${e.type.slice(5)}`] : []));

test('a green stage is only checked again; drift, changed inputs and always make it run', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      conf: {
        command: './conf.sh',
        files: ['conf/'],
        verify: [{ nonempty: 'out:conf' }],
        outputs: { conf: 'conf' },
      },
      user: { command: 'cat "$MENDLOOP_OUTPUTS/conf/conf"', needs: ['conf'], verify: ['test -e ../../world'] },
      beat: { command: 'true', always: true },
    }),
    'conf.sh': '#!/bin/sh\ncat conf/* > "$MENDLOOP_OUT/conf"\n',
    'conf/a': '1\n',
  });
  s.write({ world: '' });
  assert.is((await s.run()).exit, 0);
  assert.equal(steps(s), ['conf done', 'user done', 'beat done']);
  const again = await s.run();
  assert.is(
    s.plain(again.stdout),
    `run <run> begins: conf → user → beat
note: not committed, so not included: world
conf  green        still holds
user  green        still holds
beat  started
beat  green        <n> s  (no checks)
green: 3 stages  <n> s
`,
  );
  assert.is(s.events().filter((e) => e.type === 'stage.green').length, 1, 'what stays green does not turn green');

  rmSync(s.path('world'));
  assert.is((await s.run(['--no-recheck'])).exit, 0, 'without looking there is no drift');
  assert.equal(steps(s), ['conf fresh', 'user fresh', 'beat done']);
  const drift = await s.run();
  assert.match(s.plain(drift.stdout), /^user {2}drifted {6}test -e \.\.\/\.\.\/world: exit code 1$/m);
  assert.is(drift.exit, 1, 'it was tried, and still does not hold');
  s.write({ world: '' });
  assert.is((await s.run()).exit, 0);

  s.commit({ 'conf/a': '2\n' });
  const plan = await s.run(['plan']);
  assert.match(plan.stdout, /^conf {2}TODO {2}its files changed$/m);
  assert.match(plan.stdout, /^user {2}TODO {2}green, but conf may publish something new$/m);
  assert.match(plan.stdout, /^beat {2}TODO {2}always runs$/m);
  assert.is((await s.run()).exit, 0);
  assert.equal(steps(s), ['conf done', 'user done', 'beat done'], 'what needs a changed output runs, too');
  assert.is((await s.run(['logs', 'user'])).stdout.split('\n')[0], '2');
});

test('a failed stage is tried again by the next run; with retry_failed off only by a person', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: 'test -e ../../mended', b: { command: 'true', needs: ['a'] } }),
    'ai/loop.yaml': 'retry_failed: false\nescalations: []\n',
  });
  assert.is((await s.run()).exit, 3, 'no fix may change a file of it: it takes a person');
  s.write({ mended: '' });
  const refused = await s.run(['--quiet']);
  assert.is(refused.stdout, '');
  assert.is(
    s.plain(refused.stderr),
    `error E_FOUND_FAILED: stages were found failed, and are not tried again by themselves (retry_failed, limits.max_compute_retries)
  - a: exit code 1
  next:  mend them, then: mendloop retry a
`,
  );
  assert.is(refused.exit, 3);
  assert.is((await s.run(['retry', 'a'])).exit, 0);
  assert.is((await s.run()).exit, 0);
  assert.equal(steps(s), ['a fresh', 'b done']);
});

test('a check again that kill -9 ends leaves its stage green: the next start looks again, and runs nothing', async () => {
  const pid = `"$(grep -oE '"pid": *[0-9]+' "$MENDLOOP_HOME/ai/state/lock.json" | grep -oE '[0-9]+')"`;
  const verify = [`test ! -e "$SIDE/kill" || { rm "$SIDE/kill"; kill -9 ${pid}; sleep 5; }`];
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: { command: 'true', verify }, b: 'true' }) });
  const side = folder();
  const env = { SIDE: side };
  assert.is((await s.run([], { env })).exit, 0);
  const before = s.stages();
  write(side, { kill: '' });
  assert.is((await s.run([], { env, alone: true })).exit, null, 'ended while it checked');
  assert.not(existsSync(join(side, 'kill')));
  assert.equal(s.stages(), before);
  assert.match((await s.run(['status'])).stdout, /^a +green/m);
  const after = await s.run([], { env });
  assert.is(after.exit, 0, after.stdout + after.stderr);
  assert.match(after.stdout, /^a +green +still holds$/m);
  for (const run of s.runs().slice(1)) {
    const types = s.events(run).map(({ type }) => type);
    assert.not(types.includes('attempt.started'), `${run} ran a stage`);
  }
  assert.equal([s.stages().a?.status, s.stages().a?.attempts], ['green', before.a?.attempts]);
});

test.run();
