// The judging set by examples: what a check runs is in it, what a check looks at is not.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ContextMap } from '../../src/config/context-map.ts';
import { judgingSet, runBy, type Sources } from '../../src/fix/judging/judging-set.ts';
import { readPlain, readShell } from '../../src/fix/judging/read-shell.ts';
import { judgingText } from '../../src/fix/judging/targets.ts';
import { loadShellGrammar } from '../../src/io/gate/grammar.ts';
import { fc, runs } from '../sweep.ts';

type Command = string | string[];
interface Example {
  checks: Command[];
  /** Path → text; `+` before the path: executable, `@`: a link to the text. */
  files: Record<string, string>;
  judges: string[];
}

const stage = (verify: Command[], diagnostics: Command[] = []) => ({ verify, diagnostics });
const mapOf = (stages: Record<string, object>) => ({ stages }) as unknown as ContextMap;

const parse = await loadShellGrammar();

function listed(files: Record<string, string>): Sources {
  const modes: Record<string, string> = { '+': '100755', '@': '120000' };
  const entries = Object.entries(files).map(([key, text]) => ({
    mode: modes[key[0] as string],
    path: key.replace(/^[+@]/, ''),
    text,
  }));
  return {
    listing: new Map(entries.map(({ path, mode = '100644' }) => [path, { mode }])),
    text: async (path: string) => entries.find((entry) => entry.path === path)?.text,
    read: async (command) => readShell(command, parse),
  };
}

const judgesOf = ({ checks, files }: Omit<Example, 'judges'>) => judgingSet(mapOf({ a: stage(checks) }), listed(files));

const tracked = async (example: Omit<Example, 'judges'>) =>
  [...(await judgesOf(example))].filter(([, judge]) => judge.tracked).map(([path]) => path);

const FILES = {
  'scripts/check.sh': '',
  'config/a.yaml': '',
  '+bin/probe': '',
  'stages/vms/verify.sh': '',
  'run.sh': '',
};
const examples = (judges: string[], ...checks: Command[]): [string, Example][] =>
  checks.map((check) => [
    typeof check === 'string' ? check : JSON.stringify(check),
    { checks: [check], files: FILES, judges },
  ]);

