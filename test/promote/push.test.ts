// The AI branch goes to the named remote as it is, in the place of what this home pushed last and of nothing else.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sharePromotion } from '../../src/promote/promote.ts';
import { publicUrl, pullRequestPage } from '../../src/promote/push.ts';
import { AI, commit, folder, git, numbers, script } from '../worktree/repository.ts';
import { fixedHome, PORTS } from './fixed-home.ts';

async function withRemote(loop: object = { git: { push: 'fork' } }) {
  const h = await fixedHome({ loop });
  const remote = join(folder(), 'remote.git');
  git(h.home, 'init', '-q', '--bare', remote);
  h.git('remote', 'add', 'fork', remote);
  const push = async (dryRun = false) => {
    const request = { home: h.home, command: 'test', env: {}, dryRun };
    return (await sharePromotion(request, { push: true, pr: false }, PORTS)).pushed;
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

test('a remote that refuses it is told with its words', async () => {
  const h = await withRemote();
  const hook = join(h.remote, 'hooks/pre-receive');
  const isRefused = async () => {
    script(hook, 'echo "not today"; exit 1');
    const { text } = await h.refused(() => h.push());
    assert.match(text, 'not today');
    rmSync(hook);
  };
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await isRefused();
  await h.push();
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  await isRefused();
});

test('after the base moved, what this home pushed last is replaced by the branch as it is now', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.push();
  const pushed = h.tip();
  commit(h.home, { 'c.txt': 'mine\n' });
  await h.push();
  assert.not.equal(h.tip(), pushed);
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
  assert.is(h.git('config', '--get-all', `branch.${AI}.mendloop-pushed`), h.tip());
});

test('killed between the push and its record, this home still knows what it pushed', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  script(join(h.remote, 'hooks/post-receive'), 'exit 0');
  h.git('config', '--add', `branch.${AI}.mendloop-pushed`, h.tip());
  h.git('push', '-q', 'fork', `${h.tip()}:refs/heads/${AI}`);
  commit(h.home, { 'c.txt': 'mine\n' });
  await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
});

test('what somebody else pushed there stays, until its owner says that it may be replaced', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.push();
  const clone = join(folder(), 'clone');
  git(h.home, 'clone', '-q', '-b', AI, h.remote, clone);
  const theirs = commit(clone, { 'c.txt': 'theirs\n' });
  git(clone, 'push', '-q');
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  const before = h.there();
  const { text, exit } = await h.refused(() => h.push());
  const there = theirs.slice(0, 12);
  assert.is(exit, 2);
  assert.is(
    text,
    `error E_PUSH_NOT_OURS: ${AI} on fork is at ${there}, which this home did not push; one home pushes a branch, so nothing was pushed
  next:  see what it is:
         git fetch fork ${AI}
         git log --oneline ${AI}..FETCH_HEAD
         if another machine pushes it, give this one a branch of its own, with all that is on it:
         git branch -m ${AI} ai/<machine>
         and write branch: ai/<machine> in ai/loop.yaml
         if somebody else's commits are to come here: git -C ai/worktree cherry-pick ${AI}..${theirs}
         if it may be replaced by what is here: git config --replace-all branch.${AI}.mendloop-pushed ${theirs}`,
  );
  assert.is(h.there(), before);
  const typed = text.split('\n').map((line) => line.replace(/^ *(?:next:)? */, ''));
  h.git(...(typed.find((line) => line.startsWith('git fetch')) as string).split(' ').slice(1));
  const pick = typed.find((line) => line.includes('cherry-pick'))?.replace(/^.*?: git /, '');
  h.git(...(pick as string).split(' '));
  const take = typed.find((line) => line.includes('git config'))?.replace(/^.*?: git /, '');
  h.git(...(take as string).split(' '));
  await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
  assert.is(h.tree('c.txt'), 'theirs\n');
});

test('a branch of that name that another machine pushed first is not taken over', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  h.git('push', '-q', 'fork', `main:refs/heads/${AI}`);
  assert.match((await h.refused(() => h.push())).text, 'E_PUSH_NOT_OURS');
  assert.is(h.there(), `refs/heads/${AI} ${h.git('rev-parse', 'main')}`);
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
