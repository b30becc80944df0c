// Line ends, the executable bit, first lines, here-documents and quotes of scripts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { executable, shebang, withBash, withShebang } from '../../plugins/executors/known-fixes/cannot-start.ts';
import { crlf, unixLineEnds } from '../../plugins/executors/known-fixes/crlf.ts';
import {
  closed,
  hereDocument,
  openQuote,
  quotesIn,
  unended,
  withEnd,
} from '../../plugins/executors/known-fixes/unended.ts';
import { find, HEAD, mended, RUN } from './facts.ts';

const DOS = HEAD.replaceAll('\n', '\r\n');

test('line ends: a carriage return inside a line stays', () => {
  assert.is(unixLineEnds('a\rb\r\nc\n'), 'a\rb\nc\n');
});

test('line ends: every way in which shells tell of carriage returns', async () => {
  const files = { [RUN]: DOS };
  for (const said of [
    `${RUN}: line 2: $'\\r': command not found`,
    `${RUN}: line 2: syntax error near unexpected token \`$'do\\r''`,
    `${RUN}: line 3: syntax error: unexpected end of file`,
    `${RUN}: 2: Syntax error: end of file unexpected (expecting "then")`,
    `bash: line 1: ${RUN}: /usr/bin/env^M: bad interpreter: No such file or directory`,
    `bash: line 1: ${RUN}: cannot execute: required file not found`,
    '/usr/bin/env: ‘bash\\r’: No such file or directory',
    "env: 'bash\\r': No such file or directory",
    ': invalid option name',
  ]) {
    assert.is(await mended(crlf, { files, said }), HEAD, said);
  }
});

test('line ends: left alone: another file is named, or the words have another reason', async () => {
  const said = `${RUN}: line 2: $'\\r': command not found`;
  assert.is(await mended(crlf, { files: { [RUN]: HEAD, 'stages/web/b.sh': DOS }, said }), undefined);
  assert.is(await mended(crlf, { files: { [RUN]: DOS }, said: said.replace('web', 'other') }), undefined);
  const mixed = { [RUN]: `${HEAD}cat <<EOF\r\nif true; then\n` };
  assert.is(
    await mended(crlf, { files: mixed, said: `${RUN}: line 5: syntax error: unexpected end of file` }),
    undefined,
  );
  assert.is(await mended(crlf, { files: { 'config/a.conf': 'a\r\n' }, said: ': invalid option' }), undefined);
  assert.is(await mended(crlf, { files: { [RUN]: DOS }, said: 'error: the web does not answer' }), undefined);
});

test('line ends: two scripts could be meant where none is named, unless the stage starts one of them', async () => {
  const files = { 'stages/web/a.sh': DOS, 'stages/web/b.sh': DOS };
  const said = ': invalid option name';
  assert.is(await mended(crlf, { files, said, command: 'make' }), undefined);
  assert.equal(Object.keys((await find(crlf, { files, said, command: 'bash stages/web/b.sh' }))?.files ?? {}), [
    'stages/web/b.sh',
  ]);
});

test('executable: the script that the stage starts, by a path from anywhere', async () => {
  const files = { [RUN]: HEAD };
  for (const said of [
    `bash: line 1: ${RUN}: Permission denied`,
    `bash: line 1: ./${RUN}: Permission denied`,
    `bash: line 1: /srv/lab/ai/worktree/${RUN}: Permission denied`,
    `mendloop: 1: exec: ${RUN}: Permission denied`,
  ]) {
    assert.equal((await find(executable, { files, said }))?.executable, [RUN], said);
  }
});

test('executable: a helper, as a word of its line or out of a variable', async () => {
  const said = `${RUN}: line 3: stages/web/sub.sh: Permission denied`;
  for (const line of ['stages/web/sub.sh --now', 'if ! stages/web/sub.sh; then', '"$here/sub.sh" a']) {
    const files = { [RUN]: `${HEAD}${line}\n`, 'stages/web/sub.sh': HEAD };
    assert.equal((await find(executable, { files, said }))?.executable, ['stages/web/sub.sh'], line);
  }
});

test('executable: left alone: written to, read, run by a shell, no script, or not of this stage', async () => {
  const sub = { 'stages/web/sub.sh': HEAD };
  const denied = `${RUN}: line 3: stages/web/sub.sh: Permission denied`;
  for (const line of ['echo x > stages/web/sub.sh', '. stages/web/sub.sh', 'source "$here/sub.sh"', 'true']) {
    assert.is(await find(executable, { files: { [RUN]: `${HEAD}${line}\n`, ...sub }, said: denied }), undefined, line);
  }
  const said = `bash: line 1: ${RUN}: Permission denied`;
  assert.is(await find(executable, { files: { [RUN]: HEAD }, said, command: `bash ${RUN}` }), undefined);
  assert.is(await find(executable, { files: {}, said }), undefined);
  const data = { 'config/web.conf': 'a=1\n' };
  assert.is(
    await find(executable, {
      files: data,
      said: 'bash: line 1: config/web.conf: Permission denied',
      command: 'config/web.conf',
    }),
    undefined,
  );
  assert.is(
    await find(executable, { files: { [RUN]: HEAD }, said: 'cp: cannot create /etc/web: Permission denied' }),
    undefined,
  );
});

test('first line: names bash instead of sh, with its options', () => {
  assert.is(withBash('#!/bin/sh\necho\n'), '#!/usr/bin/env bash\necho\n');
  assert.is(withBash('#! /usr/bin/env sh\necho\n'), '#!/usr/bin/env bash\necho\n');
  assert.is(withBash('#!/bin/sh -eu\necho\n'), '#!/bin/bash -eu\necho\n');
  for (const text of ['#!/bin/bash\n', 'echo\n', '#!/bin/zsh\n', '']) assert.is(withBash(text), undefined);
});

