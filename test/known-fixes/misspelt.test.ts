// Mistyped commands, paths and variables: one near name, at the line that is named, or nothing.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { misspeltPath, nearPath } from '../../plugins/executors/known-fixes/misspelt-path.ts';
import { programsOnPath } from '../../plugins/executors/known-fixes/programs.ts';
import { commandPlace, stopsAtFailure } from '../../plugins/executors/known-fixes/scripts.ts';
import { wrongWord } from '../../plugins/executors/known-fixes/wrong-word.ts';
import { factsOf, HEAD, mended, RUN, type Told } from './facts.ts';

const made = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-path-'));

let serial = 0;
/** A PATH with programs of these names. */
function pathWith(...names: string[]): string {
  const folder = join(made, String(++serial));
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), '');
  return `${folder}:/nonexistent:relative`;
}

test('words of scripts: a command has a place only where it is one, and only when it stands there once', () => {
  for (const [line, place] of [
    ['kubctl get', 0],
    ['  a | kubctl get', 6],
    ['if ! kubctl get; then', 5],
    ['x="$(kubctl get)"', 5],
    ['A=1 kubctl get', 4],
    ['true && kubctl get', 8],
    ['echo kubctl', undefined],
    ['kubctl get; kubctl list', undefined],
    ['./kubctl get', undefined],
    ['# kubctl get', undefined],
    ['my-kubctl get', undefined],
  ] as const) {
    assert.is(commandPlace(line, 'kubctl'), place, line);
  }
});

test('words of scripts: whether a script stops at its first failure', () => {
  for (const text of ['set -e\n', 'set -euo pipefail\n', 'set -o errexit\n', '#!/bin/bash -e\n'])
    assert.ok(stopsAtFailure(text), text);
  for (const text of ['set -u\n', 'set +e\n', 'echo set -e\n', '']) assert.not(stopsAtFailure(text), text);
});

const notFound = (word: string, line = 3) => `${RUN}: line ${line}: ${word}: command not found`;
const script = (line: string): Record<string, string> => ({ [RUN]: `${HEAD}${line}\n` });

test('command: the one program on PATH with nearly that name', async () => {
  const path = pathWith('kubectl', 'grep');
  const told: Told = { files: script('kubctl get pods'), said: notFound('kubctl'), path };
  assert.is(await mended(wrongWord, told), `${HEAD}kubectl get pods\n`);
  assert.is(await mended(wrongWord, { ...told, path: pathWith('grep') }), undefined, 'not on PATH');
  assert.is(await mended(wrongWord, { ...told, path: pathWith('kubectl', 'kubetl') }), undefined, 'two of them');
});

test('command: a function of the scripts', async () => {
  const files = {
    [RUN]: `${HEAD}. stages/web/lib.sh\nwait_for_relase web\n`,
    'stages/web/lib.sh': 'wait_for_release() { :; }\n',
  };
  const said = notFound('wait_for_relase');
  assert.is(await mended(wrongWord, { files, said }), `${HEAD}. stages/web/lib.sh\nwait_for_release web\n`);
});

test('command: left alone: a tool that is only missing, or one that destroys', async () => {
  for (const [word, name] of [
    ['kubectx', 'kubectl'],
    ['tree', 'tee'],
    ['yq', 'jq'],
    ['flux', 'flex'],
    ['mr', 'rm'],
    ['python', 'python3'],
    ['shrde', 'shred'],
  ] as const) {
    const told = { files: script(`${word} a`), said: notFound(word), path: pathWith(name) };
    assert.is(await mended(wrongWord, told), undefined, word);
  }
});

test('command: left alone: a short name that nothing else in the stage uses', async () => {
  const told = { files: script('hlem list'), said: notFound('hlem'), path: pathWith('helm') };
  assert.is(await mended(wrongWord, told), `${HEAD}helm list\n`, 'swapped');
  const other = { files: script('slep 1'), said: notFound('slep'), path: pathWith('sleep') };
  assert.is(await mended(wrongWord, other), undefined);
  const witnessed = { ...other, files: { [RUN]: `${HEAD}slep 1\nsleep 2\n` } };
  assert.is(await mended(wrongWord, witnessed), `${HEAD}sleep 1\nsleep 2\n`);
});

