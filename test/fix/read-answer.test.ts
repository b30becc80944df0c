import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Change, Hunk } from '../../src/fix/edit.ts';
import { MAX_ANSWER_CHARS, readAnswer } from '../../src/fix/read-answer.ts';

const HUNK = '@@ -1,3 +1,3 @@\n a: 1\n-b: 2\n+b: 3\n c: 4\n';
const DIFF = `--- a/x.yaml\n+++ b/x.yaml\n${HUNK}`;

function changes(text: string, path?: string): Change[] {
  const read = readAnswer(text, { path });
  assert.ok(read.ok, JSON.stringify(read));
  return read.ok ? read.changes : [];
}

function hunks(text: string): Hunk[] {
  return changes(text, 'hint.yaml').flatMap((change) => (change.form === 'diff' ? change.hunks : []));
}

const marked = ({ lines }: Hunk): string[] => lines.map(({ op, text }) => op + text);
const code = (text: string, path?: string): string => {
  const read = readAnswer(text, { path });
  return read.ok ? 'ok' : read.code;
};
const reason = (text: string, path?: string): string => {
  const read = readAnswer(text, { path });
  return read.ok ? '' : (read.reasons[0] ?? '');
};

test('a diff is read the same, fenced or not, with thoughts, prose, a note and git headers around it', () => {
  const wanted = [' a: 1', '-b: 2', '+b: 3', ' c: 4'];
  const git = 'diff --git a/x.yaml b/x.yaml\nindex abc1234..def5678 100644\n';
  const answers = [
    DIFF,
    DIFF.trimEnd(),
    DIFF.replaceAll('\n', '\r\n'),
    git + DIFF,
    `\`\`\`diff\n${DIFF}\`\`\`\n`,
    `\`\`\`diff\n${DIFF}`,
    `<think>\n- is it b?\n+ yes\n</think>\nI changed b.\n\n${DIFF}\nFix: b.\nReason: it was wrong.\n`,
    `Sure! Here it is:\n\n\`\`\`diff\n${git}${DIFF}\`\`\`\n\n- It sets b.\n- Nothing else.\n`,
    `*** Begin Patch\n*** Update File: x.yaml\n${HUNK}*** End Patch\n`,
  ];
  for (const answer of answers) {
    assert.equal(hunks(answer).map(marked), [wanted], answer);
    assert.match(changes(answer)[0]?.path ?? '', /^(?:b\/)?x\.yaml$/, answer);
  }
});

test('hunk headers may be wrong, empty, text, or not there at all', () => {
  for (const header of ['@@ -90,1 +2,77 @@ spec:', '@@ ... @@', '@@ def main() @@', '@@', '@@ @@']) {
    assert.equal(hunks(DIFF.replace(/@@.*@@/, header)).map(marked), [[' a: 1', '-b: 2', '+b: 3', ' c: 4']], header);
  }
  assert.equal(hunks(DIFF.replace(/@@.*\n/, '')).map(marked), [[' a: 1', '-b: 2', '+b: 3', ' c: 4']]);
});

test('an answer that names no file is for the hinted one, else its path stays open', () => {
  assert.is(changes(HUNK, 'hint.yaml')[0]?.path, 'hint.yaml');
  assert.is(changes(HUNK)[0]?.path, undefined);
  assert.is(changes(`In \`conf/y.yaml\`:\n\`\`\`diff\n${HUNK}\`\`\`\n`, 'hint.yaml')[0]?.path, 'conf/y.yaml');
});

test('context without its marker is context, and says so', () => {
  const [hunk] = hunks('@@\na: 1\n\n-b: 2\n+b: 3\n');
  assert.equal(hunk?.lines, [
    { op: ' ', text: 'a: 1', bare: true },
    { op: ' ', text: '' },
    { op: '-', text: 'b: 2' },
    { op: '+', text: 'b: 3' },
  ]);
});

test('fences inside a diff of a Markdown file are content', () => {
  const body = '@@ -1,5 +1,5 @@\n # Start\n ```\n-npm i\n+npm ci\n ```\n text\n';
  const wanted = [' # Start', ' ```', '-npm i', '+npm ci', ' ```', ' text'];
  for (const answer of [body, `\`\`\`diff\n${body}\`\`\`\n`]) assert.equal(hunks(answer).map(marked), [wanted]);
});

test('changed lines outside of the fences are not dropped in silence', () => {
  assert.is(code(`\`\`\`diff\n${DIFF}\`\`\`\ntext\n\`\`\`\ncode\n\`\`\`\n+lost: 1\n`), 'unreadable');
});

test('several files, also without git headers between them', () => {
  const both = `${DIFF}--- a/y.yaml\n+++ b/y.yaml\n${HUNK}`;
  assert.equal(
    changes(both).map(({ path }) => path),
    ['b/x.yaml', 'b/y.yaml'],
  );
});

