import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { speedsOf } from '../../src/mend/speeds.ts';
import { folder } from '../environment.ts';

const open = () => {
  const state = folder();
  const told: string[] = [];
  const path = join(state, 'speeds.json');
  return { state, path, told, speeds: speedsOf({ speeds: path }, (text) => told.push(text)) };
};
const answer = (ms: number) => ({ read: { tokens: 100, ms }, wrote: { tokens: 5, ms: 1000 } });

test('of each model of each host the last ten answers are kept, over processes', () => {
  const { path, speeds } = open();
  for (let n = 1; n <= 12; n++) speeds.add('m at h', answer(n));
  speeds.add('other at h', { whole: true });
  const again = speedsOf({ speeds: path }, () => {});
  assert.equal(
    again.of('m at h').map(({ read }) => read?.ms),
    [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  );
  assert.equal(again.of('other at h'), [{ whole: true }]);
  assert.equal(again.of('nobody'), []);
  assert.is(readFileSync(join(path, '../.gitignore'), 'utf8'), '*\n', 'git does not see it, also before the first run');
});

test('no more than fifty models are remembered, the latest asked', () => {
  const { speeds } = open();
  for (let n = 1; n <= 60; n++) speeds.add(`m${n}`, answer(n));
  assert.equal([speeds.of('m10').length, speeds.of('m11').length, speeds.of('m60').length], [0, 1, 1]);
});

test('a damaged file is no reason to lose an answer: it is moved aside, and said', () => {
  const { state, path, speeds, told } = open();
  for (const text of ['{"version": 1, "models": {"m": [{"read": "fast"}]}}', '{', '']) {
    writeFileSync(path, text);
    assert.equal(speeds.of('m'), []);
    assert.is(readFileSync(path, 'utf8'), text, 'who only reads leaves it');
    speeds.add('m', answer(1));
    assert.is(speeds.of('m').length, 1);
  }
  assert.is(readdirSync(state).filter((name) => name.includes('.corrupt-')).length, 3);
  assert.match(told[0] ?? '', /^ai\/state\/speeds\.json was damaged: .*\.corrupt-/);
});

test('where it cannot be written, that is said, and nothing is thrown', () => {
  const { state, told } = open();
  const file = join(state, 'a-file');
  writeFileSync(file, '');
  speedsOf({ speeds: join(file, 'speeds.json') }, (text) => told.push(text)).add('m at h', answer(1));
  assert.match(told[0] ?? '', /^how fast m at h answered is not kept: /);
  assert.not.ok(existsSync(join(file, 'speeds.json')));
});

test.run();
