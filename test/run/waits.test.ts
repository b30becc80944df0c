// Failures that may pass by themselves: real stages, on a clock that does not wait.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fakeClock } from './builders.ts';
import { cutOff, failuresIn, homelab, NOTE, type Ran, ranSteps, run } from './homelab.ts';

const REFUSED = 'echo "curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused"; exit 7';
const untilAttempt = (n: number) => `${NOTE}; [ "$MENDLOOP_ATTEMPT" -ge ${n} ] || { ${REFUSED}; }`;

const decisions = ({ events }: Ran) =>
  events.filter((e) => e.type === 'failure.decided').map(({ data }) => data.why ?? data.tier);

test('a failure that may pass is waited out three times in a run, longer each time, and then counts as any other', async () => {
  const home = homelab({ a: { command: `${NOTE}; ${REFUSED}` } });
  const clock = fakeClock();
  const ran = await run(home, {}, { clock });
  assert.equal([ran.exit, clock.slept], [1, [30_000, 60_000, 120_000]]);
  assert.equal(decisions(ran), ['wait', 'wait', 'wait', 'no_executor']);
  const [entry, ...others] = failuresIn(home);
  assert.equal(
    [others, entry?.class, entry?.transient, entry?.times_seen, entry?.executor_tries],
    [[], 'network_error', true, 4, 0],
  );
  assert.equal(
    ran.events.filter((e) => e.type === 'step.retry').map(({ attempt, data }) => [attempt, data.tier, data.pause_ms]),
    [
      [1, 'wait', 30_000],
      [2, 'wait', 60_000],
      [3, 'wait', 120_000],
    ],
  );
  assert.is(ranSteps(home).length, 4);
  const next = fakeClock();
  await run(home, {}, { clock: next });
  assert.equal(next.slept, [30_000, 60_000, 120_000], 'the next run may wait as often');
});

test('a failure that passed is green, and the waits are those of the stage, whatever failed', async () => {
  const home = homelab({
    a: { command: untilAttempt(2) },
    m: { command: untilAttempt(3), matrix: { host: ['cp1', 'cp2'] }, on_failure: 'skip' },
  });
  const clock = fakeClock();
  const ran = await run(home, {}, { clock });
  assert.equal(
    [clock.slept, ran.stages.stages.a?.status, ran.stages.stages.a?.fingerprint],
    [[30_000, 30_000, 60_000, 120_000], 'green', undefined],
  );
  const { cells } = ran.stages.stages.m ?? {};
  assert.equal([cells?.['host=cp1']?.status, cells?.['host=cp2']?.status], ['green', 'failed']);
});

test('waits count on in a run that was cut off, and the wait it was in goes on where it was', async () => {
  const home = homelab({ a: { command: `${NOTE}; ${REFUSED}` } });
  const first = await run(home, {}, { clock: fakeClock() });
  cutOff(home, first.run, (e) => e.type === 'step.retry');
  const retry = first.events.find((e) => e.type === 'step.retry');
  const clock = fakeClock(Date.parse(retry?.time ?? '') + 10_000);
  const second = await run(home, {}, { clock });
  assert.equal([second.run, second.exit], [first.run, 1]);
  assert.equal(clock.slept, [20_000, 60_000, 120_000]);
  assert.is(second.stages.stages.a?.attempts, 4);
});

test('a clock that was set back while a wait was cut off makes it no longer than it was', async () => {
  for (const [back, left] of [
    [3_600_000, 30_000],
    [10, 30_000],
    [-31_000, undefined],
  ] as const) {
    const home = homelab({ a: { command: `${NOTE}; ${REFUSED}` } });
    const first = await run(home, {}, { clock: fakeClock() });
    cutOff(home, first.run, (e) => e.type === 'step.retry');
    const retry = first.events.find((e) => e.type === 'step.retry');
    const clock = fakeClock(Date.parse(retry?.time ?? '') - back);
    assert.is((await run(home, {}, { clock })).run, first.run);
    assert.equal(clock.slept, [...(left === undefined ? [] : [left]), 60_000, 120_000]);
  }
});

test('on_failure: retry runs again blindly first; each failure is seen, and only what is left is decided about', async () => {
  const retry = { max_attempts: 2, backoff_ms: 1000 };
  const home = homelab({ a: { command: untilAttempt(3), on_failure: 'retry', retry } });
  const clock = fakeClock();
  const ran = await run(home, {}, { clock });
  assert.equal([ran.exit, clock.slept], [0, [1000, 30_000]]);
  assert.equal(
    ran.events.filter((e) => /^(?:step\.retry|failure\.seen)/.test(e.type)).map((e) => `${e.type} ${e.attempt}`),
    ['failure.seen 1', 'step.retry 1', 'failure.seen 2', 'step.retry 2'],
  );
});

test('a wait that would not be over before the deadline is not begun', async () => {
  const clock = fakeClock();
  const ran = await run(homelab({ a: { command: `${NOTE}; ${REFUSED}` } }), { deadline: clock.at + 80_000 }, { clock });
  assert.equal([ran.exit, clock.slept, decisions(ran)], [1, [30_000], ['wait', 'run_time_spent']]);
});

test('no wait goes past the attempts that a stage has in a run', async () => {
  const home = homelab({ a: { command: `${NOTE}; ${REFUSED}` } }, { limits: { stage_attempts: 2 } });
  const clock = fakeClock();
  const ran = await run(home, {}, { clock });
  assert.equal(
    [ran.exit, clock.slept, decisions(ran), ranSteps(home).length],
    [1, [30_000], ['wait', 'attempts_spent'], 2],
  );
});

test('what must not run twice, or lacks something, is not waited for', async () => {
  const home = homelab(
    {
      once: { command: `${NOTE}; ${REFUSED}`, rerun: false, on_failure: 'skip' },
      lacking: { command: NOTE, requires: { tools: ['no-such-tool-here'] }, on_failure: 'skip' },
    },
    { classify: [{ match: 'no-such-tool-here', class: 'command_not_found', transient: true }] },
  );
  const clock = fakeClock();
  const ran = await run(home, {}, { clock });
  assert.equal([clock.slept, ranSteps(home), decisions(ran)], [[], ['once'], ['no_executor', 'no_executor']]);
  assert.equal(
    failuresIn(home).map((e) => e.transient),
    [true, true],
  );
});

test('the pauses are those of ai/loop.yaml; with none nothing is waited for', async () => {
  const waits = async (backoff: string[]) => {
    const clock = fakeClock();
    await run(homelab({ a: { command: REFUSED } }, { wait: { backoff } }), {}, { clock });
    return clock.slept;
  };
  assert.equal([await waits(['5s', '7s']), await waits([])], [[5000, 7000], []]);
});

test.run();
