import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLASS_RULES } from '../../src/failure/class-rules.ts';
import { classify, type ProjectRule } from '../../src/failure/classify.ts';
import { speaks } from '../../src/failure/speaker.ts';
import { CLASS_EXAMPLES } from '../fixtures/rules/class-rules.ts';
import { assertAllHaveExamples, examplesOf } from '../fixtures/rules/examples.ts';
import { cpuTime } from './cpu-time.ts';

const CLASSES = [
  ...['permission_denied', 'missing_file', 'command_not_found', 'network_error', 'yaml_parse_error'],
  ...['talos_error', 'proxmox_error', 'config_error', 'unknown'],
];

/** Lines that show what was being done, for the rules that ask for it. */
const AT_WORK = [
  '+ talosctl apply-config -n cp1 -f node.yaml',
  '+ qm start 101',
  'WARNING: Retrying (Retry(total=0)) after connection broken by NewConnectionError: Connection refused',
];

const of = (errors: string, before = '', exitCode: number | null = 1, own: readonly ProjectRule[] = []) =>
  classify({ errors, around: { before, behind: '' }, exitCode }, own);
const hits = (patterns: readonly RegExp[], text: string) => patterns.some((pattern) => pattern.test(text));
const fits = ({ by, match }: (typeof CLASS_RULES)[number], text: string) =>
  hits(match, text) && (!by || speaks(by, text, { before: '', behind: '' }));

test('every rule has examples, and every example a rule', () => {
  assertAllHaveExamples(
    CLASS_EXAMPLES,
    CLASS_RULES.map(({ name }) => name),
  );
});

for (const rule of CLASS_RULES) {
  const { matches, misses } = examplesOf(CLASS_EXAMPLES, rule.name);
  test(`${rule.name}: its examples have its class and flags, its counterexamples do not match`, () => {
    assert.ok(matches.length > 0 && (rule.class ? CLASSES.includes(rule.class) : rule.transient || rule.external));
    const before = rule.near ? AT_WORK.find((line) => rule.near?.test(line)) : '';
    assert.type(before, 'string', 'nothing that is done here fits its `near`');
    for (const text of matches) {
      const { class: name, transient, external, rules } = of(text, before);
      if (rule.class) assert.equal([rules[0], name], [rule.name, rule.class], text);
      assert.ok(rules.includes(rule.name), text);
      if (rule.transient) assert.ok(transient, text);
      if (rule.external) assert.ok(external, text);
    }
    for (const text of misses) assert.not(fits(rule, text), text);
  });
}

test('patterns keep no memory of the last text', () => {
  const speakers = CLASS_RULES.flatMap(({ by }) => (by ? [...by.words, by.command, by.output] : []));
  for (const pattern of CLASS_RULES.flatMap(({ match }) => match).concat(speakers))
    assert.not.match(pattern.flags, /[gy]/);
});

test('a rule that asks what was being done says nothing without it', () => {
  for (const { near, name } of CLASS_RULES) {
    if (near)
      for (const text of examplesOf(CLASS_EXAMPLES, name).matches)
        assert.not.ok(of(text, '+ ls').rules.includes(name), name);
  }
});

/** What is said of what, in words of tools that there are none of: [class, transient, external], subjects, complaints. */
const SAID: [[string, boolean, boolean], string[], string[]][] = [
  [
    ['missing_file', false, false],
    ['the values file prod.yaml', '/srv/lab/a.conf', 'directory "out"', '../base/x.toml'],
    ['? does not exist', '? was not found', '? could not be found', 'cannot find ?', 'unable to locate ?'],
  ],
  [
    ['command_not_found', false, false],
    ['executable frobctl', 'the shell', 'program "jq"'],
    ['could not find ?', '? not found', 'no such ?'],
  ],
  [
    ['permission_denied', false, true],
    ['password', 'api key', 'join token', 'credentials', 'login ticket'],
    ['invalid ?', 'expired ?', '? has expired', '? was rejected', '? does not match'],
  ],
  [
    ['permission_denied', false, false],
    ['root', 'elevated privileges', 'administrator rights'],
    ['you need ?', 'this requires ?', 'missing ?', '? required'],
  ],
  [
    ['config_error', false, false],
    ['the name web', 'port 8080', 'subnet "10.0.0.0/24"'],
    ['? is already in use', '? is already allocated', '? overlaps with another one', '? conflicts with a and b'],
  ],
  [
    ['config_error', false, false],
    ['package htopp', 'chart "grafanaa"', 'collection a.b', 'module/action a.b.proxmox_kvmm'],
    ['unable to locate ?', "couldn't resolve ?", '? was not found', 'no such ?'],
  ],
  [
    ['network_error', true, false],
    ['the session', 'host nas.lan', 'the request'],
    ['? timed out', 'no response from ?', '? was reset', 'timeout while waiting for ?'],
  ],
  [
    ['config_error', false, false],
    ['field spec.replica', 'section "Instal"', 'release "grafana"', 'option `jelyfin`', 'kind Kafka', 'context "lab"'],
    [
      'unknown ?',
      '? is not defined',
      '? must be a string',
      'unsupported ?',
      '? is invalid',
      'no matches for ?',
      '? not found',
    ],
  ],
];

