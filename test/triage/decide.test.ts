import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type DecidedIncident,
  type Decision,
  decide,
  type Situation,
  type Undecided,
  WHY,
  type Why,
} from '../../src/triage/decide.ts';
import { entryOf } from '../../src/triage/ledger.ts';
import { fc, runs } from '../sweep.ts';
import {
  answered,
  anyStory,
  called,
  closed,
  DAY,
  entryAfter,
  escalated,
  FAILURE,
  gaveUp,
  incident,
  ledgerOf,
  NOW,
  opened,
  patch,
  prepared,
  recovered,
  reset,
  type Story,
  seen,
  situation,
  tried,
} from './builders.ts';

const TRIED = [tried(), tried(), tried()];
const transient = { ...FAILURE, class: 'network_error', transient: true } as const;
const external = { ...FAILURE, class: 'permission_denied', external: true } as const;

/** The decision on a failure after these events, in an everyday situation but for `more`. */
const after = (stories: Story[], more: Partial<DecidedIncident & Situation> = {}): Decision =>
  decide(incident({ history: entryAfter(seen(), ...stories), ...more }), situation(more));
const limits = (more: Partial<Situation['limits']>) => ({ ...situation().limits, ...more });
const none = (why: Why, exit: 1 | 3, reason: string): Decision => ({ tier: 'none', why, exit, reason });
const all = (reason: string): Decision => ({ tier: 'executor', scope: 'all', reason });
const known = (reason: string): Decision => ({ tier: 'executor', scope: 'known-fixes-only', reason });

test('a transient failure is waited out, each time longer, 3 times in a run; then it counts as persistent', () => {
  const waits = [0, 1, 2, 3].map((n) => after([], { failure: transient, waits: n }));
  assert.equal(waits, [
    { tier: 'wait', pause_ms: 30_000, reason: 'it may pass by itself, first of 3 waits' },
    { tier: 'wait', pause_ms: 60_000, reason: 'it may pass by itself, second of 3 waits' },
    { tier: 'wait', pause_ms: 120_000, reason: 'it may pass by itself, third of 3 waits' },
    all('it did not pass in 3 waits; a new failure: first of 3 tries'),
  ]);
});

test('what no fix may mend goes to the person, unless a known fix or a fix of before fits, and no try is spent on it', () => {
  const out_of_reach = 'the error is in inventory/hosts.yml, which no fix may change';
  const handedOver = none('out_of_reach', 3, out_of_reach);
  assert.equal(after([], { out_of_reach }), handedOver);
  assert.equal(after([tried()], { out_of_reach, executors: 'none', safe_mode: true }), handedOver);
  assert.equal(after([], { out_of_reach, known_fix: true }), known('a known fix fits'));
  assert.is(after([], { out_of_reach, ai: false }).tier, 'none');
  assert.is(after([], { failure: transient, out_of_reach }).tier, 'wait');
});

test('where every executor proposed no change, none is asked again: escalations are, and without any it is given up', () => {
  const because = 'no executor proposes a change';
  assert.equal(after([], { executors: 'passed' }), {
    tier: 'escalation',
    reason: `${because}: first of 3 calls, a new failure`,
  });
  const gaveUp = (what: string) => ({ tier: 'give_up', reason: `${because}, and ${what}` });
  assert.equal(after([], { executors: 'passed', escalations: 'none' }), gaveUp('there is no escalation'));
  assert.equal(after([], { executors: 'passed', escalations: 'passed' }), gaveUp('no escalation proposes a change'));
  assert.equal(after([], { executors: 'passed', escalations: 'down' }).tier, 'none');
  assert.is(after([], { failure: transient, executors: 'passed' }).tier, 'wait');
});

test('only what was waited for is said not to have passed', () => {
  const reason = (more: Partial<DecidedIncident & Situation>) => after([], more).reason;
  assert.is(reason({ failure: transient, backoff: [1], waits: 1 }).split(';')[0], 'it did not pass in 1 wait');
  for (const more of [{ failure: transient, backoff: [] }, { waits: 2 }])
    assert.is(reason(more), 'a new failure: first of 3 tries');
});

