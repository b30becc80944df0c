// What names and first lines of files say about them.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { carriedPaths } from '../../../src/fix/gate/protected-names.ts';
import { wantsShellCheck } from '../../../src/fix/gate/shell-check.ts';

test('bash and shellcheck are asked about scripts for bash alone, and not about templates', () => {
  const asked: [string, string, boolean][] = [
    ['run.sh', 'log a\n', true],
    ['run', '#!/bin/sh\n', true],
    ['run.sh.j2', 'log a\n', false],
    ['run.zsh', 'log a\n', false],
    ['run', '#!/bin/zsh\n', false],
    ['a.yaml', 'a: b\n', false],
  ];
  for (const [path, text, isAsked] of asked) assert.is(wantsShellCheck(path, text), isAsked, path);
});

test('what is carried is the path and all below it', () => {
  assert.equal(carriedPaths(['keys/', 'a.yaml']), ['keys', 'keys/', 'a.yaml', 'a.yaml/']);
});

test.run();
