// The six shipped stages against the simulated lab.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { greenLab, newLab, STAGES } from './lab.ts';

test('the six stages turn green in order on an empty lab', () => {
  const lab = greenLab();
  for (const name of ['vms', 'obs']) assert.is(lab.verify(name).code, 0, 'also when all of them have run');
});

test('a second pass is green and changes nothing', () => {
  const lab = greenLab();
  const before = lab.world();
  for (const name of STAGES) assert.is(lab.stage(name).code, 0, name);
  assert.equal([...lab.world()], [...before]);
});

test('a stage whose predecessors have not run fails and says what is missing', () => {
  const lab = newLab();
  assert.match(lab.stage('talos').err, /no node list at .*vms\/nodes\.tsv/);
  for (const name of ['infra', 'apps', 'ingress', 'obs'])
    assert.match(lab.stage(name).err, /no kubeconfig at .*talos\/kubeconfig/);
});

test('after the lab is deleted the stages build a new one with the secrets they kept', () => {
  const lab = greenLab();
  rmSync(join(lab.home, 'ai/state/lab'), { recursive: true });
  assert.is(lab.verify('vms').code, 1);
  // The cluster answers to what was kept: what is in it is made as the first time.
  for (const name of ['vms', 'talos', 'infra']) assert.is(lab.stage(name).code, 0, name);
});

test('a machine that somebody stopped is found by verify and mended by the next run', () => {
  const lab = greenLab();
  assert.is(lab.run('qm', ['stop', '111']).code, 0);
  assert.match(lab.verify('vms').out, /w1 \(111\): stopped/);
  assert.match(lab.verify('talos').err, /w1 is not Ready/);
  assert.is(lab.stage('vms').code, 0);
  assert.is(lab.stage('talos').code, 0);
});

test('an application that somebody deleted is found by verify and mended by the next run', () => {
  const lab = greenLab();
  lab.run('kubectl', ['delete', 'service', 'whoami', '--namespace', 'apps']);
  assert.match(lab.verify('apps').err, /services "whoami" not found/);
  assert.is(lab.stage('apps').code, 0);
});

test('with PROXMOX_HOST set the machines are made over ssh', () => {
  const lab = newLab();
  assert.is(lab.stage('vms', { PROXMOX_HOST: '192.0.2.10' }).code, 0);
  assert.match(lab.run('qm', ['config', '101']).out, /^boot: order=scsi0;ide2$/m);
});

test('a failing qm stops the vms stage', () => {
  const lab = newLab();
  lab.edit('config/proxmox/host.conf', (text) => text.replace('bridge=vmbr0', 'bridge=vmbr7'));
  const result = lab.stage('vms');
  assert.is(result.code, 255);
  assert.match(result.err, /bridge 'vmbr7' does not exist/);
});

test('an image that cannot be pulled fails the stage with the reason in its output', () => {
  const lab = greenLab();
  lab.run('bash', ['-c', 'echo gethomepage >"$MENDLOOP_HOME/ai/state/lab/unpullable"']);
  const result = lab.stage('apps');
  assert.is(result.code, 1);
  assert.match(result.err, /error: timed out waiting for the condition/);
  assert.match(result.err, /Failed to pull image "ghcr\.io\/gethomepage\/homepage/);
});

test('a chart that does not exist fails the stage with the reason in its output', () => {
  const lab = greenLab();
  lab.edit('config/ingress/traefik.yaml', (text) => text.replace('chart: traefik', 'chart: trafik'));
  const result = lab.stage('ingress');
  assert.is(result.code, 1);
  assert.match(result.err, /timed out waiting for the condition on helmreleases\/traefik/);
  assert.match(result.err, /no 'trafik' chart with version matching '37\.x' found/);
});

test.run();
