import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { applyChanges } from '../../src/fix/apply-changes.ts';
import type { Refusal } from '../../src/fix/edit.ts';
import { readAnswer } from '../../src/fix/read-answer.ts';

function answered(answer: string, before: string | undefined, path = 'x.yaml'): string | Refusal {
  const read = readAnswer(answer, { path });
  if (!read.ok) return read;
  const applied = applyChanges(read.changes, (asked) => (asked === path ? before : undefined), { path });
  if (applied.ok) return applied.files[0]?.after ?? '';
  const { places: _, ...refusal } = applied;
  return refusal;
}

const code = (answer: string, before: string | undefined): string => {
  const result = answered(answer, before);
  return typeof result === 'string' ? 'ok' : result.code;
};

const APP = 'app:\n  image:\n    name: web\n    tag: 1.0\n  replicas: 2\n  env:\n    - name: A\n      value: one\n';
const TAGGED = APP.replace('1.0', '1.1');
const HUNK = '@@\n   image:\n     name: web\n-    tag: 1.0\n+    tag: 1.1\n   replicas: 2\n   env:\n';

test('a damaged diff comes out as it was meant', () => {
  const damaged = {
    'as it is': HUNK,
    'trailing space': HUNK.replace('web', 'web  ').replace('-    tag: 1.0', '-    tag: 1.0\t'),
    'lost markers': HUNK.replace(/^ /gm, ''),
    'one column more before old lines': HUNK.replace(/^([ -])(?=\s)/gm, '$1 '),
    'tabs for spaces in old lines': HUNK.replace(/^([ -])( +)/gm, (_, op, s) => op + '\t'.repeat(s.length / 2)),
    dedented: HUNK.replace(/^([ +-]) {2}/gm, '$1'),
    indented: HUNK.replace(/^([ +-])/gm, '$1    '),
    'altered context': HUNK.replace('replicas', 'replica'),
    'made-up context': HUNK.replace('   env:', ' # comes after\n   env:'),
    'left-out context': HUNK.replace('   replicas: 2\n', ''),
    rewritten: '@@\n-  image:\n-    name: web\n-    tag: 1.0\n+  image:\n+    name: web\n+    tag: 1.1\n',
    ellipsis: '@@\n app:\n...\n-    tag: 1.0\n+    tag: 1.1\n ...\n   env:\n',
    'search and replace': '<<<<<<< SEARCH\n    tag: 1.0\n=======\n    tag: 1.1\n>>>>>>> REPLACE\n',
    'whole file': `\`\`\`\n${TAGGED}\`\`\`\n`,
  };
  for (const [name, answer] of Object.entries(damaged)) assert.equal(answered(answer, APP), TAGGED, name);
});

test('the file’s own line ends, trailing space and missing final newline stay', () => {
  const own = APP.replace('web', 'web  ').trimEnd();
  const wanted = own.replace('1.0', '1.1');
  const whole = `\`\`\`\n${TAGGED}\`\`\`\n`;
  for (const answer of [HUNK, HUNK.replaceAll('\n', '\r\n'), whole]) {
    assert.is(answered(answer, own), wanted);
    assert.is(answered(answer, own.replaceAll('\n', '\r\n')), wanted.replaceAll('\n', '\r\n'));
  }
});

test('a diff that takes lines out and puts the same ones in mends the ends of all lines', () => {
  const dos = '#!/bin/sh\r\nset -e\r\nrun\r\n';
  const written = '@@ -1,2 +1,2 @@\n-#!/bin/sh\r\n-set -e\r\n+#!/bin/sh\n+set -e\n';
  for (const answer of [written, written.replaceAll('\r', '')])
    assert.is(answered(answer, dos), '#!/bin/sh\nset -e\nrun\n');
  assert.is(code(written, dos.replaceAll('\r', '')), 'no_change', 'a file that has none');
  assert.is(code('```\n#!/bin/sh\nset -e\nrun\n```\n', dos), 'no_change', 'a file that is only repeated');
});

test('a diff that reaches the end decides about the final newline', () => {
  const none = '\\ No newline at end of file\n';
  assert.is(answered(`@@\n a\n-b\n+c\n${none}`, 'a\nb\n'), 'a\nc');
  assert.is(answered(`@@\n a\n-b\n${none}+c\n`, 'a\nb'), 'a\nc\n');
  assert.is(answered('@@\n a\n+c\n', 'b\na'), 'b\na\nc');
  assert.is(answered(`@@ -1,2 +1,2 @@\n a\n-b\n${none}+b\n`, 'a\nb'), 'a\nb\n', 'it only adds the newline');
  assert.is(answered(`@@ -1,2 +1,2 @@\n a\n-b\n+b\n${none}`, 'a\nb\n'), 'a\nb', 'it only takes the newline');
  assert.is(code(`@@ -1,2 +1,2 @@\n a\n-b\n${none}+b\n`, 'a\nb\n'), 'no_change');
  assert.is(code(`@@ -1,2 +1,2 @@\n a\n-b\n${none}+b\n`, 'a\nb\nc'), 'no_change');
});