test('first line: is added by the name of the file, never twice', () => {
  assert.is(withShebang('a.sh', 'echo\n'), '#!/usr/bin/env bash\necho\n');
  assert.is(withShebang('a.py', 'import os\n'), '#!/usr/bin/env python3\nimport os\n');
  for (const [path, text] of [
    ['a.sh', '#!/bin/sh\n'],
    ['a', 'echo\n'],
    ['a.py', 'echo\n'],
    ['a.sh', ''],
  ] as const) {
    assert.is(withShebang(path, text), undefined, path);
  }
});

test('first line: sh complains of what only bash knows, at a line that has it', async () => {
  for (const [said, line] of [
    ['set: Illegal option -o pipefail', 'set -euo pipefail'],
    ['[[: not found', 'if [[ -n $a ]]; then'],
    ['source: not found', 'source lib.sh'],
    ['Syntax error: "(" unexpected', 'nodes=(a b)'],
    ['Syntax error: redirection unexpected', 'grep a <<<"$b"'],
    ['Bad substitution', `echo "\${a//x/y}"`],
  ] as const) {
    const files = { [RUN]: `#!/bin/sh\n${line}\n` };
    assert.is(await mended(shebang, { files, said: `${RUN}: 2: ${said}` }), `#!/usr/bin/env bash\n${line}\n`, said);
    assert.is(await mended(shebang, { files, said: `${RUN}: 1: ${said}` }), undefined, 'another line');
    assert.is(
      await mended(shebang, { files, said: `${RUN}: 2: ${said}`, command: `sh ${RUN}` }),
      undefined,
      'run by sh',
    );
  }
});

test('first line: left alone: a caller gives it to sh, a binary, a stranger', async () => {
  const files = { [RUN]: `${HEAD}sh stages/web/sub.sh\n`, 'stages/web/sub.sh': '#!/bin/sh\n[[ a ]]\n' };
  assert.is(await mended(shebang, { files, said: 'stages/web/sub.sh: 2: [[: not found' }), undefined);
  assert.is(
    await mended(shebang, { files, said: "OSError: [Errno 8] Exec format error: '/usr/local/bin/flux'" }),
    undefined,
  );
});

const DOCUMENT = `${HEAD}cat <<EOF\nname: web\nEOF\necho done\n`;
const said = `${RUN}: line 7: warning: here-document at line 3 delimited by end-of-file (wanted \`EOF')`;

test('here-document: an end that is indented, has something behind it, or is mistyped', async () => {
  for (const end of ['  EOF', 'EOF ', '\tEOF', 'EOF;', 'EOFF', 'EFO']) {
    const files = { [RUN]: DOCUMENT.replace('\nEOF\n', `\n${end}\n`) };
    assert.is(await mended(hereDocument, { files, said }), DOCUMENT, JSON.stringify(end));
  }
});

test('here-document: left alone: no end, two ends, the end of another one, a shell that does not read the result', async () => {
  for (const text of ['name: web\n', '  EOF\n  EOF\n', 'cat <<EOL\nEOL\n', 'eof\n']) {
    assert.is(withEnd(`${HEAD}cat <<EOF\n${text}`, 3, 'EOF'), undefined, text);
  }
  const files = { [RUN]: DOCUMENT.replace('\nEOF\n', '\n  EOF\n') };
  assert.is(await mended(hereDocument, { files, said, parses: () => false }), undefined);
});

test('here-document: the first that has no end is found in the text alone', () => {
  assert.equal(unended(DOCUMENT.replace('\nEOF\n', '\n EOF\n')), { opened: 3, end: 'EOF' });
  assert.is(unended(DOCUMENT), undefined);
  assert.is(unended('cat <<<EOF\n# <<EOF\necho $((1 << x))\ncat <<-EOF\n\tEOF\n'), undefined);
});

test('open quote: counts quotes that open or close, not those inside others, escaped, or in comments', () => {
  assert.equal(
    ['a "b"', 'a "b', "a '\"' b", 'a \\" b', 'a # "', 'a "it\'s"'].map((line) => quotesIn(line, '"')),
    [2, 1, 0, 0, 0, 2],
  );
});

test('open quote: closed at the end of the only line that has one open', async () => {
  const text = `${HEAD}echo "the web is up\ntrue\n`;
  const unclosed = `${RUN}: line 3: unexpected EOF while looking for matching \`"'`;
  const told = { files: { [RUN]: text }, said: unclosed };
  assert.is(await mended(openQuote, { ...told, parses: () => true }), `${HEAD}echo "the web is up"\ntrue\n`);
  assert.is(await mended(openQuote, { ...told, parses: () => false }), undefined);
});

test('open quote: left alone: it may end earlier, be an apostrophe, or be one of two', () => {
  for (const line of [
    'cp "$a $b',
    'cp "$a "$b"',
    'curl "$url | jq .',
    'echo "a" "b && c',
    'run "a # why',
    'x=5"',
    'cmd "',
  ]) {
    assert.is(closed(`${line}\n`, '"', 1), undefined, line);
  }
  assert.is(closed("echo it doesn't work\n", "'", 1), undefined);
  assert.is(closed('echo "a\necho b"\n', '"', 2), undefined);
  assert.is(closed('true\necho "a\n', '"', 1), undefined, 'the shell stumbles before it');
});

test.run();
