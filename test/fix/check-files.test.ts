// Check files by examples: what a check runs is one, what a check looks at is none.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of the shell
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ContextMap } from '../../src/config/context-map.ts';
import { findCheckFiles, runBy, type Sources } from '../../src/fix/check-files/check-files.ts';
import { readCommands } from '../../src/fix/shell/read-commands.ts';
import { loadShellGrammar } from '../../src/io/gate/grammar.ts';
import { fc, runs } from '../sweep.ts';

type Command = string | string[];
interface Example {
  checks: Command[];
  /** Path → text; `+` before the path: executable, `@`: a link to the text. */
  files: Record<string, string>;
  expected: string[];
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
    read: async (command) => readCommands(command, parse),
  };
}

const filesOf = ({ checks, files }: Omit<Example, 'expected'>) =>
  findCheckFiles(mapOf({ a: stage(checks) }), listed(files));

const tracked = async (example: Omit<Example, 'expected'>) =>
  [...(await filesOf(example))].filter(([, judge]) => judge.tracked).map(([path]) => path);

const FILES = {
  'scripts/check.sh': '',
  'config/a.yaml': '',
  '+bin/probe': '',
  'stages/vms/verify.sh': '',
  'run.sh': '',
};
const examples = (expected: string[], ...checks: Command[]): [string, Example][] =>
  checks.map((check) => [
    typeof check === 'string' ? check : JSON.stringify(check),
    { checks: [check], files: FILES, expected },
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
    'for f in check other; do bash "scripts/$f.sh"; done',
    'all=(check.sh); for f in "${all[@]}"; do bash "scripts/$f"; done',
    'printf scripts/check.sh | xargs -I{} bash {}',
    'parallel bash ::: scripts/check.sh',
    'bash "${CHECK:-scripts/check.sh}"',
    'run() { bash "$1"; }; run scripts/check.sh',
    'set -- scripts/check.sh; bash "$1"',
    "ssh host 'bash -s' < scripts/check.sh",
    "ssh host 'bash -s' <<EOF\nscripts/check.sh\nEOF",
    'cat <<EOF | bash\nscripts/check.sh\nEOF',
    'bash <<< scripts/check.sh',
    "su -c 'cd scripts && ./check.sh' root",
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
  test(`runs a check file: ${what}`, async () => assert.equal(await tracked(example), example.expected));
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
  'caddy validate --config config/a.yaml',
  'talosctl validate --config config/a.yaml --mode metal',
  'wc -c run.sh && grep -c x run.sh',
  'tool run.sh',
  'curl -d @config/a.yaml http://a.lan',
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
    expected: ['Makefile', 'mk/more.mk', 'scripts/check.sh', 'scripts/deeper.sh'],
  },
  'make in another folder, by another file': {
    checks: ['make -C tools -f checks.mk -j4 all V=1'],
    files: { Makefile: 'all:\n\t./a.sh\n', 'tools/checks.mk': 'all:\n\t./b.sh\n', 'a.sh': '', 'tools/b.sh': '' },
    expected: ['tools/checks.mk', 'tools/b.sh'],
  },
  'the first target of make when none is named': {
    checks: ['make'],
    files: { Makefile: 'first:\n\tbash a.sh\nsecond:\n\tbash b.sh\n', 'a.sh': '', 'b.sh': '' },
    expected: ['Makefile', 'a.sh'],
  },
  'a recipe of just': {
    checks: ['just verify'],
    files: {
      justfile: 'deploy:\n  ./d.sh\nverify host="x": (other "y")\n  ./v.sh\nother y:\n  ./o.sh\n',
      'd.sh': '',
      'v.sh': '',
      'o.sh': '',
    },
    expected: ['justfile', 'v.sh', 'o.sh'],
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
    expected: ['Taskfile.yml', 'c.sh', 'l.sh', 'm.sh'],
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
    expected: ['Taskfile.yml', 'ops/Taskfile.yml', 'ops/other.yml', 'own.sh', 'ops/c.sh', 'ops/p.sh'],
  },
  'what decides whether a task is up to date or may run': {
    checks: ['task check'],
    files: {
      'Taskfile.yml':
        'version: "3"\ntasks:\n  check:\n    preconditions: [{ sh: bash p.sh, msg: bash m.sh }]\n    status: [./s.sh]\n    cmds: [{ defer: ./d.sh }]\n',
      ...{ 'p.sh': '', 's.sh': '', 'd.sh': '', 'm.sh': '' },
    },
    expected: ['Taskfile.yml', 'p.sh', 's.sh', 'd.sh'],
  },
  'the files of the modules of just, and what a recipe of one runs': {
    checks: ['just lab::check', 'just net probe'],
    files: {
      justfile: "mod lab\nmod net 'ops/net'\nimport 'more.just'\nup:\n  ./up.sh\n",
      'lab.just': 'check:\n  ./lab.sh\n',
      'ops/net/mod.just': 'probe:\n  ./ops/probe.sh\nother:\n  ./other.sh\n',
      'more.just': '',
      ...{ 'up.sh': '', 'lab.sh': '', 'ops/probe.sh': '', 'other.sh': '' },
    },
    // `net` is no recipe: any of them may be meant.
    expected: [
      ...['justfile', 'lab.just', 'ops/net/mod.just', 'more.just', 'lab.sh'],
      ...['up.sh', 'ops/probe.sh', 'other.sh'],
    ],
  },
  'a script of npm': {
    checks: ['npm run check --silent'],
    files: {
      'package.json': '{"scripts":{"check":"node c.js","precheck":"bash p.sh","deploy":"bash d.sh"}}',
      'c.js': '',
      'p.sh': '',
      'd.sh': '',
    },
    expected: ['package.json', 'c.js', 'p.sh'],
  },
  'a folder given to a test runner, and what is beside its tests': {
    checks: ['bats -r tests/'],
    files: { 'tests/a.bats': 'load helper\n', 'tests/helper.bash': '', 'lib.sh': '' },
    expected: ['tests/a.bats', 'tests/helper.bash'],
  },
  'one test of a file': {
    checks: ['pytest tests/test_a.py::test_one'],
    files: { 'tests/test_a.py': 'import helper\n', 'tests/helper.py': '', 'tests/test_b.py': '' },
    expected: ['tests/test_a.py', 'tests/helper.py'],
  },
  'a file that lists what is run, and what stands in it': {
    checks: ['xargs -n1 bash < list'],
    files: { list: 'checks/a.sh\nchecks/b.sh\n', 'checks/a.sh': '', 'checks/b.sh': '', 'checks/c.sh': '' },
    expected: ['list', 'checks/a.sh', 'checks/b.sh'],
  },
  'a folder of checks, a module, make in a folder below': {
    checks: ['run-parts checks.d', 'python -m tests.smoke', 'make -C sub check'],
    files: {
      ...{ 'checks.d/10-a': '', 'tests/smoke.py': '', 'tests/other.py': '', Makefile: 'check:\n\tbash b.sh\n' },
      ...{ 'sub/Makefile': 'check:\n\tbash a.sh\nup:\n\tbash b.sh\n', 'sub/a.sh': '', 'sub/b.sh': '', 'b.sh': '' },
    },
    expected: ['checks.d/10-a', 'tests/smoke.py', 'sub/Makefile', 'sub/a.sh'],
  },
  'a task in another folder; a make that only debugs': {
    checks: ['task -d ops check', 'make -d check'],
    files: {
      'Taskfile.yml': 'version: "3"\ntasks:\n  check: bash root.sh\n',
      'ops/Taskfile.yml': 'version: "3"\ntasks:\n  check: bash a.sh\n',
      Makefile: 'all:\n\tbash all.sh\ncheck:\n\tbash m.sh\n',
      ...{ 'root.sh': '', 'ops/a.sh': '', 'all.sh': '', 'm.sh': '' },
    },
    expected: ['ops/Taskfile.yml', 'ops/a.sh', 'Makefile', 'm.sh'],
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
    expected: ['Taskfile.yml'],
  },
  'functions of a sourced file': {
    checks: ['source lib.sh && check_all'],
    files: { 'lib.sh': 'check_all() { ./probe.sh; }\n', 'probe.sh': '', 'deploy.sh': '' },
    expected: ['lib.sh', 'probe.sh'],
  },
  'a playbook that is really run, and what it imports': {
    checks: ['ansible-playbook -i inventory/hosts.yml playbooks/verify.yml -e @vars.yml'],
    files: {
      'inventory/hosts.yml': '',
      'playbooks/verify.yml':
        '- import_playbook: more.yml\n- hosts: all\n  tasks:\n    - include_tasks: tasks/a.yml\n    - script: ../probe.sh --all\n    - ansible.builtin.import_tasks: { file: "{{ playbook_dir }}/tasks/b.yml" }\n',
      'playbooks/more.yml': '',
      'playbooks/tasks/a.yml': '',
      'playbooks/tasks/b.yml': '',
      'probe.sh': '',
      'vars.yml': '',
    },
    expected: [
      'playbooks/verify.yml',
      'playbooks/more.yml',
      'playbooks/tasks/a.yml',
      'playbooks/tasks/b.yml',
      'probe.sh',
    ],
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
    expected: [
      ...['verify.yml', 'roles/nodes/tasks/main.yml', 'roles/nodes/tasks/more.yml', 'roles/nodes/handlers/main.yml'],
      ...['roles/nodes/meta/main.yml', 'roles/base/tasks/main.yml', 'playbooks/roles/mounts/tasks/main.yml'],
      'roles/dns/tasks/main.yml',
    ],
  },
  'what a script sources and calls, settings too': {
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
    expected: [
      ...['stages/a/verify.sh', 'stages/lib.sh', 'stages/a/settings.conf', 'stages/a/deeper.sh', 'stages/a/probe.py'],
      'stages/a/last.sh',
    ],
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
    expected: ['check.sh'],
  },
  'what is called three deep': {
    checks: ['bash 1.sh'],
    files: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`${n}.sh`, `bash ${n + 1}.sh\n`])),
    expected: ['1.sh', '2.sh', '3.sh', '4.sh'],
  },
  'what is called from nearby, whoever called it from afar before': {
    checks: ['bash 1.sh', 'bash 4.sh'],
    files: Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`${n}.sh`, `bash ${n + 1}.sh\n`])),
    expected: ['1.sh', '2.sh', '3.sh', '4.sh', '5.sh'],
  },
  'a script with more patterns than anybody writes: the files whose names stand there': {
    checks: ['bash a.sh'],
    files: {
      'a.sh': `${Array.from({ length: 500 }, (_, i) => `bash x${i}/*.sh`).join('\n')}\nbash lib/b.sh\nc/d.sh $X\n`,
      ...{ 'lib/b.sh': '', 'c/d.sh': '', 'e.sh': '' },
    },
    expected: ['a.sh', 'lib/b.sh', 'c/d.sh'],
  },
  'a link and what it points to': {
    checks: ['bash check'],
    files: { '@check': 'scripts/real.sh', 'scripts/real.sh': '' },
    expected: ['check', 'scripts/real.sh'],
  },
  'a link to a folder of checks, and what is in there': {
    checks: ['bats tests'],
    files: {
      '@tests': 'real/tests',
      'real/tests/a.bats': 'load helper\n',
      'real/tests/helper.bash': '',
      'real/b.sh': '',
    },
    expected: ['tests', 'real/tests/a.bats', 'real/tests/helper.bash'],
  },
  'scripts that call each other': {
    checks: ['bash a.sh'],
    files: { 'a.sh': 'bash b.sh\n', 'b.sh': 'bash a.sh\nmake x\n', Makefile: 'x:\n\tmake x\n\tbash a.sh\n' },
    expected: ['a.sh', 'b.sh', 'Makefile'],
  },
  'the configuration that a linter is given, not what it looks at': {
    checks: ['yamllint -c lint.yaml config', 'ansible-lint --config=lint.yml', 'tool --config a.toml b.toml'],
    files: { 'lint.yaml': '', 'lint.yml': '', 'config/a.yaml': '', 'a.toml': 'run = "b.sh"', 'b.toml': '', 'b.sh': '' },
    expected: ['lint.yaml', 'lint.yml', 'a.toml'],
  },
  'a script that the grammar cannot read in part: the files whose names stand there': {
    checks: ['bash a.sh'],
    files: { 'a.sh': 'true\nif [ then (( deep.sh\n', 'lib/deep.sh': '', 'other.sh': '' },
    expected: ['a.sh', 'lib/deep.sh'],
  },
  'what a function runs that is called with it': {
    checks: ['retry_it() { for i in 1 2; do "$@" && return; done; }; retry_it bash a.sh b.yaml; wait_for cat c.sh'],
    files: { 'a.sh': '', 'b.yaml': '', 'c.sh': '' },
    expected: ['a.sh'],
  },
  'a script that is given to a shell on another host': {
    checks: ["ssh host 'bash -s' < a.sh", 'cat b.sh | ssh host sudo bash'],
    files: { 'a.sh': '', 'b.sh': '' },
    expected: ['a.sh', 'b.sh'],
  },
  'a program in a file': {
    checks: ['jq -e -f filter.jq out.json', 'awk -f count.awk < data.txt'],
    files: { 'filter.jq': '', 'count.awk': '', 'data.txt': '', 'a.yaml': '' },
    expected: ['filter.jq', 'count.awk'],
  },
};

for (const [what, example] of Object.entries(TREE)) {
  test(`a check file: ${what}`, async () =>
    assert.equal((await tracked(example)).sort(), [...example.expected].sort()));
}

test('each is known with the word that names it and where that stands; a diagnostic of any stage counts', async () => {
  const sources = listed({ 'v.sh': '. lib.sh\n', 'lib.sh': 'die() { :; }\n', '+show': '' });
  const map = mapOf({ a: stage([{ file: 'x' } as never, 'bash ./v.sh']), b: stage([], ['./show --all']) });
  assert.equal(
    [...(await findCheckFiles(map, sources))],
    [
      ['v.sh', { word: './v.sh', by: 'stages.a.verify[1]', tracked: true }],
      ['lib.sh', { word: 'lib.sh', by: 'v.sh', tracked: true }],
      ['show', { word: './show', by: 'stages.b.diagnostics[0]', tracked: true }],
    ],
  );
});

test('what a program or a playbook calls is known by the word that stands there, too', async () => {
  const files = {
    'a.py': 'import lib.b\nrun("./c.sh")\n',
    'lib/b.py': '',
    'c.sh': '',
    'p.yml': '- include_tasks: t.yml',
    't.yml': '',
  };
  const found = await filesOf({ checks: ['python3 a.py; ansible-playbook p.yml'], files });
  assert.equal(
    [...found].map(([path, { word, by }]) => [path, word, by]),
    [
      ['a.py', 'a.py', 'stages.a.verify[0]'],
      ['c.sh', './c.sh', 'a.py'],
      ['lib/b.py', 'lib/b.py', 'a.py'],
      ['p.yml', 'p.yml', 'stages.a.verify[0]'],
      ['t.yml', 't.yml', 'p.yml'],
    ],
  );
});

test('a script that git does not have is named as such; programs on PATH and absolute paths are not', async () => {
  const found = await filesOf({
    checks: ['local/check.sh', 'bash rendered.sh', 'kubectl get nodes', '/opt/check.sh'],
    files: {},
  });
  assert.equal(
    [...found],
    [
      ['local/check.sh', { word: 'local/check.sh', by: 'stages.a.verify[0]', tracked: false }],
      ['rendered.sh', { word: 'rendered.sh', by: 'stages.a.verify[1]', tracked: false }],
    ],
  );
});

test('of a file of targets all counts; what is not there does not, whatever a tool would take', async () => {
  const files = { Makefile: 'a:\n\ttrue\n', 'tests/a.bats': '' };
  assert.equal([...(await filesOf({ checks: ['make a', 'bats tests'], files })).keys()], ['Makefile', 'tests/a.bats']);
});

test('everything that one command runs, and by what', async () => {
  const sources = listed({ 'all.sh': 'bash more.sh', 'more.sh': '', 'a.yaml': '' });
  const found = await runBy('bash all.sh a.yaml', 'here', sources);
  assert.equal(
    [...found].map(([path, { by }]) => [path, by]),
    [
      ['all.sh', 'here'],
      ['more.sh', 'all.sh'],
    ],
  );
  assert.is((await runBy('terraform apply', 'here', sources)).size, 0);
});

test('of a text that nobody can read in time every file counts whose name stands in it, and that is known', async () => {
  const sources: Sources = {
    ...listed({ 'check.sh': 'x=$(y)\n', 'lib/more.sh': '', 'other.sh': '' }),
    read: async () => undefined,
  };
  const found = await findCheckFiles(mapOf({ a: stage(['bash check.sh', 'lib/more.sh || "$x"']) }), sources);
  assert.equal(
    [...found],
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

test('whatever a check or script is, the reading comes to an end, names only plain paths, and keeps what runs plainly', async () => {
  await fc.assert(
    fc.asyncProperty(ODD, ODD, async (check, script) => {
      const files = { 'a.sh': script.join(''), 'b/a.sh': script.join(''), Makefile: `x:\n\t${script.join('')}\n` };
      const found = await filesOf({ checks: [check.join(''), 'bash a.sh'], files });
      assert.ok(found.has('a.sh'));
      for (const path of found.keys()) assert.not.match(path, /^\/|^\.\.\/|\0|\n/);
    }),
    runs(200, 5000),
  );
});

test.run();
