// A state folder that cannot be written, a disk that is full, a lock that is held: said clearly, and nothing is lost.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { afterTest } from '../environment.ts';
import { needs } from '../needs.ts';
import { contextMap, ENTRY, folder, jsonLines, type Scenario, scenario, smallDisk, tree, until } from './scenario.ts';

const onSmallDisk = needs('right to mount');

const unwritable = (reason: string) => `error E_STATE_UNWRITABLE: <home>/ai/state cannot be written (${reason})
  next:  let this user write there: ls -ld <home>/ai/state
`;

async function refused(s: Scenario, text: string, options = {}): Promise<void> {
  const before = tree(s.home);
  const done = await s.run([], options);
  assert.is(s.plain(done.stderr), text);
  assert.is(done.stdout, '');
  assert.is(done.exit, 2);
  assert.equal(tree(s.home), before);
}

test('ai/state is a file', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  s.write({ 'ai/state': 'something of mine\n' });
  await refused(s, unwritable('EEXIST'));
});

test('ai/state is a folder that an ordinary user may not write', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  s.write({ 'ai/state/.gitignore': '*\n' });
  chmodSync(s.path('ai/state'), 0o555);
  afterTest(() => chmodSync(s.path('ai/state'), 0o755));
  // Root may write anywhere, unless it gives that right up.
  const modest = ['setpriv', '--bounding-set=-dac_override,-dac_read_search', process.execPath, ENTRY];
  await refused(s, unwritable('EACCES'), process.getuid?.() === 0 ? { command: modest } : {});
});

onSmallDisk('ai/state is on a disk that is mounted read-only', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  smallDisk(s.path('ai/state'), '64k');
  writeFileSync(s.path('ai/state/.gitignore'), '*\n');
  execFileSync('mount', ['-o', 'remount,ro', s.path('ai/state')]);
  await refused(s, unwritable('EROFS'));
});

onSmallDisk(
  'a full disk stops the run with the path; the next start after freeing space finishes the same run',
  async () => {
    const names = ['a', 'filler', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
    const work = 'echo "$MENDLOOP_STAGE" >> "$MENDLOOP_HOME/ran"';
    const fill = `${work}; [ -e "$MENDLOOP_HOME/filled" ] || { touch "$MENDLOOP_HOME/filled"; head -c 20M /dev/zero > "$MENDLOOP_HOME/ai/filler" || true; }`;
    const chain = names.map((name, i) => [
      name,
      { command: name === 'filler' ? fill : work, needs: names.slice(0, i) },
    ]);
    const s = scenario({ 'ai/context_map.yaml': contextMap(Object.fromEntries(chain)) });
    smallDisk(s.path('ai'), '2m');
    s.git('checkout', '-q', '--', 'ai');
    const ran = () => s.read('ran').trim().split('\n');
    const full = await s.run();
    const [run = ''] = s.runs();
    assert.is(
      s.plain(full.stderr).replace(/ai\/state\/\S+/, 'ai/state/<file>'),
      `error E_DISK_FULL: the disk is full: <home>/ai/state/<file> could not be written
  next:  free some space; the next start finishes this run
`,
    );
    assert.is(full.exit, 1);
    assert.ok(ran().length < names.length, 'the disk was not full');
    // The other way round is no harm: what was about to start counts as cut off.
    assert.equal(ran(), steps('attempt.started').slice(0, ran().length), 'a stage ran that nobody recorded');
    assert.not(s.has('ai/state/lock.json'), 'the lock was left');

    rmSync(s.path('ai/filler'));
    s.commit({ 'ai/context_map.yaml': contextMap({ a: 'false' }) }, 'not for the run that was cut off');
    const status = await s.run(['status']);
    assert.is(s.plain(status.stdout).split('\n')[0], 'run <run> was cut off; the next start finishes it');
    const green = steps('stage.green');
    writeFileSync(s.path('ran'), '');
    const after = await s.run();
    assert.is(after.exit, 0, after.stderr + after.stdout);
    assert.not.match(status.stdout + after.stdout, 'corrupt');
    assert.equal(s.runs(), [run]);
    assert.equal(steps('stage.green'), names);
    assert.equal(ran(), names.slice(green.length), 'only what was not green ran again');

    /** Which steps the journal names for this type; a line that was torn by the full disk is left out. */
    function steps(type: string): string[] {
      const lines = s.read(`ai/state/runs/${run}/events.jsonl`).split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line)).flatMap((event) => (event.type === type ? [event.stage] : []));
    }
  },
);

onSmallDisk('a full disk ends a run on a terminal, too, where the picture goes on drawing', async () => {
  const fill = 'head -c 20M /dev/zero > "$MENDLOOP_HOME/ai/filler" || true';
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: fill }) });
  smallDisk(s.path('ai'), '1m');
  s.git('checkout', '-q', '--', 'ai');
  const full = await s.run([], { tty: true });
  assert.match(full.stdout, /error E_DISK_FULL: the disk is full:\s/, full.stdout);
  assert.is(full.exit, 1);
});

