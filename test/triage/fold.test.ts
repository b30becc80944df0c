import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENTS, type EventType, isEvent } from '../../src/events.ts';
import { foldLedger, isStory, type StoryEvent } from '../../src/triage/fold.ts';
import { emptyLedger, entryOf, hasPassed, isLedger, type LedgerEntry } from '../../src/triage/ledger.ts';
import { EXAMPLES } from '../events.ts';
import { fc, runs } from '../sweep.ts';
import {
  answered,
  anyStories,
  called,
  closed,
  DAY,
  ENDED,
  entryAfter,
  escalated,
  gaveUp,
  ledgerOf,
  NOW,
  notified,
  on,
  opened,
  patch,
  prepared,
  RUN,
  recovered,
  refunded,
  reset,
  type Story,
  seen,
  stamped,
  tried,
  used,
} from './builders.ts';

const counters = ({ executor_tries, escalation_calls, fruitless }: LedgerEntry) => [
  executor_tries,
  escalation_calls,
  fruitless,
];

test('a failure whose sightings are lost is of no known kind: it is neither waited out nor somebody else’s', () => {
  const { class: kind, transient, external, times_seen, ended } = entryAfter(tried());
  assert.equal([kind, transient, external, times_seen], ['unknown', false, false, 0]);
  assert.equal(ended, { exit_code: null, signal: null, timed_out: false });
});

test('a sighting is counted, with when, where and what it was', () => {
  const { log: _, ...data } = { ...seen().data, log: '' } as (typeof EXAMPLES)['failure.seen'];
  const excerpt = `${'x'.repeat(300)}\ntwo\nthree`;
  const again: Story = {
    type: 'failure.seen',
    stage: 'talos',
    data: { ...data, class: 'network_error', transient: true, excerpt },
  };
  assert.equal(entryAfter(seen(), again), {
    stage: 'talos',
    fingerprint: 'f1',
    class: 'network_error',
    transient: true,
    external: false,
    excerpt: `${'x'.repeat(200)}\ntwo`,
    first_seen: '2026-11-10T06:00:00.000Z',
    last_seen: '2026-11-10T06:01:00.000Z',
    times_seen: 2,
    run: RUN,
    ended: ENDED,
    executor_tries: 0,
    escalation_calls: 0,
    fruitless: 0,
    patches: [],
  });
  const first = entryAfter(seen());
  assert.equal([first.run, first.log], [RUN, `ai/logs/talos/${RUN}-1.log`]);
});

test('the last decision and its reason are kept for whoever asks why', () => {
  const data = { fingerprint: 'f1', tier: 'wait', reason: 'first of 3 waits' } as const;
  const { last_tier, last_reason } = entryAfter(seen(), { type: 'failure.decided', stage: 'talos', data });
  assert.equal([last_tier, last_reason], ['wait', 'first of 3 waits']);
});

test('a provider that failed spends nothing: tries and calls are spent by events of their own, or by a fix that a try ended in', () => {
  const spends = (type: EventType, data: object = {}): boolean => {
    const event: unknown = stamped(
      { type, stage: 'talos', step: 'talos', data: { ...EXAMPLES[type], ...data } } as Story,
      1,
    );
    assert.ok(isEvent(event), type);
    if (!isStory(event)) return false;
    const ledger = emptyLedger();
    foldLedger(ledger, event);
    const entry = entryOf(ledger, 'talos', 'f1');
    return ledger.day.tries > 0 || (entry !== undefined && counters(entry).some((n) => n > 0));
  };
  assert.equal(
    (Object.keys(EVENTS) as EventType[]).filter((type) => spends(type)),
    ['try.ended', 'escalation.called'],
  );
  assert.ok(spends('fix.committed', { tried: true }));
});

test('a call is counted before it is made, and given back when whoever was called could not be reached', () => {
  const calledWith: Story = {
    type: 'escalation.called',
    stage: 'talos',
    data: { fingerprint: 'f1', case: 'talos-f1' },
  };
  const calls = (...stories: Story[]) => entryAfter(seen(), ...stories).escalation_calls;
  assert.is(calls(calledWith), 1);
  assert.is(calls(calledWith, refunded), 0);
  assert.is(calls(calledWith, calledWith, refunded), 1);
  assert.is(calls(refunded), 0);
  assert.is(entryAfter(seen(), calledWith).escalated, 'talos-f1');
  assert.is(entryAfter(seen(), calledWith, reset).escalated, undefined);
});