test('a run ends with 3 where it is a person’s turn, with 1 where a later run may go on', () => {
  const names = Object.keys(WHY) as Why[];
  const turnOfPerson = ['open_case', 'out_of_reach', 'no_progress', 'give_up_stands', 'safe_mode', 'git_refused'];
  for (const why of names) assert.is(WHY[why], turnOfPerson.includes(why) ? 3 : 1, why);
});

test('waits stay without AI and in safe mode', () => {
  for (const off of [{ ai: false }, { safe_mode: true }]) {
    assert.is(after([], { failure: transient, ...off }).tier, 'wait');
  }
});

test('a wait that does not fit into the time left is not begun', () => {
  const at = (time_left_ms: number) => after([], { failure: transient, time_left_ms });
  assert.is(at(30_001).tier, 'wait');
  assert.equal(at(30_000), none('run_time_spent', 1, 'a wait of 30 s does not fit into the time left of this run'));
});

test('a new failure goes to the executors, also one the ledger has no word of', () => {
  assert.equal(after([]), all('a new failure: first of 3 tries'));
  assert.equal(after([], { history: undefined }), all('a new failure: first of 3 tries'));
});

test('a failure that comes back stays with the executors while there are tries', () => {
  assert.equal(
    after([tried(), seen(), tried(), seen(), seen()]),
    all('seen 4 times since 2026-11-10: third of 3 tries'),
  );
});

test('then it is escalated, call by call', () => {
  assert.equal(after([...TRIED, seen()]), {
    tier: 'escalation',
    reason: '3 of 3 tries spent: first of 3 calls, seen 2 times since 2026-11-10',
  });
  assert.equal(after([...TRIED, seen(), called, called]), {
    tier: 'escalation',
    reason: '3 of 3 tries spent: third of 3 calls, seen 2 times since 2026-11-10',
  });
});

test('it is given up after 3 calls, also when a patch of theirs applied', () => {
  const calls = [...TRIED, called, called, called, escalated('h1', 'applied')];
  assert.equal(after(calls), { tier: 'give_up', reason: '3 of 3 tries spent, and 3 of 3 calls made' });
});

test('it is given up after 2 escalations without effect', () => {
  const calls = [...TRIED, called, escalated('h1', 'no_effect'), called, escalated('h2', 'broke')];
  assert.equal(after(calls), { tier: 'give_up', reason: '3 of 3 tries spent, and 2 escalations had no effect' });
});

test('with no escalation to call it is given up once the tries are spent', () => {
  const reason = '3 of 3 tries spent, and there is no escalation';
  assert.equal(after(TRIED, { escalations: 'none' }), { tier: 'give_up', reason });
  assert.equal(after(TRIED, { limits: limits({ escalation_calls: 0 }) }), { tier: 'give_up', reason });
  assert.equal(after(TRIED, { escalations: 'none', executors: 'down' }), { tier: 'give_up', reason });
});

test('a give_up stands until a reset, or until it cleared itself', () => {
  assert.equal(
    after([...TRIED, gaveUp]),
    none('give_up_stands', 3, 'it was given up on 2026-11-10; reset the stage to start again'),
  );
  assert.equal(after([...TRIED, gaveUp, reset]), all('a new failure: first of 3 tries'));
  assert.is(after([tried(), gaveUp, recovered]).tier, 'executor');
});

test('an open case is not called again, nor waited for', () => {
  const open = none('open_case', 3, 'case c-7 is open');
  assert.equal(after([...TRIED, called, opened]), open);
  assert.equal(after([opened], { failure: transient }), open);
  assert.equal(after([opened, answered('h1'), opened], { ai: false }), open);
  assert.is(after([...TRIED, called, opened, closed]).tier, 'escalation');
});

test('a failure that is back within 7 days of a kept fix goes to escalation at once', () => {
  const fixed = [patch('h1', 'kept'), seen()];
  const flapping = 'it is back within 7 days of a fix that was kept on 2026-11-10';
  const reason = `${flapping}: first of 3 calls, seen 2 times since 2026-11-10`;
  assert.equal(after(fixed, { now: NOW + 6 * DAY }), { tier: 'escalation', reason });
  assert.equal(after(fixed, { now: NOW + 8 * DAY }), all('seen 2 times since 2026-11-10: first of 3 tries'));
  assert.equal(after([...fixed, reset]), all('seen 2 times since 2026-11-10: first of 3 tries'));
  assert.equal(after(fixed, { escalations: 'none' }), {
    tier: 'give_up',
    reason: `${flapping}, and there is no escalation`,
  });
});