test('what is wrong with what is understood, whatever tool says it', () => {
  for (const [expected, subjects, complaints] of SAID) {
    for (const text of complaints.flatMap((one) => subjects.map((subject) => `frob: ${one.replace('?', subject)}`))) {
      const { class: name, transient, external } = of(text);
      assert.equal([name, transient, external], expected, text);
    }
  }
});

test('a generic cause stands before the tool that reports it', () => {
  const cases: [string, string][] = [
    ['error getting version: rpc error: code = Unavailable desc = connection error: no route to host', 'network_error'],
    ['TASK ERROR: command failed: Permission denied', 'permission_denied'],
    ['talosctl: command not found', 'command_not_found'],
    ['error reading config: open talosconfig: no such file or directory', 'missing_file'],
    ['error validating config: yaml: line 3: mapping values are not allowed in this context', 'yaml_parse_error'],
  ];
  for (const [text, expected] of cases) assert.is(of(text, AT_WORK.join('\n')).class, expected, text);
});

test('a line behind a container, a unit, a host, a bullet or a margin has the class that it has without', () => {
  const cases: [string, string][] = [
    ['make: kubectll: No such file or directory', 'command_not_found'],
    ['xargs: kubectll: No such file or directory', 'command_not_found'],
    ['curl: (77) error setting certificate file: /srv/lab/ca.pem', 'missing_file'],
    ['su: user lab does not exist or the user entry does not contain all the required fields', 'permission_denied'],
    ['TypeError: Invalid URL', 'unknown'],
    ['Error: Error in function call', 'config_error'],
  ];
  for (const front of ['web-1  | ', 'nuc stage[812]: ', '[cp1]: ', '│ ', '    ', '  > '])
    for (const [text, expected] of cases) assert.is(of(`${front}${text}`).class, expected, `${front}${text}`);
});

test('what talosctl or qm was doing counts, unless another program says its name, or they are only mentioned', () => {
  const cases: [before: string, errors: string, expected: string][] = [
    ['+ talosctl reset --graceful', 'member removal stopped', 'talos_error'],
    ['$ sudo /usr/local/bin/talosctl health', 'member removal stopped', 'talos_error'],
    ['task: [talos:health] talosctl health', 'member removal stopped', 'talos_error'],
    ['pulled image ghcr.io/siderolabs/installer:v1.11.0', 'upgrade failed with exit code 1', 'talos_error'],
    ["TASK ERROR: command 'udevadm settle' failed: exit code 1", 'Timed out for the udev queue', 'proxmox_error'],
    ['downloading talosctl v1.99.0', 'curl: (22) The requested URL returned error: 404', 'config_error'],
    ['+ talosctl reset --graceful', 'tar: short read', 'unknown'],
    ['talosctl-linux-amd64: FAILED', 'talosctl-linux-amd64: FAILED', 'unknown'],
    ['the qm handbook says more', 'member removal stopped', 'unknown'],
    ['', 'error restarting service: rpc error: code = NotFound desc = service "etdc" is unknown', 'talos_error'],
    ['', 'E: Unable to locate package talosctl', 'config_error'],
  ];
  for (const [before, errors, expected] of cases) assert.is(of(errors, before).class, expected, errors);
});

