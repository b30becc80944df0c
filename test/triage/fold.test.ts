import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { foldLedger } from '../../src/triage/fold.ts';
import { emptyLedger, entryOf, isLedger, type LedgerEntry } from '../../src/triage/ledger.ts';
import { isLedgerRecord, LEDGER_TYPES, type LedgerHappening } from '../../src/triage/records.ts';
import { fc, runs } from '../sweep.ts';
import {
  anyRecords,
  called,
  closed,
  DAY,
  ENDED,
  entryAfter,
  escalated,
  gaveUp,
  ledgerOf,
  NOW,
  opened,
  patch,
  RUN,
  recovered,
  reset,
  seen,
  tried,
  used,
} from './builders.ts';

const counters = ({ executor_tries, escalation_calls, fruitless }: LedgerEntry) => [
  executor_tries,
  escalation_calls,
  fruitless,
];

test('a sighting is counted, with when, where and what it was', () => {
  const again: LedgerHappening = {
    ...{ type: 'seen', stage: 'talos', fingerprint: 'f1' },
    data: {
      class: 'network_error',
      transient: true,
      external: false,
      excerpt: `${'x'.repeat(300)}\ntwo\nthree`,
      ended: ENDED,
    },
  };
  assert.equal(entryAfter(seen(), again), {
    ...{ stage: 'talos', fingerprint: 'f1', class: 'network_error', transient: true, external: false },
    excerpt: `${'x'.repeat(200)}\ntwo`,
    ended: ENDED,
    ...{ first_seen: '2026-11-10T06:00:00.000Z', last_seen: '2026-11-10T06:01:00.000Z', times_seen: 2 },
    ...{ executor_tries: 0, escalation_calls: 0, fruitless: 0, try_fixes: [], patches: [] },
  });
  const first = entryAfter(seen());
  assert.equal([first.run, first.log], [RUN, `ai/logs/talos/${RUN}-1.log`]);
});

test('the last decision and its reason are kept for whoever asks why', () => {
  const decided: LedgerHappening = {
    ...{ type: 'decided', stage: 'talos', fingerprint: 'f1', data: { tier: 'wait', reason: 'first of 3 waits' } },
  };
  const { last_tier, last_reason } = entryAfter(seen(), decided);
  assert.equal([last_tier, last_reason], ['wait', 'first of 3 waits']);
});

test('a provider that failed spends nothing: tries and calls are spent by their own records alone', () => {
  const spend = Object.keys(LEDGER_TYPES).filter((type) => {
    const data = {
      ...{
        tier: 'executor',
        reason: '',
        class: 'unknown',
        transient: false,
        external: false,
        excerpt: '',
        ended: ENDED,
      },
    };
    const record = {
      ...{ v: 1, seq: 1, time: new Date(NOW).toISOString(), type, stage: 'talos', fingerprint: 'f1' },
      data: {
        ...data,
        hash: 'h',
        outcome: 'applied',
        plugin: 'p',
        case: 'c',
        tokens: 5,
        ledger: emptyLedger(),
        refused: [],
        state: 's',
      },
    };
    assert.ok(isLedgerRecord(record), type);
    const ledger = emptyLedger();
    foldLedger(ledger, record);
    const entry = entryOf(ledger, 'talos', 'f1');
    return ledger.day.tries > 0 || (entry && counters(entry).some((n) => n > 0));
  });
  assert.equal(spend, ['tried', 'called']);
});

test('a call is counted before it is made, and given back when whoever was called could not be reached', () => {
  const on = (type: 'called' | 'uncalled'): LedgerHappening =>
    ({
      type,
      stage: 'talos',
      fingerprint: 'f1',
      data: type === 'called' ? { case: 'talos-f1' } : {},
    }) as LedgerHappening;
  const calls = (...happenings: LedgerHappening[]) => entryAfter(seen(), ...happenings).escalation_calls;
  assert.is(calls(on('called')), 1);
  assert.is(calls(on('called'), on('uncalled')), 0);
  assert.is(calls(on('called'), on('called'), on('uncalled')), 1);
  assert.is(calls(on('uncalled')), 0);
  assert.is(entryAfter(seen(), on('called')).escalated, 'talos-f1');
  const reset: LedgerHappening = { type: 'reset', stage: 'talos', data: {} };
  assert.is(entryAfter(seen(), on('called'), reset).escalated, undefined);
});

