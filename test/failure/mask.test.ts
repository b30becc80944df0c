import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MASK_REASONS, MAX_TEMPLATE_CHARS, type Masked, template } from '../../src/failure/mask.ts';
import { fc, runs } from '../sweep.ts';
import { cpuTime } from './cpu-time.ts';

interface Case {
  /** Texts in which it masks, and what becomes of them. */
  goes: [text: string, template: string][];
  /** Texts that look alike and stay as they are. */
  stays: string[];
}

const CASES: Record<string, Case> = {
  checkout: {
    goes: [
      ['open /home/me/lab/ai/worktree/conf/a.yaml: no', 'open conf/a.yaml: no'],
      ["in '/srv/x/ai/worktree': no", "in '': no"],
    ],
    stays: ['open /srv/ai/worktrees/a.yaml: no', 'open ai/worktree/a.yaml: no'],
  },
  mac: {
    goes: [
      ['lease for 52:54:00:ab:cd:ef is gone', 'lease for <mac> is gone'],
      ['no link on BC-24-11-0A-1B-2C', 'no link on <mac>'],
    ],
    stays: ['no such face:be:ad', 'unknown tag ab:cd:ef'],
  },
  time: {
    goes: [
      ['expired at 2026-05-04T10:11:12Z', 'expired at <time>'],
      ['expired at 2026-05-04 10:11:12.123456 UTC.', 'expired at <time>.'],
      ['not after Mon, 04 May 2026 10:11:12 GMT', 'not after <time>'],
      ['not valid before May  4 10:11:12 2026 GMT', 'not valid before <time> GMT'],
      ['since 2026-05-04', 'since <time>'],
      ['at 10:11:12 it stopped', 'at <time> it stopped'],
    ],
    stays: ['no branch release-2026-05', 'no tag v2026-05-04x', 'image backup-2026 is missing'],
  },
  klog: {
    goes: [['E0504 10:11:12.123456    4711 reflector.go:150] no list', 'E reflector.go:#] no list']],
    stays: ['E2000 is no code', 'exit E0504'],
  },
  uuid: {
    goes: [['volume 123e4567-e89b-12d3-a456-426614174000 is gone', 'volume <uuid> is gone']],
    stays: ['no chart dead-beef-cafe', 'no host node-a-b-c-d'],
  },
  task: {
    goes: [['UPID:pve1:000A1B2C:0123ABCD:6637A1B2:qmstart:101:root@pam: failed', 'task qmstart of VM 101 failed']],
    stays: ['UPID:pve1 is no task'],
  },
  'temporary path': {
    goes: [
      ['open /tmp/tmp.Ab3dE6gH9k/values.yaml: no', 'open <tmp>/values.yaml: no'],
      ['open /tmp/tmpx3k9_a1b: no', 'open <tmp>: no'],
      ['open /var/tmp/ansible-tmp-1714817472.99-4711-81726354/x.py: no', 'open <tmp>/x.py: no'],
      ['open /tmp/render-8fK2mQ.yaml: no', 'open <tmp>.yaml: no'],
      ['open /run/user/1000/helm-k8sA91/cache: no', 'open <tmp>/cache: no'],
    ],
    stays: ['open /tmp/kubeconfig: no', 'open /tmp/cluster-values.yaml: no', 'open /var/tmp/images/talos.iso: no'],
  },
  'random name': {
    goes: [['no chart in /cache/a8Kd02Lmz/index', 'no chart in /cache/#/index']],
    stays: ['no chart in /cache/Kubernetes/index', 'no chart in /cache/k8s1node/index'],
  },
  'temporary name': {
    goes: [
      ['cannot read tmp.Ab3dE6gH9k here', 'cannot read <tmp> here'],
      [
        "could not create temporary file '/data/state/.x1': no",
        "could not create temporary file '/data/state/<tmp>': no",
      ],
    ],
    stays: ['cannot read temporary.yaml', 'cannot read tmp.yaml'],
  },
  'process folder': {
    goes: [['open /proc/4711/oom_score: no', 'open /proc/#/oom_score: no']],
    stays: ['open /proc/self/oom_score: no', 'open /proc/sys/kernel: no'],
  },
  connection: {
    goes: [
      ['read tcp 10.0.0.5:43512->10.0.0.9:6443: reset', 'read tcp <local>-><ip>:6443: reset'],
      ['read tcp [fd00::5]:43512->[fd00::9]:6443: reset', 'read tcp <local>->[<ip>]:6443: reset'],
    ],
    stays: [],
  },
  address: {
    goes: [
      ['lease 10.0.0.5 refused', 'lease <ip> refused'],
      ['lease fd00:1::5 refused', 'lease <ip> refused'],
      ['lease 2001:db8:0:0:0:0:0:1 refused', 'lease <ip> refused'],
      ['connect https://192.168.1.10:8006/api2: no', 'connect https://<ip>:8006/api2: no'],
    ],
    stays: ['bind 127.0.0.1:8080: in use', 'bind 0.0.0.0:8080: in use', 'no release 1.2.3', 'no package a::b in c::d'],
  },
  loopback: {
    goes: [['dial tcp [::1]:5432: refused', 'dial tcp ip6-localhost:5432: refused']],
    stays: ['no package std::1x', 'dial 127.0.0.1:5432: refused'],
  },
  port: {
    goes: [
      ['bind 127.0.0.1:43512: in use', 'bind 127.0.0.1:<port>: in use'],
      ['dial pve1.lan:38211: no', 'dial pve1.lan:<port>: no'],
      ['ssh: port 54321 is closed', 'ssh: port <port> is closed'],
    ],
    stays: [
      ...['dial pve1.lan:8006: no', 'dial localhost:11434: no', 'dial talos.lan:50000: no', 'dial wg.lan:51820: no'],
      ...['dial registry.lan:5000: no', 'dial redis:6379: no', 'ssh: connect to host pve1 port 22: no'],
    ],
  },
  pod: {
    goes: [
      ['pod web-7d4b9c6f5d-x2x4q crashed', 'pod web-<pod> crashed'],
      ['pod cilium-x2x4q crashed', 'pod cilium-<pod> crashed'],
    ],
    stays: ['pod web-0 crashed', 'pod web-stateful crashed', 'host pve-node3 is off', 'no package lib-kdcrw'],
  },
  hex: {
    goes: [['panic at 0xc000123abc here', 'panic at # here']],
    stays: ['no field 0xyz', 'no host box0x', 'exit code 0x1f', 'error 0x80070005'],
  },
  hash: {
    goes: [
      ['image sha256:9b2a7c1d4e5f is gone', 'image sha256:# is gone'],
      ['no commit 1a2b3c4', 'no commit #'],
      ['task 0123ABCD is gone', 'task # is gone'],
    ],
    stays: ['no facade', 'the deadbeef is gone', 'no such cafe', 'no package decade'],
  },
  'random word': {
    goes: [['request k3J9x0Qp2Lz7 was dropped', 'request # was dropped']],
    stays: [
      ...[
        'no kind CustomResourceDefinition',
        'no host talosnode01',
        'no field imagePullPolicy',
        'no role ceph2osd3mon',
      ],
    ],
  },
  duration: {
    goes: [
      ['gave up after 30s', 'gave up after <duration>'],
      ['gave up after 1m30.5s', 'gave up after <duration>'],
      ['gave up after 1h2m3s', 'gave up after <duration>'],
      ['gave up after 250 ms', 'gave up after <duration>'],
      ['gave up after 90 seconds', 'gave up after <duration>'],
    ],
    stays: ['no host 3sat', 'no release v1m', 'no disk sda-2s'],
  },
  size: {
    goes: [
      ['needs 512 MiB more', 'needs <size> more'],
      ['needs 1.5GB more', 'needs <size> more'],
      ['needs 4096 bytes more', 'needs <size> more'],
      ['stopped at 57%', 'stopped at <size>'],
    ],
    stays: ['no unit KiB', 'no disk 4Bx'],
  },
  position: {
    goes: [
      ['run.sh: line 12: X: unbound variable', 'run.sh: line #: X: unbound variable'],
      ['values.yaml:3:14: bad key', 'values.yaml:#: bad key'],
      ['at line 3, column 8 of it', 'at line #, column # of it'],
      ['Makefile:45: no recipe', 'Makefile:#: no recipe'],
      ['  12:3  error  bad key', '#  error  bad key'.replace(/ +/g, ' ')],
    ],
    stays: ['no outline 2x', 'dial registry.lan:5000: no'],
  },
  count: {
    goes: [
      ['ready are 2/3 of them', 'ready are #/# of them'],
      ['attempt 3 went wrong', 'attempt # went wrong'],
      ['BackOff (x14 over 3m)', 'BackOff (x# over <duration>)'],
    ],
    stays: ['no path a/2/b', 'no image web/2.1'],
  },
  process: {
    goes: [
      ['killed process 4711 (qemu)', 'killed process # (qemu)'],
      ['sshd[4711]: no', 'sshd[#]: no'],
      ['lock of pid=4711', 'lock of pid=#'],
    ],
    stays: ['no item argv[x]: no', 'no process group'],
  },
  peer: {
    goes: [
      ['failure; rhost=10.0.0.5 user=root', 'failure; rhost=<peer> user=root'],
      [
        'Failed password for root from 10.0.0.5 port 4711 ssh2',
        'Failed password for <peer> from <ip> port <peer> ssh2',
      ],
      ['no invalid user admin', 'no invalid user <peer>'],
    ],
    stays: ['no user root', 'no client of it', 'login for git from pve1.lan'],
  },
  'core dump': {
    goes: [['wrote core.4711', 'wrote core.#']],
    stays: ['no module core.js', 'no group core/v1'],
  },
  'long number': {
    goes: [['build 1714817472 is gone', 'build # is gone']],
    stays: ['no VM 99999', 'no device sda1'],
  },
  number: {
    goes: [
      ['found 3 of them', 'found # of them'],
      ['load was 2.75 here', 'load was # here'],
    ],
    stays: [
      'spec.ports[0].nodePort: Invalid value: 80: out of range',
      ...['command exited with 2', 'exit code 137', 'exit status 3', 'rc=4', 'signal 9', 'errno 13', '[Errno 13] no'],
      ...['curl: (7) no', 'curl: (28) no', 'open() failed (13: Permission denied)', 'status 404', 'HTTP/1.1 503'],
      ...['The requested URL returned error: 404', '404 Not Found', 'got 502 from it', 'VM 101 is locked'],
      ...['CT 202 is locked', 'qm start 101 is locked', 'no uid 1000', 'wrong mode 0644', 'no vlan 20'],
      ...[
        'no python3.11',
        'no package@1.2.3',
        'no image nginx:1.25.3',
        'needs v1.30.2',
        'no disk scsi0',
        'no host pve-2',
      ],
      ...[
        'no host node1.lan',
        'no file 10-media.yaml',
        'no path a/10/b',
        'listen tcp :6443: bind: no',
        'bind *:80: no',
      ],
    ],
  },
  id: {
    goes: [['no volume pvc-123e4567_8', 'no volume pvc-#_#']],
    stays: [],
  },
};

