import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pickErrorLines } from '../../src/failure/error-lines.ts';

const pick = (...lines: string[]) => pickErrorLines({ text: `${lines.join('\n')}\n`, cut: false });
const templates = (...lines: string[]) => pick(...lines).errors.map((error) => error.template);
const noise = (n: number) =>
  Array.from({ length: n }, (_, i) => `2026-05-04T10:11:12Z INFO  cleanup of item ${i} done`);

/** What a log is about: the templates picked from it. */
const KINDS: Record<string, { log: string[]; says: string[] }> = {
  'bash, with the line of the script': {
    log: ['==> vms', './run.sh: line 12: CLUSTER: unbound variable'],
    says: ['./run.sh: line #: CLUSTER: unbound variable'],
  },
  'dash, with the line of the script': {
    log: ['==> vms', './run.sh: 12: talosctl: not found'],
    says: ['./run.sh: #: talosctl: not found'],
  },
  'zsh, with the line of the script': {
    log: ['==> vms', './run.sh:12: command not found: talosctl'],
    says: ['./run.sh:#: command not found: talosctl'],
  },
  'a tool in a shell script': {
    log: ['==> vms', "cp: cannot stat 'talos.yaml': No such file or directory"],
    says: ["cp: cannot stat 'talos.yaml': No such file or directory"],
  },
  'an event of Kubernetes: what it says, not that it is a warning': {
    log: [
      '  Normal   Scheduled    2m                default-scheduler  Successfully assigned obs/grafana to w1',
      '  Warning  FailedMount  4s (x8 over 68s)  kubelet            MountVolume.SetUp failed: configmap "dash" not found',
      '==> deploy failed, see above',
    ],
    says: ['Warning FailedMount <duration> kubelet MountVolume.SetUp failed: configmap "dash" not found'],
  },
  'a unit that systemd could not start: the status that has a name': {
    log: [
      'node1 systemd[1]: app.service: Main process exited, code=exited, status=203/EXEC',
      "node1 systemd[1]: app.service: Failed with result 'exit-code'.",
    ],
    says: ['node1 systemd[#]: app.service: Main process exited, code=exited, status=203/EXEC'],
  },
  'a setting that a tool goes on without': {
    log: ["units/a.service:14: Unknown section 'Instal'. Ignoring.", 'Unit a.service has a bad unit file setting.'],
    says: ["units/a.service:#: Unknown section 'Instal'. Ignoring.", 'Unit a.service has a bad unit file setting.'],
  },
  'a module of Ansible that was answered: the answer': {
    log: [
      'fatal: [nas]: FAILED! => {"changed": false, "msg": "Request failed", "response": "HTTP Error 404: Not Found", "status_code": 404}',
    ],
    says: ['FAILED: HTTP Error 404: Not Found'],
  },
  'a command that was run for the tool: what it said before its status': {
    log: [
      'level=fatal msg="environment check failed: nsenter: failed to execute iscsiadm: No such file or directory: exit status 127"',
      'error: daemon set "manager" is not ready',
    ],
    says: [
      'level=fatal msg="environment check failed: nsenter: failed to execute iscsiadm: No such file or directory: exit status 127"',
      'error: daemon set "manager" is not ready',
    ],
  },
  'a command that was run for the tool, and said nothing': {
    log: ['Error: chart "web" is invalid', 'helmfile: release web: exit status 1'],
    says: ['Error: chart "web" is invalid'],
  },
  'a refusal that announces its reasons, an empty line before them': {
    log: [
      'Error from server: admission webhook "validate.policy" denied the request:',
      '',
      'resource Deployment/home/web was blocked due to the following policies',
      '',
      'no-privileged:',
      "  rule: 'validation error: Privileged mode is disallowed.'",
    ],
    says: [
      'Error from server: admission webhook "validate.policy" denied the request:',
      "rule: 'validation error: Privileged mode is disallowed.'",
    ],
  },
  'a wait that ran out: what was waited for, and what was said of it': {
    log: [
      'waiting for certificate web-tls',
      '  Message: Failed to create Order: 429 rateLimited: too many certificates',
      'error: timed out waiting for the condition on certificates/web-tls',
    ],
    says: [
      'waiting for certificate web-tls',
      'Message: Failed to create Order: 429 rateLimited: too many certificates',
      'error: timed out waiting for the condition on certificates/web-tls',
    ],
  },
  'a wait that ran out while it was tried again: what the last try met': {
    log: ['warning: retrying: dial tcp 10.0.0.1:2379: connect: connection refused', 'Error: context deadline exceeded'],
    says: ['warning: retrying: dial tcp <ip>:2379: connect: connection refused', 'Error: context deadline exceeded'],
  },
  'an address with "doc" in it is no pointer to documentation': {
    log: ['redis Pulling', 'toomanyrequests: You have reached your limit: https://www.docker.com/increase-rate-limit'],
    says: ['toomanyrequests: You have reached your limit: https://www.docker.com/increase-rate-limit'],
  },
  'npm: its error, not the options that it explains below': {
    log: [
      'npm error code EUSAGE',
      'npm error The command needs an existing package-lock.json',
      'npm error   --dry-run',
      "npm error     Indicates that you don't want any changes",
    ],
    says: ['npm error The command needs an existing package-lock.json'],
  },
  'a share in front of a line is progress': {
    log: ['umount: /mnt/nas: target is busy.', '  42% [12/28] pulling layer'],
    says: ['umount: /mnt/nas: target is busy.'],
  },
  'a Python traceback: its last line': {
    log: [
      'Traceback (most recent call last):',
      '  File "/srv/lab/render.py", line 12, in <module>',
      '    main()',
      '  File "/srv/lab/render.py", line 9, in main',
      '    raise ValueError("no error here")',
      '    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^',
      'ValueError: no such cluster: blue',
    ],
    says: ['ValueError: no such cluster: blue'],
  },
  'a chained Python traceback: both errors': {
    log: [
      'Traceback (most recent call last):',
      '  File "a.py", line 3, in load',
      '    return data["nodes"]',
      "KeyError: 'nodes'",
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      'Traceback (most recent call last):',
      '  File "a.py", line 9, in <module>',
      '    load()',
      'RuntimeError: inventory has no nodes',
    ],
    says: ["KeyError: 'nodes'", 'RuntimeError: inventory has no nodes'],
  },
  'a Go panic: its words and its first own file': {
    log: [
      'panic: runtime error: invalid memory address or nil pointer dereference',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=0x18 pc=0x4a1b2c]',
      '',
      'goroutine 1 [running]:',
      'main.(*Plan).apply(0xc000012345)',
      '\t/src/lab/plan.go:41 +0x1d',
      'main.main()',
      '\t/src/lab/main.go:12 +0x25',
      'exit status 2',
    ],
    says: [
      'panic: runtime error: invalid memory address or nil pointer dereference /src/lab/plan.go',
      '[signal SIGSEGV: segmentation violation code=0x1 addr=# pc=#]',
    ],
  },
  'a Rust panic': {
    log: [
      "thread 'main' panicked at src/main.rs:12:34:",
      'called `Result::unwrap()` on an `Err` value: NotFound',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ],
    says: ["thread 'main' panicked at src/main.rs:#: called `Result::unwrap()` on an `Err` value: NotFound"],
  },
  'a Node error with its cause': {
    log: [
      'node:internal/process/promises:288',
      '            triggerUncaughtException(err, true /* fromPromise */);',
      '            ^',
      '',
      'TypeError: fetch failed',
      '    at node:internal/deps/undici/undici:12618:11',
      '    at async main (file:///srv/lab/check.mjs:4:13) {',
      '  [cause]: Error: connect ECONNREFUSED 127.0.0.1:8006',
      '      at TCPConnectWrap.afterConnect [as oncomplete] (node:net:1555:16) {',
      '    errno: -111,',
      "    code: 'ECONNREFUSED',",
      "    syscall: 'connect',",
      "    address: '127.0.0.1',",
      '    port: 8006',
      '  }',
      '}',
      '',
      'Node.js v20.11.0',
    ],
    says: ['TypeError: fetch failed', '[cause]: Error: connect ECONNREFUSED 127.0.0.1:8006'],
  },
  'a Java exception with its causes': {
    log: [
      'Exception in thread "main" java.lang.IllegalStateException: cannot start',
      '\tat lab.Main.main(Main.java:12)',
      'Caused by: java.nio.file.NoSuchFileException: conf/app.yaml',
      '\tat java.base/sun.nio.fs.UnixException.translate(UnixException.java:92)',
      '\t... 3 more',
    ],
    says: [
      'Exception in thread "main" java.lang.IllegalStateException: cannot start',
      'Caused by: java.nio.file.NoSuchFileException: conf/app.yaml',
    ],
  },
  'a traceback of Python that another program tells, with a margin': {
    log: [
      'hook "render" said:',
      '    Traceback (most recent call last):',
      '      File "/srv/lab/render.py", line 9, in <module>',
      "        nodes = config['nodes']",
      "    KeyError: 'nodes'",
      '',
      '    During handling of the above exception, another exception occurred:',
      '',
      '    Traceback (most recent call last):',
      '      File "/srv/lab/render.py", line 11, in <module>',
      '        raise LookupError(config)',
      '    LookupError: cluster.yaml has no nodes',
    ],
    says: ["KeyError: 'nodes'", 'LookupError: cluster.yaml has no nodes'],
  },
  'a build of Nix: what its log says, not what stands on it': {
    log: [
      "error: builder for '/nix/store/2imsmnwgl1jm8g102gs0b34hjcdgj33l-site.drv' failed with exit code 1;",
      '       last 3 log lines:',
      '       > building',
      '       > main.go:8:2: cannot find package "lab.lan/site"',
      '       For full logs, run:',
      '         nix log /nix/store/2imsmnwgl1jm8g102gs0b34hjcdgj33l-site.drv',
      "error: 1 dependencies of derivation '/nix/store/gx1rd88jmviwp0a4iz7irc40v6yq9fj5-etc.drv' failed to build",
    ],
    says: ['> main.go:#: cannot find package "lab.lan/site"'],
  },
  'a build of Nix, as newer versions tell it': {
    log: [
      "error: Cannot build '/nix/store/2imsmnwgl1jm8g102gs0b34hjcdgj33l-site.drv'.",
      '       Reason: builder failed with exit code 1.',
      '       Last 2 log lines:',
      '       > curl: (22) The requested URL returned error: 404',
      "error: Cannot build '/nix/store/gx1rd88jmviwp0a4iz7irc40v6yq9fj5-etc.drv'.",
      '       Reason: 1 dependency failed.',
      'error: Build failed due to failed dependency',
    ],
    says: ['> curl: (22) The requested URL returned error: 404'],
  },
  'a task of Ansible, and no rest of a warning that was wrapped': {
    log: [
      '[WARNING]: provided hosts list is empty, only localhost is available. Note that',
      "the implicit localhost does not match 'all'",
      'TASK [talos : Check the cluster] ****************',
      'fatal: [localhost]: FAILED! => {"changed": false, "msg": "2 of 3 nodes are ready"}',
    ],
    says: ['FAILED: # of # nodes are ready in TASK [talos : Check the cluster]'],
  },
  'a warning of Ansible of what it goes on without, wrapped or not': {
    log: [
      '[WARNING]: Unable to parse /srv/homelab/ansible/inventory/production/hosts.ini as',
      'an inventory source',
      'skipping: no hosts matched',
    ],
    says: [
      'Unable to parse /srv/homelab/ansible/inventory/production/hosts.ini as an inventory source',
      'skipping: no hosts matched',
    ],
  },
  'an error of Ansible right below a long warning': {
    log: [
      '[WARNING]: provided hosts list is empty, only localhost is available. Note it.',
      'ERROR! the playbook: site.yml could not be found',
    ],
    says: ['ERROR! the playbook: site.yml could not be found'],
  },
  'a task of Ansible': {
    log: [
      'TASK [apt : install packages] *****',
      'ok: [pve1]',
      'fatal: [pve2]: FAILED! => {"changed": false, "msg": "No package matching \'qemu-agent\' is available"}',
      '',
      'PLAY RECAP *****',
      'pve1 : ok=3    changed=0    unreachable=0    failed=0',
      'pve2 : ok=2    changed=0    unreachable=0    failed=1',
    ],
    says: ["FAILED: No package matching 'qemu-agent' is available in TASK [apt : install packages]"],
  },
  'a box of Terraform': {
    log: [
      'proxmox_vm.node: Creating...',
      '╷',
      '│ Error: Unsupported argument',
      '│ ',
      '│   on main.tf line 12, in resource "proxmox_vm" "node":',
      '│   12:   memroy = 2048',
      '│ ',
      '│ An argument named "memroy" is not expected here.',
      '╵',
    ],
    says: [
      'Error: Unsupported argument on main.tf line #, in resource "proxmox_vm" "node": #: memroy = # An argument named "memroy" is not expected here.',
    ],
  },
  'kubectl, in one line': {
    log: ['namespace/apps unchanged', 'Error from server (NotFound): deployments.apps "web" not found'],
    says: ['Error from server (NotFound): deployments.apps "web" not found'],
  },
  'kubectl, with a list': {
    log: [
      'The Deployment "web" is invalid: ',
      '* spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      '* spec.selector: Required value',
    ],
    says: [
      'The Deployment "web" is invalid: * spec.replicas: Invalid value: -1: must be greater than or equal to # * spec.selector: Required value',
    ],
  },
  helm: {
    log: [
      'Pulled: registry.lan/charts/web:1.2.3',
      'Error: execution error at (web/templates/deployment.yaml:12:20): image.tag is required',
    ],
    says: ['Error: execution error at (web/templates/deployment.yaml:#): image.tag is required'],
  },
  'talosctl, with the keys it does not know': {
    log: [
      '+ talosctl apply-config -n 10.0.0.5 -f node.yaml',
      'error applying new configuration: rpc error: code = InvalidArgument desc = unknown keys found during decoding:',
      'machine:',
      '    netwrok:',
      '        hostname: cp1',
    ],
    says: [
      'error applying new configuration: rpc error: code = InvalidArgument desc = unknown keys found during decoding: machine: netwrok: hostname: cp1',
    ],
  },
  qm: {
    log: ['+ qm start 101', "can't lock file '/var/lock/qemu-server/lock-101.conf' - got timeout"],
    says: ["can't lock file '/var/lock/qemu-server/lock-101.conf' - got timeout"],
  },
  pvesh: {
    log: [
      '+ pvesh create /nodes/pve1/qemu',
      '400 Parameter verification failed.',
      'vmid: invalid format - value is no id',
    ],
    says: ['400 Parameter verification failed.', 'vmid: invalid format - value is no id'],
  },
  'a task of Proxmox': {
    log: ['scsi0: creating disk', "TASK ERROR: storage 'nas' is not online"],
    says: ["TASK ERROR: storage 'nas' is not online"],
  },
  'a YAML parser, with the file but without the line': {
    log: ['yaml.scanner.ScannerError: mapping values are not allowed here', '  in "site.yml", line 3, column 9'],
    says: ['yaml.scanner.ScannerError: mapping values are not allowed here in "site.yml", line #, column #'],
  },
  'yamllint, with the file it names above its findings': {
    log: ['config/talos.yaml', '  3:1       error    wrong indentation: expected 2 but found 4  (indentation)'],
    says: ['# error wrong indentation: expected # but found # (indentation) in config/talos.yaml'],
  },
  'a bare timeout, with what was waited for': {
    log: ['waiting for deployment web to be ready', 'error: timed out waiting for the condition'],
    says: ['waiting for deployment web to be ready', 'error: timed out waiting for the condition'],
  },
  'a block of npm': {
    log: [
      'npm error code E404',
      'npm error 404 Not Found - GET https://registry.home.arpa/no-such-pkg - Not found',
      'npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-05-04T10_11_12_123Z-debug-0.log',
    ],
    says: ['npm error code E404', 'npm error 404 Not Found - GET https://registry.home.arpa/no-such-pkg - Not found'],
  },
};

