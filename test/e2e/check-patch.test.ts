// An answer judged before anything is written: one for a person, many for a script.
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runHere } from './here.ts';
import { contextMap, environment, folder, jsonLines, type Scenario, scenario, write } from './scenario.ts';

const SCRIPT = '#!/usr/bin/env bash\nset -euo pipefail\n\nqm start 101\nlog done\n';
const diff = (path: string, from: string, to: string) =>
  `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
const FIX = diff('stages/vms/run.sh', 'qm start 101', 'qm start 102');

const CLEAN = `--- a/stages/vms/run.sh
+++ b/stages/vms/run.sh
@@ -1,5 +1,5 @@
 #!/usr/bin/env bash
 set -euo pipefail
${' '}
-qm start 101
+qm start 102
 log done
`;

/** A list of resources, and an answer that takes one away: that is the owner's to decide. */
const ALL = { 'ai/loop.yaml': 'unattended: all\nexecutors: [known-fixes]\nescalations: []\n' };
const LISTED = { 'k/kustomization.yaml': 'resources:\n  - one.yaml\n  - two.yaml\n', 'k/two.yaml': 'a: 1\n' };
const REMOVAL =
  '--- a/k/kustomization.yaml\n+++ b/k/kustomization.yaml\n@@\n resources:\n   - one.yaml\n-  - two.yaml\n';

const against = (s: Scenario) => `main (${s.git('rev-parse', 'main').slice(0, 12)}), where the first run starts`;

const outside = folder();
const checkLines = (lines: readonly unknown[]) => {
  const stdin = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return runHere(['check-patch', '--jsonl'], outside, environment(), { stdin });
};

const lab = () =>
  scenario({
    'ai/context_map.yaml': contextMap(
      { vms: { command: 'stages/vms/run.sh', files: ['stages/vms/', 'config/'], verify: ['stages/vms/verify.sh'] } },
      { protected_files: ['config/owner.yaml'], carry: ['config/secret'] },
    ),
    ...ALL,
    'stages/vms/run.sh': SCRIPT,
    'stages/vms/verify.sh': '#!/bin/sh\ntrue\n',
    'config/owner.yaml': 'a: 1\n',
    'config/a.yaml': 'a: 1\n',
    'README.md': 'hello\n',
  });

test('--jsonl: one line out for each line in, in order, with these keys in this order', async () => {
  const files = { 'stages/vms/run.sh': SCRIPT, 'README.md': 'hello\n' };
  const allow = ['stages/vms/run.sh'];
  const done = await checkLines([
    { id: 'fine', files, answer: FIX, allow, unattended: 'all' },
    { id: 2, files, answer: diff('README.md', 'hello', 'x'), allow },
    {
      id: 'tolerance',
      files,
      answer: diff('stages/vms/run.sh', 'qm start 101', 'qm start 101 || true'),
      allow,
      failed: 'qm start 101',
    },
    {
      id: 'nameless',
      path: 'stages/vms/run.sh',
      files,
      answer: '@@ @@\n-qm start 101\n+qm start 102\n',
      allow,
      unattended: 'all',
    },
    { id: 'link', files, links: { 'stages/vms': '/etc' }, answer: FIX, allow },
    { id: 'protected', files, answer: FIX, allow, protect: ['STAGES/**'] },
    { id: 'judging', files, answer: FIX, allow, judging: Object.keys(files) },
    { id: 'lines', files, answer: FIX, allow, max_lines: 1 },
    { id: 'files', files, answer: FIX, allow, max_files: 0 },
    { id: 'empty', files, answer: '', allow },
    { id: 'repair', files: { a: 'b  c\n' }, answer: diff('a', 'b  c', 'b c'), allow: ['a'] },
    { id: 'none', files: { a: 'b  c\n' }, answer: diff('a', 'b  c', 'b c'), allow: ['a'], unattended: 'none' },
    { id: 'ask', files: LISTED, answer: REMOVAL, allow: ['k/'], known: ['qm'], failed: 'stages/vms/run.sh' },
  ]);
  assert.equal([done.exit, done.stderr], [0, '']);
  const told = jsonLines(done.stdout);
  assert.equal(told[0], {
    ...{
      id: 'fine',
      ok: true,
      verdict: 'apply',
      files: { 'stages/vms/run.sh': SCRIPT.replace('101', '102') },
      diff: CLEAN,
      shapes: [],
    },
  });
  assert.equal(told[3], { ...told[0], id: 'nameless' });
  assert.equal(
    told.map(({ id, ok, code }) => [id, ok, code]),
    [
      ['fine', true, undefined],
      [2, false, 'outside'],
      ['tolerance', false, 'tolerance'],
      ['nameless', true, undefined],
      ['link', false, 'bad_path'],
      ['protected', false, 'protected'],
      ['judging', false, 'protected'],
      ['lines', false, 'too_many_lines'],
      ['files', false, 'too_many_files'],
      ['empty', false, 'no_change'],
      ['repair', true, undefined],
      ['none', false, 'every_change'],
      ['ask', false, 'removed'],
    ],
  );
  assert.equal(
    told.map(({ verdict }) => verdict),
    ['apply', 'refuse', 'ask', 'apply', ...Array(6).fill('refuse'), 'apply', 'ask', 'ask'],
  );
  assert.match(String(told.at(-3)?.shapes), /^same words: /);
  assert.equal(told.at(-1)?.files, { 'k/kustomization.yaml': 'resources:\n  - one.yaml\n' });
  assert.equal(Object.keys(told[0] ?? {}), ['id', 'ok', 'verdict', 'files', 'diff', 'shapes']);
  assert.equal(Object.keys(told[1] ?? {}), ['id', 'ok', 'verdict', 'code', 'reasons']);
  assert.equal(Object.keys(told.at(-1) ?? {}), ['id', 'ok', 'verdict', 'files', 'diff', 'code', 'reasons']);
});

test('--jsonl: a bad line is answered in its place with what is wrong, the others as ever, and the exit code is 2', async () => {
  const good = { id: 1, files: { a: 'b\n' }, answer: diff('a', 'b', 'c'), allow: ['a'], unattended: 'all' };
  const done = await checkLines(['nonsense', good, { id: 2 }, '', { ...good, id: 3 }]);
  assert.is(done.exit, 2);
  const told = jsonLines(done.stdout);
  assert.equal(
    told.map((t) => [t.id, t.ok, (t.error as { line: number } | undefined)?.line]),
    [
      [null, undefined, 1],
      [1, true, undefined],
      [2, undefined, 3],
      [null, undefined, 4],
      [3, true, undefined],
    ],
  );
  assert.equal(await checkLines([]), { exit: 0, stdout: '', stderr: '' });
});

test('for people: the clean diff of what would pass, from a file and from stdin, and nothing is written', async () => {
  const s = lab();
  s.write({ 'answer.md': `Here it is:\n\n\`\`\`diff\n${FIX}\`\`\`\n` });
  const [named, piped, json] = await Promise.all([
    s.run(['check-patch', 'answer.md', '--stage', 'vms']),
    s.run(['check-patch', '-', '--stage', 'vms'], { stdin: FIX }),
    s.run(['check-patch', 'answer.md', '--stage', 'vms', '--json']),
  ]);
  assert.equal(named, {
    exit: 0,
    stderr: '',
    stdout: `it would be applied for stage vms: stages/vms/run.sh\njudged against ${against(s)}\n\n${CLEAN}`,
  });
  assert.equal(piped, named);
  const applied = spawnSync('git', ['apply', '--check'], { cwd: s.home, input: named.stdout, encoding: 'utf8' });
  assert.equal([applied.status, applied.stderr], [0, ''], 'git takes the diff out of it');
  assert.equal(jsonLines(json.stdout), [
    {
      ok: true,
      verdict: 'apply',
      files: ['stages/vms/run.sh'],
      diff: CLEAN,
      shapes: [],
      stage: 'vms',
      against: against(s),
    },
  ]);
  assert.is(s.read('stages/vms/run.sh'), SCRIPT);
  assert.not(s.has('ai/state'), 'it wrote something');
});

