// After fingerprints are made in a new way: nothing that was counted, asked or given up is lost.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decide } from '../../src/triage/decide.ts';
import { RunFailures } from '../../src/triage/incident.ts';
import { entryOf, heldOver, isLedger } from '../../src/triage/ledger.ts';
import {
  ENDED,
  failureOf,
  gaveUp,
  ledgerOf,
  opened,
  patch,
  reset,
  type Story,
  seen,
  stamped,
  tried,
} from './builders.ts';

const after = (...story: Story[]) => ledgerOf(story);

const carried = (fingerprint: string, to?: string): Story => ({
  type: 'failure.carried',
  stage: 'talos',
  data: { fingerprint, ...(to && { to }), algorithm: 2 },
});

test('an entry is known by its new fingerprint, and by its old one', () => {
  const ledger = after(seen(), tried(), patch('h1', 'undone'), carried('f1', 'n1'));
  assert.ok(isLedger(ledger));
  assert.equal(Object.keys(ledger.entries), ['talos/n1']);
  const entry = entryOf(ledger, 'talos', 'n1');
  assert.equal([entry?.algorithm, entry?.executor_tries, entry?.patches[0]?.outcome], [2, 1, 'undone']);
  assert.is(entryOf(ledger, 'talos', 'f1'), entry);
  const later = after(seen(), carried('f1', 'n1'), tried(), seen('n1'));
  assert.equal(Object.keys(later.entries), ['talos/n1']);
  assert.equal([entryOf(later, 'talos', 'n1')?.executor_tries, entryOf(later, 'talos', 'n1')?.times_seen], [1, 2]);
});

test('entries that fall together are one: counted together, each patch once, the later one tells how it stands', () => {
  const ledger = after(seen(), tried(), patch('h1', 'no_effect'), seen('f0'), carried('f1', 'n'), carried('f0', 'n'));
  assert.equal(Object.keys(ledger.entries), ['talos/n']);
  const entry = entryOf(ledger, 'talos', 'n');
  assert.equal([entry?.times_seen, entry?.executor_tries, entry?.patches.map(({ hash }) => hash)], [2, 1, ['h1']]);
});

test('where the log is gone an open case holds for any failure of the stage, else a give-up, until reset', () => {
  const orphan = (...story: Story[]) => after(seen(), ...story, carried('f1'));
  const incident = (ledger: ReturnType<typeof after>) => {
    const sighting = { stage: 'talos', step: 'talos', attempt: 1, failure: failureOf('n9'), ended: ENDED, log: '' };
    return new RunFailures().incident({ ...sighting, inputs: undefined }, ledger);
  };
  const withCase = orphan(gaveUp, opened);
  assert.equal(heldOver(withCase, 'talos'), { case: entryOf(withCase, 'talos', 'f1')?.case });
  assert.is(incident(withCase).heldCase, entryOf(withCase, 'talos', 'f1')?.case);
  const given = orphan(gaveUp);
  const next = decide({ ...incident(given), history: undefined }, {} as Parameters<typeof decide>[1]);
  assert.equal(['why' in next && next.why, 'exit' in next && next.exit], ['give_up_stands', 3]);
  assert.equal(heldOver(given, 'other'), {});
  assert.equal(heldOver(orphan(gaveUp, opened, reset), 'talos'), {});
  assert.equal(heldOver(after(seen(), gaveUp, carried('f1'), reset), 'talos'), {});
  assert.equal(
    heldOver(after(seen(), gaveUp, carried('f1', 'n1')), 'talos'),
    {},
    'one that is known again is no orphan',
  );
});

test('green ends what a failure held that cannot be known again', () => {
  const green = { type: 'case.closed', stage: 'talos', data: { fingerprint: 'f1', case: '', reason: '', green: true } };
  assert.equal(heldOver(after(seen(), gaveUp, carried('f1'), green as Story), 'talos'), {});
});

test('a run that goes on judges its fix by the new fingerprint', () => {
  const begun = { type: 'trial.opened', stage: 'talos', data: { from: 'tip' } } as Story;
  const events = [seen(), begun, patch('h1', 'applied'), carried('f1', 'n1')].map((event, i) => stamped(event, i));
  assert.is(new RunFailures(events).trial?.fixes[0]?.fix.fingerprint, 'n1');
});

test.run();