for (const [kind, { log, says }] of Object.entries(KINDS)) {
  test(`picks ${kind}`, () => {
    const picked = pick(...log);
    assert.equal(
      picked.errors.map((error) => error.template),
      says,
    );
    assert.ok(['strong', 'weak'].includes(picked.grade), picked.grade);
  });
}

test('the same panic of Go from another file is another error, and from another goroutine the same', () => {
  const panic = (goroutine: number, file: string, line: number) =>
    templates(
      'panic: index out of range [3] with length 3',
      '',
      `goroutine ${goroutine} [running]:`,
      'runtime.goPanicIndex(0x3, 0x3)',
      '\t/usr/local/go/src/runtime/panic.go:114 +0x74',
      'main.apply()',
      `\t/src/lab/${file}.go:${line} +0x1d`,
    );
  assert.equal(panic(1, 'plan', 41), panic(17, 'plan', 43));
  assert.not.equal(panic(1, 'plan', 41), panic(1, 'apply', 41));
});

test('a box is the same however wide the terminal was', () => {
  const wide = templates(
    '╷',
    '│ Error: Reference to undeclared resource "proxmox_pool" in the root module of this configuration',
    '╵',
  );
  const narrow = templates(
    '╷',
    '│ Error: Reference to undeclared',
    '│ resource "proxmox_pool" in the root',
    '│ module of this configuration',
    '╵',
  );
  assert.equal(narrow, wide);
});

