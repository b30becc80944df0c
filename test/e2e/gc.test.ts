// The command and the end of a run: what they forget, and what they say of it. test/run/gc.test.ts has what goes and what stays.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { withLock } from '../../src/io/lock.ts';
import { write } from '../environment.ts';
import { contextMap, scenario } from './scenario.ts';

const STAGES = { a: { command: 'true', always: true } };
const old = (n: number) => `20250101-0000${String(n).padStart(2, '0')}-abcd`;
const oldRuns = (from: number, to: number) =>
  Object.fromEntries(
    Array.from({ length: to - from }, (_, i) => old(from + i)).flatMap((id) => [
      [`ai/state/runs/${id}/events.jsonl`, ''],
      [`ai/logs/a/${id}-1.log`, 'x'.repeat(1024 * 1024)],
    ]),
  );

test('gc says what it frees, and before with --dry-run; with retention a run does it at its end, and status says nothing more', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap(STAGES) });
  assert.is((await s.run()).exit, 0);
  write(s.home, oldRuns(0, 12));
  const would = await s.run(['gc', '--keep-runs', '1', '--dry-run']);
  assert.match(would.stdout, /^would free 3\.1 MB of 1\d MB\n {2}3 runs {2}6 files {2}3\.1 MB\n$/);
  assert.is(s.runs().length, 13, 'a dry run removes nothing');
  const locked = await withLock(
    layoutOf(s.home),
    'test',
    () => s.run(['gc', '--keep-runs', '1'], { alone: true }),
    'run',
  );
  assert.equal([locked.exit, s.runs().length], [75, 13]);
  const done = await s.run(['gc', '--keep-runs', '1']);
  assert.match(done.stdout, /^freed 3\.1 MB of 1\d MB\n/);
  assert.equal([s.runs().length, s.runs()[0], existsSync(s.path(`ai/logs/a/${old(2)}-1.log`))], [10, old(3), false]);
  assert.match((await s.run(['gc', '--keep-runs', '1'])).stdout, /^nothing to remove: \d\.\d MB in all\n$/);
  const unasked = await s.run(['gc']);
  assert.equal(
    [unasked.exit, unasked.stderr.split('\n')[0]],
    [2, 'error E_USAGE: nothing says what may go: ai/loop.yaml has no retention'],
  );
  const shown = await s.run(['gc', '--dry-run']);
  assert.match(
    shown.stdout,
    /^note: ai\/loop\.yaml has no retention; this is what mendloop gc --days 90 --max-mb 2000 would do\nnothing to remove/,
  );
  const week = { time: Date.now(), bytes: 3 * 1024 ** 3, what: '512 runs' };
  writeFileSync(s.path('ai/state/reclaimable.json'), JSON.stringify(week));
  const note =
    /^note: mendloop gc --days 90 --max-mb 2000 would free 3072\.0 MB \(512 runs\); retention in ai\/loop\.yaml/m;
  assert.match((await s.run(['status'])).stdout, note);
  s.commit({ 'ai/loop.yaml': 'retention: {keep_runs: 5}\n' });
  const run = await s.run();
  assert.match(run.stdout, /note: forgotten, as retention in ai\/loop\.yaml says: 1 run\n/);
  assert.is(s.runs().length, 10);
  assert.not.match((await s.run()).stdout, /forgotten/, 'once a day');
  assert.not.match((await s.run(['status'])).stdout, /would free/);
});

test('without retention a run looks what gc would free, once a week, and status tells it where it is much', async () => {
  const s = scenario({ 'ai/context_map.yaml': contextMap(STAGES) });
  write(s.home, oldRuns(0, 12));
  const looked = () => JSON.parse(readFileSync(s.path('ai/state/reclaimable.json'), 'utf8'));
  assert.is((await s.run()).exit, 0);
  assert.not.match((await s.run(['status'])).stdout, /would free/, 'three megabytes are not worth a line');
  const seen = looked();
  assert.equal([seen.what, seen.bytes], ['3 runs', 3 * 1024 ** 2]);
  assert.is((await s.run()).exit, 0);
  assert.equal(looked(), seen);
});

test.run();
