// Each shape of a repair: what it shows, and its nearest neighbours that it must not show.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ExamRow, judgeRow, saidBy } from '../../exams/gate/exam.ts';

interface Case {
  readonly path: string;
  readonly before: string;
  /** What stands there, and what takes its place. */
  readonly swap: readonly [old: string, now: string];
  readonly files?: Record<string, string>;
  readonly log?: string;
  readonly programs?: readonly string[];
}

/** `apply` and the names of the shapes, or `ask` and the kind. */
function verdictOn({ path, before, swap, files = {}, log = '', programs = [] }: Case): string {
  assert.ok(before.includes(swap[0]), `${path} does not have: ${swap[0]}`);
  const after = before.replace(swap[0], () => swap[1]);
  const names = { id: path, what: '', family: '', language: '' };
  const row: ExamRow = {
    ...names,
    files: { ...files, [path]: before },
    edits: [{ path, before, after }],
    log,
    programs,
  };
  const verdict = judgeRow(row);
  if (!verdict.ok) return `refuse ${verdict.code}: ${saidBy(verdict)}`;
  if (verdict.ask) return `ask ${verdict.ask.code}`;
  return `apply ${[...new Set(verdict.shapes.map((shape) => shape.split(':')[0]))].join(', ')}`;
}

function rows(title: string, cases: readonly (readonly [expected: string, what: Case])[]): void {
  test(title, () => {
    for (const [expected, what] of cases)
      assert.is(verdictOn(what), expected, `${what.path}: ${what.swap.join(' → ')}`);
  });
}

const SCRIPT =
  '#!/usr/bin/env bash\nset -euo pipefail\nkubectl apply -f manifests/\nif true; then\n  echo "done"\nfi\n';
const run = { path: 'run.sh', before: SCRIPT };

rows('a text that did not parse, and does with the same words', [
  ['apply parses again', { path: 'a.json', before: '{"a": 1,}\n', swap: [',}', '}'] }],
  ['apply parses again', { path: 'a.yaml', before: 'a: [1, 2\nb: 3\n', swap: ['[1, 2', '[1, 2]'] }],
  ['apply parses again', { path: 'a.yaml', before: 'a:\n  - b: 1\n   c: 2\n', swap: ['   c', '    c'] }],
  ['apply parses again', { path: 'a.toml', before: '[a\nb = 1\n', swap: ['[a', '[a]'] }],
  ['apply parses again', { path: 'run.sh', before: SCRIPT.replace('\nfi', ''), swap: ['"done"\n', '"done"\nfi\n'] }],
  ['apply parses again', { path: 'run.sh', before: SCRIPT.replace('done"', 'done'), swap: ['"done', '"done"'] }],
  // Other words come with it.
  ['ask text', { path: 'a.json', before: '{"a": 1,}\n', swap: ['1,}', '2}'] }],
  // The quote is closed around what follows.
  ['ask condition', { path: 'run.sh', before: 'echo "a\nrm x\necho b\n', swap: ['echo b', 'echo b"'] }],
  // It parsed before: other signs mean another tree.
  ['ask value', { path: 'a.yaml', before: 'a: [1, 2]\nb: [c]\n', swap: ['[c]', 'c'] }],
]);

rows('a text without a parser, where the log or its brackets say that it was broken', [
  [
    'apply parses again',
    {
      path: 'Makefile',
      before: 'all:\n    ./run\n',
      swap: ['    ./run', '\t./run'],
      log: 'Makefile:2: *** missing separator.  Stop.',
    },
  ],
  [
    'apply parses again',
    {
      path: 'x.py',
      before: 'def a()\n    pass\n',
      swap: ['a()', 'a():'],
      log: '  File "x.py", line 1\nSyntaxError: expected \':\'',
    },
  ],
  [
    'apply parses again',
    {
      path: 'a.conf',
      before: 'server {\n  listen 80;\n',
      swap: ['80;\n', '80;\n}\n'],
      log: 'a.conf: unexpected end of file, expecting "}"',
    },
  ],
  ['ask text', { path: 'a.conf', before: 'server {\n  listen 80;\n', swap: ['80;\n', '80;\n}\n'] }],
]);

