import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import { fakeClock } from './builders.ts';
import { failuresIn, homelab, type Ran, reconfigure, run } from './homelab.ts';

const FAILS = { command: 'echo "Error: no such pool: tank"; exit 3' };

const one = (ran: Ran, type: LoopEvent['type']): Record<string, unknown> => {
  const found = ran.events.filter((e) => e.type === type);
  assert.is(found.length, 1, `${found.length} events ${type}`);
  return found[0]?.data ?? {};
};

test('a stage that fails the same way in two runs is one entry of the ledger, seen twice', async () => {
  const home = homelab({ a: FAILS });
  const [first, second] = [await run(home), await run(home)];
  const [entry, ...others] = failuresIn(home);
  assert.equal(others, []);
  assert.equal(
    [entry?.times_seen, entry?.run, entry?.log, entry?.excerpt],
    [2, second.run, `ai/logs/a/${second.run}-1.log`, 'Error: no such pool: tank'],
  );
  assert.equal(entry?.ended, { exit_code: 3, signal: null, timed_out: false });
  const told = [one(first, 'failure.seen'), one(second, 'failure.seen')];
  assert.equal(
    told.map((data) => [data.fingerprint, data.times_seen, data.first_seen]),
    [1, 2].map((times) => [entry?.fingerprint, times, entry?.first_seen]),
  );
  assert.equal(one(second, 'failure.decided'), {
    fingerprint: entry?.fingerprint,
    tier: 'none',
    why: 'no_executor',
    exit: 1,
    reason: entry?.last_reason,
  });
  const order = second.events
    .map((e) => e.type)
    .filter((type) => /^(?:attempt\.ended|failure|step\.failed)/.test(type));
  assert.equal(order, ['attempt.ended', 'failure.seen', 'failure.decided', 'step.failed']);
});

test('another error is another entry, and the step is known by the latest until it is green', async () => {
  const home = homelab({ a: FAILS });
  const before = (await run(home)).stages.stages.a?.fingerprint;
  reconfigure(home, { a: { command: 'echo "Error: no such pool: rust"; exit 3' } });
  const after = (await run(home)).stages.stages.a?.fingerprint;
  assert.equal(
    failuresIn(home).map((e) => e.fingerprint),
    [before, after],
  );
  assert.is.not(before, after);
  reconfigure(home, { a: { command: 'true' } });
  const { a } = (await run(home)).stages.stages;
  assert.equal([a?.status, a?.fingerprint], ['green', undefined]);
  assert.is(failuresIn(home).length, 2, 'the ledger forgets nothing');
});

test('a stage that ran past its time is known by that, not by the signal that ended it', async () => {
  const home = homelab({ a: { command: 'echo waiting for cp1; sleep 60', timeout: '300ms' } });
  const { exit } = await run(home);
  const [entry] = failuresIn(home);
  assert.equal([exit, entry?.ended], [1, { exit_code: null, signal: null, timed_out: true }]);
  assert.is(entry?.excerpt, 'waiting for cp1');
});

test('what nothing in the repository can fix ends failed, exit 1, and says what to do', async () => {
  const home = homelab({
    a: { command: `echo "fatal: Authentication failed for 'https://git.lan/lab.git/'"; exit 128` },
  });
  const ran = await run(home);
  assert.is(ran.exit, 1);
  const { why, exit } = one(ran, 'failure.decided');
  assert.equal([why, exit], ['external', 1]);
  const { next, external, class: found } = { ...one(ran, 'failure.seen'), ...one(ran, 'step.failed') };
  assert.equal(
    [found, external, next],
    ['permission_denied', true, 'check the credentials that this stage uses, then: mendloop'],
  );
});

test('a stage whose checks fail is known by what they print, not by what its command printed before', async () => {
  const home = homelab({
    a: {
      command: 'echo "Error: no such pool: tank (created)"',
      verify: ['echo "error: deployment web is degraded" >&2; exit 1'],
    },
  });
  await run(home);
  assert.equal(
    failuresIn(home).map((e) => e.excerpt.split('\n')[0]),
    ['error: deployment web is degraded'],
  );
});

