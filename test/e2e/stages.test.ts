// How stages end: green, failed, skipped, retried, stopped; and what they are given.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allGone, contextMap, folder, type Scenario, scenario } from './scenario.ts';

const statuses = (s: Scenario) => Object.entries(s.stages()).map(([name, { status }]) => `${name} ${status}`);

test('six stages in a chain turn green in the order of their needs, whatever the order in the file', async () => {
  const names = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs'];
  const stages = names.map((name, i) => [name, { command: `echo ${name} >> ../../order`, needs: names.slice(0, i) }]);
  const s = scenario({ 'ai/context_map.yaml': contextMap(Object.fromEntries(stages.reverse())) });
  const done = await s.run();
  assert.is(done.exit, 0, done.stdout);
  assert.is(s.read('order'), `${names.join('\n')}\n`);
  assert.equal(statuses(s).sort(), names.map((name) => `${name} green`).sort());
  assert.is(s.plain(done.stdout).split('\n').at(-2), 'green: 6 stages  <n> s');
  assert.is(done.stderr, '');
});

test('each way to fail is told with its reason and its evidence; on_failure: skip goes on with the rest', async () => {
  const bad = (stage: Record<string, unknown>) => ({ on_failure: 'skip', ...stage });
  const gate = folder();
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      ok: 'true',
      code: bad({ command: 'seq 1 12; printf "\\033[31mError:\\033[0m no such pool\\n" >&2; exit 3' }),
      after: bad({ command: `touch ${gate}/after`, needs: ['code', 'ok'] }),
      later: bad({ command: `touch ${gate}/later`, needs: ['after'] }),
      signal: bad({ command: 'kill -SEGV $$' }),
      unverified: bad({
        command: 'echo "{}" > state.json',
        verify: ['false', { file: 'nothing' }, { json: 'state.json', has: 'a.b' }],
      }),
      lacking: bad({
        command: `touch ${gate}/lacking`,
        requires: { env: ['NOT_SET_A', 'NOT_SET_B'], tools: ['flux-not-here', 'sh'], files: ['not/there.yaml'] },
      }),
      late: bad({
        command: `echo waiting for a node that never comes; (trap '' TERM; exec sleep 600) & sleep 600`,
        timeout: '1s',
      }),
      missing: bad({ command: 'stages/missing/run.sh' }),
      plain: bad({ command: './plain.sh --now' }),
      unpublished: bad({ command: 'true', outputs: { key: 'key.txt' } }),
    }),
    'plain.sh': 'echo not executable\n',
  });
  const done = await s.run();
  assert.is(done.exit, 1);
  assert.is(done.stderr, '');
  assert.is(
    s.plain(done.stdout),
    `run <run> begins: ok → code → after → later → signal → unverified → lacking → late → missing → plain → unpublished
note: tool flux-not-here is not on PATH
ok           started
ok           green        <n> s  (no checks)
code         started
code         failed       <n> s  exit code 3
    unknown; new  (<fingerprint>)
    | Error: no such pool
    left for the next run: no executor has a fix for it
    log: ai/logs/code/<run>-1.log
after        skipped      needs code, which failed
later        skipped      needs code, which failed
signal       started
signal       failed       <n> s  ended by SIGSEGV
    unknown; new  (<fingerprint>)
    | (empty log)
    left for the next run: no executor has a fix for it
    log: ai/logs/signal/<run>-1.log
unverified   started
unverified   failed       <n> s  verify: false: exit code 1; file nothing: does not exist; json state.json: has no a.b
    missing_file; new  (<fingerprint>)
    | mendloop: verify: json state.json: has no a.b
    | mendloop: verify: file nothing: does not exist
    | (the command succeeded; the check \`false\` failed (exit code 1))
    left for the next run: no executor has a fix for it
    log: ai/logs/unverified/<run>-1.log
lacking      started
lacking      failed       <n> s  requires: environment variable NOT_SET_A is not set; environment variable NOT_SET_B is not set; tool flux-not-here is not on PATH; file not/there.yaml does not exist
    command_not_found, not from this repository; new  (<fingerprint>)
    | mendloop: requires: file not/there.yaml does not exist
    | mendloop: requires: environment variable NOT_SET_A is not set mendloop: requires: environment variable NOT_SET_B is not set mendloop: requires: tool flux-not-here is not on PATH
    left for the next run: command_not_found: nothing in the repository can fix it
    log: ai/logs/lacking/<run>-1.log
late         started
late         failed       <n> s  ran past its <n> s and was stopped
    unknown; new  (<fingerprint>)
    | waiting for a node that never comes
    left for the next run: no executor has a fix for it
    log: ai/logs/late/<run>-1.log
missing      started
missing      failed       <n> s  E_STAGE_SCRIPT_MISSING exit code 127: stages/missing/run.sh is not in the commit the stages run from
    missing_file; new  (<fingerprint>)
    | bash: line 1: stages/missing/run.sh: No such file or directory
    left for the next run: no executor has a fix for it
    log: ai/logs/missing/<run>-1.log
plain        started
plain        failed       <n> s  E_STAGE_SCRIPT_NOT_EXECUTABLE exit code 126: plain.sh is not executable
    permission_denied; new  (<fingerprint>)
    | bash: line 1: ./plain.sh: Permission denied
    left for the next run: no executor has a fix for it
    log: ai/logs/plain/<run>-1.log
unpublished  started
unpublished  failed       <n> s  verify: output key: key.txt is missing or empty
    missing_file; new  (<fingerprint>)
    | mendloop: verify: output key: key.txt is missing or empty
    left for the next run: no executor has a fix for it
    log: ai/logs/unpublished/<run>-1.log
failed: 1 green, 8 failed, 2 skipped  <n> s
  next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
  next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
  next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
  next:  install flux-not-here; set NOT_SET_A, NOT_SET_B, in your shell or in a file that carry names; put not/there.yaml where the stage wants it (carry brings what git does not track), then: mendloop
  next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
  next:  git add stages/missing/run.sh && git commit, then run again
  next:  chmod +x plain.sh && git add plain.sh && git commit, then run again
  next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
`,
  );
  for (const name of ['after', 'later', 'lacking']) assert.not(existsSync(`${gate}/${name}`), `${name} ran`);
  await allGone();
  const late = s.events().find((e) => e.type === 'attempt.ended' && e.step === 'late');
  assert.equal([late?.data.outcome, Number(late?.data.duration_ms) < 12_000], ['timeout', true]);
  assert.equal(statuses(s).slice(0, 4), ['ok green', 'code failed', 'after skipped', 'later skipped']);
  const told = (await s.run(['status'])).stdout.split('\n').filter((line) => line.startsWith('after'));
  assert.is(told.length, 1, 'why a stage was skipped stands in its row');
  assert.match(told[0] as string, /^after +skipped +just now +needs code, which failed$/);
  const ended = s.events().at(-1);
  assert.equal([ended?.type, ended?.status], ['run.ended', 'partial']);
});

