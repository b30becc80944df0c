import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError, MendError } from '../../src/errors.ts';
import { validateHome } from '../../src/inspect/validate.ts';
import { homelab, run } from '../run/homelab.ts';
import { commit, folder, write } from '../worktree/repository.ts';

const PORTS = { env: { PATH: process.env.PATH }, labTools: '/nonexistent' };
/** A homelab where what runs unattended is not worth a word. */
const lab = (stages: Record<string, object>, loop: object = {}, files: Record<string, string> = {}) =>
  homelab(stages, { unattended: 'repairs', ...loop }, files);
const FILES = { 'stages/vms/verify.sh': '. stages/lib.sh\n', 'stages/lib.sh': 'die() { exit 1; }\n', 'ops/show': '' };

test('files that no fix may touch are named for each stage, with the word that makes them check files', async () => {
  const home = lab(
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
  assert.equal((await validateHome(home, PORTS)).warnings, [
    'stages.vms.files: no fix may touch stages/vms/verify.sh: stages.vms.verify[0] runs it (./stages/vms/verify.sh)',
    'stages.vms.files: no fix may touch stages/lib.sh: stages/vms/verify.sh runs it (stages/lib.sh)',
    'stages.talos.files: no fix may touch stages/vms/verify.sh: stages.vms.verify[0] runs it (./stages/vms/verify.sh)',
    'stages.talos.files: no fix may touch ops/show: stages.talos.diagnostics[0] runs it (ops/show)',
  ]);
});

test('all check files are listed by stage, each with the word because of which it is one, also one that two stages run', async () => {
  const home = lab(
    {
      vms: { command: 'true', verify: ['test -s x', 'bash ./stages/vms/verify.sh'] },
      talos: { command: 'true', verify: ['make check'], diagnostics: ['. stages/lib.sh'] },
    },
    {},
    { ...FILES, Makefile: 'check:\n\ttrue\n' },
  );
  assert.equal((await validateHome(home, PORTS)).checkFiles, [
    { stage: 'vms', path: 'stages/vms/verify.sh', word: './stages/vms/verify.sh', by: 'stages.vms.verify[1]' },
    { stage: 'vms', path: 'stages/lib.sh', word: 'stages/lib.sh', by: 'stages/vms/verify.sh' },
    { stage: 'talos', path: 'Makefile', word: 'make check', by: 'stages.talos.verify[0]' },
    { stage: 'talos', path: 'stages/lib.sh', word: 'stages/lib.sh', by: 'stages.talos.diagnostics[0]' },
  ]);
});

test('what a check only looks at is no cause for a warning', async () => {
  const verify = ['yamllint config/a.yaml', 'shellcheck run.sh', 'bash -n run.sh'];
  const home = lab(
    {
      a: {
        ...{ command: 'bash run.sh', files: ['config/', 'run.sh'], verify },
        requires: { tools: ['yamllint', 'shellcheck'] },
      },
    },
    {},
    { 'run.sh': '', 'config/a.yaml': '' },
  );
  assert.equal((await validateHome(home, PORTS)).warnings, []);
});

test('a file of targets that a check runs is told whole, and nothing of what is not there', async () => {
  const home = lab(
    {
      a: {
        ...{ command: 'make up', files: ['Makefile', 'tests/'], verify: ['make check', 'bats tests'] },
        requires: { tools: ['make', 'bats'] },
      },
    },
    {},
    {
      Makefile: 'up:\n\ttrue\ncheck:\n\ttrue\n',
      'tests/a.bats': '',
    },
  );
  assert.equal((await validateHome(home, PORTS)).warnings, [
    'stages.a.files: no fix may touch Makefile: stages.a.verify[0] runs it (make check)',
    'stages.a.command: Makefile is a check too (stages.a.verify[0]), so no fix may touch it',
    'stages.a.files: no fix may touch tests/a.bats: stages.a.verify[1] runs it (tests)',
  ]);
});

test('a script that is both command and check is said', async () => {
  const home = lab({ a: { command: 'bash all.sh apply', verify: ['bash all.sh check'] } }, {}, { 'all.sh': '' });
  assert.equal((await validateHome(home, PORTS)).warnings, [
    'stages.a.command: all.sh is a check too (stages.a.verify[0]), so no fix may touch it',
  ]);
});

test('a check file that git does not track is named, and one that is not there', async () => {
  const home = lab({ a: { command: 'true', verify: ['bash local.sh', 'bash rendered/check.sh'] } });
  write(home, { 'local.sh': '' });
  const seen = 'nobody can see to it that it judges as you wrote it';
  assert.equal((await validateHome(home, PORTS)).warnings, [
    `stages.a.verify[0]: runs local.sh, but git does not track it: ${seen}`,
    `stages.a.verify[1]: runs rendered/check.sh, but it does not exist here: ${seen}`,
  ]);
  commit(home, { 'local.sh': '' });
  assert.is((await validateHome(home, PORTS)).warnings.length, 1);
});

test('where there is no repository yet the configuration is checked all the same', async () => {
  const home = folder();
  write(home, { 'ai/context_map.yaml': 'stages: { a: { command: "true", verify: [bash check.sh] } }' });
  assert.equal((await validateHome(home, PORTS)).warnings, []);
});

test('stages without checks, and ignored paths that nobody carries are said', async () => {
  const home = lab(
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
  assert.equal((await validateHome(home, PORTS)).warnings, [
    ...['one', 'two'].map((name) => `stages.c.verify[0]: ${name} ${UNKNOWN}`),
    ...['inventory/my-cluster', 'kube', 'tf/my.tfvars'].map(ignored),
    'stages.b: it has nothing to check, so nothing can tell whether it still holds; give it verify',
  ]);
  const map = JSON.parse(readFileSync(join(home, 'ai/context_map.yaml'), 'utf8'));
  const carry = ['inventory/my-cluster', 'tf/my.tfvars', { path: 'kube', secret: false }];
  write(home, { 'ai/context_map.yaml': JSON.stringify({ ...map, carry }) });
  assert.not.match((await validateHome(home, PORTS)).warnings.join('\n'), 'ignored');
});

test('a stage that hides an item of the work queue is named; one beside it is not', async () => {
  const item = '# Say it\n\n## Scope\n- `conf/`\n\n## Acceptance\n- `true`\n';
  const home = lab(
    { 'item-01': { command: 'true', verify: ['true'] }, 'item-02': { command: 'true', verify: ['true'] } },
    {},
    { 'ai/backlog/00-index.md': '- [ ] [say](01-say.md)\n', 'ai/backlog/01-say.md': item },
  );
  assert.equal((await validateHome(home, PORTS)).warnings, [
    'stages.item-01: mendloop backlog run 01 would run this stage, and never work on item 01: rename the stage',
  ]);
});

const UNKNOWN = 'is neither a file of this repository nor a program that is known here (PATH, requires.tools)';

test('a check that begins with nothing that is known is named, whatever it is called otherwise', async () => {
  const verify = [
    'kubeclt get nodes',
    'helper && ready "$x"',
    'helper() { :; }; helper | grep x',
    ['lab-tool', 'x'],
    'timeout 5 kubectl get nodes || bin/probe',
    '"$TOOL" version; [ -s x ] && cd /tmp',
  ];
  const home = lab(
    { a: { command: 'true', verify, requires: { tools: ['lab-tool', 'kubectl'] } } },
    {},
    { 'bin/probe': '' },
  );
  assert.equal((await validateHome(home, PORTS)).warnings, [
    `stages.a.verify[0]: kubeclt ${UNKNOWN}`,
    `stages.a.verify[1]: helper ${UNKNOWN}`,
    `stages.a.verify[1]: ready ${UNKNOWN}`,
  ]);
});

test("a text that cannot be read in time is said, and what its words name is no fix's to touch", async () => {
  const home = lab(
    { a: { command: 'true', files: ['*.sh'], verify: ['bash check.sh'] } },
    {},
    { 'check.sh': `more.sh${'|'.repeat(60_000)}\n`, 'more.sh': '', 'other.sh': '' },
  );
  assert.equal((await validateHome(home, PORTS)).warnings, [
    'stages.a.files: no fix may touch check.sh: stages.a.verify[0] runs it (check.sh)',
    'stages.a.files: no fix may touch more.sh: check.sh runs it (more.sh)',
    'check.sh: it could not be read in time, so every file whose name stands in it counts as run by it',
  ]);
});

const SPELLINGS = [
  'cd ops && ./wi*_all.sh',
  'X=wipe; ops/"$X"_all.sh',
  "bash -c 'cd ops; bash w''ipe_all.sh'",
  'for s in ops/*.sh; do bash "$s"; done',
  'ops/{wi,}pe_all.sh',
  "ops/$'\\x77ipe_all.sh'",
  './{wi,}pe_disks.sh',
  './w[i]pe_disks.sh',
  './wi?e_disks.sh',
  'a=wi; b=pe_all.sh; ops/$a$b',
  'find ops -type f -exec bash {} \\;',
];

for (const command of SPELLINGS) {
  test(`a command that runs a wipe script is refused as it is by a run: ${command}`, async () => {
    const home = lab(
      { a: { command: 'true', verify: ['true', command] } },
      {},
      { 'ops/wipe_all.sh': '', 'wipe_disks.sh': '' },
    );
    const refusal = (work: Promise<unknown>) =>
      work.then(
        () => 'nothing',
        (error) => (error instanceof MendError ? formatError(error) : Promise.reject(error)),
      );
    const text = await refusal(validateHome(home, PORTS));
    assert.match(
      text,
      /ai\/context_map.yaml:1:\d+: stages.a.verify\[1\]: (runs|names) \S+, a wipe script; what may not be edited may not be run/,
    );
    assert.is(await refusal(run(home)), text);
  });
}

test('a protected file that is only looked at, or not meant, is no cause for a refusal', async () => {
  const verify = ['cd ops && shellcheck w*.sh', 'test -n "$MENDLOOP_OUT"', 'ls ops | grep -c sh'];
  const home = lab({ a: { command: 'true', verify } }, {}, { 'ops/wipe_all.sh': '' });
  assert.ok((await validateHome(home, PORTS)).stages.length > 0);
});

test('what runs a wipe script through another file is said, by a run before its first command', async () => {
  const home = lab(
    { a: { command: 'make up', verify: ['true'] }, b: { command: 'bash b.sh', verify: ['true'] } },
    {},
    { Makefile: 'up:\n\tbash a.sh\n', 'a.sh': 'exit 0\nbash ops/wipe_all.sh\n', 'b.sh': '', 'ops/wipe_all.sh': '' },
  );
  const warning =
    'stages.a.command: would run ops/wipe_all.sh, a wipe script, through a.sh; what may not be edited should not be run';
  assert.equal((await validateHome(home, PORTS)).warnings, [warning]);
  const { events } = await run(home);
  const at = events.findIndex(({ type, data }) => type === 'notice' && data.text === warning);
  assert.ok(at !== -1 && at < events.findIndex(({ type }) => type === 'attempt.ended'));
});

test('what runs unattended is told where it is not the default, and all is the own risk of its owner', async () => {
  const stage = { command: 'true', files: ['a/'], verify: ['true'] };
  const stages = { a: stage, b: { ...stage, unattended: 'all' }, c: { ...stage, unattended: 'none' } };
  const { warnings, asked } = await validateHome(lab(stages), PORTS);
  assert.equal(asked, ['unattended: none for c (every change is asked about)']);
  const all = 'what is not refused runs, but for what may hide the failure or let somebody in';
  assert.equal(warnings, [`unattended: all for b (${all}): with your rights, and at your own risk`]);
  const told = await validateHome(lab({ a: stage }), PORTS);
  assert.equal([told.warnings, told.asked], [[], []]);
});

test('limits.max_steps is the limit of cells, too, below and above what it is by default', async () => {
  const axis = Array.from({ length: 33 }, (_, i) => `v${i}`);
  const stages = { a: { command: 'true', matrix: { x: axis, y: axis } }, b: { command: 'true', matrix: { x: axis } } };
  const refusal = async (loop: object) => validateHome(lab(stages, loop), PORTS).then(() => '', formatError);
  const says = (stage: string, cells: number, limit: number) =>
    new RegExp(
      `stages.${stage}.matrix: the axes multiply to ${cells} steps; the limit is ${limit} .limits.max_steps in`,
    );
  assert.match(await refusal({}), says('a', 1089, 1024));
  assert.match(await refusal({ limits: { max_steps: 32 } }), says('b', 33, 32));
  assert.is(await refusal({ limits: { max_steps: 1200 } }), '');
});

test.run();
