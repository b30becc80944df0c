import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventType, LoopEvent, NewEvent, Subscriber } from '../../src/events.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { openJournal, readJournal } from '../../src/journal/event-file.ts';
import { openRecorder } from '../../src/journal/journal.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { RUN } from '../events.ts';
import { folder } from '../io/temporary.ts';
import { fakeClock } from '../run/builders.ts';
import { fc, runs } from '../sweep.ts';

const STEPS = new Map([
  ['a', ['a']],
  ['m', ['m[h=1]', 'm[h=2]']],
]);

/** The recorder of a process that begins, or takes up, the run in `home`. */
function recorderIn(home: string, subscribers: Subscriber[] = [], run = RUN) {
  const layout = layoutOf(home);
  const { state } = loadStages(layout);
  const { journal, events } = openJournal(layout.journal(run));
  const recorder = openRecorder({
    ...{ run, layout, journal, earlier: events, stages: state, steps: STEPS, subscribers, clock: fakeClock() },
  });
  const say = (type: EventType, step?: string, data: Record<string, unknown> = {}): void =>
    recorder.record(happening(type, step, data));
  return { recorder, say, layout };
}

function happening(type: EventType, step?: string, data: Record<string, unknown> = {}): NewEvent {
  return step === undefined ? { type, data } : { type, stage: step.replace(/\[.*/, ''), step, data };
}

const journalIn = (home: string, run = RUN) => readEvents(layoutOf(home).journal(run)).events;
const stageEvents = (home: string, run = RUN) =>
  journalIn(home, run)
    .filter((e) => e.type.startsWith('stage.'))
    .map((e) => `${e.type} ${e.stage}`);

test('what is recorded is numbered, stamped, in the journal, in the state and told, in that order', () => {
  const home = folder();
  const heard: LoopEvent[] = [];
  const { recorder, layout } = recorderIn(home, [
    (event) => {
      assert.ok(readFileSync(layout.journal(RUN), 'utf8').includes(`"seq":${event.seq},`));
      heard.push(event);
    },
  ]);
  recorder.record(happening('run.started'), happening('step.started', 'a'));
  assert.is(recorder.stages.stages.a?.status, 'running');
  recorder.close();
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
  const { recorder, say } = recorderIn(home);
  say('step.started', 'a');
  say('step.done', 'a');
  recorder.catchUp();
  say('run.ended');
  recorder.close();
  assert.equal(stageEvents(home), ['stage.green a']);
});

test('a stage with a matrix turns green once, with the last of its cells', () => {
  const home = folder();
  const { recorder, say } = recorderIn(home);
  for (const cell of ['m[h=1]', 'm[h=2]']) {
    say('step.started', cell);
    assert.equal(stageEvents(home), []);
    say('step.done', cell);
  }
  recorder.close();
  assert.equal(stageEvents(home), ['stage.green m']);
  assert.is(loadStages(layoutOf(home)).state.stages.m?.status, 'green');
});

test('a stage found still green by a later run is not told again; one of whose cells was redone is', () => {
  const home = folder();
  const first = recorderIn(home);
  for (const step of ['a', 'm[h=1]', 'm[h=2]']) first.say('step.done', step);
  first.say('run.ended');
  first.recorder.close();
  assert.equal(stageEvents(home), ['stage.green a', 'stage.green m']);
  const later = recorderIn(home, [], '20260102-000000-abcd');
  for (const step of ['a', 'm[h=1]', 'm[h=2]']) later.say('step.fresh', step);
  later.recorder.catchUp();
  later.recorder.close();
  assert.equal(stageEvents(home, '20260102-000000-abcd'), []);
  const third = recorderIn(home, [], '20260103-000000-abcd');
  third.say('step.started', 'm[h=1]');
  third.say('step.done', 'm[h=1]');
  third.say('step.fresh', 'm[h=2]');
  third.recorder.close();
  assert.equal(stageEvents(home, '20260103-000000-abcd'), ['stage.green m']);
});

test('a stage is failed when one of its cells is, and skipped when one is and none failed', () => {
  const home = folder();
  const { recorder, say } = recorderIn(home);
  say('step.failed', 'm[h=1]', { reason: 'x' });
  say('step.done', 'm[h=2]');
  say('step.skipped', 'a', { reason: 'needs m, which failed' });
  recorder.close();
  assert.equal(stageEvents(home), ['stage.failed m', 'stage.skipped a']);
  assert.is(loadStages(layoutOf(home)).state.stages.a?.reason, 'needs m, which failed');
});

test('a failed cell fails its stage at the end of the run also when other cells had no turn', () => {
  const home = folder();
  const { recorder, say } = recorderIn(home);
  say('step.started', 'm[h=1]');
  say('step.failed', 'm[h=1]');
  say('run.ended');
  recorder.close();
  assert.equal(stageEvents(home), ['stage.failed m']);
  assert.is(journalIn(home).at(-1)?.type, 'run.ended');
  assert.is(loadStages(layoutOf(home)).state.stages.m?.status, 'failed');
});

test('a process that takes up a run says what a torn write kept the last one from saying', () => {
  for (const steps of [['a'], ['m[h=1]', 'm[h=2]']]) {
    const home = folder();
    const first = recorderIn(home);
    first.say('run.started');
    for (const step of steps) first.say('step.done', step);
    first.recorder.close();
    const path = first.layout.journal(RUN);
    const whole = readFileSync(path, 'utf8');
    assert.match(whole, /"stage\.green"/);
    const second = tornBefore(home, 'stage.green');
    second.recorder.catchUp();
    second.recorder.catchUp();
    second.recorder.close();
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
  return recorderIn(home);
}

test('catching up tells nothing of stages that are not done, or were told', () => {
  const home = folder();
  const first = recorderIn(home);
  first.say('step.done', 'm[h=1]');
  first.say('step.done', 'a');
  first.recorder.close();
  const second = recorderIn(home);
  second.recorder.catchUp();
  second.recorder.close();
  assert.equal(stageEvents(home), ['stage.green a']);
});

test('a watcher that throws changes nothing', () => {
  const home = folder();
  const heard: string[] = [];
  const { recorder, say } = recorderIn(home, [
    () => {
      throw new Error('watcher');
    },
    (event) => void heard.push(event.type),
  ]);
  say('run.started');
  say('run.ended');
  recorder.close();
  assert.equal(heard, ['run.started', 'run.ended']);
});

test('the stages on disk are complete when the recorder is closed', () => {
  const home = folder();
  const { recorder, say, layout } = recorderIn(home);
  say('step.done', 'a');
  say('step.failed', 'm[h=1]');
  recorder.close();
  assert.equal(JSON.parse(readFileSync(layout.stages, 'utf8')), recorder.stages);
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
      const first = recorderIn(home);
      for (const [type, step] of all.slice(0, cut)) first.say(type, step);
      // Killed: nothing is closed. The projection on disk may be older than the journal.
      const second = recorderIn(home);
      for (const [type, step] of all.slice(cut)) second.say(type, step);
      second.recorder.close();
      const layout = layoutOf(home);
      const kept = loadStages(layout).state;
      rmSync(layout.stages, { force: true });
      assert.equal(kept, loadStages(layout).state);
      assert.equal(second.recorder.stages, kept);
    }),
    runs(20, 400),
  );
});

test.run();