test('of a green stage it is told that what it had left running was ended', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ web: 'sleep 600 &', plain: 'true', broken: 'sleep 600 & false' }),
  });
  const { stdout } = await s.run(['--no-ai']);
  assert.equal(
    stdout.split('\n').filter((line) => line.startsWith('note: ')),
    ['note: ended what web had left running; what is to stay: setsid <command> &'],
  );
});

test('on_failure: halt stops what does not depend on it, too; retry reruns before it counts as failed', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      flaky: {
        command: 'echo x >> ../../tries; [ $(wc -l < ../../tries) -ge 3 ]',
        on_failure: 'retry',
        retry: { max_attempts: 3, backoff_ms: 50, backoff_multiplier: 2 },
      },
      hopeless: { command: 'exit 9', on_failure: 'retry', retry: { max_attempts: 2 }, needs: ['flaky'] },
      free: { command: 'true', priority: -1 },
    }),
  });
  const done = await s.run();
  assert.is(done.exit, 1);
  assert.is(
    s.plain(done.stdout).replace(/since \d\d:\d\d/g, 'since <clock>'),
    `run <run> begins: flaky → hopeless → free
flaky     started
    unknown; new  (<fingerprint>)
    | (empty log)
    log: ai/logs/flaky/<run>-1.log
flaky     again        in <n> s: exit code 1
    unknown; seen 2 times since <clock>  (<fingerprint>)
    | (empty log)
    log: ai/logs/flaky/<run>-2.log
flaky     again        in <n> s: exit code 1
flaky     green        <n> s  (no checks)
hopeless  started
    unknown; new  (<fingerprint>)
    | (empty log)
    log: ai/logs/hopeless/<run>-1.log
hopeless  again        in <n> s: exit code 9
hopeless  failed       <n> s  exit code 9
    unknown; seen 2 times since <clock>  (<fingerprint>)
    | (empty log)
    left for the next run: no executor has a fix for it
    log: ai/logs/hopeless/<run>-2.log
failed: 1 green, 1 failed, 1 not started  <n> s
  next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop
`,
  );
  assert.equal(statuses(s), ['flaky green', 'hopeless failed', 'free skipped']);
  assert.is(s.events().at(-1)?.status, 'failure');
});

