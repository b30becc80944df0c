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
/** A fix of a stage that was taken back because `b` fails with it. */
const charged = (hash: string, stage = 'a', commit = `commit-${hash}`): Line => [
  'fix.reverted',
  stage,
  { hash, reverts: commit, commit: `revert-${hash}`, outcome: 'broke', charged: { step: 'b', fingerprint: 'fb' } },
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
  assert.equal(failures.trials.get('m')?.earlier, ['f1', 'f2']);
});

test('a fix waits for its judgement with the failures that were before it, not those after', () => {
  const failures = failuresOf(seen('f0'), seen('f1'), committed('h1', 'f1'), retry('fix'), seen('f2'));
  const trial = failures.trials.get('a');
  assert.equal([trial?.fix.hash, trial?.fix.step, trial?.earlier, trial?.rerun.size], ['h1', 'a', ['f0', 'f1'], 0]);
  assert.equal([hashes(failures.openFixes()), hashes(failures.openFixes('a'))], [['h1'], ['h1']]);
});

test('a fix is known with all that a later process needs to judge it and take it back', () => {
  const { fix } = failuresOf(seen('f1'), committed('h1', 'f1')).trials.get('a') ?? {};
  assert.equal(fix, {
    stage: 'a',
    step: 'a',
    fingerprint: 'f1',
    hash: 'h1',
    commit: 'commit-h1',
    tier: 'executor',
    plugin: 'ollama',
    note: { fix: 'say good', reason: 'it said bad' },
  });
});

test('a rerun because an end said nothing is remembered, one after the fix itself is none', () => {
  const fixed = [seen('f1'), committed('h1', 'f1'), retry('fix')];
  assert.is(failuresOf(...fixed).trials.get('a')?.rerun.size, 0);
  assert.ok(
    failuresOf(...fixed, seen('t'), retry())
      .trials.get('a')
      ?.rerun.has('a'),
  );
});

test('what is kept, taken back or verified is known as that; nothing stays open that came to an end', () => {
  const kept = [seen('f1'), committed('h1', 'f1'), judged('h1', 'provisional'), seen('f2'), committed('h2', 'f2')];
  const open = (...more: Line[]) => hashes(failuresOf(...kept, ...more).openFixes());
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
    failures.openFixes().map(({ commit }) => commit),
    ['commit-h1'],
  );
});

test('what one cell keeps counts for its stage, and is no other cell’s to judge', () => {
  const failures = failuresOf(committed('h1', 'f1', 'm[h=1]'), judged('h1', 'provisional', 'm[h=1]'));
  const { provisional } = incidentOf(failures, 'm', 'm[h=2]');
  assert.equal(
    [hashes(provisional), failures.open('m', 'm[h=2]'), failures.open('m', 'm[h=1]').length],
    [['h1'], [], 1],
  );
  assert.equal(hashes(failures.openFixes('m')), ['h1']);
});

test('a fix for several cells is judged by each of them: who is green with it, who failed, who ran once more', () => {
  const steps = ['m[h=1]', 'm[h=2]', 'm[h=3]'];
  const fix: Line = ['fix.committed', 'm[h=1]', { hash: 'h1', fingerprint: 'f1', commit: 'commit-h1', steps }];
  const before = steps.map((step) => seen('f1', step, { inputs: { ...INPUTS, command: step } }));
  const failures = failuresOf(
    ...[...before, fix, ['step.done', 'm[h=1]'] as Line, ['step.done', 'm[h=4]'] as Line],
    ...[seen('t', 'm[h=2]'), ['step.retry', 'm[h=2]', {}] as Line, seen('f1', 'm[h=3]')],
  );
  const trial = failures.trials.get('m');
  assert.equal([...(trial?.green ?? [])], ['m[h=1]']);
  assert.equal([...(trial?.failed ?? [])], ['m[h=2]', 'm[h=3]']);
  assert.equal([...(trial?.rerun ?? [])], ['m[h=2]']);
  assert.is(trial?.steps.get('m[h=3]')?.command, 'm[h=3]');
  assert.equal(
    [incidentOf(failures, 'm', 'm[h=2]').trial, incidentOf(failures, 'm', 'm[h=4]').trial],
    [trial, undefined],
  );
});

test('what a step was made from before its fixes is that of the failure which the first of them is for', () => {
  const lines = [seen('f1', 'a', { inputs: INPUTS }), committed('h1', 'f1')];
  assert.equal(
    failuresOf(...lines)
      .trials.get('a')
      ?.steps.get('a'),
    INPUTS,
  );
  const second = [seen('f2', 'a', { inputs: { ...INPUTS, files: 'g' } }), committed('h2', 'f2')];
  const kept = [...lines, judged('h1', 'provisional'), ...second, judged('h2', 'provisional')];
  assert.equal(failuresOf(...kept).inputsBefore('a', 'a'), INPUTS);
  assert.is(failuresOf(...lines).inputsBefore('a', 'a'), undefined);
  assert.is(failuresOf(...kept, judged('h1', 'verified'), judged('h2', 'verified')).inputsBefore('a', 'a'), undefined);
});

test('before a fix that was taken back a step was made from what it was made from before', () => {
  const inputs = (files: string) => ({ inputs: { ...INPUTS, files } });
  const kept = [seen('f1', 'a', inputs('1')), committed('h1', 'f1'), judged('h1', 'provisional')];
  const second = [seen('f2', 'a', inputs('2')), committed('h2', 'f2'), seen('f3', 'a', inputs('3'))];
  const trial = failuresOf(...kept, ...second, reverted('h2', 'broke'), committed('h3', 'f2')).trials.get('a');
  assert.is(trial?.steps.get('a')?.files, '2');
  const cell = failuresOf(
    ...[committed('h1', 'f1', 'm[h=1]'), judged('h1', 'provisional', 'm[h=1]')],
    ...[
      seen('f2', 'm[h=2]', { inputs: INPUTS }),
      committed('h2', 'f2', 'm[h=2]'),
      judged('h2', 'provisional', 'm[h=2]'),
    ],
  );
  assert.equal(cell.inputsBefore('m', 'm[h=2]'), INPUTS, 'not what another cell was made from');
});