test('a command behind the error did not make it; what tells how a task ended did', () => {
  const classed = (errors: string, behind: string) =>
    classify({ errors, around: { before: '', behind }, exitCode: 1 }).class;
  assert.is(classed('Error: unknown field "prots"', '+ qm list'), 'config_error');
  assert.is(classed('Error: unknown field "prots"', '+ talosctl health'), 'config_error');
  assert.is(classed('Timed out for the udev queue', 'TASK ERROR: exit code 1'), 'proxmox_error');
  assert.is(classed('400 not enough arguments', 'qm clone <vmid> <newid> [OPTIONS]'), 'proxmox_error');
  assert.is(classed('member removal stopped', 'Usage:\n  talosctl reset [flags]'), 'talos_error');
  assert.is(classed('upgrade failed with exit code 1', 'image ghcr.io/siderolabs/installer:v1.11.0'), 'talos_error');
});

test("a project's own rules come first, in their order, with their own flags", () => {
  const own: ProjectRule[] = [
    { name: 'nas', match: /nas is asleep/, class: 'network_error', transient: true, external: true },
    { name: 'files', match: /No such file/, class: 'talos_error', transient: false, external: false },
    { name: 'later', match: /No such/, class: 'proxmox_error', transient: true, external: false },
  ];
  const missing = 'cat: a.yaml: No such file or directory';
  assert.equal(of(missing, '', 1, own), { class: 'talos_error', transient: false, external: false, rules: ['files'] });
  assert.equal(of('nas is asleep', '', 1, own), {
    ...{ class: 'network_error', transient: true, external: true, rules: ['nas'] },
  });
  assert.is(of('root@pve1: Permission denied (publickey).', '', 1, own).rules[0], 'credentials refused');
});

test("a project's own rule does not speak for a log that says nothing", () => {
  const own: ProjectRule = { name: 'all', match: /^/, class: 'talos_error', transient: true, external: true };
  assert.is(of('', '', 1, [own]).class, 'unknown');
});

test('exit codes 126 and 127 tell by convention, when the words do not', () => {
  const plain = { transient: false, external: false };
  assert.equal(of('', '', 127), { class: 'command_not_found', ...plain, rules: ['exit code 127'] });
  assert.equal(of('writing nodes', '', 127).class, 'command_not_found');
  assert.equal(of('', '', 126), { class: 'permission_denied', ...plain, rules: ['exit code 126'] });
  assert.is(of('cat: a.yaml: No such file or directory', '', 127).class, 'missing_file');
  for (const other of [1, 2, 125, 128, 137, null]) {
    assert.equal(of('', '', other), { class: 'unknown', ...plain, rules: [] }, `${other}`);
    assert.equal(of('writing nodes', '', other), { class: 'unknown', ...plain, rules: [] }, `${other}`);
  }
});

test('flags add to the class, and stand without one', () => {
  assert.equal(of('cp: error writing "/mnt/a": No space left on device'), {
    ...{ class: 'unknown', transient: false, external: true, rules: ['the machine is full'] },
    advice: 'free space or memory on that machine',
  });
  const locked = of('VM is locked (backup)');
  assert.equal([locked.class, locked.transient, locked.external], ['proxmox_error', true, false]);
  assert.equal(locked.rules, ['said by Proxmox', 'somebody else holds the lock']);
});

test('what is not there, or not allowed, explains more than the lock or the right that is named with it', () => {
  const found = (text: string) => [of(text).class, of(text).transient];
  const unknown = "npm error 404  'a@*' could not be found or you do not have permission to access it.";
  assert.equal(found(unknown), ['config_error', false]);
  const denied = 'E: Could not open lock file /var/lib/dpkg/lock - open (13: Permission denied)';
  assert.equal(found(`${denied}\nE: Unable to acquire the dpkg lock, are you root?`), ['permission_denied', false]);
  const lost = 'Error: Error acquiring the state lock\nError message: mkdir /srv/state: no such file or directory';
  assert.equal(found(lost), ['missing_file', false]);
});