test('what the diff says about the final newline is kept', () => {
  const end = '\\ No newline at end of file\n';
  assert.is(hunks(`@@\n-a${end.replace('\\', '\n\\')}+b\n`)[0]?.noFinalNewline, false);
  assert.is(hunks(`@@\n-a\n+b\n${end}`)[0]?.noFinalNewline, true);
  assert.is(hunks('@@\n-a\n+b\n')[0]?.noFinalNewline, undefined);
});

test('search/replace blocks, with the path above them, in the fence, or as before', () => {
  const block = (n: number): string => `<<<<<<< SEARCH\na: ${n}\n=======\na: ${n + 1}\n>>>>>>> REPLACE\n`;
  const read = changes(
    `conf/x.yaml\n\`\`\`yaml\n${block(1)}\`\`\`\n\n${block(5)}\n\`\`\`yaml y.yaml\n${block(7)}\`\`\`\n`,
  );
  assert.equal(read, [
    {
      form: 'search-replace',
      path: 'conf/x.yaml',
      blocks: [
        { search: 'a: 1\n', replace: 'a: 2\n' },
        { search: 'a: 5\n', replace: 'a: 6\n' },
      ],
    },
    { form: 'search-replace', path: 'y.yaml', blocks: [{ search: 'a: 7\n', replace: 'a: 8\n' }] },
  ]);
  assert.is(reason('<<<<<<< SEARCH\na\n=======\nb\n'), 'block 1 has no line ">>>>>>> REPLACE"');
  assert.is(
    reason('<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n'),
    'block 1 has more than one line "=======" between its two halves',
  );
});

test('a path keeps its first letters, whatever word they spell; a label before it is taken off', () => {
  const block = '<<<<<<< SEARCH\na: 1\n=======\na: 2\n>>>>>>> REPLACE\n';
  const paths = ['infrastructure/a.yaml', 'in/a.yaml', 'files/a.yaml', 'file.yaml', 'filename/x', 'path/to/a.yaml'];
  for (const path of [...paths, 'editor/a.yaml', 'updates/a.yaml', 'titles.yaml', 'Inventory/hosts.yaml']) {
    const above = [path, `\`${path}\``, `**${path}**`, `### ${path}:`, `- "${path}"`];
    const labelled = [`File: ${path}`, `file ${path}`, `filename=${path}`, `In \`${path}\`:`, `Edit\`${path}\``];
    for (const line of [...above, ...labelled, `Update ${path}`, `path = "${path}"`, `title="${path}"`]) {
      assert.is(changes(`${line}\n${block}`)[0]?.path, path, line);
      assert.is(changes(`${line}\n\`\`\`yaml\na: 1\n\`\`\`\n`)[0]?.path, path, line);
    }
  }
});

test('one fenced block is a whole file, with its own path or the hinted one', () => {
  const whole = [{ form: 'whole-file', path: 'x.yaml', text: 'a: 1\n- b\n' }];
  assert.equal(changes('Here:\n```yaml\na: 1\n- b\n```\n', 'x.yaml'), whole);
  assert.equal(changes('**x.yaml**\n```yaml\na: 1\n- b\n```\nThen run:\n```\nmake\n```\n'), whole);
  assert.equal(changes('```yaml title="x.yaml"\na: 1\n- b\n```\n'), whole);
  assert.equal(changes('```yaml\na: 1\n```\n'), [{ form: 'whole-file', path: undefined, text: 'a: 1\n' }]);
  assert.is(changes('```\na\n```\n```\nb\n```\n', 'x.yaml').length, 2);
  assert.is(
    reason('x.yaml\n```yaml\na: 1\n'),
    'the block of x.yaml does not end: the answer was cut off; write less around the change',
  );
});

test('a diff in a block that does not say so is still no file', () => {
  for (const body of [HUNK, DIFF, ' a: 1\n-b: 2\n+b: 3\n']) {
    assert.equal(
      changes(`\`\`\`yaml\n${body}\`\`\`\n`, 'x.yaml').map(({ form }) => form),
      ['diff'],
      body,
    );
  }
});

test('renames, copies, deletions, binary patches, links and mode lines are refused', () => {
  const git = 'diff --git a/x b/x\n';
  const refused = [
    `${git}old mode 100644\nnew mode 100755\n`,
    `${git}new file mode 100755\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n`,
    `${git}new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n`,
    `${git}deleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n`,
    '--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n',
    'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n',
    'diff --git a/x b/y\ncopy from x\ncopy to y\n',
    '--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n',
    `${git}Binary files a/x and b/x differ\n`,
    `${git}GIT binary patch\nliteral 3\n`,
    '*** Begin Patch\n*** Delete File: x\n*** End Patch\n',
  ];
  for (const answer of refused) assert.is(code(answer), 'unsupported', answer);
});