test('the change that waits for a failure comes first, asking nobody and spending no try', () => {
  const first = (reason: string): Decision => ({ tier: 'executor', scope: 'first', reason });
  const back = first('what an earlier trial came further with is applied first, nobody is asked');
  const waiting = [...TRIED, patch('h2', 'broke'), prepared('h1', 'prepared')];
  assert.equal(after(waiting), back);
  assert.equal(after(waiting, { executors: 'down', escalations: 'down', failure: external }), back);
  const spent = { date: '2026-11-10', tries: 60, tokens: 2_000_000 };
  assert.equal(after([...waiting, called, called, called], { day: spent }), back);
  const undone = first('a change that was undone unjudged is applied again, nobody is asked');
  assert.equal(after([prepared('h1', 'undone')]), undone);
  const person = first('a person answered the case: their change is applied first');
  assert.equal(after([answered('h2')]), person);
  assert.is(after([prepared('h1', 'undone'), patch('h1', 'applied')]).reason, 'a new failure: first of 3 tries');
});

test('an external failure sees no model, only known fixes', () => {
  const outside = none('external', 1, 'permission_denied: nothing in the repository can fix it');
  assert.equal(after([], { failure: external }), outside);
  assert.equal(after(TRIED, { failure: external }), outside);
  assert.equal(after([], { failure: external, known_fix: true, ai: false }), outside);
  assert.equal(after([], { failure: external, safe_mode: true }), outside);
  assert.equal(
    after([], { failure: external, known_fix: true }),
    known('nothing in the repository can fix it, but a known fix fits'),
  );
});

test('a failure that is transient and external is waited out first', () => {
  const both = { ...external, transient: true };
  assert.is(after([], { failure: both }).tier, 'wait');
  assert.is((after([], { failure: both, waits: 3 }) as { why?: Why }).why, 'external');
});

test('without AI there is no executor of any kind and no escalation', () => {
  const off = none('no_ai', 1, 'the AI is switched off for this run');
  for (const before of [[], TRIED, [answered('h1')], [patch('h1', 'kept')]]) {
    assert.equal(after(before, { ai: false, known_fix: true }), off);
  }
});

test('safe mode keeps the AI from changing anything, and is named only where it kept something from being done', () => {
  const kept = none('safe_mode', 3, 'safe mode is on: the AI changes nothing');
  for (const before of [[], TRIED, [answered('h1')], [patch('h1', 'kept')]]) {
    assert.equal(after(before, { safe_mode: true }), kept);
  }
  assert.equal(after([], { safe_mode: true, executors: 'down', known_fix: true }), kept);
  assert.equal(after([], { safe_mode: true, executors: 'down' }), none('no_executor', 1, 'no executor can be reached'));
  assert.is(after([...TRIED, called, called, called], { safe_mode: true }).tier, 'give_up');
});

test('with no executor to be reached the stage is failed and nothing is escalated; a known fix is still tried', () => {
  assert.equal(after([tried()], { executors: 'down' }), none('no_executor', 1, 'no executor can be reached'));
  assert.equal(after([], { executors: 'down', known_fix: true }), known('a known fix fits'));
});

test('an owner without executors has escalations at once; without both the stage is just failed', () => {
  assert.equal(after([], { executors: 'none' }), {
    tier: 'escalation',
    reason: 'no executor has a fix for it: first of 3 calls, a new failure',
  });
  const nobody = none('no_executor', 1, 'no executor has a fix for it');
  for (const before of [[], TRIED]) assert.equal(after(before, { executors: 'none', escalations: 'none' }), nobody);
  assert.is(
    after([], { executors: 'none', history: undefined }).reason.split(': ')[1],
    'first of 3 calls, a new failure',
  );
  assert.equal(after([], { limits: limits({ executor_tries: 0, escalation_calls: 0 }) }), nobody);
  assert.is(after([], { limits: limits({ executor_tries: 0 }) }).tier, 'escalation');
});

