import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { followUp, formatRule } from '../../src/outbound/answer-format.ts';
import { memoSections } from '../../src/outbound/parts/memo.ts';
import {
  type ShownFile,
  shownAsIs,
  shownFiles,
  shownWhole,
  withoutLineNumbers,
} from '../../src/outbound/shown-files.ts';
import { manyLines, type PromptFacts, promptOf } from './failure-context.ts';

const showing = (text: string): string => promptOf({ files: [{ path: 'a/b c.yaml', text }] }).text;
const fileOf = (prompt: string): ShownFile => shownFiles(prompt)[0] as ShownFile;

test('a file is read back from a prompt as it was', () => {
  for (const text of ['a: 1\n\n  b: 2  \n', 'x', 'a\r\nb\r\n', '1 | not a number\n', '']) {
    assert.ok(shownWhole(fileOf(showing(text)), text), JSON.stringify(text));
  }
  assert.is(fileOf(showing('a\n')).path, 'a/b c.yaml');
});

test('a line that was masked after all is not shown as it is', () => {
  const text = 'user: root\npassword: hunter2hunter2\nport: 22\n';
  const file = fileOf(showing(text).replaceAll('hunter2hunter2', '<masked-1>'));
  assert.is(shownWhole(file, text), false);
  assert.equal([...shownAsIs(file, text)], [1, 3]);
});

test('masked before it is cut, the middle of a key is not shown', () => {
  const key = manyLines(30, 'k').join('\n');
  const text = `${manyLines(300).join('\n')}\nBEGIN\n${key}\nEND\n${manyLines(300).join('\n')}\n`;
  const error_lines = ['a.yaml:317: bad', `BEGIN\n${key}\nEND`];
  const diff = `+BEGIN\n${key}\nEND`;
  const tries = [{ plugin: 'p', outcome: 'refused' as const, why: diff, note: { fix: diff, reason: diff }, diff }];
  const facts: PromptFacts = {
    files: [{ path: 'a.yaml', text }],
    failure: { class: 'unknown', ended: 'exit code 1', error_lines },
    log: text,
    tries,
  };
  const mask = (whole: string): string => whole.replaceAll(/BEGIN\n[\s\S]*?END/g, '<masked>');
  assert.match(mask(promptOf(facts).text), 'k_15: ');
  assert.not.match(promptOf(facts, mask).text, /k_\d+: /);
});

test('a prompt that is not ours shows nothing', () => {
  assert.equal(shownFiles('[data x: file a.sh, 1 line]\n1 | rm\n[end of data x]'), []);
});

test('line numbers that were copied into an answer are taken out, in every form', () => {
  assert.is(
    withoutLineNumbers(
      'Here:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n  7 | key:\n- 8 |   a: 1\n+ 8 |   a: 2\n```\nFix: x\n',
    ),
    'Here:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n key:\n-  a: 1\n+  a: 2\n```\nFix: x\n',
  );
  assert.is(withoutLineNumbers('x.sh\n```\n1 | a\n2 |\n3 |   b\n```\n'), 'x.sh\n```\na\n\n  b\n```\n');
  // Numbers as they are shown in a file of ten lines and more: the blank before them is no part of the line.
  const ten = Array.from({ length: 12 }, (_, n) => `${String(n + 1).padStart(2)} | k${n}: 1`).join('\n');
  assert.is(
    withoutLineNumbers(`x.yaml\n\`\`\`yaml\n${ten}\n\`\`\`\n`),
    `x.yaml\n\`\`\`yaml\n${Array.from({ length: 12 }, (_, n) => `k${n}: 1`).join('\n')}\n\`\`\`\n`,
  );
  for (const own of ['```\n1 | a\nb\nc\n```\n', 'no block: 1 | a\n', '```diff\n-8 | x\n+a\n+b\n+c\n```\n']) {
    assert.is(withoutLineNumbers(own), own);
  }
});

test('sections of the memo are found by whole words of their headings, with what is below them', () => {
  const memo = '# Lab\n## VMs on Proxmox\na\n### Disks\nb\n```\n# no heading\n```\n## Vmware\nc\n## Flux\nd\n';
  assert.equal(memoSections(memo, ['machines'], { machines: ['VM'] }), [
    '## VMs on Proxmox\na\n### Disks\nb\n```\n# no heading\n```',
  ]);
  assert.equal(memoSections(memo, ['flux', 'toString'], {}), ['## Flux\nd']);
  assert.equal(memoSections(memo, [], { machines: ['VM'] }), []);
});

test('a model is told what its refusal means, why, and once more the form', () => {
  assert.is(
    followUp([{ code: 'not_found', reasons: ['hunk 1: not in a.sh\nnearest: line 7'] }], 'diff'),
    `Your answer was not taken: the text to be changed is not in the file.
  hunk 1: not in a.sh
  nearest: line 7

Answer once more, in full. Do not repeat what was not taken: other comments, messages, white space or another order do not make it a different change.

${formatRule('diff')}`,
  );
  const two = followUp(
    [
      { code: 'destroys', reasons: ['a'] },
      { code: 'odd', reasons: ['b'] },
    ],
    'json',
  );
  assert.match(
    two,
    'Answer 1 was not taken: an added command destroys data.\n  a\n\nAnswer 2 was not taken: odd.\n  b\n',
  );
});

test('the form is filled in for the file that a refusal is about, as the prompt shows it', () => {
  const { text } = promptOf();
  const refused = { code: 'does_not_parse', reasons: ['config/talos/all.yaml: line 3: bad indentation'] };
  assert.match(
    followUp([refused], 'diff', text),
    `\n--- a/config/talos/all.yaml
+++ b/config/talos/all.yaml
@@
 machine:
   network:
-   hostname: cp1
+   the line as it should be
`,
  );
  assert.match(
    followUp([refused], 'whole-file', text),
    '\nconfig/talos/all.yaml\n```\nmachine:\n…and every other line',
  );
  const elsewhere = { code: 'outside', reasons: ['stages/other.sh: not for this stage'] };
  assert.match(followUp([elsewhere], 'whole-file', text), '\npath/of/the/file\n');
});

test.run();
