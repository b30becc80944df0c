// Words and places that mean nothing: unknown stages and options, folders that are no repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AI, contextMap, folder, jsonLines, type Scenario, scenario, tree } from './scenario.ts';

const two = () =>
  scenario({ 'ai/context_map.yaml': contextMap({ vms: 'true', talos: { command: 'true', needs: ['vms'] } }) });

async function refused(s: Scenario, args: string[], text: string, options = {}): Promise<void> {
  const done = await s.run(args, options);
  assert.is(s.plain(done.stderr), text);
  assert.is(done.stdout, '');
  assert.is(done.exit, 2);
  assert.equal(s.runs(), []);
  assert.not(s.has('ai/state/lock.json'), 'the lock was left');
}

test('an unknown stage: what was meant, and what there is', async () => {
  const s = two();
  const text = (name: string, hint: string) => `error E_UNKNOWN_STAGE: there is no stage or command "${name}"${hint}
  next:  stages: vms, talos
         commands: mendloop --help
`;
  await refused(s, ['tallos'], text('tallos', '; did you mean "talos"?'));
  await refused(s, ['statsu'], text('statsu', '; did you mean "status"?'));
  await refused(s, ['reset', 'vmss'], text('vmss', '; did you mean "vms"?'));
});

test('a misspelt command comes before its options, which no other command has; those of a stage are told of', async () => {
  const s = two();
  const usage = (what: string, next: string) => `error E_USAGE: ${what}\n  next:  ${next}\n`;
  const unknown = (name: string, hint: string) =>
    usage(`there is no command or stage "${name}"${hint}`, 'mendloop --help');
  await refused(s, ['promte', '--accept', 'x'], unknown('promte', '; did you mean "promote"?'));
  await refused(s, ['--accept', 'x', 'promte'], unknown('promte', '; did you mean "promote"?'));
  await refused(s, ['promte', '--root'], unknown('promte', '; did you mean "promote"?'));
  await refused(s, ['vmss', '--nope'], unknown('vmss', '; did you mean "vms"?'));
  await refused(
    s,
    ['vms', '--dryrun'],
    usage('there is no option --dryrun; did you mean "--dry-run"?', 'mendloop all --help'),
  );
});

test('an unknown option, one without its value, and values that mean nothing', async () => {
  const s = two();
  const before = tree(s.home, ['.git']);
  const usage = (what: string, next: string) => `error E_USAGE: ${what}\n  next:  ${next}\n`;
  await refused(
    s,
    ['--dryrun'],
    usage('there is no option --dryrun; did you mean "--dry-run"?', 'mendloop all --help'),
  );
  await refused(
    s,
    ['--workers', 'many'],
    usage('--workers many is not a number from 1 to 9999', 'for example: --workers 2'),
  );
  await refused(s, [], usage('MENDLOOP_LAB is "fake"', 'set it to real or simulated, or unset it'), {
    env: { MENDLOOP_LAB: 'fake' },
  });
  await refused(s, ['retry'], usage('retry needs a stage', 'mendloop retry <stage>'));
  assert.equal(tree(s.home, ['.git']), before);
});

test('a stage whose needs are not green is refused, and the line that runs them too is given', async () => {
  await refused(
    two(),
    ['talos'],
    `error E_NEEDS_UNMET: what talos needs is not green
  - talos needs vms, which is idle
  next:  run what is missing too: mendloop talos --with-needs
`,
  );
});

test('a deadline that has passed', async () => {
  await refused(
    two(),
    ['--deadline', '2020-01-01T00:00:00Z'],
    `error E_DEADLINE_PASSED: the deadline <time> has passed already
  next:  give a later one, such as --deadline 2h or --deadline 06:30
`,
  );
});

test('a folder that is no git repository, one that is not there, a repository without a commit', async () => {
  const outside = scenario();
  rmSync(outside.path('.git'), { recursive: true });
  const notGit = `error E_NOT_GIT: <home> is not a git repository that this user may use
  next:  go to your repository, or make one here:
         git init
         git add <files>
         git commit -m "first commit"
         or see first what mendloop does: mendloop demo
`;
  await refused(outside, [], notGit);
  await refused(
    outside,
    ['--root', outside.path('nowhere')],
    `error E_ROOT_MISSING: <home>/nowhere is not a folder
  next:  name your repository with --root, or start inside it
`,
  );
  assert.equal(tree(outside.home), {}, 'something was written where no repository is');
  const empty = scenario();
  const before = tree(empty.home);
  await refused(
    empty,
    [],
    `error E_NO_COMMIT: the repository has no commit yet, so there is nothing to run from
  next:  git add <files>
         git commit -m "first commit"
`,
  );
  assert.equal(tree(empty.home), before, 'something was written where nothing can run');
});

test('a checkout that is on the AI branch, or on none at the first run', async () => {
  const s = two();
  s.git('switch', '-q', '-c', AI);
  await refused(
    s,
    [],
    `error E_ON_AI_BRANCH: your checkout is on ${AI}, the branch that stages run on
  next:  go back to your own branch:
         git switch '<your branch>'
`,
  );
  s.git('switch', '-q', '--detach', 'main');
  s.git('branch', '-q', '-D', AI);
  await refused(
    s,
    [],
    `error E_DETACHED: this is the first run on ${AI} and your checkout is on no branch, so the base is unknown
  next:  git switch <your branch>
         or name the base in ai/loop.yaml and commit it: base: <your branch>
`,
  );
});

test('--root, MENDLOOP_HOME, a folder inside the repository and its worktree all mean the same home', async () => {
  const s = two();
  assert.is((await s.run()).exit, 0);
  mkdirSync(s.path('deep/down'), { recursive: true });
  const elsewhere = folder();
  const ways = [
    await s.run(['status', '--json', '--root', s.home], { cwd: elsewhere }),
    await s.run(['status', '--json'], { cwd: elsewhere, env: { MENDLOOP_HOME: s.home } }),
    await s.run(['status', '--json'], { cwd: s.path('deep/down') }),
    await s.run(['status', '--json'], { cwd: s.path('ai/worktree') }),
  ];
  assert.equal(
    ways.map((w) => jsonLines(w.stdout)[0]?.home),
    ways.map(() => s.home),
  );
});

test('git not on PATH', async () => {
  const s = two();
  const bin = folder();
  for (const tool of ['bash', 'sh']) {
    const real = execFileSync('which', [tool], { encoding: 'utf8' }).trim();
    writeFileSync(`${bin}/${tool}`, `#!${real}\nexec ${real} "$@"\n`, { mode: 0o755 });
  }
  await refused(
    s,
    [],
    `error E_GIT_MISSING: git could not be started
  next:  install git 2.38 or newer and put it on PATH
`,
    { env: { PATH: bin } },
  );
});

test.run();
