// What belongs to the owner stays byte for byte as it was, whatever the stages do in their own tree.
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AI, contextMap, scenario, tree } from './scenario.ts';

const OURS = ['ai/state', 'ai/logs', 'ai/patches', 'ai/worktree', '.git/worktrees', '.git/refs/heads/ai'];
/** What git itself writes when a branch and a worktree are added, all of it outside the owner's checkout and index. */
const GIT = [
  '.git/objects',
  '.git/refs/mendloop',
  '.git/config',
  '.git/info',
  '.git/logs/refs/heads/ai',
  '.git/refs/heads',
  '.git/logs',
];

test('edits, staged changes, untracked files and the index are as before; a run lists what it does not include', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: 'cat one.txt two.txt' }),
    'one.txt': 'one\n',
    'two.txt': 'two\n',
    'gone.txt': 'gone\n',
    '.gitignore': 'secret\n',
  });
  s.write({ 'one.txt': 'staged\n', 'new.txt': 'staged and new\n' });
  s.git('add', 'one.txt', 'new.txt');
  s.git('rm', '-q', '--cached', 'gone.txt');
  s.write({ 'one.txt': 'edited after staging\n', 'two.txt': 'edited\n', 'untracked.txt': 'mine\n', secret: 'hush\n' });
  const before = tree(s.home, [...OURS, ...GIT]);
  const main = s.git('rev-parse', 'HEAD', 'main');
  // As a git hook of some other repository would start it.
  const hook = { GIT_DIR: '/nonexistent/.git', GIT_INDEX_FILE: '/nonexistent/index', GIT_WORK_TREE: '/nonexistent' };
  const done = await s.run([], { env: hook });
  assert.is(done.exit, 0, done.stdout + done.stderr);
  assert.equal(tree(s.home, [...OURS, ...GIT]), before);
  assert.ok(before['.git/index'], 'the index was compared');
  assert.is(s.git('rev-parse', 'HEAD', 'main'), main);
  assert.is(
    done.stdout.split('\n')[1],
    'note: not committed, so not included: gone.txt, new.txt, one.txt, two.txt, untracked.txt',
  );
  assert.is((await s.run(['logs', 'a'])).stdout, 'one\ntwo\n', 'the stage saw what is committed');
});

test('what is checked out beside the base is no part of a run or plan, and both say so', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'cat one.txt' }), 'one.txt': 'one\n' });
  assert.is((await s.run()).exit, 0);
  const main = s.git('rev-parse', 'main').slice(0, 12);
  const notes = async () => {
    const [run, plan] = [await s.run(['retry', 'a']), await s.run(['plan'])];
    return [run, plan].map(({ stdout }) => stdout.split('\n').filter((line) => /^note|^plan/.test(line)));
  };
  s.git('checkout', '-qb', 'feature');
  assert.equal(await notes(), [[], [`plan from main (${main})`]]);
  s.write({ 'one.txt': 'another\n' });
  s.git('commit', '-qam', 'Another');
  const note = 'note: not on main, so not included: 1 commit of feature';
  assert.equal(await notes(), [[note], [`plan from main (${main})`, note]]);
  s.git('checkout', '-q', '--detach');
  assert.equal((await notes())[0], ['note: not on main, so not included: 1 commit of a detached HEAD']);
  assert.is((await s.run(['logs', 'a'])).stdout, 'one\n');
});

test('a stage that writes into tracked files: saved as a patch, reported once, and the owner sees nothing of it', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      a: 'echo changed >> data.txt; echo made > new.txt',
      b: { command: 'true', needs: ['a'] },
    }),
    'data.txt': 'mine\n',
  });
  const before = tree(s.home, [...OURS, ...GIT]);
  const done = await s.run();
  const run = s.runs()[0] as string;
  const patch = `ai/patches/${run}-a-1.stage.diff`;
  assert.is(done.exit, 0);
  assert.is(
    s.plain(done.stdout),
    `run <run> begins: a → b
a  started
a  changed      data.txt (saved: ai/patches/<run>-a-1.stage.diff)
a  green        <n> s  (no checks)
b  started
b  green        <n> s  (no checks)
green: 2 stages  <n> s
`,
  );
  assert.match(s.read(patch), /^\+changed$/m);
  assert.equal(tree(s.home, [...OURS, ...GIT]), before);
  assert.is(s.git('status', '--porcelain'), '');
});

