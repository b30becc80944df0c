import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Inputs } from '../../src/events.ts';
import { carriedInputs, compareInputs, inputFiles, stageInputs, type Tree } from '../../src/plan/inputs.ts';
import { stageOf } from './builders.ts';

const FILES = [
  'README.md',
  'config/talos/cluster.yaml',
  'config/talos/nodes/cp1.yaml',
  'config/vms.yaml',
  'lib/common.sh',
  'stages/talos/run.sh',
  'stages/talos/verify.sh',
  'values.json',
];
const STAGE = {
  command: 'stages/talos/run.sh --config config/talos',
  files: ['stages/talos/'],
  verify: ['bash ./lib/common.sh', { json: 'values.json' }],
  requires: { files: ['config/vms.yaml'] },
};
const tree = (changes: Record<string, { mode?: string; id?: string } | null> = {}, order = FILES): Tree =>
  new Map(
    [...order, ...Object.keys(changes).filter((path) => !order.includes(path))]
      .filter((path) => changes[path] !== null)
      .map((path) => [path, { mode: '100644', id: `id of ${path}`, ...changes[path] }]),
  );
const inputs = (stage: object = {}, of: Tree = tree(), outputs: [string, string][] = [], cell = {}): Inputs =>
  stageInputs(stageOf({ ...STAGE, ...stage }), cell, of, new Map(outputs));
const changed = (now: Inputs, before = inputs()): string[] =>
  (Object.keys(now) as (keyof Inputs)[]).filter((key) => now[key] !== before[key]);

test('a stage is made of its own files, those it requires, and those its command and checks name', () => {
  assert.equal(
    inputFiles(stageOf(STAGE), tree()),
    FILES.filter((path) => path !== 'README.md'),
  );
  assert.equal(inputFiles(stageOf({ command: ['./stages/talos/run.sh', '-x'] }), tree()), ['stages/talos/run.sh']);
  assert.equal(inputFiles(stageOf({ command: 'true' }), tree()), []);
});

test('a comment names no inputs; a # within a word, in quotes, in argv or in a here-document begins none', () => {
  const files = (command: string | string[], verify: string[] = []) => inputFiles(stageOf({ command, verify }), tree());
  const vms = ['config/vms.yaml'];
  const comments = [
    'true\n# docker compose -f values.json config --quiet\ncat config/vms.yaml',
    "# don't read values.json\ncat config/vms.yaml # that's config",
    'cat config/vms.yaml;# config\n  \t# values.json',
    'cat \\\n  config/vms.yaml # config',
  ];
  for (const command of comments) {
    assert.equal(files(command), vms, command);
    assert.equal(files('true', [command]), vms, command);
  }
  const none = [
    'echo a#b config/vms.yaml',
    'echo "a # b" config/vms.yaml',
    "echo 'a\n# b' config/vms.yaml",
    "echo $'it\\'s # b' config/vms.yaml",
    'echo "$(echo "a # b")" config/vms.yaml',
    'echo \\# a\\ #b config/vms.yaml',
    `echo $# \${#a} config/vms.yaml`,
    'bash -c "# b\ncat config/vms.yaml"',
    "cat <<EOF\ndon't\n# config/vms.yaml\nEOF",
  ];
  for (const command of none) assert.equal(files(command), vms, command);
  assert.equal(files(['cat', '# config/vms.yaml']), vms);
});

test('what changes the inputs, and which part', () => {
  const cases: [string, Inputs, string[]][] = [
    ['another command', inputs({ command: `${STAGE.command} -v` }), ['command']],
    ['argv instead of text', inputs({ command: STAGE.command.split(' ') }), ['command']],
    ['another cell', inputs({}, tree(), [], { host: 'cp1' }), ['command']],
    ['another resource key', inputs({ spec: 'gpu' }), ['command']],
    ['another check', inputs({ verify: [...STAGE.verify, { json: 'values.json', has: 'a' }] }), ['verify']],
    ['content of an own file', inputs({}, tree({ 'stages/talos/verify.sh': { id: 'x' } })), ['files']],
    ['mode of an own file', inputs({}, tree({ 'stages/talos/run.sh': { mode: '100755' } })), ['files']],
    ['a new own file', inputs({}, tree({ 'stages/talos/new/deep.txt': {} })), ['files']],
    ['an own file less', inputs({}, tree({ 'stages/talos/verify.sh': null })), ['files']],
    [
      'a file below a folder the command names',
      inputs({}, tree({ 'config/talos/nodes/cp1.yaml': { id: 'x' } })),
      ['files'],
    ],
    ['a new file below that folder', inputs({}, tree({ 'config/talos/nodes/cp2.yaml': {} })), ['files']],
    ['a file a check runs', inputs({}, tree({ 'lib/common.sh': { id: 'x' } })), ['files']],
    ['a file a built-in check reads', inputs({}, tree({ 'values.json': { id: 'x' } })), ['files']],
    ['a required file', inputs({}, tree({ 'config/vms.yaml': { id: 'x' } })), ['files']],
    ['a needed output', inputs({}, tree(), [['vms.ips', 'abc']]), ['outputs']],
  ];
  for (const [what, now, parts] of cases) assert.equal(changed(now), parts, what);
  const [one, other] = [inputs({}, tree(), [['a', '1']]), inputs({}, tree(), [['a', '2']])];
  assert.equal(changed(one, other), ['outputs']);
});

