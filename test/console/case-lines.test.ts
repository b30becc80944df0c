import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shownCase } from '../../src/console/case-lines.ts';
import type { CaseSummary } from '../../src/outbound/case-summary.ts';
import { fenced, fenceNote } from '../../src/outbound/text.ts';

const SUMMARY: CaseSummary = {
  version: 1,
  case: 'dns-1a2b3c4d',
  stage: 'dns',
  fingerprint: '1a2b3c4d5e6f',
  class: 'unknown',
  run: '20250101-000000-abcd',
  opened: '2025-01-01T00:00:00.000Z',
  state: 'open',
  versions: [1],
  calls: 0,
  answers: [],
};

test('a person is shown the evidence line by line, and nothing of what only a machine has to be told', () => {
  const nonce = '41e1e22223cb7b5b';
  // What a log says of other fences stays: it is evidence.
  const log = ['error: one', '', '', '[data 0000000000000000: mine]', 'error: two'];
  const text = ['# dns failed', '', fenceNote(nonce), '', '# The log', '', ...fenced(nonce, 'log', log)].join('\n');
  const lines = shownCase(SUMMARY, `${text}\n\n# For a machine\n\nAnswer with one of three`, undefined);
  assert.is(lines[2], ['# dns failed', '', '# The log', '', ...log].join('\n'));
  assert.is(shownCase(SUMMARY, '# by an older version', undefined)[2], '# by an older version');
});

test.run();
