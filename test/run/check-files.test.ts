// Checks judge what is committed: what a check runs is as at HEAD before it runs, and whoever changed it has failed.
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { systemClock } from '../../src/io/clock.ts';
import { verifyStages } from '../../src/run/verify-stages.ts';
import { git, write } from '../worktree/repository.ts';
import { failuresIn, homelab, NOTE, type Ran, ranSteps, reconfigure, run } from './homelab.ts';
import { fixTrail, mendable, probe as probeOf, probePlugin, says } from './probe.ts';

const CHECK = 'test -e ../../up\n';
const OPEN = "echo 'exit 0'";
const inTree = (home: string, path: string) => readFileSync(join(home, 'ai/worktree', path), 'utf8');
const failedWith = ({ events }: Ran, step: string) =>
  events.find((e) => e.type === 'step.failed' && e.step === step)?.data ?? {};

const notesOf = ({ events }: Ran): string =>
  events
    .filter((e) => e.type === 'notice')
    .map((e) => e.data.text)
    .join('\n');

test('a stage whose command overwrites its own check has failed; the change is saved and the check put back', async () => {
  const stages = { a: { command: `${OPEN} > check.sh`, verify: ['bash check.sh'] } };
  const home = homelab(stages, {}, { 'check.sh': CHECK });
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [1, 'failed']);
  const { reason, changed_judges } = failedWith(ran, 'a');
  assert.is(reason, 'changed check.sh (stages.a.verify[0] runs it); put back as committed');
  assert.equal(changed_judges, ['check.sh']);
  assert.is(inTree(home, 'check.sh'), CHECK);
  assert.match(readFileSync(join(home, `ai/patches/${ran.run}-a-1.stage.diff`), 'utf8'), '+exit 0');
  assert.is(
    failuresIn(home)[0]?.excerpt,
    'mendloop: verify: check files: changed check.sh (stages.a.verify[0] runs it); put back as committed',
  );
  assert.is((await run(home)).exit, 1, 'the next run says the same');
});

test('a failing command that overwrote what a check sources has failed for both', async () => {
  const stages = { a: { command: `${OPEN} > lib.sh; echo "Error: no pool"; exit 3`, verify: ['bash check.sh'] } };
  const home = homelab(stages, {}, { 'check.sh': '. ./lib.sh\ntest -e x\n', 'lib.sh': 'die() { exit 1; }\n' });
  const { changed_judges, exit_code } = failedWith(await run(home), 'a');
  assert.equal([changed_judges, exit_code], [['lib.sh'], 3]);
  assert.is(inTree(home, 'lib.sh'), 'die() { exit 1; }\n');
});

test('a check that overwrites another check has failed', async () => {
  const stages = { a: { command: 'true', verify: [`${OPEN} > later.sh`, 'bash later.sh'] } };
  const home = homelab(stages, {}, { 'later.sh': CHECK });
  assert.equal(failedWith(await run(home), 'a').changed_judges, ['later.sh']);
});

test('a check that was put back, and what a failed attempt left, is no work of a stage that is missing later', async () => {
  const left = `echo broken > made.txt; ${OPEN} > check.sh; echo "error: no pool"; exit 1`;
  const { home, probe } = mendable({
    stages: {
      a: { command: `grep -q ^good conf/a.txt || { ${left}; }`, files: ['conf/'], verify: ['bash check.sh'] },
    },
    files: { 'made.txt': 'none\n', 'check.sh': 'exit 0 # always\n' },
  });
  probe.answers(says('good'));
  assert.is((await run(home)).exit, 0);
  const again = await run(home);
  assert.equal([again.exit, again.trail], [0, ['step.fresh a']]);
});

test('what a check only looks at, and what no check runs, may be written by a stage', async () => {
  const stages = {
    a: { command: `${OPEN} > run.sh; echo b >> data.txt`, verify: ['bash -n run.sh', 'grep -q b data.txt'] },
  };
  const home = homelab(stages, {}, { 'run.sh': 'true\n', 'data.txt': 'a\n' });
  assert.is((await run(home)).exit, 0);
  assert.is(inTree(home, 'data.txt'), 'a\nb\n');
});

