import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stage } from '../../src/config/context-map.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { emptyState, type StageState, type StageStatus } from '../../src/journal/stages.ts';
import { findOutputs, isPublished, neededOutputs, outputsOf } from '../../src/stage/outputs.ts';
import { folder, write } from '../environment.ts';
import { mapOf } from '../plan/builders.ts';
import { refusal } from '../refusal.ts';

const MAP = mapOf({
  vms: { command: 'x', outputs: { ips: 'ips.json', 'ssh-key': 'keys/id' } },
  talos: { command: 'x', needs: ['vms'], matrix: { host: ['a', 'b.c'] }, outputs: { kubeconfig: 'kubeconfig' } },
  infra: { command: 'x', needs: ['vms', 'talos'] },
});
const OUT = 'ai/state/out';

function greenState(cells: Record<string, StageStatus>): StageState {
  const state = emptyState();
  const record = (status: StageStatus) => ({ status, run: 'r', attempts: 1, since: '' });
  state.stages.vms = record('green');
  const byCell = Object.fromEntries(Object.entries(cells).map(([cell, status]) => [cell, record(status)]));
  state.stages.talos = { ...record('green'), cells: byCell };
  return state;
}

test('outputs are named by stage and output, one for each cell', () => {
  const layout = layoutOf('/home/x');
  assert.equal(outputsOf(MAP, 'vms', layout), [
    { name: 'vms.ips', output: 'ips', step: 'vms', path: '/home/x/ai/state/out/vms/ips.json' },
    { name: 'vms.ssh-key', output: 'ssh-key', step: 'vms', path: '/home/x/ai/state/out/vms/keys/id' },
  ]);
  assert.equal(
    outputsOf(MAP, 'talos', layout).map((o) => [o.name, o.path]),
    [
      ['talos[host=a].kubeconfig', '/home/x/ai/state/out/talos/host=a/kubeconfig'],
      ['talos[host=b.c].kubeconfig', '/home/x/ai/state/out/talos/host=b.c/kubeconfig'],
    ],
  );
  assert.equal(outputsOf(MAP, 'infra', layout), []);
});

test('an output counts only when its step is green and the file is there and not empty', () => {
  const home = folder();
  const layout = layoutOf(home);
  write(home, {
    [`${OUT}/vms/ips.json`]: '[]',
    [`${OUT}/vms/keys/id`]: '',
    [`${OUT}/talos/host=a/kubeconfig`]: 'x',
    [`${OUT}/talos/host=b.c/kubeconfig`]: 'x',
  });
  const state = greenState({ 'host=a': 'green', 'host=b.c': 'failed' });
  const published = ['vms', 'talos'].flatMap((stage) =>
    outputsOf(MAP, stage, layout)
      .filter((output) => isPublished(output, state))
      .map((output) => output.name),
  );
  assert.equal(published, ['vms.ips', 'talos[host=a].kubeconfig']);
  assert.not(outputsOf(MAP, 'vms', layout).some((output) => isPublished(output, emptyState())));
});

test('what a stage needs is every output of its needs by content; a missing one counts as such', async () => {
  const home = folder();
  const layout = layoutOf(home);
  const needed = () => neededOutputs(MAP, MAP.stages.infra as Stage, layout);
  write(home, { [`${OUT}/vms/ips.json`]: 'one', [`${OUT}/talos/host=a/kubeconfig`]: 'one' });
  const before = await needed();
  assert.equal(
    [...before.keys()],
    ['vms.ips', 'vms.ssh-key', 'talos[host=a].kubeconfig', 'talos[host=b.c].kubeconfig'],
  );
  assert.is(before.get('vms.ips'), before.get('talos[host=a].kubeconfig'));
  assert.is(before.get('vms.ssh-key'), 'missing');
  write(home, { [`${OUT}/vms/ips.json`]: 'two', [`${OUT}/vms/keys/id`]: '' });
  const after = await needed();
  assert.is.not(after.get('vms.ips'), before.get('vms.ips'));
  assert.is.not(after.get('vms.ssh-key'), 'missing');
});

test('a name means one file, or one for each cell when it names none', () => {
  const layout = layoutOf('/home/x');
  const names = (name: string) => findOutputs(MAP, name, layout).files.map((o) => o.name);
  assert.equal(names('vms.ips'), ['vms.ips']);
  assert.equal(names('talos.kubeconfig'), ['talos[host=a].kubeconfig', 'talos[host=b.c].kubeconfig']);
  assert.equal(names('talos[host=b.c].kubeconfig'), ['talos[host=b.c].kubeconfig']);
  assert.is(findOutputs(MAP, 'talos[host=a].kubeconfig', layout).stage, 'talos');
});

test('a name that means nothing is refused with what was meant', () => {
  const layout = layoutOf(join('/home', 'x'));
  const texts: [string, string][] = [
    ['vms', 'error E_USAGE: "vms" names no output\n  next:  mendloop get <stage>.<output>'],
    ['.ips', 'error E_USAGE: ".ips" names no output'],
    ['vm.ips', 'error E_UNKNOWN_STAGE: there is no stage or command "vm"; did you mean "vms"?'],
    ['vms.ip', 'error E_UNKNOWN_OUTPUT: there is no output vms.ip; did you mean "ips"?'],
    ['vms.other-thing', 'error E_UNKNOWN_OUTPUT: there is no output vms.other-thing; it has: ips, ssh-key'],
    ['talos[host=z].kubeconfig', 'error E_UNKNOWN_OUTPUT: there is no output talos[host=z].kubeconfig'],
    ['constructor.x', 'error E_UNKNOWN_STAGE: there is no stage or command "constructor"'],
  ];
  for (const [name, text] of texts) assert.ok(refusal(() => findOutputs(MAP, name, layout)).startsWith(text), name);
});

test.run();
