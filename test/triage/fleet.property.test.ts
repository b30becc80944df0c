// Cells of a stage end in any order: what is folded from that, judged and decided is the same.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decide } from '../../src/triage/decide.ts';
import { foldLedger, isStory } from '../../src/triage/fold.ts';
import { RunFailures } from '../../src/triage/incident.ts';
import { judge } from '../../src/triage/judge.ts';
import { emptyLedger, entryOf } from '../../src/triage/ledger.ts';
import { journalOf, type Line } from '../events.ts';
import { fc, runs } from '../sweep.ts';
import { ENDED, failureOf, situation } from './builders.ts';

/** How a cell that had f1 ends with the fix for it. */
const ENDS = ['green', 'f1', 'f2', 'f9', 'transient'] as const;
type End = (typeof ENDS)[number];

interface Cell {
  before: 'f1' | 'f2';
  end: End;
}

const step = (i: number) => `m[h=${i}]`;
const seen = (i: number, fingerprint: string): Line => ['failure.seen', step(i), { fingerprint }];

/** What is judged and decided when the cells fail in the one order, and end with the fix in the other. */
function outcome(cells: readonly Cell[], failing: readonly number[], ending: readonly number[]) {
  const had = cells.flatMap(({ before }, i) => (before === 'f1' ? [i] : []));
  const steps = had.map(step);
  const fix = { hash: 'h1', fingerprint: 'f1', commit: 'c1', tried: true, steps };
  const endOf = (i: number) => (cells[i] as Cell).end;
  const lines: Line[] = [
    ...failing.map((i) => seen(i, (cells[i] as Cell).before)),
    ['trial.opened', 'm', { from: 'tip' }],
    ['fix.committed', steps[0] as string, fix],
    ...ending.map((i): Line => (endOf(i) === 'green' ? ['step.done', step(i)] : seen(i, endOf(i)))),
  ];
  const events = journalOf(lines);
  const failures = new RunFailures(events);
  const ledger = emptyLedger();
  for (const event of events) if (isStory(event)) foldLedger(ledger, event);
  const reds = had.filter((i) => cells[i]?.end !== 'green');
  const sightings = reds.map((i) => ({
    ...{ stage: 'm', step: step(i), attempt: 2, ended: ENDED, log: '', inputs: undefined },
    failure: failureOf(endOf(i), { transient: endOf(i) === 'transient' }),
  }));
  const [first] = sightings;
  const { trial } = failures;
  if (!first || !trial) return { greens: [...(trial?.fixes[0]?.green ?? [])].sort() };
  const incident = failures.incident(first, ledger);
  const entries = ['f1', 'f2', 'f9'].map((fingerprint) => entryOf(ledger, 'm', fingerprint));
  return {
    judged: judge(trial, sightings),
    decided: decide(incident, situation()),
    entries: entries.map((entry) => [entry?.times_seen, entry?.executor_tries, entry?.steps?.toSorted()]),
  };
}

const anyFleet = fc
  .array(fc.record({ before: fc.constantFrom('f1', 'f1', 'f2'), end: fc.constantFrom(...ENDS) }), {
    minLength: 1,
    maxLength: 8,
  })
  .filter((cells) => cells.some(({ before }) => before === 'f1')) as fc.Arbitrary<Cell[]>;

const orders = (cells: readonly Cell[]) => {
  const all = cells.map((_, i) => i);
  const had = all.filter((i) => cells[i]?.before === 'f1');
  const shuffled = (of: number[]) => fc.shuffledSubarray(of, { minLength: of.length });
  return fc.tuple(fc.constant(cells), fc.constant(all), fc.constant(had), shuffled(all), shuffled(had));
};

test('property: the order in which cells end changes neither the verdict on a fix nor what is decided or counted', () => {
  fc.assert(
    fc.property(anyFleet.chain(orders), ([cells, all, had, failing, ending]) => {
      assert.equal(outcome(cells, failing, ending), outcome(cells, all, had));
    }),
    runs(200, 20_000),
  );
});

test('property: some green and it stays for these, none green and the same failure and it had no effect', () => {
  fc.assert(
    fc.property(anyFleet.chain(orders), ([cells, , had, failing, ending]) => {
      const { judged } = outcome(cells, failing, ending);
      const ends = had.map((i) => cells[i]?.end);
      if (!judged) return void assert.ok(ends.every((end) => end === 'green'));
      const isUnsure = ends.includes('transient');
      const isHelp = ends.includes('green');
      const expected = ends.includes('f1') ? 'off' : 'progress';
      assert.is(judged.verdict, isUnsure ? 'rerun' : isHelp ? 'helped' : expected);
    }),
    runs(200, 20_000),
  );
});

test.run();
