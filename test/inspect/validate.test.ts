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
      talos: { command: 'true', files: ['stages/vms/*.sh', 'config/', 'ops/'], diagnostics: ['ops/show --all'] },
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

test.run();