const CHECK = ['scripts/check.sh'];
const RUN: [string, Example][] = [
  ...examples(
    CHECK,
    'scripts/check.sh',
    './scripts/check.sh --all config/a.yaml',
    'bash scripts/check.sh config/a.yaml',
    'bash -eu -o pipefail scripts//check.sh',
    '"$MENDLOOP_ROOT"/scripts/check.sh',
    '${MENDLOOP_ROOT}/scripts/check.sh',
    'cd scripts && ./check.sh',
    'cd "$MENDLOOP_ROOT/scripts" && bash check.sh',
    'cd "$SOMEWHERE" && ./check.sh',
    '"$DIR/check.sh"',
    '"${DIR:-scripts}/check.sh" now',
    'D=scripts; "$D"/check.sh',
    'for s in scripts/*.sh; do bash "$s"; done',
    'CHECK=scripts/check.sh; bash "$CHECK"',
    'if ! timeout 30s scripts/check.sh >/dev/null 2>&1; then exit 1; fi',
    'env A=1 bash scripts/check.sh',
    'sudo -u root -- scripts/check.sh',
    'retry 5 scripts/check.sh',
    'bash -c "cd scripts && ./check.sh"',
    "sh -c './scripts/check.sh'",
    'bash < scripts/check.sh',
    'cat scripts/check.sh | bash',
    'ssh host bash -s < scripts/check.sh',
    'find . -name x -exec bash scripts/check.sh {} +',
    '. scripts/check.sh',
    'source ./scripts/check.sh',
    'out=$(scripts/check.sh) && test -n "$out"',
    'echo "$(bash scripts/check.sh)"',
    'eval "scripts/check.sh --now"',
    "trap 'scripts/check.sh' EXIT; true",
    'PATH=scripts:$PATH check.sh',
    'true | xargs -n1 bash scripts/check.sh',
    '{ scripts/check.sh; } && (true)',
    ['scripts/check.sh', '--all'],
    ['bash', 'scripts/check.sh'],
    ['bash', '-c', 'cd scripts && ./check.sh'],
    'bash <<EOF\nscripts/check.sh\nEOF',
    'python3 -W ignore scripts/check.sh',
    '"$(dirname "$0")/check.sh"',
    "bash -c './scripts/che*.sh'",
    'scripts/"che"ck.sh',
    "$'scripts/\\x63heck.sh'",
    'scr\\ipts/check.sh',
    'bash {scripts,x}/check.sh',
    'F=che; bash "scripts/${F}ck.sh"',
    'bash scripts/${KIND}eck.sh',
    '{scripts,x}/check.sh',
    'env X=1 ./scripts/check.sh',
    'timeout 30 sudo -E ./scripts/check.sh',
    "find scripts -name '*.sh' -exec bash {} \\;",
    "find scripts -name 'che*' -exec sudo {} +",
    "find scripts -name '*.sh' | xargs -n1 bash",
    'find scripts -name \'*.sh\' | while read -r f; do bash "$f"; done',
    'while read -r f; do bash "$f"; done < <(ls scripts/*.sh)',
    'for f in $(ls scripts/*.sh); do "$f"; done',
    'for f in check other; do bash "scripts/$f.sh"; done',
    'all=(check.sh); for f in "${all[@]}"; do bash "scripts/$f"; done',
    'printf scripts/check.sh | xargs -I{} bash {}',
    'parallel bash ::: scripts/check.sh',
    'bash <(cat scripts/check.sh)',
    'bash "${CHECK:-scripts/check.sh}"',
    'run() { bash "$1"; }; run scripts/check.sh',
    'set -- scripts/check.sh; bash "$1"',
    "ssh host 'bash -s' < scripts/check.sh",
    'ssh host < scripts/check.sh',
    "ssh host 'bash -s' <<EOF\nscripts/check.sh\nEOF",
    'cat <<EOF | bash\nscripts/check.sh\nEOF',
    'bash <<< scripts/check.sh',
    "su -c 'cd scripts && ./check.sh' root",
    "nix-shell --run 'cd scripts && ./check.sh'",
    'python3 -c "import subprocess; subprocess.run([\'scripts/check.sh\'])"',
    'coproc scripts/check.sh',
    '{{ root }}/scripts/check.sh',
    'case $1 in a) scripts/check.sh ;; esac',
    'if (( 1 )); then scripts/check.sh; fi; for ((i=0;i<1;i++)); do :; done',
  ),
  ...examples(['bin/probe'], 'bin/probe', 'retry 3 bin/probe config/a.yaml'),
  ...examples(
    ['stages/vms/verify.sh'],
    'stages/$MENDLOOP_STAGE/verify.sh',
    'bash "stages/${MENDLOOP_STAGE}/verify.sh"',
  ),
];

for (const [what, example] of RUN) {
  test(`runs a judge: ${what}`, async () => assert.equal(await tracked(example), example.judges));
}

const LOOKED_AT: Command[] = [
  'shellcheck run.sh scripts/*.sh',
  'bash -n run.sh',
  'sh -en run.sh',
  'node --check run.sh',
  'test -x run.sh && [ -s config/a.yaml ]',
  'grep -q x run.sh',
  'yamllint config/a.yaml',
  'python3 -m py_compile run.sh',
  'python3 -m json.tool config/a.yaml',
  'kustomize build config',
  'kubeconform config/a.yaml',
  'helm template config',
  'terraform -chdir=config validate',
  'terraform -chdir=config plan',
  'ansible-playbook --syntax-check config/a.yaml',
  'ansible-playbook --check -i hosts config/a.yaml',
  'make -n check',
  'command -v bash',
  'echo scripts/check.sh',
  'cat run.sh',
  'cat <<EOF\nscripts/check.sh\nEOF',
  '# bash scripts/check.sh',
  'apt-get install -y make bash scripts/check.sh',
  'kubectl get node -f config/a.yaml',
  'git diff --exit-code run.sh',
  'helm template config | kubeconform -strict -',
  'kustomize build config | kubeconform -summary',
  'ansible-lint config/a.yaml',
  'yamllint .',
  'pre-commit run --all-files',
  'tofu -chdir=config validate && terraform fmt -check',
  "find . -name '*.sh' -exec shellcheck {} +",
  "find . -name '*.sh' -exec bash -n {} \\;",
  "find . -name '*.sh' | xargs shellcheck",
  'cat <<EOF > out.sh\nscripts/check.sh\nEOF',
  'test "$(wc -l < run.sh)" -gt 0',
  'for f in scripts/*.sh run.sh; do bash -n "$f"; done',
  'for f in config/*.yaml; do kubeconform "$f"; done',
  'kubectl apply --dry-run=client -f config/a.yaml',
  "sed 's/run.sh/x/' config/a.yaml",
];