for (const [mask, { goes, stays }] of Object.entries(CASES)) {
  test(`${mask}: ${MASK_REASONS[mask as keyof typeof MASK_REASONS]}`, () => {
    for (const [text, expected] of goes) {
      const made: Masked[] = [];
      assert.is(
        template(text, (one) => made.push(one)),
        expected,
      );
      assert.ok(
        made.some((one) => one.mask === mask),
        `${text}: masked by ${made.map((one) => one.mask)}`,
      );
    }
    for (const text of stays) assert.is(template(text), text);
  });
}

test('every mask has an example, and a reason', () => {
  assert.equal(Object.keys(MASK_REASONS).sort(), Object.keys(CASES).sort());
  for (const [mask, why] of Object.entries(MASK_REASONS)) assert.ok(why.length > 5, mask);
});

test('a service keeps its port and its name, also behind an address in brackets', () => {
  assert.is(template('dial tcp [fd00::9]:6443: connect: refused'), 'dial tcp [<ip>]:6443: connect: refused');
  assert.is(template('cannot connect to pve1.lan [10.0.0.5]: no'), 'cannot connect to pve1.lan [<ip>]: no');
});

test('an answer keeps its status, also where columns stand between them', () => {
  assert.is(template('401  Unauthorized [IP: 10.0.0.1 443]'), '401 Unauthorized [IP: <ip> #]');
});

