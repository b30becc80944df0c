import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { openLedger, readLedger } from '../../src/journal/ledger-file.ts';
import { foldLedger } from '../../src/triage/fold.ts';
import { emptyLedger, entryOf, type Ledger } from '../../src/triage/ledger.ts';
import type { LedgerHappening, LedgerRecord } from '../../src/triage/records.ts';
import { folder } from '../io/temporary.ts';
import { fakeClock } from '../run/builders.ts';
import { fc, runs } from '../sweep.ts';
import { anyHappening, NOW, seen, tried, used } from '../triage/builders.ts';

const fresh = (): Layout => layoutOf(folder());

/** Records in the ledger of `layout` as one process would. */
function recordIn(layout: Layout, ...happenings: LedgerHappening[]): Ledger {
  const store = openLedger(layout, fakeClock(NOW));
  for (const happening of happenings) store.record(happening);
  store.close();
  return store.ledger;
}

const timesSeen = ({ ledger }: { ledger: Ledger }) => entryOf(ledger, 'talos', 'f1')?.times_seen ?? 0;
const textOf = (path: string) => readFileSync(path, 'utf8');
const linesOf = (layout: Layout) => textOf(layout.ledgerJournal).split('\n').filter(Boolean);
const filesIn = (layout: Layout) => readdirSync(layout.state).sort();
/** Everything but where in the journal it is from. */
const content = ({ as_of, ...rest }: Ledger) => ({ ...rest, seq: as_of.seq });

test('a ledger that does not exist is empty, and reading it makes no file', () => {
  const home = folder();
  assert.equal(readLedger(layoutOf(home)), { ledger: emptyLedger(), notices: [] });
  assert.equal(readdirSync(home), []);
});

test('what is recorded is numbered, stamped, and on disk when record returns', () => {
  const layout = fresh();
  const store = openLedger(layout, fakeClock(NOW));
  store.record(seen(), tried('h1'));
  store.record();
  store.record(used(5));
  assert.equal(
    linesOf(layout).map((line) => JSON.parse(line)),
    [
      { v: 1, seq: 1, time: '2026-11-10T06:00:00.000Z', ...seen() },
      { v: 1, seq: 2, time: '2026-11-10T06:00:00.000Z', ...tried('h1') },
      { v: 1, seq: 3, time: '2026-11-10T06:00:00.000Z', ...used(5) },
    ],
  );
  assert.equal(store.ledger.day, { date: '2026-11-10', tries: 1, tokens: 5 });
  store.close();
  assert.equal(JSON.parse(textOf(layout.ledger)), store.ledger);
  assert.equal(
    [layout.ledger, layout.ledgerJournal].map((path) => statSync(path).mode & 0o777),
    [0o600, 0o600],
  );
});

test('the next process goes on where the last one ended', () => {
  const layout = fresh();
  recordIn(layout, seen(), seen());
  const ledger = recordIn(layout, seen());
  assert.equal([timesSeen({ ledger }), ledger.as_of.seq], [3, 3]);
  assert.equal(readLedger(layout), { ledger, notices: [] });
});

test('the projection is written at most every 250 ms, and at the end', () => {
  const layout = fresh();
  const clock = fakeClock(NOW);
  const store = openLedger(layout, clock);
  const projected = () => (JSON.parse(textOf(layout.ledger)) as Ledger).as_of.seq;
  store.record(seen());
  assert.is(projected(), 1);
  clock.at += 249;
  store.record(seen());
  assert.is(projected(), 1);
  clock.at += 1;
  store.record(seen());
  assert.is(projected(), 3);
  store.record(seen());
  store.close();
  assert.is(projected(), 4);
});

test('a projection behind its journal is brought up to date from the rest of it alone', () => {
  const layout = fresh();
  recordIn(layout, seen(), tried());
  const behind = textOf(layout.ledger);
  recordIn(layout, seen(), tried());
  writeFileSync(layout.ledger, behind);
  // Were the first line read, it would be noticed.
  const text = textOf(layout.ledgerJournal);
  writeFileSync(layout.ledgerJournal, `#${text.slice(1)}`);
  const read = readLedger(layout);
  assert.equal([timesSeen(read), read.ledger.day.tries, read.notices], [2, 2, []]);
});

