import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { openJournal } from '../../src/journal/journal.ts';
import { openLedger, readLedger } from '../../src/journal/ledger-file.ts';
import { listJournals } from '../../src/journal/runs.ts';
import { emptyState } from '../../src/journal/stages.ts';
import { foldLedger, isStory } from '../../src/triage/fold.ts';
import { emptyLedger, entryOf, type Ledger } from '../../src/triage/ledger.ts';
import { folder } from '../environment.ts';
import { EXAMPLES } from '../events.ts';
import { fakeClock } from '../run/builders.ts';
import { fc, runs } from '../sweep.ts';
import { anyStory, NOW, type Story, seen, stamped, tried, used } from '../triage/builders.ts';

const fresh = (): Layout => layoutOf(folder());
const runId = (n: number): string => `20261110-06${String(n).padStart(4, '0')}-abcd`;

/** The journal of a process that works on the n-th run. */
const openRunIn = (layout: Layout, n: number, clock = fakeClock(NOW)) =>
  openJournal({ run: runId(n), layout, stages: emptyState(), clock });

/** What one process records in the n-th run; the ledger as it left it. */
function recordIn(layout: Layout, n: number, ...stories: Story[]): Ledger {
  const journal = openRunIn(layout, n);
  for (const story of stories) journal.append(story);
  journal.close();
  return journal.ledger;
}

/** What everything in the journals folds to. */
function foldOf(layout: Layout): Ledger {
  const ledger = emptyLedger();
  const events = listJournals(layout).flatMap(({ path }) => readEvents(path).events);
  for (const event of events.filter(isStory)) foldLedger(ledger, event);
  return ledger;
}

const timesSeen = ({ ledger }: { ledger: Ledger }) => entryOf(ledger, 'talos', 'f1')?.times_seen ?? 0;
const textOf = (path: string) => readFileSync(path, 'utf8');
const linesOf = (layout: Layout) => textOf(layout.ledgerJournal).split('\n').filter(Boolean);
const writeLines = (layout: Layout, lines: readonly string[]) =>
  writeFileSync(layout.ledgerJournal, lines.map((line) => `${line}\n`).join(''));
const filesIn = (layout: Layout) =>
  readdirSync(layout.state)
    .filter((name) => name.startsWith('ledger'))
    .sort();
const content = ({ day, total, entries }: Ledger) => ({ day, total, entries });

test('a ledger that does not exist is empty, and reading it makes no file', () => {
  const home = folder();
  assert.equal(readLedger(layoutOf(home)), { ledger: emptyLedger(), notices: [] });
  assert.equal(readdirSync(home), []);
});

test('what tells of a failure is copied as it stands in the journal, and nothing else is', () => {
  const layout = fresh();
  const journal = openRunIn(layout, 1);
  journal.append({ type: 'notice', data: { text: 'x' } }, seen(), tried());
  journal.append({ type: 'stage.green', stage: 'talos', data: {} });
  journal.append(used(5));
  const lines = textOf(layout.journal(runId(1)))
    .split('\n')
    .filter(Boolean);
  assert.equal(linesOf(layout), [lines[1], lines[2], lines[4]]);
  assert.equal(journal.ledger.day, { date: '2026-11-10', tries: 1, tokens: 5, prompts: 1 });
  journal.close();
  assert.equal(JSON.parse(textOf(layout.ledger)), journal.ledger);
  assert.equal(
    [layout.ledger, layout.ledgerJournal].map((path) => statSync(path).mode & 0o777),
    [0o600, 0o600],
  );
});

test('the next process goes on where the last one ended', () => {
  const layout = fresh();
  recordIn(layout, 1, seen(), seen());
  const ledger = recordIn(layout, 2, seen());
  assert.equal(
    [timesSeen({ ledger }), ledger.as_of, ledger.last_line],
    [3, { run: runId(2), seq: 1 }, { run: runId(2), seq: 1 }],
  );
  assert.equal(readLedger(layout), { ledger, notices: [] });
});

