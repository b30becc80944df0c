// Mistyped commands, paths and variables: one near name, at the line that is named, or nothing.
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { misspeltPath, nearPath } from '../../plugins/executors/known-fixes/misspelt-path.ts';
import { misspeltCommand, misspeltVariable, withVariable } from '../../plugins/executors/known-fixes/misspelt-word.ts';
import { programsOnPath } from '../../plugins/executors/known-fixes/programs.ts';
import {
  commandPlace,
  functionsIn,
  sourcedIn,
  stopsAtFailure,
  variablesIn,
} from '../../plugins/executors/known-fixes/script-words.ts';
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

test('words of scripts: functions, variables and sourced files that a script names', () => {
  assert.equal(functionsIn('a() {\n}\nfunction b-c {\n}\n  d () { :; }\n'), ['a', 'b-c', 'd']);
  const text = `a=1\nlocal b c=2\nfor d in x; do read -r e f; done\nexport G=1\nprintf -v h x\n# i=1\n: "\${j:=1}"\n`;
  assert.equal([...variablesIn(text)].sort(), ['G', 'a', 'b', 'c', 'd', 'e', 'f', 'h', 'j']);
  assert.equal(sourcedIn('. a/b.sh\nsource "c.sh"\necho . d\n'), ['a/b.sh', 'c.sh']);
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
  assert.is(await mended(misspeltCommand, told), `${HEAD}kubectl get pods\n`);
  assert.is(await mended(misspeltCommand, { ...told, said: notFound('kubctl', 2) }), undefined, 'another line');
  assert.is(await mended(misspeltCommand, { ...told, path: pathWith('grep') }), undefined, 'not on PATH');
  assert.is(await mended(misspeltCommand, { ...told, path: pathWith('kubectl', 'kubetl') }), undefined, 'two of them');
});

test('command: a function of the scripts', async () => {
  const files = { [RUN]: `${HEAD}wait_for_relase web\n`, 'stages/web/lib.sh': 'wait_for_release() { :; }\n' };
  const said = notFound('wait_for_relase');
  assert.is(await mended(misspeltCommand, { files, said }), `${HEAD}wait_for_release web\n`);
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
    assert.is(await mended(misspeltCommand, told), undefined, word);
  }
});

test('command: left alone: a short name that nothing else in the stage uses', async () => {
  const told = { files: script('hlem list'), said: notFound('hlem'), path: pathWith('helm') };
  assert.is(await mended(misspeltCommand, told), `${HEAD}helm list\n`, 'swapped');
  const other = { files: script('slep 1'), said: notFound('slep'), path: pathWith('sleep') };
  assert.is(await mended(misspeltCommand, other), undefined);
  const witnessed = { ...other, files: { [RUN]: `${HEAD}slep 1\nsleep 2\n` } };
  assert.is(await mended(misspeltCommand, witnessed), `${HEAD}sleep 1\nsleep 2\n`);
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
    assert.is(
      await mended(misspeltCommand, { files: { [file]: text }, said, path }),
      text.replace('mkdri', 'mkdir'),
      text,
    );
  }
});

test('command: left alone, with the reason: a recipe that may not be the one, or not the cause', async () => {
  const path = pathWith('mkdir', 'cp');
  const said = 'make: mkdri: No such file or directory';
  const recipe = 'out:\n\tmkdri -p out\n';
  const answer = async (told: Partial<Told>) =>
    misspeltCommand(factsOf({ files: { Makefile: recipe }, said, path, ...told }));
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
  assert.is(await answer({ said: [said, 'cp: cannot stat a'] }), undefined, 'not the last word');
});

test('command: why a command that is nearly known is not renamed', async () => {
  const reason = async (word: string, ...names: string[]) =>
    misspeltCommand(factsOf({ files: script(`${word} a`), said: notFound(word), path: pathWith(...names) }));
  assert.equal(await reason('toch', 'touch'), {
    unsure: 'toch is too short to be certain that touch is meant, which nothing here runs',
  });
  assert.equal(await reason('kubctl', 'kubectl', 'kubetl'), {
    unsure: '2 commands are equally near to kubctl: kubectl, kubetl',
  });
  assert.equal(await reason('shrde', 'shred'), {
    unsure: 'shred may be meant by shrde, and a known fix runs nothing that destroys',
  });
  assert.equal(await reason('tracea', 'traceb'), {
    unsure: 'tracea may be a program that is not installed, and not traceb',
  });
  assert.is(await reason('deploy-the-web', 'touch'), undefined, 'near to nothing');
  assert.is(await reason('jq', 'yq'), undefined, 'a program that is only missing');
});

