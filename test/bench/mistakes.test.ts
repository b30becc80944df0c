// The set of mistakes that error lines, prompts and known fixes are measured with is what it says it is.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { editableOf, isMended, MISTAKES } from '../fixtures/mistakes.ts';

test('each mistake tells itself in its log, stands once in a file that the stage may change, and can be mended there', () => {
  assert.ok(MISTAKES.length >= 32);
  for (const mistake of MISTAKES) {
    const { name, log, decisive, culprit, fix, also = [], files } = mistake;
    assert.ok(
      log.split('\n').some((line) => line.includes(decisive)),
      `${name}: the decisive line`,
    );
    assert.is(fix.path, culprit, name);
    for (const { path, old } of [fix, ...also]) {
      assert.is(files[path]?.split(old).length, 2, `${name}: ${path}`);
      assert.ok(editableOf(mistake).includes(path), `${name}: ${path} may not be changed`);
    }
    const mended = files[culprit]?.replace(fix.old, () => fix.new) ?? '';
    assert.ok(isMended(mistake, { [culprit]: mended }), name);
    assert.not.ok(isMended(mistake, { [culprit]: `${mended}#\n` }), name);
    assert.not.ok(isMended(mistake, {}), name);
  }
});

test.run();