for (const check of LOOKED_AT) {
  test(`only looks: ${check}`, async () => {
    const files = { ...FILES, Makefile: 'check:\n\tbash scripts/check.sh\n' };
    assert.equal(await tracked({ checks: [check], files }), []);
  });
}

const MAKEFILE = `SCRIPTS := scripts
include mk/*.mk
.PHONY: all check lint
all: deploy
deploy:
\tbash scripts/deploy.sh
check: lint
\t@$(SCRIPTS)/check.sh
lint:
\tshellcheck scripts/*.sh
\t$(MAKE) deeper
`;
const TREE: Record<string, Example> = {
  'the named targets of make with their prerequisites and includes': {
    checks: ['make check'],
    files: {
      Makefile: MAKEFILE,
      'mk/more.mk': 'deeper:\n\t./scripts/deeper.sh\n',
      'scripts/check.sh': '',
      'scripts/deeper.sh': '',
      'scripts/deploy.sh': '',
    },
    judges: ['Makefile', 'mk/more.mk', 'scripts/check.sh', 'scripts/deeper.sh'],
  },
  'make in another folder, by another file': {
    checks: ['make -C tools -f checks.mk -j4 all V=1'],
    files: { Makefile: 'all:\n\t./a.sh\n', 'tools/checks.mk': 'all:\n\t./b.sh\n', 'a.sh': '', 'tools/b.sh': '' },
    judges: ['tools/checks.mk', 'tools/b.sh'],
  },
  'the first target of make when none is named': {
    checks: ['make'],
    files: { Makefile: 'first:\n\tbash a.sh\nsecond:\n\tbash b.sh\n', 'a.sh': '', 'b.sh': '' },
    judges: ['Makefile', 'a.sh'],
  },
  'a recipe of just': {
    checks: ['just verify'],
    files: {
      justfile: 'deploy:\n  ./d.sh\nverify host="x": (other "y")\n  ./v.sh\nother y:\n  ./o.sh\n',
      'd.sh': '',
      'v.sh': '',
      'o.sh': '',
    },
    judges: ['justfile', 'v.sh', 'o.sh'],
  },
  'a task': {
    checks: ['task check'],
    files: {
      'Taskfile.yml':
        'version: "3"\ntasks:\n  up: bash up.sh\n  check:\n    deps: [lint]\n    cmds:\n      - bash c.sh\n      - task: more\n  lint: bash l.sh\n  more: { cmds: [{ cmd: bash m.sh }] }\n',
      'up.sh': '',
      'c.sh': '',
      'l.sh': '',
      'm.sh': '',
    },
    judges: ['Taskfile.yml', 'c.sh', 'l.sh', 'm.sh'],
  },
  'a task of an included file, under the name it is included by': {
    checks: ['task lab:check'],
    files: {
      'Taskfile.yml': 'includes:\n  lab: ops\n  other: { taskfile: ops/other.yml }\ntasks:\n  check: bash own.sh\n',
      'ops/Taskfile.yml':
        'tasks:\n  lab-only: bash l.sh\n  check: { deps: [probe], cmds: [bash ops/c.sh] }\n  probe: bash ops/p.sh\n',
      'ops/other.yml': 'tasks:\n  remove: bash ops/remove.sh\n',
      ...{ 'own.sh': '', 'l.sh': '', 'ops/c.sh': '', 'ops/p.sh': '', 'ops/remove.sh': '' },
    },
    // Two tasks have the name: both may be meant.
    judges: ['Taskfile.yml', 'ops/Taskfile.yml', 'ops/other.yml', 'own.sh', 'ops/c.sh', 'ops/p.sh'],
  },
  'a script of npm': {
    checks: ['npm run check --silent'],
    files: {
      'package.json': '{"scripts":{"check":"node c.js","precheck":"bash p.sh","deploy":"bash d.sh"}}',
      'c.js': '',
      'p.sh': '',
      'd.sh': '',
    },
    judges: ['package.json', 'c.js', 'p.sh'],
  },
  'a folder given to a test runner, and what is beside its tests': {
    checks: ['bats -r tests/'],
    files: { 'tests/a.bats': 'load helper\n', 'tests/helper.bash': '', 'lib.sh': '' },
    judges: ['tests/a.bats', 'tests/helper.bash'],
  },
  'every test when a runner is given none': {
    checks: ['python3 -m pytest -q'],
    files: { 'tests/test_a.py': '', 'tests/conftest.py': '', 'deploy.py': '' },
    judges: ['tests/test_a.py', 'tests/conftest.py'],
  },
  'one test of a file': {
    checks: ['pytest tests/test_a.py::test_one'],
    files: { 'tests/test_a.py': 'import helper\n', 'tests/helper.py': '', 'tests/test_b.py': '' },
    judges: ['tests/test_a.py', 'tests/helper.py'],
  },
  'a file that lists what is run, and what stands in it': {
    checks: ['xargs -n1 bash < list'],
    files: { list: 'checks/a.sh\nchecks/b.sh\n', 'checks/a.sh': '', 'checks/b.sh': '', 'checks/c.sh': '' },
    judges: ['list', 'checks/a.sh', 'checks/b.sh'],
  },
  'a folder of checks, a module, make in a folder below': {
    checks: ['run-parts checks.d', 'python -m tests.smoke', 'make -C sub check'],
    files: {
      ...{ 'checks.d/10-a': '', 'tests/smoke.py': '', 'tests/other.py': '', Makefile: 'check:\n\tbash b.sh\n' },
      ...{ 'sub/Makefile': 'check:\n\tbash a.sh\nup:\n\tbash b.sh\n', 'sub/a.sh': '', 'sub/b.sh': '', 'b.sh': '' },
    },
    judges: ['checks.d/10-a', 'tests/smoke.py', 'sub/Makefile', 'sub/a.sh'],
  },
  'a task that lints: the task, not what it looks at': {
    checks: ['task lint'],
    files: {
      'Taskfile.yml':
        'version: "3"\ntasks:\n  lint: { cmds: [yamllint ., "shellcheck scripts/*.sh"] }\n  up: bash up.sh\n',
      'scripts/a.sh': '',
      'up.sh': '',
      'a.yaml': '',
    },
    judges: ['Taskfile.yml'],
  },
  'functions of a sourced file': {
    checks: ['source lib.sh && check_all'],
    files: { 'lib.sh': 'check_all() { ./probe.sh; }\n', 'probe.sh': '', 'deploy.sh': '' },
    judges: ['lib.sh', 'probe.sh'],
  },
  'a playbook that is really run, and what it imports': {
    checks: ['ansible-playbook -i inventory/hosts.yml playbooks/verify.yml -e @vars.yml'],
    files: {
      'inventory/hosts.yml': '',
      'playbooks/verify.yml':
        '- import_playbook: more.yml\n- hosts: all\n  tasks:\n    - include_tasks: tasks/a.yml\n    - script: ../probe.sh\n',
      'playbooks/more.yml': '',
      'playbooks/tasks/a.yml': '',
      'probe.sh': '',
      'vars.yml': '',
    },
    judges: ['playbooks/verify.yml', 'playbooks/more.yml', 'playbooks/tasks/a.yml', 'probe.sh'],
  },
  'the tasks of the roles that such a playbook plays, and of those that they ask for; what roles read stays': {
    checks: ['ansible-playbook verify.yml'],
    files: {
      'verify.yml':
        '- hosts: all\n  roles:\n    - nodes\n    - { role: mounts, tags: x }\n  tasks:\n    - ansible.builtin.include_role:\n        name: dns\n',
      'roles/nodes/tasks/main.yml': '- include_tasks: more.yml\n',
      'roles/nodes/tasks/more.yml': '',
      'roles/nodes/handlers/main.yml': '',
      'roles/nodes/meta/main.yml': 'dependencies:\n  - role: base\n',
      'roles/nodes/defaults/main.yml': '',
      'roles/nodes/templates/a.j2': '',
      'roles/base/tasks/main.yml': '',
      'playbooks/roles/mounts/tasks/main.yml': '- name: not {YAML\n',
      'roles/dns/tasks/main.yml': '',
      'roles/k3s/tasks/main.yml': '',
    },
    judges: [
      ...['verify.yml', 'roles/nodes/tasks/main.yml', 'roles/nodes/tasks/more.yml', 'roles/nodes/handlers/main.yml'],
      ...['roles/nodes/meta/main.yml', 'roles/base/tasks/main.yml', 'playbooks/roles/mounts/tasks/main.yml'],
      'roles/dns/tasks/main.yml',
    ],
  },
  'what a script sources and calls; settings stay': {
    checks: ['stages/a/verify.sh'],
    files: {
      '+stages/a/verify.sh':
        '#!/usr/bin/env bash\nset -e\nHERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\n. "$HERE/../lib.sh"\n. "$HERE/settings.conf"\n"$HERE"/deeper.sh\n',
      'stages/lib.sh': 'die() { exit 1; }\n',
      'stages/a/settings.conf': '# settings\nA=1\nexport B="two words"\n',
      'stages/a/deeper.sh': 'python3 "$(dirname "$0")/probe.py"\n',
      'stages/a/probe.py': 'import subprocess\nsubprocess.run(["stages/a/last.sh"])\n',
      'stages/a/last.sh': '',
      'stages/b/deeper.sh': '',
    },
    judges: ['stages/a/verify.sh', 'stages/lib.sh', 'stages/a/deeper.sh', 'stages/a/probe.py', 'stages/a/last.sh'],
  },
  'nothing by a word that could be anything': {
    checks: ['bash check.sh'],
    files: {
      'check.sh':
        'retry() { "$@"; }\nfor n in 1 2; do bash "$dir/$n.sh"; "$n.sh"; done\ncase $1 in [0-9]*) retry true ;; *) exit 1 ;; *.sh) : ;; esac\n"$1" "$2"\n. "$X"\n',
      'README.md': '',
      'run.sh': '',
      'deep/run.sh': '',
    },
    judges: ['check.sh'],
  },
  'settings that run something are a judge': {
    checks: ['. ./settings.conf && test -n "$A"'],
    files: { 'settings.conf': 'A=$(date)\n' },
    judges: ['settings.conf'],
  },
  'at most five deep': {
    checks: ['bash 1.sh'],
    files: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`${n}.sh`, `bash ${n + 1}.sh\n`])),
    judges: ['1.sh', '2.sh', '3.sh', '4.sh', '5.sh', '6.sh'],
  },
  'a link and what it points to': {
    checks: ['bash check'],
    files: { '@check': 'scripts/real.sh', 'scripts/real.sh': '' },
    judges: ['check', 'scripts/real.sh'],
  },
  'scripts that call each other': {
    checks: ['bash a.sh'],
    files: { 'a.sh': 'bash b.sh\n', 'b.sh': 'bash a.sh\nmake x\n', Makefile: 'x:\n\tmake x\n\tbash a.sh\n' },
    judges: ['a.sh', 'b.sh', 'Makefile'],
  },
  'a program in a file, and policies': {
    checks: ['jq -e -f filter.jq out.json', 'awk -f count.awk < data.txt', 'conftest test -p rules a.yaml'],
    files: { 'filter.jq': '', 'count.awk': '', 'data.txt': '', 'a.yaml': '', 'rules/a.rego': '' },
    judges: ['filter.jq', 'count.awk', 'rules/a.rego'],
  },
};