test('a stage that moves HEAD halts the run: exit 3, the commands to go back, and they work', async () => {
  const move = 'git -c user.name=s -c user.email=s@example.org commit -q --allow-empty -m sneaky; touch ../../moved';
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      a: `[ -e ../../moved ] || { ${move}; }`,
      b: { command: 'true', on_failure: 'skip' },
    }),
  });
  const done = await s.run();
  assert.is(done.exit, 3);
  assert.is(
    s.plain(done.stdout),
    `run <run> begins: a → b
a  started
a  failed       <n> s  E_HEAD_MOVED a stage moved HEAD in ai/worktree from ${AI} at <commit> to ${AI} at <commit>
    log: ai/logs/a/<run>-1.log
a human is needed: 1 failed, 1 not started  <n> s
  next:  take the commit or branch switch out of the stage; look, then go back:
         git -C ai/worktree log <commit>..<commit>
         git -C ai/worktree reset --keep <commit>
`,
  );
  const back = /git -C ai\/worktree reset --keep (\S+)/.exec(done.stdout)?.[1] as string;
  s.git('-C', 'ai/worktree', 'reset', '-q', '--keep', back);
  assert.is((await s.run()).exit, 0);
});

test('carry links what git does not hold; a link that a tool replaced halts the run and names both', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap(
      {
        a: 'cat .env; echo token=2 >> .env',
        b: { command: '[ -e ../../calm ] || { cp .env t; mv t .env; }', needs: ['a'] },
      },
      { carry: ['.env', 'kubeconfig'] },
    ),
    '.gitignore': '.env\nkubeconfig\n',
  });
  s.write({ '.env': 'token=1\n' });
  const done = await s.run();
  assert.is(done.exit, 3);
  assert.match(done.stdout, /^note: carry: kubeconfig does not exist, so it was not linked$/m);
  assert.is((await s.run(['logs', 'a'])).stdout, 'token=1\n');
  assert.is(readFileSync(s.path('.env'), 'utf8'), 'token=1\ntoken=2\n', 'the link leads to the owner’s own file');
  assert.is(
    s.plain(done.stdout.slice(done.stdout.indexOf('b  failed'))),
    `b  failed       <n> s  E_CARRY_REPLACED a carried path in ai/worktree is no longer the link to yours (a tool removed it, or wrote a new file in its place)
    log: ai/logs/b/<run>-1.log
a human is needed: 1 green, 1 failed  <n> s
  next:  compare the two, then keep one:
         diff -r ai/worktree/.env .env
         rm -r ai/worktree/.env   # keeps yours
         mv ai/worktree/.env .env   # keeps the tool's
`,
  );
  const next = await s.run();
  assert.is(
    s.plain(next.stderr),
    `error E_CARRY_REPLACED: a carried path in ai/worktree is no longer the link to yours (a tool removed it, or wrote a new file in its place)
  - ai/worktree/.env (was a link to <home>/.env)
  next:  compare the two, then keep one:
         diff -r ai/worktree/.env .env
         rm -r ai/worktree/.env   # keeps yours
         mv ai/worktree/.env .env   # keeps the tool's
`,
  );
  assert.is(next.exit, 3);
  rmSync(s.path('ai/worktree/.env'));
  s.write({ calm: '' });
  const calm = await s.run();
  assert.is(calm.exit, 0);
  assert.not.match(calm.stdout, 'kubeconfig', 'nothing new is missing');
  for (const path of ['.env', 'ai/worktree/.env']) rmSync(s.path(path), { force: true });
  const notes = [await s.run(), await s.run()].map(
    ({ stdout }) => stdout.match(/^note: carry: .env does not exist/gm)?.length,
  );
  assert.equal(notes, [1, undefined], 'said when it went missing');
});