test('for people: judged by the failure that the stage has, as its next run does', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ web: { command: 'bash web.sh', files: ['web.sh'] } }),
    'web.sh': 'set -eu\nehco fine\n',
  });
  const judged = async () => {
    const stdin = diff('web.sh', 'ehco fine', 'echo fine');
    return (await s.run(['check-patch', '-', '--stage', 'web'], { stdin })).stdout.split('\n', 1).join('');
  };
  assert.match(await judged(), /^the owner would be asked \(command\)/);
  await s.run(['web', '--no-ai']);
  assert.is(await judged(), 'it would be applied for stage web: web.sh');
});

test('for people: what the owner would be asked, by what the change does and by how the stages stand', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      vms: { command: 'true', files: ['k/'], rerun: false },
      apps: { command: 'true', files: ['k/'] },
    }),
    ...LISTED,
    ...ALL,
  });
  const check = (answer: string, ...more: string[]) =>
    s.run(['check-patch', '-', '--stage', 'apps', ...more], { stdin: answer });
  const asked = await check(REMOVAL);
  const meaning = 'something goes and nothing takes its place';
  const [first, second, third] = asked.stdout.split('\n');
  assert.equal(
    [asked.exit, first, second, third],
    [
      0,
      `the owner would be asked (removed): ${meaning}`,
      '  - k/kustomization.yaml:3: removes `two.yaml`, which nothing replaces (resources)',
      `judged against ${against(s)}`,
    ],
  );
  assert.match(asked.stdout, '-  - two.yaml');
  const other = diff('k/two.yaml', 'a: 1', 'a: 2');
  assert.match((await check(other)).stdout, 'it would be applied for stage apps: k/two.yaml');
  assert.is((await s.run([])).exit, 0);
  const [json] = jsonLines((await check(other, '--json')).stdout);
  assert.equal([json?.ok, json?.verdict, json?.code, json?.files], [false, 'ask', 'changes_once', ['k/two.yaml']]);
});

