// What is known of failures: in status, and everything about one of them.
import { rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, jsonLines, type Scenario, scenario } from './scenario.ts';

const POOL = 'echo making the pool; echo "Error: no such pool: tank (pid 4711)"; exit 3';

interface Told {
  fingerprint: string;
  failure: Record<string, unknown>;
}
const stagesOf = async (s: Scenario) =>
  jsonLines((await s.run(['status', '--json'])).stdout)[0]?.stages as Record<string, Told>;

test('a failure of two runs: status tells it is known, explain tells everything, whatever part of its name is given', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      vms: { command: POOL, on_failure: 'skip' },
      apps: { command: 'echo "fatal: Authentication failed"; exit 128', needs: [] },
    }),
  });
  const none = await s.run(['explain', 'abc']);
  assert.equal(none, {
    ...{ exit: 2, stdout: '' },
    stderr: 'error E_UNKNOWN_FINGERPRINT: no failure is recorded yet\n  next:  run the stages first: mendloop\n',
  });
  assert.is((await s.run()).exit, 1);
  const second = await s.run();
  assert.is(second.exit, 1);
  const [, run = ''] = s.runs();
  const { vms, apps } = await stagesOf(s);
  assert.equal(
    [vms?.failure.class, vms?.failure.times_seen, vms?.failure.excerpt, vms?.failure.log],
    ['unknown', 2, 'Error: no such pool: tank (pid 4711)', `ai/logs/vms/${run}-1.log`],
  );
  const known = (text: string) => s.plain(text).replace(/since \d\d:\d\d/g, 'since <time>');
  const told = `    unknown; seen 2 times since <time>  (<fingerprint>)
    | Error: no such pool: tank (pid 4711)
    left for the next run: no executor has a fix for it
    log: ai/logs/vms/<run>-1.log
`.replaceAll('pid 4711', 'pid <pid>');
  assert.match(known(second.stdout), `vms   failed       <n> s  exit code 3\n${told}`);
  const toDo = '    next:  mendloop explain <fingerprint>; mend it, commit, then: mendloop\n';
  assert.match(known((await s.run(['status'])).stdout), `vms: exit code 3\n${told}${toDo}apps: exit code 128\n`);

  const id = vms?.fingerprint ?? '';
  const other = apps?.fingerprint ?? '';
  const [full, prefix, withStage, json, empty, unknown, two, nothing] = await Promise.all([
    s.run(['explain', id]),
    s.run(['explain', id.slice(0, 8)]),
    s.run(['explain', `vms/${id}`]),
    s.run(['explain', id, '--json']),
    s.run(['explain', '']),
    s.run(['explain', 'zzz']),
    s.run(['explain', id, other]),
    s.run(['explain']),
  ]);
  assert.is(
    known(full.stdout),
    `vms failed: unknown; seen 2 times since <time>, last just now in run <run>

fingerprint <fingerprint>  (from stage vms, exit 3, and the templates below)

error lines in ai/logs/vms/<run>-1.log
  | Error: no such pool: tank (pid <pid>)

templates: the same lines with what changes from run to run masked
  Error: no such pool: tank (pid #)

masked
  pid <pid>  process: the number of a process or thread

class unknown
  no rule matched

ledger
  seen 2 times: first just now (<time>), last just now (<time>)
  since it last started anew: 0 executor tries, 0 escalation calls
  no fix was tried
  last decision: none, no executor has a fix for it

next time
  the stage ends failed (exit 1), and the next run tries it once more
  because: no executor has a fix for it
`,
  );
  for (const done of [prefix, withStage]) assert.equal(done, full);
  const { entry, failure, next } = jsonLines(json.stdout)[0] as Record<string, Record<string, unknown>>;
  assert.equal([entry?.times_seen, failure?.fingerprint, next?.why], [2, id, 'no_executor']);
  const rows = [`  - ${other}  apps  permission_denied`, `  - ${id}  vms  unknown`].join('\n');
  assert.is(
    unknown.stderr,
    `error E_UNKNOWN_FINGERPRINT: no recorded failure begins with "zzz"
${rows}
  next:  name one of these; mendloop status shows the latest
`,
  );
  for (const done of [empty, two, nothing]) {
    assert.is(
      done.stderr,
      'error E_USAGE: explain needs one fingerprint, or a stage\n  next:  mendloop explain <fingerprint>; see mendloop status\n',
    );
  }
  assert.equal(
    [full, empty, unknown, two, nothing].map((done) => done.exit),
    [0, 2, 2, 2, 2],
  );

  const external = await s.run(['explain', other, '--no-ai']);
  assert.match(external.stdout, '\n  to do: check the credentials that this stage uses\n');
  assert.match(external.stdout, '\n  because: permission_denied: nothing in the repository can fix it\n');

  // Without a sound configuration only what comes next is unknown; without its log, what was kept is told.
  s.commit({ 'ai/context_map.yaml': 'stages: nonsense\n' });
  rmSync(s.path(`ai/logs/vms/${run}-1.log`));
  const [left, broken] = await Promise.all([s.run(['explain', id]), s.run(['explain', other])]);
  assert.equal([left.exit, broken.exit], [0, 0]);
  assert.match(
    s.plain(left.stdout),
    `\nits log ai/logs/vms/<run>-1.log is gone; this is what was kept of it\n  | Error: no such pool: tank (pid <pid>)\n`,
  );
  assert.match(broken.stdout, /\nnext time\n {2}cannot be told while the configuration is not sound: E_CONFIG: /);
});

