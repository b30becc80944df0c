import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RunSteps } from '../../src/journal/run-steps.ts';
import { emptyState } from '../../src/journal/stages.ts';
import { cutOffRun, recordCutOff, unwatchedHead, whyClosed } from '../../src/run/resume.ts';
import { journalOf, type Line } from '../events.ts';

const leader = { pid: 7, start: '1', boot: 'b', host: 'h' };

test('done and fresh steps are over; failed, skipped and interrupted ones are to do again', () => {
  const { done, cutOff } = new RunSteps(
    journalOf([
      ['run.started'],
      ['step.done', 'a'],
      ['step.fresh', 'b'],
      ['step.failed', 'c'],
      ['step.skipped', 'd'],
      ['step.interrupted', 'e'],
      ['step.done', 'f'],
      ['step.failed', 'f'],
    ]),
  );
  assert.equal(done, ['a', 'b']);
  assert.equal(cutOff, []);
});

test('the steps of a stage that no longer stands are to do again, those of others stay done', () => {
  const before: Line[] = [
    ['step.done', 'm[h=1]'],
    ['step.fresh', 'm[h=2]'],
    ['step.done', 'b'],
    ['stage.stale', 'm'],
    ['notice', undefined, { text: 'x' }],
  ];
  assert.equal(new RunSteps(journalOf(before)).done, ['b']);
  const after: Line[] = [...before, ['step.done', 'm[h=1]'], ['stage.green', 'b']];
  assert.equal(new RunSteps(journalOf(after)).done, ['m[h=1]', 'b']);
});

test('a run without an end is gone on with where the same is asked for, and else closed with why', async () => {
  const cutOff = (lines: Line[], asked = 'all', isInBase = true) => {
    const events = journalOf(lines);
    const loaded = { state: emptyState(), notices: [], isUnsure: false, latest: { run: 'this', events } };
    return cutOffRun(loaded, asked, Date.UTC(2026, 0, 1), async () => isInBase);
  };
  const noRun = { state: emptyState(), notices: [], isUnsure: false };
  assert.is(await cutOffRun(noRun, 'all', 0, async () => false), undefined, 'no run yet');
  assert.is(await cutOff([['run.started'], ['run.ended']]), undefined);
  assert.equal(await cutOff([['tree.opened']]), { why: 'what it was asked for is lost' });
  assert.equal(await cutOff([['run.started']], 'vms'), { why: 'it ran all, this start asks for vms' });
  assert.equal(await cutOff([['run.started']], 'all', false), { why: 'main was rewritten since it began' });
  const runs = await Promise.all([cutOff([['run.started']]), cutOff([['run.started'], ['tree.opened']])]);
  const opened = runs.map((run) => run?.open);
  assert.equal(
    opened.map((open) => [open?.run, open?.head.asked, open?.treeOpened, open?.events.length]),
    [
      ['this', 'all', false, 1],
      ['this', 'all', true, 2],
    ],
  );
});

test('of a step that was cut off the attempt ends only if there was one, and a recheck leaves nothing to record', () => {
  const cut = (...lines: Line[]) => recordCutOff(new RunSteps(journalOf(lines))).map(({ type }) => type);
  assert.equal(cut(['step.started', 'a']), ['step.interrupted']);
  assert.equal(cut(['step.started', 'a'], ['attempt.started', 'a', { leader }, 1]), [
    'attempt.ended',
    'step.interrupted',
  ]);
  assert.equal(cut(['check.started', 'a', { leader }]), []);
});

test('where lines of a journal are lost, the record of a step tells of this run, and nothing of another one', () => {
  const record = (run: string, attempts: number, status: 'running' | 'green') => ({
    ...{ run, attempts, status },
    since: '2026-01-01T00:00:00.000Z',
  });
  const stages = {
    a: record('this', 4, 'running'),
    b: record('before', 7, 'running'),
    c: record('this', 2, 'green'),
    d: record('this', 0, 'green'),
  };
  const events = journalOf([['run.started'], ['attempt.started', 'c', {}, 3]]);
  const { attempts, cutOff } = new RunSteps(events).complete('this', { ...emptyState(), stages });
  assert.equal(['a', 'b', 'c', 'd'].map(attempts), [4, 0, 3, 0]);
  assert.equal(
    cutOff.map(({ step, attempt }) => [step, attempt]),
    [
      ['c', 3],
      ['a', 4],
    ],
  );
});