test('a fix with which the stage overwrites another stage’s check broke it: undone, and told as that', async () => {
  const probe = probeOf();
  const stages = {
    a: { command: `${OPEN} > "$(cat conf/target)"`, files: ['conf/'] },
    b: { command: 'true', verify: ['bash b-check.sh'], needs: ['a'] },
  };
  const files = {
    'conf/target': 'missing/out.txt\n',
    'b-check.sh': CHECK,
    'plugins/executors/probe.mjs': probePlugin(),
  };
  const home = homelab(stages, { executors: ['probe'], plugins: { probe: { folder: probe.folder } } }, files);
  const note = { fix: 'Write it elsewhere', reason: 'the folder is missing' };
  probe.answers({ files: { 'conf/target': 'b-check.sh\n' }, note }, { pass: 'no idea' });
  const ran = await run(home);
  assert.equal(fixTrail(ran.events), ['fix.intended', 'fix.committed', 'fix.judged broke']);
  assert.is(ran.stages.stages.a?.status === 'green', false);
  assert.is(inTree(home, 'b-check.sh'), CHECK);
  assert.is(git(home, 'show', 'ai/orchestrator-stage1:conf/target'), 'missing/out.txt');
});

/** Waits until a file is there, so that two stages are sure to run side by side. */
const until = (path: string) => `for _ in $(seq 200); do [ -e ../../${path} ] && break; sleep 0.02; done`;
const SIDE_BY_SIDE = {
  // The first time both run together; `b` ends only when `a` has overwritten its check.
  a: { command: `${NOTE}; ${OPEN} > b-check.sh; touch ../../written; ${until('b-ended')}` },
  b: { command: `${NOTE}; ${until('written')}`, verify: ['bash b-check.sh; touch ../../b-ended'] },
};

test('with several workers each that ran meanwhile runs again alone, and only who changes it again has failed', async () => {
  const home = homelab(SIDE_BY_SIDE, { workers: 2 }, { 'b-check.sh': 'true\n' });
  write(home, { 'b-ended': '' });
  const ran = await run(home, { workers: 2 });
  assert.equal(ranSteps(home).sort(), ['a', 'a', 'b', 'b']);
  assert.equal([ran.stages.stages.a?.status, ran.stages.stages.b?.status], ['failed', 'green']);
  assert.equal(failedWith(ran, 'a').changed_judges, ['b-check.sh']);
  const alone = ran.events
    .filter((e) => e.type === 'step.retry')
    .map((e) => [e.step, /once more, alone$/.test(String(e.data.reason))]);
  assert.equal(alone.sort(), [
    ['a', true],
    ['b', true],
  ]);
  assert.equal(
    failuresIn(home).map((entry) => [entry.stage, entry.times_seen]),
    [['a', 1]],
  );
  const spans = ran.events.filter((e) => /^attempt\.(?:started|ended)$/.test(e.type)).slice(4);
  assert.ok(
    spans.every((e, i) => i % 2 === 0 || e.step === spans[i - 1]?.step),
    'nobody runs beside one that runs alone',
  );
  assert.is(inTree(home, 'b-check.sh'), 'true\n');
});

test('of a stage that may not run twice it is for its owner to say', async () => {
  const stages = { a: { ...SIDE_BY_SIDE.a, rerun: false }, b: SIDE_BY_SIDE.b };
  const home = homelab(stages, { workers: 2 }, { 'b-check.sh': 'true\n' });
  write(home, { 'b-ended': '' });
  const ran = await run(home, { workers: 2 });
  assert.equal([ran.exit, ranSteps(home).filter((step) => step === 'a')], [3, ['a']]);
  const { human, next } = failedWith(ran, 'a');
  assert.equal([human, next], [true, 'look at its log, then: mendloop retry a']);
});

test('a green stage whose check was overwritten while it was looked at is looked at again, alone', async () => {
  const b = { command: NOTE, verify: [`echo >> ../../looking; ${until('written')}; bash b-check.sh`] };
  const home = homelab({ b }, {}, { 'b-check.sh': 'true\n' });
  write(home, { written: '' });
  await run(home);
  for (const name of ['written', 'looking']) rmSync(join(home, name));
  const a = { command: `${until('looking')}; ${OPEN} > b-check.sh; touch ../../written` };
  reconfigure(home, { a, b }, { workers: 2 });
  const ran = await run(home, { workers: 2 });
  assert.equal([ran.stages.stages.a?.status, ran.stages.stages.b?.status], ['failed', 'green']);
  assert.equal(ranSteps(home), ['b'], 'its command did not run again');
  assert.is(readFileSync(join(home, 'looking'), 'utf8'), '\n\n', 'its checks did');
});

