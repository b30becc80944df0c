// The AI branch goes to the named remote as it is, and never over what is there.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sharePromotion } from '../../src/promote/promote.ts';
import { publicUrl, pullRequestPage } from '../../src/promote/push.ts';
import { AI, commit, folder, git, numbers, script } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

async function withRemote(loop: object = { git: { push: 'fork' } }) {
  const h = await fixedHome({ loop });
  const remote = join(folder(), 'remote.git');
  git(h.home, 'init', '-q', '--bare', remote);
  h.git('remote', 'add', 'fork', remote);
  const push = async (dryRun = false) => {
    const request = { home: h.home, command: 'test', env: {}, dryRun };
    return (await sharePromotion(request, { push: true, pr: false })).pushed;
  };
  const there = () => git(remote, 'for-each-ref', '--format=%(refname) %(objectname)');
  return { ...h, remote, push, there };
}

test('the branch alone is pushed, at its tip; a dry run sends nothing', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('tag', '-a', '-m', 'x', 'v1', AI);
  h.git('config', 'push.followTags', 'true');
  await h.push(true);
  assert.is(h.there(), '');
  const pushed = await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
  assert.equal([pushed?.remote, pushed?.url, pushed?.page], ['fork', h.remote, undefined]);
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  commit(h.home, { 'c.txt': 'the base goes on elsewhere\n' });
  script(join(h.remote, 'hooks/post-receive'), 'echo; echo "see https://host/new"');
  assert.equal((await h.push())?.said, ['see https://host/new'], "the remote's lines without git's");
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
});

test('a remote that refuses it is told with its words; the branch was not made anew', async () => {
  const h = await withRemote();
  const hook = join(h.remote, 'hooks/pre-receive');
  const isRefused = async () => {
    script(hook, 'echo "not today"; exit 1');
    const { text } = await h.refused(() => h.push());
    assert.equal([text.includes('not today'), text.includes('made anew')], [true, false], text);
    rmSync(hook);
  };
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await isRefused();
  await h.push();
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  await isRefused();
});

test('what was not made here stays on the remote, until its owner takes it in', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.push();
  const clone = join(folder(), 'clone');
  git(h.home, 'clone', '-q', '-b', AI, h.remote, clone);
  const theirs = commit(clone, { 'c.txt': 'theirs\n' });
  git(clone, 'push', '-q');
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  const before = h.there();
  assert.equal(await h.refused(() => h.push()), {
    text: `error E_PUSH_NOT_OURS: ${AI} on fork is at ${theirs.slice(0, 12)}, which was not made here; nothing was pushed
  next:  see what it is:
         git fetch fork ${AI}
         git log --oneline ${AI}..FETCH_HEAD
         if another machine made it, give this one a branch of its own, with all that is on it:
         git branch -m ${AI} ai/<machine>
         and write branch: ai/<machine> in ai/loop.yaml
         if it is to come here: git -C ai/worktree pull --no-rebase fork ${AI}
         if nobody needs it any more: git push fork --delete ${AI}`,
    exit: 2,
  });
  assert.is(h.there(), before);
  h.git('-C', 'ai/worktree', 'pull', '-q', '--no-rebase', 'fork', AI);
  await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
});

test("another machine's branch is not taken over when the base has all of it", async () => {
  const h = await withRemote();
  const theirs = commit(h.home, { 'c.txt': 'landed\n' });
  h.git('push', '-q', 'fork', `${theirs}:refs/heads/${AI}`);
  h.git('-C', 'ai/worktree', 'merge', '-q', 'main');
  h.git('reflog', 'expire', '--expire=all', AI);
  await h.fix('a.txt', numbers({ 2: 'two' }));
  assert.match((await h.refused(() => h.push())).text, 'E_PUSH_NOT_OURS');
  assert.is(h.there(), `refs/heads/${AI} ${theirs}`);
});

