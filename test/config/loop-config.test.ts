import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isBranchName } from '../../src/config/loop-config.ts';
import { parseLoopConfig } from '../../src/config/parse.ts';
import { loopProblems } from './problem-texts.ts';

const AT = 'ai/loop.yaml';

const DEFAULTS = {
  lab: 'real',
  unattended: 'repairs',
  branch: 'ai/orchestrator-stage1',
  base: null,
  backend: 'local',
  workers: 1,
  executors: ['known-fixes', 'ollama'],
  escalations: ['case-file'],
  notifiers: [],
  limits: {
    executor_tries: 3,
    escalation_calls: 3,
    stage_attempts: 20,
    executor_files: 1,
    changed_lines: 100,
    run_minutes: 240,
    day_tries: 60,
    day_tokens: 2_000_000,
    day_dollars: null,
    max_steps: 1024,
    max_compute_retries: 3,
  },
  wait: { backoff: [30_000, 60_000, 120_000] },
  retry_failed: true,
  git: { hooks: false, sign: false, push: null, protected: false },
  plugins: {},
  classify: [],
  redact: [],
  retention: null,
  slurm: { specs: {}, grace: 30_000, stale: 900_000, idle: 60_000 },
  backlog: { after_green: 0 },
  logs: { max_mb: 200 },
};

test('no file, and a file with nothing in it, mean the defaults', () => {
  for (const text of [undefined, '', '# lab: simulated\n', '{}']) {
    assert.equal(parseLoopConfig(text, AT), { ok: true, value: DEFAULTS });
  }
});

test('what is written wins, the rest keeps its default', () => {
  const text = `
lab: simulated
base: main
workers: 4
limits: { run_minutes: 5 }
wait: { backoff: [1s] }
git: { sign: true }
classify: [{ match: "no route", class: network_error, transient: true }]
redact: ["hunter\\\\d"]
retention: { days: 30, keep_runs: 200 }
`;
  assert.equal(parseLoopConfig(text, AT), {
    ok: true,
    value: {
      ...DEFAULTS,
      lab: 'simulated',
      base: 'main',
      workers: 4,
      limits: { ...DEFAULTS.limits, run_minutes: 5 },
      wait: { backoff: [1000] },
      git: { hooks: false, sign: true, push: null, protected: false },
      classify: [{ match: 'no route', class: 'network_error', transient: true, external: false }],
      redact: ['hunter\\d'],
      retention: { days: 30, keep_runs: 200, max_mb: null },
    },
  });
});

test("plugins of the owner's own may be named beside those that ship", () => {
  const text = 'executors: [tabs_2]\nescalations: [Oncall]\nnotifiers: [mail]\nplugins: { mail: { to: me } }';
  assert.equal(parseLoopConfig(text, AT), {
    ok: true,
    value: {
      ...DEFAULTS,
      executors: ['tabs_2'],
      escalations: ['Oncall'],
      notifiers: ['mail'],
      plugins: { mail: { to: 'me' } },
    },
  });
});

test('mode is no key: what to write in its place', () => {
  assert.equal(loopProblems('mode: suggest'), [`${AT}:1:1: mode: unknown key; did you mean unattended: none?`]);
});

test('what cannot be the name of a plugin is an error where it stands', () => {
  const expected = 'expected the name of a plugin: letters, digits, "-" and "_", at most 64';
  assert.equal(
    loopProblems(`
    executors: [../evil, known-fixes.ts]
    escalations:
      - -case
    notifiers: [3, mail, mail]
    plugins: { "a/b": { model: auto } }
    `),
    [
      `${AT}:1:13: executors[0]: ${expected}, got "../evil"`,
      `${AT}:1:22: executors[1]: ${expected}, got "known-fixes.ts"`,
      `${AT}:3:5: escalations[0]: ${expected}, got "-case"`,
      `${AT}:4:13: notifiers[0]: expected text (put it in quotes), got the number 3`,
      `${AT}:5:12: plugins."a/b": ${expected}`,
    ],
  );
  assert.equal(loopProblems('notifiers: [mail, mail]'), [`${AT}:1:12: notifiers: a name is listed twice`]);
});