const UNCHECKED = 'it has nothing to check, so nothing can tell whether it still holds; give it verify';

test('where ai/loop.yaml is edited and not committed, it is said what runs unattended, and which lab and backend count', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: { command: 'true', verify: ['true'] } }),
    'ai/loop.yaml': 'lab: simulated\n',
  });
  s.write({ 'ai/loop.yaml': 'unattended: none\nbackend: slurm-dag\n' });
  const says = (key: string, counts: string, written: string) =>
    `${key} is ${counts}: ai/loop.yaml, which says ${written}, is not committed on main`;
  const [unattended, lab, backend] = [
    says('unattended', 'repairs', 'none'),
    says('lab', 'simulated', 'real'),
    says('backend', 'local', 'slurm-dag'),
  ];
  const notes = async (words: string[], env = {}) =>
    (await s.run(words, { env })).stdout.split('\n').filter((line) => line.includes('which says'));
  assert.equal(
    await notes([]),
    [unattended, lab, backend].map((text) => `note: ${text}`),
  );
  assert.equal(
    await notes(['plan', '--backend', 'local']),
    [unattended, lab].map((text) => `note: ${text}`),
    'what the command line says counts anyway',
  );
  assert.equal(
    await notes(['doctor'], { MENDLOOP_LAB: 'simulated' }),
    [unattended, backend].map((text) => `note     ${text}`),
  );
  assert.equal(
    await notes(['validate', '--backend', 'local']),
    [unattended, lab, backend].map((text) => `note: ${text}`),
  );
  s.git('commit', '-qam', 'settings');
  assert.equal(await notes(['plan', '--backend', 'local']), []);
  s.git('switch', '-qc', 'feature');
  s.git('rm', '-q', 'ai/loop.yaml');
  s.git('commit', '-qm', 'without');
  s.write({ 'ai/loop.yaml': 'lab: real\nbackend: local\n' });
  assert.equal(await notes(['plan', '--backend', 'local']), [`note: ${says('unattended', 'none', 'repairs')}`]);
});

test('what counts is committed on the base: an edit of the map is listed and not used until it is committed', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'echo committed' }) });
  s.write({ 'ai/context_map.yaml': contextMap({ a: 'echo edited', b: 'true' }) });
  const done = await s.run();
  assert.is(
    s.plain(done.stdout),
    `run <run> begins: a
note: not committed, so not included: ai/context_map.yaml
a  started
a  green        <n> s  (no checks)
green: 1 stage  <n> s
`,
  );
  assert.is((await s.run(['logs', 'a'])).stdout, 'committed\n');
  const checked = await s.run(['validate']);
  assert.is(
    checked.stdout,
    `ok: 2 stages: a, b\n${['a', 'b'].map((stage) => `warning: stages.${stage}: ${UNCHECKED}\n`).join('')}note: ai/context_map.yaml differs from main: a run reads the committed one (git diff main -- ai/context_map.yaml)\n`,
  );
  const unborn = scenario({ 'x.txt': '' });
  unborn.write({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  assert.match(
    (await unborn.run(['validate'])).stdout,
    'note: ai/context_map.yaml is not committed on main, and a run reads it from there: git add ai/context_map.yaml\n',
  );
  s.git('commit', '-q', '-a', '-m', 'now');
  const moved = await s.run();
  assert.match(s.plain(moved.stdout), /^note: main moved; ai\/orchestrator-stage1 was put onto it \(<commit>\)$/m);
  assert.is((await s.run(['logs', 'a'])).stdout, 'edited\n');
  assert.equal(Object.keys(s.stages()), ['a', 'b']);
});

test.run();