test('what was not taken is kept, the latest six, bounded; a note outlives how its patch stands, why it ended so does not', () => {
  const refused = (n: number): Story => ({
    type: 'fix.refused',
    stage: 'talos',
    data: {
      ...EXAMPLES['fix.refused'],
      reasons: [`line ${n}`, 'x'.repeat(400)],
      note: { fix: 'say it', reason: 'so' },
    },
  });
  const passed: Story = { type: 'plugin.passed', stage: 'talos', data: EXAMPLES['plugin.passed'] };
  const { refused: kept } = entryAfter(seen(), ...Array.from({ length: 8 }, (_, n) => refused(n)), passed);
  assert.equal(
    kept?.map(({ reason, code }) => [reason.slice(0, 6), reason.length, code]),
    [...[3, 4, 5, 6, 7].map((n) => [`line ${n}`, 300, 'masks']), ['becaus', 7, 'pass']],
  );
  assert.equal(kept?.[0], {
    plugin: 'ollama',
    tier: 'executor',
    code: 'masks',
    reason: `line 3; ${'x'.repeat(292)}`,
    note: { fix: 'say it', reason: 'so' },
    times: 1,
    time: '2026-11-10T06:04:00.000Z',
  });
  assert.is(entryAfter(seen(), refused(1), passed, passed, passed).refused?.length, 2, 'said again, it is kept once');
  const known = on('f1', { ...refused(1), data: { ...refused(1).data, plugin: 'known-fixes' } } as Story);
  assert.is(entryAfter(seen(), known).refused, undefined, 'no model learns from a known fix');
  const note = { fix: 'a', reason: 'b' };
  const { patches } = entryAfter(seen(), patch('h1', 'undone', { note }), patch('h1', 'applied', { note }));
  assert.equal([patches[0]?.note, patches[0]?.why], [note, undefined]);
});

test('what answers cost is added up for the day, and begins anew with the next', () => {
  const cost = (dollars: number): Story => ({
    type: 'model.used',
    stage: 'talos',
    data: { fingerprint: 'f1', tokens: 10, dollars },
  });
  const ledger = ledgerOf([cost(0.25), cost(0), cost(0.5)]);
  assert.equal([ledger.day.tokens, ledger.day.dollars, ledger.entries], [30, 0.75, {}]);
  ledgerOf([cost(0)], NOW + 2 * DAY, ledger);
  assert.equal([ledger.day.tokens, ledger.day.dollars], [10, undefined]);
});

test('what was used is added up over all days: tries, prompts, tokens and dollars; other events use nothing', () => {
  const committed = (was: boolean) => ({
    ...patch('h1', 'applied'),
    data: { ...EXAMPLES['fix.committed'], tried: was },
  });
  const cost = { ...used(10), data: { ...used(10).data, dollars: 0.5 } };
  const ledger = ledgerOf([seen(), opened, committed(false) as Story]);
  assert.equal([ledger.total, ledger.day.prompts, ledger.day.tries], [undefined, undefined, 0]);
  ledgerOf([tried()], NOW, ledger);
  assert.equal(ledger.total, { tries: 1, prompts: 0, tokens: 0, dollars: 0 });
  ledgerOf([cost as Story, used(7), committed(true) as Story], NOW + 2 * DAY, ledger);
  assert.equal(ledger.total, { tries: 2, prompts: 2, tokens: 17, dollars: 0.5 });
  assert.equal([ledger.day.tries, ledger.day.prompts], [1, 2]);
  assert.equal(ledgerOf([used(7)]).total, { tries: 0, prompts: 1, tokens: 7, dollars: 0 });
});

test('who proposed no change is known with what it was asked, until the counters start anew', () => {
  const passed = (prompt?: string): Story => ({
    type: 'plugin.passed',
    stage: 'talos',
    data: { ...EXAMPLES['plugin.passed'], ...(prompt && { prompt }) },
  });
  const entry = entryAfter(seen(), passed('p1'), passed(), passed('p2'));
  assert.equal(entry.passes, [{ plugin: 'ollama', prompt: 'p2' }]);
  assert.equal(
    [
      hasPassed('ollama', entry, 'p2'),
      hasPassed('ollama', entry, 'p3'),
      hasPassed('ollama', entry),
      hasPassed('x', entry),
    ],
    [true, false, true, false],
  );
  assert.is(entryAfter(seen(), passed()).passes, undefined);
  assert.is(entryAfter(seen(), passed('p1'), reset).passes, undefined);
});