test('what was masked is told with the text it had', () => {
  const made: Masked[] = [];
  template('gave up on 10.0.0.5 after 30s', (one) => made.push(one));
  assert.equal(made, [
    { mask: 'address', text: '10.0.0.5' },
    { mask: 'duration', text: '30s' },
  ]);
});

test('spaces are evened out, and of a long text head and tail count, after masking', () => {
  assert.is(template('  a \t\n b  '), 'a b');
  assert.is(template(''), '');
  assert.ok(template('word '.repeat(10_000)).length <= MAX_TEMPLATE_CHARS);
  const long = (took: string, end: string) => template(`gave up after ${took}, ${'word '.repeat(400)}: ${end}`);
  assert.is(long('9s', 'no such host'), long('1m30s', 'no such host'));
  assert.is.not(long('9s', 'no such host'), long('9s', 'connection refused'));
});

const fragment = fc.oneof(
  fc.constantFrom(
    ...Object.values(CASES).flatMap(({ goes, stays }) => [...goes.map(([text]) => text), ...stays]),
    ...[
      'dial tcp 10.0.0.5:6443: i/o timeout',
      '"web-7d4b9c6f5d-x2x4q"',
      'v1.30.2',
      'pve1',
      '(101)',
      '[3]',
      '#',
      '<ip>',
    ],
    ...['/tmp/tmp.Ab3dE6gH9k', 'line 12:', 'a-1714817472-b', '-1', '1e9', '0x1f', '1.', '.5', '1-2', '1:2', 'ab12cd34'],
    ...['https://10.0.0.5:8006/api2/json', 'exit status 2', '00123', 'k3J9x0Qp2Lz7', '2026-05-04', 'x86_64', '10GiB'],
  ),
  fc.stringMatching(/^[0-9a-f]{1,12}$/),
  fc.stringMatching(/^[a-z]{1,6}-[a-z0-9]{1,6}$/),
  fc.stringMatching(/^[0-9]{1,8}[smhB%:]?$/),
  fc.stringMatching(/^[a-z0-9./:-]{1,8}$/),
);
const glue = fc.constantFrom(' ', ': ', ', ', '/', ' (', ') ', '=', '"', "'");