test('an escalation that cannot be reached spends no call and is no give_up', () => {
  assert.equal(
    after(TRIED, { escalations: 'down' }),
    none('no_escalation', 1, '3 of 3 tries spent, but no escalation can be reached'),
  );
});

test('the caps of a day end the AI work for the day, not the known fixes', () => {
  const tries = { date: '2026-11-10', tries: 60, tokens: 0 };
  const tokens = { date: '2026-11-10', tries: 1, tokens: 2_000_000 };
  assert.equal(after([], { day: tries }), none('day_tries_spent', 1, '60 tries on 2026-11-10, 60 at most'));
  const used = '2000000 tokens used on 2026-11-10, 2000000 at most';
  assert.equal(after([], { day: tokens }), none('day_tokens_spent', 1, used));
  assert.equal(after(TRIED, { day: tokens }), none('day_tokens_spent', 1, used));
  const dollars = { date: '2026-11-10', tries: 0, tokens: 5, dollars: 2.5 };
  const limits = { ...situation().limits, day_dollars: 2.5 };
  const spent = '$2.50 spent on 2026-11-10, $2.5 at most';
  assert.equal(after([], { day: dollars, limits }), none('day_dollars_spent', 1, spent));
  assert.equal(after(TRIED, { day: dollars, limits }), none('day_dollars_spent', 1, spent));
  assert.is(after([], { day: dollars, limits: { ...limits, day_dollars: 3 } }).tier, 'executor');
  assert.is(after([], { day: dollars }).tier, 'executor');
  assert.is(after([], { limits: { ...limits, day_dollars: 0.01 } }).tier, 'executor', 'nothing was spent yet');
  assert.is(after(TRIED, { day: tries }).tier, 'escalation');
  assert.is(after([], { day: tries, known_fix: true }).tier, 'executor');
  assert.is(after([], { day: tries, now: NOW + DAY }).tier, 'executor');
  assert.is(after([], { day: tries, now: NOW - DAY }).tier, 'none');
});

test('a stage has 20 attempts in a run, whatever they are for, and a run has its time', () => {
  const spent = none('attempts_spent', 1, '20 attempts in this run, 20 at most');
  assert.is(after([], { attempt: 19 }).tier, 'executor');
  assert.equal(after([], { attempt: 20 }), spent);
  assert.equal(after([answered('h1')], { attempt: 20, failure: transient }), spent);
  assert.is(after([], { time_left_ms: 1 }).tier, 'executor');
  assert.equal(after([], { time_left_ms: 0 }), none('run_time_spent', 1, 'the time of this run is spent'));
});

test('who knows a fix is asked only where that decides; without being told, the answer is to look or what both would be', () => {
  const cases: [Story[], Partial<DecidedIncident & Situation>, Decision | Undecided][] = [
    [[], {}, { tier: 'find_known_fix' }],
    [[], { executors: 'down' }, { tier: 'find_known_fix' }],
    [[], { failure: external }, { tier: 'find_known_fix' }],
    [[], { failure: transient, waits: 3 }, { tier: 'find_known_fix' }],
    [[opened], {}, none('open_case', 3, 'case c-7 is open')],
    [[], { safe_mode: true }, none('safe_mode', 3, 'safe mode is on: the AI changes nothing')],
    [[], { ai: false }, none('no_ai', 1, 'the AI is switched off for this run')],
    [TRIED, { escalations: 'none' }, { tier: 'give_up', reason: '3 of 3 tries spent, and there is no escalation' }],
  ];
  for (const [stories, more, expected] of cases) {
    const history = entryAfter(seen(), ...stories);
    assert.equal(decide(incident({ history, ...more }), { ...situation(more), known_fix: undefined }), expected);
  }
});