test('what was not taken is kept, the latest six, and a note outlives how its patch stands', () => {
  const refused = (n: number): LedgerHappening => ({
    ...{ type: 'tried', stage: 'talos', fingerprint: 'f1' },
    data: { refused: [{ plugin: 'ollama', tier: 'executor', code: 'masks', reason: `line ${n}` }] },
  });
  const entry = entryAfter(seen(), ...Array.from({ length: 8 }, (_, n) => refused(n)));
  assert.equal(
    entry.refused?.map(({ reason }) => reason),
    ['line 2', 'line 3', 'line 4', 'line 5', 'line 6', 'line 7'],
  );
  const note = { fix: 'a', reason: 'b' };
  const noted = (data: object): LedgerHappening => {
    const { data: plain, ...rest } = patch('h1', 'applied') as LedgerHappening & { type: 'patch' };
    return { ...rest, data: { ...plain, ...data } };
  };
  const { patches } = entryAfter(seen(), noted({ note, why: 'then' }), patch('h1', 'no_effect'));
  assert.equal(patches[0]?.note, note);
  assert.is(patches[0]?.why, undefined);
});

test('what answers cost is added up for the day, and begins anew with the next', () => {
  const cost = (dollars: number): LedgerHappening => ({ type: 'used', data: { tokens: 10, dollars } });
  const ledger = ledgerOf([cost(0.25), cost(0), cost(0.5)]);
  assert.equal([ledger.day.tokens, ledger.day.dollars], [30, 0.75]);
  ledgerOf([cost(0)], NOW + 2 * DAY, ledger);
  assert.equal([ledger.day.tokens, ledger.day.dollars], [10, undefined]);
});

test('a patch is listed once, with how it stands now', () => {
  const { patches } = entryAfter(seen(), patch('h1', 'applied'), patch('h2', 'refused'), patch('h1', 'no_effect'));
  const ours = { tier: 'executor', plugin: 'ollama', run: RUN };
  assert.equal(patches, [
    { hash: 'h1', outcome: 'no_effect', ...ours, time: '2026-11-10T06:03:00.000Z' },
    { hash: 'h2', outcome: 'refused', ...ours, time: '2026-11-10T06:02:00.000Z' },
  ]);
});

test('a patch refused because it was tried keeps how it went then; a withdrawn one that no longer applies is refused', () => {
  const outcome = (...happenings: LedgerHappening[]) => entryAfter(...happenings).patches[0]?.outcome;
  for (const kept of ['verified', 'no_effect', 'broke', 'provisional', 'applied'] as const) {
    assert.is(outcome(patch('h1', kept), patch('h1', 'refused')), kept);
  }
  assert.is(outcome(patch('h1', 'withdrawn'), patch('h1', 'refused')), 'refused');
});

test('an escalation is fruitless when its patch is reverted, once each time', () => {
  const fruitless = (...happenings: LedgerHappening[]) => entryAfter(seen(), ...happenings).fruitless;
  assert.is(fruitless(escalated('h1', 'applied'), escalated('h1', 'no_effect')), 1);
  assert.is(fruitless(escalated('h1', 'no_effect'), escalated('h1', 'no_effect'), escalated('h2', 'broke')), 2);
  assert.is(fruitless(escalated('h1', 'withdrawn'), escalated('h2', 'provisional'), patch('h3', 'broke')), 0);
});

