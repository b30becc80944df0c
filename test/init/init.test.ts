import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shellCheck } from '../../src/io/shell-check.ts';
import { runHere } from '../e2e/here.ts';
import { tree } from '../e2e/scenario.ts';
import { needs } from '../needs.ts';
import { commit, folder, git, repository, write } from '../worktree/repository.ts';

/** Without Ollama, and with no tools but those of the system's base: what is installed here must not decide. */
const bin = folder();
for (const tool of ['bash', 'git', 'xargs', 'sh', 'mkfifo', 'env', 'cat'])
  symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
const ENV = { ...process.env, PATH: bin, OLLAMA_HOST: '127.0.0.1:9' };
const init = (home: string, ...args: string[]) => runHere(['init', ...args, '--root', home], home, ENV);
const MAP = 'ai/context_map.yaml';

const LAB = {
  Makefile:
    'default: vms cluster\n\n# The machines\nvms:\n\t./scripts/vms.sh\n\ncluster:\n\tansible-playbook -i hosts.ini site.yml\n\nnuke:\n\tqm destroy 100\n',
  'scripts/vms.sh': '#!/bin/bash\nqm create 100\n',
  'scripts/wipe_disks.sh': '#!/bin/bash\nwipefs -a /dev/sda\n',
  'hosts.ini': 'a\n',
  'site.yml': '- hosts: all\n  tasks: []\n',
  '.gitignore': '.env\n',
  'README.md': '# lab\n',
};

function lab(more: Record<string, string> = {}): string {
  const home = repository({ ...LAB, ...more });
  chmodSync(join(home, 'scripts/vms.sh'), 0o755);
  git(home, 'commit', '-qam', 'mode');
  return home;
}

