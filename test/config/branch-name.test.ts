import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBranchName } from '../../src/config/loop-config.ts';

test('a branch name is valid exactly when git says so', () => {
  const names = [
    'main',
    'ai/orchestrator-stage1',
    'a.b',
    'a@b',
    'ä',
    'a-',
    'x/.y',
    'a.lock',
    'a.lock/b',
    'a..b',
    'a b',
  ];
  names.push(
    '-a',
    '/a',
    'a/',
    'a//b',
    'a.',
    'a@{b',
    'a~',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a\tb',
    '.a',
    'HEAD',
  );
  for (const name of names) {
    const git = spawnSync('git', ['check-ref-format', '--branch', name], { cwd: '/' });
    assert.is(isBranchName(name), git.status === 0, name);
  }
  assert.not(isBranchName(''));
});

test('@ is refused although git expands it: it means HEAD', () => {
  assert.not(isBranchName('@'));
});

test.run();
