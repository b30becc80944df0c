import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tooManyReverted } from '../../src/mend/trip-safe-mode.ts';
import { foldLedger } from '../../src/triage/fold.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';
import { escalated, NOW, on, patch, RUN, type Story, stamped } from '../triage/builders.ts';

test('safe mode goes on when fixes on 3 different failures were reverted in one run', () => {
  const two = [patch('h1', 'no_effect'), patch('h2', 'broke'), on('f2', patch('h3', 'broke'))];
  const why = (third?: Story, run = RUN) => {
    const ledger = emptyLedger();
    for (const [i, story] of two.entries()) foldLedger(ledger, stamped(story, i + 1));
    if (third) foldLedger(ledger, stamped(on('f3', third), 4, NOW, run));
    return tooManyReverted(ledger, RUN);
  };
  assert.is(why(), undefined);
  const yes = 'fixes on 3 different failures were reverted in this run';
  const person = { tier: 'escalation', plugin: 'person' } as const;
  const cases: [Story, string | undefined][] = [
    [patch('h4', 'no_effect'), yes],
    [escalated('h4', 'broke'), yes],
    [patch('h4', 'withdrawn'), undefined],
    [patch('h4', 'refused'), undefined],
    [patch('h4', 'provisional'), undefined],
    [patch('h4', 'broke', person), undefined],
  ];
  for (const [third, expected] of cases) assert.is(why(third), expected);
  assert.is(why(patch('h4', 'broke'), 'another'), undefined);
});

test.run();
