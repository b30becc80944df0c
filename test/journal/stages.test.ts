import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { emptyState, foldStages, isStageState, recordOf, type StageState } from '../../src/journal/stages.ts';
import { journalOf, type Line, RUN } from '../events.ts';

const INPUTS = { command: 'c', verify: 'v', files: 'f', outputs: 'o' };

function folded(events: readonly LoopEvent[], state: StageState = emptyState()): StageState {
  for (const event of events) foldStages(state, event);
  return state;
}

const statusOf = (state: StageState, step: string) => recordOf(state, step)?.status;

test('each event turns a stage into the status it stands for', () => {
  const cases = [
    ['step.started', 'running'],
    ['step.done', 'green'],
    ['step.fresh', 'green'],
    ['step.failed', 'failed'],
    ['step.skipped', 'skipped'],
    ['step.interrupted', 'idle'],
    ['stage.green', 'green'],
    ['stage.failed', 'failed'],
    ['stage.skipped', 'skipped'],
    ['stage.reset', 'idle'],
  ] as const;
  for (const [type, status] of cases) assert.is(statusOf(folded(journalOf([[type, 'a']])), 'a'), status, type);
});

test('a green stage remembers what it was made from and how its last attempt went', () => {
  const state = folded(
    journalOf([
      ['step.started', 'a'],
      ['attempt.started', 'a', { log: 'a-1.log' }, 1],
      [
        'attempt.ended',
        'a',
        { log: 'a-1.log', outcome: 'done', exit_code: 0, signal: null, duration_ms: 7, more: 1 },
        1,
      ],
      ['step.done', 'a', { inputs: INPUTS, head: 'abc' }],
    ]),
  );
  assert.equal(state, {
    version: 1,
    as_of: { run: RUN, seq: 4 },
    stages: {
      a: {
        ...{ status: 'green', run: RUN, attempts: 1, since: '2026-01-01T00:00:03.000Z', inputs: INPUTS },
        green_log: 'a-1.log',
        green_head: 'abc',
        green_at: '2026-01-01T00:00:03.000Z',
        total: { attempts: 1, ms: 7 },
        last: { attempt: 1, log: 'a-1.log', outcome: 'done', exit_code: 0, signal: null, duration_ms: 7 },
      },
    },
  });
});

test('a failed step is known by its fingerprint until it is green, and each cell by its own', () => {
  const seen = (step: string, fingerprint: string): Line => ['failure.seen', step, { fingerprint }, 1];
  const lines: Line[] = [
    ['attempt.started', 'a', { log: 'a-1.log' }, 1],
    seen('a', 'f1'),
    ['step.failed', 'a', { reason: 'x' }],
    ['attempt.started', 'm[h=1]', { log: 'm-1.log' }, 1],
    seen('m[h=1]', 'f2'),
    ['step.failed', 'm[h=1]', { reason: 'x' }],
    ['attempt.started', 'm[h=2]', { log: 'm-2.log' }, 1],
    ['step.done', 'm[h=2]', { inputs: INPUTS }],
    ['stage.failed', 'm', { reason: 'x' }],
  ];
  const { a, m } = folded(journalOf(lines)).stages;
  assert.equal([a?.fingerprint, m?.fingerprint, m?.cells?.['h=1']?.fingerprint], ['f1', 'f2', 'f2']);
  assert.equal([m?.cells?.['h=2']?.fingerprint, m?.cells?.['h=2']?.green_log], [undefined, 'm-2.log']);
  const green = folded(journalOf([...lines, ['step.done', 'a', { inputs: INPUTS }]])).stages.a;
  assert.equal([green?.fingerprint, green?.status], [undefined, 'green']);
});

test('an attempt that was not recognised is not known as the failure before it', () => {
  const state = folded(
    journalOf([
      ['attempt.started', 'a', { log: 'a-1.log' }, 1],
      ['failure.seen', 'a', { fingerprint: 'f1' }, 1],
      ['attempt.started', 'a', { log: 'a-2.log' }, 2],
      ['step.failed', 'a', { reason: 'E_HEAD_MOVED a stage moved HEAD' }],
    ]),
  );
  assert.equal([state.stages.a?.status, state.stages.a?.fingerprint], ['failed', undefined]);
});

test('a reason is kept while it holds, and since is when the status last changed', () => {
  const state = folded(
    journalOf([
      ['step.failed', 'a', { reason: 'exit code 1' }],
      ['step.failed', 'a', { reason: 'exit code 2' }],
    ]),
  );
  assert.equal([state.stages.a?.reason, state.stages.a?.since], ['exit code 2', '2026-01-01T00:00:00.000Z']);
  folded(journalOf([['step.started', 'a']]), state);
  assert.is(state.stages.a?.reason, undefined);
});

