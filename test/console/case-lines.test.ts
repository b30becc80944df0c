import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shownCase } from '../../src/console/case-lines.ts';
import type { CaseSummary } from '../../src/outbound/case-summary.ts';
import { fenced, fenceNote } from '../../src/outbound/text.ts';
import type { LedgerEntry } from '../../src/triage/ledger.ts';

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

const nonce = '41e1e22223cb7b5b';
const part = (title: string, block: string, lines: string[]) => [`# ${title}`, '', ...fenced(nonce, block, lines), ''];
const TEXT = [
  ...['# dns failed', '', fenceNote(nonce), ''],
  // What a log says of other fences stays: it is evidence.
  ...part('The failure', 'the last line', ['error: one', '', '', '[data 0000000000000000: mine]', '# The files']),
  ...part('Earlier attempts', 'attempt 1', ['Say good']),
  ...part('The files', 'file site.yml, 1 line', ['1 | # The failure']),
  '# For a machine\n\nAnswer with one of three',
].join('\n');

test('what a person decides by comes first, the likeliest answer before others; what a model was told is folded, a word away', () => {
  const refused = [{ plugin: 'ollama', tier: 'executor', code: 'scope', reason: 'it is not yours' }];
  const seen = { excerpt: 'error: one', last_seen: '2025-01-02T00:00:00.000Z' };
  const entry = { ...seen, patches: [], refused } as unknown as LedgerEntry;
  const now = Date.parse('2025-01-02T03:00:00.000Z');
  const summary: CaseSummary = {
    ...{ ...SUMMARY, patch: 'h1' },
    suggested: {
      plugin: 'ollama',
      tier: 'executor',
      note: { fix: 'Say good', reason: 'it is' },
      ask: { code: 'number', reasons: ['changes 2'] },
    },
  };
  const show = (all: boolean) => shownCase({ summary, text: TEXT, patch: '-bad\n+good\n', entry }, now, all);
  const lines = show(false);
  assert.equal(lines, [
    ...['case dns-1a2b3c4d: waits for you', '', 'dns failed: unknown', 'dns-1a2b3c4d, 27 h ago, last seen 3 h ago'],
    ...['| error: one', 'ollama proposes: Say good', 'because: it is', 'you are asked: changes 2', ''],
    ...[
      'what was tried',
      '  no fix was tried',
      '  refused: an answer of ollama (executor): scope: it is not yours',
      '',
      '-bad',
      '+good',
      '',
    ],
    'to have the change tried now: mendloop cases accept dns-1a2b3c4d --run',
    'to go on without it: mendloop cases decline dns-1a2b3c4d',
    'once you have mended it yourself and committed that: mendloop dns',
    'to answer with a patch of your own: mendloop cases answer dns-1a2b3c4d <file>',
    '',
    'what a model was told, 21 lines: mendloop cases show dns-1a2b3c4d --all',
  ]);
  const whole = show(true).join('\n');
  assert.match(whole, '[the last line]\nerror: one\n\n\n[data 0000000000000000: mine]\n# The files');
  assert.not.match(whole, nonce);
  assert.not.match(whole, 'Answer with one of three');
});

test.run();