test('a box is the same with what others print into it', () => {
  const box = ['╷', '│ Error: no such pool', '│ ', '│   with proxmox_pool.lab,', '╵'];
  const mixed = box.flatMap((line, i) => [line, ...noise(1), `downloading chart (${i}/9)`]);
  assert.equal(templates(...mixed), templates(...box));
});

test('a box that was cut off is told as far as it goes', () => {
  assert.equal(templates('╷', '│ Error: no such pool', '│ '), ['Error: no such pool']);
});

const CAUSE = "cp: cannot stat 'talos.yaml': No such file or directory";

test('what only reports that something failed is not the cause, however it says so', () => {
  for (const wrapper of [
    'make: *** [Makefile:12: vms] Error 1',
    'make[1]: Leaving directory "/srv/lab"',
    'exit status 1',
    'Error: Process completed with exit code 1.',
    "subprocess.CalledProcessError: Command '['./run.sh']' returned non-zero exit status 1.",
    'error: Recipe `vms` failed on line 12 with exit code 1',
    'npm error code ELIFECYCLE',
    'E: Sub-process /usr/bin/dpkg returned an error code (1)',
    'stage vms failed after 12s',
    'FAILED',
    'Error:',
  ]) {
    assert.equal(templates('==> vms', CAUSE, wrapper), [CAUSE], wrapper);
  }
});

