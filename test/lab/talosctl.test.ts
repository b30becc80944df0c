// The simulated talosctl: flags, order of things, machine configurations.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { greenLab, type Lab, labAfter, newLab } from './lab.ts';

const CP = '192.168.40.11';
const WORKER = '192.168.40.21';
const to = (node: string, ...args: string[]) => ['--nodes', node, '--endpoints', node, ...args];

/** A lab with a generated configuration and the machines as vms made them. */
function withConfig(machines: boolean): { lab: Lab; file: string } {
  const lab = machines ? labAfter('vms') : newLab();
  const out = join(lab.home, 'made');
  const made = lab.run('talosctl', ['gen', 'config', 'homelab', `https://${CP}:6443`, '--output', out]);
  assert.is(made.code, 0, made.err);
  return { lab, file: join(out, 'controlplane.yaml') };
}

function waitFor(lab: Lab, args: string[]): void {
  for (let i = 0; i < 40; i++) if (lab.run('talosctl', args).code === 0) return;
  throw new Error(`never succeeded: talosctl ${args.join(' ')}`);
}

test('unknown verbs and flags are refused as talosctl does', () => {
  const lab = newLab();
  for (const [args, text] of [
    [['frobnicate'], 'unknown command "frobnicate" for "talosctl"'],
    [['gen', 'frobs'], 'unknown command "frobs" for "talosctl gen"'],
    [['apply-config', '--fiel', 'x'], 'unknown flag: --fiel'],
    [['bootstrap', '-z'], "unknown shorthand flag: 'z' in -z"],
    [['apply-config', '--file'], 'flag needs an argument: --file'],
  ] as const) {
    const result = lab.run('talosctl', args);
    assert.is(result.code, 1);
    assert.is(result.err.split('\n')[0], text);
    assert.match(result.err, /\n\nUsage:\n/);
  }
});

test('a real verb that is not simulated says so', () => {
  assert.match(newLab().run('talosctl', ['reset']).err, /^talosctl: simulated lab: 'talosctl reset' is not simulated/);
});

test('no configuration before the machine exists and runs', () => {
  const { lab, file } = withConfig(false);
  const result = lab.run('talosctl', to(CP, 'apply-config', '--insecure', '--file', file));
  assert.is(
    result.err,
    `error applying new configuration: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp ${CP}:50000: connect: no route to host"\n`,
  );
});

test('a machine that has just been started does not answer yet', () => {
  const { lab, file } = withConfig(true);
  const early = (): string => {
    lab.run('qm', ['stop', '101']);
    lab.run('qm', ['start', '101']);
    return lab.run('talosctl', to(CP, 'apply-config', '--insecure', '--file', file)).err;
  };
  // On a machine that has much else to do the tool may come too late to see it.
  const seen = Array.from({ length: 5 }, early);
  assert.match(seen.join(''), /connect: connection refused/);
});

test('no bootstrap and no kubeconfig before their time', () => {
  const { lab, file } = withConfig(true);
  const talosconfig = ['--talosconfig', join(lab.home, 'made/talosconfig')];
  waitFor(lab, to(CP, 'get', 'disks', '--insecure'));
  assert.match(
    lab.run('talosctl', [...talosconfig, ...to(CP, 'bootstrap')]).err,
    /^error executing bootstrap: rpc error: code = Unavailable .*x509: certificate signed by unknown authority/,
  );
  assert.is(lab.run('talosctl', to(CP, 'apply-config', '--insecure', '--file', file)).code, 0);
  waitFor(lab, [...talosconfig, ...to(CP, 'version')]);
  const path = join(lab.home, 'kubeconfig');
  const early = lab.run('talosctl', [...talosconfig, ...to(CP, 'kubeconfig', path, '--merge=false')]);
  assert.match(early.err, /^error copying: rpc error: code = FailedPrecondition/);
  assert.not.ok(existsSync(path));
  waitFor(lab, [...talosconfig, ...to(CP, 'bootstrap')]);
  assert.is(
    lab.run('talosctl', [...talosconfig, ...to(CP, 'bootstrap')]).err,
    'error executing bootstrap: rpc error: code = AlreadyExists desc = etcd data directory is not empty\n',
  );
  assert.is(lab.run('talosctl', [...talosconfig, ...to(CP, 'kubeconfig', path, '--merge=false')]).code, 0);
  assert.match(
    lab.run('talosctl', [...talosconfig, ...to(CP, 'kubeconfig', path, '--merge=false')]).err,
    /^kubeconfig file already exists, use --force to overwrite: /,
  );
  assert.is(lab.run('talosctl', [...talosconfig, ...to(CP, 'kubeconfig', 'bare', '--merge=false')]).code, 0);
  assert.match(readFileSync(join(lab.root, 'bare'), 'utf8'), 'kind: Config');
});

test('a configured machine has no maintenance service any more', () => {
  const lab = greenLab();
  const file = join(lab.home, 'ai/state/out/talos/controlplane.yaml');
  assert.match(
    lab.run('talosctl', to(CP, 'apply-config', '--insecure', '--file', file)).err,
    /remote error: tls: certificate required/,
  );
});

test('a worker is not bootstrapped and has no kubeconfig', () => {
  const lab = greenLab();
  assert.match(
    lab.run('talosctl', to(WORKER, 'bootstrap')).err,
    /bootstrap can only be performed on a control plane node/,
  );
  assert.match(lab.run('talosctl', to(WORKER, 'kubeconfig', 'x')).err, /only available on control plane nodes/);
});

test('a talosconfig of another cluster is not accepted', () => {
  const lab = greenLab();
  lab.run('talosctl', ['gen', 'config', 'other', `https://${CP}:6443`, '--output', join(lab.home, 'other')]);
  assert.match(
    lab.run('talosctl', ['--talosconfig', join(lab.home, 'other/talosconfig'), ...to(CP, 'version')]).err,
    /x509: certificate signed by unknown authority/,
  );
});

test('files that are there are not overwritten without --force', () => {
  const { lab, file } = withConfig(false);
  const again = lab.run('talosctl', [
    'gen',
    'config',
    'homelab',
    `https://${CP}:6443`,
    '--output',
    join(lab.home, 'made'),
  ]);
  assert.is(again.code, 1);
  assert.ok(again.err.includes(`file "${file}" already exists, use --force to overwrite`));
});

test('broken YAML in a patch fails the stage with the words of talosctl', () => {
  const lab = labAfter('vms');
  lab.edit('config/talos/all.yaml', (text) => text.replace('  kubelet:', '  kubelet: x: y'));
  const result = lab.stage('talos');
  assert.is(result.code, 1);
  assert.is(
    result.err,
    'error parsing config JSON patch: decode error: yaml: line 3: mapping values are not allowed in this context\n',
  );
});

test('a misspelt key in a patch fails the stage with the words of talosctl', () => {
  const lab = labAfter('vms');
  lab.edit('config/talos/worker.yaml', (text) => text.replace('nodeLabels:', 'nodeLabel:'));
  assert.is(
    lab.stage('talos').err,
    'error parsing config JSON patch: unknown keys found during decoding:\nmachine:\n    nodeLabel:\n        node.home.arpa/pool: general\n\n',
  );
});

test('a patch file that is missing is named', () => {
  const lab = labAfter('vms');
  lab.edit('stages/talos/run.sh', (text) => text.replace('@config/talos/all.yaml', '@config/talos/al.yaml'));
  assert.is(
    lab.stage('talos').err,
    'error parsing config JSON patch: open config/talos/al.yaml: no such file or directory\n',
  );
});

test.run();
