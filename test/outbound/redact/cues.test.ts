// Words behind one that speaks of a secret: what stands between them decides how much they must look like one.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findBesideCues } from '../../../src/outbound/redact/cues.ts';

const found = (text: string): string[] => findBesideCues(text).map(({ start, end }) => text.slice(start, end));

test('signs between a name and its value are no words: a plain password behind them is found', () => {
  for (const signs of [':', '=', '::', ' :: ', ':=', '==', ' = '])
    assert.equal(found(`password${signs}winter24`), ['winter24'], signs);
});

test('behind other words it has to look more like one', () => {
  assert.equal(found('password of the big room winter24'), []);
  assert.equal(found('password of the big room hT7kQ2vXz9LmB4'), ['hT7kQ2vXz9LmB4']);
});

test.run();