test('sixty lines of noise after the cause do not hide it', () => {
  assert.equal(templates(CAUSE, ...noise(60), 'make: *** [Makefile:12: vms] Error 1'), [CAUSE]);
  assert.equal(templates(CAUSE, ...Array.from({ length: 60 }, (_, i) => `removed volume data${i}`)), [CAUSE]);
});

test('warnings, and what is tried again or done without, are not the cause', () => {
  for (const other of [
    'WARNING: could not read cache: Permission denied',
    'warning: the file is missing, using defaults',
    'W0504 10:11:12.123456    4711 reflector.go:150] failed to list *v1.Node: forbidden',
    'time="2026-05-04T10:11:12Z" level=warning msg="connection refused"',
    'connection refused, retrying in 5s',
    'failed to connect, attempt 3/5',
    'optional file .env not found, skipping',
  ]) {
    assert.equal(templates(CAUSE, other), [CAUSE], other);
    assert.equal(templates(other, CAUSE), [CAUSE], other);
  }
});

test('how a program is used is not the cause', () => {
  const usage = [
    ...['', 'Usage:', '  helm install [NAME] [CHART] [flags]', '', 'Flags:', '  -h, --help   help for install'],
    ...['      --no-fail-on-error   do not fail', '', "See 'helm help install' for errors"],
  ];
  assert.equal(templates('Error: unknown flag: --wiat', ...usage), ['Error: unknown flag: --wiat']);
});

