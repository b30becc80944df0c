// Failures as the tools of a homelab print them: the cause is among the error lines, class and flags send the loop the right
// way, and where, on which hosts and in which order it happened changes nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { identify } from '../../src/failure/fingerprint.ts';
import { localMasks } from '../../src/failure/mask.ts';

interface Case {
  name: string;
  class: string;
  transient?: boolean;
  external?: boolean;
  decisive: string;
  log: string;
}

const cases: Case[] = parse(readFileSync(join(import.meta.dirname, '../fixtures/failure/tools.yaml'), 'utf8'));
const ended = { exit_code: 1, signal: null, timed_out: false };
const failure = (text: string, local?: ReturnType<typeof localMasks>) =>
  identify({ stage: 's', ended, log: { text, cut: false }, local });

test('there are many, of many tools', () => {
  assert.ok(cases.length >= 60);
  assert.ok(new Set(cases.map(({ name }) => name.split(':')[0])).size >= 15);
});

for (const { name, class: expected, transient = false, external = false, decisive, log } of cases) {
  test(`${name}: cause, class and flags`, () => {
    const found = failure(log);
    const lines = found.errors.flatMap((error) => error.lines).join('\n');
    assert.ok(lines.includes(decisive), `${decisive} is not in:\n${lines}`);
    assert.equal(
      [found.class, found.transient, found.external],
      [expected, transient, external],
      found.rules.join(', '),
    );
  });
}

/** In orders that a shuffle would give; the first is as it is. */
function orders<T>(all: readonly T[], count: number): T[][] {
  return Array.from({ length: count }, (_, n) =>
    all
      .map((one, i) => [one, (i * 7 + n * (i + 3) * 13) % 29] as const)
      .sort((a, b) => a[1] - b[1])
      .map(([one]) => one),
  );
}

const HOSTS = ['nas', 'pve1', 'pve2', 'cp1', 'cp2'];
const RESULT = { changed: true, cmd: 'zpool import tank', delta: '0:00:00.02', msg: 'non-zero return code', rc: 1 };
/** What each tool that works on many hosts at once says of one of them. */
const FAN_OUT: Record<string, (host: string, n: number) => string> = {
  'a playbook': (host, n) =>
    `fatal: [${host}]: FAILED! => ${JSON.stringify({ ...RESULT, delta: `0:00:0${n}.1`, stderr: 'cannot import tank: no such pool' })}`,
  'a playbook that delegates': (host) => `fatal: [${host} -> localhost]: FAILED! => {"msg": "'vip' is undefined"}`,
  'a loop of a playbook': (host) => `failed: [${host}] (item=one) => {"msg": "No package matching 'one' is available"}`,
  'ansible without a playbook': (host) => `${host} | FAILED! => {"msg": "No package matching 'one' is available"}`,
  'hosts in brackets': (host) => `[${host}]: error: no such pool tank`,
  'hosts and a bar': (host) => `${host} | bash: line 1: k3s: command not found`,
};

for (const [tool, line] of Object.entries(FAN_OUT)) {
  test(`${tool}: the same error on five hosts in 24 orders, or on one, is one failure, and the hosts are told`, () => {
    const log = (hosts: readonly string[]) =>
      ['TASK [zfs : Import] ******', 'ok: [other]', ...hosts.map((host, i) => line(host, i)), ''].join('\n');
    const prints = orders(HOSTS, 24).map((hosts) => failure(log(hosts)).fingerprint);
    assert.is(new Set(prints).size, 1);
    assert.ok(new Set(orders(HOSTS, 24).map(String)).size > 12);
    for (const host of HOSTS) assert.is(failure(log([host])).fingerprint, prints[0], host);
    const told = failure(log(HOSTS)).errors.flatMap(({ lines }) => lines);
    assert.ok(told.includes('on 5 hosts: cp1, cp2, nas, pve1, pve2'), told.join('\n'));
  });
}

test('of what Ansible quotes from a file only the place is told', () => {
  const quote =
    "The error appears to be in '/srv/x/tasks/main.yml': line 9, column 3, but may\\nbe elsewhere in the file";
  const source = 'The offending line appears to be:\\n\\n---\\n- name: Write the exports\\n  ^ here\\n';
  const cause = `The conditional check 'nfs_exprts' failed: ${'x'.repeat(300)} 'nfs_exprts' is undefined`;
  const [error] = failure(`fatal: [nas]: FAILED! => {"msg": "${cause}\\n\\n${quote}\\n\\n${source}"}\n`).errors;
  assert.equal(error?.lines, [`fatal: [nas]: FAILED! => ${cause}`, "in '/srv/x/tasks/main.yml': line 9, column 3"]);
});

