// The commands that look, check, set back and hand out, as text and as JSON.
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cutOff } from '../run/homelab.ts';
import { contextMap, ENTRY, folder, jsonLines, namesIn, scenario, survivors, tree, until } from './scenario.ts';

test('plan, --dry-run, validate and doctor write nothing, before the first run and after it', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: './gone.sh', b: { command: 'false', needs: ['a'] } }),
    'notes.txt': 'mine\n',
  });
  s.write({ 'notes.txt': 'edited\n' });
  const before = tree(s.home);
  const [plan, dry, json, checked, doctor] = await Promise.all([
    s.run(['plan']),
    s.run(['--dry-run']),
    s.run(['plan', 'a', '--json']),
    s.run(['validate', '--json']),
    s.run(['doctor']),
  ]);
  assert.equal(tree(s.home), before);
  assert.is(
    s.plain(plan.stdout),
    'plan from main (<commit>)\nnote: not committed, so not included: notes.txt\na  TODO  never run\nb  TODO  never run\n',
  );
  assert.is(dry.stdout, plan.stdout);
  assert.equal(jsonLines(json.stdout), [
    {
      base: 'main',
      base_commit: s.git('rev-parse', 'HEAD'),
      commit: s.git('rev-parse', 'HEAD'),
      lab: 'real',
      rows: [{ step: 'a', stage: 'a', needs: [], state: 'TODO', why: 'never run' }],
      uncommitted: ['notes.txt'],
      notices: ['not committed, so not included: notes.txt'],
      fixes: [],
    },
  ]);
  const unchecked = (stage: string) =>
    `stages.${stage}: it has nothing to check, so nothing can tell whether it still holds; give it verify`;
  const warnings = ['stage a: gone.sh does not exist', unchecked('a'), unchecked('b')];
  assert.equal(jsonLines(checked.stdout), [
    { ok: true, stages: ['a', 'b'], checkFiles: [], warnings, asked: [], differs: [] },
  ]);
  assert.match(s.plain(doctor.stdout), /^note {5}not committed, so not in a run: notes\.txt$/m);
  assert.match(doctor.stdout, /^no problem found$|^1 problem$/m);
  assert.equal(
    [plan, dry, json, checked, doctor].map((d) => d.exit),
    [0, 0, 0, 0, 0],
  );
  assert.is((await s.run()).exit, 1);
  const later = tree(s.home);
  const after = await s.run(['--dry-run']);
  assert.is(
    s.plain(after.stdout),
    `plan from main (<commit>)
note: not committed, so not included: notes.txt
a  FAILED  failed: E_STAGE_SCRIPT_MISSING exit code 127: gone.sh is not in the commit the stages run from; it is tried again
b  TODO    was skipped: needs a, which failed
`,
  );
  assert.equal(tree(s.home), later);
});

