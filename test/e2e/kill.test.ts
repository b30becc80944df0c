// kill -9 at random moments: whatever the moment, the next start goes on, and no stage ever runs beside what is left of itself.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cases, SEED } from '../sweep.ts';
import { allGone, contextMap, folder, scenario } from './scenario.ts';

const KILLS = cases(7, 60);
const STAGES = ['a', 'b', 'stubborn', 'c', 'd', 'e'];

// The grandchild inherits the lock: a retry that begins while it lives finds the lock taken.
const WORK = `#!/usr/bin/env bash
say() { echo "$1 $MENDLOOP_RUN $MENDLOOP_STAGE $MENDLOOP_ATTEMPT" >> "$SIDE/trace"; }
exec 9>> "$SIDE/lock"
flock -n 9 || { say OVERLAP; exit 1; }
say start
if [ "$MENDLOOP_STAGE" = stubborn ]; then (trap '' TERM; sleep 1) & fi
sleep 0.2
say end
`;

/** Numbers from 0 to 1 that `seed` decides (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

test('killed again and again at random moments, the work is done once, by one at a time, and recorded', async () => {
  const next = random(SEED);
  const side = folder();
  writeFileSync(`${side}/trace`, '');
  const verify = ['flock -n "$SIDE/lock" sleep 0.1'];
  const stages = STAGES.map((name, i) => [name, { command: './work.sh', verify, needs: STAGES.slice(0, i).slice(-1) }]);
  const s = scenario({ 'ai/context_map.yaml': contextMap(Object.fromEntries(stages)), 'work.sh': WORK });
  const options = { env: { SIDE: side } };
  const over = () => s.runs().length > 0 && s.events().at(-1)?.type === 'run.ended';

  for (let kills = 0; kills < KILLS; ) {
    const run = s.start([], options);
    const ended = await Promise.race([run.done, sleep(100 + next() * 2400)]);
    if (ended) assert.is(ended.exit, 0, ended.stdout + ended.stderr);
    else {
      run.kill('SIGKILL');
      await run.done;
      kills++;
    }
    if (over()) assert.is((await s.run(['reset', ...STAGES])).exit, 0);
  }
  const last = await s.run([], options);
  assert.is(last.exit, 0, last.stdout + last.stderr);

  const trace = readFileSync(`${side}/trace`, 'utf8').trim().split('\n');
  assert.equal(
    trace.filter((line) => line.startsWith('OVERLAP')),
    [],
  );
  const started = trace.filter((line) => line.startsWith('start'));
  assert.is(new Set(started).size, started.length, 'an attempt number was given twice');
  await allGone();
  for (const run of s.runs()) {
    const types = s.events(run).map((e) => e.type);
    // Killed before it recorded anything: it never began.
    if (types.length === 0) continue;
    assert.is(types.filter((type) => type === 'run.ended').length, 1, `${run} has not exactly one end`);
    assert.is(types.at(-1), 'run.ended');
  }
  const greens = s.events().flatMap((e) => (e.type === 'stage.green' ? [e.stage] : []));
  assert.equal(greens, STAGES, 'each stage turned green exactly once in the last run');
  assert.equal(
    Object.entries(s.stages()).map(([name, { status }]) => `${name} ${status}`),
    STAGES.map((name) => `${name} green`),
  );
  assert.not(s.has('ai/state/lock.json'), 'the lock was left');
});

test.run();