rows('the same words: blanks, line ends, comments that speak to nobody', [
  ['apply same words', { path: 'a.yaml', before: 'a: 1\r\nb: 2\r\n', swap: ['a: 1\r\nb: 2\r\n', 'a: 1\nb: 2\n'] }],
  ['apply same words', { path: 'a.yaml', before: 'a:   1\n', swap: ['a:   1', 'a: 1'] }],
  ['apply same words', { path: 'main.tf', before: 'a = 1\nbcd = "x"\n', swap: ['a = 1', 'a   = 1'] }],
  ['apply same words', { ...run, swap: ['kubectl apply', '# Nodes first\nkubectl apply'] }],
  ['ask tolerance', { ...run, swap: ['kubectl apply', '# shellcheck disable=SC2086\nkubectl apply'] }],
  ['ask tolerance', { path: 'a.yaml', before: 'a: 1\n', swap: ['a: 1', '# yamllint disable\na: 1'] }],
  ['ask value', { path: 'a.yaml', before: 'a: |\n  b  c\n', swap: ['b  c', 'b c'] }],
]);

const KUSTOMIZATION = 'resources:\n  - deploymnt.yaml\n  - service.yaml\n';
const BESIDE = { 'apps/deployment.yaml': '', 'apps/service.yaml': '', 'config/app.tmpl': '' };
const kustomization = { path: 'apps/kustomization.yaml', before: KUSTOMIZATION, files: BESIDE };

rows('a path that leads to nothing becomes the near one that is there', [
  ['apply path', { ...kustomization, swap: ['deploymnt.yaml', 'deployment.yaml'] }],
  // It was there: another file is another thing.
  ['ask value', { ...kustomization, swap: ['service.yaml', 'deployment.yaml'] }],
  // Not near, not there, absolute, or one that may appear.
  ['ask value', { ...kustomization, swap: ['deploymnt.yaml', 'service.yaml'] }],
  ['ask value', { ...kustomization, swap: ['deploymnt.yaml', 'deploymentt.yaml'] }],
  ['ask address', { ...kustomization, swap: ['deploymnt.yaml', '/apps/deployment.yaml'] }],
  [
    'ask value',
    {
      ...kustomization,
      files: { ...BESIDE, '.gitignore': '*mnt.yaml\n' },
      swap: ['deploymnt.yaml', 'deployment.yaml'],
    },
  ],
  // Two that are as near.
  [
    'ask value',
    { ...kustomization, files: { ...BESIDE, 'apps/deploymant.yaml': '' }, swap: ['deploymnt.yaml', 'deployment.yaml'] },
  ],
  // Of a command the log says whether it is read.
  [
    'apply path',
    {
      path: 'run.sh',
      before: 'set -e\nenvsubst < config/app.tpl > build/app\n',
      files: BESIDE,
      swap: ['app.tpl', 'app.tmpl'],
      log: 'run.sh: line 2: config/app.tpl: No such file or directory',
    },
  ],
  [
    'ask command',
    { path: 'run.sh', before: 'set -e\ncp build/out config/app.tpl\n', files: BESIDE, swap: ['app.tpl', 'app.tmpl'] },
  ],
  // Where it is written to is no path that leads somewhere.
  [
    'ask command',
    {
      path: 'run.sh',
      before: 'set -e\nenvsubst > config/app.tpl\n',
      files: BESIDE,
      swap: ['app.tpl', 'app.tmpl'],
      log: 'config/app.tpl: No such file or directory',
    },
  ],
]);

const COMPOSE =
  'services:\n  web:\n    image: nginx\n    depends_on:\n      - databse\n    volumes:\n      - data_x:/data\n  database:\n    image: postgres\nvolumes:\n  data-x: {}\n';
const compose = { path: 'compose.yaml', before: COMPOSE };
const MAIN = 'resource "x_vm" "web" {\n  name  = var.vm_nmae\n  image = "a"\n}\n';
const terraform = {
  path: 'tf/main.tf',
  before: MAIN,
  files: { 'tf/variables.tf': 'variable "vm_name" {\n  type = string\n}\n' },
};

rows('a name that could be defined here only, and is not', [
  ['apply name', { ...compose, swap: ['databse', 'database'] }],
  ['apply name', { ...compose, swap: ['data_x:', 'data-x:'] }],
  ['ask value', { ...compose, swap: ['databse', 'web'] }],
  ['apply name', { ...terraform, swap: ['var.vm_nmae', 'var.vm_name'] }],
  // Another folder is another module.
  [
    'ask value',
    { ...terraform, files: { 'other/variables.tf': 'variable "vm_name" {}\n' }, swap: ['var.vm_nmae', 'var.vm_name'] },
  ],
  ['apply name', { path: 'Makefile', before: 'all: biuld\nbuild:\n\t./build\n', swap: ['biuld', 'build'] }],
  ['apply name', { path: 'justfile', before: 'all: biuld\nbuild:\n  ./build\n', swap: ['biuld', 'build'] }],
]);