const availability = fc.constantFrom('none', 'down', 'ready') as fc.Arbitrary<Situation['escalations']>;
const anyDecision = fc
  .record({
    before: fc.array(anyStory, { maxLength: 12 }),
    failure: fc.record({ class: fc.constant('unknown' as const), transient: fc.boolean(), external: fc.boolean() }),
    attempt: fc.nat(25),
    waits: fc.nat(4),
    time_left_ms: fc.integer({ min: -1, max: 200_000 }),
    limits: fc.record({
      executor_tries: fc.nat(3),
      escalation_calls: fc.nat(3),
      stage_attempts: fc.integer({ min: 1, max: 20 }),
      day_tries: fc.nat(5),
      day_tokens: fc.nat(5000),
    }),
    backoff: fc.array(fc.nat(120_000), { maxLength: 3 }),
    ai: fc.boolean(),
    safe_mode: fc.boolean(),
    known_fix: fc.boolean(),
    executors: fc.oneof(availability, fc.constant('passed' as const)),
    escalations: availability,
    now: fc.integer({ min: NOW - 9 * DAY, max: NOW + 9 * DAY }),
  })
  .map(({ before, failure, attempt, waits, ...rest }) => {
    const ledger = ledgerOf(before);
    const history = entryOf(ledger, 'talos', 'f1');
    return { incident: { failure, attempt, waits, history }, situation: { ...rest, day: ledger.day } };
  });

test('an item that came to nothing twice is a person’s; a stage is looked at again by every run', () => {
  const down = { executors: 'down', known_fix: false } as const;
  const item = { steps: 1, testsFailed: false };
  assert.equal(after([], { ...down, item }), none('no_executor', 1, 'no executor can be reached'));
  assert.equal(after([seen()], { ...down }), none('no_executor', 1, 'no executor can be reached'));
  assert.equal(after([seen()], { ...down, item }), none('no_executor', 1, 'no executor can be reached'));
  const nobody = { executors: 'none', escalations: 'none', known_fix: false } as const;
  const stuck = none('no_progress', 3, 'no progress twice: no executor has a fix for it');
  assert.equal(after([seen()], { ...nobody, item }), stuck);
  assert.is((after([seen()], { failure: external, known_fix: false, item }) as { why?: Why }).why, 'no_progress');
  assert.is((after([seen()], { ...down, item, ai: false }) as { why?: Why }).why, 'no_ai');
});

test('property: there is always one answer with a reason, the same each time, and it changes nothing', () => {
  fc.assert(
    fc.property(anyDecision, (given) => {
      const before = JSON.stringify(given);
      const decision = decide(given.incident, given.situation);
      assert.equal(decide(given.incident, given.situation), decision);
      assert.is(JSON.stringify(given), before);
      assert.match(decision.reason, /^[^\n]{10,160}$/);
      assert.not.match(decision.reason, /undefined|NaN|null/);
      if (decision.tier === 'none') assert.is(decision.exit, WHY[decision.why]);
    }),
    runs(400, 20000),
  );
});

test('property: an answer before anybody looked stands whether or not a known fix fits', () => {
  fc.assert(
    fc.property(anyDecision, ({ incident, situation }) => {
      const early = decide(incident, { ...situation, known_fix: undefined });
      if (early.tier === 'find_known_fix') return;
      const answers = [true, false].map((known_fix) => decide(incident, { ...situation, known_fix }));
      // In safe mode nobody looks: either answer changes nothing.
      if (!situation.safe_mode) assert.equal(answers, [early, early]);
      else assert.ok(answers.some((answer) => JSON.stringify(answer) === JSON.stringify(early)));
    }),
    runs(400, 20000),
  );
});

test('property: without AI or in safe mode nothing is asked for a change, and no cap is ever passed', () => {
  fc.assert(
    fc.property(anyDecision, ({ incident: { history, failure, attempt, waits }, situation }) => {
      const decision = decide({ history, failure, attempt, waits }, situation);
      const { tier } = decision;
      if (tier === 'none' || tier === 'give_up') return;
      assert.ok(attempt < situation.limits.stage_attempts && situation.time_left_ms > 0);
      assert.ok(history?.case === undefined && history?.gave_up_at === undefined);
      if (tier === 'wait') {
        assert.ok(failure.transient && waits < situation.backoff.length && decision.pause_ms < situation.time_left_ms);
        return;
      }
      assert.ok(situation.ai && !situation.safe_mode);
      const asked = tier === 'escalation' || decision.scope === 'all';
      if (asked) assert.not(failure.external);
      if (tier === 'executor' && decision.scope === 'first') assert.ok(history?.first);
    }),
    runs(400, 20000),
  );
});

test.run();
