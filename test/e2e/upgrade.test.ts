// A whole home that version 0.1.0 made and nobody has touched since (test/fixtures/home-0-1.tar.gz: repository, state, logs, patches and
// cases; its worktree was removed): `vms` green, `talos` mended, `apps` handed over as a case and failed once more.
import { execFileSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AI, PACKAGE, scenario } from './scenario.ts';

const CASE = 'apps-10322ad4';

test('today it is read as it was left, its failure is known again, and mended it turns green', async () => {
  const s = scenario();
  execFileSync('tar', ['-xzf', `${PACKAGE}/test/fixtures/home-0-1.tar.gz`, '-C', s.home]);
  const answer = async (...args: string[]) => (await s.run(args)).stdout;
  assert.match(await answer('status'), /^vms +green.*\ntalos +green.*2 attempts\napps +failed/m);
  assert.match(await answer('cases'), new RegExp(`^${CASE} {2}waits for you`));
  assert.match(await answer('cases', 'show', CASE), 'quota of the namespace is used up');
  assert.match(
    await answer('fixes'),
    /talos {2}.* {2}Give talos\.sh Unix line ends\n {4}verified: the stage was green with it/,
  );

  const again = await s.run();
  assert.is(again.exit, 3, again.stderr);
  assert.match(again.stdout, /vms +green +still holds\ntalos +green +still holds\napps +started/);
  assert.match(
    again.stdout,
    /unknown; seen 3 times since .*\n.*quota of the namespace.*\n {4}waits for you: case apps-10322ad4 is open/,
  );

  s.commit({ 'apps.sh': '#!/bin/bash\necho fits now\n' }, 'Ask for less');
  const mended = await s.run();
  assert.is(mended.exit, 0, mended.stdout + mended.stderr);
  assert.match(mended.stdout, /green: 3 stages/);
  assert.match(await answer('cases'), /^no case/);
  assert.match(s.git('log', '--format=%s', `main..${AI}`), 'Give talos.sh Unix line ends');
});

test.run();
