// Carried files as inputs of stages, and what a new worktree means for stages without checks.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainPlan } from '../../src/inspect/plan.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { commit, repository } from '../worktree/repository.ts';
import { NOTE, ranSteps, run } from './homelab.ts';
import { mendable, says, stageOn } from './probe.ts';

const homeWith = (stages: Record<string, object>, carry: unknown[], files: Record<string, string>): string => {
  const home = repository({
    'ai/context_map.yaml': JSON.stringify({ stages, carry }),
    'ai/loop.yaml': JSON.stringify({ unattended: 'all', executors: ['known-fixes'], escalations: [] }),
    '.gitignore': `${Object.keys(files).join('\n')}\n`,
  });
  for (const [path, text] of Object.entries(files)) {
    execFileSync('mkdir', ['-p', join(home, path, '..')]);
    writeFileSync(join(home, path), text);
  }
  return home;
};
const whyOf = async (home: string, step: string) => {
  const { rows } = await explainPlan(home, { stages: [], withNeeds: false, forced: false, recheck: true });
  return rows.find((row) => row.step === step)?.why;
};

test('a carried file that a stage names is an input; one that nobody names is not', async () => {
  const stages = {
    a: { command: `${NOTE}; cat local.yaml`, verify: ['true'] },
    b: { command: NOTE, verify: [{ nonempty: 'inv/hosts' }] },
    c: { command: NOTE, files: ['inv/'], verify: ['true'] },
    d: { command: NOTE, requires: { files: ['inv/hosts'] }, verify: ['true'] },
    e: { command: NOTE, verify: ['true'] },
  };
  const home = homeWith(stages, ['local.yaml', 'inv'], { 'local.yaml': 'x: 1\n', 'inv/hosts': 'pve1\n', 'inv/b': '' });
  await run(home);
  await run(home);
  assert.equal(ranSteps(home), ['a', 'b', 'c', 'd', 'e']);
  writeFileSync(join(home, 'local.yaml'), 'x: 2\n');
  assert.is(await whyOf(home, 'a'), 'local.yaml, carried, changed');
  await run(home);
  assert.equal(ranSteps(home).slice(5), ['a']);
  writeFileSync(join(home, 'inv/b'), 'more\n');
  await run(home);
  assert.equal(ranSteps(home).slice(6), ['c'], 'the folder is an input of whoever names the folder');
  writeFileSync(join(home, 'inv/hosts'), 'pve2\n');
  await run(home);
  assert.equal(ranSteps(home).slice(7), ['b', 'c', 'd']);
});

test('the same content written again is no change', async () => {
  const home = homeWith({ a: { command: `${NOTE}; cat l.yaml`, verify: ['true'] } }, ['l.yaml'], { 'l.yaml': 'x\n' });
  await run(home);
  writeFileSync(join(home, 'l.yaml'), 'x\n');
  await run(home);
  assert.equal(ranSteps(home), ['a']);
});

test('a carried file that an attempt of any stage was seen to write is nobody’s input', async () => {
  const stages = {
    a: { command: `${NOTE}; date +%N >> kubeconfig`, verify: ['true'] },
    b: { command: `${NOTE}; cat kubeconfig`, needs: ['a'], verify: ['true'] },
  };
  const home = homeWith(stages, ['kubeconfig'], { kubeconfig: 'x\n' });
  await run(home);
  assert.equal(loadStages(layoutOf(home)).state.written, ['kubeconfig']);
  writeFileSync(join(home, 'kubeconfig'), 'the next token\n');
  await run(home);
  assert.equal(ranSteps(home), ['a', 'b']);
  assert.is(await whyOf(home, 'b'), 'green; its checks are run again');
  // The projection is lost; the journal knows.
  rmSync(layoutOf(home).stages);
  await run(home);
  assert.equal(ranSteps(home), ['a', 'b']);
});

test('a give_up clears itself when a carried file that the stage names changed', async () => {
  const a = stageOn('conf/a.txt', { verify: ['grep -q ^good conf/a.txt'], requires: { files: ['local.yaml'] } });
  const { home, probe } = mendable({ stages: { a } });
  const map = JSON.parse(readFileSync(join(home, 'ai/context_map.yaml'), 'utf8'));
  commit(home, {
    'ai/context_map.yaml': JSON.stringify({ ...map, carry: ['local.yaml'] }),
    '.gitignore': 'local.yaml\n',
  });
  writeFileSync(join(home, 'local.yaml'), 'one\n');
  probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'));
  assert.is((await run(home)).stages.stages.a?.status, 'give_up');
  const attempts = async () => (await run(home)).events.filter(({ type }) => type === 'attempt.started').length;
  assert.is(await attempts(), 0);
  writeFileSync(join(home, 'local.yaml'), 'two\n');
  assert.ok((await attempts()) > 0);
});

test('a new worktree makes stages without checks to do, unless they may not run again', async () => {
  const stages = {
    blind: { command: NOTE },
    once: { command: NOTE, rerun: false },
    checked: { command: NOTE, verify: ['true'] },
  };
  const home = homeWith(stages, [], {});
  await run(home);
  await run(home);
  assert.equal(ranSteps(home), ['blind', 'once', 'checked']);
  rmSync(join(home, 'ai/worktree'), { recursive: true });
  const why = 'the worktree is a new one, and nothing could tell whether it holds there';
  assert.is(await whyOf(home, 'blind'), why);
  await run(home);
  assert.equal(ranSteps(home).slice(3), ['blind']);
  await run(home);
  assert.is(ranSteps(home).length, 4);
});

test.run();