test('a failure of a cell is explained with the last green log of that cell, and is the one that was recorded', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({
      nodes: {
        command:
          'f=../../$MENDLOOP_MATRIX_HOST; [ -e $f ] && echo "cp is unhealthy"; echo "cache invalid"; [ ! -e $f ]',
        matrix: { host: ['cp1', 'cp2'] },
        always: true,
      },
    }),
  });
  assert.is((await s.run()).exit, 0);
  s.write({ cp1: '' });
  assert.is((await s.run()).exit, 1);
  const id = (await stagesOf(s)).nodes?.fingerprint ?? '';
  const { stdout } = await s.run(['explain', id]);
  assert.match(stdout, '\n  | cp is unhealthy\n');
  assert.not.match(stdout, 'recorded as');
});

test('of a stage that is green, or fails otherwise now, explain says that the failure is over', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ web: { command: 'bash web.sh', files: ['none'] } }),
    'web.sh': 'echo "Error: no such pool: tank"; exit 3\n',
  });
  assert.is((await s.run()).exit, 1);
  const first = (await stagesOf(s)).web?.fingerprint ?? '';
  s.commit({ 'web.sh': 'echo "Error: unknown flag: --detatch"; exit 2\n' });
  assert.is((await s.run()).exit, 1);
  const second = (await stagesOf(s)).web?.fingerprint ?? '';
  const other = `web fails otherwise now (mendloop explain ${second.slice(0, 8)}): this is an earlier failure\nit was unknown; new, last just now in run `;
  assert.match((await s.run(['explain', first])).stdout, new RegExp(`^${other.replace(/[()]/g, '\\$&')}`));
  assert.match((await s.run(['explain', 'web'])).stdout, /^web failed: /);
  s.commit({ 'web.sh': 'true\n' });
  assert.is((await s.run()).exit, 0);
  const { stdout } = await s.run(['explain', 'web']);
  assert.match(stdout, /^web is green since \d\d:\d\d: this failure is over\nit was \w+; new, last just now in run /);
  assert.match(stdout, /\nif it comes back\n {2}\S/);
  assert.not.match(stdout, /failed:|next time/);
});

test('on a terminal a failed stage is told below its row', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ vms: POOL }) });
  const { stdout, exit } = await s.run([], { tty: 'here', env: { NO_COLOR: '1' } });
  assert.is(exit, 1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with one
  const text = s.plain(stdout.replace(/\u001b\[[0-9;?]*[A-Za-z]|\r/g, ''));
  assert.match(
    text,
    /✗ vms {2}failed .* exit code 3\n {4}unknown; new {2}\(<fingerprint>\)\n {4}\| Error: no such pool: tank \(pid <pid>\)\n {4}left for the next run: .*\n {4}log: ai\/logs\/vms\/<run>-1\.log\n/,
  );
});

test('a beginning that several failures share is told with all of them; the name of a stage is its latest failure', async () => {
  const fails = (text: string) => ({ command: `echo "error: ${text}"; exit 1`, on_failure: 'skip' });
  const s = scenario({ 'ai/context_map.yaml': contextMap({ one: fails('first'), other: fails('second') }) });
  assert.is((await s.run()).exit, 1);
  const { one, other } = s.stages();
  const [both, stage] = await Promise.all([s.run(['explain', 'o']), s.run(['explain', 'other'])]);
  assert.is(
    both.stderr,
    `error E_AMBIGUOUS_FINGERPRINT: "o" is the beginning of more than one recorded failure
  - ${other?.fingerprint}  other  unknown
  - ${one?.fingerprint}  one  unknown
  next:  name one of them by more of its letters, or as <stage>/<fingerprint>
`,
  );
  assert.equal([both.exit, stage.exit], [2, 0]);
  assert.match(stage.stdout, /^other failed: /);
});

test.run();