test('a step that fails again is green no more with the fix on trial', () => {
  const done: Line = ['step.done', 'a'];
  const trial = failuresOf(seen('f1'), committed('h1', 'f1'), done, seen('f2')).trials.get('a');
  assert.equal([[...(trial?.green ?? [])], [...(trial?.failed ?? [])]], [[], ['a']]);
});

test('a judgement of a fix whose commit is lost leaves no fix open', () => {
  assert.equal(failuresOf(judged('h1', 'provisional')).open(), []);
});

test('a failure that is carried over under its own name keeps it', () => {
  const failures = failuresOf(seen('f1'), ['failure.carried', 'a', { fingerprint: 'f1' }], committed('h1', 'f1'));
  assert.equal(failures.trials.get('a')?.earlier, ['f1']);
});

test('how often a stage was stale and turned green in this run is counted', () => {
  const counts = ({ staleCount, timesGreen }: RunFailures) => [staleCount, timesGreen('a'), timesGreen('b')];
  assert.equal(counts(failuresOf()), [0, 0, 0]);
  assert.equal(counts(failuresOf(['stage.green', 'a'], ['stage.stale', 'a'], ['stage.green', 'a'])), [1, 2, 0]);
});

test('a step has run again until it is begun anew, or a fix is taken back for it', () => {
  const again: Line = ['step.retry', 'b'];
  const hasRerun = (...lines: Line[]) => failuresOf(...lines).hasRerun('b');
  assert.equal([hasRerun(), hasRerun(again), hasRerun(again, seen('fb', 'b'))], [false, true, true]);
  assert.equal([hasRerun(again, ['step.started', 'b']), hasRerun(again, charged('h1'))], [false, false]);
});

test('what was taken back for a failing step is known until that step is done or the fix is back', () => {
  const fixes = (...lines: Line[]) =>
    failuresOf(...lines)
      .charges.get('b')
      ?.fixes.map(({ fix, takenBackBy }) => `${fix.stage} ${fix.hash} ${takenBackBy}`);
  const [first, second] = ['a h1 revert-h1', 'a h2 revert-h2'];
  assert.equal(fixes(charged('h1'), charged('h2')), [first, second], 'all of an item, one by one');
  assert.equal(fixes(charged('h1', 'c'), charged('h2')), [second], 'one stage at a time');
  assert.equal(fixes(charged('h1'), charged('h2'), charged('h1')), [second, first], 'the same commit once');
  assert.equal(fixes(charged('h1'), ['step.failed', 'b'], ['step.done', 'a']), [first]);
  assert.is(fixes(charged('h1'), ['step.done', 'b']), undefined);
  assert.is(fixes(charged('h1'), judged('h1', 'holds')), undefined);
  assert.equal(fixes(charged('h1'), charged('h2'), judged('h1', 'holds')), [second]);
  assert.equal(fixes(charged('h1'), judged('h1', 'holds', 'c')), [first], 'the same patch of another stage');
  assert.is(fixes(charged('h1'), reverted('h1', 'withdrawn')), undefined);
});

test('what was taken back for a failure is known by its new fingerprint, each by that of its stage', () => {
  const renamed = (stage: string, fingerprint: string): Line => ['failure.carried', stage, { fingerprint, to: 'new' }];
  const names = (...lines: Line[]) => {
    const { fingerprint, fixes } = failuresOf(charged('h1'), ...lines).charges.get('b') ?? {};
    return [fingerprint, fixes?.[0]?.fix.fingerprint];
  };
  assert.equal(names(), ['fb', 'f1']);
  assert.equal(
    [names(renamed('b', 'fb')), names(renamed('a', 'f1'))],
    [
      ['new', 'f1'],
      ['fb', 'new'],
    ],
  );
  assert.equal([names(renamed('a', 'fb')), names(renamed('b', 'f1'))], [names(), names()], 'another stage’s');
});

test('an incident is what the log says, with its history, the waits and the fix on trial', () => {
  const failures = failuresOf(seen('f1', 'talos'), decided('wait', 'talos'), committed('h1', 'f1', 'talos'));
  const sighting = {
    stage: 'talos',
    step: 'talos',
    attempt: 2,
    failure: failureOf('f1'),
    ended: ENDED,
    log: 'x',
    inputs: INPUTS,
  };
  assert.equal(failures.incident(sighting, ledgerOf([seenStory()])), {
    ...sighting,
    steps: ['talos'],
    endText: 'exit 1',
    history: entryAfter(seenStory()),
    waits: 1,
    trial: failures.trials.get('talos'),
    provisional: [],
    storyCase: undefined,
  });
});

test('a run needs a person while the latest end of a step says so', () => {
  const human: Line = ['step.failed', 'a', { human: true }];
  const table: [expected: boolean, ...lines: Line[]][] = [
    [false, ['step.failed', 'a']],
    [true, human],
    [true, human, ['step.started', 'b']],
    [false, human, ['step.started', 'a']],
    [false, human, ['step.done', 'a']],
    [false, human, ['step.fresh', 'a']],
    [false, ['step.skipped', 'a', { human: true }]],
  ];
  for (const [expected, ...lines] of table)
    assert.is(failuresOf(...lines).needsPerson, expected, JSON.stringify(lines));
});

test.run();
