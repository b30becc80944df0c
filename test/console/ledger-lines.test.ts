import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ledgerLines, nextLines } from '../../src/console/failure-report.ts';
import type { Decision } from '../../src/triage/situation.ts';
import { DAY, entryAfter, gaveUp, NOW, opened, patch, seen, tried } from '../triage/builders.ts';

test('a failure seen once, of which nothing else is known', () => {
  assert.equal(ledgerLines(entryAfter(seen()), NOW + 5 * 60_000), [
    'ledger',
    '  seen once: first 5 min ago (2026-11-10T06:00:00.000Z), last 5 min ago (2026-11-10T06:00:00.000Z)',
    '  since it last started anew: 0 executor tries, 0 escalation calls',
    '  no fix was tried',
  ]);
});

test('everything that was done about a failure is told', () => {
  const reason = '1 of 3 tries spent';
  const decided = { type: 'decided', stage: 'talos', fingerprint: 'f1', data: { tier: 'executor', reason } } as const;
  const fixes = [patch('0123456789abcdef', 'verified'), patch('h2', 'no_effect')];
  const entry = entryAfter(seen(), ...fixes, tried(), gaveUp, opened, decided, seen());
  assert.equal(ledgerLines(entry, NOW + 3 * DAY), [
    'ledger',
    '  seen 2 times: first 3 days ago (2026-11-10T06:00:00.000Z), last 2 days ago (2026-11-10T06:07:00.000Z)',
    '  since it last started anew: 1 executor try, 0 escalation calls',
    '  fix 0123456789ab by ollama (executor): verified',
    '  fix h2 by ollama (executor): no_effect',
    '  a fix was verified 2 days ago',
    '  given up 2 days ago',
    '  open case c-7: mendloop cases show c-7',
    '  last decision: executor, 1 of 3 tries spent',
  ]);
});

test('what comes next, for every decision, with its reason', () => {
  const reason = 'so it is';
  const next: [Decision, string][] = [
    [{ tier: 'wait', pause_ms: 30_000, reason }, 'the loop waits 30 s and runs the stage again'],
    [{ tier: 'executor', scope: 'all', reapply: [], reason }, 'the executors are asked for a fix'],
    [
      { tier: 'executor', scope: 'known-fixes-only', reapply: ['h1'], reason },
      'fixes that were taken back are applied again',
    ],
    [{ tier: 'escalation', reason }, 'it is escalated'],
    [{ tier: 'give_up', reason }, 'the loop gives up and hands over'],
    [{ tier: 'none', why: 'open_case', exit: 3, reason }, 'the stage ends failed and waits for you (exit 3)'],
    [
      { tier: 'none', why: 'no_ai', exit: 1, reason },
      'the stage ends failed (exit 1), and the next run tries it once more',
    ],
  ];
  for (const [decision, text] of next) {
    assert.equal(nextLines(decision), ['next time', `  ${text}`, '  because: so it is']);
  }
  assert.equal(nextLines({ unknown: 'E_CONFIG: x' }), [
    'next time',
    '  cannot be told while the configuration is not sound: E_CONFIG: x',
  ]);
});

test.run();