test('notices of kubectl and helm are not the cause, and not a part of it', () => {
  const failed = 'Error: cannot start';
  for (const notice of [
    'Defaulted container "web" out of: web, metrics, init-chmod (init)',
    'Release "web" does not exist. Installing it now.',
  ]) {
    assert.equal(templates(notice, failed), [failed], notice);
  }
});

test('a log of wrappers alone is known by the last thing said before them', () => {
  const picked = pick('building image', 'make: *** [Makefile:12: image] Error 2');
  assert.equal(
    [picked.grade, picked.errors.map((error) => error.lines[0])],
    ['wrapper', ['building image', 'make: *** [Makefile:12: image] Error 2']],
  );
  assert.is(pick('exit status 2').grade, 'wrapper');
});

test('a log of plain lines is known by its last one, one of records by its last, and one of nothing by nothing', () => {
  const plain = pick('reading inventory', 'writing nodes');
  assert.equal([plain.grade, plain.errors.map((error) => error.template)], ['plain', ['writing nodes']]);
  const info = pick('INFO reading inventory', 'INFO writing nodes');
  assert.equal([info.grade, info.errors.map((error) => error.template)], ['info', ['INFO writing nodes']]);
  for (const nothing of ['', '\n\n', '....', '[####  ] 50%', '\ufffd\ufffd\ufffd\ufffd']) {
    assert.equal(pick(nothing), { errors: [], grade: 'nothing', around: { before: '', behind: '' } });
  }
});