test('what does not change the inputs', () => {
  const cases: [string, Inputs][] = [
    ['nothing', inputs()],
    ['a file nobody names', inputs({}, tree({ 'README.md': { id: 'x' } }))],
    ['a new file elsewhere', inputs({}, tree({ 'config/talos2/x.yaml': {}, 'stages/talos-old/run.sh': {} }))],
    ['words for people', inputs({ description: 'x', success_criteria: ['y'], diagnostics: ['ls'] })],
    ['limits', inputs({ timeout: '1m', on_failure: 'skip', retry: { max_attempts: 5 }, priority: 3, always: true })],
    ['the order of the tree', inputs({}, tree({}, [...FILES].reverse()))],
  ];
  for (const [what, now] of cases) assert.equal(changed(now), [], what);
  const [a, b] = [
    ['a', '1'],
    ['b', '2'],
  ] as [string, string][];
  if (!a || !b) throw new Error('two outputs');
  assert.equal(inputs({}, tree(), [a, b]), inputs({}, tree(), [b, a]));
});

test('the comparison says what changed, all of it', () => {
  const before = inputs();
  assert.equal(compareInputs(before, inputs()), { fresh: true });
  assert.equal(compareInputs(undefined, before), { fresh: false, why: 'its inputs were not recorded' });
  const why = (more: Partial<Inputs>) => compareInputs(before, { ...before, ...more });
  assert.equal(why({ command: 'x' }), { fresh: false, why: 'its command changed' });
  assert.equal(why({ verify: 'x' }), { fresh: false, why: 'its checks changed' });
  assert.equal(why({ files: 'x' }), { fresh: false, why: 'its files changed' });
  assert.equal(why({ outputs: 'x' }), { fresh: false, why: 'an output it needs changed' });
  assert.equal(why({ outputs: 'x', command: 'x' }), {
    fresh: false,
    why: 'its command changed, an output it needs changed',
  });
});

test('a kind of input or a carried path that only one side recorded is not compared', () => {
  const old = inputs();
  const now = { ...old, carried: { '.env': 'a', 'inv/hosts': 'b' }, worktree: '1' };
  for (const [recorded, seen] of [
    [old, now],
    [now, old],
    [{ ...now, carried: { '.env': 'a' } }, now],
    [now, { ...now, carried: {} }],
  ] as const) {
    assert.equal(compareInputs(recorded, seen), { fresh: true });
  }
  const changes = compareInputs(now, { ...now, carried: { '.env': 'x', 'inv/hosts': 'b' }, worktree: '2' });
  const blind = 'the worktree is a new one, and nothing could tell whether it holds there';
  assert.equal(changes, { fresh: false, why: `${blind}, .env, carried, changed` });
});

test('of the carried paths those are inputs that files, requires, command and checks name, or what they name below', () => {
  const named = (stage: object, carry: string[]) => carriedInputs(stageOf({ command: 'true', ...stage }), carry);
  const carry = ['.env', 'inv/mine', 'kube.yaml'];
  assert.equal(named({}, carry), []);
  assert.equal(named({ command: 'source .env && make' }, carry), ['.env']);
  assert.equal(named({ command: 'ansible-playbook -i inv/mine/hosts site.yml' }, carry), ['inv/mine/hosts']);
  assert.equal(named({ command: 'ansible-playbook -i inv site.yml' }, carry), ['inv/mine']);
  assert.equal(named({ verify: ['kubectl --kubeconfig=kube.yaml get nodes'] }, carry), ['kube.yaml']);
  assert.equal(named({ verify: [{ yaml: 'kube.yaml' }] }, carry), ['kube.yaml']);
  assert.equal(named({ requires: { files: ['inv/mine/'] } }, carry), ['inv/mine']);
  assert.equal(named({ files: ['inv/'] }, carry), ['inv/mine']);
  assert.equal(named({ files: ['inv/mine/*.yml', '*.yaml'] }, carry), ['inv/mine', 'kube.yaml']);
  assert.equal(named({ command: 'cat .envrc inv/mine2' }, carry), []);
});

test.run();
