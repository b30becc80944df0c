// Work that a file did not do before is asked about, whatever it does; what only looks, or is done here already, applies.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NEW_LINES, NEW_WORK } from '../../fixtures/rules/gate-new-work.ts';
import { adding, edit, judge, replacing, rulesFor, word } from './homelab.ts';

const RUN = 'stages/vms/run.sh';

for (const [verdict, lines] of [...Object.entries(NEW_LINES.stopped), ['ok', NEW_LINES.fine] as const]) {
  test(`added lines: ${verdict}`, () => {
    assert.equal(
      lines.filter((line) => adding(RUN, line) !== verdict).map((line) => `${line}: ${adding(RUN, line)}`),
      [],
    );
  });
}

for (const [family, { path, before, stopped, fine }] of Object.entries(NEW_WORK)) {
  test(family, () => {
    const rules = { ...rulesFor(path), tree: { files: [path] } };
    const expected = [...Object.entries(stopped), ['ok', fine] as const];
    const surprises = expected.flatMap(([verdict, changes]) =>
      changes.flatMap((change) => {
        const actual = replacing(path, before, change, rules);
        return actual === verdict ? [] : [`${change[1]}: ${actual} instead of ${verdict}`];
      }),
    );
    assert.equal(surprises, []);
  });
}

test('what the repository does elsewhere is no new work', () => {
  const path = 'stages/apps/run.sh';
  const before = '#!/bin/sh\nset -e\nlog a\n';
  const adds = (texts: string[]) =>
    word(judge([edit(path, `${before}helm upgrade web charts/web\n`, before)], { ...rulesFor(path), texts }));
  assert.is(adds([]), 'ask new_work');
  assert.is(adds(['set -e\nhelm upgrade api charts/api\n']), 'ok');
  assert.is(adds(['# helm upgrade is for another day\n']), 'ask new_work');
});

test.run();