onSmallDisk('a disk that is mounted read-only: nothing went away, it cannot be written', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  smallDisk(s.path('ai'), '96k,ro');
  const { exit, stderr } = await s.run();
  assert.equal(
    [exit, s.plain(stderr)],
    [
      2,
      `error E_STATE_UNWRITABLE: <home>/ai cannot be written (EROFS)
  next:  let this user write there: ls -ld <home>/ai
`,
    ],
  );
});

onSmallDisk('a disk that is full from the start: refused before anything is begun', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'touch ../../ran' }) });
  smallDisk(s.path('ai'), '96k');
  s.git('checkout', '-q', '--', 'ai');
  try {
    writeFileSync(s.path('ai/filler'), Buffer.alloc(200_000));
  } catch {
    // As full as it gets.
  }
  const done = await s.run();
  assert.is(
    s.plain(done.stderr),
    `error E_DISK_FULL: the disk is full: <home>/ai/state/.gitignore could not be written
  next:  free some space; the next start finishes this run
`,
  );
  assert.is(done.exit, 1);
  assert.not(s.has('ran'));
  rmSync(s.path('ai/filler'));
  assert.is((await s.run()).exit, 0);
  assert.ok(s.has('ran'));
});

test('a second start beside a run: exit 75, silent in cron, clear on a terminal and with --json, and nothing changes', async () => {
  const gate = folder();
  const s = scenario({
    'ai/context_map.yaml': contextMap({ slow: `touch ${gate}/in; until [ -e ${gate}/go ]; do sleep 0.05; done` }),
  });
  const first = s.start(['slow']);
  await until(
    'the stage runs',
    () => s.events().some((e) => e.type === 'attempt.started') && tree(gate).in !== undefined,
  );
  await until('stages.json says so too', () => s.stages().slow?.attempts === 1);
  const before = tree(s.path('ai'));

  const [cron, terminal, json, status] = await Promise.all([
    s.run(),
    s.run([], { tty: true }),
    s.run(['--json']),
    s.run(['status']),
  ]);
  assert.equal(cron, { exit: 75, stdout: '', stderr: '' });
  const message = 'another run is at work: pid <pid> on <host> since <time> (mendloop slow)';
  const next = 'wait for it, or watch it: mendloop status';
  const named = (text: string) => s.plain(text).replace(/ on \S+ since /, ' on <host> since ');
  assert.is(named(terminal.stdout).replaceAll('\r', ''), `error E_LOCKED: ${message}\n  next:  ${next}\n`);
  assert.is(terminal.exit, 75);
  assert.equal(jsonLines(named(json.stdout)), [{ error: { code: 'E_LOCKED', message, exit: 75, next, problems: [] } }]);
  assert.is(json.exit, 75);
  assert.is(s.plain(status.stdout).split('\n')[0], 'run <run> is at work (pid <pid>)');
  const refusals = await Promise.all([s.run(['reset', 'slow']), s.run(['abandon', '--unlock'])]);
  assert.equal(
    refusals.map((r) => r.exit),
    [75, 75],
  );
  assert.equal(tree(s.path('ai')), before, 'something of the running one was changed');

  writeFileSync(`${gate}/go`, '');
  assert.is((await first.done).exit, 0);
  assert.is(s.stages().slow?.status, 'green');
  assert.not(s.has('ai/state/lock.json'), 'the lock was left');
});

test('the lock of a dead run is taken over and said so; of another host it stays until abandon --unlock', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  const lock = (host: string) =>
    s.write({
      'ai/state/lock.json': JSON.stringify({
        ...{ pid: 4194303, start: '1', boot: null, host },
        ...{ since: '2026-01-02T03:04:05.678Z', command: 'mendloop all' },
      }),
    });
  lock('another-host');
  const refusedRun = await s.run(['--json']);
  assert.equal(jsonLines(refusedRun.stdout)[0]?.error, {
    code: 'E_LOCK_UNPROVEN',
    message:
      'the lock is held by pid 4194303 on another-host since 2026-01-02T03:04:05.678Z (mendloop all); ' +
      'whether it lives cannot be told from here (another host), last sign of life just now',
    exit: 75,
    next: 'look there; if it is gone for sure: mendloop abandon --unlock',
    problems: [],
  });
  const dry = await s.run(['abandon', '--unlock', '--dry-run']);
  assert.is(dry.stdout, 'would remove the lock of pid 4194303 on another-host\n');
  const unlocked = await s.run(['abandon', '--unlock']);
  assert.is(
    unlocked.stdout,
    `lock: pid 4194303 on another-host, held since 2026-01-02T03:04:05.678Z (mendloop all)
removed the lock of pid 4194303 on another-host, held since 2026-01-02T03:04:05.678Z (mendloop all)
`,
  );
  assert.is(unlocked.exit, 0);
  lock(execFileSync('hostname', { encoding: 'utf8' }).trim());
  const taken = await s.run();
  assert.match(taken.stdout, /^note: took over a lock of pid 4194303, which is dead$/m);
  assert.is(taken.exit, 0);
});