test('property: a template is its own template', () => {
  fc.assert(
    fc.property(fragment, fc.array(fc.tuple(glue, fragment), { maxLength: 4 }), (first, more) => {
      const once = template(first + more.flat().join(''));
      assert.is(template(once), once);
    }),
    runs(500, 30000),
  );
});

test('property: any text has a template, the same each time, without line ends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      assert.is(template(text), template(text));
      assert.not.match(template(text), /[\n\r]/);
    }),
    runs(333, 20000),
  );
});

const MEGABYTE = 1 << 20;
const HOSTILE = [
  ...['a', '0', 'f', ':', '/', '#', '-', '.', ' ', '(', '[', '<', '"', "'", '%', '_', '\t', '\\', '=', ',', '9', 'A'],
  ...[
    'ab12:',
    'a: ',
    '(((',
    '0123456789',
    '🚀',
    'é',
    '\u0000',
    'a1',
    'aB1',
    '1.',
    '1:',
    '/tmp/',
    '/tmp',
    '10.0.0.1',
    '::',
  ],
  ...[
    '-a2',
    'fe80:',
    '1m',
    '1 / ',
    '0x',
    'tmp.',
    'temporary file /',
    'line 1',
    'invalid user ',
    'UPID:',
    'client=',
    '# ',
  ],
  ...['2026-', 'May ', '12:34:56', 'a.b-', 'Error: ', 'a: error: ', 'at ', 'x'.repeat(99).concat(' '), '1 a-#:/.(ü🚀'],
];

test('bounded: a megabyte of anything is masked in a moment', () => {
  for (const piece of HOSTILE) {
    const text = piece.repeat(Math.ceil(MEGABYTE / piece.length));
    const took = cpuTime(() => template(text));
    assert.ok(took < 250, `${JSON.stringify(piece)} took ${took} ms`);
  }
});

test.run();