test('what is proposed again is there once and counted: the same patch, or without one the same words of the same plugin', () => {
  const refused = (more: object): Story => ({
    type: 'fix.refused',
    stage: 'talos',
    data: { ...EXAMPLES['fix.refused'], reasons: ['no'], ...more },
  });
  const ask = { code: 'value', reasons: ['sets a to 1'] };
  const suggested: Story = {
    type: 'fix.suggested',
    stage: 'talos',
    data: { ...EXAMPLES['fix.suggested'], hash: 'h2', ask },
  };
  const { refused: kept } = entryAfter(
    ...[
      seen(),
      refused({ hash: 'h1' }),
      refused({ reasons: ['unreadable'] }),
      refused({ hash: 'h1', reasons: ['outside'] }),
    ],
    ...[refused({ reasons: ['unreadable'] }), suggested, suggested, refused({ reasons: ['another'] })],
  );
  assert.equal(
    kept?.map(({ code, hash, reason, times }) => [code, hash, reason, times]),
    [
      ['masks', 'h1', 'outside', 2],
      ['masks', undefined, 'unreadable', 2],
      ['ask', 'h2', 'sets a to 1', 2],
      ['masks', undefined, 'another', 1],
    ],
  );
});

test('a person is notified of each state once; a case that is opened waits anew', () => {
  assert.is(entryAfter(seen(), notified('give_up')).notified, 'give_up');
  assert.is(entryAfter(seen(), notified('give_up'), opened).notified, undefined);
  assert.is(entryAfter(seen(), notified('give_up'), reset).notified, undefined);
});

test('when a person was notified is known, and forgotten with a reset', () => {
  const entry = entryAfter(seen(), opened, notified('hand_over'));
  assert.equal([entry.notified, entry.notified_at], ['hand_over', '2026-11-10T06:02:00.000Z']);
  assert.is(entryAfter(seen(), opened, notified('hand_over'), reset).notified_at, undefined);
});

test('the fix that waits in a case is known with why, until the case is over or another is opened', () => {
  const ask = { code: 'new_program', reasons: ['runs `jq`'] };
  const waiting = { ...opened, data: { ...opened.data, hash: 'h1', ask } } as typeof opened;
  assert.equal(entryAfter(seen(), waiting).suggestion, { hash: 'h1', ask });
  for (const over of [opened, closed, answered('h1'), reset]) {
    assert.is(entryAfter(seen(), waiting, over).suggestion, undefined, over.type);
  }
});

test('green ends answers that wait for their failure; a reset leaves them, and what a person accepted stays accepted', () => {
  const green = { ...closed, data: { ...closed.data, green: true } } as typeof closed;
  assert.is(entryAfter(seen(), opened, answered('h1'), green).first, undefined);
  assert.equal(entryAfter(seen(), prepared('h1', 'prepared'), green).first?.because, 'prepared');
  assert.is(entryAfter(seen(), opened, answered('h1'), reset).first?.hash, 'h1');
  const agreed = { ...patch('h1', 'applied'), data: { ...patch('h1', 'applied').data, accepted: true } } as Story;
  assert.is(entryAfter(seen(), agreed, patch('h1', 'undone')).patches[0]?.accepted, true);
});

test('a case for a stage that is given up is only shown: nobody waits for its answer', () => {
  const data = { ...EXAMPLES['case.opened'], given_up: true };
  assert.is(entryAfter(seen(), { type: 'case.opened', stage: 'talos', data }).case, undefined);
});

test('the answer of a person closes the case and waits to be applied; their latest answer counts, and counts for no plugin', () => {
  const answers = (...stories: Story[]) => {
    const { case: open, first, patches } = entryAfter(seen(), opened, ...stories);
    return [open, first?.hash, first?.because, patches.map((p) => [p.hash, p.outcome])];
  };
  assert.equal(answers(answered('h1')), [undefined, 'h1', 'answered', []]);
  assert.equal(answers(answered('h1'), answered('h2')), [undefined, 'h2', 'answered', [['h1', 'declined']]]);
  assert.equal(answers(answered('h1'), answered('h1')), [undefined, 'h1', 'answered', []]);
  assert.equal(answers(prepared('h0', 'prepared'), answered('h1')), [undefined, 'h1', 'answered', []]);
  const byPerson = { tier: 'escalation', plugin: 'person' } as const;
  assert.is(entryAfter(seen(), answered('h1'), patch('h1', 'no_effect', byPerson)).fruitless, 0);
});