test('a projection that lags is brought up to date from the newest journals alone', () => {
  const layout = fresh();
  recordIn(layout, 1, seen(), tried());
  recordIn(layout, 2, seen(), tried());
  const behind = textOf(layout.ledger);
  recordIn(layout, 3, seen(), tried());
  writeFileSync(layout.ledger, behind);
  // Were the first journal read, or the first line, it would be noticed or counted.
  writeFileSync(
    layout.journal(runId(1)),
    textOf(layout.journal(runId(2)))
      .replaceAll(runId(2), runId(1))
      .repeat(3),
  );
  writeFileSync(layout.ledgerJournal, `#${textOf(layout.ledgerJournal).slice(1)}`);
  const read = readLedger(layout);
  assert.equal([timesSeen(read), read.ledger.day.tries, read.notices], [3, 3, []]);
});

test('a run without a failure advances the ledger too: no later start reads the journals before it', () => {
  const layout = fresh();
  recordIn(layout, 1, seen());
  for (const n of [2, 3, 4]) {
    const journal = openRunIn(layout, n);
    journal.append({ type: 'stage.green', stage: 'talos', data: {} });
    journal.close();
  }
  const { ledger } = readLedger(layout);
  assert.equal(
    [ledger.as_of, ledger.last_line],
    [
      { run: runId(4), seq: 1 },
      { run: runId(1), seq: 1 },
    ],
  );
  // What the journals before hold is not looked at.
  for (const n of [2, 3]) {
    const told = stamped(seen(), 1, NOW, runId(n));
    writeFileSync(layout.journal(runId(n)), `${JSON.stringify(told)}\n`);
  }
  const next = recordIn(layout, 5, seen());
  assert.equal([timesSeen({ ledger: next }), linesOf(layout).length], [2, 2]);
});

test('a projection that is missing is made again from the journal, and a person is told', () => {
  const layout = fresh();
  const ledger = recordIn(layout, 1, seen(), seen());
  rmSync(layout.ledger);
  const file = openLedger(layout, NOW);
  file.project(file.ledger.as_of);
  file.close();
  assert.equal(file.notices, ['ai/state/ledger.json is missing: made again from its journal']);
  assert.equal([file.ledger, JSON.parse(textOf(layout.ledger))], [ledger, ledger]);
});

test('a projection that is corrupt is kept aside and made again; who only looks leaves it', () => {
  for (const text of ['', 'nonsense', '{"version":1}', '[]']) {
    const layout = fresh();
    const ledger = recordIn(layout, 1, seen(), seen());
    writeFileSync(layout.ledger, text);
    const read = readLedger(layout);
    assert.equal(read, { ledger, notices: ['ai/state/ledger.json is corrupt: made again from its journal'] });
    assert.equal([textOf(layout.ledger), filesIn(layout)], [text, ['ledger.json', 'ledger.jsonl']]);
    const file = openLedger(layout, NOW);
    file.project(file.ledger.as_of);
    file.close();
    assert.match(
      file.notices.join(),
      /^ai\/state\/ledger\.json is corrupt, kept as \S+\.corrupt-\S+: made again from its journal$/,
    );
    assert.equal([file.ledger, filesIn(layout).length], [ledger, 3]);
  }
});

test('a projection whose journal was lost goes on without it, so that nothing counted is forgotten', () => {
  const changes: [string, (layout: Layout) => void][] = [
    ['cut', (l) => writeLines(l, linesOf(l).slice(0, 1))],
    ['gone', (l) => rmSync(l.ledgerJournal)],
    ['replaced', (l) => writeLines(l, ['nonsense'])],
  ];
  for (const [what, change] of changes) {
    for (const pruned of [false, true]) {
      const layout = fresh();
      recordIn(layout, 1, seen(), seen(), seen());
      if (pruned) rmSync(layout.runs, { recursive: true });
      change(layout);
      const before = filesIn(layout);
      const read = readLedger(layout);
      assert.equal(
        [timesSeen(read), read.notices],
        [3, ['ai/state/ledger.jsonl was lost, cut or replaced: ledger.json goes on without it']],
        what,
      );
      assert.equal(filesIn(layout), before, what);
      const journal = openRunIn(layout, 2);
      journal.append(seen());
      journal.close();
      assert.is(timesSeen(journal), 4, what);
      assert.match(
        journal.notices.join(),
        /cut or replaced(?:, kept as \S+\.corrupt-\S+)?: ledger\.json goes on without it$/,
        what,
      );
      assert.equal(readLedger(layout), { ledger: journal.ledger, notices: [] }, what);
      rmSync(layout.ledger);
      assert.is(timesSeen(readLedger(layout)), 4, `${what}: the new journal has it all`);
    }
  }
});

