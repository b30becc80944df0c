import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { type Surroundings, stageEnv, stagePath, stepMarks } from '../../src/stage/env.ts';
import { RUN } from '../events.ts';
import { stageOf } from '../plan/builders.ts';

const AROUND: Surroundings = {
  layout: layoutOf('/home/x'),
  tree: { path: '/home/x/ai/worktree' },
  lab: 'real',
  labTools: '/lab/bin',
  env: { PATH: '/usr/bin:/bin', HOME: '/home/someone', LANG: 'C', GONE: undefined },
};
const envOf = (more: Partial<Surroundings> = {}, cell = {}) =>
  stageEnv(
    { name: 'talos', stage: stageOf({ spec: 'gpu', matrix: { host: ['cp1'] } }), cell, run: RUN, attempt: 2 },
    { ...AROUND, ...more },
  );

test('a stage is told where it runs, for what, and where its outputs go', () => {
  assert.equal(envOf(), {
    ...{ PATH: '/usr/bin:/bin', HOME: '/home/someone', LANG: 'C' },
    MENDLOOP_ROOT: '/home/x/ai/worktree',
    MENDLOOP_HOME: '/home/x',
    MENDLOOP_LAB: 'real',
    MENDLOOP_STAGE: 'talos',
    MENDLOOP_STEP: 'talos',
    MENDLOOP_RUN: RUN,
    MENDLOOP_ATTEMPT: '2',
    MENDLOOP_OUT: '/home/x/ai/state/out/talos',
    MENDLOOP_OUTPUTS: '/home/x/ai/state/out',
    MENDLOOP_SPEC: 'gpu',
    LC_ALL: 'C.UTF-8',
  });
  assert.is(envOf({ env: { LC_ALL: 'de_DE.UTF-8' } }).LC_ALL, 'de_DE.UTF-8', 'unless its owner wants another');
});

test('a cell has its own name, folder and values', () => {
  const env = envOf({}, { host: 'cp1', disk_size: '10' });
  assert.is(env.MENDLOOP_STEP, 'talos[host=cp1,disk_size=10]');
  assert.is(env.MENDLOOP_OUT, '/home/x/ai/state/out/talos/host=cp1,disk_size=10');
  assert.is(env.MENDLOOP_OUTPUTS, '/home/x/ai/state/out');
  assert.equal([env.MENDLOOP_MATRIX_HOST, env.MENDLOOP_MATRIX_DISK_SIZE], ['cp1', '10']);
});

test('what a parent of ours was told does not leak into a stage', () => {
  const inherited = { MENDLOOP_STAGE: 'outer', MENDLOOP_MATRIX_HOST: 'cp9', MENDLOOP_ANYTHING: 'x', MENDLOOPX: 'kept' };
  const env = envOf({ env: inherited });
  assert.equal([env.MENDLOOP_STAGE, env.MENDLOOP_MATRIX_HOST, env.MENDLOOP_ANYTHING], ['talos', undefined, undefined]);
  assert.is(env.MENDLOOPX, 'kept');
});

test('the stand-ins come first on PATH in the simulated lab, and not at all in the real one', () => {
  assert.is(envOf({ lab: 'simulated' }).PATH, '/lab/bin:/usr/bin:/bin');
  assert.is(envOf({ lab: 'simulated' }).MENDLOOP_LAB, 'simulated');
  assert.is(stagePath({ ...AROUND, env: {} }), '/usr/local/bin:/usr/bin:/bin');
});

test('every process of a step carries the marks by which it is found again', () => {
  const env = envOf({}, { host: 'cp1' });
  for (const mark of stepMarks(AROUND.layout.home, RUN, 'talos[host=cp1]')) {
    const [name = '', ...value] = mark.split('=');
    assert.is(env[name], value.join('='));
  }
});

test.run();
