// What version 0.1.0 wrote, read today. The fixture is the state of a home that it worked on: a run that mended one stage and
// opened a case for another, a second run, a person's answer, and a third run that was killed with its fix on trial.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { openLedger, readLedger } from '../../src/journal/ledger-file.ts';
import { loadStages, openRun } from '../../src/journal/load-stages.ts';
import { listRuns } from '../../src/journal/runs.ts';
import { eventsOfRecord } from '../../src/journal/version-0-1.ts';
import { resumeState } from '../../src/run/resume.ts';
import { RunFailures } from '../../src/triage/incident.ts';
import type { Ledger } from '../../src/triage/ledger.ts';
import { folder } from '../environment.ts';
import { EXAMPLES } from '../events.ts';
import { NOW, stamped } from '../triage/builders.ts';

const FIXTURE = 'test/fixtures/version-0-1';
const LAST_RUN = '20261116-162730-efea';

const textOf = (path: string) => readFileSync(path, 'utf8');
const linesOf = (path: string) => textOf(path).split('\n').filter(Boolean);
/** The ledger as 0.1.0 folded it itself. */
const EXPECTED = JSON.parse(textOf(`${FIXTURE}/ledger.json`)) as Ledger;
const RECORDS = linesOf(`${FIXTURE}/ledger.jsonl`);

function oldHome(): Layout {
  const layout = layoutOf(folder());
  cpSync(FIXTURE, layout.state, { recursive: true });
  return layout;
}

const content = ({ entries, day }: Pick<Ledger, 'entries' | 'day'>) => ({ entries, day });

test('its ledger is known today as it was known then, from whichever of its files is there', () => {
  const spoil: [string, (layout: Layout) => void, RegExp][] = [
    ['both', () => {}, /^$/],
    ['no projection', (l) => rmSync(l.ledger), /^ai\/state\/ledger\.json is missing: made again from its journal$/],
    ['no journal', (l) => rmSync(l.ledgerJournal), /^$/],
    ['a journal that was cut', (l) => writeFileSync(l.ledgerJournal, `${RECORDS.slice(0, 9).join('\n')}\n`), /^$/],
    ['no run', (l) => rmSync(l.runs, { recursive: true }), /^$/],
    [
      'a projection that lags',
      (l) => writeFileSync(l.ledger, JSON.stringify({ ...EXPECTED, entries: {}, as_of: { seq: 3, at: 700 } })),
      /^$/,
    ],
    [
      'a projection that is broken',
      (l) => writeFileSync(l.ledger, JSON.stringify({ ...EXPECTED, entries: { 'a/x': { stage: 'a' } } })),
      /^ai\/state\/ledger\.json is corrupt: made again from its journal$/,
    ],
  ];
  for (const [what, change, notice] of spoil) {
    const layout = oldHome();
    change(layout);
    const { ledger, notices } = readLedger(layout);
    assert.equal(content(ledger), content(EXPECTED), what);
    assert.match(notices.join(), notice, what);
  }
});

test('whoever opens it for writing appends one snapshot, once, and goes on behind it', () => {
  const layout = oldHome();
  const first = openLedger(layout, NOW);
  first.close();
  const position = { run: LAST_RUN, seq: 17 };
  assert.equal([first.notices, first.ledger.as_of, first.ledger.last_line], [[], position, position]);
  const lines = linesOf(layout.ledgerJournal);
  assert.equal(lines.slice(0, -1), RECORDS, 'nothing of the old journal is touched');
  assert.equal([lines.length, JSON.parse(lines.at(-1) ?? '').type], [RECORDS.length + 1, 'ledger.snapshot']);
  openLedger(layout, NOW).close();
  // A crash between the snapshot and the projection.
  cpSync(`${FIXTURE}/ledger.json`, layout.ledger);
  const again = openLedger(layout, NOW);
  assert.equal([linesOf(layout.ledgerJournal).length, again.ledger], [RECORDS.length + 1, first.ledger]);
  const seen = { ...EXAMPLES['failure.seen'], fingerprint: '751404d306f5aa0b' };
  again.append([stamped({ type: 'failure.seen', stage: 'c', data: seen }, 18, NOW, LAST_RUN)]);
  again.close();
  const before = EXPECTED.entries['c/751404d306f5aa0b']?.times_seen ?? 0;
  const { ledger } = readLedger(layout);
  assert.is(ledger.entries['c/751404d306f5aa0b']?.times_seen, before + 1);
  assert.equal(Object.keys(ledger.entries), Object.keys(EXPECTED.entries));
});