test('a step that runs by its record is cut off with its attempt, unless that has ended or none began', () => {
  const running = { run: 'this', status: 'running', since: '2026-01-01T00:00:00.000Z' } as const;
  const stages = {
    none: { ...running, attempts: 0 },
    first: { ...running, attempts: 1, last: { attempt: 1 } },
    ended: { ...running, attempts: 2, last: { attempt: 2, outcome: 'failed' as const } },
  };
  const { cutOff } = new RunSteps([]).complete('this', { ...emptyState(), stages });
  assert.equal(cutOff, [
    { stage: 'none', step: 'none' },
    { stage: 'first', step: 'first', attempt: 1 },
    { stage: 'ended', step: 'ended' },
  ]);
});

test('a clock that was set back costs the gap in which it was, and adds nothing', () => {
  const events = journalOf([['run.started'], ['step.started', 'a'], ['step.done', 'a'], ['step.started', 'b']]);
  const back = events.map((event, i) => (i < 2 ? event : { ...event, time: `2025-01-01T00:00:0${i}.000Z` }));
  assert.equal([new RunSteps(events).spentMs, new RunSteps(back).spentMs], [3000, 2000]);
});

test('of a step only the attempts that a backend lost count as losses', () => {
  const { losses } = new RunSteps(
    journalOf([
      ['run.started'],
      ['attempt.started', 'a', {}, 1],
      ['attempt.lost', 'a', {}, 1],
      ['attempt.started', 'a', {}, 2],
      ['attempt.lost', 'a', {}, 2],
      ['attempt.started', 'b', {}, 1],
    ]),
  );
  assert.equal(['a', 'b'].map(losses), [2, 0]);
});

test('of a wait no more is left than it had when the last event came, however the clock was set since', () => {
  // Events are a second apart.
  const events = journalOf([
    ['step.retry', 'a', { pause_ms: 10_000 }],
    ['step.started', 'b'],
    ['step.done', 'b'],
  ]);
  const began = Date.parse(events[0]?.time ?? '');
  const left = (now: number) => new RunSteps(events).pauseLeftMs('a', now);
  assert.equal(
    [3000, 9000, 12_000].map((after) => left(began + after)),
    [7000, 1000, 0],
  );
  assert.equal(
    [0, -1, -3_600_000].map((after) => left(began + after)),
    [8000, 8000, 8000],
  );
  const begun = new RunSteps(events.slice(0, 1)).pauseLeftMs('a', began - 1000);
  assert.is(begun, 10_000, 'nothing of it is over');
});

test('what belongs to no step leaves nothing to resume', () => {
  const { attempts, done, cutOff } = new RunSteps(
    journalOf([['run.started'], ['notice', undefined, { text: 'x' }, 2]]),
  );
  assert.equal([attempts('a'), done, cutOff], [0, [], []]);
});

test('attempts are the highest number that was used, cell by cell', () => {
  const { attempts } = new RunSteps(
    journalOf([
      ['attempt.started', 'a[h=1]', { leader }, 1],
      ['attempt.ended', 'a[h=1]', {}, 1],
      ['attempt.started', 'a[h=1]', { leader }, 2],
      ['attempt.ended', 'a[h=2]', {}, 1],
    ]),
  );
  assert.equal(['a[h=1]', 'a[h=2]'].map(attempts), [2, 1]);
});

test('a step nobody recorded the end of was cut off, with the group that may still run', () => {
  const events = journalOf([
    ['step.started', 'a'],
    ['step.started', 'b[h=1]'],
    ['attempt.started', 'b[h=1]', { leader }, 2],
    ['step.started', 'c'],
    ['attempt.started', 'c', { leader }, 1],
    ['attempt.ended', 'c', {}, 1],
    ['step.started', 'd'],
    ['step.done', 'd'],
  ]);
  assert.equal(new RunSteps(events).cutOff, [
    { stage: 'a', step: 'a' },
    { stage: 'b', step: 'b[h=1]', leader, attempt: 2 },
    { stage: 'c', step: 'c' },
  ]);
});

