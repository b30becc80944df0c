import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Measured, metricsText } from '../../src/inspect/metrics.ts';
import { emptyState, foldStages } from '../../src/journal/stages.ts';
import { foldLedger, isStory } from '../../src/triage/fold.ts';
import { emptyLedger } from '../../src/triage/ledger.ts';
import { contextMap, folder, PACKAGE, scenario } from '../e2e/scenario.ts';
import { journalOf, type Line } from '../events.ts';
import { needs } from '../needs.ts';

const BARE: Omit<Measured, 'stages' | 'ledger'> = {
  ...{ home: '/lab', version: '1.2.3', names: ['a'], safeMode: false, isAtWork: false, last: undefined },
  ...{ isOld: false, waiting: [] },
};

/** What is measured after these events. */
function after(lines: Line[], more: Partial<Measured> = {}): string {
  const [state, ledger] = [emptyState(), emptyLedger()];
  for (const event of journalOf(lines)) {
    foldStages(state, event);
    if (isStory(event)) foldLedger(ledger, event);
  }
  return metricsText({ ...BARE, stages: state.stages, ledger, ...more });
}

const promtool = (args: string[], input = '') => {
  const { status, stdout, stderr } = spawnSync('promtool', args, {
    input,
    encoding: 'utf8',
    cwd: join(PACKAGE, 'docs'),
  });
  return { status, text: stdout + stderr };
};
const sample = (text: string, name: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(name))
    ?.split(' ')
    .at(-1);

test('counters grow with what happens, and a stage was last green when it was last found so', () => {
  const text = after([
    ['attempt.ended', 'a', { outcome: 'failed', duration_ms: 1500 }, 1],
    ['failure.seen', 'a', { class: 'network_error' }, 1],
    ['model.used', 'a', { tokens: 200, dollars: 0.25 }],
    ['model.used', 'a', { tokens: 100 }],
    ['fix.committed', 'a', { tried: true }],
    ['attempt.ended', 'a', { outcome: 'done', duration_ms: 500 }, 2],
    ['fix.judged', 'a'],
    ['step.done', 'a'],
    ['stage.green', 'a'],
    ['step.fresh', 'a'],
    ['step.failed', 'a'],
    ['case.opened', 'a', { hash: 'h2' }],
  ]);
  const of = (name: string) => sample(text, `mendloop_${name}`);
  assert.equal([of('stage_attempt_duration_seconds_sum'), of('stage_attempt_duration_seconds_count')], ['2', '2']);
  assert.is(of('stage_last_attempt_duration_seconds'), '0.5');
  assert.is(of('failures_total{home="/lab",stage="a",class="network_error"}'), '1');
  assert.is(of('failures_total{home="/lab",stage="a",class="talos_error"}'), '0');
  assert.is(of('fixes{home="/lab",outcome="kept"}'), '1');
  assert.equal([of('tries_total'), of('model_prompts_total'), of('model_tokens_total')], ['1', '2', '300']);
  assert.is(of('model_cost_dollars_total'), '0.25');
  assert.equal([of('asks_open'), of('cases_open')], ['1', '1']);
  assert.is(of('stage_status{home="/lab",stage="a",status="failed"}'), '1');
  assert.is(of('stage_last_green_timestamp_seconds'), String(Date.UTC(2026, 0, 1, 0, 0, 9) / 1000));
  assert.is(of('last_run'), undefined);
});

test('a matrix was last green when the cell was that was so the longest time ago', () => {
  const green = (text: string) => sample(text, 'mendloop_stage_last_green_timestamp_seconds');
  const lines: Line[] = [
    ['step.done', 'a[h=1]'],
    ['step.done', 'a[h=2]'],
    ['stage.green', 'a'],
    ['step.fresh', 'a[h=1]'],
  ];
  assert.is(green(after(lines)), String(Date.UTC(2026, 0, 1, 0, 0, 1) / 1000));
  assert.is(green(after([...lines, ['step.started', 'a[h=3]']])), undefined);
});

