import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainPlan } from '../../src/inspect/plan.ts';
import { systemClock } from '../../src/io/clock.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import { homelab, reconfigure, run } from '../run/homelab.ts';
import { FILE, mendable, says } from '../run/probe.ts';
import { checkoutHash, commit, git } from '../worktree/repository.ts';

const CHAIN = {
  vms: { command: 'echo 1 > "$MENDLOOP_OUT/ips"', outputs: { ips: 'ips' }, files: ['config/'] },
  talos: { command: 'true', needs: ['vms'], matrix: { host: ['a', 'b'] } },
  extra: { command: 'exit 4', on_failure: 'skip' },
  last: { command: 'true', needs: ['extra'] },
};
const FILES = { 'config/vms.yaml': 'a: 1\n' };

async function rows(home: string, more: { recheck?: boolean; stages?: string[]; forced?: boolean } = {}) {
  const selection = { stages: [], withNeeds: false, forced: false, recheck: true, ...more };
  const { rows: found } = await explainPlan(home, selection);
  return found.map((row) => `${row.step} ${row.state}: ${row.why}`);
}

test('before the first run all is to do, and looking writes nothing', async () => {
  const home = homelab(CHAIN, {}, FILES);
  const before = checkoutHash(home);
  assert.equal(await rows(home), [
    'vms TODO: never run',
    'talos[host=a] TODO: never run',
    'talos[host=b] TODO: never run',
    'extra TODO: never run',
    'last TODO: never run',
  ]);
  assert.is(checkoutHash(home), before);
});

test('after a run each step says what it is and why', async () => {
  const home = homelab(CHAIN, {}, FILES);
  await run(home);
  assert.equal(await rows(home), [
    'vms DONE: green; its checks are run again',
    'talos[host=a] DONE: green; nothing to check',
    'talos[host=b] DONE: green; nothing to check',
    'extra FAILED: failed: exit code 4; it is tried again',
    'last TODO: was skipped: needs extra, which failed',
  ]);
  assert.equal((await rows(home, { recheck: false }))[0], 'vms DONE: green');
  assert.equal(await rows(home, { stages: ['vms'], forced: true }), ['vms TODO: asked for by retry']);
});

test('what changed is named, and what may follow from it', async () => {
  const home = homelab(CHAIN, {}, FILES);
  await run(home);
  commit(home, { 'config/vms.yaml': 'a: 2\n' });
  assert.equal((await rows(home)).slice(0, 2), [
    'vms TODO: its files changed',
    'talos[host=a] TODO: green, but vms may publish something new',
  ]);
  const talos = { ...CHAIN.talos, verify: ['true'], command: 'echo other' };
  reconfigure(home, { ...CHAIN, talos }, { retry_failed: false });
  assert.equal((await rows(home)).slice(1, 4), [
    'talos[host=a] TODO: its command changed, its checks changed',
    'talos[host=b] TODO: its command changed, its checks changed',
    'extra FAILED: failed: exit code 4; retry_failed is off',
  ]);
});

test('a base that moved, or was rewritten, is planned with the fixes that it does not have: only what it changed is to do', async () => {
  const { home, probe } = mendable();
  probe.answers(says('good'));
  assert.is((await run(home)).exit, 0);
  const before = (await rows(home))[0];
  commit(home, { 'elsewhere.txt': 'mine\n' });
  assert.is((await rows(home))[0], before, 'merged');
  assert.is((await run(home)).exit, 0);
  git(home, 'commit', '-q', '--amend', '-m', 'Another message');
  assert.is((await rows(home))[0], before, 'made anew');
  commit(home, { [FILE]: 'good\nmine\n' });
  assert.is((await rows(home))[0], 'a TODO: its files changed', 'the text of the owner wins');
});

test('a missing output of a need makes a step to do again', async () => {
  const home = homelab(CHAIN, {}, FILES);
  await run(home);
  rmSync(join(home, 'ai/state/out/vms/ips'));
  assert.is((await rows(home))[1], 'talos[host=a] TODO: an output it needs changed');
});

test('a stage without checks is to do again behind a need that is made again, and the run does so', async () => {
  const noop = (stage: object) => ({ command: 'true', ...stage });
  const home = homelab(
    {
      vms: noop({ files: ['config/'] }),
      blind: noop({ needs: ['vms'] }),
      behind: noop({ needs: ['vms', 'blind'] }),
      checked: noop({ needs: ['vms'], verify: ['true'] }),
      once: noop({ needs: ['vms'], rerun: false }),
    },
    {},
    FILES,
  );
  await run(home);
  commit(home, { 'config/vms.yaml': 'a: 2\n' });
  const plan = await rows(home);
  assert.equal(plan, [
    'vms TODO: its files changed',
    'blind TODO: green, but vms is to be made again, and it has no checks',
    'behind TODO: green, but vms, blind are to be made again, and it has no checks',
    'checked DONE: green; its checks are run again',
    'once DONE: green; nothing to check',
  ]);
  const again = await run(home);
  const ran = new Set(again.events.filter(({ type }) => type === 'attempt.started').map(({ step }) => step));
  assert.equal([...ran], ['vms', 'blind', 'behind'], 'what was said to be to do');
});

test('what needs a stage that waits for a person is left as it is, in plan and run', async () => {
  const stages = (command: string) => ({
    vms: { command, rerun: false },
    blind: { command: 'true', needs: ['vms'] },
  });
  const home = homelab(stages('true'));
  await run(home);
  reconfigure(home, stages('exit 4'));
  await run(home);
  assert.equal(await rows(home), [
    'vms FAILED: not run again by itself (rerun: false); use retry',
    'blind DONE: green; nothing to check',
  ]);
  const { trail, stages: after } = await run(home);
  assert.not(trail.includes('step.started blind'));
  assert.is(after.stages.blind?.status, 'green');
});

test('a stage that was reset says so', async () => {
  const home = homelab(CHAIN, {}, FILES);
  await run(home);
  await resetStages({ home, stages: ['talos'], command: 'reset talos' }, { clock: systemClock, graceMs: 100 });
  assert.equal((await rows(home)).slice(0, 3), [
    'vms DONE: green; its checks are run again',
    'talos[host=a] TODO: was reset',
    'talos[host=b] TODO: was reset',
  ]);
  await run(home);
  assert.is((await rows(home))[1], 'talos[host=a] DONE: green; nothing to check');
});

test.run();
