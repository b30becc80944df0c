// The loop mends, through the real entry: the owner's own plugin, known fixes, hooks, kills, and two stages at once.
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LedgerEntry } from '../../src/triage/ledger.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { KILL_LOOP } from '../kill-loop.ts';
import { CHECK, fixTrail, probe as probeIn, probePlugin, says } from '../run/probe.ts';
import { cases } from '../sweep.ts';
import { AI, contextMap, type Files, folder, type Scenario, scenario, tree as snapshot } from './scenario.ts';

const FILE = 'conf/a.txt';
const STAGE = { command: ['bash', 'check.sh', FILE], files: ['conf/'] };

function mendable(files: Files = {}, { stages = { a: STAGE } as object, loop = {} as object } = {}) {
  const probe = probeIn('probe', folder());
  const s = scenario({
    'ai/context_map.yaml': contextMap(stages as Record<string, unknown>),
    'ai/loop.yaml': JSON.stringify({
      unattended: 'all',
      executors: ['probe'],
      escalations: [],
      plugins: { probe: { folder: probe.folder } },
      ...loop,
    }),
    'check.sh': CHECK,
    [FILE]: 'bad\nsecond\n',
    'plugins/executors/probe.mjs': probePlugin(),
    ...files,
  });
  return { ...s, probe, at: probe.folder };
}

const subjects = (s: Scenario) => s.git('log', '--reverse', '--format=%s', `main..${AI}`).split('\n').filter(Boolean);
const greens = (events: AnyEvent[]) => events.filter(({ type }) => type === 'stage.green').length;
const told = (done: { stdout: string; stderr: string }) => done.stdout + done.stderr;

test('mending: a failure is mended on the AI branch; base and checkout stay byte for byte, whatever is being edited there', async () => {
  const s = mendable({ 'other.txt': 'one\n', 'staged.txt': 'one\n' });
  s.write({ 'other.txt': 'being edited\n', 'staged.txt': 'staged\n', [FILE]: 'mine\n', 'new.txt': 'new\n' });
  s.git('add', 'staged.txt');
  const before = [snapshot(s.home, ['.git', 'ai']), s.git('status', '--porcelain'), s.git('rev-parse', 'main')];
  s.probe.answers(says('good'));
  const done = await s.run();
  assert.is(done.exit, 0, told(done));
  assert.equal([snapshot(s.home, ['.git', 'ai']), s.git('status', '--porcelain'), s.git('rev-parse', 'main')], before);
  assert.equal(subjects(s), ['Mend a: Say good']);
  assert.equal(fixTrail(s.events()), ['fix.intended', 'fix.committed', 'fix.judged kept']);
});

test('mending: a stage that was given up exits 3 and is refused; reset starts again', async () => {
  const s = mendable({}, { stages: { a: { ...STAGE, verify: ['grep -q ^good conf/a.txt'] } } });
  s.probe.answers(says('bad', 'one'), says('bad', 'two'), says('bad', 'three'), says('good'));
  assert.is((await s.run()).exit, 3);
  assert.is(s.stages().a?.status, 'give_up');
  const refused = await s.run();
  assert.equal([refused.exit, s.stages().a?.status], [3, 'give_up']);
  assert.is(s.events().filter(({ type }) => type === 'attempt.started').length, 0);
  assert.is((await s.run(['reset', 'a'])).exit, 2, 'so soon after it only with --force');
  assert.is((await s.run(['reset', 'a', '--force'])).exit, 0);
  assert.is((await s.run()).exit, 0);
  assert.is(s.stages().a?.status, 'green');
});

test('mending: known fixes mend a script with CRLF, one that is not executable, and YAML with tabs; no try is spent', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      crlf: { command: 'stages/crlf.sh', files: ['stages/'] },
      mode: { command: 'stages/mode.sh', files: ['stages/'] },
      yaml: { command: 'stages/yaml.sh', files: ['conf/'] },
    }),
    'stages/crlf.sh': '#!/usr/bin/env bash\r\nset -eu\r\necho fine\r\n',
    'stages/mode.sh': '#!/usr/bin/env bash\nset -eu\necho fine\n',
    'stages/yaml.sh': `#!/usr/bin/env bash
set -eu
if grep -n "$(printf '\\t')" conf/app.yaml; then
  echo "error converting YAML to JSON: conf/app.yaml: yaml: line 2: found character that cannot start any token" >&2
  exit 1
fi
`,
    'conf/app.yaml': 'app:\n\tname: web\n',
  });
  s.git('update-index', '--chmod=-x', 'stages/mode.sh');
  s.git('commit', '-q', '-m', 'not executable');
  chmodSync(s.path('stages/mode.sh'), 0o644);
  const done = await s.run();
  assert.is(done.exit, 0, told(done));
  assert.is(subjects(s).length, 3);
  const ledger = JSON.parse(s.read('ai/state/ledger.json')) as { day: { tries: number } };
  assert.is(ledger.day.tries, 0);
  assert.match(s.git('ls-tree', AI, '--', 'stages/mode.sh'), /^100755/);
  assert.is(s.git('show', `${AI}:conf/app.yaml`), 'app:\n  name: web');
  assert.is(s.git('status', '--porcelain'), '');
});

