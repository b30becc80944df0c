// One commit in its owner's name, signed as theirs and made under their hooks; it lands as anything else, and the branch is put
// onto it.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { acceptPromotion } from '../../src/promote/promote.ts';
import { git, numbers, script, write } from '../worktree/repository.ts';
import { fixedHome, PORTS } from './fixed-home.ts';

function hook(home: string, name: string, text: string): void {
  writeFileSync(join(home, '.git/hooks', name), `#!/bin/sh\n${text}\n`);
  chmodSync(join(home, '.git/hooks', name), 0o755);
}

test('one commit of the owner that names every fix; the branch is put onto it, and nothing is left to promote', async () => {
  for (const hooks of [false, true]) {
    const h = await fixedHome({ loop: { git: { hooks } } });
    const one = await h.fix('a.txt', numbers({ 2: 'two' }), { note: 'Say two' });
    await h.fix('new/c.txt', 'made\n', { stage: 'b', fingerprint: 'f2' });
    const base = h.git('rev-parse', 'main');
    const tip = h.tip();
    const { landed } = await h.accept(tip, !hooks);
    assert.equal(h.git('log', '-1', '--format=%H|%P|%an <%ae>|%cn|%s', 'main').split('|'), [
      landed,
      base,
      'Olga Owner <olga@example.org>',
      'Olga Owner',
      'Promote 2 fixes of a, b',
    ]);
    const trailers = h.git('log', '-1', '--format=%(trailers:key=Promoted-fix,valueonly)').split('\n').filter(Boolean);
    assert.equal([trailers.length, trailers[0]], [2, one]);
    assert.match(h.git('log', '-1', '--format=%b'), `- a: Say two (${one.slice(0, 12)}, probe, f1)`);
    assert.equal([h.git('status', '--porcelain'), h.git('diff', tip, 'main'), h.tip()], ['', '', landed]);
    assert.is((await h.show()).nothing, true);
    assert.not(existsSync(join(h.home, 'ai/state/squash')));
    assert.is(h.git('worktree', 'list').split('\n').length, 2);
  }
});

test('in the name that the environment gives, where it gives one', async () => {
  for (const hooks of [false, true]) {
    const h = await fixedHome({ loop: { git: { hooks } } });
    await h.fix('a.txt', numbers({ 2: 'two' }));
    h.git('config', '--add', 'user.email', 'olga@latest');
    const env = { GIT_AUTHOR_NAME: 'Anna', GIT_AUTHOR_EMAIL: 'anna@env', GIT_COMMITTER_NAME: 'Carl' };
    await acceptPromotion({ home: h.home, command: 'test', env, dryRun: false, squash: true }, h.tip(), PORTS);
    assert.is(h.git('log', '-1', '--format=%an %ae %cn %ce', 'main'), 'Anna anna@env Carl olga@latest');
  }
});

test('where git does not know the owner, nothing lands', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  const accept = (env: Record<string, string>) =>
    acceptPromotion({ home: h.home, command: 'test', env, dryRun: false, squash: true }, h.tip(), PORTS);
  h.git('config', '--unset', 'user.email');
  const { text, exit } = await h.refused(() => accept({}));
  assert.equal([exit, /E_NO_IDENTITY/.test(text)], [2, true]);
  h.git('config', '--unset', 'user.name');
  assert.match((await h.refused(() => accept({ EMAIL: 'olga@env' }))).text, 'E_NO_IDENTITY', 'an address is no name');
  h.git('config', 'user.name', 'Olga Owner');
  await accept({ EMAIL: 'olga@env' });
  assert.is(h.git('log', '-1', '--format=%an %ae', 'main'), 'Olga Owner olga@env');
});

test('a commit that cannot be signed, or that a hook refuses or changes: nothing moves', async () => {
  const signed = await fixedHome({ loop: { git: { sign: true } } });
  await signed.fix('a.txt', numbers({ 2: 'two' }));
  signed.git('config', 'gpg.program', '/bin/false');
  assert.match((await signed.refused(() => signed.accept())).text, 'E_GIT_FAILED: git could not make the commit');

  const h = await fixedHome({ loop: { git: { hooks: true } } });
  await h.fix('a.txt', numbers({ 2: 'two' }));
  hook(h.home, 'pre-commit', 'echo "not on a Friday" >&2; exit 1');
  const { text } = await h.refused(() => h.accept());
  assert.match(text, 'E_GIT_FAILED: git could not make the commit');
  assert.match(text, 'not on a Friday');
  hook(h.home, 'pre-commit', 'echo changed >> a.txt; git add a.txt');
  assert.match((await h.refused(() => h.accept())).text, 'a hook changed what you accepted: a.txt');
  assert.is(h.git('worktree', 'list').split('\n').length, 2);
});

test('hooks see what lands as staged, may add to the message, and those of a relative path are found', async () => {
  const h = await fixedHome({ loop: { git: { hooks: true } } });
  await h.fix('a.txt', numbers({ 2: 'two' }));
  write(h.home, { '.husky/.gitignore': '*\n' });
  script(
    join(h.home, '.husky/pre-commit'),
    `git diff --cached --name-only > '${h.home}/.git/seen'; cat a.txt >> '${h.home}/.git/seen'`,
  );
  script(join(h.home, '.husky/commit-msg'), 'echo "Reviewed: yes" >> "$1"');
  h.git('config', 'core.hooksPath', '.husky');
  await h.accept();
  assert.is(h.read('.git/seen'), `a.txt\n${numbers({ 2: 'two' })}`);
  assert.match(h.git('log', '-1', '--format=%B'), /^Promote 1 fix of a\n(?:.*\n)*Reviewed: yes$/);
  assert.equal([h.read('a.txt'), git(h.home, 'status', '--porcelain')], [numbers({ 2: 'two' }), '']);
});

test('without hooks or signing asked for, no hook runs', async () => {
  const h = await fixedHome();
  await h.fix('a.txt', numbers({ 2: 'two' }));
  for (const name of ['pre-commit', 'commit-msg', 'post-merge']) hook(h.home, name, 'touch .git/ran; exit 1');
  await h.accept(undefined, true);
  assert.not(existsSync(join(h.home, '.git/ran')));
});

test.run();