const RELEASE =
  'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: a\nspec:\n  dependsOn:\n    - name: stroage\n';
const OTHER = 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: storage\n';
const flux = { path: 'a/ks.yaml', before: RELEASE, files: { 'b/ks.yaml': OTHER } };
const NOT_FOUND = "dependency 'flux-system/stroage' not found";

rows('a name that may be defined elsewhere, and that the log rejects', [
  ['apply name', { ...flux, swap: ['stroage', 'storage'], log: NOT_FOUND }],
  ['ask value', { ...flux, swap: ['stroage', 'storage'] }],
  // The same name of another kind.
  [
    'ask value',
    {
      ...flux,
      files: { 'b/hr.yaml': OTHER.replace('kind: Kustomization', 'kind: HelmRelease') },
      swap: ['stroage', 'storage'],
      log: NOT_FOUND,
    },
  ],
  ['ask value', { ...flux, swap: ['stroage', 'elsewhere'], log: NOT_FOUND }],
  [
    'apply name',
    {
      path: 'roles/a/tasks/main.yml',
      before: '- name: A\n  ping:\n  when: k3s_tokn is defined\n',
      files: { 'roles/a/defaults/main.yml': 'k3s_token: x\n' },
      swap: ['k3s_tokn', 'k3s_token'],
      log: "'k3s_tokn' is undefined",
    },
  ],
]);

rows('a word that the log rejects and for which it offers a near one', [
  [
    'apply offered by the log',
    {
      path: 'main.tf',
      before: 'a "b" {\n  memory_gb = 2\n}\n',
      swap: ['memory_gb', 'memory_mb'],
      log: 'An argument named "memory_gb" is not expected here. Did you mean "memory_mb"?',
    },
  ],
  [
    'ask key',
    {
      path: 'main.tf',
      before: 'a "b" {\n  memory_gb = 2\n}\n',
      swap: ['memory_gb', 'memory'],
      log: 'An argument named "memory_gb" is not expected here. Did you mean "memory"?',
    },
  ],
  // An offer stands in for being defined: never for a number, a boolean, an address or an account.
  [
    'ask address',
    { path: 'a.yaml', before: 'port: 8080\n', swap: ['8080', '8081'], log: '"8080" is invalid, did you mean "8081"?' },
  ],
  [
    'ask condition',
    { path: 'a.yaml', before: 'verify: "on"\n', swap: ['on', 'no'], log: '"on" is unknown, did you mean "no"?' },
  ],
  [
    'ask address',
    {
      path: 'a.yaml',
      before: 'server: nas.home.lan\n',
      swap: ['nas.', 'nasx.'],
      log: '"nas.home.lan" not found, did you mean "nasx.home.lan"?',
    },
  ],
  [
    'ask address',
    {
      path: 'a.yaml',
      before: 'user: alise\n',
      swap: ['alise', 'alice'],
      log: '"alise" is unknown, did you mean "alice"?',
    },
  ],
]);

rows('a program that is not there becomes the near one that is', [
  [
    'apply program',
    {
      path: 'run.sh',
      before: 'set -e\nkubctl get nodes\n',
      swap: ['kubctl', 'kubectl'],
      log: 'run.sh: line 2: kubctl: command not found',
      programs: ['kubectl'],
    },
  ],
  [
    'ask command',
    { path: 'run.sh', before: 'set -e\nkubctl get nodes\n', swap: ['kubctl', 'kubectl'], programs: ['kubectl'] },
  ],
  [
    'ask condition',
    {
      path: 'run.sh',
      before: 'set -e\nkubctl get nodes\n',
      swap: ['kubctl', 'true'],
      log: 'kubctl: command not found',
    },
  ],
]);

