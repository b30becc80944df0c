import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventType, LoopEvent, NewEvent, Subscriber } from '../../src/events.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { takeLock } from '../../src/io/lock.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { emptyState } from '../../src/journal/stages.ts';
import type { Ledger } from '../../src/triage/ledger.ts';
import { folder } from '../environment.ts';
import { EXAMPLES, RUN } from '../events.ts';
import { fakeClock } from '../run/builders.ts';
import { fc, runs } from '../sweep.ts';
import { NOW, seen, used } from '../triage/builders.ts';

const STEPS = new Map([
  ['a', ['a']],
  ['m', ['m[h=1]', 'm[h=2]']],
]);

/** The journal of a process that begins, or goes on with, the run in `home`. */
function openIn(home: string, subscribers: Subscriber[] = [], run = RUN) {
  const layout = layoutOf(home);
  const { state } = loadStages(layout);
  const clock = fakeClock(NOW);
  const journal = openJournal({ run, layout, stages: state, steps: STEPS, subscribers, clock });
  const say = (type: EventType, step?: string, data: object = {}): void => journal.append(news(type, step, data));
  return { journal, say, layout, clock };
}

function news(type: EventType, step?: string, data: object = {}): NewEvent {
  const place = step === undefined ? {} : { stage: step.replace(/\[.*/, ''), step };
  return { type, ...place, data: { ...EXAMPLES[type], ...data } } as NewEvent;
}

const journalIn = (home: string, run = RUN) => readEvents(layoutOf(home).journal(run)).events;
const stageEvents = (home: string, run = RUN) =>
  journalIn(home, run)
    .filter((e) => e.type.startsWith('stage.'))
    .map((e) => `${e.type} ${e.stage}`);

test('what is recorded is numbered, stamped, in the journal, in the state and told, in that order', () => {
  const home = folder();
  const heard: LoopEvent[] = [];
  const { journal, layout } = openIn(home, [
    (event) => {
      assert.ok(readFileSync(layout.journal(RUN), 'utf8').includes(`"seq":${event.seq},`));
      heard.push(event);
    },
  ]);
  journal.append(news('run.started'), news('step.started', 'a'));
  assert.is(journal.stages.stages.a?.status, 'running');
  journal.close();
  assert.equal(
    heard.map((e) => [e.v, e.seq, e.run, e.type, e.stage, e.step]),
    [
      [1, 1, RUN, 'run.started', undefined, undefined],
      [1, 2, RUN, 'step.started', 'a', 'a'],
    ],
  );
  assert.equal(journalIn(home), heard);
});

test('a stage that turns green is told exactly once', () => {
  const home = folder();
  const { journal, say } = openIn(home);
  say('step.started', 'a');
  say('step.done', 'a');
  journal.catchUp();
  say('run.ended');
  journal.close();
  assert.equal(stageEvents(home), ['stage.green a']);
});

test('a stage with a matrix turns green once, with the last of its cells', () => {
  const home = folder();
  const { journal, say } = openIn(home);
  for (const cell of ['m[h=1]', 'm[h=2]']) {
    say('step.started', cell);
    assert.equal(stageEvents(home), []);
    say('step.done', cell);
  }
  journal.close();
  assert.equal(stageEvents(home), ['stage.green m']);
  assert.is(loadStages(layoutOf(home)).state.stages.m?.status, 'green');
});

test('a stage found still green by a later run is not told again; one of whose cells was redone is', () => {
  const home = folder();
  const first = openIn(home);
  for (const step of ['a', 'm[h=1]', 'm[h=2]']) first.say('step.done', step);
  first.say('run.ended');
  first.journal.close();
  assert.equal(stageEvents(home), ['stage.green a', 'stage.green m']);
  const later = openIn(home, [], '20260102-000000-abcd');
  for (const step of ['a', 'm[h=1]', 'm[h=2]']) later.say('step.fresh', step);
  later.journal.catchUp();
  later.journal.close();
  assert.equal(stageEvents(home, '20260102-000000-abcd'), []);
  const third = openIn(home, [], '20260103-000000-abcd');
  third.say('step.started', 'm[h=1]');
  third.say('step.done', 'm[h=1]');
  third.say('step.fresh', 'm[h=2]');
  third.journal.close();
  assert.equal(stageEvents(home, '20260103-000000-abcd'), ['stage.green m']);
});

test('a stage is failed when one of its cells is, and skipped when one is and none failed', () => {
  const home = folder();
  const { journal, say } = openIn(home);
  say('step.failed', 'm[h=1]', { reason: 'x' });
  say('step.done', 'm[h=2]');
  say('step.skipped', 'a', { reason: 'needs m, which failed' });
  journal.close();
  assert.equal(stageEvents(home), ['stage.failed m', 'stage.skipped a']);
  assert.is(loadStages(layoutOf(home)).state.stages.a?.reason, 'needs m, which failed');
});

test('a failed cell fails its stage at the end of the run also when other cells had no turn', () => {
  for (const end of ['run.ended', 'run.left'] as const) {
    const home = folder();
    const { journal, say } = openIn(home);
    say('step.started', 'm[h=1]');
    say('step.failed', 'm[h=1]');
    say(end);
    journal.close();
    assert.equal(stageEvents(home), ['stage.failed m']);
    assert.is(journalIn(home).at(-1)?.type, end);
    assert.is(loadStages(layoutOf(home)).state.stages.m?.status, 'failed');
  }
});

test('a process that takes up a run says what a torn write kept the last one from saying', () => {
  for (const steps of [['a'], ['m[h=1]', 'm[h=2]']]) {
    const home = folder();
    const first = openIn(home);
    first.say('run.started');
    for (const step of steps) first.say('step.done', step);
    first.journal.close();
    const path = first.layout.journal(RUN);
    const whole = readFileSync(path, 'utf8');
    assert.match(whole, /"stage\.green"/);
    const second = tornBefore(home, 'stage.green');
    second.journal.catchUp();
    second.journal.catchUp();
    second.journal.close();
    assert.equal(stageEvents(home), [`stage.green ${steps[0]?.replace(/\[.*/, '')}`]);
    assert.equal(
      journalIn(home).map((e) => e.seq),
      journalIn(home).map((_, i) => i + 1),
    );
  }
});

/** The same run after a crash in the middle of the write of the first event of `type`. */
function tornBefore(home: string, type: EventType) {
  const layout = layoutOf(home);
  const { events } = readEvents(layout.journal(RUN));
  const at = events.findIndex((e) => e.type === type);
  const good = events.slice(0, at).map((e) => `${JSON.stringify(e)}\n`);
  writeFileSync(layout.journal(RUN), `${good.join('')}${JSON.stringify(events[at]).slice(0, 20)}`);
  rmSync(layout.stages);
  return openIn(home);
}

test('catching up tells nothing of stages that are not done, or were told', () => {
  const home = folder();
  const first = openIn(home);
  first.say('step.done', 'm[h=1]');
  first.say('step.done', 'a');
  first.journal.close();
  const second = openIn(home);
  second.journal.catchUp();
  second.journal.close();
  assert.equal(stageEvents(home), ['stage.green a']);
});

test('a watcher that throws changes nothing', () => {
  const home = folder();
  const heard: string[] = [];
  const { journal, say } = openIn(home, [
    () => {
      throw new Error('watcher');
    },
    (event) => void heard.push(event.type),
  ]);
  say('run.started');
  say('run.ended');
  journal.close();
  assert.equal(heard, ['run.started', 'run.ended']);
});

test('stages and ledger on disk are complete when the journal is closed', () => {
  const home = folder();
  const { journal, say, layout } = openIn(home);
  say('step.done', 'a');
  say('step.failed', 'm[h=1]');
  journal.close();
  assert.equal(JSON.parse(readFileSync(layout.stages, 'utf8')), journal.stages);
  assert.equal(JSON.parse(readFileSync(layout.ledger, 'utf8')), journal.ledger);
});

test('the projections are written at most every 250 ms, and at the end', () => {
  const { journal, layout, clock } = openIn(folder());
  const projected = () =>
    [layout.stages, layout.ledger].map((path) => (JSON.parse(readFileSync(path, 'utf8')) as Ledger).as_of.seq);
  journal.append(seen());
  assert.equal(projected(), [1, 1]);
  clock.at += 249;
  journal.append(seen());
  assert.equal(projected(), [1, 1]);
  clock.at += 1;
  journal.append(seen());
  assert.equal(projected(), [3, 3]);
  journal.append(seen());
  journal.close();
  assert.equal(projected(), [4, 4]);
});

test('what could not be read again is refused before it is written, with all that came with it, and leaves no gap', () => {
  const home = folder();
  const { journal } = openIn(home);
  journal.append(seen());
  const bad: NewEvent[] = [
    used(Number.NaN),
    { type: 'notice', data: {} } as never,
    { type: 'failure.given_up', data: EXAMPLES['failure.given_up'] } as never,
    { type: 'step.started', stage: 'a', data: {} } as never,
  ];
  for (const event of bad) assert.throws(() => journal.append(seen(), event), /^TypeError|no \S+: \{.*"type":/);
  journal.append(seen());
  journal.close();
  assert.equal(
    journalIn(home).map(({ seq, type }) => [seq, type]),
    [
      [1, 'failure.seen'],
      [2, 'failure.seen'],
    ],
  );
  assert.is(journal.ledger.entries['talos/f1']?.times_seen, 2);
});

test('what is told in words is masked before it is on disk, and what has none is not looked at', () => {
  const home = folder();
  const layout = layoutOf(home);
  const seen: string[] = [];
  const mask = (text: string): string => {
    seen.push(text);
    return text.replaceAll('s3cret', '[x]');
  };
  const journal = openJournal({ run: RUN, layout, stages: emptyState(), clock: fakeClock(NOW), mask });
  const data = { ...EXAMPLES['failure.seen'], excerpt: 'the s3cret' };
  journal.append({ type: 'failure.seen', stage: 'a', data }, { type: 'stage.green', stage: 'a', data: {} });
  journal.close();
  for (const path of [layout.journal(RUN), layout.ledgerJournal, layout.ledger]) {
    assert.match(readFileSync(path, 'utf8'), /the \[x\]/);
    assert.not.match(readFileSync(path, 'utf8'), /s3cret/);
  }
  assert.ok(seen.includes('the s3cret') && !seen.some((text) => text.includes('stage.green') || text === 'a'));
});

test('a process whose lock went to another records nothing more, and leaves the projections as they are', () => {
  for (const change of [(path: string) => rmSync(path), (path: string) => writeFileSync(path, '{"pid":1}')]) {
    const home = folder();
    const { lock, stages, journal: path } = layoutOf(home);
    const got = takeLock(lock, 'test');
    const { journal, say } = openIn(home);
    say('step.started', 'a');
    say('attempt.started', 'a');
    const before = [readFileSync(path(RUN), 'utf8'), readFileSync(stages, 'utf8')];
    change(lock);
    for (const _ of [1, 2]) assert.throws(() => say('step.done', 'a'), /is no longer the lock of this run/);
    journal.close();
    assert.equal([readFileSync(path(RUN), 'utf8'), readFileSync(stages, 'utf8')], before);
    if (got.taken) got.release();
  }
});

test('whoever looks while a stage runs sees that it runs, though nothing more is recorded for long', async () => {
  const home = folder();
  const { say, journal, layout } = openIn(home);
  say('run.started');
  say('step.started', 'a');
  say('attempt.started', 'a');
  const status = () => JSON.parse(readFileSync(layout.stages, 'utf8')).stages.a?.status;
  assert.is(status(), undefined, 'too soon after the last time');
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.is(status(), 'running');
  journal.close();
});

test('property: wherever a process dies, the next one finds the state that all recorded events fold to', () => {
  const types = fc.constantFrom<EventType>(
    'step.started',
    'step.done',
    'step.fresh',
    'step.failed',
    'step.interrupted',
  );
  const steps = fc.constantFrom('a', 'm[h=1]', 'm[h=2]');
  fc.assert(
    fc.property(fc.array(fc.tuple(types, steps), { minLength: 1, maxLength: 12 }), fc.nat(12), (all, cut) => {
      const home = folder();
      const first = openIn(home);
      for (const [type, step] of all.slice(0, cut)) first.say(type, step);
      // Killed: nothing is closed. The projection on disk may be older than the journal.
      const second = openIn(home);
      for (const [type, step] of all.slice(cut)) second.say(type, step);
      second.journal.close();
      const layout = layoutOf(home);
      const kept = loadStages(layout).state;
      rmSync(layout.stages, { force: true });
      assert.equal(kept, loadStages(layout).state);
      assert.equal(second.journal.stages, kept);
    }),
    runs(20, 400),
  );
});

test.run();