onSmallDisk('a full disk is called that where git meets it, too', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  renameSync(s.path('.git'), s.path('..git'));
  smallDisk(s.path('.git'), '1m');
  cpSync(s.path('..git'), s.path('.git'), { recursive: true });
  rmSync(s.path('..git'), { recursive: true });
  const filler = s.path('.git/filler');
  const fill = () => execFileSync('sh', ['-c', `head -c 2M /dev/zero > ${filler} 2>/dev/null || :`]);
  const next = 'next:  free some space; the next start finishes this run';
  fill();
  const first = await s.run();
  assert.equal(
    [first.exit, s.plain(first.stderr)],
    [1, `error E_DISK_FULL: the disk is full: <home>/.git/info/exclude could not be written\n  ${next}\n`],
  );
  rmSync(filler);
  assert.is((await s.run()).exit, 0);
  fill();
  const { exit, stderr } = await s.run();
  const words = '  - fatal: sha1 file .* write error. Out of diskspace\n';
  const text = `^error E_DISK_FULL: the disk is full: <home>/\\.git/\\S+ could not be written\n${words}  ${next}\n$`;
  assert.match(s.plain(stderr), new RegExp(text));
  assert.is(exit, 1);
  rmSync(filler);
  assert.is((await s.run()).exit, 0);
});

onSmallDisk('a .git that is mounted read-only is named with what cannot be written', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  execFileSync('mount', ['--bind', s.path('.git'), s.path('.git')]);
  afterTest(() => execFileSync('umount', ['-l', s.path('.git')]));
  execFileSync('mount', ['-o', 'remount,ro,bind', s.path('.git')]);
  const { exit, stderr } = await s.run();
  assert.equal(
    [exit, s.plain(stderr)],
    [
      2,
      `error E_STATE_UNWRITABLE: <home>/.git/info/exclude cannot be written (EROFS)
  next:  let this user write there: ls -ld <home>/.git/info/exclude
`,
    ],
  );
});

test('a stage that removes .git ends the run for a person, not as a bug', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'rm -rf "$MENDLOOP_HOME/.git"; exit 1' }) });
  const { exit, stdout, stderr } = await s.run();
  assert.is(exit, 3);
  assert.match(stdout, /E_GIT_FAILED git could not finish \S+$/m);
  assert.not.match(stdout + stderr, /E_BUG|^ +at /m);
});

test('too little address space is named, for all and for the thread that judges, and crashes nothing', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: { command: 's/run.sh', files: ['s/'] } }),
    's/run.sh': '#!/bin/sh\n',
  });
  s.write({ answer: '--- a/s/run.sh\n+++ b/s/run.sh\n@@ -1 +1,2 @@\n #!/bin/sh\n+true\n' });
  for (const [limit, words, what] of [
    [3_000_000, ['check-patch', 'answer', '--stage', 'a'], 'the thread that reads commands and judges fixes'],
    [900_000, ['status'], 'Node.js'],
  ] as const) {
    const command = ['sh', '-c', `ulimit -v ${limit}; exec "$@"`, 'sh', process.execPath, ENTRY];
    const { exit, stderr } = await s.run([...words], { command });
    assert.equal(
      [exit, stderr],
      [
        2,
        `error E_MEMORY: ${what} was refused the memory that it needs
  next:  see to free memory and to the limits of this user: ulimit -a; no limit of address space: ulimit -v unlimited
`,
      ],
    );
  }
});

test('what people and stages put in the place of files is named, and no command waits for it', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }), 'ai/loop.yaml': 'workers: 1\n' });
  assert.is((await s.run()).exit, 0);
  for (const [path, words, named] of [
    ['ai/context_map.yaml', ['validate'], true],
    ['ai/loop.yaml', [], true],
    ['ai/state/stages.json', ['status'], true],
    ['ai/state/.gitignore', [], false],
    ['ai/worktree/ai/loop.yaml', [], false],
  ] as const) {
    const before = readFileSync(s.path(path));
    rmSync(s.path(path));
    execFileSync('mkfifo', [s.path(path)]);
    const { exit, stderr } = await s.run([...words]);
    const text = `error E_STATE_PLACE: <home>/${path} is a pipe, where a file belongs
  next:  look: ls -ld <home>/${path}
         move it away, then start again: mv <home>/${path} <home>/${path}.old
`;
    assert.equal([exit, s.plain(stderr)], named ? [2, text] : [0, ''], path);
    rmSync(s.path(path));
    writeFileSync(s.path(path), before);
  }
});

test.run();
