// What a journal tells of the fixes of a run, at every point of it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { RunFailures } from '../../src/triage/incident.ts';
import { run } from './homelab.ts';
import { mendable, says } from './probe.ts';

test('at every point of a real run no more than one fix is unjudged, and none at its end', async () => {
  const { home, probe } = mendable({ word: 'one' });
  probe.answers(says('two'), says('two', 'other'), says('three'), says('good'));
  const ran = await run(home);
  assert.is(ran.exit, 0);
  const { events } = readEvents(layout(home).journal(ran.run));
  let most = 0;
  for (let i = 0; i <= events.length; i++) {
    const failures = new RunFailures(events.slice(0, i));
    most = Math.max(most, failures.openFixes().length);
    assert.ok(failures.trials.size <= 1);
  }
  assert.equal([most, new RunFailures(events).openFixes()], [3, []]);
});

test.run();
