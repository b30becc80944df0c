// What becomes of a kept fix once the base has it, or nobody has it any more: the ledger follows it by stage, failure and patch,
// whatever its commit.
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AI, commit, git } from '../worktree/repository.ts';
import { failuresIn, run } from './homelab.ts';
import { FILE, fixTrail, mendable, says } from './probe.ts';

async function mended() {
  const made = mendable({ files: { 'other.txt': 'one\n' } });
  made.probe.answers(says('good'));
  assert.is((await run(made.home)).exit, 0);
  return { ...made, patch: () => failuresIn(made.home)[0]?.patches[0] };
}

test('a kept fix remembers its base, and goes by its new commit when it is carried', async () => {
  const { home, patch } = await mended();
  assert.is(patch()?.base, git(home, 'rev-parse', 'main'));
  const before = patch()?.commit;
  commit(home, { 'other.txt': 'two\n' });
  assert.is((await run(home)).exit, 0);
  assert.equal([patch()?.commit, patch()?.outcome], [git(home, 'rev-parse', AI), 'kept']);
  assert.is.not(patch()?.commit, before);
  assert.match(git(home, 'log', '-1', '--format=%B', AI), /^Fix-Id: [0-9a-f]{16}$/m);
});

test('landed: merged, picked or squashed, and no note; reverted on the base later, it is superseded and not flapping', async () => {
  const ways: Record<string, (home: string) => unknown> = {
    merged: (home) => git(home, 'merge', '-q', '--ff-only', AI),
    picked: (home) => git(home, 'cherry-pick', '-x', AI),
    squashed: (home) => git(home, 'merge', '-q', '--squash', AI) + git(home, 'commit', '-q', '-m', 'squash'),
  };
  for (const [way, land] of Object.entries(ways)) {
    const { home, patch, probe, tree } = await mended();
    land(home);
    const landed = await run(home);
    assert.equal([landed.exit, fixTrail(landed.events), patch()?.outcome], [0, [], 'kept'], way);
    assert.is(patch()?.landed, git(home, 'rev-parse', 'main'), way);
    assert.is(git(home, 'rev-parse', AI), git(home, 'rev-parse', 'main'), way);
    commit(home, { 'other.txt': 'two\n' });
    assert.equal(fixTrail((await run(home)).events), [], way);
    commit(home, { [FILE]: 'bad\nsecond\n' });
    probe.answers(says('good'));
    const next = await run(home);
    assert.is(fixTrail(next.events)[0], 'fix.judged superseded', way);
    assert.equal([next.exit, tree()], [0, 'good\nsecond\n'], way);
  }
});

test('changed further by the owner once it had landed, it is theirs and nothing is said', async () => {
  const { home } = await mended();
  git(home, 'merge', '-q', '--ff-only', AI);
  await run(home);
  commit(home, { [FILE]: 'good\nsecond, better\n' });
  assert.equal(fixTrail((await run(home)).events), []);
});

test('dropped from the branch by hand, it is superseded once the base moves', async () => {
  const { home, patch } = await mended();
  git(join(home, 'ai/worktree'), 'reset', '-q', '--hard', 'main');
  commit(home, { [FILE]: 'good\nmine\n' });
  const next = await run(home);
  assert.equal([fixTrail(next.events), patch()?.outcome], [['fix.judged superseded'], 'superseded']);
});

test.run();