test('what is to be the first is so until it is applied or refused; a prepared change has one turn until a reset', () => {
  const refused = { type: 'fix.refused', stage: 'talos', data: { ...EXAMPLES['fix.refused'], hash: 'h1' } } as Story;
  assert.is(entryAfter(seen(), prepared('h1', 'undone'), refused).first, undefined);
  const tried = entryAfter(seen(), prepared('h1', 'prepared'), patch('h1', 'applied'));
  assert.equal([tried.first, tried.prepared], [undefined, true]);
  assert.is(entryAfter(seen(), prepared('h1', 'undone'), patch('h1', 'applied')).prepared, undefined);
  assert.is(entryAfter(seen(), prepared('h1', 'prepared'), patch('h1', 'applied'), reset).prepared, undefined);
  assert.is(entryAfter(seen(), prepared('h1', 'undone'), patch('h1', 'broke')).first, undefined);
});

test('a patch is listed once, with how it stands now, why, and its commit on the branch', () => {
  const { patches } = entryAfter(seen(), patch('h1', 'applied'), patch('h2', 'declined'), patch('h1', 'no_effect'));
  const ours = { tier: 'executor', plugin: 'ollama', run: RUN };
  const { note } = EXAMPLES['fix.committed'];
  assert.equal(patches, [
    {
      hash: 'h1',
      outcome: 'no_effect',
      ...ours,
      note,
      why: 'it is no_effect',
      commit: 'c-h1',
      time: '2026-11-10T06:03:00.000Z',
    },
    {
      hash: 'h2',
      outcome: 'declined',
      ...ours,
      note,
      why: 'it is declined',
      commit: 'c-h2',
      time: '2026-11-10T06:02:00.000Z',
    },
  ]);
});

test('an escalation is fruitless when its patch did not help, once each time', () => {
  const fruitless = (...stories: Story[]) => entryAfter(seen(), ...stories).fruitless;
  assert.is(fruitless(escalated('h1', 'applied'), escalated('h1', 'no_effect')), 1);
  assert.is(fruitless(escalated('h1', 'no_effect'), escalated('h1', 'no_effect'), escalated('h2', 'broke')), 2);
  assert.is(fruitless(escalated('h1', 'undone'), escalated('h2', 'applied'), patch('h3', 'broke')), 0);
});

test('a fix that left some of its steps failing did not mend the failure, and is known with them', () => {
  const kept = patch('h1', 'kept');
  const left = { ...kept, data: { ...kept.data, left: ['m[h=1]'] } } as Story;
  const entry = entryAfter(seen(), tried(), left);
  assert.equal([entry.patches[0]?.left, entry.kept_at, entry.executor_tries], [['m[h=1]'], undefined, 1]);
});

test('what was given up and cannot be recognised any more is over when the stage is green', () => {
  const green = { ...closed, data: { ...closed.data, green: true } } as Story;
  const isGivenUp = (orphaned: boolean, story: Story) => {
    const ledger = ledgerOf([seen(), gaveUp]);
    if (orphaned) (entryOf(ledger, 'talos', 'f1') as LedgerEntry).orphaned = true;
    return entryOf(ledgerOf([story], NOW, ledger), 'talos', 'f1')?.gave_up_at !== undefined;
  };
  assert.equal([isGivenUp(true, green), isGivenUp(true, closed), isGivenUp(false, green)], [false, true, true]);
});

test('the latest sighting decides whether a failure is transient or external', () => {
  const first = seen() as Extract<ReturnType<typeof seen>, { type: 'failure.seen' }>;
  const later = { ...first, data: { ...first.data, transient: true, external: true } };
  const flags = ({ transient, external }: LedgerEntry) => [transient, external];
  assert.equal(
    [flags(entryAfter(first)), flags(entryAfter(first, later))],
    [
      [false, false],
      [true, true],
    ],
  );
});

test('only the rollback of the kept fix itself makes the failure no surprise', () => {
  const kept = [seen(), patch('h1', 'applied'), patch('h1', 'kept')];
  const remembered = (...more: Parameters<typeof entryAfter>) => entryAfter(...kept, ...more).kept_at !== undefined;
  assert.equal(
    [remembered(), remembered(patch('h2', 'declined')), remembered(patch('h1', 'undone'))],
    [true, true, true],
  );
  assert.is(remembered(patch('h1', 'declined')), false);
});

test('a kept fix restarts the counters, keeps the history and remembers when', () => {
  const spent = [
    seen(),
    tried(),
    patch('h1', 'no_effect'),
    called,
    escalated('h2', 'broke'),
    escalated('h3', 'applied'),
  ];
  assert.equal(counters(entryAfter(...spent)), [1, 1, 1]);
  const entry = entryAfter(...spent, escalated('h3', 'kept'));
  assert.equal([counters(entry), entry.times_seen, entry.patches.length], [[0, 0, 0], 1, 3]);
  assert.is(entry.kept_at, '2026-11-10T06:06:00.000Z');
});

