import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { tooManyInVain } from '../../src/mend/trip-safe-mode.ts';
import { foldLedger } from '../../src/triage/fold.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';
import { escalated, NOW, on, patch, RUN, type Story, stamped } from '../triage/builders.ts';

test('safe mode goes on when fixes on 3 different failures did not help in one run', () => {
  const two = [patch('h1', 'no_effect'), patch('h2', 'broke'), on('f2', patch('h3', 'broke'))];
  const why = (third?: Story, run = RUN) => {
    const ledger = emptyLedger();
    for (const [i, story] of two.entries()) foldLedger(ledger, stamped(story, i + 1));
    if (third) foldLedger(ledger, stamped(on('f3', third), 4, NOW, run));
    return tooManyInVain(ledger, RUN);
  };
  assert.is(why(), undefined);
  const yes = 'fixes of 3 different failures did not help in this run';
  const person = { tier: 'escalation', plugin: 'person' } as const;
  const cases: [Story, string | undefined][] = [
    [patch('h4', 'no_effect'), yes],
    [escalated('h4', 'broke'), yes],
    [patch('h4', 'undone'), undefined],
    [patch('h4', 'declined'), undefined],
    [patch('h4', 'applied'), undefined],
    [patch('h4', 'broke', person), undefined],
  ];
  for (const [third, expected] of cases) assert.is(why(third), expected);
  assert.is(why(patch('h4', 'broke'), 'another'), undefined);
});

test.run();