test('mending: a run uses the plugins of the base: neither an edit nor the AI branch changes them', async () => {
  const s = mendable();
  s.probe.answers({ throw: 'not now' });
  assert.is((await s.run()).exit, 1);
  // Not committed in home, and committed on the AI branch by somebody.
  const evil = "throw new Error('never loaded')\n";
  s.write({ 'plugins/executors/probe.mjs': evil });
  writeFileSync(s.path('ai/worktree/plugins/executors/probe.mjs'), evil);
  s.git('-C', 'ai/worktree', 'commit', '-q', '-a', '-m', 'evil');
  s.probe.answers(says('good'));
  const done = await s.run();
  assert.is(done.exit, 0, told(done));
});

test('mending: a broken plugin stops the run before its first stage, with everything that is wrong', async () => {
  const s = mendable(
    { 'plugins/executors/other.mjs': 'export default { name: "wrong", propse() {} };\n' },
    { loop: { executors: ['probe', 'other', 'nowhere'] } },
  );
  const done = await s.run();
  assert.is(done.exit, 2);
  for (const word of ['E_PLUGIN', 'other: its name is', 'unknown hook "propse"', 'nowhere: named under executors']) {
    assert.match(told(done), word);
  }
  assert.not(s.has('ai/worktree'), 'nothing was begun');
  const validated = await s.run(['validate']);
  assert.equal([validated.exit, validated.stderr], [2, done.stderr]);
});

test('mending: what the stage itself changed is saved, put back before the fix, and no part of it', async () => {
  const command = 'echo changed > tracked.txt; echo more >> conf/a.txt; bash check.sh conf/a.txt';
  const s = mendable({ 'tracked.txt': 'as it was\n' }, { stages: { a: { command, files: ['conf/'] } } });
  s.probe.answers(says('good'));
  const done = await s.run();
  assert.is(done.exit, 0, told(done));
  assert.is(s.git('show', '--format=', '--name-only', AI), FILE);
  assert.is(s.git('show', `${AI}:${FILE}`), 'good\nsecond');
  assert.is(s.git('show', `${AI}:tracked.txt`), 'as it was');
  const patches = s.events().filter(({ type }) => type === 'attempt.changed');
  assert.ok(patches.length >= 1);
});

/** Hooks of the owner, in a folder of their own. */
function hooks(s: Scenario, scripts: Record<string, string>): void {
  for (const [name, text] of Object.entries(scripts)) {
    const path = s.path('.git/hooks', name);
    writeFileSync(path, `#!/usr/bin/env bash\n${text}\n`);
    chmodSync(path, 0o755);
  }
}

test('mending: no hook of the owner runs, unless git.hooks says so', async () => {
  for (const wanted of [false, true]) {
    const s = mendable({}, { loop: { git: { hooks: wanted } } });
    hooks(s, { 'pre-commit': `echo ran >> ${s.at}/hook`, 'post-commit': `echo ran >> ${s.at}/hook` });
    s.probe.answers(says('good'));
    assert.is((await s.run()).exit, 0);
    assert.is(existsSync(join(s.at, 'hook')), wanted);
  }
});

test('mending: a hook that refuses a fix is told with what it said, and the files are as they were', async () => {
  const s = mendable({}, { loop: { git: { hooks: true } } });
  hooks(s, { 'pre-commit': 'echo "the linter wants two spaces" >&2; exit 1' });
  s.probe.answers(says('good'));
  const done = await s.run();
  assert.is(done.exit, 3);
  assert.match(told(done), 'git could not commit a fix: the linter wants two spaces');
  assert.equal([subjects(s), s.git('-C', 'ai/worktree', 'status', '--porcelain')], [[], '']);
  assert.is(readFileSync(s.path('ai/worktree', FILE), 'utf8'), 'bad\nsecond\n');
  hooks(s, { 'pre-commit': 'exit 0' });
  s.probe.answers(says('good'));
  const next = await s.run();
  assert.is(next.exit, 0, told(next));
  assert.not.match(told(next), 'a fix was being written');
});