test('an unreadable line costs what it said and nothing else: it is told of, and stays in the journal', () => {
  const bad: [string, (line: string) => string][] = [
    ['no JSON', () => 'nonsense'],
    ['an empty line', () => ''],
    ['another version', (line) => line.replace('"v":1', '"v":2')],
    ['an unknown type', (line) => line.replace('"failure.seen"', '"toString"')],
    ['no data of its type', (line) => line.replace('"transient":false', '"transient":0')],
  ];
  const rotten: typeof bad = [
    ['a number that rotted', (line) => line.replace('"seq":2', '"seq":9')],
    ['a number twice', (line) => line.replace('"seq":2', '"seq":1')],
    ['a run that rotted', (line) => line.replace(`"run":"${runId(1)}"`, '"run":"zzz"')],
  ];
  for (const [what, spoil] of [...bad, ...rotten]) {
    const layout = fresh();
    recordIn(layout, 1, seen(), seen(), seen(), seen());
    writeLines(
      layout,
      linesOf(layout).map((line, i) => (i === 1 ? spoil(line) : line)),
    );
    const text = textOf(layout.ledgerJournal);
    rmSync(layout.ledger);
    const journal = openRunIn(layout, 2);
    const isBad = bad.some(([name]) => name === what);
    const notice = 'ai/state/ledger.jsonl has unreadable lines (1): what they said is not in the ledger';
    assert.is(journal.notices.at(-1) === notice, isBad, what);
    journal.append(seen());
    journal.close();
    assert.equal([timesSeen(journal), journal.ledger.as_of.seq], [isBad ? 4 : 5, 1], what);
    assert.ok(textOf(layout.ledgerJournal).startsWith(text), what);
    assert.equal(readLedger(layout), { ledger: journal.ledger, notices: [] }, what);
  }
});

test('a last line that rotted is told, and what it said stays: a snapshot of the projection follows it', () => {
  const layout = fresh();
  recordIn(layout, 1, seen(), seen(), seen());
  writeLines(layout, [...linesOf(layout).slice(0, 2), 'nonsense']);
  const before = filesIn(layout);
  const notice = 'ai/state/ledger.jsonl has an unreadable last line: ledger.json has what it said';
  assert.equal([timesSeen(readLedger(layout)), readLedger(layout).notices], [3, [notice]]);
  const journal = openRunIn(layout, 2);
  journal.append(seen());
  journal.close();
  assert.equal([timesSeen(journal), journal.notices, filesIn(layout)], [4, [notice], before]);
  assert.equal(readLedger(layout), { ledger: journal.ledger, notices: [] });
  rmSync(layout.ledger);
  assert.is(timesSeen(readLedger(layout)), 4);
});

test('a line that is missing costs nothing but itself', () => {
  const layout = fresh();
  recordIn(layout, 1, seen(), seen(), seen(), seen());
  writeLines(
    layout,
    linesOf(layout).filter((_, i) => i !== 1),
  );
  rmSync(layout.ledger);
  assert.is(timesSeen(readLedger(layout)), 3);
});

test('what the disk refused is not in the ledger, and nothing is written behind it', () => {
  const layout = fresh();
  const file = openLedger(layout, NOW);
  file.append([stamped(seen(), 1)]);
  file.close();
  for (const seq of [2, 3]) assert.throws(() => file.append([stamped(seen(), seq)]), /EBADF/);
  assert.equal([timesSeen(file), linesOf(layout).length], [1, 1]);
});