test('status, logs, reset and verify tell and change what they say, as text and as JSON', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      a: { command: 'echo first', verify: ['cat ../../world'] },
      b: 'echo second; exit 1',
    }),
  });
  s.write({ world: '' });
  const none = await s.run(['status']);
  assert.is(
    none.stdout,
    'no run yet; 2 stages in ai/context_map.yaml; to start one: mendloop\na  idle    never run\nb  idle    never run\n',
  );
  const noLog = await s.run(['logs', 'a']);
  assert.is(noLog.stderr, 'error E_NO_LOG: a has no log yet\n  next:  see what has run: mendloop status\n');
  assert.is(noLog.exit, 2);
  assert.match((await s.run(['logs', 'a', '--run', 'x'])).stderr, /a has no such log \(.*\); there is none\n/);
  assert.is((await s.run()).exit, 1);
  const [run = ''] = s.runs();
  const [status, json, log, path] = await Promise.all([
    s.run(['status']),
    s.run(['status', '--json']),
    s.run(['logs', 'b']),
    s.run(['logs', 'b', '--json']),
  ]);
  assert.is(
    s.plain(status.stdout),
    `run <run> ended: failure, just now
a  green   just now  took <n> s
b  failed  just now  took <n> s
b: exit code 1
    unknown; new  (<fingerprint>)
    | second
    left for the next run: no executor has a fix for it
    log: ai/logs/b/<run>-1.log
    next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
`,
  );
  const told = jsonLines(json.stdout)[0] as Record<string, unknown>;
  assert.equal([told.home, told.run, told.running, told.cut_off], [s.home, run, false, false]);
  const { failure, ...b } = (told.stages as Record<string, Record<string, unknown>>).b ?? {};
  assert.equal({ ...(told.stages as object), b }, s.stages());
  assert.is((failure as Record<string, unknown>).fingerprint, b.fingerprint);
  assert.is(log.stdout, 'second\n');
  assert.equal(jsonLines(path.stdout), [{ step: 'b', path: s.path(`ai/logs/b/${run}-1.log`) }]);

  const holds = await s.run(['verify']);
  assert.is(holds.stdout, 'a: holds\nb: not checked, it is not green: failed: exit code 1\n');
  assert.is(holds.exit, 0);
  rmSync(s.path('world'));
  const broken = await s.run(['verify', 'a']);
  assert.match(
    s.plain(broken.stdout),
    /^a: does not hold\n {2}- cat \.\.\/\.\.\/world: exit code 1\n {2}\| cat: \.\.\/\.\.\/world: No such file or directory\n {2}log: ai\/logs\/a\/<run>-verify\.log\n$/,
  );
  assert.is(broken.exit, 1);
  const [, checks = ''] = /log: ai\/logs\/a\/(\S+)-verify\.log/.exec(broken.stdout) ?? [];
  for (const words of [
    ['--run', 'last'],
    ['--run', checks.slice(-9)],
    ['--run', checks],
    ['--run', checks, '--attempt', 'verify'],
  ])
    assert.match((await s.run(['logs', 'a', ...words])).stdout, 'No such file or directory');
  const noNumber = await s.run(['logs', 'a', '--attempt', 'x']);
  assert.is(
    noNumber.stderr,
    'error E_USAGE: --attempt x is not a number from 1 on\n  next:  for example: --attempt 1\n',
  );

  const would = await s.run(['reset', 'a', '--dry-run']);
  assert.is(would.stdout, 'would set to idle: a\n');
  assert.is(s.stages().a?.reset, undefined);
  const reset = await s.run(['reset', 'a', 'b', '--json']);
  assert.equal(jsonLines(reset.stdout), [{ reset: ['a', 'b'], notices: [] }]);
  assert.equal([s.stages().a?.status, s.stages().b?.status], ['idle', 'idle']);
  const [plan, last] = await Promise.all([s.run(['plan']), s.run(['logs', 'b'])]);
  assert.match(plan.stdout, /^a +TODO +was reset\nb +TODO +was reset\n/m);
  assert.equal([last.exit, last.stderr], [0, 'note: b was reset; this is its last log\n']);
  assert.is(last.stdout, log.stdout);
});

test('logs prints the last lines only, where a number of them is asked for', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'seq 5' }) });
  await s.run();
  const text = async (...words: string[]) => (await s.run(['logs', 'a', ...words])).stdout;
  assert.is(await text('-n', '2'), '4\n5\n');
  assert.is(await text('--lines', '9'), '1\n2\n3\n4\n5\n');
  assert.is(await text('-f', '-n', '1'), '5\n');
  assert.is(
    (await s.run(['logs', 'a', '-n', '0'])).stderr,
    'error E_USAGE: --lines 0 is not a number from 1 on\n  next:  for example: mendloop logs <stage> -n 20\n',
  );
});

test('after a reset logs finds the last log of a matrix, and of each of its cells', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ m: { command: 'true', matrix: { host: ['a', 'b'] } } }) });
  assert.is((await s.run()).exit, 0);
  const words = ['m', 'm[host=a]', 'm[host=b]', 'm[b]'];
  const paths = () => Promise.all(words.map(async (word) => (await s.run(['logs', word, '--path'])).stdout));
  const before = await paths();
  await s.run(['reset', 'm']);
  assert.equal([await paths(), before[3]], [before, before[2]]);
  const fails = {
    command: 'echo $MENDLOOP_MATRIX_HOST; test $MENDLOOP_MATRIX_HOST != a',
    matrix: { host: ['a', 'b'] },
  };
  s.commit({ 'ai/context_map.yaml': contextMap({ m: { ...fails, on_failure: 'skip' } }) });
  await s.run(['--workers', '2']);
  const { stdout, stderr } = await s.run(['logs', 'm']);
  assert.equal([stdout, stderr], ['a\n', 'note: this is the log of m[host=a], which failed\n']);
  assert.match((await s.run(['retry', 'm[a]'])).stderr, 'there is no stage or command "m[a]"; did you mean "m"?\n');
});