test('what fits in two places is refused with both, unless its line number is one of them', () => {
  const twice = 'a:\n  on: true\nb: 1\na:\n  on: true\nc: 1\n';
  const hunk = ' a:\n-  on: true\n+  on: false\n';
  assert.equal(answered(`@@ ... @@\n${hunk}`, twice), {
    ok: false,
    code: 'ambiguous',
    reasons: [
      'x.yaml, hunk 1 of 1: it fits in 2 places; show more of the lines around the right one',
      '  line 1: a:',
      '  line 4: a:',
    ],
  });
  assert.is(code(`@@ -3,2 +3,2 @@\n${hunk}`, twice), 'ambiguous');
  assert.is(answered(`@@ -4,2 +4,2 @@\n${hunk}`, twice), 'a:\n  on: true\nb: 1\na:\n  on: false\nc: 1\n');
});

test('what fits exactly elsewhere and, but for white space or markers, at the line that its numbers name is ambiguous', () => {
  const hunk = (at: number) => `@@ -${at},3 +${at},3 @@\n a:\n   on: true\n-  size: 1\n+  size: 2\n`;
  const near = 'a:\n  on: true\n  size: 1\nb: 1\n';
  const blocks = [
    'a:\n  on: true  \n  size: 1\n',
    'a:\n  on: true\n  size: 1\t\n',
    'a:\n\n  on: true\n  size: 1\n',
    'a:\n    on: true\n    size: 1\n',
    'a:\n  on: true\n-  size: 1\n',
  ];
  for (const block of blocks) {
    const shown = block.split('\n')[0];
    const refusal = answered(hunk(5), near + block);
    assert.ok(typeof refusal === 'object', JSON.stringify(block));
    assert.is(refusal.code, 'ambiguous');
    assert.match(refusal.reasons[0] ?? '', 'also at the line that its numbers name');
    assert.equal(refusal.reasons.slice(1), ['  line 1: a:', `  line 5: ${shown}`]);
    assert.is(answered(hunk(1), near + block), near.replace('size: 1', 'size: 2') + block, 'exact, and as numbered');
    assert.is(answered(hunk(3), near + block), near.replace('size: 1', 'size: 2') + block, 'nothing of it is there');
  }
  assert.is(answered(hunk(1), `\n${near}`), `\n${near.replace('size: 1', 'size: 2')}`, 'one place, after a blank line');
});

test('line numbers decide nothing once one of them was found to be wrong', () => {
  const twice = 'a:\n  on: true\nb: 1\na:\n  on: true\nc: 1\n';
  assert.is(code('@@ -4 +4 @@\n a:\n-  on: true\n+  on: false\n@@ -1 +1 @@\n-c: 1\n+c: 2\n', twice), 'ambiguous');
});

test('a removed line that is not in the file is never replaced by a similar one', () => {
  const stale = answered(HUNK, APP.replace('1.0', '0.9'));
  assert.equal(stale, {
    ok: false,
    code: 'not_found',
    reasons: [
      'x.yaml, hunk 1 of 1: the file has no line "tag: 1.0", which it removes',
      'nearest lines:',
      '  line 1: app:',
      '  line 2:   image:',
      '  line 3:     name: web',
      '  line 4:     tag: 0.9',
      '  line 5:   replicas: 2',
      '  line 6:   env:',
      '  line 7:     - name: A',
    ],
  });
});

test('what is there already is recognised, also when only one side of it is shown', () => {
  assert.is(code(HUNK, TAGGED), 'already_applied');
  assert.is(code(HUNK.replace('name: web', 'name: wed'), TAGGED), 'already_applied');
  assert.is(
    code('@@\n   replicas: 2\n+  paused: true\n', `${APP}  replicas: 2\n  paused: true\n`.slice(APP.length)),
    'already_applied',
  );
});

test('indentation that differs from line to line is refused', () => {
  const crooked = '@@\n  image:\n      name: web\n+  added: 1\n    tag: 1.0\n';
  assert.is(code(crooked, APP), 'indentation');
});

test('spaces never go into a file of tabs, nor tabs into one of spaces', () => {
  assert.is(code('@@\n all:\n+    make it\n', 'all:\n\techo a\n'), 'indentation');
  assert.is(code('@@\n all:\n+\tmake: it\n', 'all:\n  echo: a\n'), 'indentation');
});