test('a process killed between its journal and the ledger, or between the ledger and its projection, loses and doubles nothing', () => {
  const stories = [seen(), tried(), used(5), seen()];
  const projections: [string, (layout: Layout, old: string) => void][] = [
    ['as old as the run', (l, old) => writeFileSync(l.ledger, old)],
    ['missing', (l) => rmSync(l.ledger)],
  ];
  for (const [what, spoil] of projections) {
    for (let copied = 0; copied <= stories.length; copied++) {
      const layout = fresh();
      recordIn(layout, 1, seen());
      const old = textOf(layout.ledger);
      recordIn(layout, 2, ...stories);
      const whole = linesOf(layout);
      const expected = readLedger(layout).ledger;
      spoil(layout, old);
      writeLines(layout, whole.slice(0, 1 + copied));
      const at = `${what}, ${copied} copied`;
      assert.equal(readLedger(layout).ledger, expected, at);
      const file = openLedger(layout, NOW);
      file.close();
      assert.equal([file.ledger, linesOf(layout)], [expected, whole], at);
      // Killed again before anything was projected: the lines are there now, and are not copied twice.
      openLedger(layout, NOW).close();
      assert.equal([linesOf(layout), readLedger(layout).ledger], [whole, expected], at);
      const next = recordIn(layout, 3, seen());
      assert.equal([timesSeen({ ledger: next }), linesOf(layout).length], [4, 6], at);
    }
  }
});

test('property: as one line its journal says the same, and whatever comes behind it counts, also without ledger.json and old runs', () => {
  fc.assert(
    fc.property(fc.array(anyStory, { maxLength: 30 }), fc.array(anyStory, { maxLength: 8 }), (first, then) => {
      const layout = fresh();
      recordIn(layout, 1, seen(), ...first);
      const journal = openRunIn(layout, 2);
      const size = statSync(layout.ledgerJournal).size;
      const gain = journal.compactLedger();
      assert.is(statSync(layout.ledgerJournal).size, size - gain);
      for (const story of then) journal.append(story);
      journal.close();
      const expected = content(foldOf(layout));
      assert.equal(content(readLedger(layout).ledger), expected);
      if (gain > 0) rmSync(layout.journal(runId(1)));
      rmSync(layout.ledger);
      assert.equal(content(readLedger(layout).ledger), expected);
    }),
    runs(30, 1000),
  );
});

test('a run whose journal was cut goes on under old numbers, and what it records then counts', () => {
  for (const dies of [false, true]) {
    const layout = fresh();
    recordIn(layout, 1, seen(), seen(), seen(), seen());
    const path = layout.journal(runId(1));
    writeFileSync(path, `${textOf(path).split('\n').slice(0, 2).join('\n')}\nnonsense\n`);
    const clock = fakeClock(NOW);
    const journal = openRunIn(layout, 1, clock);
    assert.is(timesSeen(journal), 4, 'what was counted stays counted');
    journal.append({ type: 'notice', data: { text: 'projected with this' } });
    journal.append(seen());
    if (!dies) journal.close();
    assert.equal(timesSeen(readLedger(layout)), 5, String(dies));
    assert.is(timesSeen({ ledger: recordIn(layout, 2, seen()) }), 6);
    rmSync(layout.ledger);
    assert.is(timesSeen(readLedger(layout)), 6, 'from its own journal');
  }
});

test('property: cut at any byte, the journal is made whole again from those of the runs; without them it loses what was cut', () => {
  const whole = fresh();
  recordIn(whole, 1, seen(), { ...seen(), data: { ...EXAMPLES['failure.seen'], excerpt: 'ü→' } } as Story);
  recordIn(whole, 2, tried(), used(5));
  const bytes = readFileSync(whole.ledgerJournal);
  const ends = [...bytes.keys()].filter((i) => bytes[i] === 10);
  const journals = [1, 2].map((n) => [runId(n), textOf(whole.journal(runId(n)))] as const);
  fc.assert(
    fc.property(fc.nat(bytes.length), fc.boolean(), (cut, pruned) => {
      const layout = fresh();
      recordIn(layout, 0);
      if (!pruned) {
        for (const [run, text] of journals) {
          openRunIn(layout, Number(run.slice(11, 15))).close();
          writeFileSync(layout.journal(run), text);
        }
      }
      rmSync(layout.ledger);
      writeFileSync(layout.ledgerJournal, bytes.subarray(0, cut));
      const sound = pruned ? ends.filter((end) => end < cut).length : ends.length;
      const journal = openRunIn(layout, 3);
      assert.is(linesOf(layout).length, sound);
      journal.append(seen());
      journal.close();
      rmSync(layout.ledger);
      assert.equal(readLedger(layout).ledger, journal.ledger);
      assert.is(linesOf(layout).length, sound + 1);
      if (!pruned) assert.equal(content(journal.ledger), content(foldOf(layout)));
    }),
    runs(50, 1500),
  );
});