test('logs -f prints a log as it grows and ends with its attempt', async () => {
  const gate = folder();
  const s = scenario({
    'ai/context_map.yaml': contextMap({ slow: `echo one; until [ -e ${gate}/go ]; do sleep 0.05; done; echo two` }),
  });
  const run = s.start();
  await until('the stage runs', () => s.events().some((e) => e.type === 'attempt.started'));
  const follow = s.start(['logs', 'slow', '-f']);
  await until('the first line came', () => follow.output().includes('one\n'));
  assert.not.match(follow.output(), 'two');
  writeFileSync(`${gate}/go`, '');
  const [followed, done] = await Promise.all([follow.done, run.done]);
  assert.equal(followed, { exit: 0, stdout: 'one\ntwo\n', stderr: '' });
  assert.is(done.exit, 0);
});

test('logs -f ends when the run was killed and nobody is there to end the step', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ slow: 'echo one; sleep 30' }) });
  const run = s.start();
  await until('the stage runs', () => s.events().some((e) => e.type === 'attempt.started'));
  const follow = s.start(['logs', 'slow', '-f']);
  await until('the first line came', () => follow.output().includes('one\n'));
  run.kill('SIGKILL');
  await run.done;
  const left = jsonLines((await s.run(['status', '--json'])).stdout)[0]?.stages as Record<string, { status: string }>;
  assert.is(left.slow?.status, 'running');
  assert.equal(await follow.done, { exit: 0, stdout: 'one\n', stderr: '' });
  // What the killed run left behind is nobody's any more.
  for (const pid of survivors()) process.kill(pid, 'SIGKILL');
});

test('logs ends well when its reader goes away, also with -f while the stage goes on', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ big: 'seq 1 400000; sleep 30' }) });
  const run = s.start();
  // The pipe's own name is there for a moment only.
  const logs = () => namesIn(s.path('ai/logs/big')).filter((name) => name.endsWith('.log'));
  const size = () => logs().reduce((sum, name) => sum + statSync(s.path('ai/logs/big', name)).size, 0);
  await until('the log is long', () => size() > 2_000_000);
  const pipe = (args: string) => [
    'bash',
    '-c',
    `'${process.execPath}' '${ENTRY}' ${args} | head -1; echo "$PIPESTATUS"`,
  ];
  for (const args of ['logs big', 'logs big -f']) {
    assert.equal(await s.run([], { command: pipe(args) }), { exit: 0, stdout: '1\n0\n', stderr: '' });
  }
  run.kill('SIGTERM');
  await run.done;
});

test('get makes what is missing, with all it needs, and answers on stdout alone; inside a stage it only looks', async () => {
  const call = (rest: string) => `'${process.execPath}' '${ENTRY}' get ${rest}`;
  const put = (value: string) => `echo made ${value} >> ../../made; echo ${value} > "$MENDLOOP_OUT/it"`;
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      key: { command: put('key'), outputs: { it: 'it' } },
      cert: {
        command: `${put('cert')}; cat "$(${call('key.it')})" >> "$MENDLOOP_OUT/it"`,
        needs: ['key'],
        outputs: { it: 'it' },
      },
      other: { command: put('other'), outputs: { it: 'it' }, spec: 'big' },
      eager: { command: call('other.it') },
      forcing: { command: `cat "$(${call('key.it --force')})"; ${call('other.it --force')}` },
    }),
  });
  const got = await s.run(['get', 'cert.it']);
  assert.is(got.stdout, `${s.path('ai/state/out/cert/it')}\n`);
  assert.is(got.exit, 0, got.stderr);
  assert.match(got.stderr, /^green: 2 stages {2}/m);
  assert.is(s.read('ai/state/out/cert/it'), 'cert\nkey\n');
  assert.is(s.read('made'), 'made key\nmade cert\n');
  const again = await s.run(['get', 'cert.it', '--json']);
  assert.equal(jsonLines(again.stdout)[0]?.name, 'cert.it');
  assert.is(s.read('made'), 'made key\nmade cert\n', 'what is there is not made again');

  assert.is((await s.run(['eager'])).exit, 1);
  assert.is(
    (await s.run(['logs', 'eager'])).stdout,
    `error E_OUTPUT_MISSING: other.it is not there: its stage is not green, or published nothing
  next:  inside a stage get only looks: name that stage under needs
`,
  );
  assert.is((await s.run(['forcing'])).exit, 1);
  assert.is(
    (await s.run(['logs', 'forcing'])).stdout,
    `key
error E_GET_SPEC: get --force other.it: that stage is for spec big, this one runs on default
  next:  leave --force out, or give both stages the same spec in ai/context_map.yaml
`,
  );
  assert.is(s.read('made'), 'made key\nmade cert\nmade key\n', 'only the stage of the same spec was forced');
  const unknown = await s.run(['get', 'key.itt']);
  assert.is(
    unknown.stderr,
    `error E_UNKNOWN_OUTPUT: there is no output key.itt; did you mean "it"?
  next:  outputs are named under stages.key.outputs in ai/context_map.yaml
`,
  );
  assert.is(unknown.exit, 2);
});