test('writes ai/, overwrites and commits nothing, and ends with validate, doctor, plan and the git commands', async () => {
  const home = lab();
  write(home, { '.env': 'PROXMOX_TOKEN=do-not-show-this\n' });
  const head = git(home, 'rev-parse', 'HEAD');
  const { exit, stdout, stderr } = await init(home, '--yes');
  assert.is(exit, 0, stderr);
  assert.is(git(home, 'rev-parse', 'HEAD'), head);
  assert.is(git(home, 'status', '--short'), '?? ai/');
  assert.match(stdout, /^wrote ai\/context_map\.yaml, ai\/loop\.yaml, ai\/schema\/; nothing is committed$/m);
  assert.match(stdout, /^validate: ok: 3 stages$/m);
  assert.match(stdout, /^problem {2}ansible is not on PATH$/m);
  assert.match(stdout, /^note {5}ollama: nothing listens at http:\/\/127\.0\.0\.1:9; start it there: ollama serve$/m);
  assert.match(stdout, /^cluster +TODO +never run$/m);
  assert.match(stdout, /git add ai\/context_map\.yaml ai\/loop\.yaml ai\/schema\n {2}git commit -m/);
  const map = readFileSync(join(home, MAP), 'utf8');
  assert.match(map, /^---\n# yaml-language-server: \$schema=schema\/context_map\.schema\.json$/m);
  assert.match(map, /protected_files:\n {2}- scripts\/wipe_disks\.sh\n/);
  assert.match(map, /carry:\n {2}# variables that git does not hold\n {2}- \.env\n/);
  assert.match(readFileSync(join(home, 'ai/loop.yaml'), 'utf8'), /^unattended: repairs$/m);
  assert.not.match(stdout + map, /do-not-show-this/);
  assert.not.match(map, /nuke:$/m);
});

test('what it wrote is green at once when it is committed: the stage check runs without an edit', async () => {
  const home = lab();
  await init(home, '--yes');
  git(home, 'add', '-A');
  git(home, 'commit', '-qm', 'adopt');
  const { exit, stdout } = await runHere(['check', '--no-ai', '--root', home], home, ENV);
  assert.is(exit, 0, stdout);
  assert.match(stdout, /check +green/);
});

test('a wipe script that does not parse is told of, and takes nothing else out of the stage check', async () => {
  const home = lab({ 'scripts/wipe_disks.sh': '#!/bin/bash\nif true; then\n' });
  const { stdout } = await init(home, '--dry-run');
  assert.match(stdout, /^ {2}check:$/m);
  assert.match(stdout, /# Left out: bash fails today on a file that no command may name\./);
  assert.match(stdout, /^ {6}bash -n scripts\/vms\.sh$/m);
});

test('checks have their time, however long docker took to tell whether it has compose', async () => {
  const docker = folder();
  writeFileSync(join(docker, 'docker'), '#!/bin/bash\nexec /usr/bin/sleep 60\n', { mode: 0o755 });
  const { stdout } = await runHere(['init', '--dry-run', '--root', lab()], docker, {
    ...ENV,
    PATH: `${docker}:${bin}`,
  });
  assert.match(stdout, /^ {6}# Shell scripts parse\.$/m);
  assert.not.match(stdout, /there was no time/);
});

test('checks that take long keep no other from being tried', async () => {
  const slow = folder();
  for (const tool of ['shellcheck', 'yamllint'])
    writeFileSync(join(slow, tool), '#!/bin/bash\nexec /usr/bin/sleep 60\n', { mode: 0o755 });
  writeFileSync(join(slow, 'terraform'), '#!/bin/bash\n', { mode: 0o755 });
  const home = lab({ 'scripts/net.sh': 'if true; then\n', 'tf/main.tf': 'resource "a" "b" {}\n' });
  const { stdout } = await runHere(['init', '--dry-run', '--root', home], home, { ...ENV, PATH: `${slow}:${bin}` });
  for (const tool of ['shellcheck', 'yamllint'])
    assert.match(stdout, `there was no time here to try ${tool} to its end`);
  assert.match(stdout, /^ {6}# Shell scripts parse\.$/m);
  assert.match(stdout, /^ {6}terraform fmt -check tf$/m);
  assert.not.match(stdout, /try (?:bash|terraform) to its end/);
});

test('where nothing is proposed, why nothing could be checked stands before scripts that are no stages', async () => {
  const scripts = Array.from({ length: 9 }, (_, i) => [`scripts/setup${i}.sh`, 'if true; then\n']);
  const { exit, stderr } = await init(repository(Object.fromEntries(scripts)), '--dry-run');
  assert.is(exit, 2);
  assert.match(stderr, /E_INIT_NOTHING: .*\n {2}- bash: 9 fail today, the first: /);
});

test('no line of what it writes is longer than 80 columns or ends in space, however long names are', async () => {
  const long = 'a-very-long-folder-name-that-somebody-liked/and-another-one-below-it-to-make-it-longer';
  const home = lab({
    [`${long}/compose.yaml`]: 'services: {web: {image: a}}\n',
    [`${long}/main.tf`]: 'resource "a" "b" {}\n',
    [`${long}/playbooks/site.yml`]:
      '- hosts: all\n  name: "A name: with \\"quotes\\" and # signs, as long as names of plays may well become"\n  tasks: []\n',
  });
  const { stdout } = await init(home, '--dry-run');
  const bad = stdout.split('\n').filter((line) => / $/.test(line) || (line.length > 80 && / \S+ \S/.test(line.trim())));
  assert.equal(bad, []);
});

test('the commands it writes are sound shell', async () => {
  const home = lab({
    'tf/main.tf': 'resource "a" "b" {}\n',
    'web/compose.yaml': 'services: {web: {image: a}}\n',
    'README.md': '`make`, `terraform -chdir=tf apply`, `docker compose -f web/compose.yaml up`\n',
  });
  const { stdout } = await init(home, '--dry-run', '--json');
  const { stages } = JSON.parse(stdout) as { stages: { name: string; command: string }[] };
  assert.ok(stages.length > 4);
  for (const { name, command } of stages) assert.equal(await shellCheck(name, null, command), []);
});

test('--dry-run prints the map and writes nothing, also where there is one', async () => {
  const home = lab();
  const { exit, stdout } = await init(home, '--dry-run');
  assert.is(exit, 0);
  assert.match(stdout, /^stages:$/m);
  assert.not.ok(existsSync(join(home, 'ai')));
  commit(home, { [MAP]: 'stages: {a: {command: "true"}}\n' });
  assert.is((await init(home, '--dry-run')).exit, 0);
});

test('what mendloop itself reads is no part of a stage that init proposes beside it', async () => {
  const linter = folder();
  write(linter, { yamllint: '#!/bin/sh\n' });
  chmodSync(join(linter, 'yamllint'), 0o755);
  const home = lab();
  const proposed = () => runHere(['init', '--dry-run'], home, { ...ENV, PATH: `${linter}:${bin}` });
  const { stdout } = await proposed();
  assert.match(stdout, /yamllint/);
  commit(home, { [MAP]: 'stages: {a: {command: "true"}}\n', 'ai/loop.yaml': 'unattended: all\n' });
  assert.is((await proposed()).stdout, stdout);
});

test('a reason is cut between words, with a mark', async () => {
  const folder = 'a-folder-whose-name-is-so-long-that-what-bash-says-of-a-script-in-it-does-not-fit-into-one-reason';
  const home = lab({ [`${folder}/vms.sh`]: '#!/bin/bash\nqm create 100 )\n' });
  const { stdout } = await init(home, '--dry-run', '--json');
  const { left_out_of_check: notes } = JSON.parse(stdout) as { left_out_of_check: string[] };
  const reason = notes.find((note) => note.includes(folder)) ?? '';
  assert.ok(reason.includes(`it fails today: ${folder}/vms.sh: line 2: syntax error near...`), notes.join('\n'));
});

interface Refusal {
  /** Who alone can make it. */
  by?: string;
  name: string;
  home: () => string;
  error: RegExp;
}

const REFUSALS: Refusal[] = [
  { name: 'no repository', home: folder, error: /^error E_NOT_GIT: / },
  {
    name: 'an empty repository',
    home: () => {
      const home = folder();
      git(home, 'init', '-q');
      return home;
    },
    error:
      /^error E_INIT_NOTHING: git tracks no file here, so there is nothing to make a stage of\n {2}next: {2}commit what/,
  },
  {
    name: 'a repository of another user',
    by: 'user root',
    home: () => {
      const home = lab();
      execFileSync('chown', ['-R', '12345', home]);
      return home;
    },
    error:
      /^error E_NOT_GIT: .*\n {2}- fatal: .*\n {2}next: {2}start as the user .*\n {9}git config --global --add safe\.directory /,
  },
  {
    name: 'a repository in which nothing is known',
    home: () => repository({ 'notes.txt': 'a\n' }),
    error: /^error E_INIT_NOTHING: nothing here is known to bring a lab up, or could be checked\n/,
  },
  {
    name: 'a map that is there',
    home: () => lab({ [MAP]: 'mine\n' }),
    error:
      /^error E_INIT_EXISTS: ai\/context_map\.yaml is there already, and init overwrites nothing\n {2}next: {2}check it: mendloop validate\n/,
  },
  {
    name: 'an ai that is no folder',
    home: () => lab({ ai: 'mine\n' }),
    error: /^error E_INIT_EXISTS: ai is there already/,
  },
  {
    name: 'an ai that leads elsewhere',
    home: () => {
      const home = lab();
      symlinkSync(folder(), join(home, 'ai'));
      return home;
    },
    error: /^error E_INIT_EXISTS: ai is there already/,
  },
];

for (const { name, by, home, error } of REFUSALS) {
  needs(...(by ? [by] : []))(`refused, with the next step: ${name}`, async () => {
    const at = home();
    const before = tree(at, ['.git']);
    const done = await runHere(['init', '--yes'], at, { ...ENV, GIT_CEILING_DIRECTORIES: at });
    assert.match(done.stderr, error);
    assert.is(done.exit, 2);
    assert.equal(tree(at, ['.git']), before, 'nothing was written');
  });
}

test('without a terminal and without --yes nobody can be asked', async () => {
  const { exit, stderr } = await init(lab());
  assert.is(exit, 2);
  assert.match(stderr, /^error E_USAGE: nobody is here to be asked about the stages\n {2}next: {2}mendloop init --yes/);
});

test('each stage is asked about: what is no answer is asked again, and takes nothing', async () => {
  const home = lab();
  const asked = (...keys: string[]) =>
    runHere(['init'], home, ENV, { terminal: true, typed: { question: 'take it? [Y]es', keys } });
  const quit = await asked('nope\n', 'ye\n', 'x\n', 'quit\n');
  assert.is(quit.stdout.split('take it? [Y]es').length - 1, 4, quit.stdout);
  assert.match(quit.stdout, /nothing was written\n$/);
  assert.not.ok(existsSync(join(home, 'ai')));
  assert.is((await asked('Yes\n', 'later\n', 'no\n', 'all\n')).exit, 0);
  assert.equal(readFileSync(join(home, MAP), 'utf8').match(/^ {2}\w+:$/gm), ['  check:', '  cluster:']);
});

test('where the map is there already, that is said before anybody would be asked', async () => {
  const { exit, stderr } = await init(lab({ [MAP]: 'mine\n' }));
  assert.is(exit, 2);
  assert.match(stderr, /^error E_INIT_EXISTS: ai\/context_map\.yaml is there already/);
});

test('beside other files in ai/ it writes what is missing, and leaves what is there', async () => {
  const home = lab({ 'ai/loop.yaml': 'unattended: all\n', 'ai/train.py': 'print(1)\n' });
  const { exit, stdout } = await init(home, '--yes');
  assert.is(exit, 0);
  assert.match(stdout, /^wrote ai\/context_map\.yaml, ai\/schema\/; /m);
  assert.is(readFileSync(join(home, 'ai/loop.yaml'), 'utf8'), 'unattended: all\n');
});

test('where git ignores ai/, that is said, and the commands add it all the same', async () => {
  const home = lab({ '.gitignore': 'ai/\n' });
  const { stdout } = await init(home, '--yes');
  assert.match(stdout, /^note: git ignores ai\/ here: take that out of \.gitignore, or --force below/m);
  assert.match(stdout, /^ {2}git add --force ai\/context_map\.yaml ai\/loop\.yaml ai\/schema$/m);
});

test('secrets in texts that it quotes are masked', async () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const home = lab({
    Makefile: `deploy:\n\thelm upgrade a b\n\tcurl -X DELETE -H "Authorization: Bearer ${secret}" https://x\n`,
  });
  const { stdout } = await init(home, '--dry-run');
  assert.match(stdout, /it would destroy: it runs curl/);
  assert.not.match(stdout, new RegExp(secret));
});

test('secrets that lie around are neither shown nor copied, whatever holds them and whatever is asked for', async () => {
  const token = (kind: string) => `ghp_${kind.padEnd(36, '0123456789abcdefghijABCDEFGHIJ')}`;
  const kinds = [
    'Env',
    'Tfvars',
    'Key',
    'Untracked',
    'Comment',
    'Readme',
    'Script',
    'Vault',
    'Shell',
    'Compose',
    'Broken',
  ];
  const home = lab({
    Makefile: `${LAB.Makefile}\n## Deploy with ${token('Comment')}\ndeploy:\n\tTOKEN=${token('Script')} helm upgrade a b\n`,
    'README.md': `make deploy TOKEN=${token('Readme')}\n`,
    'group_vars/all.yml': `token: ${token('Vault')}\n`,
    'compose.yaml': `services: {a: {image: a, environment: {API_TOKEN: ${token('Compose')}}}}\n`,
    'broken.sh': `#!/bin/bash\nif [ "$1" = ${token('Broken')} ]; then\n`,
    '.gitignore': '.env\n*.tfvars\nid_ed25519\n',
  });
  write(home, {
    '.env': `TOKEN=${token('Env')}\n`,
    'terraform.tfvars': `token = "${token('Tfvars')}"\n`,
    id_ed25519: `-----BEGIN OPENSSH PRIVATE KEY-----\n${token('Key')}\n-----END OPENSSH PRIVATE KEY-----\n`,
    kubeconfig: `token: ${token('Untracked')}\n`,
  });
  const env = { ...ENV, LAB_TOKEN: token('Shell') };
  const runs = [['--dry-run'], ['--dry-run', '--json'], ['--yes', '--json']];
  let shown = '';
  for (const words of runs) {
    const { exit, stdout, stderr } = await runHere(['init', ...words], home, env);
    assert.is(exit, 0, stderr);
    shown += stdout + stderr;
  }
  const texts = readdirSync(join(home, 'ai'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  assert.equal(
    kinds.filter((kind) => [shown, ...texts].some((text) => text.includes(token(kind)))),
    [],
  );
  assert.match(shown, /deploy/);
});

test('names that a shell would run, and files that are what their names say not, do nothing', async () => {
  const home = repository({
    "it's $(touch pwned).sh": '#!/bin/sh\nkubectl apply -f .\n',
    'a b/Makefile': 'all: up\nup:\n\thelm upgrade a b\n',
    'new\nline/Makefile': 'all: up\nup:\n\thelm upgrade a b\n',
    'site.yml': '\u0000\u0001\ufffd',
    'Taskfile.yml/tasks': 'a folder\n',
    'docker-compose.yml': `a: ${'['.repeat(5000)}\n`,
    'README.md': "`./it's $(touch pwned).sh`\n",
  });
  const { exit, stdout, stderr } = await init(home, '--yes');
  assert.is(exit, 0, stderr);
  assert.match(stdout, /^validate: ok: \d stages$/m);
  assert.match(readFileSync(join(home, MAP), 'utf8'), /command: make -C 'a b' up$/m);
  assert.not.ok(existsSync(join(home, 'pwned')));
});

test('a monorepo without a runner at its root: those of its folders, by their places', async () => {
  const home = repository({
    'apps/shop/package.json': '{"scripts": {"start": "node ."}}',
    'homelab/Makefile': 'deploy:\n\thelmfile sync\n',
    'README.md': 'one of everything\n',
  });
  const { stdout } = await init(home, '--dry-run');
  assert.match(stdout, /command: make -C homelab deploy$/m);
  assert.not.match(stdout, /command: npm/);
});

test('--explain says of each entry why it is a stage or none, and writes nothing', async () => {
  const home = lab();
  const { exit, stdout } = await init(home, '--explain');
  assert.is(exit, 0);
  assert.match(stdout, /^vms: make vms\n {2}Step 1 of 2 of make default \(Makefile\)\.$/m);
  assert.match(stdout, /^no stage: make nuke\n {2}its name says that it takes something away$/m);
  assert.not.ok(existsSync(join(home, 'ai')));
});

test('where there is a map, init shows what it would propose otherwise today, and writes nothing', async () => {
  const home = lab();
  await init(home, '--yes');
  const same = await init(home);
  assert.equal(
    [same.exit, same.stdout],
    [0, 'ai/context_map.yaml is what init would propose today; nothing was written\n'],
  );
  write(home, { Makefile: `${LAB.Makefile.replace('vms cluster', 'vms cluster apps')}apps:\n\thelmfile sync\n` });
  const before = readFileSync(join(home, MAP), 'utf8');
  const { exit, stdout } = await init(home);
  assert.is(exit, 0);
  assert.match(stdout, /^\+apps:$/m);
  assert.match(stdout, /^\+ {2}command: make apps$/m);
  assert.not.match(stdout, /^[-+]vms:$/m);
  assert.is(readFileSync(join(home, MAP), 'utf8'), before);
});

test('a repository of 5,000 files is looked at in less than five seconds', async () => {
  const home = folder();
  git(home, 'init', '-q');
  for (let i = 0; i < 50; i++) {
    mkdirSync(join(home, `apps/app-${i}`), { recursive: true });
    for (let j = 0; j < 100; j++) {
      writeFileSync(join(home, `apps/app-${i}/f${j}.yaml`), `kind: ConfigMap\nmetadata: {name: a${j}}\n`);
    }
  }
  write(home, LAB);
  git(home, 'add', '-A');
  git(home, 'commit', '-qm', 'many');
  const before = process.cpuUsage();
  const { exit } = await init(home, '--yes');
  const { user, system } = process.cpuUsage(before);
  assert.is(exit, 0);
  // Processor time: what else the machine does is not init's.
  assert.ok(user + system < 5e6, `${(user + system) / 1e6} s`);
});

test.run();