test('a projection that is missing is made again from the journal, and a person is told', () => {
  const layout = fresh();
  const ledger = recordIn(layout, seen(), seen());
  rmSync(layout.ledger);
  const store = openLedger(layout, fakeClock(NOW));
  store.close();
  assert.equal(store.notices, ['ai/state/ledger.json is missing: made again from its journal']);
  assert.equal([store.ledger, JSON.parse(textOf(layout.ledger))], [ledger, ledger]);
});

test('a projection that is corrupt is kept aside and made again; who only looks leaves it', () => {
  for (const text of ['', 'nonsense', '{"version":1}', '[]']) {
    const layout = fresh();
    const ledger = recordIn(layout, seen(), seen());
    writeFileSync(layout.ledger, text);
    const read = readLedger(layout);
    assert.equal(read, { ledger, notices: ['ai/state/ledger.json is corrupt: made again from its journal'] });
    assert.equal([textOf(layout.ledger), filesIn(layout)], [text, ['ledger.json', 'ledger.jsonl']]);
    const store = openLedger(layout, fakeClock(NOW));
    store.close();
    assert.match(
      store.notices.join(),
      /^ai\/state\/ledger\.json is corrupt, kept as \S+\.corrupt-\S+: made again from its journal$/,
    );
    assert.equal([store.ledger, filesIn(layout).length], [ledger, 3]);
  }
});

test('a projection whose journal was lost goes on without it, so that nothing counted is forgotten', () => {
  const cut: [string, (layout: Layout) => void][] = [
    ['cut', (l) => writeFileSync(l.ledgerJournal, `${linesOf(l)[0]}\n`)],
    ['gone', (l) => rmSync(l.ledgerJournal)],
    ['cut and grown', (l) => writeFileSync(l.ledgerJournal, textOf(l.ledgerJournal).replace(/x{9}/, 'y'))],
  ];
  for (const [what, change] of cut) {
    const layout = fresh();
    const long = { ...seen(), run: 'x'.repeat(9) } as LedgerHappening;
    recordIn(layout, long, seen(), seen());
    change(layout);
    const before = filesIn(layout);
    const read = readLedger(layout);
    assert.equal(
      [timesSeen(read), read.notices],
      [3, ['ai/state/ledger.jsonl was lost, cut or replaced: ledger.json goes on without it']],
      what,
    );
    assert.equal(filesIn(layout), before, what);
    const store = openLedger(layout, fakeClock(NOW));
    store.record(seen());
    store.close();
    assert.is(timesSeen(store), 4, what);
    assert.match(
      store.notices.join(),
      /cut or replaced(?:, kept as \S+\.corrupt-\S+)?: ledger\.json goes on without it$/,
      what,
    );
    assert.equal(readLedger(layout), { ledger: store.ledger, notices: [] }, what);
    rmSync(layout.ledger);
    assert.is(timesSeen(readLedger(layout)), 4, `${what}: the new journal has it all`);
  }
});

test('an unreadable line costs what it said and nothing else: it is told of, and stays in the journal', () => {
  const bad: [string, (line: string) => string][] = [
    ['no JSON', () => 'nonsense'],
    ['an empty line', () => ''],
    ['another version', (line) => line.replace('"v":1', '"v":2')],
    ['an unknown type', (line) => line.replace('"seen"', '"toString"')],
    ['a number that rotted', (line) => line.replace('"seq":2', '"seq":9')],
    ['a number twice', (line) => line.replace('"seq":2', '"seq":1')],
  ];
  for (const [what, spoil] of bad) {
    const layout = fresh();
    recordIn(layout, seen(), seen(), seen(), seen());
    const text = linesOf(layout)
      .map((line, i) => `${i === 1 ? spoil(line) : line}\n`)
      .join('');
    writeFileSync(layout.ledgerJournal, text);
    rmSync(layout.ledger);
    const store = openLedger(layout, fakeClock(NOW));
    assert.is(
      store.notices.at(-1),
      'ai/state/ledger.jsonl has unreadable lines (1): what they said is not in the ledger',
      what,
    );
    store.record(seen());
    store.close();
    assert.equal([timesSeen(store), store.ledger.as_of.seq], [4, 5], what);
    assert.ok(textOf(layout.ledgerJournal).startsWith(text), what);
    assert.equal(readLedger(layout), { ledger: store.ledger, notices: [] }, what);
  }
});

test('a record that is missing costs nothing but itself', () => {
  const layout = fresh();
  recordIn(layout, seen(), seen(), seen(), seen());
  const lines = linesOf(layout).filter((_, i) => i !== 1);
  writeFileSync(layout.ledgerJournal, lines.map((line) => `${line}\n`).join(''));
  rmSync(layout.ledger);
  assert.is(timesSeen(readLedger(layout)), 3);
});