test('a verified fix restarts the counters, keeps the history and remembers when', () => {
  const spent = [
    seen(),
    tried(),
    patch('h1', 'no_effect'),
    called,
    escalated('h2', 'broke'),
    escalated('h3', 'applied'),
  ];
  assert.equal(counters(entryAfter(...spent)), [1, 1, 1]);
  const entry = entryAfter(...spent, escalated('h3', 'verified'));
  assert.equal([counters(entry), entry.times_seen, entry.patches.length], [[0, 0, 0], 1, 3]);
  assert.is(entry.verified_at, '2026-11-10T06:06:00.000Z');
});

test('a reset restarts all of a stage: counters, give_up, case, flapping; the history and other stages stay', () => {
  const other: LedgerHappening = { ...called, stage: 'apps' } as LedgerHappening;
  const ledger = ledgerOf([
    ...[seen(), patch('h0', 'verified'), tried('h1'), patch('h1', 'broke'), called, gaveUp, opened],
    ...[seen('f2'), { ...tried(), fingerprint: 'f2' } as LedgerHappening, seen('f1', 'apps'), other, reset],
  ]);
  const entry = entryOf(ledger, 'talos', 'f1') as LedgerEntry;
  assert.equal([counters(entry), entry.try_fixes], [[0, 0, 0], []]);
  assert.equal([entry.gave_up_at, entry.case, entry.verified_at], [undefined, undefined, undefined]);
  assert.equal([entry.patches.map((p) => p.outcome), entry.times_seen], [['verified', 'broke'], 1]);
  assert.is(entryOf(ledger, 'talos', 'f2')?.executor_tries, 0);
  assert.is(entryOf(ledger, 'apps', 'f1')?.escalation_calls, 1);
});

test('a stage that recovered is no longer given up, but what was spent stays spent', () => {
  const entry = entryAfter(seen(), tried(), called, gaveUp, recovered);
  assert.equal([entry.gave_up_at, counters(entry)], [undefined, [1, 1, 0]]);
});

test('a case is closed by its fingerprint, or with all cases of the stage', () => {
  const answered: LedgerHappening = { ...closed, fingerprint: 'f2' } as LedgerHappening;
  assert.is(entryAfter(opened).case, 'c-7');
  assert.is(entryAfter(opened, answered).case, 'c-7');
  assert.is(entryAfter(opened, closed).case, undefined);
});

test('what is used counts for the UTC day; after a jump back it counts for the latest day seen', () => {
  const late = ledgerOf([tried(), used(10)], Date.UTC(2026, 10, 10, 23, 59));
  assert.equal(late.day, { date: '2026-11-11', tries: 0, tokens: 10 });
  assert.equal(ledgerOf([tried(), used(5)], NOW - 3 * DAY, late).day, { date: '2026-11-11', tries: 1, tokens: 15 });
});

test('property: the same records give the same ledger, one that passes for a ledger; folding them twice changes nothing', () => {
  fc.assert(
    fc.property(anyRecords(), (records) => {
      const ledger = emptyLedger();
      for (const record of records) foldLedger(ledger, record);
      const kept = structuredClone(ledger);
      assert.ok(records.every(isLedgerRecord));
      assert.ok(isLedger(JSON.parse(JSON.stringify(ledger))));
      for (const record of records) foldLedger(ledger, record);
      assert.equal(ledger, kept);
      const again = emptyLedger();
      for (const record of records) {
        foldLedger(again, record);
        foldLedger(again, record);
      }
      assert.equal(again, kept);
    }),
    runs(100, 3000),
  );
});

test('property: counters only grow until a reset or a verified fix; what a day used only grows until a later day', () => {
  fc.assert(
    fc.property(anyRecords(), (records) => {
      const ledger = emptyLedger();
      for (const record of records) {
        const { day, entries } = structuredClone(ledger);
        foldLedger(ledger, record);
        assert.ok(ledger.day.date >= day.date);
        if (ledger.day.date === day.date) {
          assert.ok(ledger.day.tries >= day.tries && ledger.day.tokens >= day.tokens);
        }
        if (record.type === 'reset' || (record.type === 'patch' && record.data.outcome === 'verified')) continue;
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