needs('promtool')('promtool finds nothing wrong with what a real home prints, nor with hostile names', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap({ a: 'true', b: 'echo no; exit 1', c: 'true' }) });
  assert.is((await s.run()).exit, 1);
  const file = join(folder(), 'mendloop.prom');
  assert.is((await s.run(['metrics', '--textfile', file, '--dry-run'])).stdout, `would write ${file}\n`);
  assert.not(existsSync(file));
  const before = process.umask(0o077);
  const wrote = await s.run(['metrics', '--textfile', file]);
  process.umask(before);
  assert.is(wrote.exit, 0, wrote.stderr);
  assert.is(statSync(file).mode & 0o777, 0o644, 'the collector is another user, whatever the umask was');
  const text = readFileSync(file, 'utf8');
  assert.match(text, /^mendloop_stage_status\{home="[^"]+",stage="b",status="failed"\} 1$/m);
  assert.match(text, /^mendloop_last_run_exit_code\{home="[^"]+"\} 1$/m);
  const hostile = after([['step.done', 'a']], {
    names: ['a"\\\n} 1', 'a', 'constructor', '\u{1f600}'],
    home: '/x"\n# TYPE',
  });
  for (const each of [text, hostile, metricsText({ ...BARE, names: [], stages: {}, ledger: emptyLedger() })])
    assert.equal(promtool(['check', 'metrics'], each), { status: 0, text: '' });
  s.commit({ 'ai/context_map.yaml': contextMap({ a: 'true' }) });
  assert.not.match((await s.run(['metrics'])).stdout, 'stage="b"', 'who is no longer in the map alerts nobody');
  for (const [bad, why] of [
    ['x.txt', 'end in .prom'],
    [join(file, 'x.prom'), 'is not a folder'],
  ])
    assert.match((await s.run(['metrics', '--textfile', bad as string])).stderr, why as string);
});

/** What the dashboard asks Prometheus. */
const asked = (): string[] => {
  const { panels } = JSON.parse(readFileSync(join(PACKAGE, 'docs/dashboard.json'), 'utf8'));
  return panels.flatMap((panel: { targets: { expr: string }[] }) => panel.targets.map(({ expr }) => expr));
};

test('the dashboard that ships asks only for what is measured, with labels that it has', () => {
  const last = { ...journalOf([['run.ended', undefined, { exit: 0, duration_ms: 1 }]])[0] } as Measured['last'];
  const text = after([['attempt.ended', 'a', { duration_ms: 1 }, 1]], { last });
  assert.ok(asked().length > 8);
  for (const expr of asked()) {
    for (const [, name, labels] of expr.matchAll(/(mendloop_\w+)\{([^}]*)\}/g)) {
      const sampled = text.split('\n').find((line) => line.startsWith(`${name}{`)) ?? '';
      assert.ok(sampled !== '', `${name} in ${expr}`);
      for (const [, label] of (labels ?? '').matchAll(/(\w+)[=!]/g)) assert.match(sampled, `${label}="`, expr);
    }
    assert.not.match(expr, /mendloop_\w+(?!\w*\{)\b(?!\{)/, `without a home: ${expr}`);
  }
});

needs('promtool')('what the dashboard asks is sound', () => {
  const rules = asked().map((expr, i) => ({ record: `dashboard:${i}`, expr: expr.replaceAll('$home', '.*') }));
  const file = join(folder(), 'dashboard.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const { status, text } = promtool(['check', 'rules', file]);
  assert.is(status, 0, text);
});

needs('promtool')('the alert rules that ship are sound, fire when they should, and name only what is measured', () => {
  assert.is(promtool(['check', 'rules', 'alerts.yaml']).status, 0, promtool(['check', 'rules', 'alerts.yaml']).text);
  const tested = promtool(['test', 'rules', join(PACKAGE, 'test/inspect/alerts.yaml')]);
  assert.is(tested.status, 0, tested.text);
  const used = readFileSync(join(PACKAGE, 'docs/alerts.yaml'), 'utf8').match(/\bmendloop_\w+/g) ?? [];
  const last = { ...journalOf([['run.ended', undefined, { exit: 0, duration_ms: 1 }]])[0] } as Measured['last'];
  const text = after(
    [
      ['attempt.ended', 'a', { duration_ms: 1 }, 1],
      ['step.done', 'a'],
    ],
    { last },
  );
  for (const name of used) assert.match(text, `\n${name}`, name);
});

test.run();
