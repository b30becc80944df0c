// What a journal tells of the fixes of a run, at every point of it.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { RunFailures } from '../../src/triage/incident.ts';
import { run } from './homelab.ts';
import { mendable, says } from './probe.ts';

test('at every point of a run at most three fixes stand, each above the other; the AI branch has all of them at once, or none', async () => {
  const { home, probe, subjects } = mendable({ word: 'one' });
  probe.answers(says('two'), says('two', 'other'), says('three'), says('good'));
  const ran = await run(home);
  assert.is(ran.exit, 0);
  const { events } = readEvents(layout(home).journal(ran.run));
  const standing = events.map((_, i) => new RunFailures(events.slice(0, i + 1)).trial?.fixes.length);
  assert.equal(
    standing.filter((count, i) => count !== standing[i - 1]),
    [0, 1, 2, 1, 2, 3, undefined],
  );
  assert.equal(subjects(), ['Mend a: Say two', 'Mend a: Say three', 'Mend a: Say good']);
});

test.run();