test('a list entry that lost its marker is not deleted', () => {
  const list = 'resources:\n- one.yaml\n- two.yaml\nkind: List\n';
  const wanted = 'resources:\n- one.yaml\n- new.yaml\n- two.yaml\nkind: List\n';
  assert.is(answered('@@\nresources:\n- one.yaml\n+- new.yaml\n- two.yaml\nkind: List\n', list), wanted);
  assert.is(code('@@\n- one.yaml\n+- new.yaml\n', list), 'ambiguous');
  assert.is(code('@@\nresources:\n- one.yaml\n+ new.yaml\n', list), 'ambiguous');
});

test('added lines go in only where the lines next to them are certain', () => {
  const file = 'one: 1\ntwo: 2\nthree: 3\nfour: 4\nfive: 5\n';
  assert.is(code('@@\n one: 1\n two: 2\n+new: 0\n four: 4\n five: 5\n', file), 'not_found');
  assert.is(code('@@\n+new: 0\n', file), 'not_found');
});

test('a whole script with another interpreter in its first line is that script, and no excerpt of it', () => {
  const [sh, bash] = ['#!/bin/sh', '#!/usr/bin/env bash'].map((first) => `${first}\nset -euo pipefail\necho hi\n`);
  assert.is(answered(`\`\`\`bash\n${bash}\`\`\`\n`, sh), bash);
});

test('a part of a file, or one with lines left out, is no whole file: what it leaves out stays', () => {
  const file = Array.from({ length: 20 }, (_, i) => `line${i}: ${i}\n`).join('');
  const part = file.split('\n').slice(5, 9).join('\n');
  const wanted = file.replace('line7: 7', 'line7: 70');
  assert.is(code(`\`\`\`\n${part}\n\`\`\`\n`, file), 'no_change');
  assert.is(answered(`\`\`\`\n${part.replace('7: 7', '7: 70')}\n\`\`\`\n`, file), wanted);
  assert.is(answered(`\`\`\`\n${wanted.replace('line3: 3', '# ... unchanged ...')}\`\`\`\n`, file), wanted);
  assert.is(
    answered(`\`\`\`\n${wanted.split('\n').slice(0, 15).join('\n')}\n\`\`\`\n`, file),
    wanted,
    'its end is missing',
  );
  assert.is(code(`\`\`\`\n${wanted.split('\n').slice(0, 19).join('\n')}\n\`\`\`\n`, file), 'unreadable', 'or is to go');
  assert.is(code(`\`\`\`\n${part.replace('line6: 6\n', '')}\n\`\`\`\n`, file), 'not_found', 'a line is left out');
  assert.is(code(`\`\`\`\n${file}\`\`\`\n`, file), 'no_change');
});

test('all files or none', () => {
  const two = '--- a/x.yaml\n+++ b/x.yaml\n@@\n-a\n+b\n--- a/y.yaml\n+++ b/y.yaml\n@@\n-c\n+d\n';
  const read = readAnswer(two);
  assert.ok(read.ok);
  const files: Record<string, string> = { 'x.yaml': 'a\n', 'y.yaml': 'c\n' };
  const applied = applyChanges(read.changes, (path) => files[path]);
  assert.equal(applied, {
    ok: true,
    files: [
      { path: 'x.yaml', before: 'a\n', after: 'b\n' },
      { path: 'y.yaml', before: 'c\n', after: 'd\n' },
    ],
  });
  const half = applyChanges(read.changes, (path) => (path === 'x.yaml' ? 'a\n' : undefined));
  assert.equal(half, { ok: false, code: 'missing_file', reasons: ['b/y.yaml does not exist'] });
});

test('only the prefix of a diff is taken off a path, and only where that gives a file', () => {
  const change = (path: string) => [
    { form: 'diff' as const, path, hunks: [{ lines: [{ op: '+' as const, text: 'a' }] }] },
  ];
  const seen = (path: string): string => {
    const applied = applyChanges(change(path), (asked) => (asked === 'conf/x' ? 'b\n' : undefined));
    return applied.ok ? (applied.files[0]?.path ?? '') : applied.reasons.join();
  };
  for (const path of ['conf/x', 'a/conf/x', 'b/./conf/x', './conf/x', 'new/conf/x'])
    assert.match(seen(path), /^conf\/x,/);
  for (const path of ['a/../conf/x', '/conf/x', '../x', 'a/conf/y', 'tmp/conf/x', 'a\\conf\\x'])
    assert.is(seen(path), path);
});

test('a new file is made of added lines alone', () => {
  const made = '--- /dev/null\n+++ b/x.yaml\n@@ -0,0 +1,2 @@\n+a: 1\n+b: 2\n';
  assert.is(answered(made.replace('b/x', 'x'), undefined), 'a: 1\nb: 2\n');
  assert.is(code(made.replace('b/x', 'x'), 'a: 1\n'), 'not_found');
  assert.is(code(HUNK, undefined), 'missing_file');
});

