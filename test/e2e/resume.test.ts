// After a crash: what the next start takes up, what it closes, and what it does about files that broke.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { allGone, contextMap, folder, namesIn, type Scenario, scenario, survivors, tree, until } from './scenario.ts';

/** A chain a → b → c whose b waits until it may go on, and tells when an earlier b still lives. */
function chain() {
  const side = folder();
  const alone = `exec 9>> ${side}/lock; flock -n 9 || echo OVERLAP >> ${side}/trace`;
  const work = (more = ':') => `echo "$MENDLOOP_STAGE $MENDLOOP_ATTEMPT" >> ${side}/trace; ${more}`;
  const b = `${alone}; echo $$ >> ${side}/pids; ${work(`until [ -e ${side}/go ]; do sleep 0.05; done`)}`;
  const map = contextMap({ a: work(), b: { command: b, needs: ['a'] }, c: { command: work(), needs: ['b'] } });
  const s = scenario({ 'ai/context_map.yaml': map });
  return { s, side, trace: () => readFileSync(`${side}/trace`, 'utf8').trim().split('\n') };
}

/** Starts a run and kills it while b is at work; returns the run's name. */
async function cutOff(s: Scenario, side: string): Promise<string> {
  rmSync(`${side}/go`, { force: true });
  rmSync(`${side}/pids`, { force: true });
  const run = s.start();
  await until('b runs', () => namesIn(side).includes('pids'));
  run.kill('SIGKILL');
  await run.done;
  assert.ok(survivors().length > 0, 'b should outlive the run that was killed');
  writeFileSync(`${side}/trace`, '');
  writeFileSync(`${side}/go`, '');
  return s.runs().at(-1) as string;
}

const journal = (s: Scenario, run: string) => s.path('ai/state/runs', run, 'events.jsonl');
const ended = (s: Scenario, run: string) => s.events(run).filter((e) => e.type === 'run.ended');

test('the same request finishes the same run: green stages are not repeated, leftovers are ended first', async () => {
  const { s, side, trace } = chain();
  const run = await cutOff(s, side);
  // b could end by itself now, so it is held until the next start has to deal with it.
  rmSync(`${side}/go`);
  const status = await s.run(['status']);
  assert.is(
    s.plain(status.stdout),
    `run <run> was cut off; the next start finishes it
a  green    just now  took <n> s, nothing to check
b  cut off  just now
c  idle               never run
`,
  );
  const second = s.start();
  await until('b runs again', () => trace().includes('b 2'));
  writeFileSync(`${side}/go`, '');
  const done = await second.done;
  assert.is(done.exit, 0, done.stdout);
  assert.is(
    s.plain(done.stdout),
    `run <run> goes on: a → b → c
b  interrupted  cut off: the process that ran it died
note: took over a lock of pid <pid>, which is dead
note: ended what run <run> had left running: b, process group <pid>
b  started
b  green        <n> s  (no checks)
c  started
c  green        <n> s  (no checks)
green: 3 stages  <n> s
`,
  );
  assert.equal(s.runs(), [run]);
  assert.equal(trace(), ['b 2', 'c 1']);
  assert.equal(
    s.events().flatMap((e) => (e.type === 'stage.green' ? [e.stage] : [])),
    ['a', 'b', 'c'],
  );
  assert.is(ended(s, run).length, 1);
  await allGone();
});

test('another request, or more than six hours, closes the cut-off run first', async () => {
  const { s, side, trace } = chain();
  const first = await cutOff(s, side);
  assert.is((await s.run(['a'])).exit, 0);
  assert.equal(
    ended(s, first).map((e) => [e.status, e.data.reason]),
    [['abandoned', 'it ran all, this start asks for a']],
  );
  await allGone();
  assert.is(s.runs().length, 2);

  const old = await cutOff(s, side);
  const hours = (n: number) => n * 3_600_000;
  const earlier = (time: string, by: number) => new Date(Date.parse(time) - by).toISOString();
  const aged = s.events(old).map((e) => JSON.stringify({ ...e, time: earlier(e.time, hours(6) + 60_000) }));
  writeFileSync(journal(s, old), `${aged.join('\n')}\n`);
  for (const command of ['status', 'doctor'])
    assert.match(s.plain((await s.run([command])).stdout), 'run <run> was cut off; the next start closes it\n');
  const done = await s.run();
  assert.is(done.exit, 0, done.stdout);
  assert.equal(
    ended(s, old).map((e) => [e.status, e.data.reason]),
    [['abandoned', 'its last event is more than 6 hours old']],
  );
  assert.is(s.runs().length, 4);
  assert.equal(trace(), ['b 1', 'c 1']);
});

