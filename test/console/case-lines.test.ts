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
  assert.equal(lines.slice(1, 3), ['', '# dns failed']);
  const shown = lines.join('\n');
  assert.match(shown, ['', '# The log', '', '[log]', ...log].join('\n'));
  assert.not.match(shown, nonce);
  assert.is(shownCase(SUMMARY, '# by an older version', undefined)[2], '# by an older version');
});

test('what a person decides by comes first and whole, each block by its name; the rest is cut, and all of it is a word away', () => {
  const nonce = '41e1e22223cb7b5b';
  const part = (title: string, block: string, lines: string[]) => [
    `# ${title}`,
    '',
    ...fenced(nonce, block, lines),
    '',
  ];
  const many = Array.from({ length: 200 }, (_, i) => `${i + 1} | # The failure`);
  const text = [
    ...['# dns failed', '', fenceNote(nonce), ''],
    ...part('The failure', 'the last line', ['error: one', '# The files']),
    ...part('The stage', 'stage', ['command: make dns']),
    ...part('Earlier attempts', 'attempt 1', ['Say good']),
    ...part('The files', 'file site.yml, 200 lines', many),
    ...part('Notes', 'file notes.txt, 1 line', ['short']),
  ].join('\n');
  const shown = (all: boolean) => shownCase(SUMMARY, text, '-bad\n+good\n', all);
  const headings = (lines: string[]) => lines.filter((line) => /^(?:# |\[file|to go on|the rest)/.test(line));
  const first = ['# dns failed', '# The failure', '# The files', '# Earlier attempts', '# The patch'];
  const goOn = 'to go on without it: mendloop cases decline dns-1a2b3c4d';
  const stage = ['# The stage', '# The files', '[file site.yml, 200 lines]'];
  assert.equal(headings(shown(true)), [...first, goOn, ...stage, '# Notes', '[file notes.txt, 1 line]']);
  const cut = shown(false);
  const left = shown(true).length - cut.length + 2;
  assert.equal(headings(cut), [
    ...first,
    goOn,
    ...stage,
    `the rest, ${left} lines: mendloop cases show dns-1a2b3c4d --all`,
  ]);
  assert.ok(cut.length < 65);
});

test.run();
