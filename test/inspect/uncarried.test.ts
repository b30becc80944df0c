// Ignored files that stages name and nobody carries: told by doctor and by the run, with the line that helps.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { examine } from '../../src/inspect/doctor.ts';
import { run } from '../run/homelab.ts';
import { commit, git, repository, write } from '../worktree/repository.ts';

const map = (carry: unknown[]) =>
  JSON.stringify({
    carry,
    stages: {
      hosts: {
        command: 'test -e inventory/my-cluster/hosts.yml || echo none',
        files: ['inventory/my-cluster/', 'site.yml', 'ai/'],
        verify: ['true'],
      },
    },
  });

function ansible(): string {
  const home = repository({
    'ai/context_map.yaml': map([]),
    '.gitignore': 'inventory/my-cluster\n*.retry\n.vault/\n',
    'inventory/sample/hosts.yml': 'all: {}\n',
    'site.yml': '[]\n',
  });
  write(home, { 'inventory/my-cluster/hosts.yml': 'all: {}\n', 'site.retry': 'pve1\n', '.vault/pw': 'x\n' });
  return home;
}

const findings = async (home: string) =>
  (await examine(home, { env: { PATH: process.env.PATH ?? '' }, labTools: '/nonexistent' })).filter(({ what }) =>
    /ignored/.test(what),
  );
const told = async (home: string) =>
  (await run(home)).events.flatMap((e) =>
    e.type === 'notice' && /ignored/.test(String(e.data.text)) ? [e.data.text] : [],
  );

test('the run and doctor name it with the line that helps, until it is carried; doctor lists none of our own folders', async () => {
  const home = ansible();
  assert.equal(await told(home), [
    'inventory/my-cluster is ignored by git and not carried, so stages do not find it: add inventory/my-cluster to carry',
  ]);
  const beside = {
    level: 'note',
    what: 'ignored by git, so not in the worktree: .vault/, site.retry',
    next: 'add what stages need to carry',
  };
  assert.equal(await findings(home), [
    {
      level: 'problem',
      what: 'inventory/my-cluster is named by a stage, ignored by git and not carried',
      next: 'add inventory/my-cluster to carry in ai/context_map.yaml',
    },
    beside,
  ]);
  commit(home, { 'ai/context_map.yaml': map(['inventory/my-cluster']) });
  assert.equal(await told(home), []);
  assert.equal(await findings(home), [beside]);
});

test('what a green stage names in its command and could not find is told after it ran; what stages make is not', async () => {
  const home = repository({
    'ai/context_map.yaml': JSON.stringify({
      stages: {
        hosts: { command: 'test -e inventory/hosts.ini || echo no hosts matched; touch out.yaml' },
        check: { command: 'cat out.yaml', needs: ['hosts'] },
      },
    }),
    '.gitignore': 'inventory\nout.yaml\n',
  });
  write(home, { 'inventory/hosts.ini': 'pve1\n', 'out.yaml': 'made by hand\n' });
  for (const _ of ['every', 'run']) {
    assert.equal(await told(home), [
      'inventory is ignored by git and not carried, so stages do not find it: add inventory to carry',
    ]);
  }
});

test('doctor names what carry names and only the worktree has', async () => {
  const home = repository({
    'ai/context_map.yaml': JSON.stringify({ stages: { vms: { command: 'touch a.tfstate' } }, carry: ['a.tfstate'] }),
    '.gitignore': '*.tfstate\n',
  });
  await run(home);
  const found = await examine(home, { env: { PATH: process.env.PATH ?? '' }, labTools: '/nonexistent' });
  assert.equal(
    found.filter(({ what }) => /tfstate/.test(what)),
    [
      {
        level: 'problem',
        what: 'a.tfstate is only in ai/worktree, where a stage made it',
        next: 'mv ai/worktree/a.tfstate a.tfstate',
      },
    ],
  );
});

test('a file that a stage requires and would not find is a problem, with the stage and what to do', async () => {
  const requires = (...files: string[]) => ({ command: 'true', requires: { files } });
  const home = repository({
    'ai/context_map.yaml': JSON.stringify({
      carry: ['secrets.yaml', 'mine.env'],
      stages: {
        vms: requires('inventory/', 'inventory/hosts.yml', 'mine.env', 'secrets.yaml', 'made.txt'),
        talos: { ...requires('secrets.yaml', 'new.yml', 'staged.yml', 'new/', 'ignored.yml'), needs: ['vms'] },
      },
    }),
    '.gitignore': 'secrets.yaml\nmine.env\nignored.yml\nai/worktree\n',
    'inventory/hosts.yml': 'all: {}\n',
  });
  const here = ['mine.env', 'new.yml', 'staged.yml', 'new/a.yml', 'ignored.yml', 'ai/worktree/made.txt'];
  write(home, Object.fromEntries(here.map((path) => [path, 'a: 1\n'])));
  git(home, 'add', 'staged.yml');
  const required = async () =>
    (await examine(home, { env: { PATH: process.env.PATH ?? '' }, labTools: '/nonexistent' })).filter(({ what }) =>
      / requires /.test(what),
    );
  const uncommitted = (file: string) => ({
    level: 'problem',
    what: `talos requires ${file}, which is not committed`,
    next: `git add ${file}\ngit commit`,
  });
  assert.equal(await required(), [
    { level: 'problem', what: 'vms requires secrets.yaml, which is not there', next: 'make it' },
    {
      level: 'note',
      what: 'talos requires secrets.yaml, which is not there',
      next: 'make it, unless a stage before it does',
    },
    ...['new.yml', 'staged.yml', 'new/'].map(uncommitted),
  ]);
  write(home, { 'secrets.yaml': 'a: 1\n' });
  commit(home, { 'new.yml': 'a: 1\n', 'new/a.yml': 'a: 1\n' });
  assert.equal(await required(), []);
});

test.run();