test('command: left alone: it is used twice, or the script went on and failed by something else', async () => {
  const path = pathWith('kubectl');
  const twice = { [RUN]: `${HEAD}kubctl a\nkubctl b\n` };
  assert.is(await mended(misspeltCommand, { files: twice, said: notFound('kubctl'), path }), undefined);
  const loose = { [RUN]: '#!/usr/bin/env bash\n\nkubctl a\nfalse\n' };
  assert.is(
    await mended(misspeltCommand, { files: loose, said: [notFound('kubctl'), 'error: no pods'], path }),
    undefined,
  );
  const later = [notFound('kubctl'), `${RUN}: line 9: web: unbound variable`];
  assert.is(await mended(misspeltCommand, { files: script('kubctl a'), said: later, path }), undefined);
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
  const two = [said, 'cat: config/other.tsv: No such file or directory'];
  assert.is(await mended(misspeltPath, { files: script('cat config/vsm.tsv'), said: two, tree }), undefined);
});

const unbound = (name: string, line = 4) => `${RUN}: line ${line}: ${name}: unbound variable`;

test('variable: is renamed where it is used, and only when it is used once', () => {
  assert.is(withVariable('echo "$nmae-x"', 'nmae', 'name'), 'echo "$name-x"');
  assert.is(withVariable(`echo "\${nmae%.*}"`, 'nmae', 'name'), `echo "\${name%.*}"`);
  assert.is(withVariable('(( nmae > 1 ))', 'nmae', 'name'), '(( name > 1 ))');
  assert.is(withVariable('echo $nmae $nmae', 'nmae', 'name'), undefined);
  assert.is(withVariable('echo nmae', 'nmae', 'name'), undefined);
});

test('variable: the one that the script, a sourced file or the environment sets', async () => {
  const used = 'echo "$namespaec"\n';
  const files = { [RUN]: `${HEAD}namespace=web\n${used}` };
  const want = `${HEAD}namespace=web\necho "$namespace"\n`;
  assert.is(await mended(misspeltVariable, { files, said: unbound('namespaec') }), want);
  const sourced = { [RUN]: `${HEAD}. stages/web/env.sh\n${used}`, 'stages/web/env.sh': 'namespace=web\n' };
  assert.ok(await mended(misspeltVariable, { files: sourced, said: unbound('namespaec') }));
  const bare = { [RUN]: `${HEAD}\n${used}` };
  assert.ok(await mended(misspeltVariable, { files: bare, said: unbound('namespaec'), variables: ['namespace'] }));
  assert.is(await mended(misspeltVariable, { files: bare, said: unbound('namespaec') }), undefined);
});

test('variable: left alone: the owner is asked for it, it is used twice, or two are near', async () => {
  const files = { [RUN]: `${HEAD}namespace=web\necho "$namespaec"\n` };
  assert.is(
    await mended(misspeltVariable, { files, said: unbound('namespaec'), requires: { env: ['namespaec'] } }),
    undefined,
  );
  assert.is(await mended(misspeltVariable, { files, said: unbound('namespaec', 3) }), undefined, 'another line');
  const twice = { [RUN]: `${files[RUN]}echo $namespaec\n` };
  assert.is(await mended(misspeltVariable, { files: twice, said: unbound('namespaec') }), undefined);
  assert.is(
    await mended(misspeltVariable, { files, said: unbound('namespaec'), variables: ['namespaces'] }),
    undefined,
  );
  const short = { [RUN]: `${HEAD}\necho "$PORT"\n` };
  assert.is(await mended(misspeltVariable, { files: short, said: unbound('PORT'), variables: ['SORT'] }), undefined);
});

test.run();
