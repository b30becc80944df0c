// The runs there have been: listed, filtered, and told again.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { contextMap, scenario } from './scenario.ts';

test('runs lists the newest first, by stage, outcome and failure; show tells a run again as it went', async () => {
  const s = scenario({
    'ai/context_map.yaml': contextMap({ a: 'true', b: { command: 'test -e ../../world', needs: ['a'] } }),
  });
  const failed = await s.run();
  s.write({ world: '' });
  await s.run(['b']);
  const [first, second] = s.runs();
  const json = async (...args: string[]) =>
    (JSON.parse((await s.run(['runs', ...args, '--json'])).stdout) as { runs: { run: string }[] }).runs.map(
      ({ run }) => run,
    );
  assert.equal(await json(), [second, first]);
  assert.equal(await json('--stage', 'a'), [first]);
  assert.equal(await json('--outcome', 'failure'), [first]);
  assert.equal(await json('--last', '1'), [second]);
  const seen = s.events(first).find(({ type }) => type === 'failure.seen')?.data.fingerprint as string;
  assert.equal(await json('--fingerprint', seen.slice(0, 6)), [first]);
  assert.match((await s.run(['runs'])).stdout, /failure .* all {2}failed: b\n2 of 2 runs\n$/);
  const shown = await s.run(['show', first as string]);
  const [began, ...lines] = s.plain(shown.stdout).split('\n');
  assert.match(began as string, /^began /);
  assert.is(lines.join('\n'), s.plain(failed.stdout));
  assert.is((await s.run(['show', 'last'])).stdout.split('\n')[1], `run ${second} begins: b`);
});

test('before the first run all that tell of runs say that there was none, and how to start one', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  const text = async (...args: string[]) => (await s.run(args)).stdout;
  const none = 'there has been no run yet; to start one: mendloop\n';
  assert.is(await text('runs'), none);
  assert.ok((await text('report')).endsWith(`\n\n${none}`));
  assert.is(
    await text('status'),
    'no run yet; 1 stage in ai/context_map.yaml; to start one: mendloop\na  idle    never run\n',
  );
  assert.is(await text('explain', 'a'), 'a has never run\n  next:  mendloop plan a, mendloop a\n');
  const { exit, stderr } = await s.run(['show', 'last']);
  assert.equal([exit, stderr], [2, 'error E_USAGE: there has been no run yet\n  next:  mendloop starts one\n']);
});

test('what does not exist is one clear error', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  await s.run();
  const [run] = s.runs();
  for (const [args, message] of [
    [['show'], 'show needs one run'],
    [['show', 'nothing'], `there is no run "nothing"; the newest are: ${run}`],
    [['runs', '--outcome', 'sucess'], 'no run ends as "sucess"; did you mean "success"?'],
    [['cases', 'shwo', 'x'], 'cases does not know shwo; did you mean "show"?'],
    [['backlog', 'rnu'], 'backlog does not know rnu; did you mean "run"?'],
    [['cron', 'instal'], 'cron does not know instal; did you mean "install"?'],
    [['cron', 'constructor'], 'cron does not know constructor'],
    [['cron', 'print', 'extra'], 'nothing may follow cron print, but extra does'],
    [['runs', '--last', '0'], '--last 0 is not a number from 1 on'],
    [['runs', '-n', 'x'], '--last x is not a number from 1 on'],
  ] as const) {
    const done = await s.run(args);
    assert.equal([done.exit, done.stderr.split('\n')[0]], [2, `error E_USAGE: ${message}`]);
  }
});

test.run();