test('checks that were cut off are known: those of an attempt with it, those of a green step as no work of its own', () => {
  const other = { ...leader, pid: 8 };
  const events = journalOf([
    ['step.started', 'a'],
    ['attempt.started', 'a', { leader }, 1],
    ['check.started', 'a', { leader: other }],
    ['check.started', 'b', { leader }],
    ['check.started', 'c', { leader }],
    ['step.drift', 'c'],
  ]);
  assert.equal(new RunSteps(events).cutOff, [
    { stage: 'a', step: 'a', leader: other, attempt: 1 },
    { stage: 'b', step: 'b', recheck: true, leader },
  ]);
});

test('where the branch was is known while a command runs: by its attempt, or for a check until the loop commits', () => {
  const opened = ['tree.opened', '', { branch: 'ai', commit: 'c1' }] as const;
  const check = ['check.started', 'b', { leader }] as const;
  const fix = ['fix.committed', 'a', { commit: 'c2' }] as const;
  const attempt = ['attempt.started', 'a', { leader, head: 'c2' }, 1] as const;
  const head = (...events: unknown[]) => unwatchedHead(journalOf(events as never))?.head;
  assert.equal(
    [head(opened), head(opened, check), head(opened, fix, check), head(opened, fix, attempt), head(check)],
    [undefined, 'c1', undefined, 'c2', undefined],
  );
  assert.is(head(opened, attempt, ['attempt.ended', 'a', {}, 1]), undefined, 'it was watched to its end');
  assert.is(head(opened, attempt, fix), 'c2', 'it is its own commit that counts');
  assert.is(head(opened, attempt, opened, check), 'c1', 'a later start accepted what was there');
});

test('a pause lasts until the time it was to end, unless the next attempt began', () => {
  const retried = [
    ['attempt.ended', 'a', {}, 1],
    ['step.retry', 'a', { pause_ms: 60_000 }],
  ] as Line[];
  const left = (lines: Line[]) => new RunSteps(journalOf(lines)).pauseLeftMs('a', Date.UTC(2026, 0, 1) + 21_000);
  assert.equal([left(retried), left([...retried, ['attempt.started', 'a', {}, 2]])], [40_000, 0]);
});

test('time at work counts, the time between two processes does not', () => {
  const day = 86_400_000;
  const first = journalOf([['run.started'], ['step.started', 'a'], ['step.done', 'a'], ['step.started', 'b']]);
  const second = journalOf([['run.resumed'], ['step.done', 'b']], { from: Date.UTC(2026, 0, 1) + day });
  const third = journalOf([['run.resumed'], ['notice'], ['notice']], { from: Date.UTC(2026, 0, 1) + 2 * day });
  assert.is(new RunSteps(first).spentMs, 3000);
  assert.is(new RunSteps([...first, ...second]).spentMs, 4000);
  assert.is(new RunSteps([...first, ...second, ...third]).spentMs, 6000);
  assert.is(new RunSteps([...first, ...second]).lastEventAt, Date.UTC(2026, 0, 1) + day + 1000);
});

test('a clock that was set back refills nothing', () => {
  const back = journalOf([['run.resumed'], ['notice']], { from: Date.UTC(2025, 0, 1) });
  const forth = journalOf([['run.started'], ['notice'], ['notice']]);
  assert.is(new RunSteps([...forth, ...back]).spentMs, 3000);
  const inside = [...forth, ...journalOf([['notice']], { from: Date.UTC(2025, 0, 1) })];
  assert.ok(new RunSteps(inside).spentMs >= 0);
});

test('a start goes on with the run that asked for the same, up to six hours after its last event', () => {
  const hours = 3_600_000;
  const before = { asked: 'all', lastEventAt: 1000 };
  assert.is(whyClosed(before, 'all', 1000 + 6 * hours), undefined);
  assert.is(whyClosed(before, 'all', 1001 + 6 * hours), 'its last event is more than 6 hours old');
  assert.is(whyClosed(before, 'vms', 1000), 'it ran all, this start asks for vms');
  assert.is(whyClosed(before, 'all', 0), undefined);
});

test.run();
