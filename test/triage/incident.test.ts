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
const opened = (stage = 'a'): Line => ['trial.opened', stage, { from: 'tip' }];
const judged = (hash: string, outcome: string, stage = 'a'): Line => [
  'fix.judged',
  stage,
  { hash, outcome, commit: `commit-${hash}` },
];
const ended = (outcome: string, more: object = {}, stage = 'a'): Line => [
  'trial.ended',
  stage,
  { outcome, from: 'tip', to: 'tip', ...more },
];
const retry = (tier?: string): Line => ['step.retry', 'a', tier ? { tier } : {}];

const failuresOf = (...lines: Line[]) => new RunFailures(journalOf(lines));
const hashes = (fixes: readonly { hash: string }[]) => fixes.map(({ hash }) => hash);

/** A failure of a step as it would be decided now. */
function incidentOf(failures: RunFailures, stage: string, step = stage) {
  const sighting = { stage, step, attempt: 2, failure: failureOf('f1'), ended: ENDED, log: 'x', inputs: undefined };
  return failures.incident(sighting, emptyLedger());
}

const fixesOf = (...lines: Line[]) => failuresOf(...lines).trial?.fixes ?? [];
const lastOf = (...lines: Line[]) => fixesOf(...lines).at(-1);

test('waits are counted by stage, whichever of its cells had them', () => {
  const failures = failuresOf(seen('f1', 'm[h=1]'), decided('wait', 'm[h=1]'), seen('f2', 'm[h=2]'));
  assert.equal([incidentOf(failures, 'm', 'm[h=3]').waits, incidentOf(failures, 'other').waits], [1, 0]);
});

test('a fix of the trial is known with all that a later process needs to judge it', () => {
  const last = lastOf(opened(), seen('f1', 'a', { inputs: INPUTS }), committed('h1', 'f1'));
  assert.equal(last?.fix, {
    stage: 'a',
    step: 'a',
    fingerprint: 'f1',
    hash: 'h1',
    commit: 'commit-h1',
    tier: 'executor',
    plugin: 'ollama',
    note: { fix: 'say good', reason: 'it said bad' },
  });
  assert.equal([last?.steps.get('a'), last?.wasTimeOut], [INPUTS, false]);
  const late = { ended: { ...ENDED, timed_out: true } };
  assert.is(lastOf(opened(), seen('f1', 'a', late), committed('h1', 'f1'))?.wasTimeOut, true);
});

test('a rerun because an end said nothing is remembered, one after the fix itself is none', () => {
  const fixed = [opened(), seen('f1'), committed('h1', 'f1'), retry('fix')];
  assert.is(lastOf(...fixed)?.rerun.size, 0);
  const net = lastOf(...fixed, seen('t', 'a', { transient: true }), retry());
  assert.equal([net?.rerun.has('a'), net?.judged.size], [true, 0]);
  assert.is(lastOf(...fixed, seen('f2'))?.judged.size, 1);
});

test('fixes stand in their order until they are judged; the trial is over when it ends', () => {
  const two = [opened(), seen('f1'), committed('h1', 'f1'), seen('f2'), committed('h2', 'f2')];
  const standing = (...more: Line[]) => hashes(fixesOf(...two, ...more).map(({ fix }) => fix));
  assert.equal(standing(), ['h1', 'h2']);
  assert.equal(standing(judged('h2', 'no_effect')), ['h1']);
  assert.equal(standing(judged('h1', 'kept'), judged('h2', 'kept')), ['h1', 'h2'], 'kept ones stay');
  assert.is(failuresOf(...two, ended('kept')).trial, undefined);
  assert.equal([failuresOf(...two).trialOf('b'), failuresOf(...two).trialOf('a')?.from], [undefined, 'tip']);
});

test('a fix for several cells is judged by each of them: who is green with it, who failed, who ran once more', () => {
  const steps = ['m[h=1]', 'm[h=2]', 'm[h=3]'];
  const fix: Line = ['fix.committed', 'm[h=1]', { hash: 'h1', fingerprint: 'f1', commit: 'commit-h1', steps }];
  const before = steps.map((step) => seen('f1', step, { inputs: { ...INPUTS, command: step } }));
  const last = lastOf(
    ...[opened('m'), ...before, fix, ['step.done', 'm[h=1]'] as Line, ['step.done', 'm[h=4]'] as Line],
    ...[seen('t', 'm[h=2]'), ['step.retry', 'm[h=2]', {}] as Line, seen('f1', 'm[h=3]')],
  );
  assert.equal([...(last?.green ?? [])], ['m[h=1]']);
  assert.equal([...(last?.failed ?? [])], ['m[h=2]', 'm[h=3]']);
  assert.equal([...(last?.rerun ?? [])], ['m[h=2]']);
  assert.is(last?.steps.get('m[h=3]')?.command, 'm[h=3]');
});

