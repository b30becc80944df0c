// Landing: a base that moves under it, an owner who goes elsewhere, or a process that is killed leaves no half-made merge.
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
import { KILL_LOOP } from '../kill-loop.ts';
import { AI, commit, flushes, git, numbers, open, read, refusal, repository, script } from '../worktree/repository.ts';

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

test('what was landed is on the disk before anybody names it, with hooks or without', async () => {
  for (const [hooks, commands] of [
    [false, ['commit-tree', 'update-ref', 'read-tree']],
    [true, ['merge']],
  ] as const) {
    const landing = { ...(await ready()), commit: { hooks, sign: false } };
    const waited = (await flushes(() => land(landing))).map((line) => line.split(' ')[0]);
    // It writes the index only where times of files say so.
    assert.equal(
      waited.filter((name) => name !== 'update-index'),
      commands,
    );
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

test('a lock of the index that was there before stays where it is, and nothing lands', async () => {
  const landing = await ready();
  const { home, base } = landing;
  const lock = join(home, '.git/index.lock');
  writeFileSync(lock, '');
  assert.match((await refusal(land(landing))).text, /^error E_GIT_FAILED/);
  assert.equal([git(home, 'rev-parse', 'main'), existsSync(lock), read(home, 'a.txt')], [base.commit, true, numbers()]);
});

/** A landing of `a.txt`, `new.txt` and without `old.txt`, whose file `z.txt` passes through `script` when git writes it. */
async function filtered(script: string): Promise<Landing> {
  const landing = await ready({
    'a.txt': numbers(),
    'old.txt': 'old\n',
    'z.txt': '1\n',
    '.gitattributes': 'z.txt filter=f\n',
  });
  const { home } = landing;
  const tree = join(home, 'ai/worktree');
  rmSync(join(tree, 'old.txt'));
  const tip = commit(tree, { 'new.txt': 'new\n', 'z.txt': '2\n' });
  const store = openGit(home);
  const { base } = landing;
  const rehearsal = await rehearsePromotion(store, base.commit, tip, await promoteRange(store, base.commit, tip));
  git(home, 'config', 'filter.f.smudge', script);
  git(home, 'config', 'filter.f.clean', 'cat');
  git(home, 'config', 'filter.f.required', 'true');
  return { ...landing, tip, rehearsal };
}

test('a checkout of which git could write only a part is put back, and so is the base', async () => {
  for (const script of ['exit 1;', 'kill -9 $PPID;']) {
    const landing = await filtered(script);
    const { home, base } = landing;
    assert.match((await refusal(land(landing))).text, /^error E_GIT_FAILED/);
    assert.not(existsSync(join(home, '.git/index.lock')), script);
    // Before anything else reads the index again: it knows the files that were written anew.
    if (script === 'exit 1;') assert.is(git(home, 'diff-files', '--name-only'), '');
    assert.equal([git(home, 'rev-parse', 'main'), git(home, 'status', '--porcelain')], [base.commit, ''], script);
    assert.equal(
      [read(home, 'a.txt'), read(home, 'old.txt'), existsSync(join(home, 'new.txt'))],
      [numbers(), 'old\n', false],
      script,
    );
  }
});

test('a base that went on from the merge keeps it when its checkout cannot follow, and how to bring it there is told', async () => {
  const mine = 'git -c user.name=O -c user.email=o@x commit-tree -p main -m mine main^{tree}';
  const landing = await filtered(`git update-ref refs/heads/main $(${mine}); exit 1;`);
  const { home, base } = landing;
  const { text } = await refusal(land(landing));
  const merge = git(home, 'rev-parse', 'main^');
  assert.match(text, `error E_GIT_FAILED: git could not bring ${home} to main, which has the merge`);
  assert.match(text, `git -C ${home} read-tree -m -u ${base.commit.slice(0, 12)} ${merge.slice(0, 12)}`);
  assert.equal(
    [git(home, 'log', '-1', '--format=%s', 'main'), git(home, 'rev-parse', 'main^^2')],
    ['mine', landing.tip],
  );
});

test('a merge commit that cannot be signed: nothing moves', async () => {
  const landing = { ...(await ready()), commit: { hooks: false, sign: true } };
  const { home, base } = landing;
  git(home, 'config', 'gpg.program', '/bin/false');
  assert.match((await refusal(land(landing))).text, /^error E_GIT_FAILED: git could not make the merge commit/);
  assert.equal([git(home, 'rev-parse', 'main'), ...at(home)], [base.commit, 'main', '']);
});

test('whoever leaves the base while its files are written keeps what they went to; the base has the merge', async () => {
  const landing = await filtered('git symbolic-ref HEAD refs/heads/work; cat');
  const { home, base } = landing;
  git(home, 'branch', 'work');
  const { commit: made, checkout } = await land(landing);
  assert.equal([git(home, 'rev-parse', 'main'), checkout], [made, undefined]);
  assert.equal([git(home, 'rev-parse', 'HEAD'), ...at(home)], [base.commit, 'work', '']);
  assert.equal(
    [read(home, 'a.txt'), read(home, 'old.txt'), existsSync(join(home, 'new.txt'))],
    [numbers(), 'old\n', false],
  );
});

/** The landing of `ready`, in whose middle `script` runs in the owner's checkout: after all was looked at, before the base moves. */
async function interrupted(script: string, setUp: (home: string) => void = () => {}): Promise<Landing> {
  const landing = await ready();
  const { home } = landing;
  setUp(home);
  // It reads what it signs: git takes one that does not for a failed one, when it ends too soon.
  const signer = join(home, '.git/signer.sh');
  const signature = 'echo "-----BEGIN PGP SIGNATURE-----"; echo x; echo "-----END PGP SIGNATURE-----"';
  const apart = 'unset $(env | grep -o "^GIT_[A-Z_]*")';
  writeFileSync(
    signer,
    `#!/bin/sh\ncat > /dev/null\n${apart}\n(cd '${home}' && ${script}) >&2\n${signature}\necho "[GNUPG:] SIG_CREATED " >&2\n`,
  );
  chmodSync(signer, 0o755);
  git(home, 'config', 'gpg.program', signer);
  return { ...landing, commit: { hooks: false, sign: true } };
}

const at = (home: string) => [git(home, 'rev-parse', '--abbrev-ref', 'HEAD'), git(home, 'status', '--porcelain')];

test('whoever leaves the base while the merge is made keeps what they went to; the base has the merge', async () => {
  for (const [script, branch] of [
    ['git switch -q -c work', 'work'],
    ['git switch -q --detach', 'HEAD'],
  ] as const) {
    const landing = await interrupted(script);
    const { home, base } = landing;
    const { commit: made, checkout } = await land(landing);
    assert.equal([git(home, 'rev-parse', 'main'), checkout], [made, undefined], script);
    assert.equal([git(home, 'rev-parse', 'HEAD'), ...at(home)], [base.commit, branch, ''], script);
    assert.is(read(home, 'a.txt'), numbers(), script);
  }
});

test('a checkout that comes to the base while the merge is made follows it', async () => {
  const landing = await interrupted('git switch -q main', (home) => git(home, 'switch', '-q', '-c', 'work'));
  const { home } = landing;
  const { commit: made, checkout } = await land(landing);
  assert.equal([git(home, 'rev-parse', 'main'), checkout, ...at(home)], [made, home, 'main', '']);
  assert.is(read(home, 'a.txt'), numbers({ 2: 'two' }));
});

test('a file whose time alone is another one does not keep the checkout from following', async () => {
  const landing = await interrupted('touch -d 2001-01-01 a.txt');
  const { home } = landing;
  assert.is((await land(landing)).checkout, home);
  assert.equal([...at(home), read(home, 'a.txt')], ['main', '', numbers({ 2: 'two' })]);
});

test('where the checkout cannot follow, the base goes back, and what its owner wrote stays', async () => {
  const landing = await interrupted('echo mine > a.txt');
  const { home, base } = landing;
  const { text } = await refusal(land(landing));
  assert.match(text, /^error E_GIT_FAILED: .*merge into main/, text);
  assert.equal([git(home, 'rev-parse', 'main'), ...at(home)], [base.commit, 'main', 'M a.txt']);
  assert.is(read(home, 'a.txt'), 'mine\n');
});

test('a base that its owner moves while the merge is made is left alone', async () => {
  const landing = await interrupted('git -c user.name=O -c user.email=o@x commit -q --allow-empty -m mine');
  const { home } = landing;
  const { text } = await refusal(land(landing));
  assert.match(text, /^error E_PROMOTE_MOVED/);
  assert.equal([git(home, 'log', '-1', '--format=%s', 'main'), ...at(home)], ['mine', 'main', '']);
});

test('the base lands where it is: in another worktree, beside a detached HEAD, or checked out nowhere', async () => {
  for (const elsewhere of [true, false]) {
    const landing = await ready();
    const { home, base } = landing;
    git(home, 'switch', '-q', '--detach');
    const other = `${home}-other`;
    if (elsewhere) git(home, 'worktree', 'add', '-q', other, 'main');
    const { commit: made, checkout } = await land(landing);
    assert.equal([git(home, 'rev-parse', 'main'), checkout], [made, elsewhere ? other : undefined]);
    assert.equal(
      [git(home, 'rev-parse', 'HEAD'), ...at(home), read(home, 'a.txt')],
      [base.commit, 'HEAD', '', numbers()],
    );
    if (elsewhere) assert.equal([...at(other), read(other, 'a.txt')], ['main', '', numbers({ 2: 'two' })]);
    rmSync(other, { recursive: true, force: true });
  }
});

test('with hooks, a merge that went to a branch its owner had just gone to is taken back', async () => {
  const landing = { ...(await ready()), commit: { hooks: true, sign: false } };
  const { home, base } = landing;
  // The owner is on the base when it is looked at; the first hook is where they go elsewhere.
  writeFileSync(
    join(home, '.git/hooks/pre-merge-commit'),
    '#!/bin/sh\ngit branch work\ngit symbolic-ref HEAD refs/heads/work\n',
  );
  chmodSync(join(home, '.git/hooks/pre-merge-commit'), 0o755);
  const { text } = await refusal(land(landing));
  assert.match(text, /^error E_PROMOTE_MOVED/);
  assert.equal([git(home, 'rev-parse', 'main'), git(home, 'rev-parse', 'work')], [base.commit, base.commit]);
  assert.equal([...at(home), read(home, 'a.txt')], ['work', '', numbers()]);
});

test('with hooks, a base that one of them moves has what that one made, and no merge', async () => {
  const landing = { ...(await ready()), commit: { hooks: true, sign: false } };
  const { home } = landing;
  const mine = 'git -c user.name=O -c user.email=o@x commit-tree -p main -m mine main^{tree}';
  script(join(home, '.git/hooks/pre-merge-commit'), `git update-ref refs/heads/main $(${mine})\nexit 1`);
  assert.match((await refusal(land(landing))).text, /^error E_PROMOTE_MOVED/);
  assert.equal([git(home, 'log', '-1', '--format=%s', 'main'), ...at(home)], ['mine', 'main', '']);
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
  writeFileSync(filter, `#!/bin/sh\n${KILL_LOOP}\nsleep 0.3\ncat\n`);
  chmodSync(filter, 0o755);
  git(home, 'config', 'filter.kill.smudge', filter);
  const signal = await landApart(landing);
  assert.is(signal, 'SIGKILL');
  for (const until = Date.now() + 5000; existsSync(join(home, '.git/index.lock')) && Date.now() < until; ) {
    await new Promise((done) => setTimeout(done, 50));
  }
  git(home, 'config', '--unset', 'filter.kill.smudge');
  assert.is(git(home, 'rev-parse', 'main^2'), landing.tip);
  assert.equal([read(home, 'a.txt'), git(home, 'status', '--porcelain')], [numbers({ 2: 'two' }), '']);
  assert.not(existsSync(join(home, '.git/MERGE_HEAD')));
});

test.run();