test('search/replace blocks and a diff in one answer are unreadable; two fenced diffs are one form', () => {
  const block = '<<<<<<< SEARCH\na: 1\n=======\na: 2\n>>>>>>> REPLACE\n';
  const fenced = `\`\`\`diff\n${DIFF}\`\`\`\n`;
  for (const answer of [
    `x.yaml\n${block}\n${fenced}`,
    `${fenced}\ny.yaml\n\`\`\`\n${block}\`\`\`\n`,
    `x.yaml\n${block}${DIFF}`,
  ]) {
    assert.is(reason(answer), 'the answer holds a change in two different forms; write all of it in one of them');
  }
  assert.is(changes(`${fenced}\nand\n\n${fenced.replaceAll('x.yaml', 'y.yaml')}`).length, 2);
  assert.is(
    code(`x.yaml\n\`\`\`diff\n${block.replace('a: 2', '+ a: 2\n@@')}\`\`\`\n`),
    'ok',
    'inside of a block it is text',
  );
});

test('words of a choice in the lines of a diff are the words of the file, beside it those of the answer', () => {
  const hunks = '@@\n # previous: 2\n-a: 1\n+a: 2\n # OR;\n@@\n # Alternatively\n-b: 1\n+b: 2\n';
  const diff = `--- a/x.yaml\n+++ b/x.yaml\n${hunks}`;
  assert.ok(readAnswer(diff).ok);
  const read = readAnswer(`Alternatively:\n\n${diff}`);
  assert.is(read.ok ? 'ok' : read.code, 'unreadable');
});

test('a huge answer is not looked at', () => {
  assert.is(code('\u0000'.repeat(MAX_ANSWER_CHARS + 1)), 'too_large');
});

test('what holds no change is told from what cannot be read', () => {
  for (const empty of ['', ' \n\n', '<think>\nhm\n</think>\n']) assert.is(code(empty), 'no_change', empty);
  const long = `The host is off and nothing here can switch it on. `.repeat(30);
  for (const words of ['I cannot fix this.', 'pass', 'no file here is at fault\nthe host is off', long])
    assert.is(code(words), 'no_change', words);
  for (const answer of ['1,$d\nw README.md\nq\n', '--- a/x\n+++ b/x\n', '*** a\n--- b\n! c\n']) {
    assert.is(code(answer), 'unreadable', answer);
  }
});

test('whole files by their path in one object are read as such, in a fence or not', () => {
  const texts = { 'conf/a.yaml': 'a: 1\n', Makefile: 'all:' };
  const object = JSON.stringify({ files: texts, note: { fix: 'a', reason: 'b' } });
  for (const answer of [object, `Here:\n\n\`\`\`json\n${object}\n\`\`\`\n`]) {
    const read = readAnswer(answer);
    const whole = (path: string, text: string) => ({ form: 'whole-file', path, text });
    assert.equal(read.ok && read.changes, [whole('conf/a.yaml', 'a: 1\n'), whole('Makefile', 'all:\n')], answer);
  }
  const file = readAnswer(`\`\`\`json package.json\n${object}\n\`\`\`\n`);
  assert.is(file.ok && file.changes.length, 1, 'the text of a JSON file may look like one');
});

test('an added line that stands for others is refused, a spread is not', () => {
  assert.is(code('@@\n-a\n+# ... rest of the file unchanged ...\n'), 'unreadable');
  assert.is(code('@@\n-a\n+  ...more,\n'), 'ok');
});

test('Fix and Reason become the note, however they are set', () => {
  const note = (text: string) => {
    const read = readAnswer(text);
    return read.ok ? read.note : undefined;
  };
  assert.equal(note(`${DIFF}\nFix: b is 3.\nReason: 2 was too few.\n`), { fix: 'b is 3.', reason: '2 was too few.' });
  assert.equal(note(`**Fix:** b\n\`\`\`diff\n${DIFF}\`\`\`\n- **Reason**: c\n`), { fix: 'b', reason: 'c' });
  assert.is(note(DIFF), undefined);
});

test('an s command in a file that is written whole is a line of it; in a block of its own it is a change', () => {
  const script = '#!/usr/bin/env bash\nset -e\nsed -e "s|@NAME@|$NAME|g" \\\n  a.tmpl > b.yaml\necho "done"\n';
  const [whole, ...none] = changes(`File: run.sh\n\`\`\`\n${script}\`\`\`\n`);
  assert.equal([none, whole?.form, whole?.path], [[], 'whole-file', 'run.sh']);
  assert.is(whole?.form === 'whole-file' && whole.text, script);
  for (const commands of ["sed -i 's/2/3/' x.yaml", "# the port\nsed -i 's/2/3/' x.yaml", 'ed x.yaml\n2s/2/3/\nw\nq']) {
    assert.equal(
      changes(`\`\`\`\n${commands}\n\`\`\`\n`).map(({ form }) => form),
      ['search-replace'],
    );
  }
});

test.run();
