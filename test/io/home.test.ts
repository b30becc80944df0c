import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findHome } from '../../src/io/layout.ts';
import { folder, write } from '../environment.ts';
import { refusal } from '../refusal.ts';

function git(dir: string, ...args: string[]): void {
  const person = ['-c', 'user.name=Owner', '-c', 'user.email=owner@example.org', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...person, ...args], { cwd: dir, stdio: 'pipe' });
}

function repository(): string {
  const home = folder();
  git(home, 'init', '-q', '-b', 'main');
  write(home, { 'sub/deep/x': 'x' });
  git(home, 'add', '.');
  git(home, 'commit', '-q', '-m', 'first');
  return home;
}

const homeOf = (cwd: string, root?: string, env: NodeJS.ProcessEnv = {}) => findHome({ root, env, cwd });

test('home is the top level of the repository we are in', () => {
  const home = repository();
  assert.is(homeOf(home), home);
  assert.is(homeOf(join(home, 'sub/deep')), home);
});

test('--root goes before MENDLOOP_HOME, which goes before where we are; relative ones start where we are', () => {
  const [here, named, root] = [repository(), repository(), repository()];
  assert.is(homeOf(here, undefined, { MENDLOOP_HOME: named }), named);
  assert.is(homeOf(here, root, { MENDLOOP_HOME: named }), root);
  assert.is(homeOf(join(here, 'sub'), 'deep'), here);
});

test('inside a worktree home is its owner', () => {
  const home = repository();
  git(home, 'worktree', 'add', '-q', '-b', 'other', 'ai/worktree');
  assert.is(homeOf(join(home, 'ai/worktree/sub')), home);
  const elsewhere = join(folder(), 'tree');
  git(home, 'worktree', 'add', '-q', '-b', 'third', elsewhere);
  assert.is(homeOf(elsewhere), home);
});

test('a submodule is itself', () => {
  const [home, inner] = [repository(), repository()];
  git(home, 'submodule', '--quiet', 'add', inner, 'module');
  assert.is(homeOf(join(home, 'module')), join(home, 'module'));
});

test('a way through links leads to the real folder', () => {
  const home = repository();
  const link = join(folder(), 'link');
  symlinkSync(home, link);
  assert.is(homeOf(join(link, 'sub')), home);
});

test('a root that is no folder, or in no repository, is refused with what to do', () => {
  const dir = folder();
  writeFileSync(join(dir, 'file'), '');
  mkdirSync(join(dir, 'plain'));
  assert.match(
    refusal(() => homeOf(dir, 'none')),
    `error E_ROOT_MISSING: ${dir}/none is not a folder`,
  );
  assert.match(
    refusal(() => homeOf(dir, 'file')),
    'E_ROOT_MISSING',
  );
  assert.match(
    refusal(() => homeOf(join(dir, 'plain'))),
    'error E_NOT_GIT',
  );
});

test('a .git file that leads nowhere leaves the folder itself', () => {
  const dir = folder();
  writeFileSync(join(dir, '.git'), 'gitdir: /nonexistent/somewhere\n');
  assert.is(homeOf(dir), dir);
  writeFileSync(join(dir, '.git'), 'nonsense');
  assert.is(homeOf(dir), dir);
});

test.run();
