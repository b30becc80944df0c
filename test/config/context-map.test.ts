import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ContextMap } from '../../src/config/context-map.ts';
import { parseContextMap } from '../../src/config/parse.ts';
import { mapProblems } from './problem-texts.ts';

const AT = 'ai/context_map.yaml';

function read(text: string): ContextMap {
  const parsed = parseContextMap(text, AT);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

const stage = (body: string) => mapProblems(`stages:\n  vms:\n    command: stages/vms/run.sh\n    ${body}\n`);

test('every key but command has its default', () => {
  assert.equal(read('stages: { vms: { command: stages/vms/run.sh } }'), {
    stages: {
      vms: {
        description: '',
        command: 'stages/vms/run.sh',
        needs: [],
        files: [],
        verify: [],
        success_criteria: [],
        architecture_sections: [],
        diagnostics: [],
        requires: { env: [], tools: [], files: [] },
        outputs: {},
        spec: 'default',
        matrix: {},
        timeout: 900_000,
        on_failure: 'halt',
        priority: 0,
        always: false,
        rerun: true,
        retry: { backoff_ms: 0, backoff_multiplier: 1, max_backoff_ms: 60_000, max_attempts: 1 },
      },
    },
    protected_files: [],
    carry: [],
    not_secret: [],
    architecture_section_keywords: {},
  });
});

test('a carried path may be marked as no secret; what is wrong with an entry is said', () => {
  const { carry, not_secret } = read(
    'stages: { a: { command: x } }\ncarry: [.env, { path: inv, secret: false }, { path: kube, secret: true }]',
  );
  assert.equal([carry, not_secret], [['.env', 'inv', 'kube'], ['inv']]);
  assert.equal(mapProblems('stages: { a: { command: x } }\ncarry: [{ path: /etc }, { path: a, secrt: false }, 7]'), [
    `${AT}:2:17: carry[0].path: "/etc" is absolute; expected a path relative to the repository root`,
    `${AT}:2:36: carry[1].secrt: unknown key; did you mean "secret"?`,
    `${AT}:2:52: carry[2]: expected a path, or a mapping with path and secret: false, got the number 7`,
  ]);
});

test('a stage with every key is read as written', () => {
  const map = read(`
stages:
  vms: { command: [bash, -c, "qm list"] }
  talos:
    description: Talos control plane and workers
    command: stages/talos/run.sh
    needs: [vms]
    files: [stages/talos/, config/talos/*.yaml]
    verify:
      - stages/talos/verify.sh
      - [kubectl, get, nodes]
      - { nonempty: "out:kubeconfig" }
      - { file: a }
      - { yaml: a.yaml }
      - { json: a.json, has: status.ready }
      - { contains: { file: a, text: ok } }
      - { tcp: "cp1:6443" }
      - { tcp: "[::1]:22" }
      - { http: "https://cp1/healthz" }
      - { http: "http://cp1/", status: 404 }
    architecture_sections: [kubernetes]
    success_criteria: [every node is Ready]
    diagnostics: ["talosctl get members"]
    requires: { tools: [talosctl], env: [HOME], files: [config/talos/cluster.yaml] }
    outputs: { kubeconfig: kubeconfig }
    matrix: { host: [cp1, cp2], n: [1, "2", true] }
    timeout: 1h30m
    on_failure: retry
    retry: { max_attempts: 5, backoff_ms: 10, backoff_multiplier: 1.5, max_backoff_ms: 100 }
    spec: big
    priority: -2
    always: true
    rerun: false
protected_files: [infrastructure/proxmox/wipe_proxmox.sh]
carry: [.env, secrets/]
architecture_section_keywords: { kubernetes: [Talos, kubectl] }
`);
  const talos = map.stages.talos;
  assert.equal(map.stages.vms?.command, ['bash', '-c', 'qm list']);
  assert.is(talos?.timeout, 5_400_000);
  assert.equal(talos?.matrix, { host: ['cp1', 'cp2'], n: ['1', '2', 'true'] });
  assert.equal(talos?.verify.at(-2), { http: 'https://cp1/healthz', status: 200 });
  assert.equal(talos?.retry, { max_attempts: 5, backoff_ms: 10, backoff_multiplier: 1.5, max_backoff_ms: 100 });
  assert.equal(map.carry, ['.env', 'secrets/']);
});

test('on_failure: retry without a number of attempts means three', () => {
  assert.is(read('stages: { a: { command: x, on_failure: retry } }').stages.a?.retry.max_attempts, 3);
  assert.is(read('stages: { a: { command: x, on_failure: retry, retry: {} } }').stages.a?.retry.max_attempts, 3);
  const one = read('stages: { a: { command: x, on_failure: retry, retry: { max_attempts: 1 } } }');
  assert.is(one.stages.a?.retry.max_attempts, 1);
});

test('a missing command is reported where its stage is', () => {
  assert.equal(mapProblems('stages:\n  vms:\n    needs: []\n'), [
    `${AT}:2:3: stages.vms.command: missing; expected a command: text for bash, or a list of words to run without a shell`,
  ]);
});

test('an unknown key is reported where it is, with the nearest key', () => {
  assert.equal(stage('nedds: [talos]'), [`${AT}:4:5: stages.vms.nedds: unknown key; did you mean "needs"?`]);
});

test('an unknown key that resembles none comes with those that are allowed', () => {
  assert.equal(mapProblems('stages: { a: { command: x } }\nqqq: 1\n'), [
    `${AT}:2:1: qqq: unknown key; allowed: stages, protected_files, carry, architecture_section_keywords`,
  ]);
});

test('wrong types say what is expected and what was found', () => {
  assert.equal(
    mapProblems(`
    stages:
      vms:
        command: 3
        needs: talos
        priority: "3"
        always: yes
        on_failure: hlt
        retry: { max_attempts: true, backoff_ms: -1, backoff_multiplier: 0.5, max_backoff_ms: 1.5 }
        requires:
        success_criteria: [1]
      talos: run.sh
    `),
    [
      `${AT}:3:14: stages.vms.command: expected a command: text for bash, or a list of words to run without a shell, got the number 3`,
      `${AT}:4:12: stages.vms.needs: expected a list, got "talos"`,
      `${AT}:5:15: stages.vms.priority: expected a whole number, got "3"`,
      `${AT}:6:13: stages.vms.always: expected true or false, got "yes"`,
      `${AT}:7:17: stages.vms.on_failure: expected one of halt, skip, retry, got "hlt"; did you mean "halt"?`,
      `${AT}:8:28: stages.vms.retry.max_attempts: expected a whole number, got true`,
      `${AT}:8:46: stages.vms.retry.backoff_ms: expected a number of at least 0, got the number -1`,
      `${AT}:8:70: stages.vms.retry.backoff_multiplier: expected a number of at least 1, got the number 0.5`,
      `${AT}:8:91: stages.vms.retry.max_backoff_ms: expected a whole number, got the number 1.5`,
      `${AT}:9:14: stages.vms.requires: expected a mapping, got nothing`,
      `${AT}:10:24: stages.vms.success_criteria[0]: expected text (put it in quotes), got the number 1`,
      `${AT}:11:10: stages.talos: expected a mapping, got "run.sh"`,
    ],
  );
});

test('a bad duration names the units', () => {
  const expected = 'expected a duration with units ms, s, m, h or d, such as 90s or 1h30m';
  assert.equal(stage('timeout: 15'), [`${AT}:4:14: stages.vms.timeout: ${expected}, got the number 15`]);
  assert.equal(stage('timeout: 15 min'), [`${AT}:4:14: stages.vms.timeout: ${expected}, got "15 min"`]);
  assert.equal(stage('timeout: 0s'), [`${AT}:4:14: stages.vms.timeout: expected a duration longer than zero`]);
  assert.equal(stage('timeout: 25d'), [
    `${AT}:4:14: stages.vms.timeout: longer than 24d, the longest time that can be waited for`,
  ]);
});

test('matrix axes and values are limited', () => {
  const value = 'expected a value of up to 64 letters, digits, ".", "_" and "-"';
  assert.equal(stage('matrix: { Host: [a], none: [], twice: [1, "1"], bad: [a b, .., null] }'), [
    `${AT}:4:15: stages.vms.matrix.Host: expected an axis name of a-z, 0-9 and "_" that starts with a letter, such as host`,
    `${AT}:4:32: stages.vms.matrix.none: expected at least one value, got an empty list`,
    `${AT}:4:47: stages.vms.matrix.twice[1]: "1" is listed twice`,
    `${AT}:4:59: stages.vms.matrix.bad[0]: ${value}, got "a b"`,
    `${AT}:4:64: stages.vms.matrix.bad[1]: ${value}, got ".."`,
    `${AT}:4:68: stages.vms.matrix.bad[2]: ${value}, got nothing`,
  ]);
});

test('a matrix number that YAML would rewrite must be quoted', () => {
  assert.equal(stage('matrix: { k8s: [1.10, 1.9, 007] }'), [
    `${AT}:4:21: stages.vms.matrix.k8s[0]: 1.10 is a number and would be read as 1.1; put it in quotes`,
    `${AT}:4:32: stages.vms.matrix.k8s[2]: 007 is a number and would be read as 7; put it in quotes`,
  ]);
  assert.equal(stage('matrix: { k8s: ["1.10"] }'), []);
});

test('a verify entry is a command or exactly one check', () => {
  const either =
    'expected a command (text or a list of words), or exactly one check of file, nonempty, yaml, json, contains, tcp, http';
  assert.equal(
    mapProblems(`
    stages:
      vms:
        command: x
        verify:
          - { fil: a }
          - { file: a, yaml: b }
          - {}
          - { json: a, haz: b }
          - { contains: { file: a } }
          - { tcp: cp1 }
          - { tcp: "cp1:70000" }
          - { http: "ftp://a" }
          - { http: "http://a", status: "200" }
          - []
          - [a, 3]
    `),
    [
      `${AT}:5:9: stages.vms.verify[0]: ${either}, got a mapping with fil`,
      `${AT}:6:9: stages.vms.verify[1]: ${either}, got a mapping with file, yaml`,
      `${AT}:7:9: stages.vms.verify[2]: ${either}, got an empty mapping`,
      `${AT}:8:20: stages.vms.verify[3].haz: unknown key; did you mean "has"?`,
      `${AT}:9:11: stages.vms.verify[4].contains.text: missing; expected text`,
      `${AT}:10:16: stages.vms.verify[5].tcp: expected host:port, got "cp1"`,
      `${AT}:11:16: stages.vms.verify[6].tcp: expected a port from 1 to 65535`,
      `${AT}:12:17: stages.vms.verify[7].http: expected an http:// or https:// address, got "ftp://a"`,
      `${AT}:13:37: stages.vms.verify[8].status: expected a whole number, got "200"`,
      `${AT}:14:9: stages.vms.verify[9]: expected a command: text for bash, or a list of words to run without a shell, got an empty list`,
      `${AT}:15:13: stages.vms.verify[10][1]: expected text (put it in quotes), got the number 3`,
    ],
  );
});

test('paths stay below their root', () => {
  assert.equal(
    mapProblems(`
    stages:
      vms:
        command: x
        files: [/etc/, "!a", a/../b, "{..,a}/b", "", "~/x"]
        verify: [{ file: "out:../x" }, { yaml: /x }]
        outputs: { a: /x, b: "out:x", c.d: x }
        requires: { files: [../x], env: [A-B], tools: [a b] }
    carry: [/etc/passwd, .]
    `),
    [
      `${AT}:4:13: stages.vms.files[0]: "/etc/" is absolute; expected a path relative to the repository root`,
      `${AT}:4:20: stages.vms.files[1]: "!a" starts with "!"; expected a pattern of the files meant`,
      `${AT}:4:26: stages.vms.files[2]: "a/../b" has a ".." part; expected a path below the repository root`,
      `${AT}:4:34: stages.vms.files[3]: "{..,a}/b" has a ".." part; expected a path below the repository root`,
      `${AT}:4:46: stages.vms.files[4]: expected a path relative to the repository root, got ""`,
      `${AT}:4:50: stages.vms.files[5]: "~/x" is absolute; expected a path relative to the repository root`,
      `${AT}:5:22: stages.vms.verify[0].file: "../x" has a ".." part; expected a path below $MENDLOOP_OUT`,
      `${AT}:5:44: stages.vms.verify[1].yaml: "/x" is absolute; expected a path relative to the repository root`,
      `${AT}:6:19: stages.vms.outputs.a: "/x" is absolute; expected a path relative to $MENDLOOP_OUT`,
      `${AT}:6:26: stages.vms.outputs.b: "out:x" is below $MENDLOOP_OUT already; expected it without "out:"`,
      `${AT}:6:35: stages.vms.outputs."c.d": expected an output name of letters, digits, "_" and "-"`,
      `${AT}:7:25: stages.vms.requires.files[0]: "../x" has a ".." part; expected a path below the repository root`,
      `${AT}:7:38: stages.vms.requires.env[0]: expected the name of an environment variable, got "A-B"`,
      `${AT}:7:52: stages.vms.requires.tools[0]: expected the name of a program on PATH, got "a b"`,
      `${AT}:8:9: carry[0]: "/etc/passwd" is absolute; expected a path relative to the repository root`,
      `${AT}:8:22: carry[1]: "." is the repository root itself; expected a path below it`,
    ],
  );
});

test.run();
