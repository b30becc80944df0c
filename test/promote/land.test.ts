// Landing is one git command: a base that moves under it, or a process that is killed beside it, leaves no half-made merge.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openGit } from '../../src/io/git.ts';
import { type Landing, land } from '../../src/promote/land.ts';
import { promoteRange } from '../../src/promote/range.ts';
import { rehearsePromotion } from '../../src/promote/rehearse.ts';
import { findBase } from '../../src/worktree/base.ts';
import { AI, commit, git, numbers, open, read, refusal, repository } from '../worktree/repository.ts';

const OWNER = { GIT_AUTHOR_NAME: 'O', GIT_AUTHOR_EMAIL: 'o@x', GIT_COMMITTER_NAME: 'O', GIT_COMMITTER_EMAIL: 'o@x' };

async function ready(files: Record<string, string> = { 'a.txt': numbers() }): Promise<Landing> {
  const home = repository(files);
  const tree = await open(home);
  const tip = commit(tree.path, { 'a.txt': numbers({ 2: 'two' }) }, 'Mend a');
  const base = await findBase(home, { branch: AI });
  const store = openGit(home);
  const rehearsal = await rehearsePromotion(store, base.commit, tip, await promoteRange(store, base.commit, tip));
  return { home, base, tip, rehearsal, message: 'Promote\n', commit: { hooks: false, sign: false }, env: OWNER };
}

test('a base that moved since it was rehearsed is left alone, checked out or not, with hooks or without', async () => {
  for (const hooks of [false, true]) {
    for (const away of [false, true]) {
      const landing = { ...(await ready()), commit: { hooks, sign: false } };
      const { home } = landing;
      const moved = commit(home, { 'b.txt': 'mine\n' });
      if (away) git(home, 'switch', '-q', '-c', 'work');
      const { text, exit } = await refusal(land(landing));
      assert.is(
        text,
        'error E_PROMOTE_MOVED: main moved while the merge was made; nothing was merged\n  next:  look at it again: mendloop promote',
      );
      assert.equal([exit, git(home, 'rev-parse', 'main'), git(home, 'status', '--porcelain')], [1, moved, '']);
      assert.is(read(home, 'a.txt'), numbers());
    }
  }
});

test('a merge that breaks off after its files were written leaves the checkout as it was', async () => {
  const landing = await ready({ 'a.txt': numbers(), 'mine.txt': 'x\n' });
  const { home } = landing;
  // As on a full disk: files and index are written, and the ref is not.
  writeFileSync(join(home, '.git/refs/heads/main.lock'), '');
  const before = git(home, 'rev-parse', 'main');
  const { text } = await refusal(land(landing));
  assert.match(text, /^error E_GIT_FAILED/);
  assert.equal([git(home, 'rev-parse', 'main'), git(home, 'status', '--porcelain')], [before, '']);
  assert.is(read(home, 'a.txt'), numbers());
  rmSync(join(home, '.git/refs/heads/main.lock'));
  await land(landing);
  assert.equal([read(home, 'a.txt'), git(home, 'status', '--porcelain')], [numbers({ 2: 'two' }), '']);
});

/** Lands in a process of its own; resolves to the signal that ended it. */
function landApart(landing: Landing): Promise<NodeJS.Signals | null> {
  const code = `const { land } = await import('./src/promote/land.ts'); await land(${JSON.stringify(landing)});`;
  const args = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', code];
  const child = spawn(process.execPath, args, { stdio: 'ignore', env: { ...process.env, ...OWNER } });
  return new Promise((done) => child.once('close', (_code, signal) => done(signal)));
}

test('killed while git writes the files, git ends its work: the merge is whole', async () => {
  const landing = await ready({ 'a.txt': numbers(), '.gitattributes': 'a.txt filter=kill\n' });
  const { home } = landing;
  const filter = join(home, '.git/kill.sh');
  // Its parent is the shell that git starts, then git, then us.
  const parent = (of: string) => `$(ps -o ppid= -p ${of} | tr -d ' ')`;
  writeFileSync(
    filter,
    `#!/bin/sh\ngit=$PPID\ncase "$(ps -o comm= -p $git)" in git*) ;; *) git=${parent('$git')} ;; esac\nkill -9 ${parent('$git')}\nsleep 0.3\ncat\n`,
  );
  chmodSync(filter, 0o755);
  git(home, 'config', 'filter.kill.smudge', filter);
  const base = git(home, 'rev-parse', 'main');
  const signal = await landApart(landing);
  assert.is(signal, 'SIGKILL');
  for (const until = Date.now() + 5000; git(home, 'rev-parse', 'main') === base && Date.now() < until; ) {
    await new Promise((done) => setTimeout(done, 50));
  }
  git(home, 'config', '--unset', 'filter.kill.smudge');
  assert.is(git(home, 'rev-parse', 'main^2'), landing.tip);
  assert.equal([read(home, 'a.txt'), git(home, 'status', '--porcelain')], [numbers({ 2: 'two' }), '']);
  assert.not(existsSync(join(home, '.git/MERGE_HEAD')));
});

test.run();