test('a branch that was made anew is not forced; the command that would is named', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.push();
  const pushed = h.tip();
  h.git('-C', 'ai/worktree', 'reset', '-q', '--hard', 'main');
  await h.fix('a.txt', numbers({ 3: 'three' }));
  const { text, exit } = await h.refused(() => h.push());
  assert.is(exit, 3);
  assert.match(text, `error E_PUSH_REFUSED: ${AI} could not be pushed to fork, and is never forced`);
  assert.match(text, /\[rejected\]/);
  const command = `git push --force-with-lease=${AI}:${pushed} fork ${AI}`;
  assert.match(text, `it was made anew since it was pushed; to replace it there yourself:\n         ${command}`);
  h.git(...command.split(' ').slice(1));
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
});

test('where a merge elsewhere would bring back what the base dropped, nothing is pushed', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  commit(h.home, { 'a.txt': numbers() }, 'not so');
  await h.fix('a.txt', numbers({ 2: 'two', 20: 'twenty' }));
  assert.equal(await h.refused(() => h.push()), {
    text: `error E_PUSH_BEHIND: main has some of ${AI} and went on since; merged elsewhere, it would bring back what main dropped
  next:  let a run bring it in first: mendloop`,
    exit: 3,
  });
  assert.is(h.there(), '');
});

test('a fix of another file than those that landed is pushed, though the base went on', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('merge', '-q', '--squash', AI);
  h.git('commit', '-q', '-m', 'squashed');
  await h.fix('b.txt', numbers({ 2: 'two' }), { stage: 'b' });
  await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
});

test('a remote that cannot be asked is told with what git said', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('remote', 'set-url', 'fork', '/nonexistent/lab.git');
  const { text, exit } = await h.refused(() => h.push());
  assert.is(exit, 3);
  assert.match(text, "'/nonexistent/lab.git' does not appear to be a git repository");
  assert.match(text, `git fetch fork ${AI}`);
});

test('without a remote, with one that is not there, with nothing to promote or a fix not verified: refused', async () => {
  const none = await withRemote({});
  await none.fix('a.txt', numbers({ 2: 'two' }));
  assert.equal(await none.refused(() => none.push()), {
    text: `error E_PUSH_REMOTE: no remote to push to is named
  next:  name one in ai/loop.yaml and commit it: git: { push: <remote> }
         remotes here: fork`,
    exit: 2,
  });
  none.git('remote', 'remove', 'fork');
  const advice = /remotes here: none; add one: git remote add origin <address>$/;
  assert.match((await none.refused(() => none.push())).text, advice);
  const other = await withRemote({ git: { push: 'upstream' } });
  await other.fix('a.txt', numbers({ 2: 'two' }));
  assert.match((await other.refused(() => other.push())).text, 'there is no remote "upstream"');
  const h = await withRemote();
  assert.match((await h.refused(() => h.push())).text, 'E_PROMOTE_NOTHING');
  await h.fix('a.txt', numbers({ 2: 'two' }), { outcome: 'applied' });
  assert.match((await h.refused(() => h.push())).text, 'E_PROMOTE_UNVERIFIED');
  assert.is(h.there(), '');
});

test('the page of a pull request is known for a few hosts; no password is ever shown', () => {
  const page = (url: string) => pullRequestPage(url, 'main', 'ai/one two');
  const github = 'https://github.com/me/lab/compare/main...ai/one%20two?expand=1';
  for (const url of [
    'git@github.com:me/lab.git',
    'https://me:secret@github.com/me/lab',
    'ssh://git@github.com:22/me/lab.git/',
  ]) {
    assert.is(page(url), github, url);
  }
  assert.is(
    page('https://gitlab.example.org/group/sub/lab.git'),
    'https://gitlab.example.org/group/sub/lab/-/merge_requests/new?merge_request%5Bsource_branch%5D=ai%2Fone%20two&merge_request%5Btarget_branch%5D=main',
  );
  const forges = ['codeberg.org', 'gitea.example.org', 'git.gitea.io'];
  for (const host of forges) {
    assert.is(page(`git@${host}:me/lab.git`), `https://${host}/me/lab/compare/main...ai%2Fone%20two`, host);
  }
  for (const url of ['/srv/git/lab.git', '../lab', 'https://git.example.org/lab', '', 'file:///srv/lab']) {
    assert.is(page(url), undefined, url);
  }
  assert.is(publicUrl('https://me:secret@example.org/lab'), 'https://example.org/lab');
  assert.is(publicUrl('git@example.org:lab'), 'git@example.org:lab');
});

test.run();
