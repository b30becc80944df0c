import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import {
  emptyState,
  foldStages,
  isReset,
  isStageState,
  recordOf,
  type StageState,
  stepMeant,
  stepRecords,
  wasGreen,
} from '../../src/journal/stages.ts';
import { journalOf, type Line, RUN } from '../events.ts';

const INPUTS = { command: 'c', verify: 'v', files: 'f', outputs: 'o' };

function folded(events: readonly LoopEvent[], state: StageState = emptyState()): StageState {
  for (const event of events) foldStages(state, event);
  return state;
}

/** The record of stage `a` after these lines. */
const a = (...lines: Line[]) => folded(journalOf(lines)).stages.a;
const gaveUp = (data: Record<string, unknown> = {}): LoopEvent[] =>
  journalOf([['step.failed', 'a', data]]).map((event) => ({ ...event, status: 'give_up' }));

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
  const ran = folded(
    journalOf([
      ['stage.reset', 'a'],
      ['attempt.started', 'a', {}, 1],
      ['attempt.ended', 'a', {}, 1],
    ]),
  );
  assert.equal([isReset(state, 'a'), isReset(state, 'b'), isReset(ran, 'a')], [true, false, false]);
});

test('an attempt without a number is the next one; one that was lost counts only if it began', () => {
  assert.is(a(['step.started', 'a'])?.attempts, 0);
  const attempts = (...lines: Line[]) => a(['attempt.started', 'a', {}, 4], ...lines)?.attempts;
  assert.equal([attempts(['attempt.started', 'a']), attempts(['attempt.lost', 'a', { began: true }])], [5, 5]);
  assert.equal([attempts(['attempt.lost', 'a', {}, 6]), attempts(['attempt.lost', 'a', { began: false }, 6])], [6, 4]);
});

test('an attempt whose start is lost is known by its end, and takes no time where that is not said', () => {
  const record = a(['attempt.ended', 'a']);
  assert.equal(
    [record?.last, record?.total],
    [
      { attempt: 0, outcome: 'done' },
      { attempts: 1, ms: 0 },
    ],
  );
});

test('what attempts wrote is known with its patch, without what was put back; carried paths for all stages', () => {
  const changed = (files: string[], more = {}): Line => ['attempt.changed', 'a', { files, ...more }];
  const before: Line[] = [
    ['attempt.started', 'a', { log: 'a-1.log' }, 1],
    changed(['x', 'y'], { patch: 'p1' }),
    changed(['y', 'z'], { put_back: ['x', 'z'] }),
  ];
  const record = a(...before);
  assert.equal([record?.wrote, record?.wrote_patch, record?.green_log], [['y'], 'p1', undefined]);
  const wrote = (path: string, stage: string): Line => ['attempt.ended', stage, { wrote: [path] }];
  assert.equal(folded(journalOf([wrote('m', 'a'), wrote('n', 'b'), wrote('m', 'b')])).written, ['m', 'n']);
});

test('with the tracked files put back, only what green steps wrote is still there', () => {
  const wrote = (...lines: Line[]) => {
    const changed = (stage: string): Line => ['attempt.changed', stage, { files: ['x'] }];
    const state = folded(journalOf([changed('a'), ['step.done', 'a'], changed('b'), ['step.failed', 'b'], ...lines]));
    return ['a', 'b'].filter((stage) => recordOf(state, stage)?.wrote);
  };
  const others: Line[] = [['fix.committed', 'c'], ['fix.judged', 'c', { outcome: 'no_effect' }], ['branch.moved']];
  for (const line of others) assert.equal(wrote(line), ['a'], line[0]);
  for (const line of [['branch.moved', undefined, { to: 'c0' }], ['tree.opened']] as Line[])
    assert.equal(wrote(line), ['a', 'b'], line[0]);
});

test('what was given up is known with what it was made from and why; what only failed is not', () => {
  const data = { inputs: INPUTS, gave_up: 'two tries spent', reason: 'exit code 1' };
  const record = folded(gaveUp(data)).stages.a;
  assert.equal([record?.status, record?.reason, record?.inputs], ['give_up', 'two tries spent', INPUTS]);
  const failed = a(['step.failed', 'a', data]);
  assert.equal([failed?.status, failed?.reason, failed?.inputs], ['failed', 'exit code 1', undefined]);
  const green = folded(journalOf([['step.done', 'a', { inputs: INPUTS }]]));
  assert.equal(folded(gaveUp(), green).stages.a?.inputs, INPUTS, 'one that says nothing of them keeps them');
});

test('a green stage that is worked on again is reopened until that ends', () => {
  const again: Line[] = [
    ['step.done', 'a'],
    ['step.started', 'a'],
  ];
  assert.is(a(['step.started', 'a'])?.reopened, undefined);
  for (const open of ['step.started', 'step.interrupted', 'step.skipped'] as const)
    assert.is(a(...again, [open, 'a'])?.reopened, true, open);
  for (const end of ['step.done', 'step.failed'] as const) assert.is(a(...again, [end, 'a'])?.reopened, undefined, end);
  assert.is(folded(gaveUp(), folded(journalOf(again))).stages.a?.reopened, undefined);
});