for (const [what, example] of Object.entries(TREE)) {
  test(`in the set: ${what}`, async () => assert.equal((await tracked(example)).sort(), [...example.judges].sort()));
}

test('each is known with the word that names it and where that stands; a diagnostic of any stage counts', async () => {
  const sources = listed({ 'v.sh': '. lib.sh\n', 'lib.sh': 'die() { :; }\n', '+show': '' });
  const map = mapOf({ a: stage([{ file: 'x' } as never, 'bash ./v.sh']), b: stage([], ['./show --all']) });
  assert.equal(
    [...(await judgingSet(map, sources))],
    [
      ['v.sh', { word: './v.sh', by: 'stages.a.verify[1]', tracked: true }],
      ['lib.sh', { word: 'lib.sh', by: 'v.sh', tracked: true }],
      ['show', { word: './show', by: 'stages.b.diagnostics[0]', tracked: true }],
    ],
  );
});

test('a script that git does not have is named as such; programs on PATH and absolute paths are not', async () => {
  const judges = await judgesOf({
    checks: ['local/check.sh', 'bash rendered.sh', 'kubectl get nodes', '/opt/check.sh'],
    files: {},
  });
  assert.equal(
    [...judges],
    [
      ['local/check.sh', { word: 'local/check.sh', by: 'stages.a.verify[0]', tracked: false }],
      ['rendered.sh', { word: 'rendered.sh', by: 'stages.a.verify[1]', tracked: false }],
    ],
  );
});

