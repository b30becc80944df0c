// A backend of the owner's own: what it runs, and what becomes of what it had begun.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { withLock } from '../../src/io/lock.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { closeOpenRun } from '../../src/run/close-run.ts';
import { cutOff, homelab, journalIn, NOTE, ranSteps, run } from '../run/homelab.ts';

const OWN = `export default {
  name: 'mine',
  backend: () => ({
    async run({ command: [program, ...args], folder, env }) {
      const { spawnSync } = await import('node:child_process');
      const { status } = spawnSync(program, args, { cwd: folder, env });
      return { exit_code: status, signal: null, timed_out: false };
    },
  }),
};
`;

test("a backend of the owner's own runs the attempts", async () => {
  const home = homelab(
    { a: { command: NOTE }, b: { command: `${NOTE}; exit 3` } },
    { backend: 'mine' },
    { 'plugins/backends/mine.mjs': OWN },
  );
  const { exit, result, run: id } = await run(home);
  assert.equal([exit, result.error?.message, ranSteps(home)], [1, 'exit code 3', ['a', 'b']]);
  assert.match(readFileSync(join(home, `ai/state/runs/${id}/jobs/1/job.json`), 'utf8'), '"step":"a"');
});

test('a worktree that somebody moves under an own backend halts the run: nothing is asked for again and again', async () => {
  const moving = OWN.replace(
    'const { status }',
    "spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--allow-empty', '-qm', 'moved'], { cwd: folder });\n      const { status }",
  );
  const home = homelab({ a: { command: NOTE } }, { backend: 'mine' }, { 'plugins/backends/mine.mjs': moving });
  const { exit, result } = await run(home, {}, { signal: AbortSignal.timeout(60_000) });
  assert.match(JSON.stringify([exit, result]), 'somebody moved it while attempts were under way');
  assert.equal([exit, ranSteps(home)], [3, []]);
});

test('what an own backend had begun is not taken for gone, unless its owner says so; without Slurm a person can close a run', async () => {
  const home = homelab({ a: { command: 'true' } }, { backend: 'mine' }, { 'plugins/backends/mine.mjs': OWN });
  const { run: id } = await run(home);
  cutOff(home, id, ({ type }) => type === 'job.intended');
  const layout = layoutOf(home);
  rmSync(join(layout.jobs(id), '1/0.result.json'));
  const ports = { layout, clock: systemClock, graceMs: 100, env: { PATH: '/nonexistent' } };
  await withLock(layout, 'test', async () => {
    const refused = await closeOpenRun(loadStages(layout), 'test', ports).catch((error) => error);
    assert.is(refused.code, 'E_LEFTOVER');
    assert.is(await closeOpenRun(loadStages(layout), 'test', ports, true), id);
  });
  const events = journalIn(home, id);
  const upTo = events.slice(0, events.findIndex(({ type }) => type === 'job.intended') + 1);
  const asSlurm = upTo.map((event) => JSON.stringify(event).replace('"backend":"mine"', '"backend":"slurm-dag"'));
  writeFileSync(layout.journal(id), `${asSlurm.join('\n')}\n`);
  rmSync(layout.stages);
  rmSync(layout.runFile(id), { force: true });
  await withLock(layout, 'test', async () => {
    const refused = await closeOpenRun(loadStages(layout), 'test', ports).catch((error) => error);
    assert.is(refused.code, 'E_JOBS_LEFT');
    assert.is(await closeOpenRun(loadStages(layout), 'test', ports, true), id);
  });
});

test.run();