test('what nothing in the repository could fix comes with the one thing to do, and nothing else does', () => {
  for (const rule of CLASS_RULES) {
    if ('near' in rule) continue;
    for (const text of examplesOf(CLASS_EXAMPLES, rule.name).matches) {
      const found = of(text);
      // A required file may be the executors' to add, or the owner's to bring.
      assert.is(found.advice !== undefined, found.external || rule.advice !== undefined, text);
      if (rule.external) assert.ok(found.external, text);
    }
  }
});

test('what nobody answers may pass by itself, what is refused or missing does not', () => {
  const flags = (text: string) => [of(text).transient, of(text).external];
  assert.equal(flags('ssh: connect to host pve1 port 22: Connection refused'), [true, false]);
  assert.equal(flags('ssh: connect to host pve1 port 22: No route to host'), [true, true]);
  assert.equal(flags('curl: (28) Failed to connect to 10.0.0.55 port 9000: Connection timed out'), [true, true]);
  assert.equal(flags('root@pve1: Permission denied (publickey).'), [false, true]);
  assert.equal(flags('bash: ./run.sh: Permission denied'), [false, false]);
  assert.equal(flags('mendloop: requires: tool talosctl is not on PATH'), [false, true]);
  assert.equal(flags('bash: talosctl: command not found'), [false, false]);
});

test('bounded: as much as three errors can be, of anything, is classed in a moment', () => {
  const pieces = [
    'a',
    '0',
    ' ',
    ':',
    '/',
    '"',
    'a: ',
    'a/',
    'no such ',
    'storage ',
    'storage file ',
    'connect ',
    'VM 101 ',
  ];
  pieces.push(
    'cannot open the ',
    'error ',
    'Get "https:',
    'lookup ',
    'code = Unavailable ',
    'failed parse ',
    '.yaml ',
    'load yaml: refused ',
    '🚀',
    'sh: ',
  );
  for (const piece of pieces) {
    const errors = piece.repeat(Math.ceil(12_288 / piece.length));
    const took = cpuTime(() => of(errors, errors));
    assert.ok(took < 250, `${JSON.stringify(piece)} took ${took} ms`);
  }
});

test('what is not from this repository comes with the one thing to do', () => {
  const advice = Object.fromEntries(
    CLASS_RULES.flatMap(({ name, external }) =>
      external ? [[name, of(examplesOf(CLASS_EXAMPLES, name).matches[0] as string).advice]] : [],
    ),
  );
  assert.equal(advice, {
    'required tool missing': 'install talosctl',
    'required variable missing': 'set PROXMOX_TOKEN, in your shell or in a file that carry names',
    'host key changed': "compare the host's key; when it is the right one: ssh-keygen -R with the host's name",
    'key file missing': 'put the key that decrypts the secrets where it is looked for',
    'secrets that do not decrypt': 'give this machine the key that decrypts them',
    'certificate expired': 'renew the certificate, or set the clock right',
    'credentials refused': 'check the credentials that this stage uses',
    'credentials distrusted': 'check the credentials that this stage uses',
    'host off': 'see whether that host is on, and on the network',
    'the machine is full': 'free space or memory on that machine',
  });
});

test('a missing tool, variable and file each have their own advice, also together', () => {
  const lines = ['tool talosctl is not on PATH', 'tool flux is not on PATH', 'environment variable TOKEN is not set'];
  const missing = [...lines, 'file conf/a.yaml does not exist'].map((line) => `mendloop: requires: ${line}`);
  const { class: name, external, advice } = of(missing.join('\n'));
  assert.equal([name, external], ['command_not_found', true]);
  assert.is(
    advice,
    'install talosctl, flux; set TOKEN, in your shell or in a file that carry names; ' +
      'put conf/a.yaml where the stage wants it (carry brings what git does not track)',
  );
  const file = of(missing[3] as string);
  assert.equal([file.external, file.advice?.startsWith('put conf/a.yaml')], [false, true]);
});

test('a rule of the project that takes for ever is passed over and named', () => {
  const slow = { name: 'slow', match: /(a+)+$/, class: 'proxmox_error' as const, transient: true, external: false };
  const began = performance.now();
  const found = classify({ errors: `error: ${'a'.repeat(60)}!`, around: { before: '', behind: '' }, exitCode: 1 }, [
    slow,
  ]);
  assert.equal([found.class, found.slow], ['unknown', ['slow']]);
  assert.ok(performance.now() - began < 5000);
});

test.run();
