import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages, openRun } from '../../src/journal/load-stages.ts';
import { emptyState, foldStages } from '../../src/journal/stages.ts';
import { journalOf, RUN } from '../events.ts';
import { folder, write } from '../io/temporary.ts';
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
  assert.equal(loadStages(layoutOf(folder())), { state: emptyState(), notices: [] });
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
    assert.not(existsSync(layout.stages));
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

test('a corrupt journal is kept up to its first bad line, and said so', () => {
  const layout = home(0);
  const [one = '', two = ''] = lines(SECOND).split('\n');
  writeFileSync(layout.journal(LATER), `${one}\n${two}\nnonsense\n${lines(SECOND.slice(3))}`);
  const { state, notices } = loadStages(layout);
  assert.equal(state, stateOf(FIRST, SECOND.slice(0, 2)));
  assert.equal(notices, [`the journal of run ${LATER} is corrupt from line 3 on`]);
});

test('a projection that knows more than its journal is made again: new events may come under old numbers', () => {
  const layout = home();
  writeFileSync(layout.journal(LATER), lines(SECOND.slice(0, 2)));
  const { state, notices } = loadStages(layout);
  assert.equal(state, stateOf(FIRST, SECOND.slice(0, 2)));
  assert.equal(notices, [
    'ai/state/stages.json knew more than its journal, which was cut: made again from the journals',
  ]);
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
  writeFileSync(layout.journal(LATER), '');
  assert.is(openRun(loadStages(layout)), undefined);
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