/** Whether a change of this text concerns what `check` runs of the file. */
async function concerns(check: string, path: string, before: string, after: string): Promise<boolean> {
  const { parts } = (await judgesOf({ checks: [check], files: { [path]: before } })).get(path) ?? {};
  assert.ok(parts, 'the file judges in part');
  return judgingText(parts, before) !== judgingText(parts, after);
}

const MORE = `SHELL := /bin/bash
VERSION := 1.2
DIR = $(BASE)/checks
BASE = scripts
.PHONY: check deploy
deploy:
\t./deploy.sh $(VERSION)
check: lint
\t@$(DIR)/check.sh
lint:
\tshellcheck *.sh
`;
const CHANGES: [what: string, from: string, to: string, concerns: boolean][] = [
  ['another target', './deploy.sh', './deploy.sh --now', false],
  ['a variable that only another uses', '1.2', '1.3', false],
  ['a new target', 'lint:\n', 'new:\n\ttrue\nlint:\n', false],
  ['a comment', 'deploy:', '# why\ndeploy:', false],
  ['its recipe', '/check.sh', '/check.sh || true', true],
  ['what it needs', 'check: lint', 'check:', true],
  ['what a target it needs runs', '*.sh', 'a.sh', true],
  ['a variable of a variable that it uses', 'BASE = scripts', 'BASE = /tmp', true],
  ['the shell', '/bin/bash', '/bin/true', true],
  ['an exported variable', 'VERSION', 'export CHECK_MODE := off\nVERSION', true],
  ['a second rule for it', 'deploy:', 'check:\n\ttrue\ndeploy:', true],
  ['that it is no file', '.PHONY: check', '.PHONY:', true],
  ['an include', 'deploy:', 'include more.mk\ndeploy:', true],
  ['its name', 'check: lint', 'verify: lint', true],
];