test('a dry run of get, verify and reset runs nothing and still knows a wrong name', async () => {
  const make = 'echo made >> "$MENDLOOP_HOME/made"; echo x > "$MENDLOOP_OUT/it"';
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: { command: make, outputs: { it: 'it' } } }) });
  const before = tree(s.home);
  assert.is((await s.run(['get', 'a.it', '--dry-run'])).stdout, 'would run a and what it needs\n');
  assert.is((await s.run(['verify', 'a', '--dry-run'])).stdout, 'would run the checks of main for: a\n');
  assert.is((await s.run(['reset', 'nosuch', '--dry-run'])).exit, 2);
  assert.equal(tree(s.home), before);
});

test('verify gives up on a check that outlives its stage’s time, and says nothing of what it did not check', async () => {
  const hang = { command: 'true', verify: ['sleep 60'], timeout: '1s' };
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: hang, b: { command: 'true', verify: ['sleep 60'] } }) });
  const late = await s.run(['verify', 'a']);
  assert.equal([late.exit, late.stdout.split('\n')[0]], [1, 'a: does not hold']);
  assert.match(late.stdout, '  - its checks ran past 1 s\n');
  const stopped = s.start(['verify', 'b']);
  await until('the check of b has begun', () => s.has('ai/logs/b'));
  stopped.kill('SIGINT');
  const { exit, stdout } = await stopped.done;
  assert.is(exit, 130);
  assert.not.match(stdout, 'holds');
});

test('what verify found is on record: the stage is to do until its checks hold again, or a run has made it', async () => {
  const world = { command: 'echo x > ../../$MENDLOOP_MATRIX_HOST', verify: ['cat ../../$MENDLOOP_MATRIX_HOST'] };
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      a: { command: 'echo x > ../../world', verify: ['cat ../../world'] },
      m: { ...world, matrix: { host: ['cp1', 'cp2'] } },
    }),
  });
  await s.run();
  const none = await s.run(['verify']);
  assert.equal([none.exit, s.has('ai/state/actions')], [0, false]);
  for (const path of ['world', 'cp2']) rmSync(s.path(path));
  const broken = await s.run(['verify']);
  assert.equal(
    [broken.exit, broken.stdout.match(/^\S+: (?:holds|does not hold)$/gm)],
    [1, ['a: does not hold', 'm[host=cp1]: holds', 'm[host=cp2]: does not hold']],
  );
  const why = 'no longer stands: its checks did not hold: ai/logs/a/<run>-verify.log';
  const [status, plan] = [await s.run(['status']), await s.run(['plan'])];
  assert.match(s.plain(status.stdout), new RegExp(`^a  idle .*, ${why}$`, 'm'));
  assert.match(s.plain(plan.stdout), new RegExp(`^a +TODO +${why}$`, 'm'));
  assert.match(plan.stdout, /^m\[host=cp1\] +DONE +.*\nm\[host=cp2\] +TODO +no longer stands/m);

  s.write({ world: 'y' });
  const again = await s.run(['verify']);
  assert.match(again.stdout, /^a: holds\nm\[host=cp1\]: holds\nm\[host=cp2\]: does not hold\n/);
  assert.equal([s.stages().a?.status, s.stages().a?.stale, s.stages().m?.status], ['green', undefined, 'idle']);
  const ran = await s.run();
  assert.match(ran.stdout, /^m\[host=cp2\] +drift/m);
  assert.equal([ran.exit, s.stages().m?.status, s.read('cp2')], [0, 'green', 'x\n']);

  const run = s.runs().at(-1) as string;
  cutOff(s.home, run, ({ type }) => type === 'stage.green');
  rmSync(s.path('world'));
  const beside = await s.run(['verify', 'a']);
  assert.match(beside.stdout, `\nnote: not on record: run ${run} was cut off; the next start finishes it\n`);
});