test('a check that outlives the run it belonged to is ended before the next one begins', async () => {
  const side = folder();
  const verify = `[ -e ${side}/calm ] || { touch ${side}/pids; exec sleep 600; }`;
  const s = scenario({ 'ai/context_map.yaml': contextMap({ b: { command: 'true', verify: [verify] } }) });
  writeFileSync(`${side}/calm`, '');
  assert.is((await s.run()).exit, 0);
  rmSync(`${side}/calm`);
  await cutOff(s, side);
  writeFileSync(`${side}/calm`, '');
  assert.match(s.plain((await s.run(['verify'])).stdout), '\nnote: ended what run <run> had left running: b');
  await allGone();
  assert.is((await s.run()).exit, 0);
  await allGone();
});

test('what cannot be shown to be over stops the next start, until a person says so', async () => {
  const { s, side } = chain();
  const run = await cutOff(s, side);
  const elsewhere = readFileSync(journal(s, run), 'utf8').replaceAll(/"host":"[^"]*"/g, '"host":"another-host"');
  writeFileSync(journal(s, run), elsewhere);
  const done = await s.run();
  assert.is(
    s.plain(done.stderr).replace(/-g \d+/, '-g <pid>'),
    `error E_LEFTOVER: the last run left b running (process group <pid> on another-host) and it cannot be shown to be over
  next:  look: ps -o pid,pgid,args -g <pid>
         end it, then start again; or close that run: mendloop abandon
`,
  );
  assert.is(done.exit, 3);
  assert.equal(ended(s, run), []);
  const dry = await s.run(['abandon', '--dry-run']);
  assert.is(s.plain(dry.stdout), 'would close run <run>\n');
  const abandoned = await s.run(['abandon']);
  assert.is(s.plain(abandoned.stdout), 'closed run <run>\n');
  assert.is(ended(s, run)[0]?.status, 'abandoned');
  assert.is((await s.run(['abandon'])).stdout, 'nothing to abandon: no run was cut off\n');
  assert.is((await s.run()).exit, 0);
});

test('a torn journal loses only its last line; a corrupt one is kept aside and said so', async () => {
  const { s, side, trace } = chain();
  const run = await cutOff(s, side);
  appendFileSync(journal(s, run), '{"v":1,"seq":99,"time":"2026-');
  const resumed = await s.run();
  assert.is(resumed.exit, 0, resumed.stdout);
  assert.not.match(resumed.stdout, 'corrupt');
  assert.equal(trace(), ['b 2', 'c 1']);

  const again = await cutOff({ ...s, start: () => s.start(['retry', 'b']) }, side);
  const lines = readFileSync(journal(s, again), 'utf8').trimEnd().split('\n');
  writeFileSync(journal(s, again), `${[...lines.slice(0, -1), 'garbage', lines.at(-1)].join('\n')}\n`);
  const done = await s.run(['retry', 'b']);
  assert.is(done.exit, 0, done.stdout + done.stderr);
  assert.match(
    s.plain(done.stdout),
    `note: the journal of run <run> has unreadable lines (${lines.length}): what they said is lost, all else is kept`,
  );
  const kept = namesIn(s.path('ai/state/runs', again)).filter((name) => name.includes('corrupt'));
  assert.is(kept.length, 1, 'the corrupt journal was not kept');
  assert.match(readFileSync(journal(s, again), 'utf8'), /"run\.ended"[^\n]*\n$/);
  await allGone();
});

test('stages.json that is gone or broken is made again from the journals, and said so', async () => {
  const { s, side } = chain();
  writeFileSync(`${side}/go`, '');
  assert.is((await s.run()).exit, 0);
  const known = s.stages();
  rmSync(s.path('ai/state/stages.json'));
  const gone = await s.run(['plan', '--no-recheck']);
  assert.match(gone.stdout, /^note: ai\/state\/stages\.json was missing: made again from the journals$/m);
  assert.match(gone.stdout, /^c {2}DONE {2}green; nothing to check$/m);
  s.write({ 'ai/state/stages.json': '{"version":1,"stages":{"a":{"status":"gre' });
  const before = tree(s.path('ai'));
  const looked = await s.run(['--dry-run', '--no-recheck']);
  assert.match(looked.stdout, /^note: ai\/state\/stages\.json is corrupt: this is from the journals; /m);
  assert.match(looked.stdout, /^c {2}DONE {2}green; nothing to check$/m);
  assert.equal(tree(s.path('ai')), before, 'looking wrote something');
  const broken = await s.run(['--no-recheck']);
  assert.match(
    s.plain(broken.stdout),
    /^note: ai\/state\/stages\.json was corrupt: kept as <home>\/ai\/state\/stages\.json\.corrupt-\S+, rebuilt from the journals$/m,
  );
  assert.is(broken.exit, 0);
  assert.equal(
    s.events().flatMap((e) => (e.type.startsWith('step.') ? [`${e.step} ${e.type}`] : [])),
    ['a step.fresh', 'b step.fresh', 'c step.fresh'],
  );
  // That they are green was seen once more, and nothing else is new.
  const apart = (stages: object) =>
    JSON.parse(JSON.stringify(stages, (key, value) => (key === 'green_at' ? 0 : value)));
  assert.equal(apart(s.stages()), apart(known));
});

test.run();