test('lines that are no clear errors are told apart by the last green log, also of an earlier run', async () => {
  const home = homelab({
    a: {
      command: '[ -e ../../broken ] && echo "node cp1 is unhealthy"; echo "cache invalid"; [ ! -e ../../broken ]',
      always: true,
    },
  });
  const { stages, run: green } = await run(home);
  assert.is(stages.stages.a?.green_log, `ai/logs/a/${green}-1.log`);
  writeFileSync(join(home, 'broken'), '');
  const failed = await run(home);
  assert.is(one(failed, 'failure.seen').excerpt, 'node cp1 is unhealthy');
  rmSync(join(home, `ai/logs/a/${green}-1.log`));
  assert.is(one(await run(home), 'failure.seen').excerpt, 'node cp1 is unhealthy\ncache invalid');
});

test('the rules of ai/loop.yaml come before the built-in ones', async () => {
  const classify = [{ match: '^Error: no such pool', class: 'proxmox_error', external: true }];
  const home = homelab({ a: FAILS }, { classify });
  const data = one(await run(home), 'failure.seen');
  assert.equal(
    [data.class, data.external, data.rules],
    ['proxmox_error', true, ['classify in ai/loop.yaml: ^Error: no such pool']],
  );
});

test('a stage that removes its own log still has a fingerprint, and keeps it', async () => {
  const home = homelab({ a: { command: 'echo gone; rm "$MENDLOOP_HOME/ai/logs/a/$MENDLOOP_RUN-1.log"; exit 3' } });
  const [first, second] = [await run(home), await run(home)];
  assert.not(existsSync(join(home, `ai/logs/a/${first.run}-1.log`)));
  const [entry, ...others] = failuresIn(home);
  assert.equal(
    [others, entry?.class, entry?.excerpt, entry?.times_seen, second.exit],
    [[], 'unknown', '(no log)', 2, 1],
  );
});

test('a reset is recorded in the ledger, and what was seen before stays', async () => {
  const home = homelab({ a: FAILS, b: { ...FAILS, on_failure: 'skip', priority: 1 } });
  await run(home);
  await resetStages({ home, stages: ['a'], command: 'reset a' }, { clock: fakeClock(), graceMs: 300 });
  const last = readFileSync(layoutOf(home).ledgerJournal, 'utf8').trim().split('\n').at(-1) ?? '';
  const { type, stage } = JSON.parse(last);
  assert.equal([type, stage], ['stage.reset', 'a']);
  const { a } = JSON.parse(readFileSync(layoutOf(home).stages, 'utf8')).stages;
  assert.equal([a.status, a.fingerprint], ['idle', undefined]);
  await run(home);
  assert.equal(
    failuresIn(home).map((e) => [e.stage, e.times_seen]),
    [
      ['b', 2],
      ['a', 2],
    ],
  );
});

test('the cells of a matrix that fail the same way are one failure of their stage', async () => {
  const home = homelab({
    m: { ...FAILS, matrix: { host: ['cp1', 'cp2'] }, on_failure: 'skip' },
  });
  const { stages, run: name } = await run(home);
  const [entry, ...others] = failuresIn(home);
  assert.equal([others, entry?.stage, entry?.log], [[], 'm', `ai/logs/m/host=cp2/${name}-1.log`]);
  assert.equal([entry?.times_seen, entry?.steps], [1, ['m[host=cp1]', 'm[host=cp2]']], 'seen once, by both');
  const { m } = stages.stages;
  assert.equal(
    [m?.fingerprint, m?.cells?.['host=cp1']?.fingerprint, m?.cells?.['host=cp2']?.fingerprint],
    [entry?.fingerprint, entry?.fingerprint, entry?.fingerprint],
  );
});

test('a ledger whose projection was lost is made again from its journal, and the run says so', async () => {
  const home = homelab({ a: FAILS });
  await run(home);
  rmSync(layoutOf(home).ledger);
  const { events } = await run(home);
  assert.equal(
    events.filter((e) => e.type === 'notice').map((e) => e.data.text),
    ['ai/state/ledger.json is missing: made again from its journal'],
  );
  assert.equal(
    failuresIn(home).map((e) => e.times_seen),
    [2],
  );
});

test('without AI a failure is recognised all the same, and left', async () => {
  const ran = await run(homelab({ a: FAILS }), { ai: false });
  const { tier, why } = one(ran, 'failure.decided');
  assert.equal([ran.exit, tier, why, one(ran, 'failure.seen').times_seen], [1, 'none', 'no_ai', 1]);
});

test.run();