test('a skip leaves a stage what it is, unless it is to do for the first time', () => {
  const skipped = (...lines: Line[]) => a(...lines, ['step.skipped', 'a'])?.status;
  assert.equal([skipped(), skipped(['step.interrupted', 'a'])], ['skipped', 'skipped']);
  assert.equal([skipped(['step.done', 'a']), skipped(['step.failed', 'a'])], ['green', 'failed']);
  assert.is(skipped(['step.done', 'a'], ['stage.stale', 'a']), 'idle');
});

test('that nothing can tell whether a green stage holds is known until something can', () => {
  for (const type of ['step.done', 'step.fresh'] as const) {
    const nothing: Line = [type, 'a', { unchecked: 'nothing to check' }];
    assert.is(a(nothing)?.unchecked, true);
    assert.is(a(nothing, [type, 'a', { unchecked: 'not checked' }])?.unchecked, undefined);
    assert.is(a(nothing, [type, 'a'])?.unchecked, undefined);
  }
});

test('a green stage that no longer stands is to do again, with every commit that made it so', () => {
  const stale = (commit: string, more = {}): Line => ['stage.stale', 'a', { commit, ...more }];
  const green: Line[] = [
    ['attempt.changed', 'a', { files: ['x'] }],
    ['step.done', 'a', { inputs: INPUTS }],
  ];
  const why = 'its files changed';
  const record = a(...green, stale('c1'));
  const skipped = a(...green, stale('c1'), stale('c2', { why: 'another' }), [
    'step.skipped',
    'a',
    { reason: 'b failed' },
  ]);
  assert.is(skipped?.stale?.why, why, 'what first made it stale');
  assert.equal([record?.status, record?.reopened, record?.wrote], ['idle', true, ['x']]);
  assert.equal([record?.stale, record?.reason], [{ why, commits: ['c1'] }, `no longer stands: ${why}`]);
  const both = a(...green, stale('c1', { by_fix: true }), stale('c2', { remake: true }), stale('c2'));
  assert.equal(both?.stale, { why, commits: ['c1', 'c2'], by_fix: true, remake: true });
  assert.equal([both?.status, both?.wrote], ['idle', undefined], 'what it wrote is to be made anew');
  const running = a(...green, stale('c1'), ['step.started', 'a'], stale('c2'));
  assert.equal([running?.status, running?.reason, running?.stale?.commits], ['running', undefined, ['c1', 'c2']]);
  for (const before of [[], [['step.failed', 'a']]] as Line[][]) assert.is(a(...before, stale('c1'))?.stale, undefined);
  const drift = stale('c1', { drift: true });
  assert.equal(a(...green, drift)?.stale, { why, commits: [], drift: true }, 'no commit made it stale');
  for (const lines of [
    [drift, stale('c2')],
    [stale('c2'), drift],
  ])
    assert.equal(a(...green, ...lines)?.stale, { why, commits: ['c2'] }, 'drift is not the only reason');
  for (const next of [['attempt.started', 'a', {}, 1] as Line, ['stage.reset', 'a'] as Line])
    assert.is(a(...green, drift, next)?.stale, undefined, 'what its checks said before counts no more');
});

test('a stage that failed since it was stale is being mended: a later write makes it no staler', () => {
  const commits = (step: string, failed: boolean) => {
    const lines: Line[] = [
      ['step.done', step],
      ['stage.stale', 'a', { commit: 'c1' }],
      ...(failed ? ([['failure.seen', step, {}, 1]] as Line[]) : []),
      ['stage.stale', 'a', { commit: 'c2' }],
    ];
    return recordOf(folded(journalOf(lines)), step)?.stale?.commits;
  };
  assert.equal(commits('a', true), ['c1']);
  assert.equal(commits('a', false), ['c1', 'c2']);
  const cells: Line[] = [
    ['step.done', 'a[h=1]'],
    ['stage.green', 'a'],
    ['stage.stale', 'a', { commit: 'c1' }],
  ];
  const again: Line[] = [
    ['failure.seen', 'a[h=1]', {}, 1],
    ['stage.stale', 'a', { commit: 'c2' }],
  ];
  const record = a(...cells, ...again);
  assert.equal(record?.stale?.commits, ['c1', 'c2'], 'of a stage with cells some may be green');
  assert.equal(record?.cells?.['h=1']?.stale?.commits, ['c1']);
});

test('what a step made is to be there if it is green, or was before something that it needs was made again', () => {
  const record = { status: 'idle', run: RUN, attempts: 1, since: 'x' } as const;
  const stale = { commits: ['c1'] };
  assert.ok(wasGreen({ ...record, status: 'green' }) && wasGreen({ ...record, stale, inputs: INPUTS }));
  for (const more of [{}, { stale }, { inputs: INPUTS }]) assert.not(wasGreen({ ...record, ...more }));
});

test('steps are the cells of a stage that has some, or the stage; one may be called as it is shown', () => {
  const state = folded(
    journalOf([
      ['step.done', 'a'],
      ['step.done', 'm[host=cp1]'],
      ['step.done', 'n[host=cp1]'],
      ['step.done', 'n[host=cp2]'],
    ]),
  );
  const steps = ['a', 'm[host=cp1]', 'n[host=cp1]', 'n[host=cp2]'];
  assert.equal(
    stepRecords(state).map(({ step }) => step),
    steps,
  );
  for (const word of [...steps, 'n', 'n[cp3]', 'other[cp1]']) assert.is(stepMeant(state, word), word);
  assert.is(stepMeant(state, 'n[cp2]'), 'n[host=cp2]');
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
  assert.equal(emptyState().as_of, { run: '', seq: 0 });
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
