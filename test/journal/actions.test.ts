// What a person does between runs (reset, answer, rollback): journals of their own, folded in order with those of runs.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { NewEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { openJournal, recordAction } from '../../src/journal/journal.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { loadStages, openRun } from '../../src/journal/load-stages.ts';
import { listJournals, listRuns, nextId } from '../../src/journal/runs.ts';
import { folder } from '../environment.ts';
import { EXAMPLES } from '../events.ts';
import { type FakeClock, fakeClock } from '../run/builders.ts';
import { fc, runs } from '../sweep.ts';
import { answered, called, NOW, opened, patch, reset, seen, tried } from '../triage/builders.ts';

const fresh = (): Layout => layoutOf(folder());

/** A whole run of these events at the clock's time; its name. */
function runOf(layout: Layout, clock: FakeClock, ...events: NewEvent[]): string {
  const run = nextId(layout, clock.now(), 'abcd', '');
  const journal = openJournal({ run, layout, stages: loadStages(layout).state, clock });
  journal.append({ type: 'run.started', data: EXAMPLES['run.started'] }, ...events, { type: 'run.ended', data: {} });
  journal.close();
  return run;
}

const act = (layout: Layout, clock: FakeClock, ...events: NewEvent[]): void =>
  recordAction({ layout, stages: loadStages(layout).state, clock }, ...events);

/** Stages and ledger as they are known, and as the journals alone tell. */
function known(layout: Layout) {
  return { stages: loadStages(layout).state, ledger: readLedger(layout).ledger };
}
function rebuilt(layout: Layout, ...files: string[]) {
  for (const file of files) rmSync(file, { force: true });
  return known(layout);
}

const failed: NewEvent = { type: 'step.failed', stage: 'talos', step: 'talos', data: EXAMPLES['step.failed'] };

test('an action is no run: it is not listed as one, nor the newest, nor one that was cut off', () => {
  const layout = fresh();
  const clock = fakeClock(NOW);
  const run = runOf(layout, clock, seen(), failed);
  act(layout, clock, reset);
  assert.equal(listRuns(layout), [run]);
  assert.equal(
    listJournals(layout).map(({ isRun }) => isRun),
    [true, false],
  );
  const loaded = loadStages(layout);
  assert.equal([loaded.latest?.run, openRun(loaded), loaded.state.stages.talos?.status], [run, undefined, 'idle']);
});

test('nothing done is no action', () => {
  const layout = fresh();
  act(layout, fakeClock(NOW));
  assert.equal(readdirSync(layout.home), []);
});

test('actions and runs are named in the order they came, also within one second and when the clock was set back', () => {
  const layout = fresh();
  const clock = fakeClock(NOW);
  runOf(layout, clock, seen());
  act(layout, clock, reset);
  clock.at -= 86_400_000;
  act(layout, clock, reset);
  runOf(layout, clock, seen());
  const ids = listJournals(layout).map(({ id }) => id);
  assert.equal([...new Set(ids)].sort(), ids);
  assert.equal(
    listJournals(layout).map(({ isRun }) => isRun),
    [true, false, false, true],
  );
});

test('reset, answer and rollback count between the runs they stood between, from whatever is left of the files', () => {
  const layout = fresh();
  const clock = fakeClock(NOW);
  runOf(layout, clock, seen(), tried(), patch('h1', 'applied'), patch('h1', 'kept'), failed);
  clock.at += 60_000;
  act(layout, clock, {
    type: 'fix.judged',
    stage: 'talos',
    data: { ...EXAMPLES['fix.judged'], outcome: 'declined', reason: 'rolled back' },
  });
  clock.at += 60_000;
  runOf(layout, clock, seen(), tried(), called, opened, failed);
  clock.at += 60_000;
  act(layout, clock, answered('h2'));
  clock.at += 60_000;
  runOf(layout, clock, seen(), patch('h2', 'applied', { tier: 'escalation', plugin: 'person' }), failed);
  const entry = readLedger(layout).ledger.entries['talos/f1'];
  assert.equal(
    [entry?.kept_at, entry?.case, entry?.executor_tries, entry?.escalation_calls, entry?.times_seen],
    [undefined, undefined, 1, 1, 3],
  );
  assert.equal(
    entry?.patches.map(({ hash, outcome }) => [hash, outcome]),
    [
      ['h1', 'declined'],
      ['h2', 'applied'],
    ],
  );
  act(layout, clock, reset);
  const before = known(layout);
  assert.equal([before.stages.stages.talos?.status, before.ledger.entries['talos/f1']?.executor_tries], ['idle', 0]);
  assert.equal(rebuilt(layout, layout.stages, layout.ledger), before);
  const { ledger, stages } = rebuilt(layout, layout.stages, layout.ledger, layout.ledgerJournal);
  assert.equal([ledger, stages], [before.ledger, before.stages], 'from the journals alone');
});

test('an action whose process died before the ledger heard of it is in the ledger at the next start', () => {
  const layout = fresh();
  const clock = fakeClock(NOW);
  runOf(layout, clock, seen(), tried(), failed);
  const [stages, ledger, lines] = [layout.stages, layout.ledger, layout.ledgerJournal].map((path) =>
    readFileSync(path),
  );
  act(layout, clock, reset);
  const after = known(layout);
  writeFileSync(layout.stages, stages as Buffer);
  writeFileSync(layout.ledger, ledger as Buffer);
  writeFileSync(layout.ledgerJournal, lines as Buffer);
  assert.equal(known(layout), after);
  runOf(layout, clock);
  assert.is(readFileSync(layout.ledgerJournal, 'utf8').match(/"stage\.reset"/g)?.length, 1);
  assert.is(readLedger(layout).ledger.entries['talos/f1']?.executor_tries, 0);
});

test('property: in whatever order people and runs act, the journals alone tell the same', () => {
  const deeds = fc.array(fc.constantFrom('run', 'reset', 'answer', 'rollback', 'green'), { maxLength: 6 });
  fc.assert(
    fc.property(
      deeds,
      fc.array(fc.integer({ min: -5000, max: 5000 }), { minLength: 6, maxLength: 6 }),
      (all, jumps) => {
        const layout = fresh();
        const clock = fakeClock(NOW);
        for (const [i, deed] of all.entries()) {
          clock.at += jumps[i] ?? 0;
          if (deed === 'run') runOf(layout, clock, seen(), tried(), patch('h1', 'applied'), opened, failed);
          if (deed === 'green') runOf(layout, clock, { type: 'stage.green', stage: 'talos', data: {} });
          if (deed === 'reset') act(layout, clock, reset);
          if (deed === 'answer') act(layout, clock, answered('h2'));
          if (deed === 'rollback') act(layout, clock, patch('h1', 'declined'));
        }
        const before = known(layout);
        const { stages, ledger } = rebuilt(layout, layout.stages, layout.ledger, layout.ledgerJournal);
        assert.equal([stages, ledger.entries, ledger.day], [before.stages, before.ledger.entries, before.ledger.day]);
      },
    ),
    runs(25, 800),
  );
});

test.run();
