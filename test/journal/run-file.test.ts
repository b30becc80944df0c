// run.json is a fold of a run's events, and can be made again from them.
import { readFileSync, rmSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { foldRun, writeRunFile } from '../../src/journal/run-file.ts';
import { homelab, run } from '../run/homelab.ts';

test('run.json is what the journal folds to, and is made again to the letter', async () => {
  const home = homelab({ a: { command: 'true' } });
  const ran = await run(home);
  const layout = layoutOf(home);
  const before = readFileSync(layout.runFile(ran.run), 'utf8');
  const { asked, lab, exit, result } = JSON.parse(before);
  assert.equal([asked, lab, exit, result], ['all', 'real', 0, { ...ran.result }]);
  rmSync(layout.runFile(ran.run));
  writeRunFile(layout, ran.run, readEvents(layout.journal(ran.run)).events);
  assert.is(readFileSync(layout.runFile(ran.run), 'utf8'), before);
});

test('a run that has not ended has none', async () => {
  const home = homelab({ a: { command: 'true' } });
  const ran = await run(home);
  const { events } = readEvents(layoutOf(home).journal(ran.run));
  assert.is(foldRun(events.slice(0, -1)), undefined);
  assert.is(foldRun([]), undefined);
});

test.run();