rows('a definition that nothing uses becomes the near name that is used', [
  [
    'apply used definition',
    {
      path: 'run.sh',
      before: 'set -eu\nHELM_TIME_OUT=5m\nhelm upgrade --timeout "$HELM_TIMEOUT"\n',
      swap: ['HELM_TIME_OUT', 'HELM_TIMEOUT'],
      log: 'run.sh: line 3: HELM_TIMEOUT: unbound variable',
    },
  ],
  [
    'ask value',
    {
      path: 'run.sh',
      before: 'set -eu\nHELM_TIME_OUT=5m\nhelm upgrade --timeout "$HELM_TIMEOUT" "$HELM_TIME_OUT"\n',
      swap: ['HELM_TIME_OUT=', 'HELM_TIMEOUT='],
      log: 'HELM_TIMEOUT: unbound variable',
    },
  ],
  // A default hides what is missing.
  [
    'ask tolerance',
    {
      path: 'run.sh',
      before: 'set -eu\nip link set "$UPLINK_DEV" up\n',
      swap: ['$UPLINK_DEV', `\${UPLINK_DEV:-}`],
      log: 'UPLINK_DEV: unbound variable',
    },
  ],
]);

rows('quotes and types, where the log rejects the type at that place', [
  [
    'apply quotes and types',
    {
      path: 'a.yaml',
      before: 'env:\n  PORT: 8989\n',
      swap: ['8989', '"8989"'],
      log: 'PORT: Invalid type. Expected: string, given: integer',
    },
  ],
  ['ask number', { path: 'a.yaml', before: 'env:\n  PORT: 8989\n', swap: ['8989', '"8989"'] }],
  [
    'apply quotes and types',
    {
      path: 'roles/a/tasks/main.yml',
      before: '- ping:\n  loop: {{ items }}\n',
      swap: ['{{ items }}', '"{{ items }}"'],
    },
  ],
  [
    'apply quotes and types',
    {
      path: 'run.sh',
      before: 'set -e\n[ $x = a ]\necho b\n',
      swap: ['$x', '"$x"'],
      log: 'run.sh: line 2: [: =: unary operator expected',
    },
  ],
]);

rows('what is there twice, and what only looks', [
  ['apply duplicate', { path: 'a.yaml', before: 'a:\n  - x\n  - y\n  - x\n', swap: ['  - y\n  - x\n', '  - y\n'] }],
  ['ask removed', { path: 'a.yaml', before: 'a:\n  - x\n  - y\n', swap: ['  - y\n', ''] }],
  ['apply duplicate', { path: 'a.yaml', before: 'a: 1\nb: 2\na: 1\n', swap: ['b: 2\na: 1\n', 'b: 2\n'] }],
  ['ask removed', { path: 'a.yaml', before: 'a: 1\nb: 2\na: 3\n', swap: ['b: 2\na: 3\n', 'b: 2\n'] }],
  ['apply looks or waits', { ...run, swap: ['kubectl apply', 'mkdir -p build/out\nkubectl apply'] }],
  ['apply looks or waits', { ...run, swap: ['kubectl apply', `: "\${TOKEN:?set it}"\nkubectl apply`] }],
  ['apply looks or waits', { ...run, swap: ['kubectl apply', 'kubectl rollout status deploy/web\nkubectl apply'] }],
  ['ask command', { ...run, swap: ['kubectl apply', 'mkdir -p ../out\nkubectl apply'] }],
  ['ask command', { ...run, swap: ['kubectl apply', 'kubectl create ns a\nkubectl apply'] }],
  ['ask command', { ...run, swap: ['kubectl apply', 'sleep "$(reboot)"\nkubectl apply'] }],
  // The last command says how the block ends.
  ['ask command', { path: 'run.sh', before: 'set -e\nkubectl get ns\n', swap: ['get ns\n', 'get ns\nsleep 1\n'] }],
]);

rows('everything else is a decision, with its kind', [
  ['ask condition', { path: 'a.yaml', before: 'prune: true\n', swap: ['true', 'false'] }],
  ['ask number', { path: 'a.yaml', before: 'replicas: 3\n', swap: ['3', '2'] }],
  ['ask address', { path: 'a.yaml', before: 'cidr: 10.0.0.0/24\n', swap: ['/24', '/2'] }],
  [
    'ask removed',
    { path: 'a.yaml', before: 'command: [redis-server, --requirepass, x]\n', swap: [', --requirepass, x', ''] },
  ],
  ['ask tolerance', { ...run, swap: ['manifests/', 'manifests/ || true'] }],
  ['ask condition', { ...run, swap: ['if true', 'if ! true'] }],
  [
    'ask tolerance',
    { path: 'tasks/main.yml', before: '- ping:\n', swap: ['- ping:\n', '- ping:\n  ignore_errors: true\n'] },
  ],
]);