test('command: in the one recipe that runs it, whoever says that it is missing, also behind signs', async () => {
  const path = pathWith('mkdir', 'cp');
  const make = 'make: mkdri: No such file or directory';
  const shell = '/bin/sh: 1: mkdri: not found';
  const task = '"mkdri": executable file not found in $PATH';
  for (const [file, text, said] of [
    ['Makefile', 'out:\n\tmkdri -p out\n', make],
    ['lab/GNUmakefile', 'out:\n\t@mkdri -p out\n', make.replace('make', 'make[1]')],
    ['mk/out.mk', 'out:\n\t@- mkdri -p out\n', make],
    ['Makefile', 'out:\n\tcd lab && \\\n\t  mkdri -p out\n', shell],
    ['Makefile', 'out:\n\tcd lab && mkdri -p out\n', '/bin/bash: line 1: mkdri: command not found'],
    ['justfile', 'out:\n  @mkdri -p out\n', 'sh: 1: mkdri: not found'],
    ['Taskfile.yml', 'tasks:\n  out:\n    cmds:\n      - mkdri -p out\n', task],
    [
      '.taskfiles/out.yaml',
      'tasks:\n  out:\n    cmds:\n      - cmd: |\n          cd lab\n          mkdri -p out\n',
      task,
    ],
  ] as const) {
    assert.is(await mended(wrongWord, { files: { [file]: text }, said, path }), text.replace('mkdri', 'mkdir'), text);
  }
});

test('command: left alone, with the reason: a recipe that may not be the one, or not the cause', async () => {
  const path = pathWith('mkdir', 'cp');
  const said = 'make: mkdri: No such file or directory';
  const recipe = 'out:\n\tmkdri -p out\n';
  const answer = async (told: Partial<Told>) =>
    wrongWord(factsOf({ files: { Makefile: recipe }, said, path, ...told }));
  const twice = { Makefile: recipe, 'lab/Makefile': recipe };
  assert.equal(await answer({ files: twice }), { unsure: 'mkdri stands in 2 places' });
  const tool = { Makefile: recipe, 'tools/install.py': 'fetch("mkdri")\n' };
  assert.equal(await answer({ files: tool }), { unsure: 'mkdri stands in 2 places' });
  const forgiven = { Makefile: 'out:\n\t-mkdri -p out\n\tcp a out/\n' };
  assert.equal(await answer({ files: forgiven, said: ['cp: cannot create regular file', said] }), {
    unsure: 'Makefile goes on after mkdri, and may have failed by something else',
  });
  for (const text of [
    'mkdri := 1\nout:\n\tcp a b\n',
    'out: mkdri\n',
    'out:\n\techo mkdri\n',
    'out:\n\tcp a \\\n\t  mkdri\n',
  ])
    assert.is(await answer({ files: { Makefile: text } }), undefined, text);
  assert.is(
    await answer({ files: { 'notes/out.yml': 'tasks:\n  out:\n    cmds:\n      - mkdri\n' } }),
    undefined,
    'data',
  );
});

test('command: left alone: it is used twice, or the script went on and failed by something else', async () => {
  const path = pathWith('kubectl');
  const twice = { [RUN]: `${HEAD}kubctl a\nkubctl b\n` };
  assert.is(await mended(wrongWord, { files: twice, said: notFound('kubctl'), path }), undefined);
  const loose = { [RUN]: '#!/usr/bin/env bash\n\nkubctl a\nfalse\n' };
  assert.is(await mended(wrongWord, { files: loose, said: [notFound('kubctl'), 'error: no pods'], path }), undefined);
});

test('command: a folder of PATH that cannot be read has no programs', async () => {
  assert.equal([...(await programsOnPath(pathWith('a', 'b')))].sort(), ['a', 'b']);
});

test('path: the only path near it, a file or a folder', () => {
  const tree = ['config/vms.tsv', 'config/proxmox/host.conf', 'stages/web/common.sh'];
  assert.is(nearPath('config/vsm.tsv', tree), 'config/vms.tsv');
  assert.is(nearPath('./config/vsm.tsv', tree), 'config/vms.tsv');
  assert.is(nearPath('confgi/vms.tsv', tree), 'config/vms.tsv');
  assert.is(nearPath('config/promox/', tree), 'config/proxmox');
  assert.is(nearPath('stages/web/comon.sh', tree), 'stages/web/common.sh');
  for (const said of ['config/vms.tsv', 'confgi/vsm.tsv', 'vms.tsv', 'config/other.tsv', 'config/vms']) {
    assert.is(nearPath(said, tree), undefined, said);
  }
});