test('what was changed before the run is put back before a green stage is looked at, with a note: drift is seen', async () => {
  const stages = { a: { command: 'touch ../../up', verify: ['bash check.sh'] } };
  const home = homelab(stages, {}, { 'check.sh': CHECK });
  assert.is((await run(home)).exit, 0);
  writeFileSync(join(home, 'ai/worktree/check.sh'), 'exit 0\n');
  git(home, 'clean', '-fdq', '--', 'up');
  const ran = await run(home);
  assert.equal(ran.trail.slice(0, 2), ['step.drift a', 'step.started a']);
  assert.is(inTree(home, 'check.sh'), CHECK);
  assert.match(notesOf(ran), /put back.*check\.sh/);
});

test('what somebody else changed between two attempts is no stage’s fault: put back, with a note', async () => {
  const stages = { a: { command: 'true' }, b: { command: NOTE, verify: ['bash check.sh'], needs: ['a'] } };
  const home = homelab(stages, {}, { 'check.sh': 'true\n' });
  const subscribers = [
    (event: LoopEvent) => {
      if (event.type === 'step.done' && event.step === 'a')
        write(join(home, 'ai/worktree'), { 'check.sh': 'exit 1\n' });
    },
  ];
  const ran = await run(home, {}, { subscribers });
  assert.equal([ran.exit, ranSteps(home), inTree(home, 'check.sh')], [0, ['b'], 'true\n']);
  assert.match(notesOf(ran), 'check.sh: found changed in ai/worktree and put back, because checks run it');
});

test('`verify` judges by what is committed too, and says when a check changes another', async () => {
  const stages = { a: { command: 'touch ../../up', verify: ['bash check.sh'] } };
  const home = homelab(stages, {}, { 'check.sh': CHECK });
  await run(home);
  const verified = async () => {
    const found: string[][] = [];
    const ports = {
      clock: systemClock,
      env: { PATH: process.env.PATH },
      labTools: '/nonexistent',
      graceMs: 300,
      subscribers: [],
    };
    const request = {
      home,
      command: 'verify',
      stages: ['a'],
      withNeeds: false,
      forced: false,
      ai: true,
      recheck: true,
    };
    await verifyStages(request, { ...ports, signal: new AbortController().signal }, ({ problems }) =>
      found.push(problems),
    );
    return found;
  };
  assert.equal(await verified(), [[]]);
  git(home, 'clean', '-fdq', '--', 'up');
  writeFileSync(join(home, 'ai/worktree/check.sh'), 'exit 0\n');
  assert.equal(await verified(), [['bash check.sh: exit code 1']]);
  assert.is(inTree(home, 'check.sh'), CHECK);
  reconfigure(home, { a: { command: 'true', verify: ['bash check.sh', `${OPEN} > check.sh`] } });
  assert.equal((await verified())[0]?.at(-1), 'its checks changed check.sh (stages.a.verify[0] runs it)');
});

test('a judge that git does not track is compared, put back, and counts like the others', async () => {
  const stages = { a: { command: `${OPEN} > local.sh`, verify: ['./local.sh'] } };
  const home = homelab(stages, {}, { '.gitignore': 'local.sh\n' });
  await run(home, { stages: ['a'] }).catch(() => {});
  const local = join(home, 'ai/worktree/local.sh');
  writeFileSync(local, '#!/bin/sh\nexit 1\n');
  chmodSync(local, 0o755);
  const ran = await run(home, { stages: ['a'], forced: true });
  assert.equal(failedWith(ran, 'a').changed_judges, ['local.sh']);
  assert.is(readFileSync(local, 'utf8'), '#!/bin/sh\nexit 1\n');
});

test('one that is only linked cannot be put back: the run halts and names it', async () => {
  const stages = { a: { command: `${OPEN} > local.sh`, verify: ['bash local.sh'] }, b: { command: NOTE } };
  const home = homelab(stages, {}, {});
  const carry = { stages, carry: ['local.sh'] };
  write(home, { 'ai/context_map.yaml': JSON.stringify(carry), 'local.sh': 'exit 1\n' });
  git(home, 'commit', '-q', '-m', 'carry', '--', 'ai/context_map.yaml');
  const ran = await run(home);
  assert.equal([ran.exit, ranSteps(home)], [3, []]);
  assert.match(
    String(failedWith(ran, 'a').reason),
    'local.sh: changed while a stage ran, and git has no copy to put back',
  );
  assert.ok(existsSync(join(home, 'local.sh')));
});

test.run();
