// The simulated qm, and the ssh that leads to it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { newLab } from './lab.ts';

const machine = (id: string, address: string) => [
  'create',
  id,
  '--name',
  `vm${id}`,
  '--memory',
  '2048',
  '--ipconfig0',
  `ip=${address}/24`,
];

test('an unknown verb and an unknown option are refused as Proxmox does', () => {
  const lab = newLab();
  const verb = lab.run('qm', ['frobnicate']);
  assert.is(verb.code, 255);
  assert.match(verb.err, /^ERROR: unknown command 'qm frobnicate'\nUSAGE: qm <COMMAND> \[ARGS\] \[OPTIONS\]\n/);
  const option = lab.run('qm', ['create', '101', '--memroy', '2048']);
  assert.is(option.code, 255);
  assert.is(option.err, 'Unknown option: memroy\n400 unable to parse option\nqm create <vmid> [OPTIONS]\n');
});

test('a missing or bad vmid is refused as Proxmox does', () => {
  const lab = newLab();
  assert.match(lab.run('qm', ['start']).err, /^400 not enough arguments\nqm start <vmid> \[OPTIONS\]/);
  assert.match(
    lab.run('qm', ['start', 'cp1']).err,
    /^400 Parameter verification failed\.\nvmid: type check \('integer'\) failed/,
  );
});

test('a machine that does not exist cannot be started, one that exists cannot be made again', () => {
  const lab = newLab();
  const start = lab.run('qm', ['start', '101']);
  assert.is(start.code, 2);
  assert.is(start.err, "Configuration file 'nodes/pve/qemu-server/101.conf' does not exist\n");
  assert.is(lab.run('qm', machine('101', '192.0.2.11')).code, 0);
  assert.is(
    lab.run('qm', machine('101', '192.0.2.12')).err,
    "unable to create VM 101 - VM 101 already exists on node 'pve'\n",
  );
});

test('a running machine cannot be started or destroyed', () => {
  const lab = newLab();
  lab.run('qm', machine('101', '192.0.2.11'));
  assert.is(lab.run('qm', ['start', '101']).code, 0);
  assert.is(lab.run('qm', ['start', '101']).err, 'VM 101 already running\n');
  assert.is(lab.run('qm', ['destroy', '101']).err, 'VM 101 is running - destroy failed\n');
});

test('storage and image must exist', () => {
  const lab = newLab();
  assert.is(lab.run('qm', ['create', '101', '--scsi0', 'tank:32']).err, "storage 'tank' does not exist\n");
  assert.is(
    lab.run('qm', ['create', '101', '--ide2', 'local:iso/debian.iso,media=cdrom']).err,
    "volume 'local:iso/debian.iso' does not exist\n",
  );
});

test('of two commands that make the same machine at once exactly one succeeds', async () => {
  const lab = newLab();
  const results = await Promise.all(Array.from({ length: 6 }, () => lab.start('qm', machine('101', '192.0.2.11'))));
  assert.is(results.filter((r) => r.code === 0).length, 1);
  assert.is(results.filter((r) => r.err.includes('already exists on node')).length, 5);
});

test('without MENDLOOP_HOME a stand-in says so and does nothing', () => {
  for (const [tool, verb] of [
    ['qm', 'list'],
    ['talosctl', 'version'],
    ['kubectl', 'get'],
    ['flux', 'check'],
  ] as const) {
    const result = newLab().run(tool, [verb], { MENDLOOP_HOME: '' });
    assert.is(result.code, 1);
    assert.match(result.err, new RegExp(`^${tool}: simulated lab: MENDLOOP_HOME is not set`));
  }
});

test('the simulated ssh runs qm and nothing else', () => {
  const lab = newLab();
  assert.is(lab.run('ssh', ['-n', '-o', 'BatchMode=yes', 'root@192.0.2.10', "qm 'list'"]).code, 0);
  const other = lab.run('ssh', ['root@192.0.2.10', 'hostname']);
  assert.is(other.code, 127);
  assert.match(other.err, /on 192\.0\.2\.10 only qm can be run/);
});

test.run();
