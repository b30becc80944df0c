// Two machines with one repository: neither pushes onto the other's AI branch; with a branch of its own each shares its
// fixes.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AI, contextMap, folder, scenario } from './scenario.ts';

test("another machine's AI branch is refused; with a branch: of its own each machine's fixes arrive", async () => {
  const one = scenario({
    'ai/context_map.yaml': contextMap({ web: { command: 'stages/web.sh', files: ['stages/'] } }),
    'ai/loop.yaml': 'executors: [known-fixes]\nescalations: []\ngit: {push: origin, protected: true}\n',
    'stages/web.sh': '#!/usr/bin/env bash\r\nset -eu\r\necho fine\r\n',
  });
  const remote = join(folder(), 'lab.git');
  const two = join(folder(), 'two');
  const git = (dir: string, ...args: string[]) => execFileSync('git', args, { cwd: dir, encoding: 'utf8' }).trim();
  git(one.home, 'clone', '-q', '--bare', one.home, remote);
  one.git('remote', 'add', 'origin', remote);
  git(one.home, 'clone', '-q', remote, two);
  const onTwo = (...args: string[]) => one.run(args, { cwd: two });
  const there = () => git(remote, 'for-each-ref', '--format=%(refname:short) %(objectname)').split('\n');

  assert.is((await one.run()).exit, 0);
  const shown = (await one.run(['promote'])).stdout.trimEnd().split('\n');
  assert.equal(shown.slice(-4, -1), [
    'main is protected, so for a pull request:',
    'mendloop promote --push --pr',
    'to land exactly this:',
  ]);
  const pushed = await one.run(['promote', '--push', '--json']);
  const tip = one.git('rev-parse', AI);
  const { branch, remote: to, pull_request: pull } = JSON.parse(pushed.stdout);
  assert.equal([pushed.exit, branch, to, pull], [0, AI, 'origin', null]);

  assert.is((await onTwo()).exit, 0, 'it works by itself, and does not know of the other');
  const before = there();
  const refused = await onTwo('promote', '--push');
  assert.is(refused.exit, 2);
  assert.match(
    refused.stderr,
    `E_PUSH_NOT_OURS: ${AI} on origin is at ${tip.slice(0, 12)}, which this home did not push`,
  );
  assert.equal(there(), before);

  // As the refusal says. Only `branch` and `base` are read from what is checked out: the rest stays the same for both.
  git(two, 'branch', '-m', AI, 'ai/two');
  git(two, 'switch', '-q', '-c', 'two');
  writeFileSync(join(two, 'ai/loop.yaml'), 'branch: ai/two\nbase: main\n');
  git(two, '-c', 'user.name=Two', '-c', 'user.email=two@example.org', 'commit', '-qam', 'This machine');
  const shared = await onTwo('promote', '--push', '--pr', '--json');
  assert.is(shared.exit, 0, shared.stdout);
  assert.match(JSON.parse(shared.stdout).pull_request.body, 'What mendloop mended on `ai/two`');
  assert.equal(there(), [`${AI} ${tip}`, `ai/two ${git(two, 'rev-parse', 'ai/two')}`, ...before.slice(1)]);
  const again = await onTwo();
  assert.equal([again.exit, /web {2}green {8}since/.test(again.stdout)], [0, true], again.stdout + again.stderr);
});

test.run();