test('every kind of record has a meaning today, and anything else has none', () => {
  const record = { v: 1, seq: 3, time: '2026-11-16T16:27:17.834Z', stage: 'a', fingerprint: 'f1', run: 'r' };
  const patch = { hash: 'h1', tier: 'escalation', plugin: 'person' };
  const refused = { plugin: 'ollama', tier: 'executor', code: 'masks', reason: 'x' };
  const cases: [type: string, data: object, today: string][] = [
    ['snapshot', { ledger: EXPECTED }, 'ledger.snapshot'],
    ['seen', EXAMPLES['failure.seen'], 'failure.seen'],
    ['decided', { tier: 'wait', reason: 'first' }, 'failure.decided'],
    ['tried', { hash: 'h1' }, 'try.ended'],
    ['tried', { refused: [refused, { ...refused, code: 'pass' }] }, 'fix.refused plugin.passed try.ended'],
    ['refused', { refused: [refused] }, 'fix.refused'],
    ['called', { case: 'c' }, 'escalation.called'],
    ['uncalled', {}, 'escalation.refunded'],
    ['patch', { ...patch, outcome: 'refused', why: 'scope: not yours: no' }, 'fix.refused'],
    ['patch', { ...patch, outcome: 'applied' }, 'fix.committed'],
    ['patch', { ...patch, outcome: 'provisional' }, 'fix.judged'],
    ['patch', { ...patch, outcome: 'kept' }, 'fix.judged'],
    ['patch', { ...patch, outcome: 'no_effect' }, 'fix.reverted'],
    ['patch', { ...patch, outcome: 'broke' }, 'fix.reverted'],
    ['patch', { ...patch, outcome: 'withdrawn' }, 'fix.reverted'],
    ['patch', { ...patch, outcome: 'declined' }, 'fix.reverted'],
    ['gave_up', {}, 'failure.given_up'],
    ['recovered', {}, 'stage.recovered'],
    ['case.opened', { case: 'c' }, 'case.opened'],
    ['case.closed', {}, 'case.closed'],
    ['reset', {}, 'stage.reset'],
    ['notified', { state: 'give_up' }, 'person.notified'],
    ['used', { tokens: 5 }, 'model.used'],
  ];
  for (const [type, data, today] of cases) {
    const events = eventsOfRecord({ ...record, type, data });
    assert.is(events?.map((event) => event.type).join(' '), today, type);
  }
  assert.is(
    eventsOfRecord({ ...record, type: 'used', stage: undefined, fingerprint: undefined, data: { tokens: 5 } })?.length,
    1,
  );
  // A line of today that rotted.
  const closed = stamped({ type: 'case.closed', stage: 'a', data: { case: 'c', reason: 'x' } }, 3);
  assert.is(eventsOfRecord({ ...closed, data: { case: 'c', rexson: 'x' } }), undefined);
  for (const value of [null, 'seen', {}, { ...record, type: 'toString', data: {} }, { ...record, type: 'seen' }]) {
    assert.is(eventsOfRecord(value), undefined, JSON.stringify(value));
  }
});

test('its journals are read whole: the stages as they were, and the run that was killed with its fix on trial', () => {
  const layout = oldHome();
  for (const run of listRuns(layout)) {
    const { events, badLines } = readEvents(layout.journal(run));
    assert.equal([events.length, badLines], [linesOf(layout.journal(run)).length, []], run);
  }
  const { state, notices } = loadStages(layout);
  const then = JSON.parse(textOf(`${FIXTURE}/stages.json`));
  assert.equal([state.stages, notices], [then.stages, []]);
  rmSync(layout.stages);
  const { state: again } = loadStages(layout);
  // What it did not count.
  for (const record of Object.values(again.stages))
    for (const key of ['green_at', 'total'] as const) delete record[key];
  assert.equal(again, state, 'from the journals alone');
  const open = openRun(loadStages(layout));
  assert.is(open?.run, LAST_RUN);
  const { done, attempts, cutOff } = resumeState(open?.events ?? []);
  assert.equal([[...done], [...attempts], cutOff], [['a', 'b'], [['c', 2]], [{ stage: 'c', step: 'c' }]]);
  assert.equal(
    new RunFailures(open?.events).openFixes().map(({ step, plugin, tier, note }) => [step, plugin, tier, note.fix]),
    [['c', 'person', 'escalation', 'Answer to the case c-751404d3']],
  );
});

test.run();