const S = '#!/bin/bash\nset -e\n';
const script = (before: string, swap: readonly [string, string], log?: string): Case => ({
  path: 's/a.sh',
  before: S + before,
  swap,
  ...(log !== undefined && { log }),
});
const inYaml = (before: string, swap: readonly [string, string], log?: string): Case => ({
  path: 'a.yaml',
  before,
  swap,
  ...(log !== undefined && { log }),
});

/** Whatever their kind: none of them applies. */
function asked(title: string, cases: readonly (readonly [Case])[]): void {
  test(title, () => {
    for (const [what] of cases) assert.match(verdictOn(what), /^ask /, `${what.path}: ${what.swap.join(' → ')}`);
  });
}

asked('scripts of the same words are not the same script', [
  [script('echo kubectl apply -f a\n./b\n', ['echo kubectl', 'echo\nkubectl'])],
  [script('MODE=check ./deploy.sh\n./b\n', ['check ./', ' check ./'])],
  [script('while ./a; ./b; do ./c; done\n./d\n', ['./a; ./b', './a ./b'])],
  [script('echo 2>x.log\n./b\n', ['2>x', '2 >x'])],
  [script('./install.sh\nrc=$?\n', ['rc=', 'sleep 5\nrc='])],
  [script('./a\n./b\n', ['./b', 'kubectl version --server=http://x.example:80\n./b'])],
  [
    script('# shellcheck disable=SC2086\n./a $x\n./b $y\n', [
      '# shellcheck disable=SC2086\n./a $x\n',
      './a $x\n# shellcheck disable=SC2086\n',
    ]),
  ],
  // Text becomes a command, or a command leaves its condition.
  [script('echo "done; ./migrate.sh\n', ['done; ./migrate.sh', 'done"; ./migrate.sh'])],
  [script('if ./a; then\n  ./b\n  ./migrate\n', ['  ./migrate', 'fi\n  ./migrate'])],
  [script('./use $target\ntargets=x\n', ['$target\n', '$targets\n'], 's/a.sh: line 3: target: unbound variable')],
]);

asked('YAML means what every reader of it has, not one', [
  [inYaml('mode: 0644\n', ['0644', '644'])],
  [inYaml('permit_root: "no"\n', ['"no"', 'no'])],
  [inYaml('tag: 1.10\n', ['1.10', '1.1'])],
  [inYaml('ports: ["22:22"]\n', ['"22:22"', '22:22'])],
  [inYaml('x: ["id"]\n', ['["id"]', '!!python/object/apply:os.system ["id"]'])],
  [inYaml('a: &a {p: 1}\nc:\n  <<: *a\n', ['<<:', '"<<":'])],
  [inYaml('a: &d 1\nc: &d 2\ns: *d\n', ['c: &d 2\ns: *d', 's: *d\nc: &d 2'])],
  [inYaml('args: ["-f", "a", "-f", "b"]\n', ['"a", "-f", ', '"a", '])],
  [inYaml('- hosts: all\n  tasks:\n    - command: ./stop\n    - command: ./stop\n', ['    - command: ./stop\n', ''])],
]);

asked('a text inside of a text, and a line that goes on, count to the last blank', [
  [{ path: 'Makefile', before: 'a:\n\tflux x \\\n\t  --export\n', swap: ['\\\n\t', '\\\n# note\n\t'] }],
  [{ path: 'm.tf', before: 'x = <<EOF\na:\n  b: true\nEOF\n', swap: ['  b', 'b'] }],
  [{ path: 't.py', before: 'a = """\n# deny all\nb\n"""\n', swap: ['# deny all\n', ''] }],
]);

asked('what belongs to its owner is never a repair, whatever the log offers', [
  [
    inYaml(
      'services:\n  a:\n    environment: [POSTGRES_USER=app_usr]\n',
      ['app_usr', 'app_user'],
      '"app_usr" not found, did you mean "app_user"?',
    ),
  ],
  [inYaml('failed_when: "\'eror\' in x"\n', ['eror', 'error'], '"eror" is unknown, did you mean "error"?')],
  [inYaml('all:\n  hosts:\n    nod-one:\n', ['nod-one', 'node-one'], '"nod-one" not found, did you mean "node-one"?')],
  // Another line, and the wrong direction.
  [inYaml('privileged: "true"\nscale: x\n', ['"true"', 'true'], 'a.yaml: line 2: scale must be a number, got string')],
  [
    inYaml(
      'value: "true"\n',
      ['"true"', 'true'],
      'a.yaml:1: cannot unmarshal bool into Go struct field of type string',
    ),
  ],
]);

test.run();