test('what could not be read again is refused before it is written', () => {
  const layout = fresh();
  const store = openLedger(layout, fakeClock(NOW));
  store.record(seen());
  assert.throws(() => store.record(seen(), used(Number.NaN)), /^no record of the ledger: .*"type":"used"/);
  store.record(seen());
  store.close();
  assert.equal([timesSeen(store), linesOf(layout).length], [2, 2]);
});

test('a record the disk refused is not in the ledger, and nothing is written behind it', () => {
  const layout = fresh();
  const store = openLedger(layout, fakeClock(NOW));
  store.record(seen());
  store.close();
  for (const _ of [1, 2]) assert.throws(() => store.record(seen()), /EBADF/);
  assert.equal([timesSeen(store), linesOf(layout).length], [1, 1]);
});

test('property: cut at any byte, the journal loses at most the record it was cut in, and can be written again', () => {
  const whole = fresh();
  recordIn(whole, seen(), { ...seen(), run: 'ü→' } as LedgerHappening, tried('h1'), used(5));
  const bytes = readFileSync(whole.ledgerJournal);
  const ends = [...bytes.keys()].filter((i) => bytes[i] === 10);
  fc.assert(
    fc.property(fc.nat(bytes.length), (cut) => {
      const layout = fresh();
      recordIn(layout);
      writeFileSync(layout.ledgerJournal, bytes.subarray(0, cut));
      const sound = ends.filter((end) => end < cut).length;
      const store = openLedger(layout, fakeClock(NOW));
      assert.equal([store.ledger.as_of.seq, store.notices], [sound, []]);
      store.record(seen());
      store.close();
      rmSync(layout.ledger);
      assert.equal(readLedger(layout).ledger, store.ledger);
      assert.is(linesOf(layout).length, sound + 1);
    }),
    runs(50, 1500),
  );
});

test('property: wherever processes die, the ledger is what all records fold to, from the projection as from the journal', () => {
  const lives = fc.array(fc.tuple(fc.array(anyHappening, { maxLength: 6 }), fc.boolean(), fc.nat(600)), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(lives, (all) => {
      const layout = fresh();
      const clock = fakeClock(NOW);
      for (const [happenings, dies, pause] of all) {
        const store = openLedger(layout, clock);
        for (const happening of happenings) {
          store.record(happening);
          clock.at += pause;
        }
        // Killed: half a line is left, and the projection may be older than the journal.
        if (dies) appendFileSync(layout.ledgerJournal, '{"v":1,"seq":');
        else store.close();
      }
      const kept = readLedger(layout);
      const folded = emptyLedger();
      const whole = all.at(-1)?.[1] ? linesOf(layout).slice(0, -1) : all.length > 0 ? linesOf(layout) : [];
      for (const line of whole) foldLedger(folded, JSON.parse(line) as LedgerRecord);
      assert.equal(content(kept.ledger), content(folded));
      rmSync(layout.ledger, { force: true });
      assert.equal(readLedger(layout).ledger, kept.ledger);
    }),
    runs(33, 1000),
  );
});

test('property: whatever is done to the bytes of either file, the ledger opens, is written and read again', () => {
  const whole = fresh();
  recordIn(whole, seen(), tried('h1'), used(5), seen('f2', '__proto__'));
  const change = fc.tuple(fc.nat(4000), fc.uint8Array({ minLength: 1, maxLength: 4 }));
  const spoilt = (path: string, changes: readonly [number, Uint8Array][]) => {
    const bytes = readFileSync(path);
    for (const [at, put] of changes) Buffer.from(put).copy(bytes, at % bytes.length);
    return bytes;
  };
  fc.assert(
    fc.property(fc.array(change, { maxLength: 2 }), fc.array(change, { maxLength: 2 }), (one, two) => {
      const layout = fresh();
      recordIn(layout);
      writeFileSync(layout.ledger, spoilt(whole.ledger, one));
      writeFileSync(layout.ledgerJournal, spoilt(whole.ledgerJournal, two));
      const store = openLedger(layout, fakeClock(NOW));
      store.record(seen('f9'));
      store.close();
      assert.equal(readLedger(layout), { ledger: store.ledger, notices: [] });
    }),
    runs(100, 3000),
  );
});

test.run();
