// What a journal tells of mending is what the process that wrote it knew.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mendingFacts } from '../../src/mend/mending-facts.ts';
import { type Line, journalOf } from '../events.ts';
import { journalIn, run } from '../run/homelab.ts';
import { mendable, says } from '../run/probe.ts';

const seen = (fingerprint: string, step = 'a'): Line => ['failure.seen', step, { fingerprint }];
const decided = (tier: string, step = 'a'): Line => ['failure.decided', step, { tier }];
const committed = (hash: string, fingerprint: string, step = 'a'): Line => [
  'fix.committed',
  step,
  {
    hash,
    fingerprint,
    commit: `commit-${hash}`,
    paths: ['x'],
    tier: 'executor',
    plugin: 'p',
    note: { fix: '', reason: '' },
  },
];
const judged = (hash: string, outcome: string, step = 'a'): Line => [
  ...(['fix.judged', step] as const),
  { hash, outcome, commit: `commit-${hash}` },
];
const reverted = (hash: string, outcome: string, step = 'a'): Line => [
  ...(['fix.reverted', step] as const),
  { hash, outcome, reverts: `commit-${hash}` },
];
const retry = (tier?: string): Line => ['step.retry', 'a', { pause_ms: 0, ...(tier ? { tier } : {}) }];

const factsOf = (...lines: Line[]) => mendingFacts(journalOf(lines));
const hashes = (fixes: readonly { hash: string }[]) => fixes.map(({ hash }) => hash);

test('waits and fingerprints are counted by stage, whichever of its cells had them', () => {
  const facts = factsOf(
    seen('f1', 'm[h=1]'),
    decided('wait', 'm[h=1]'),
    seen('f2', 'm[h=2]'),
    decided('executor', 'm[h=2]'),
  );
  assert.equal([facts.waits('m'), facts.fingerprints('m'), facts.waits('other')], [1, ['f1', 'f2'], 0]);
});

test('a fix waits for its judgement with the failures that were before it, not those after', () => {
  const facts = factsOf(seen('f0'), seen('f1'), committed('h1', 'f1'), retry('fix'), seen('f2'));
  const pending = facts.pending.get('a');
  assert.equal(
    [pending?.fix.hash, pending?.fix.step, pending?.earlier, pending?.rerun],
    ['h1', 'a', ['f0', 'f1'], false],
  );
  assert.equal(hashes(facts.open()), ['h1']);
});

test('a rerun because an end said nothing is remembered, one after the fix itself is none', () => {
  assert.is(factsOf(seen('f1'), committed('h1', 'f1'), retry('fix')).pending.get('a')?.rerun, false);
  assert.is(factsOf(seen('f1'), committed('h1', 'f1'), retry('fix'), seen('t'), retry()).pending.get('a')?.rerun, true);
});

test('what is kept, taken back or verified is known as that; nothing stays open that came to an end', () => {
  const kept = [seen('f1'), committed('h1', 'f1'), judged('h1', 'provisional'), seen('f2'), committed('h2', 'f2')];
  assert.equal([hashes(factsOf(...kept).kept('a')), hashes(factsOf(...kept).open())], [['h1'], ['h1', 'h2']]);
  assert.equal(hashes(factsOf(...kept, reverted('h2', 'broke')).open()), ['h1']);
  const withdrawn = [reverted('h2', 'withdrawn'), reverted('h1', 'withdrawn')];
  assert.equal(hashes(factsOf(...kept, ...withdrawn).open()), []);
  assert.equal(hashes(factsOf(...kept, judged('h1', 'verified'), judged('h2', 'verified')).open()), []);
  const again = factsOf(...kept, ...withdrawn, committed('h1', 'f1'));
  assert.equal([hashes(again.open()), hashes(again.kept('a'))], [['h1'], []], 'withdrawn, and back again');
});

test('one patch that is on the branch for two failures is settled once for each', () => {
  const second: Line = ['fix.committed', 'a', { hash: 'h1', fingerprint: 'f2', commit: 'another', paths: ['x'] }];
  const facts = factsOf(...[seen('f1'), committed('h1', 'f1'), judged('h1', 'provisional'), seen('f2'), second], [
    'fix.reverted',
    'a',
    { hash: 'h1', outcome: 'no_effect', reverts: 'another' },
  ]);
  assert.equal(
    facts.open().map(({ commit }) => commit),
    ['commit-h1'],
  );
});

test('what one cell keeps is no other cell’s to decide', () => {
  const facts = factsOf(committed('h1', 'f1', 'm[h=1]'), judged('h1', 'provisional', 'm[h=1]'));
  assert.equal([hashes(facts.kept('m')), hashes(facts.keptBy({ stage: 'm', step: 'm[h=2]' }))], [['h1'], []]);
  assert.equal(hashes(facts.keptBy({ stage: 'm', step: 'm[h=1]' })), ['h1']);
});

test('at every point of a real run no more than one fix is unjudged, and none at its end', async () => {
  const { home, probe } = mendable({ word: 'one' });
  probe.answers(says('two'), says('two', 'other'), says('three'), says('good'));
  const ran = await run(home);
  assert.is(ran.exit, 0);
  const events = journalIn(home, ran.run);
  let most = 0;
  for (let i = 0; i <= events.length; i++) {
    const facts = mendingFacts(events.slice(0, i));
    most = Math.max(most, facts.open().length);
    assert.ok(facts.pending.size <= 1);
  }
  assert.equal([most, mendingFacts(events).open()], [3, []]);
});

test.run();
