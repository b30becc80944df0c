// A context map that cannot be used: one clear error, exit 2, nothing begun and nothing changed.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, type Files, jsonLines, scenario, tree } from './scenario.ts';

const MAP = 'ai/context_map.yaml';

/** A run on a repository with `files` is refused with `text`; nothing appears. */
async function refused(files: Files, text: string): Promise<void> {
  const s = scenario({ 'README.md': 'mine\n', ...files });
  const before = tree(s.home, ['.git']);
  const done = await s.run();
  assert.is(s.plain(done.stderr), text);
  assert.is(done.stdout, '');
  assert.is(done.exit, 2);
  assert.equal(tree(s.home, ['.git']), before);
  assert.equal(s.runs(), []);
  assert.is(s.git('branch', '--format=%(refname:short)'), 'main', 'a branch was made');
}

const problem = (line: string) => `error E_CONFIG: ${MAP} has a problem
  - ${MAP}:${line}
  next:  mend it, check with: mendloop validate, and commit it
`;

test('no context map: says how to write one, and commits nothing itself', () =>
  refused(
    {},
    `error E_MAP_MISSING: there is no ${MAP} on main
  next:  have one proposed: mendloop init
         or write one (README, "Your own repository"), then:
         git add ${MAP}
         git commit -m "Add the context map"
`,
  ));

test('status before there is a context map leads to the command that says what to do', async () => {
  const s = scenario({ 'README.md': 'mine\n' });
  assert.is((await s.run(['status'])).stdout, 'no run yet, and no stage is known; what to do: mendloop validate\n');
  assert.match((await s.run(['logs', 'web'])).stderr, / {2}next: {2}stages: none yet; what to do: mendloop validate\n/);
  assert.match(
    (await s.run(['validate'])).stderr,
    /^error E_MAP_MISSING: .*\n {2}next: {2}have one proposed: mendloop init/,
  );
});

test('status says of a map that is no YAML that stages of it may be missing', async () => {
  const s = scenario({
    [MAP]: "stages:\n  a: {command: 'true'}\n  b:\n    command: x -d '{a: {}}' c\n  c: {command: x}\n",
  });
  const [note] = (await s.run(['status'])).stdout.split('\n');
  assert.is(note, `note: ${MAP} is no sound YAML, so stages of it may be missing here: mendloop validate`);
  s.write({ [MAP]: contextMap({ a: 'true' }) });
  assert.not.match((await s.run(['status'])).stdout, 'note:');
});

test('a context map that is not committed: the git commands, for all below ai/ that people own and did not commit', async () => {
  const s = scenario({ 'ai/master_memo.md': 'mine\n' });
  s.write({
    [MAP]: contextMap({ a: 'true' }),
    'ai/loop.yaml': 'unattended: none\n',
    'ai/executor_instructions.md': 'mine\n',
    'ai/schema/loop.schema.json': '{}\n',
    'ai/notes.txt': 'for nobody else\n',
  });
  const done = await s.run();
  assert.is(
    done.stderr,
    `error E_MAP_NOT_COMMITTED: ${MAP} is not committed on main; a run reads it from there
  next:  git add ${MAP} ai/loop.yaml ai/executor_instructions.md ai/schema
         git commit -m "Add the context map"
`,
  );
  assert.is(done.exit, 2);
  assert.is(s.git('diff', '--cached', '--name-only'), '');
  assert.equal(s.runs(), []);
});

test('where git ignores ai/, the git commands add it all the same', async () => {
  const s = scenario({ '.gitignore': 'ai/\n' });
  const follow = (words: string) => {
    const [, command = ''] = /(git add --force .*?)(?: &&|$)/m.exec(words) ?? [];
    s.git(...command.split(' ').slice(1));
    s.git('commit', '--quiet', '-m', 'as told');
  };
  s.write({ [MAP]: contextMap({ a: 'true' }) });
  follow((await s.run()).stderr);
  s.write({ 'ai/loop.yaml': 'unattended: none\n' });
  follow((await s.run()).stderr);
  s.write({ 'ai/loop.yaml': 'unattended: repairs\n' });
  follow((await s.run(['doctor'])).stdout);
  follow((await s.run(['backlog', 'add', 'One', '--scope', 'x', '--accept', 'true'])).stdout);
  const files = s.git('ls-tree', '-r', '--name-only', 'HEAD', 'ai').split('\n');
  assert.equal(files.filter(Boolean), ['ai/backlog/00-index.md', 'ai/backlog/01-one.md', MAP, 'ai/loop.yaml']);
});

