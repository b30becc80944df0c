// The AI branch goes to the named remote as it is, and never over what is there.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pushPromotion } from '../../src/promote/promote.ts';
import { publicUrl, pullRequestPage } from '../../src/promote/push.ts';
import { AI, commit, folder, git, numbers } from '../worktree/repository.ts';
import { fixedHome } from './fixed-home.ts';

async function withRemote(loop: object = { git: { push: 'fork' } }) {
  const h = await fixedHome({ loop });
  const remote = join(folder(), 'remote.git');
  git(h.home, 'init', '-q', '--bare', remote);
  h.git('remote', 'add', 'fork', remote);
  const push = (dryRun = false) => pushPromotion({ home: h.home, command: 'test', env: {}, dryRun });
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
  const { pushed } = await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
  assert.equal([pushed.remote, pushed.url, pushed.page], ['fork', h.remote, undefined]);
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  await h.push();
  assert.is(h.there(), `refs/heads/${AI} ${h.tip()}`);
});

test('what is on the remote and not here stays; the refusal says what git said', async () => {
  const h = await withRemote();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  await h.push();
  const clone = join(folder(), 'clone');
  git(h.home, 'clone', '-q', '-b', AI, h.remote, clone);
  commit(clone, { 'c.txt': 'theirs\n' });
  git(clone, 'push', '-q');
  await h.fix('a.txt', numbers({ 2: 'two', 9: 'more' }));
  const before = h.there();
  const { text, exit } = await h.refused(() => h.push());
  assert.is(exit, 3);
  assert.match(text, `error E_PUSH_REFUSED: ${AI} could not be pushed to fork, and is never forced`);
  assert.match(text, /\[rejected\]/);
  assert.match(text, `git log --oneline ${AI}..FETCH_HEAD`);
  assert.is(h.there(), before);
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
  for (const url of ['/srv/git/lab.git', '../lab', 'https://git.example.org/lab', '', 'file:///srv/lab']) {
    assert.is(page(url), undefined, url);
  }
  assert.is(publicUrl('https://me:secret@example.org/lab'), 'https://example.org/lab');
  assert.is(publicUrl('git@example.org:lab'), 'git@example.org:lab');
});

test.run();