test('a spec says where its jobs go, and takes nothing that is no option or partition', () => {
  assert.equal(loopProblems('slurm: { specs: { gpu: { partition: main, options: [--mem=4G], workers: 2 } } }'), []);
  assert.equal(loopProblems('slurm: { specs: { gpu: { partition: -x, option: [a] } }, stale: 0s }'), [
    `${AT}:1:37: slurm.specs.gpu.partition: expected the name of a partition, or several with commas, got "-x"`,
    `${AT}:1:41: slurm.specs.gpu.option: unknown key; did you mean "options"?`,
    `${AT}:1:65: slurm.stale: expected a duration longer than zero`,
  ]);
});

test('values outside their limits say what is allowed', () => {
  assert.equal(
    loopProblems(`
    lab: reall
    unattended: never
    branch: a..b
    base: 3
    workers: 0
    limits: { stage_attempts: 21, day_tokns: 1, run_minutes: "5" }
    wait: { backoff: [30] }
    git: { hooks: on }
    retention: { days: 0, keep: 3 }
    `),
    [
      `${AT}:1:6: lab: expected one of real, simulated, got "reall"; did you mean "real"?`,
      `${AT}:2:13: unattended: expected one of none, repairs, all, got "never"`,
      `${AT}:3:9: branch: "a..b" is not a valid git branch name`,
      `${AT}:4:7: base: expected a branch name, got the number 3`,
      `${AT}:5:10: workers: expected a number of at least 1, got the number 0`,
      `${AT}:6:27: limits.stage_attempts: expected a number of at most 20, got the number 21`,
      `${AT}:6:31: limits.day_tokns: unknown key; did you mean "day_tokens"?`,
      `${AT}:6:58: limits.run_minutes: expected a whole number, got "5"`,
      `${AT}:7:19: wait.backoff[0]: expected a duration with units ms, s, m, h or d, such as 90s or 1h30m, got the number 30`,
      `${AT}:8:15: git.hooks: expected true or false, got "on"`,
      `${AT}:9:20: retention.days: expected a number of at least 1, got the number 0`,
      `${AT}:9:23: retention.keep: unknown key; did you mean "keep_runs"?`,
    ],
  );
});

test('regular expressions must compile and match something', () => {
  assert.equal(
    loopProblems(`
    classify: [{ match: "(", class: netwrk_error }, { class: unknown }]
    redact: ["[z-a]", "a*"]
    `),
    [
      `${AT}:1:21: classify[0].match: not a regular expression: unterminated group`,
      `${AT}:1:33: classify[0].class: expected one of permission_denied, missing_file, command_not_found, network_error, yaml_parse_error, talos_error, proxmox_error, config_error, unknown, got "netwrk_error"; did you mean "network_error"?`,
      `${AT}:1:49: classify[1].match: missing; expected a regular expression`,
      `${AT}:2:10: redact[0]: not a regular expression: range out of order in character class`,
      `${AT}:2:19: redact[1]: "a*" matches the empty text, so it would match everything`,
    ],
  );
});

test('the base cannot be the branch of the fixes', () => {
  assert.equal(loopProblems('base: ai/orchestrator-stage1'), [
    `${AT}:1:7: base: the same as branch; fixes need a branch of their own`,
  ]);
});

test('the loop configuration of this repository is valid', () => {
  const url = new URL('../../ai/loop.yaml', import.meta.url);
  if (existsSync(url)) assert.equal(loopProblems(readFileSync(url, 'utf8')), []);
});

test('a branch name is valid exactly when git says so', () => {
  const names = [
    ...'main ai/orchestrator-stage1 a.b a@b ä a- x/.y a.lock a.lock/b a..b -a /a a/ a//b a. a@{b'.split(' '),
    ...'a~ a^ a:b a? a* a[b a\\b .a HEAD'.split(' '),
    'a b',
    'a\tb',
  ];
  for (const name of names) {
    const git = spawnSync('git', ['check-ref-format', '--branch', name], { cwd: '/' });
    assert.is(isBranchName(name), git.status === 0, name);
  }
  assert.not(isBranchName(''));
});

test('@ is refused although git expands it: it means HEAD', () => {
  assert.not(isBranchName('@'));
});

test.run();