test('property: wherever processes die, the ledger is what the journals fold to, each event once', () => {
  const life = fc.record({
    stories: fc.array(anyStory, { maxLength: 6 }),
    end: fc.constantFrom('closed', 'killed', 'torn', 'not copied', 'no projection'),
    lost: fc.nat(3),
    pause: fc.nat(600),
    same: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(life, { maxLength: 4 }), (lives) => {
      const layout = fresh();
      const clock = fakeClock(NOW);
      let n = 0;
      for (const { stories, end, lost, pause, same } of lives) {
        n += same && n > 0 ? 0 : 1;
        const journal = openRunIn(layout, n, clock);
        // No projection is newer than the ledger's journal, so none is written where lines are cut from it.
        const copied = linesOf(layout).length;
        const old = end === 'not copied' ? textIfAny(layout.ledger) : undefined;
        for (const story of stories) {
          journal.append(story);
          clock.at += pause;
        }
        if (end === 'closed' || end === 'no projection') journal.close();
        if (end === 'torn') appendFileSync(layout.ledgerJournal, '{"v":1,"seq":');
        if (end === 'no projection') rmSync(layout.ledger, { force: true });
        if (end === 'not copied') {
          writeLines(layout, linesOf(layout).slice(0, Math.max(copied, linesOf(layout).length - lost)));
          if (old === undefined) rmSync(layout.ledger, { force: true });
          else writeFileSync(layout.ledger, old);
        }
      }
      const expected = foldOf(layout);
      assert.equal(content(readLedger(layout).ledger), content(expected));
      if (lives.length === 0) return;
      openLedger(layout, NOW).close();
      assert.is(linesOf(layout).length, allStory(layout));
      rmSync(layout.ledger, { force: true });
      assert.equal(content(readLedger(layout).ledger), content(expected));
    }),
    runs(50, 1500),
  );
});

const textIfAny = (path: string): string | undefined => {
  try {
    return textOf(path);
  } catch {
    return undefined;
  }
};
const allStory = (layout: Layout): number =>
  listJournals(layout).flatMap(({ path }) => readEvents(path).events.filter(isStory)).length;

test('property: whatever is done to the bytes of either file, the ledger opens, is written and read again', () => {
  const whole = fresh();
  recordIn(whole, 1, seen(), tried(), used(5), seen('f2', '__proto__'));
  const change = fc.tuple(fc.nat(4000), fc.uint8Array({ minLength: 1, maxLength: 4 }));
  const spoilt = (path: string, changes: readonly [number, Uint8Array][]) => {
    const bytes = readFileSync(path);
    for (const [at, put] of changes) Buffer.from(put).copy(bytes, at % bytes.length);
    return bytes;
  };
  fc.assert(
    fc.property(fc.array(change, { maxLength: 2 }), fc.array(change, { maxLength: 2 }), (one, two) => {
      const layout = fresh();
      recordIn(layout, 1);
      writeFileSync(layout.ledger, spoilt(whole.ledger, one));
      writeFileSync(layout.ledgerJournal, spoilt(whole.ledgerJournal, two));
      const journal = openRunIn(layout, 2);
      journal.append(seen('f9'));
      journal.close();
      assert.is(entryOf(journal.ledger, 'talos', 'f9')?.times_seen, 1);
      assert.equal(readLedger(layout), { ledger: journal.ledger, notices: [] });
    }),
    runs(100, 3000),
  );
});

test.run();
