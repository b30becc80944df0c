// What the tests of triage share: story events without their stamps, ledgers folded from them, an everyday failure.

import type { Fix } from '../../src/events.ts';
import { FIX_STATES, FIX_TIERS, type FixState, type NewEvent } from '../../src/events.ts';
import type { Failure } from '../../src/failure/fingerprint.ts';
import type { DecidedIncident, Situation } from '../../src/triage/decide.ts';
import { foldLedger, type StoryEvent } from '../../src/triage/fold.ts';
import { emptyLedger, entryOf, type Ledger, type LedgerEntry } from '../../src/triage/ledger.ts';
import { EXAMPLES } from '../events.ts';
import { fc } from '../sweep.ts';

export const RUN = '20261110-060000-abcd';
/** 2026-11-10, six in the morning. */
export const NOW = Date.UTC(2026, 10, 10, 6);
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export const ENDED = { exit_code: 1, signal: null, timed_out: false };
export const FAILURE = { class: 'talos_error', transient: false, external: false } as const;

/** A failure as its log shows it. */
export const failureOf = (fingerprint: string, more: Partial<Failure> = {}): Failure => ({
  fingerprint,
  ...FAILURE,
  rules: [],
  errors: [],
  grade: 'nothing',
  ...more,
});

/** A fix for a failure of talos. */
export const fixOf = (fingerprint: string): Fix => ({
  stage: 'talos',
  step: 'talos',
  fingerprint,
  hash: 'h1',
  commit: 'c1',
  tier: 'executor',
  plugin: 'ollama',
  note: { fix: '', reason: '' },
});

/** An event that tells of a failure, as a part of the loop says it. */
export type Story = NewEvent<StoryEvent['type']>;

const at = { stage: 'talos' } as const;
const of = { fingerprint: 'f1' } as const;
export const seen = (fingerprint = 'f1', stage = 'talos'): Story => ({
  type: 'failure.seen',
  stage,
  data: { ...EXAMPLES['failure.seen'], ...FAILURE, fingerprint, log: `ai/logs/${stage}/${RUN}-1.log` },
});
export const decided: Story = { type: 'failure.decided', ...at, data: EXAMPLES['failure.decided'] };
/** A pass through the executors that ended without a fix. */
export const tried = (): Story => ({ type: 'try.ended', ...at, data: of });
export const called: Story = { type: 'escalation.called', ...at, data: of };
export const refunded: Story = { type: 'escalation.refunded', ...at, data: of };
export const gaveUp: Story = { type: 'failure.given_up', ...at, data: EXAMPLES['failure.given_up'] };
export const opened: Story = { type: 'case.opened', ...at, data: EXAMPLES['case.opened'] };
export const closed: Story = { type: 'case.closed', ...at, data: EXAMPLES['case.closed'] };
export const recovered: Story = { type: 'stage.recovered', ...at, data: EXAMPLES['stage.recovered'] };
export const reset: Story = { type: 'stage.reset', ...at, data: {} };
export const used = (tokens: number): Story => ({ type: 'model.used', ...at, data: { ...of, tokens } });
export const notified = (state: string): Story => ({ type: 'person.notified', ...at, data: { ...of, state } });

type Origin = Partial<Pick<NewEvent<'fix.declined'>['data'], 'tier' | 'plugin' | 'note'>>;

/** What tells that a fix stands so. */
export function patch(hash: string, state: FixState, origin: Origin = {}): Story {
  const fix = { ...EXAMPLES['fix.declined'], ...origin, hash };
  if (state === 'applied')
    return { type: 'fix.committed', ...at, data: { ...EXAMPLES['fix.committed'], ...fix, commit: `c-${hash}` } };
  return { type: 'fix.judged', ...at, data: { ...fix, outcome: state, reason: `it is ${state}`, commit: `c-${hash}` } };
}
export const escalated = (hash: string, outcome: FixState): Story =>
  patch(hash, outcome, { tier: 'escalation', plugin: 'case-file' });
/** A change that waits to be the first. */
export const prepared = (hash: string, because: 'prepared' | 'undone'): Story => ({
  type: 'fix.prepared',
  ...at,
  data: { ...EXAMPLES['fix.prepared'], hash, because },
});
/** A person's answer to the case. */
export const answered = (hash: string): Story => ({
  type: 'case.answered',
  ...at,
  data: { ...EXAMPLES['case.answered'], hash },
});

