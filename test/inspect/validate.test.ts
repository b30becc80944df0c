import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { validateHome } from '../../src/inspect/validate.ts';
import { homelab } from '../run/homelab.ts';
import { commit, folder, write } from '../worktree/repository.ts';

const FILES = { 'stages/vms/verify.sh': '. stages/lib.sh\n', 'stages/lib.sh': 'die() { exit 1; }\n', 'ops/show': '' };

test('files that no fix may touch are named for each stage, with the word that makes them judges', async () => {
  const home = homelab(
    {
      vms: { command: 'true', files: ['stages/'], verify: ['bash ./stages/vms/verify.sh config/a.yaml'] },
      talos: {
        ...{ command: 'true', verify: [{ file: 'ops/show' }] },
        ...{ files: ['stages/vms/*.sh', 'config/', 'ops/'], diagnostics: ['ops/show --all'] },
      },
    },
    {},
    { ...FILES, 'config/a.yaml': '' },
  );
  assert.equal((await validateHome(home)).warnings, [
    'stages.vms.files: no fix may touch stages/vms/verify.sh: stages.vms.verify[0] runs it (./stages/vms/verify.sh)',
    'stages.vms.files: no fix may touch stages/lib.sh: stages/vms/verify.sh runs it (stages/lib.sh)',
    'stages.talos.files: no fix may touch stages/vms/verify.sh: stages.vms.verify[0] runs it (./stages/vms/verify.sh)',
    'stages.talos.files: no fix may touch ops/show: stages.talos.diagnostics[0] runs it (ops/show)',
  ]);
});

test('what a check only looks at is no cause for a warning', async () => {
  const verify = ['yamllint config/a.yaml', 'shellcheck run.sh', 'bash -n run.sh'];
  const home = homelab(
    { a: { command: 'bash run.sh', files: ['config/', 'run.sh'], verify } },
    {},
    { 'run.sh': '', 'config/a.yaml': '' },
  );
  assert.equal((await validateHome(home)).warnings, []);
});

test('of a file of targets only what a check runs is told, and nothing of what is not there', async () => {
  const home = homelab(
    { a: { command: 'make up', files: ['Makefile', 'tests/'], verify: ['make check', 'bats tests'] } },
    {},
    {
      Makefile: 'up:\n\ttrue\ncheck:\n\ttrue\n',
      'tests/a.bats': '',
    },
  );
  const [part, test, ...others] = (await validateHome(home)).warnings;
  assert.is(part, 'stages.a.files: no fix may touch that part of Makefile: stages.a.verify[0] runs it (make check)');
  assert.is(test, 'stages.a.files: no fix may touch tests/a.bats: stages.a.verify[1] runs it (tests)');
  assert.equal(others, []);
});

test('a script that is both command and check is said', async () => {
  const home = homelab({ a: { command: 'bash all.sh apply', verify: ['bash all.sh check'] } }, {}, { 'all.sh': '' });
  assert.equal((await validateHome(home)).warnings, [
    'stages.a.command: all.sh is a check too (stages.a.verify[0]), so no fix may touch it',
  ]);
});

test('a judge that git does not track is named, and one that is not there', async () => {
  const home = homelab({ a: { command: 'true', verify: ['bash local.sh', 'bash rendered/check.sh'] } });
  write(home, { 'local.sh': '' });
  const seen = 'nobody can see to it that it judges as you wrote it';
  assert.equal((await validateHome(home)).warnings, [
    `stages.a.verify[0]: runs local.sh, but git does not track it: ${seen}`,
    `stages.a.verify[1]: runs rendered/check.sh, but it does not exist here: ${seen}`,
  ]);
  commit(home, { 'local.sh': '' });
  assert.is((await validateHome(home)).warnings.length, 1);
});

test('where there is no repository yet the configuration is checked all the same', async () => {
  const home = folder();
  write(home, { 'ai/context_map.yaml': 'stages: { a: { command: "true", verify: [bash check.sh] } }' });
  assert.equal((await validateHome(home)).warnings, []);
});

test('stages without checks, stricter texts and ignored paths that nobody carries are said', async () => {
  const home = homelab(
    {
      a: { command: 'make all | tee log', verify: ['true'] },
      b: { command: ['true'], files: ['inventory/my-cluster/*.yml', 'tf/*.tfvars'] },
      c: { command: 'true', verify: ['one; two'], requires: { files: ['inventory/my-cluster/hosts', 'kube'] } },
    },
    {},
    { '.gitignore': 'inventory/my-cluster\n*.tfvars\nkube\n', 'inventory/sample/hosts': '', 'tf/main.tf': '' },
  );
  write(home, { 'inventory/my-cluster/hosts': 'pve1\n', 'tf/my.tfvars': 'a = 1\n', kube: 'x\n', 'tf/other.log': '' });
  const ignored = (path: string) =>
    `${path} is ignored by git and not carried, so stages do not find it: add ${path} to carry`;
  assert.equal((await validateHome(home)).warnings, [
    ...['inventory/my-cluster', 'kube', 'tf/my.tfvars'].map(ignored),
    'stages.b: it has nothing to check, so nothing can tell whether it still holds; give it verify',
    'stages.a.command: any part that fails ends it now, in 0.1.0 only the last one did (a pipe)',
    'stages.c.verify[0]: any part that fails ends it now, in 0.1.0 only the last one did (several commands)',
  ]);
  const map = JSON.parse(readFileSync(join(home, 'ai/context_map.yaml'), 'utf8'));
  const carry = ['inventory/my-cluster', 'tf/my.tfvars', { path: 'kube', secret: false }];
  write(home, { 'ai/context_map.yaml': JSON.stringify({ ...map, carry }) });
  assert.not.match((await validateHome(home)).warnings.join('\n'), 'ignored');
});

test.run();