test('the last errors count, those close before them belong to them, and far ones do not', () => {
  const step = (n: number) => Array.from({ length: n }, (_, i) => `step ${i} is under way`);
  assert.equal(templates('Error: one', ...step(2), 'Error: two'), ['Error: one', 'Error: two']);
  assert.equal(templates('Error: one', ...step(9), 'Error: two'), ['Error: two']);
});

test('an error said twice is one, and at most three are kept', () => {
  assert.equal(templates('Error: no 1.5', 'Error: no 2.5'), ['Error: no #']);
  assert.is(templates('Error: a', 'Error: b', 'Error: c', 'Error: d', 'Error: e').length, 3);
});

test('what the loop found itself is the cause; that a check began, or that its command failed, is not', () => {
  const requires = 'mendloop: requires: tool talosctl is not on PATH';
  assert.equal([pick(requires).grade, templates(requires)], ['strong', [requires]]);
  const closed = 'mendloop: verify: tcp pve1.lan:8006: ECONNREFUSED';
  assert.equal(templates('mendloop: verify: command ./check.sh', closed), [closed]);
  const said = 'Error: two nodes are not ready';
  const ended = 'mendloop: verify: command ./check.sh: exit code 1';
  assert.equal(templates('mendloop: verify: command ./check.sh', said, ended), [said]);
});

test('when checks began, what the stage printed before them is not the cause', () => {
  assert.equal(templates(CAUSE, 'mendloop: verify: command ./check.sh', 'Error: no quorum'), ['Error: no quorum']);
});

test('of bytes that are no text only a clear error means anything', () => {
  const bytes = '\u0001\u0002\ufffd\u0003 some not ready words \ufffd\ufffd\u0004';
  assert.equal(pick(bytes), { errors: [], grade: 'nothing', around: { before: '', behind: '' } });
  assert.ok(templates(bytes, CAUSE).includes(CAUSE));
});

test('an error that only tells of issues is followed by what they are', () => {
  const lines = ['failed to parse config file: please fix issues with it', 'There are issues:', '  * "a" is required'];
  assert.ok(templates(...lines, 'task: done').includes('* "a" is required'));
});

test('a test that fails by TAP is told by its name', () => {
  assert.ok(templates('TAP version 13', 'not ok 1 - has three nodes', '  ---', "  error: '2 !== 3'").some(isNamed));
  assert.not.ok(templates('ok 1 - has three nodes', 'Error: x').some(isNamed));
});

const isNamed = (template: string) => template.includes('has three nodes');

test('around: the lines just before the first error and behind the last tell who was at work', () => {
  const { before, behind } = pick('+ qm start 101', CAUSE, 'UPID:pve1 ended', '').around;
  assert.equal([before, behind.trim()], [`+ qm start 101\n${CAUSE}`, 'UPID:pve1 ended']);
  assert.equal([pick(CAUSE).around.before, pick(CAUSE).around.behind.trim()], [CAUSE, '']);
  const many = Array.from({ length: 50 }, (_, i) => `step ${i} is under way`);
  assert.is(pick(...many, CAUSE).around.before, [...many.slice(-5), CAUSE].join('\n'));
  assert.is(pick(CAUSE, ...many).around.behind, many.slice(0, 5).join('\n'));
});

test('the lines of an error are those of the log, cleaned', () => {
  const { errors } = pick('\u001b[31m2026-05-04T10:11:12Z Error: no 10.0.0.5\u001b[0m\r');
  assert.equal(errors, [{ lines: ['Error: no 10.0.0.5'], template: 'Error: no <ip>' }]);
});

test('what the loop remarks about the log itself is never the error, not even where nothing else was said', () => {
  const remark = 'mendloop: the attempt ended before its output did [k2J8s-a8sH_1]';
  assert.equal(templates('installed foo', remark), templates('installed foo'));
  assert.equal(templates(remark), []);
});

test('of nothing but progress and records, what is waited for is told', () => {
  const waiting = 'still waiting for node w2 to become Ready (12/12)';
  const expected = ['still waiting for node w2 to become Ready (#/#)'];
  assert.equal(templates(waiting), expected);
  assert.equal(templates(waiting, ...noise(3)), expected);
});

test.run();