const once = (s: { at: string }, script: string, nth = 1) =>
  `echo x >> ${s.at}/times; [ "$(wc -l < ${s.at}/times)" -eq ${nth} ] || exit 0; ${script}`;

const MOMENTS: [string, Record<string, string>, number][] = [
  ['after the files were written', { 'pre-commit': `${KILL_LOOP}; exit 1` }, 1],
  ['while the commit was made', { 'pre-commit': `${KILL_LOOP}; sleep 0.3` }, 1],
  ['after the commit', { 'post-commit': KILL_LOOP }, 1],
  ['after the files of the second fix were written', { 'pre-commit': `${KILL_LOOP}; exit 1` }, 2],
  ['after the commit of the second fix', { 'post-commit': KILL_LOOP }, 2],
];

for (const [when, scripts, nth] of MOMENTS.filter((_, i) => cases(i % 3 === 0, true))) {
  test(`killed: killed ${when}: the next start sets it right, with one commit and one word each`, async () => {
    const s = mendable({}, { loop: { git: { hooks: true } } });
    hooks(s, Object.fromEntries(Object.entries(scripts).map(([name, text]) => [name, once(s, text, nth)])));
    s.probe.answers({ words: { bad: [says('bad', 'other'), says('good')] } });
    const first = await s.run([], { alone: true });
    assert.is(first.exit, null, told(first));
    await new Promise((done) => setTimeout(done, 600));
    const second = await s.run();
    assert.is(second.exit, 0, told(second));
    assert.is(s.runs().length, 1, 'the same run went on');
    assert.equal(subjects(s), ['Mend a: Say good'], s.git('log', '--format=%B', AI));
    const trail = fixTrail(s.events()).filter((line) => line !== 'fix.intended');
    assert.equal(trail, ['fix.committed', 'fix.judged no_effect', 'fix.committed', 'fix.judged kept']);
    assert.equal([greens(s.events()), s.git('-C', 'ai/worktree', 'status', '--porcelain')], [1, '']);
    assert.is(readFileSync(s.path('ai/worktree', FILE), 'utf8'), 'good\nsecond\n');
    const ledger = JSON.parse(s.read('ai/state/ledger.json')) as { day: { tries: number } };
    assert.is(ledger.day.tries, 2, 'two tries, whoever counted them');
  });
}

test('killed: killed while it asks, and while the stage runs again: asked anew, tried anew', async () => {
  const s = mendable();
  s.probe.answers({ kill: true }, says('good'));
  assert.is((await s.run([], { alone: true })).exit, null);
  assert.is((await s.run()).exit, 0);
  assert.equal(subjects(s), ['Mend a: Say good']);

  const command = `[ "$MENDLOOP_ATTEMPT" -ne 2 ] || kill -9 "$(grep -oE '"pid": *[0-9]+' "$MENDLOOP_HOME/ai/state/lock.json" | grep -oE '[0-9]+')"; bash check.sh ${FILE}`;
  const t = mendable({}, { stages: { a: { command, files: ['conf/'] } } });
  t.probe.answers(says('good'));
  const first = await t.run([], { alone: true });
  assert.is(first.exit, null, told(first));
  assert.is((await t.run()).exit, 0);
  assert.equal(subjects(t), ['Mend a: Say good']);
  const once = ['fix.intended', 'fix.committed'];
  // Nothing was seen with it: it is tried first when the failure returns.
  assert.equal(fixTrail(t.events()), [...once, 'fix.judged undone', 'fix.prepared', ...once, 'fix.judged kept']);
  assert.is(greens(t.events()), 1);
});

test('killed: a run that is not taken up again: its trial is undone at the next start, and comes back with its failure', async () => {
  const kill = `kill -9 "$(grep -oE '"pid": *[0-9]+' "$MENDLOOP_HOME/ai/state/lock.json" | grep -oE '[0-9]+')"`;
  const command = `[ "$MENDLOOP_ATTEMPT" -ne 2 ] || [ -e "$SIDE/stop" ] || { touch "$SIDE/stop"; ${kill}; }; bash check.sh ${FILE}`;
  const s = mendable({}, { stages: { a: { command, files: ['conf/'] }, b: { command: 'true' } } });
  const env = { SIDE: s.at };
  s.probe.answers(says('good'));
  assert.is((await s.run([], { env, alone: true })).exit, null);
  const other = await s.run(['b'], { env });
  assert.is(other.exit, 0, told(other));
  assert.match(
    told(other),
    'a change for a was being tried when the loop was stopped; it is undone, and tried first when its failure returns',
  );
  assert.equal(subjects(s), []);
  const asked = s.probe.asked().length;
  assert.is((await s.run([], { env })).exit, 0);
  assert.equal([s.probe.asked().length, subjects(s).length], [asked, 1], 'nobody is asked again');
});