test('what every stage, check and cell is given: variables, folder, empty stdin, the outputs of what it needs', async () => {
  const side = folder();
  const show = `env | grep ^MENDLOOP_ | sort > ${side}/$MENDLOOP_STEP.env; pwd > ${side}/$MENDLOOP_STEP.pwd; wc -c > ${side}/$MENDLOOP_STEP.stdin`;
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      nodes: {
        command: `${show}; echo $MENDLOOP_MATRIX_HOST > "$MENDLOOP_OUT/name"`,
        matrix: { host: ['cp1', 'cp2'], zone: ['north'] },
        outputs: { name: 'name' },
        verify: [`echo $MENDLOOP_STEP $MENDLOOP_MATRIX_HOST >> ${side}/verified`],
        spec: 'small',
      },
      join: {
        command: ['sh', '-c', `cat "$MENDLOOP_OUTPUTS"/nodes/*/name > ${side}/joined`],
        needs: ['nodes'],
      },
    }),
  });
  const done = await s.run([], { env: { MENDLOOP_STAGE: 'forged', MENDLOOP_MATRIX_HOST: 'forged' } });
  assert.is(done.exit, 0, done.stdout);
  const read = (name: string) => readFileSync(`${side}/${name}`, 'utf8').trim();
  const run = s.runs()[0] as string;
  assert.is(
    s.plain(read('nodes[host=cp1,zone=north].env')),
    `MENDLOOP_ATTEMPT=1
MENDLOOP_HOME=<home>
MENDLOOP_LAB=real
MENDLOOP_MATRIX_HOST=cp1
MENDLOOP_MATRIX_ZONE=north
MENDLOOP_OUT=<home>/ai/state/out/nodes/host=cp1,zone=north
MENDLOOP_OUTPUTS=<home>/ai/state/out
MENDLOOP_ROOT=<home>/ai/worktree
MENDLOOP_RUN=<run>
MENDLOOP_SPEC=small
MENDLOOP_STAGE=nodes
MENDLOOP_STEP=nodes[host=cp1,zone=north]`,
  );
  assert.is(read('nodes[host=cp2,zone=north].pwd'), s.path('ai/worktree'));
  assert.is(read('nodes[host=cp2,zone=north].stdin'), '0');
  assert.is(read('verified'), 'nodes[host=cp1,zone=north] cp1\nnodes[host=cp2,zone=north] cp2');
  assert.is(read('joined'), 'cp1\ncp2');
  assert.ok(s.has(`ai/logs/nodes/host=cp1,zone=north/${run}-1.log`));
  assert.match((await s.run(['status'])).stdout, /^nodes {2}green .* 2 green/m);
});

test('--workers 2 really runs two at once, the higher priority first; one worker runs one at a time', async () => {
  const side = folder();
  const work = `echo "in $MENDLOOP_STAGE" >> ${side}/trace; sleep 0.4; echo "out $MENDLOOP_STAGE" >> ${side}/trace`;
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      low: work,
      high: { command: work, priority: 5 },
      last: { command: work, needs: ['low', 'high'] },
    }),
  });
  const trace = () => readFileSync(`${side}/trace`, 'utf8').trim().split('\n');
  assert.is((await s.run(['--workers', '2'])).exit, 0);
  assert.equal(trace().slice(0, 2).sort(), ['in high', 'in low'], 'both were at work at once');
  assert.equal(trace().slice(-2), ['in last', 'out last'], 'what needs both waited for both');
  rmSync(`${side}/trace`);
  assert.is((await s.run(['retry', 'low', 'high', 'last'])).exit, 0);
  assert.equal(trace(), ['in high', 'out high', 'in low', 'out low', 'in last', 'out last']);
});

test.run();