/** The same of another failure. */
export const on = (fingerprint: string, story: Story, stage = 'talos'): Story =>
  ({ ...story, stage, data: { ...story.data, fingerprint } }) as Story;

export function stamped(story: Story, seq: number, ms = NOW, run = RUN): StoryEvent {
  const time = new Date(ms).toISOString();
  const data = story.type === 'failure.seen' ? { ...story.data, first_seen: time } : story.data;
  return { v: 1, seq, time, run, ...story, data } as StoryEvent;
}

/** A ledger of events, a minute apart from `from` on. */
export function ledgerOf(stories: readonly Story[], from = NOW, ledger = emptyLedger()): Ledger {
  stories.forEach((story, i) => {
    foldLedger(ledger, stamped(story, ledger.as_of.seq + 1, from + i * 60_000));
  });
  return ledger;
}

/** What a ledger of these events knows of the one failure they are about. */
export function entryAfter(...stories: Story[]): LedgerEntry {
  const entry = entryOf(ledgerOf(stories), 'talos', 'f1');
  if (!entry) throw new Error('no event was about talos/f1');
  return entry;
}

/** The first sighting of a persistent failure. */
export const incident = (more: Partial<DecidedIncident> = {}): DecidedIncident => ({
  failure: FAILURE,
  history: entryAfter(seen()),
  attempt: 1,
  waits: 0,
  ...more,
});

/** Everything available, nothing used. */
export const situation = (more: Partial<Situation> = {}): Situation & { known_fix: boolean } => ({
  time_left_ms: 4 * HOUR,
  day: { date: '2026-11-10', tries: 0, tokens: 0 },
  limits: { executor_tries: 3, escalation_calls: 3, stage_attempts: 20, day_tries: 60, day_tokens: 2_000_000 },
  backoff: [30_000, 60_000, 120_000],
  ai: true,
  safe_mode: false,
  executors: 'ready',
  escalations: 'ready',
  now: NOW,
  ...more,
  known_fix: more.known_fix ?? false,
});

const stages = fc.constantFrom('talos', 'apps', '__proto__', 'constructor');
const fingerprints = fc.constantFrom('f1', 'f2', '__proto__');
const hash = fc.constantFrom('h1', 'h2', 'h3');
const tier = fc.constantFrom(...FIX_TIERS);

/** Any event of a failure's story that the loop could record; a snapshot is none of these. */
export const anyStory: fc.Arbitrary<Story> = fc
  .tuple(
    stages,
    fingerprints,
    fc.oneof(
      fc.constantFrom<Story>(seen(), decided, called, refunded, gaveUp, opened, closed, reset, recovered),
      fc.constantFrom<Story>(notified('give_up'), { type: 'plugin.passed', ...at, data: EXAMPLES['plugin.passed'] }),
      fc.constant(tried()),
      fc.tuple(hash, fc.constantFrom('prepared' as const, 'undone' as const)).map(([h, why]) => prepared(h, why)),
      hash.map(answered),
      fc.nat(1000).map(used),
      fc.tuple(hash, fc.constantFrom(...FIX_STATES), tier, fc.boolean()).map(([h, outcome, by, spent]) => {
        const story = patch(h, outcome, { tier: by });
        return story.type === 'fix.committed' ? { ...story, data: { ...story.data, tried: spent } } : story;
      }),
    ),
  )
  // What is told of a stage concerns all its failures.
  .map(([stage, fingerprint, story]) =>
    'fingerprint' in story.data ? on(fingerprint, story, stage) : ({ ...story, stage } as Story),
  );

/** Events as they would stand in journals, run by run, on a clock that jumps both ways. */
export const anyStories = (maxLength = 30): fc.Arbitrary<StoryEvent[]> =>
  fc.array(fc.tuple(anyStory, fc.integer({ min: -2 * DAY, max: 2 * DAY }), fc.nat(5)), { maxLength }).map((all) => {
    let [run, seq] = [0, 0];
    return all.map(([story, jump, begins]) => {
      [run, seq] = begins === 0 ? [run + 1, 1] : [run, seq + 1];
      return stamped(story, seq, NOW + jump, `20261110-06${String(run).padStart(4, '0')}-abcd`);
    });
  });