test('two parts that want the same lines are refused', () => {
  assert.is(code('@@\n-    tag: 1.0\n+    tag: 1.1\n@@\n-    tag: 1.0\n+    tag: 1.2\n', APP), 'ambiguous');
});

test('lines that come back with spaces for their tabs are taken; other lines with foreign indentation are not', () => {
  const tabs = 'all:\n\thosts:\n\t\tcp1: 1\n';
  const spaces = 'all:\n  hosts:\n    cp1: 1\n';
  const diff = ' all:\n-\thosts:\n-\t\tcp1: 1\n+  hosts:\n+    cp1: 1\n';
  assert.is(answered(`\`\`\`diff\n${diff}\`\`\``, tabs), spaces);
  const search = '<<<<<<< SEARCH\n\thosts:\n\t\tcp1: 1\n=======\n  hosts:\n    cp1: 1\n>>>>>>> REPLACE\n';
  assert.is(answered(`x.yaml\n${search}`, tabs), spaces);
  const more = ' all:\n \thosts:\n \t\tcp1: 1\n+    cp2: 2\n';
  assert.is(code(`\`\`\`diff\n${more}\`\`\``, tabs), 'indentation');
});

test('control characters that a change adds are refused; a file that holds some can be mended', () => {
  const held = 'red="\u001b[31m"\rx\u202e\na: 1\n\u0000\nb: 2\n';
  const shown = ' red="\u001b[31m"\rx\u202e\n-a: 1\n+a: 3\n \u0000\n';
  assert.is(answered(`@@\n${shown}`, held), held.replace('a: 1', 'a: 3'));
  assert.is(answered('@@\n-a: 1\n+a: 3\n', held), held.replace('a: 1', 'a: 3'));
  const reworded = '@@\n-red="\u001b[31m"\rx\u202e\n+blue="\u001b[34m"\rx\u202e\n';
  assert.is(answered(reworded, held), held.replace('red="\u001b[31m', 'blue="\u001b[34m'));
  assert.equal(answered('@@\n-a: 1\n+a: 3\u0000\n', held), {
    ok: false,
    code: 'unsafe_text',
    reasons: ['x.yaml: the change adds the control character U+0000'],
  });
  for (const bad of ['\u001b', '\u202e', '\u0085', '\r']) {
    assert.is(code(`@@\n-a: 1\n+a: ${bad}3\n`, 'a: 1\n'), 'unsafe_text', JSON.stringify(bad));
  }
});

test('a whole file beside a diff or search/replace blocks is a second form; an excerpt, commands and output are none', () => {
  const search = 'x.yaml\n<<<<<<< SEARCH\n    tag: 1.0\n=======\n    tag: 1.1\n>>>>>>> REPLACE\n';
  const block = (text: string, info = 'yaml', above = '') => `\n${above}\n\`\`\`${info}\n${text}\`\`\`\n`;
  const second = [
    block(TAGGED),
    block(APP.replace('replicas: 2', 'replicas: 3')),
    block(TAGGED, 'yaml x.yaml'),
    block('new: 1\n', 'yaml', 'And the new file `conf/y.yaml`:'),
  ];
  const excerpts = [
    block(APP),
    block('  image:\n    name: web\n'),
    block('    tag: 1.1\n', 'yaml', 'Then `x.yaml` says:'),
    block('  replicas: 2\n', 'yaml', 'In `conf/x.yaml`, which I leave alone:').replace('conf/', ''),
    block('kubectl apply -f y.yaml\n', 'sh', 'Then run `y.yaml`:'),
    block('error in y.yaml\n', 'text', 'It said of `y.yaml`:'),
    block('app:\n  # ...\n    tag: 1.1\n  # ...\n      value: one\n'),
  ];
  for (const form of [`\`\`\`diff\n${HUNK}\`\`\`\n`, search]) {
    for (const text of second) assert.is(code(form + text, APP), 'unreadable', form + text);
    for (const text of excerpts) assert.is(answered(form + text, APP), TAGGED, form + text);
  }
});

test('a file that may be changed and is no text is not said to be missing', () => {
  const read = readAnswer(`x.yaml\n<<<<<<< SEARCH\na: 1\n=======\na: 2\n>>>>>>> REPLACE\n`, {});
  const reasons = (editable: string[]) => {
    const applied = read.ok && applyChanges(read.changes, () => undefined, { editable });
    return applied && !applied.ok ? applied.reasons : [];
  };
  assert.equal(reasons(['x.yaml']), ['x.yaml is no UTF-8 text that can be changed']);
  assert.equal(reasons(['x.yaml', 'y.yaml']), [
    'x.yaml is no UTF-8 text that can be changed; these may be changed: y.yaml',
  ]);
  assert.equal(reasons(['y.yaml']), ['x.yaml does not exist; these may be changed: y.yaml']);
});

test.run();