test('hosts by their names in front of a colon are hosts; programs, devices and guests are not', () => {
  const print = (front: string) => failure(`${front}: cannot import tank: no such pool\n`).fingerprint;
  assert.is(print('cp1'), print('node-12'));
  assert.is(print('pve1.lan'), print('cp1'));
  for (const other of ['zpool', 'python3', 'scsi0', 'vmbr1', 'make']) assert.is.not(print(other), print('cp1'), other);
  assert.is.not(print('scsi0'), print('scsi1'));
});

test('a host that the message itself names stays, and so does a service of compose', () => {
  const unreachable = (host: string) =>
    failure(
      `fatal: [${host}]: UNREACHABLE! => {"msg": "ssh: connect to host ${host}.lan port 22: No route to host"}\n`,
    );
  assert.is.not(unreachable('cp1').fingerprint, unreachable('cp2').fingerprint);
  const service = (name: string) => failure(`${name}  | FATAL: password authentication failed\n`).fingerprint;
  assert.is.not(service('db-1'), service('web-1'));
});

test('different errors on hosts, more than are kept, are the same failure in any order', () => {
  const lines = HOSTS.map((host) => `fatal: [${host}]: FAILED! => {"msg": "no disk /dev/${host} found"}`);
  assert.is(new Set(orders(lines, 24).map((all) => failure(all.join('\n')).fingerprint)).size, 1);
});

test('another task, another item and another return code are another failure', () => {
  const print = (task: string, item: string, rc: number) =>
    failure(
      `TASK [${task}] ***\nfailed: [a] (item=${item}) => {"msg": "non-zero return code", "rc": ${rc}, "stderr": "no"}\n`,
    ).fingerprint;
  assert.is(new Set([print('a', 'x', 1), print('b', 'x', 1), print('a', 'y', 1), print('a', 'x', 2)]).size, 4);
});

test('where the checkout lies changes nothing', () => {
  const log = (root: string) => `Error: accumulating resources: lstat ${root}/k/app.yaml: no such file or directory\n`;
  const roots = ['/home/me/homelab', '/srv/lab', '/tmp/x'];
  const worktrees = roots.map((root) => failure(log(`${root}/ai/worktree`)).fingerprint);
  const checkouts = roots.map((root) => failure(log(root), localMasks(root)).fingerprint);
  const both = roots.map((root) => failure(log(`${root}/ai/worktree`), localMasks(root)).fingerprint);
  assert.is(new Set([...worktrees, ...checkouts, ...both]).size, 1);
  assert.is.not(failure(log('/srv/lab2'), localMasks('/srv/lab')).fingerprint, checkouts[0]);
});

test("a matrix cell's own values are masked as whole words of three characters and more, and no numbers", () => {
  const print = (host: string, text = `Error: no disk for ${host} in nodes/${host}.yaml\n`) =>
    failure(text, localMasks(undefined, [host])).fingerprint;
  assert.is(print('cp1'), print('worker-2'));
  assert.is.not(print('c1'), print('c2'));
  assert.is.not(print('1001', 'Error: no VM 1001\n'), print('1002', 'Error: no VM 1002\n'));
  assert.is.not(print('cp1', 'Error: no cp11\n'), print('cp2', 'Error: no cp22\n'));
});

test('when only a check failed it is told, also beside what the check printed', () => {
  const log = (printed: string) =>
    `done\nmendloop: verify: ./check.sh\n${printed}mendloop: verify: ./check.sh: exit code 1\n`;
  const sentence = 'the command succeeded; the check `./check.sh` failed (exit code 1)';
  assert.equal(failure(log('')).errors.at(-1)?.lines, [sentence]);
  assert.equal(failure(log('Error: no quorum\n')).errors[0]?.lines, ['Error: no quorum', `(${sentence})`]);
});

test('what a tool thinks was meant is kept with the error', () => {
  const log =
    'Error: unknown command "instal" for "helm"\n\nDid you mean this?\n\tinstall\n\nRun \'helm --help\' for usage.\n';
  assert.equal(failure(log).errors[0]?.lines, [
    'Error: unknown command "instal" for "helm"',
    ...['Did you mean this?', 'install'],
  ]);
});

test.run();