test('for people: it is judged against what a run would change, and says which: the AI branch, or what a run makes of it and the base', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ web: { command: 'bash web.sh', files: ['web.sh', 'port.txt'] } }),
    ...ALL,
    'web.sh': 'set -e\nmkdri -p out\n\n\n\ntest "$(cat port.txt)" = 80\n',
    'port.txt': '80\n',
  });
  assert.is((await s.run([])).exit, 0, 'mended by a known fix');
  const short = (name: string) => s.git('rev-parse', name).slice(0, 12);
  const branch = `ai/orchestrator-stage1 (${short('ai/orchestrator-stage1')})`;
  const check = async (answer: string) =>
    (await s.run(['check-patch', '-', '--stage', 'web'], { stdin: answer })).stdout.split('\n').slice(0, 2);
  const mended = diff('web.sh', 'mkdir -p out', 'mkdir -p out/web');
  const yours = diff('web.sh', 'mkdri -p out', 'mkdir -p out/web');
  assert.equal(await check(mended), ['it would be applied for stage web: web.sh', `judged against ${branch}`]);
  assert.match((await check(yours))[0] as string, /^refused, not_found: /);
  s.commit({ 'port.txt': '8080\n' });
  s.write({ 'port.txt': 'not committed\n' });
  const put = () => `judged against ai/orchestrator-stage1 put onto main (${short('main')}), as the next run does`;
  assert.equal(await check(mended), ['it would be applied for stage web: web.sh', put()]);
  assert.equal(await check(diff('port.txt', '8080', '80')), ['it would be applied for stage web: port.txt', put()]);
  s.commit({ 'web.sh': 'set -e\nmkdir -p out/here\n\n\n\ntest "$(cat port.txt)" = 80\n' });
  const here = diff('web.sh', 'mkdir -p out/here', 'mkdir -p out/there');
  assert.equal(await check(here), ['it would be applied for stage web: web.sh', put()], 'your text stands');
  s.git('reset', '-q', '--hard', 'HEAD~2');
  s.git('commit', '-q', '--amend', '-m', 'Rewritten');
  assert.equal(await check(mended), ['it would be applied for stage web: web.sh', put()]);
});