test('an owner who wants to be asked and has not committed that is asked to, by doctor too', async () => {
  const s = scenario();
  s.commit({ [MAP]: contextMap({ a: 'true' }) });
  s.write({ 'ai/loop.yaml': 'unattended: none\n', 'ai/schema/loop.schema.json': '{}\n' });
  const what =
    'ai/loop.yaml says unattended: none, but is not committed on main; a run reads it from there, and would run repairs unasked';
  const error = `error E_LOOP_NOT_COMMITTED: ${what}
  next:  git add ai/loop.yaml ai/schema
         git commit -m "Let mendloop ask first"
         or, to have proven repairs run unasked, write unattended: repairs there
`;
  for (const words of [[], ['retry', 'a']]) {
    const done = await s.run(words);
    assert.is(done.stderr, error);
    assert.is(done.exit, 2);
  }
  assert.equal(s.runs(), []);
  assert.ok((await s.run(['doctor'])).stdout.includes(`\nproblem  E_LOOP_NOT_COMMITTED ${what}\n`));
  assert.ok(
    (await s.run(['validate'])).stdout.endsWith(`\nnote: a run could not start here: E_LOOP_NOT_COMMITTED ${what}\n`),
  );
  s.git('add', 'ai/loop.yaml');
  assert.is((await s.run()).stderr, error, 'in the index it does not count either');
  const note = 'note: unattended is repairs: ai/loop.yaml, which says none, is not committed on main';
  for (const words of [['plan'], ['--no-ai']]) {
    const { exit, stdout } = await s.run(words);
    assert.equal([exit, stdout.includes(note)], [0, true], `${words}: nothing is applied`);
  }
  s.write({ 'ai/loop.yaml': 'unattended: repairs\n' });
  assert.is((await s.run()).exit, 0);
});

test('an empty context map', () =>
  refused({ [MAP]: '' }, problem('1:1: the file is empty; expected a mapping with "stages"')));

test('a context map of more than 1 MiB is not read', () => {
  const text = `stages: {}\n# ${'x'.repeat(1_048_576)}\n`;
  return refused({ [MAP]: text }, problem(`1:1: ${text.length} bytes, at most 1048576 are read`));
});

test('a binary context map', () =>
  refused(
    { [MAP]: Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 255]) },
    problem('1:5: binary content (a NUL byte); expected YAML text'),
  ));

test('tabs for indentation', () =>
  refused(
    { [MAP]: 'stages:\n\tvms:\n\t\tcommand: true\n' },
    `error E_CONFIG: ${MAP} has 2 problems
  - ${MAP}:2:1: tab used for indentation; use spaces
  - ${MAP}:3:1: tab used for indentation; use spaces
  next:  mend it, check with: mendloop validate, and commit it
`,
  ));

test('needs that go round in a circle are printed as a path', () =>
  refused(
    {
      [MAP]:
        'stages:\n  a: { command: "true", needs: [c] }\n  b: { command: "true", needs: [a] }\n  c: { command: "true", needs: [b] }\n',
    },
    problem('2:33: stages.a.needs[0]: needs go round in a circle: a → c → b → a'),
  ));

test('every problem of both files is named at once, with what was meant', () =>
  refused(
    {
      [MAP]:
        'stages:\n  vms:\n    comand: stages/vms/run.sh\n    needs: [tallos]\n  talos:\n    command: stages/talos/run.sh\n    timeout: soon\n',
      'ai/loop.yaml': 'lab: simulated\nworkers: 0\n',
    },
    `error E_CONFIG: ${MAP} and ai/loop.yaml have 5 problems
  - ${MAP}:2:3: stages.vms.command: missing; expected a command: text for bash, or a list of words to run without a shell
  - ${MAP}:3:5: stages.vms.comand: unknown key; did you mean "command"?
  - ${MAP}:4:13: stages.vms.needs[0]: unknown stage "tallos"; did you mean "talos"?
  - ${MAP}:7:14: stages.talos.timeout: expected a duration with units ms, s, m, h or d, such as 90s or 1h30m, got "soon"
  - ai/loop.yaml:2:10: workers: expected a number of at least 1, got the number 0
  next:  mend it, check with: mendloop validate, and commit it
`,
  ));

test('with --json the same error is one JSON object on stdout, and stderr stays empty', async () => {
  const s = scenario({ [MAP]: '' });
  const done = await s.run(['--json']);
  assert.equal(jsonLines(done.stdout), [
    {
      error: {
        code: 'E_CONFIG',
        message: `${MAP} has a problem`,
        exit: 2,
        next: 'mend it, check with: mendloop validate, and commit it',
        problems: [`${MAP}:1:1: the file is empty; expected a mapping with "stages"`],
      },
    },
  ]);
  assert.is(done.stderr, '');
  assert.is(done.exit, 2);
});

test.run();
