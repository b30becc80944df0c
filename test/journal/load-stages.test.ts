import { readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { loadStages, openRun } from '../../src/journal/load-stages.ts';
import { nextId } from '../../src/journal/runs.ts';
import { emptyState, foldStages } from '../../src/journal/stages.ts';
import { folder, write } from '../environment.ts';
import { EXAMPLES, journalOf, RUN } from '../events.ts';
import { fakeClock } from '../run/builders.ts';
import { fc, runs } from '../sweep.ts';

const LATER = '20260102-000000-abcd';
const FIRST = journalOf([
  ['run.started'],
  ['step.started', 'vms'],
  ['step.done', 'vms'],
  ['stage.green', 'vms'],
  ['step.failed', 'talos', { reason: 'exit code 1' }],
  ['run.ended'],
]);
const SECOND = journalOf(
  [['run.started'], ['step.done', 'talos'], ['stage.green', 'talos'], ['step.started', 'infra']],
  {
    run: LATER,
  },
);

const lines = (events: readonly LoopEvent[]) => events.map((e) => `${JSON.stringify(e)}\n`).join('');

function stateOf(...events: LoopEvent[][]) {
  const state = emptyState();
  for (const event of events.flat()) foldStages(state, event);
  return state;
}

/** A home with two runs and the projection of `upTo` events of both. */
function home(upTo = FIRST.length + SECOND.length): Layout {
  const layout = layoutOf(folder());
  write(layout.home, {
    [`ai/state/runs/${RUN}/events.jsonl`]: lines(FIRST),
    [`ai/state/runs/${LATER}/events.jsonl`]: lines(SECOND),
    'ai/state/stages.json': JSON.stringify(stateOf([...FIRST, ...SECOND].slice(0, upTo))),
  });
  return layout;
}

const EXPECTED = stateOf(FIRST, SECOND);
const asides = (layout: Layout) => readdirSync(layout.state).filter((name) => name.startsWith('stages.json.corrupt-'));

test('a home without anything has no stages', () => {
  assert.equal(loadStages(layoutOf(folder())), { state: emptyState(), notices: [], isUnsure: true });
});

test('a projection that was deleted is made again from the journals', () => {
  const layout = home();
  rmSync(layout.stages);
  const { state, notices } = loadStages(layout);
  assert.equal(state, EXPECTED);
  assert.equal(notices, ['ai/state/stages.json was missing: made again from the journals']);
});

test('a projection that is broken is set aside, said so, and made again', () => {
  const breaks: [string, (path: string) => void][] = [
    ['truncated', (path) => truncateSync(path, 40)],
    ['empty', (path) => truncateSync(path, 0)],
    ['garbage', (path) => writeFileSync(path, Buffer.from([0xff, 0x00, 0x7b, 0xfe]))],
    ['another version', (path) => writeFileSync(path, '{"version":2,"as_of":{"run":"","seq":0},"stages":{}}')],
    [
      'another shape',
      (path) => writeFileSync(path, '{"version":1,"as_of":{"run":"","seq":0},"stages":{"a":{"cells":null}}}'),
    ],
    ['null', (path) => writeFileSync(path, 'null')],
  ];
  for (const [what, spoil] of breaks) {
    const layout = home();
    spoil(layout.stages);
    const before = readFileSync(layout.stages);
    const { state, notices } = loadStages(layout);
    assert.equal(state, EXPECTED, what);
    const [aside] = asides(layout);
    assert.equal(notices, [
      `ai/state/stages.json was corrupt: kept as ${layout.state}/${aside}, rebuilt from the journals`,
    ]);
    assert.ok(readFileSync(`${layout.state}/${aside}`).equals(before), 'what was broken is kept as it was');
    assert.equal(JSON.parse(readFileSync(layout.stages, 'utf8')), EXPECTED, 'it is written anew');
  }
});

test('a look sets nothing aside: it tells what is broken and leaves it', () => {
  const layout = home();
  writeFileSync(layout.stages, 'nonsense');
  const { state, notices } = loadStages(layout, { look: true });
  assert.equal(state, EXPECTED);
  assert.match(notices.join(), /^ai\/state\/stages\.json is corrupt/);
  assert.equal([readFileSync(layout.stages, 'utf8'), asides(layout)], ['nonsense', []]);
});

test('a projection that lags is brought up to date, wherever it stopped', () => {
  for (let upTo = 0; upTo <= FIRST.length + SECOND.length; upTo++) {
    assert.equal(loadStages(home(upTo)).state, EXPECTED, `after ${upTo} events`);
  }
});

test('a bad line in a journal costs what it said and nothing behind it, and is named', () => {
  const layout = home(0);
  const [one = '', two = ''] = lines(SECOND).split('\n');
  writeFileSync(layout.journal(LATER), `${one}\n${two}\nnonsense\n${lines(SECOND.slice(3))}`);
  const { state, notices, isUnsure } = loadStages(layout);
  assert.equal(state, stateOf(FIRST, SECOND.slice(0, 2), SECOND.slice(3)));
  const damage = 'has unreadable lines (3): what they said is lost, all else is kept';
  assert.equal([notices, isUnsure], [[`the journal of run ${LATER} ${damage}`], true]);
});

test('a projection that knows more than its journal is believed, and what comes later counts all the same', () => {
  for (const kept of [2, 0]) {
    const layout = home();
    writeFileSync(layout.journal(LATER), lines(SECOND.slice(0, kept)));
    const loaded = loadStages(layout);
    assert.equal(loaded.state, EXPECTED);
    const cut = `the journal of run ${LATER} lost its end: the stages are known from stages.json`;
    assert.equal([loaded.notices, loaded.isUnsure, openRun(loaded)?.run], [[cut], true, LATER]);
    const journal = openJournal({ run: LATER, layout, stages: loaded.state, clock: fakeClock() });
    journal.append({
      type: 'step.failed',
      stage: 'infra',
      step: 'infra',
      status: 'failed',
      data: EXAMPLES['step.failed'],
    });
    // Killed before anything was projected.
    writeFileSync(layout.stages, JSON.stringify(EXPECTED));
    assert.is(loadStages(layout).state.stages.infra?.status, 'failed', `${kept} lines kept`);
  }
});

test('a name for what comes next is later than the run that only the projection knows', () => {
  const layout = home();
  rmSync(layout.runs, { recursive: true });
  const { state, isUnsure } = loadStages(layout);
  assert.ok(isUnsure && nextId(layout, Date.UTC(2026, 0, 1), 'abcd', state.as_of.run) > LATER);
});

test('a run with a run.json has ended, whatever its journal lost; nothing of it runs', () => {
  const whole = journalOf([['run.started'], ['step.started', 'infra'], ['run.ended', undefined, { exit: 1 }]], {
    run: LATER,
  });
  const file = JSON.stringify({ version: 1, run: LATER, ended: '2026-01-02T00:00:09.000Z', exit: 1, lab: 'real' });
  for (const [text, ended] of [
    [file, ['2026-01-02T00:00:09.000Z', 1]],
    ['', [whole[1]?.time, undefined]],
    ['nonsense', [whole[1]?.time, undefined]],
  ] as const) {
    const layout = home(FIRST.length);
    writeFileSync(layout.journal(LATER), `${lines(whole.slice(0, 2))}nonsense\n`);
    assert.is(openRun(loadStages(layout))?.run, LATER);
    writeFileSync(layout.runFile(LATER), text);
    const loaded = loadStages(layout);
    const last = loaded.latest?.events.at(-1) as LoopEvent<'run.ended'>;
    assert.equal([openRun(loaded), last.type, last.time, last.data.exit], [undefined, 'run.ended', ...ended]);
    assert.is(loaded.state.stages.infra?.status, 'idle');
  }
});

test('a state that is whole is sure: nobody has to look for processes that no line names', () => {
  const layout = home();
  assert.is(loadStages(layout).isUnsure, true, 'a run is open');
  const ended = journalOf([['run.started'], ['run.ended']], { run: LATER });
  writeFileSync(layout.journal(LATER), lines(ended));
  writeFileSync(layout.stages, JSON.stringify(stateOf(FIRST, ended)));
  assert.is(loadStages(layout).isUnsure, false);
  rmSync(layout.stages);
  assert.is(loadStages(layout).isUnsure, true);
});

test('a projection whose journal is gone is all there is, and is believed', () => {
  const layout = home();
  rmSync(layout.runs, { recursive: true });
  assert.equal(loadStages(layout).state, stateOf(FIRST, SECOND));
});

test('the newest run is the open one until it ended', () => {
  assert.is(openRun(loadStages(home()))?.run, LATER);
  const layout = home();
  const ended = journalOf([['run.started'], ['run.ended']], { run: LATER });
  writeFileSync(layout.journal(LATER), lines(ended));
  assert.is(openRun(loadStages(layout)), undefined);
  writeFileSync(layout.stages, JSON.stringify(stateOf(FIRST)));
  writeFileSync(layout.journal(LATER), '');
  assert.is(openRun(loadStages(layout)), undefined, 'killed before its first event');
  assert.is(openRun(loadStages(layoutOf(folder()))), undefined);
});

test('property: whatever bytes the projection holds, the stages are those of the journals', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array(),
        fc.json().map((text) => Buffer.from(text)),
      ),
      (bytes) => {
        const layout = home();
        writeFileSync(layout.stages, bytes);
        assert.equal(loadStages(layout).state, EXPECTED);
      },
    ),
    runs(20, 600),
  );
});

test.run();