test('for people: why it would not pass, by the map and the files that a run starts from', async () => {
  const s = lab();
  symlinkSync('../README.md', s.path('config/link.yaml'));
  symlinkSync('/etc', s.path('config/etc'));
  s.git('add', 'config/link.yaml', 'config/etc');
  s.git('commit', '-q', '-m', 'links');
  write(s.home, { 'config/secret/key.txt': 'k\n', 'config/lying.yaml': 'x: 2\n' });
  const cases: [string, string][] = [
    [diff('README.md', 'hello', 'x'), 'outside'],
    [diff('stages/vms/verify.sh', 'true', 'false'), 'protected'],
    [diff('config/owner.yaml', 'a: 1', 'a: 2'), 'protected'],
    [diff('config/secret/key.txt', 'k', 'l'), 'missing_file'],
    [diff('config/a.yaml', 'a: 1', 'a: [2'), 'does_not_parse'],
    [diff('stages/vms/run.sh', 'log done', 'mkfs.ext4 /dev/sda'), 'destroys'],
    ['--- /dev/null\n+++ config/link.yaml\n@@ -0,0 +1 @@\n+x: 1\n', 'bad_path'],
    ['--- /dev/null\n+++ config/lying.yaml\n@@ -0,0 +1 @@\n+x: 1\n', 'in_the_way'],
    ['--- /dev/null\n+++ config/etc/motd\n@@ -0,0 +1 @@\n+x: 1\n', 'bad_path'],
    ['--- /dev/null\n+++ config/new/a.yaml\n@@ -0,0 +1 @@\n+x: 1\n', 'missing_file'],
    ['no idea', 'no_change'],
  ];
  const all = await Promise.all(
    cases.map(([stdin]) => s.run(['check-patch', '-', '--stage', 'vms', '--json'], { stdin })),
  );
  for (const [i, done] of all.entries()) {
    assert.equal([done.exit, jsonLines(done.stdout)[0]?.code], [0, cases[i]?.[1]], cases[i]?.[0]);
  }
  const text = await s.run(['check-patch', '-', '--stage', 'vms'], { stdin: cases[0]?.[0] ?? '' });
  assert.is(
    text.stdout,
    'refused, outside: the file is not among those this stage may change\n' +
      `  - README.md: only these may be changed: stages/vms/, config/\njudged against ${against(s)}\n`,
  );
});

test('what it is not given, or cannot read, is told with what to do', async () => {
  const s = lab();
  const usage =
    'error E_USAGE: check-patch needs an answer and the stage it is for\n  next:  mendloop check-patch <file> --stage <stage>; - for stdin\n';
  const [none, noStage, noFile, dir, stage] = await Promise.all([
    s.run(['check-patch']),
    s.run(['check-patch', 'README.md']),
    s.run(['check-patch', 'none', '--stage', 'vms']),
    s.run(['check-patch', 'config', '--stage', 'vms']),
    s.run(['check-patch', 'README.md', '--stage', 'vsm']),
  ]);
  assert.equal(none, { exit: 2, stdout: '', stderr: usage });
  assert.equal(noStage, none);
  const name = '\n  next:  name a file with the answer, or - for stdin\n';
  assert.equal(noFile, { exit: 2, stdout: '', stderr: `error E_USAGE: there is no file none${name}` });
  assert.equal(dir, { exit: 2, stdout: '', stderr: `error E_USAGE: config is a folder${name}` });
  assert.match(stage.stderr, 'did you mean "vms"');
});

test.run();