test('attempts are counted by run', () => {
  const first = journalOf([
    ['step.started', 'a'],
    ['attempt.started', 'a', {}, 1],
    ['attempt.started', 'a', {}, 2],
    ['step.failed', 'a'],
  ]);
  const state = folded(first);
  assert.is(state.stages.a?.attempts, 2);
  folded(journalOf([['step.started', 'a']], { run: '20260102-000000-abcd' }), state);
  assert.equal([state.stages.a?.attempts, state.stages.a?.run], [0, '20260102-000000-abcd']);
});

test('cells have records of their own, and the stage is green only when it says so', () => {
  const state = folded(
    journalOf([
      ['step.started', 'a[h=1]'],
      ['step.done', 'a[h=1]', { inputs: INPUTS }],
    ]),
  );
  assert.equal(
    [statusOf(state, 'a'), statusOf(state, 'a[h=1]'), statusOf(state, 'a[h=2]')],
    ['running', 'green', undefined],
  );
  folded(
    journalOf([
      ['step.started', 'a[h=2]'],
      ['attempt.started', 'a[h=2]', { log: 'x' }, 3],
      ['step.failed', 'a[h=2]', { reason: 'no' }],
    ]),
    state,
  );
  assert.equal([statusOf(state, 'a'), statusOf(state, 'a[h=2]'), state.stages.a?.attempts], ['running', 'failed', 3]);
  folded(journalOf([['stage.failed', 'a', { reason: 'no' }]]), state);
  assert.equal([statusOf(state, 'a'), statusOf(state, 'a[h=1]')], ['failed', 'green']);
});

test('a reset forgets attempts, inputs, cells and the last attempt, but no count', () => {
  const state = folded(
    journalOf([
      ['attempt.started', 'a[h=1]', {}, 1],
      ['attempt.ended', 'a[h=1]', { duration_ms: 5 }, 1],
      ['step.done', 'a[h=1]', { inputs: INPUTS }],
      ['stage.green', 'a'],
      ['stage.reset', 'a'],
    ]),
  );
  const [green_at, since] = ['2026-01-01T00:00:03.000Z', '2026-01-01T00:00:04.000Z'];
  const total = { attempts: 1, ms: 5 };
  assert.equal(state.stages.a, { status: 'idle', run: RUN, attempts: 0, since, reset: RUN, green_at, total });
});

test('nothing is running once its run has ended', () => {
  const state = folded(journalOf([['step.started', 'a[h=1]'], ['step.done', 'a[h=1]'], ['run.ended']]));
  assert.equal([statusOf(state, 'a'), statusOf(state, 'a[h=1]')], ['idle', 'green']);
});

test('a stage may have the name of something every object has', () => {
  const state = folded(journalOf([['step.done', 'constructor', { inputs: INPUTS }]]));
  assert.is(statusOf(state, 'constructor'), 'green');
  assert.is(recordOf(emptyState(), 'constructor'), undefined);
  assert.is((Object as unknown as { status?: string }).status, undefined);
});

test('events that concern no stage change nothing but how far the state is', () => {
  assert.equal(folded(journalOf([['run.started'], ['tree.opened'], ['notice']])), {
    ...emptyState(),
    as_of: { run: RUN, seq: 3 },
  });
});

test('only a whole state is taken for one', () => {
  const record = { status: 'green', run: RUN, attempts: 1, since: 'x' };
  const state = (a: unknown) => ({ version: 1, as_of: { run: '', seq: 0 }, stages: { a } });
  assert.ok(isStageState(state({ ...record, inputs: INPUTS, cells: { 'h=1': record } })));
  const broken = [
    ...[undefined, null, 5, 'text', [], {}, { version: 2, as_of: { run: '', seq: 0 }, stages: {} }],
    ...[
      { version: 1, stages: {} },
      { version: 1, as_of: { run: '', seq: 0.5 }, stages: {} },
    ],
    ...[
      { version: 1, as_of: { run: '', seq: 0 } },
      { version: 1, as_of: { run: '', seq: 0 }, stages: null },
    ],
    ...[null, 'x', {}, { ...record, status: 'fine' }, { ...record, attempts: '1' }, { ...record, since: 5 }].map(state),
    ...[
      { ...record, inputs: {} },
      { ...record, last: 5 },
      { ...record, cells: null },
    ].map(state),
    ...[
      { ...record, cells: 'x' },
      { ...record, cells: { 'h=1': {} } },
    ].map(state),
  ];
  for (const value of broken) assert.is(isStageState(value), false, JSON.stringify(value));
});

test.run();