for (const [what, from, to, expected] of CHANGES) {
  test(`of a makefile ${what} ${expected ? 'judges' : 'may be changed'}`, async () => {
    assert.ok(MORE.includes(from));
    assert.is(await concerns('make check', 'Makefile', MORE, MORE.replace(from, to)), expected);
  });
}

test('of scripts, tasks and recipes, too, only those that a check runs judge', async () => {
  const npm = '{"scripts":{"check":"node c.js","up":"node u.js"}}';
  assert.not(await concerns('npm run check', 'package.json', npm, npm.replace('u.js', 'v.js')));
  assert.ok(await concerns('npm run check', 'package.json', npm, npm.replace('c.js', 'v.js')));
  const task = 'version: "3"\nvars: { A: 1 }\ntasks:\n  check: { cmds: [bash c.sh] }\n  up: bash u.sh\n';
  assert.not(await concerns('task check', 'Taskfile.yml', task, task.replace('u.sh', 'v.sh')));
  assert.ok(
    await concerns('task check', 'Taskfile.yml', task, task.replace('bash c.sh]', 'bash c.sh], ignore_error: true')),
  );
  assert.ok(await concerns('task check', 'Taskfile.yml', task, task.replace('A: 1', 'A: 2')));
  const just = 'check:\n  ./c.sh\nup:\n  ./u.sh\n';
  assert.not(await concerns('just check', 'justfile', just, just.replace('u.sh', 'v.sh')));
  assert.ok(await concerns('just check', 'justfile', just, just.replace('c.sh', 'v.sh')));
});

