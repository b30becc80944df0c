import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyLedger, entriesOf, entryOf, isFlapping, isLedger, type Ledger, usedOn } from '../../src/triage/ledger.ts';
import { DAY, entryAfter, ledgerOf, NOW, patch, seen, tried, used } from './builders.ts';

test('a failure is known by stage and fingerprint, also when they are names that every object has', () => {
  const ledger = ledgerOf([seen('toString', '__proto__'), seen('f1', 'constructor')]);
  assert.is(entryOf(ledger, '__proto__', 'toString')?.times_seen, 1);
  assert.is(entryOf(ledger, 'talos', 'f1'), undefined);
  assert.equal(
    entriesOf(ledger, 'constructor').map((e) => e.fingerprint),
    ['f1'],
  );
  assert.equal(JSON.parse(JSON.stringify(ledger)), ledger);
});

test('a failure flaps for 7 days after a fix of it was kept, also when the clock jumped back', () => {
  const entry = entryAfter(patch('h1', 'kept'));
  assert.ok(isFlapping(entry, NOW + 7 * DAY - 1));
  assert.not(isFlapping(entry, NOW + 7 * DAY));
  assert.ok(isFlapping(entry, NOW - 30 * DAY));
  assert.not(isFlapping(entryAfter(seen(), patch('h1', 'applied')), NOW));
});

test('the day of a clock that jumped back is the latest day seen; a later day begins with nothing used', () => {
  const { day } = ledgerOf([tried(), used(70)]);
  assert.equal(usedOn(day, NOW), { date: '2026-11-10', tries: 1, tokens: 70, prompts: 1 });
  assert.equal(usedOn(day, NOW - 9 * DAY), { date: '2026-11-10', tries: 1, tokens: 70, prompts: 1 });
  assert.equal(usedOn(day, NOW + DAY), { date: '2026-11-11', tries: 0, tokens: 0 });
});

test('only a ledger passes for one', () => {
  const whole = () => JSON.parse(JSON.stringify(ledgerOf([seen(), tried(), patch('h1', 'applied')]))) as Ledger;
  assert.ok(isLedger(emptyLedger()));
  assert.ok(isLedger(whole()));
  for (const value of [null, 1, 'x', [], {}, { ...whole(), version: 2 }, { ...whole(), entries: [] }]) {
    assert.not(isLedger(value), JSON.stringify(value));
  }
  const spoil: ((ledger: Ledger) => unknown)[] = [
    (l) => Object.assign(l.as_of, { seq: -1 }),
    (l) => Object.assign(l.as_of, { run: undefined }),
    (l) => Object.assign(l.last_line, { seq: 0.5 }),
    (l) => Object.assign(l, { last_line: undefined }),
    (l) => Object.assign(l.day, { date: 'today' }),
    (l) => Object.assign(l.day, { tokens: 0.5 }),
    (l) => Object.assign(l.entries, { 'talos/f2': l.entries['talos/f1'] }),
    (l) => Object.assign(l.entries, { 'talos/f1': null }),
    (l) => Object.assign(l.entries['talos/f1'] ?? {}, { executor_tries: '1' }),
    (l) => Object.assign(l.entries['talos/f1'] ?? {}, { last_seen: 'yesterday' }),
    (l) => Object.assign(l.entries['talos/f1'] ?? {}, { first: { hash: 'h1' } }),
    (l) => Object.assign(l.entries['talos/f1']?.patches[0] ?? {}, { outcome: 'fine' }),
  ];
  for (const change of spoil) {
    const ledger = whole();
    change(ledger);
    assert.not(isLedger(ledger), JSON.stringify(ledger));
  }
});

test.run();