test('what a step was made from before the trial is that of the failure which its first fix is for', () => {
  const inputs = (files: string) => ({ inputs: { ...INPUTS, files } });
  const two = [opened(), seen('f1', 'a', inputs('1')), committed('h1', 'f1'), seen('f2', 'a', inputs('2'))];
  assert.is(failuresOf(...two).inputsBefore('a', 'a')?.files, '1');
  assert.is(failuresOf(...two, ended('undone')).inputsBefore('a', 'a'), undefined);
  const again = [...two, committed('h2', 'f2'), seen('f3', 'a', inputs('3')), judged('h2', 'no_effect')];
  assert.is(
    lastOf(...again, committed('h3', 'f2'))?.steps.get('a')?.files,
    '2',
    'as before the fix that was taken off',
  );
});

test('items have left the branch when it has moved, all of them, and until the step was seen without them', () => {
  const drop = (item: string, commit: string): Line => [
    'item.dropped',
    item,
    { failing: 'a', fingerprint: 'f1', commits: [commit], from: 'c2', to: 'c0' },
  ];
  const two = [drop('item-01', 'c1'), drop('item-02', 'c2')];
  assert.is(failuresOf(...two).dropped.size, 0);
  const moved = failuresOf(...two, ['branch.moved', undefined, { from: 'c2', to: 'c0' }]).dropped.get('a');
  assert.equal(
    [moved?.stages, moved?.commits],
    [
      ['item-01', 'item-02'],
      ['c1', 'c2'],
    ],
  );
});

test('a step that fails again is green no more with its fix', () => {
  const last = lastOf(opened(), seen('f1'), committed('h1', 'f1'), ['step.done', 'a'], seen('f2'));
  assert.equal([[...(last?.green ?? [])], [...(last?.failed ?? [])]], [[], ['a']]);
});

test('stages that a commit of the trial made stale are remembered, others not', () => {
  const stale = (commit: string): Line => ['stage.stale', 'b', { commit }];
  const fixed = [opened(), seen('f1'), committed('h1', 'f1')];
  assert.equal([...(failuresOf(...fixed, stale('commit-h1')).trial?.stale ?? [])], ['b']);
  assert.equal([...(failuresOf(...fixed, stale('other')).trial?.stale ?? [])], []);
});

test('a judgement of a fix whose trial is lost opens nothing', () => {
  assert.is(failuresOf(judged('h1', 'undone'), ended('undone')).trial, undefined);
});

test('the trial of a stage whose fingerprints are made in a new way goes on under the new ones', () => {
  const lines = [opened(), seen('f1'), committed('h1', 'f1')];
  const carried = (stage: string, to?: string): Line => [
    'failure.carried',
    stage,
    { fingerprint: 'f1', ...(to && { to }) },
  ];
  const name = (...more: Line[]) => lastOf(...lines, ...more)?.fix.fingerprint;
  assert.equal([name(carried('a', 'new')), name(carried('b', 'new')), name(carried('a'))], ['new', 'f1', 'f1']);
});

test('how often a stage was stale and turned green in this run is counted', () => {
  const counts = ({ staleCount, timesGreen }: RunFailures) => [staleCount, timesGreen('a'), timesGreen('b')];
  assert.equal(counts(failuresOf()), [0, 0, 0]);
  assert.equal(counts(failuresOf(['stage.green', 'a'], ['stage.stale', 'a'], ['stage.green', 'a'])), [1, 2, 0]);
});

const suspect = { suspect: { step: 'b', fingerprint: 'fb' } };
const undone = [opened(), seen('f1'), committed('h1', 'f1'), judged('h1', 'undone'), ended('undone', suspect)];

test('a step has run again until it is begun anew, or a trial is undone for it', () => {
  const again: Line = ['step.retry', 'b'];
  const hasRerun = (...lines: Line[]) => failuresOf(...lines).hasRerun('b');
  assert.equal([hasRerun(), hasRerun(again), hasRerun(again, seen('fb', 'b'))], [false, true, true]);
  assert.equal([hasRerun(again, ['step.started', 'b']), hasRerun(again, ...undone)], [false, false]);
});

test('the fixes of a trial that was undone for another step are suspected until that step has run without them', () => {
  const suspected = (...more: Line[]) => hashes(failuresOf(...undone, ...more).suspicions.get('b')?.fixes ?? []);
  assert.equal([suspected(), suspected(['step.done', 'a'])], [['h1'], ['h1']]);
  for (const line of [['step.done', 'b'], ['step.failed', 'b'], ['step.interrupted', 'b'], seen('fb', 'b')] as Line[])
    assert.equal(suspected(line), [], line[0]);
});

test('an incident is what the log says, with its history, the waits and the fix on trial', () => {
  const failures = failuresOf(seen('f1', 'talos'), decided('wait', 'talos'), opened('talos'));
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
    trial: { stage: 'talos', from: 'tip', fixes: [], stale: new Set() },
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