test('killed: an intent is found behind a reset as well', async () => {
  const s = mendable({}, { loop: { git: { hooks: true } } });
  hooks(s, { 'pre-commit': once(s, `${KILL_LOOP}; exit 1`) });
  s.probe.answers(says('good', 'half-written'));
  assert.is((await s.run([], { alone: true })).exit, null);
  assert.match(s.git('-C', 'ai/worktree', 'status', '--porcelain'), FILE);
  assert.is((await s.run(['reset', 'a', '--force'])).exit, 0);
  s.probe.answers(says('good'));
  const done = await s.run();
  assert.is(done.exit, 0, told(done));
  const words = s.events().filter(({ type }) => type === 'attempt.started').length;
  assert.is(words, 2, 'the first attempt did not find the half-written fix');
});

test('killed: a new file of a fix that was being written is removed at the next start, whatever that one runs', async () => {
  const s = mendable({}, { stages: { a: STAGE, b: { command: 'true' } }, loop: { git: { hooks: true } } });
  hooks(s, { 'pre-commit': once(s, `${KILL_LOOP}; exit 1`) });
  s.probe.answers({ ...says('good'), files: { 'conf/new.txt': 'half\n' } });
  assert.is((await s.run(['a'])).exit, 3, 'a new file is asked about');
  const [{ case: name = '' } = {}] = Object.values(JSON.parse(s.read('ai/state/ledger.json')).entries) as LedgerEntry[];
  assert.is((await s.run(['cases', 'accept', name])).exit, 0);
  const first = await s.run(['a'], { alone: true });
  assert.is(first.exit, null, told(first));
  const status = () => s.git('-C', 'ai/worktree', 'status', '--porcelain', '--untracked-files=all');
  assert.match(status(), 'conf/new.txt');
  const other = await s.run(['b']);
  assert.is(other.exit, 0, told(other));
  assert.not(existsSync(s.path('ai/worktree/conf/new.txt')));
  assert.equal([status(), readFileSync(s.path('ai/worktree', FILE), 'utf8')], ['', 'bad\nsecond\n']);
  assert.equal(subjects(s), []);
});

test('together: with two workers a fix waits for the other stage and holds back new ones; each attempt tells the commit it ran from', async () => {
  const trace = 'echo "$MENDLOOP_STAGE $1 $(git rev-parse HEAD) $(date +%s%N)" >> "$SIDE/trace"';
  const script = `#!/usr/bin/env bash\nset -eu\nsay() { ${trace}; }\nsay start\nsleep "$2"\nread -r word < conf/a.txt\nsay end\n[ "$1" != a ] || [ "$word" = good ] || { echo "error: unexpected word $word"; exit 1; }\n`;
  const on = (name: string, seconds: string) => ({ command: ['bash', 'work.sh', name, seconds], files: ['conf/'] });
  const s = mendable(
    { 'work.sh': script },
    { stages: { a: on('a', '0.1'), b: on('b', '1.5'), c: { ...on('c', '0.1'), needs: ['b'] } } },
  );
  s.probe.answers(says('good'));
  const done = await s.run(['--workers', '2'], { env: { SIDE: s.at } });
  assert.is(done.exit, 0, told(done));
  const events = s.events();
  const at = (type: string, stage: string) => events.findIndex((e) => e.type === type && e.stage === stage);
  assert.ok(at('fix.committed', 'a') > at('attempt.ended', 'b'), 'the fix waited for b');
  const real = readFileSync(join(s.at, 'trace'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const recorded = events
    .filter(({ type }) => type === 'attempt.started')
    .map(({ stage, data }) => `${stage} ${data.head}`)
    .sort();
  assert.equal(
    recorded,
    real
      .filter(([, what]) => what === 'start')
      .map(([stage, , head]) => `${stage} ${head}`)
      .sort(),
  );
  for (const [stage, , head] of real.filter(([, what]) => what === 'end')) {
    assert.ok(recorded.includes(`${stage} ${head}`), `${stage}: HEAD did not move under it`);
  }
});

test.run();
