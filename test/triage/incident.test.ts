// What a journal tells of a run's failures is what the process that wrote it knew.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RunFailures } from '../../src/triage/incident.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';
import { journalOf, type Line } from '../events.ts';
import { ENDED, entryAfter, failureOf, ledgerOf, seen as seenStory } from './builders.ts';

const INPUTS = { command: 'c', verify: 'v', files: 'f', outputs: 'o' };

const seen = (fingerprint: string, step = 'a', more: object = {}): Line => [
  'failure.seen',
  step,
  { fingerprint, ...more },
];
const decided = (tier: string, step = 'a'): Line => ['failure.decided', step, { tier }];
const committed = (hash: string, fingerprint: string, step = 'a', commit = `commit-${hash}`): Line => [
  'fix.committed',
  step,
  { hash, fingerprint, commit },
];
const judged = (hash: string, outcome: string, step = 'a'): Line => [
  'fix.judged',
  step,
  { hash, outcome, commit: `commit-${hash}` },
];
const reverted = (hash: string, outcome: string, reverts = `commit-${hash}`): Line => [
  'fix.reverted',
  'a',
  { hash, outcome, reverts },
];
const retry = (tier?: string): Line => ['step.retry', 'a', tier ? { tier } : {}];

const failuresOf = (...lines: Line[]) => new RunFailures(journalOf(lines));
const hashes = (fixes: readonly { hash: string }[]) => fixes.map(({ hash }) => hash);

/** A failure of a step as it would be decided now. */
function incidentOf(failures: RunFailures, stage: string, step = stage) {
  const sighting = { stage, step, attempt: 2, failure: failureOf('f1'), ended: ENDED, log: 'x', inputs: undefined };
  return failures.incident(sighting, emptyLedger());
}

test('waits and fingerprints are counted by stage, whichever of its cells had them', () => {
  const lines = [seen('f1', 'm[h=1]'), decided('wait', 'm[h=1]'), seen('f2', 'm[h=2]'), decided('executor', 'm[h=2]')];
  const failures = failuresOf(...lines, committed('h1', 'f2', 'm[h=2]'));
  assert.equal([incidentOf(failures, 'm', 'm[h=3]').waits, incidentOf(failures, 'other').waits], [1, 0]);
  assert.equal(failures.trials.get('m[h=2]')?.earlier, ['f1', 'f2']);
});

test('a fix waits for its judgement with the failures that were before it, not those after', () => {
  const failures = failuresOf(seen('f0'), seen('f1'), committed('h1', 'f1'), retry('fix'), seen('f2'));
  const trial = failures.trials.get('a');
  assert.equal([trial?.fix.hash, trial?.fix.step, trial?.earlier, trial?.rerun], ['h1', 'a', ['f0', 'f1'], false]);
  assert.equal([hashes(failures.allOpenFixes()), hashes(failures.openFixes('a'))], [['h1'], ['h1']]);
});

test('a fix is known with all that a later process needs to judge it and take it back', () => {
  const { fix } = failuresOf(seen('f1'), committed('h1', 'f1')).trials.get('a') ?? {};
  assert.equal(fix, {
    stage: 'a',
    step: 'a',
    fingerprint: 'f1',
    hash: 'h1',
    commit: 'commit-h1',
    paths: ['x'],
    tier: 'executor',
    plugin: 'ollama',
    note: { fix: 'say good', reason: 'it said bad' },
  });
});

test('a rerun because an end said nothing is remembered, one after the fix itself is none', () => {
  const fixed = [seen('f1'), committed('h1', 'f1'), retry('fix')];
  assert.is(failuresOf(...fixed).trials.get('a')?.rerun, false);
  assert.is(failuresOf(...fixed, seen('t'), retry()).trials.get('a')?.rerun, true);
});

test('what is kept, taken back or verified is known as that; nothing stays open that came to an end', () => {
  const kept = [seen('f1'), committed('h1', 'f1'), judged('h1', 'provisional'), seen('f2'), committed('h2', 'f2')];
  const open = (...more: Line[]) => hashes(failuresOf(...kept, ...more).allOpenFixes());
  const provisional = (...more: Line[]) => hashes(incidentOf(failuresOf(...kept, ...more), 'a').provisional);
  assert.equal([provisional(), open()], [['h1'], ['h1', 'h2']]);
  assert.equal(open(reverted('h2', 'broke')), ['h1']);
  const withdrawn = [reverted('h2', 'withdrawn'), reverted('h1', 'withdrawn')];
  assert.equal(open(...withdrawn), []);
  assert.equal(open(judged('h1', 'verified'), judged('h2', 'verified')), []);
  const again = [...withdrawn, committed('h1', 'f1')];
  assert.equal([open(...again), provisional(...again)], [['h1'], []], 'withdrawn, and back again');
});

test('one patch that is on the branch for two failures is settled once for each', () => {
  const failures = failuresOf(
    ...[seen('f1'), committed('h1', 'f1'), judged('h1', 'provisional'), seen('f2')],
    ...[committed('h1', 'f2', 'a', 'another'), reverted('h1', 'no_effect', 'another')],
  );
  assert.equal(
    failures.allOpenFixes().map(({ commit }) => commit),
    ['commit-h1'],
  );
});

test('what one cell keeps counts for its stage, and is no other cell’s to take back', () => {
  const failures = failuresOf(committed('h1', 'f1', 'm[h=1]'), judged('h1', 'provisional', 'm[h=1]'));
  const { provisional } = incidentOf(failures, 'm', 'm[h=2]');
  assert.equal([hashes(provisional), hashes(failures.openFixes('m[h=2]'))], [['h1'], []]);
  assert.equal(hashes(failures.openFixes('m[h=1]')), ['h1']);
});

test('what a step was made from before its fixes is that of the failure which the first of them is for', () => {
  const lines = [seen('f1', 'a', { inputs: INPUTS }), committed('h1', 'f1')];
  assert.equal(failuresOf(...lines).trials.get('a')?.inputs, INPUTS);
  const second = [seen('f2', 'a', { inputs: { ...INPUTS, files: 'g' } }), committed('h2', 'f2')];
  const kept = [...lines, judged('h1', 'provisional'), ...second, judged('h2', 'provisional')];
  assert.equal(failuresOf(...kept).inputsBefore('a'), INPUTS);
  assert.is(failuresOf(...lines).inputsBefore('a'), undefined);
  assert.is(failuresOf(...kept, judged('h1', 'verified'), judged('h2', 'verified')).inputsBefore('a'), undefined);
});

test('an incident is what the log says, with its history, the waits and the fix on trial', () => {
  const failures = failuresOf(seen('f1'), decided('wait'), committed('h1', 'f1'));
  const sighting = {
    stage: 'talos',
    step: 'a',
    attempt: 2,
    failure: failureOf('f1'),
    ended: ENDED,
    log: 'x',
    inputs: INPUTS,
  };
  assert.equal(failures.incident(sighting, ledgerOf([seenStory()])), {
    ...sighting,
    endText: 'exit 1',
    history: entryAfter(seenStory()),
    waits: 0,
    trial: failures.trials.get('a'),
    provisional: [],
    storyCase: undefined,
  });
});

test.run();