test('a stage is green by verify only when the checks of all its cells hold, once', async () => {
  const matrix = { host: ['cp1', 'cp2', 'cp3'] };
  const m = { command: 'echo x > ../../$MENDLOOP_MATRIX_HOST', verify: ['cat ../../$MENDLOOP_MATRIX_HOST'], matrix };
  const s = scenario({ 'ai/context_map.yaml': contextMap({ m }) });
  await s.run();
  for (const host of matrix.host) rmSync(s.path(host));
  await s.run(['verify']);
  s.write({ cp1: 'y', cp3: 'y' });
  await s.run(['verify']);
  assert.is(s.stages().m?.status, 'idle', 'cp2 does not hold');
  s.write({ cp2: 'y' });
  await s.run(['verify']);
  assert.is(s.stages().m?.status, 'green');
  const actions = readdirSync(s.path('ai/state/actions'), { recursive: true, encoding: 'utf8' });
  const lines = actions.filter((path) => path.endsWith('.jsonl')).map((path) => s.read(`ai/state/actions/${path}`));
  assert.is(lines.join('').match(/"stage\.green"/g)?.length, 1);
});

test('abandon --worktree lists what would be lost, and removes it only when told again', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: 'echo x > left.txt; echo more >> kept.txt' }),
    'kept.txt': '1\n',
  });
  assert.is((await s.run()).exit, 0);
  const refused = await s.run(['abandon', '--worktree']);
  assert.is(
    refused.stderr,
    `error E_ABANDON_LOSES: ai/worktree holds files that exist nowhere else
  - modified: ai/worktree/kept.txt
  - untracked: ai/worktree/left.txt
  next:  copy what you need, then: mendloop abandon --worktree --yes
`,
  );
  assert.is(refused.exit, 2);
  assert.ok(s.has('ai/worktree/left.txt'));
  const done = await s.run(['abandon', '--worktree', '--yes']);
  assert.match(done.stdout, /^removed ai\/worktree; the AI branch is as it was$/m);
  assert.not(s.has('ai/worktree'));
  assert.match(s.git('branch', '--list', 'ai/*'), 'ai/orchestrator-stage1');
  assert.is((await s.run()).exit, 0, 'the next run makes it again');
  assert.ok(s.has('ai/worktree/kept.txt'));
});

test('abandon looks at what would be lost before it removes a lock or closes a run, and shows the lock first', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'echo x > left.txt' }) });
  assert.is((await s.run()).exit, 0);
  const lock = {
    pid: 7,
    start: '1',
    boot: null,
    host: 'another-host',
    since: '2026-01-02T03:04:05.678Z',
    command: 'x',
  };
  s.write({ 'ai/state/lock.json': JSON.stringify(lock) });
  const refused = await s.run(['abandon', '--unlock', '--worktree']);
  assert.match(refused.stderr, /^error E_ABANDON_LOSES: /);
  assert.is(refused.stdout, '');
  assert.ok(s.has('ai/state/lock.json'));
  const done = await s.run(['abandon', '--unlock', '--worktree', '--yes']);
  assert.is(
    done.stdout,
    `lock: pid 7 on another-host, held since 2026-01-02T03:04:05.678Z (x)
removed the lock of pid 7 on another-host, held since 2026-01-02T03:04:05.678Z (x)
untracked: ai/worktree/left.txt
removed ai/worktree; the AI branch is as it was
`,
  );
  assert.is(done.exit, 0);
});

test('what git refuses is told with its words and the command, not as a bug', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  assert.is((await s.run()).exit, 0);
  const [name = ''] = readdirSync(s.path('.git/worktrees'));
  s.write({ [`.git/worktrees/${name}/index`]: 'no index' });
  const done = await s.run(['abandon', '--worktree']);
  assert.match(
    done.stderr,
    /^error E_GIT_FAILED: git could not finish status\n( {2}- .*\n)+ {2}next: {2}see what git says, and mend that:\n {9}git status .*\n$/,
  );
  assert.is(done.exit, 2);
});

test.run();