test('path: another number, a plural, a short name or two neighbours are other files', () => {
  for (const [said, ...tree] of [
    ['config/node1.yaml', 'config/node2.yaml'],
    ['config/app.yaml', 'config/apps.yaml'],
    ['config/dev.yaml', 'config/dec.yaml'],
    ['config/prod.yaml', 'config/prox.yaml', 'config/prop.yaml'],
    ['config/web.json', 'config/web.toml'],
  ] as const) {
    assert.is(nearPath(said, tree), undefined, said);
  }
});

test('path: in the line that the shell names, or in the only one where it stands', async () => {
  const tree = ['config/vms.tsv'];
  const files = script('cat config/vsm.tsv');
  for (const said of [
    'cat: config/vsm.tsv: No such file or directory',
    "sed: can't read config/vsm.tsv: No such file or directory",
    "FileNotFoundError: [Errno 2] No such file or directory: 'config/vsm.tsv'",
    "Error: ENOENT: no such file or directory, open 'config/vsm.tsv'",
    'error: the path "config/vsm.tsv" does not exist',
    `${RUN}: line 3: config/vsm.tsv: No such file or directory`,
  ]) {
    assert.is(await mended(misspeltPath, { files, said, tree }), `${HEAD}cat config/vms.tsv\n`, said);
  }
});

test('path: left alone: it stands twice, is written, or is somebody else’s', async () => {
  const tree = ['config/vms.tsv'];
  const said = 'cat: config/vsm.tsv: No such file or directory';
  for (const text of [
    'cat config/vsm.tsv\nrm config/vsm.tsv\n',
    'echo > config/vsm.tsv\n',
    '# config/vsm.tsv\n',
    'cat "$list"\n',
    'cat a/config/vsm.tsv\n',
  ]) {
    assert.is(await mended(misspeltPath, { files: { [RUN]: HEAD + text }, said, tree }), undefined, text);
  }
  const absolute = 'cat: /config/vsm.tsv: No such file or directory';
  assert.is(await mended(misspeltPath, { files: script('cat /config/vsm.tsv'), said: absolute, tree }), undefined);
});

const unbound = (name: string, line = 4) => `${RUN}: line ${line}: ${name}: unbound variable`;

test('variable: the one that the script, a sourced file or the environment sets', async () => {
  const used = 'echo "$namespaec"\n';
  const files = { [RUN]: `${HEAD}namespace=web\n${used}` };
  const want = `${HEAD}namespace=web\necho "$namespace"\n`;
  assert.is(await mended(wrongWord, { files, said: unbound('namespaec') }), want);
  const sourced = { [RUN]: `${HEAD}. stages/web/env.sh\n${used}`, 'stages/web/env.sh': 'namespace=web\n' };
  assert.ok(await mended(wrongWord, { files: sourced, said: unbound('namespaec') }));
  const bare = { [RUN]: `${HEAD}\n${used}` };
  assert.ok(await mended(wrongWord, { files: bare, said: unbound('namespaec'), variables: ['namespace'] }));
  assert.is(await mended(wrongWord, { files: bare, said: unbound('namespaec') }), undefined);
});

test('variable: the same slip in several lines of a script is one', async () => {
  const text = `${HEAD}namespace=web\necho "$namespaec"\necho "\${namespaec}"\n`;
  assert.is(
    await mended(wrongWord, { files: { [RUN]: text }, said: unbound('namespaec') }),
    text.replaceAll('namespaec', 'namespace'),
  );
});

test('variable: left alone: the owner is asked for it, or two are near', async () => {
  const files = { [RUN]: `${HEAD}namespace=web\necho "$namespaec"\n` };
  assert.is(
    await mended(wrongWord, { files, said: unbound('namespaec'), requires: { env: ['namespaec'] } }),
    undefined,
  );
  assert.is(await mended(wrongWord, { files, said: unbound('namespaec'), variables: ['namespaces'] }), undefined);
  const short = { [RUN]: `${HEAD}\necho "$PORT"\n` };
  assert.is(await mended(wrongWord, { files: short, said: unbound('PORT'), variables: ['SORT'] }), undefined);
});

test.run();