test('a reset restarts all of a stage: counters, give_up, case, flapping; the history and other stages stay', () => {
  const ledger = ledgerOf([
    ...[seen(), patch('h0', 'kept'), tried(), patch('h1', 'broke'), patch('h9', 'declined'), called, gaveUp, opened],
    ...[seen('f2'), on('f2', tried()), seen('f1', 'apps'), on('f1', called, 'apps'), reset],
  ]);
  const entry = entryOf(ledger, 'talos', 'f1') as LedgerEntry;
  assert.equal(counters(entry), [0, 0, 0]);
  assert.equal([entry.gave_up_at, entry.case, entry.kept_at], [undefined, undefined, undefined]);
  assert.equal([entry.patches.map((p) => p.outcome), entry.times_seen], [['kept', 'broke'], 1]);
  assert.is(entryOf(ledger, 'talos', 'f2')?.executor_tries, 0);
  assert.is(entryOf(ledger, 'apps', 'f1')?.escalation_calls, 1);
});

test('a stage that recovered is no longer given up, but what was spent stays spent', () => {
  const entry = entryAfter(seen(), tried(), called, gaveUp, recovered);
  assert.equal([entry.gave_up_at, counters(entry)], [undefined, [1, 1, 0]]);
});

test('a case is closed by its fingerprint, or with all cases of the stage', () => {
  assert.is(entryAfter(opened).case, 'c-7');
  assert.is(entryAfter(opened, on('f2', closed)).case, 'c-7');
  assert.is(entryAfter(opened, closed).case, undefined);
});

test('what is used counts for the UTC day; after a jump back it counts for the latest day seen', () => {
  const late = ledgerOf([tried(), used(10)], Date.UTC(2026, 10, 10, 23, 59));
  assert.equal(late.day, { date: '2026-11-11', tries: 0, tokens: 10, prompts: 1 });
  assert.equal(ledgerOf([tried(), used(5)], NOW - 3 * DAY, late).day, {
    date: '2026-11-11',
    tries: 1,
    tokens: 15,
    prompts: 2,
  });
});

test('property: the same events give the same ledger, also from disk, and it passes for one', () => {
  fc.assert(
    fc.property(anyStories(), (events) => {
      const ledger = emptyLedger();
      for (const event of events) foldLedger(ledger, event);
      assert.ok(events.every((event) => isEvent(event) && isStory(event)));
      assert.ok(isLedger(JSON.parse(JSON.stringify(ledger))));
      const again = emptyLedger();
      for (const event of events) foldLedger(again, JSON.parse(JSON.stringify(event)) as StoryEvent);
      assert.equal(again, ledger);
      const { run = '', seq = 0 } = events.at(-1) ?? {};
      assert.equal(
        [ledger.as_of, ledger.last_line],
        [
          { run, seq },
          { run, seq },
        ],
      );
    }),
    runs(100, 3000),
  );
});

test('property: a snapshot stands for all events before it, whatever was folded before, and what comes behind it goes on from there', () => {
  fc.assert(
    fc.property(anyStories(), fc.nat(30), anyStories(5), (events, at, other) => {
      const whole = emptyLedger();
      for (const event of events) foldLedger(whole, event);
      const half = emptyLedger();
      for (const event of events.slice(0, at)) foldLedger(half, event);
      const data = { ledger: structuredClone(half) };
      const snapshot = stamped({ type: 'ledger.snapshot', data }, half.as_of.seq, NOW, half.as_of.run);
      const ledger = emptyLedger();
      for (const event of [...other, snapshot, snapshot, ...events.slice(at)]) foldLedger(ledger, event);
      assert.equal(ledger, whole);
    }),
    runs(50, 1500),
  );
});

test('property: counters only grow until a reset, a kept or a superseded fix; what a day used only grows until a later day', () => {
  fc.assert(
    fc.property(anyStories(), (events) => {
      const ledger = emptyLedger();
      for (const event of events) {
        const { day, entries } = structuredClone(ledger);
        foldLedger(ledger, event);
        assert.ok(ledger.day.date >= day.date);
        if (ledger.day.date === day.date) {
          assert.ok(ledger.day.tries >= day.tries && ledger.day.tokens >= day.tokens);
        }
        if (event.type === 'stage.reset' || event.type === 'escalation.refunded') continue;
        if (event.type === 'fix.judged' && ['kept', 'superseded'].includes(event.data.outcome)) continue;
        for (const [key, before] of Object.entries(entries)) {
          const after = counters(ledger.entries[key] as LedgerEntry);
          assert.ok(counters(before).every((n, i) => (after[i] as number) >= n));
        }
      }
    }),
    runs(100, 3000),
  );
});

test.run();