test('a file that the tool would take instead is a judge before it is there; two checks of one file judge both', async () => {
  const judges = await judgesOf({
    checks: ['make a', 'make b'],
    files: { Makefile: 'a:\n\ttrue\nb:\n\ttrue\nc:\n\ttrue\n' },
  });
  assert.equal([...judges.keys()], ['Makefile', 'GNUmakefile', 'makefile']);
  const { parts } = judges.get('Makefile') ?? {};
  const part = (of: string) => judgingText(parts ?? [], of);
  const text = 'a:\n\ttrue\nb:\n\ttrue\nc:\n\ttrue\n';
  assert.is(part(text), part(text.replace(/c:\n\ttrue/, 'c:\n\tfalse')));
  for (const target of ['a', 'b']) {
    assert.is.not(part(text), part(text.replace(new RegExp(`${target}:\\n\\ttrue`), `${target}:\n\tfalse`)));
  }
});

test('what is new in a folder of tests would judge; the root given to a runner makes no judge of everything', async () => {
  const files = { 'tests/test_a.py': '', 'tests/data.json': '', 'deploy.py': '', 'config/a.yaml': '' };
  assert.equal(
    [...(await judgesOf({ checks: ['pytest tests'], files })).keys()],
    ['tests/test_a.py', 'tests/data.json', 'tests/'],
  );
  assert.equal(await tracked({ checks: ['pytest .'], files }), ['tests/test_a.py']);
  assert.equal(await tracked({ checks: ['cd tests && pytest .'], files }), ['tests/test_a.py', 'tests/data.json']);
});

test('everything that one command runs, and by what', async () => {
  const sources = listed({ 'all.sh': 'bash more.sh', 'more.sh': '', 'a.yaml': '' });
  const judges = await runBy('bash all.sh a.yaml', 'here', sources);
  assert.equal(
    [...judges].map(([path, { by }]) => [path, by]),
    [
      ['all.sh', 'here'],
      ['more.sh', 'all.sh'],
    ],
  );
  assert.is((await runBy('terraform apply', 'here', sources)).size, 0);
});

test('plain words need no grammar, and read the same with it', () => {
  const plain = [
    'true',
    './check.sh --all=1 config/a.yaml',
    'timeout 30 sudo -E ./check',
    '# why\nset -e\nmake check\n',
  ];
  for (const text of [...plain, ['ssh', 'host', 'bash', 'a.sh']]) {
    assert.equal(readPlain(text), readShell(text, parse));
  }
  for (const text of ['a; b', 'a "b"', 'A=1 b', 'if a', 'a > b', 'a $b', 'a*', 'a\n  b &&\nc', ['sh', '-c', 'a | b']])
    assert.is(readPlain(text), undefined);
});

test('of a text that nobody can read in time every file counts whose name stands in it, and that is known', async () => {
  const sources: Sources = {
    ...listed({ 'check.sh': 'x=$(y)\n', 'lib/more.sh': '', 'other.sh': '' }),
    read: async () => undefined,
  };
  const judges = await judgingSet(mapOf({ a: stage(['bash check.sh', 'lib/more.sh || "$x"']) }), sources);
  assert.equal(
    [...judges],
    [
      ['check.sh', { word: 'check.sh', by: 'stages.a.verify[0]', tracked: true }],
      ['lib/more.sh', { word: 'more.sh', by: 'stages.a.verify[1]', tracked: true, unread: true }],
    ],
  );
});

const ODD = fc.array(
  fc.constantFrom(
    'bash ',
    '-c ',
    '"',
    "'",
    '$(',
    ')',
    'cd ',
    '$D/',
    'a.sh',
    ' ',
    '\n',
    '<<E',
    'E',
    '*',
    '../',
    '|',
    ';',
    '{',
    '}',
    'make ',
    '. ',
    '`',
  ),
  { maxLength: 40 },
);

test('whatever a check or script is, the set comes to an end, names only plain paths, and keeps what runs plainly', async () => {
  await fc.assert(
    fc.asyncProperty(ODD, ODD, async (check, script) => {
      const files = { 'a.sh': script.join(''), 'b/a.sh': script.join(''), Makefile: `x:\n\t${script.join('')}\n` };
      const judges = await judgesOf({ checks: [check.join(''), 'bash a.sh'], files });
      assert.ok(judges.has('a.sh'));
      for (const path of judges.keys()) assert.not.match(path, /^\/|^\.\.\/|\0|\n/);
    }),
    runs(200, 5000),
  );
});

test.run();
