// One-time tokens: bound to a case and its change, used once, late ones refused, and wrong ones not looked at for long.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { hasTokens, isNew, newToken, TOKEN_MS, takeToken } from '../../src/mend/answer-tokens.ts';
import { folder } from '../environment.ts';

const ABOUT = { case: 'apps-1', patch: 'h1' };
const NOW = Date.UTC(2026, 0, 1);

test('a token gives its case and change once; later, and after 12 hours, it says why not', () => {
  const layout = layoutOf(folder());
  const { token } = newToken(layout, ABOUT, NOW);
  const { token: late } = newToken(layout, ABOUT, NOW);
  assert.ok(hasTokens(layout, NOW));
  assert.equal(takeToken(layout, token, NOW + 1), ABOUT);
  assert.equal(takeToken(layout, token, NOW + 2), { refused: 'its token was used before' });
  const after = NOW + TOKEN_MS;
  assert.equal(takeToken(layout, late, after), { refused: 'its token has expired: it came after more than 12 hours' });
  assert.not(hasTokens(layout, after));
});

test('nothing on disk can be sent as a token, and what is long over is forgotten', () => {
  const layout = layoutOf(folder());
  const { token } = newToken(layout, ABOUT, NOW);
  const files = () => readdirSync(layout.tokens).filter((name) => name.endsWith('.json'));
  for (const name of files()) {
    assert.not.match(readFileSync(join(layout.tokens, name), 'utf8') + name, token);
    assert.ok('refused' in takeToken(layout, name.replace('.json', ''), NOW));
  }
  newToken(layout, ABOUT, NOW + 30 * TOKEN_MS);
  assert.is(files().filter((name) => name !== 'log.json').length, 1);
});

test('after ten wrong ones within an hour none is looked at, also a right one, until that is over', () => {
  const layout = layoutOf(folder());
  const { token } = newToken(layout, ABOUT, NOW);
  for (let i = 0; i < 10; i++) assert.match(JSON.stringify(takeToken(layout, `guess-${i}`, NOW)), 'is unknown');
  assert.match(JSON.stringify(takeToken(layout, token, NOW)), '10 wrong answers came within an hour');
  assert.equal(takeToken(layout, token, NOW + 3_600_001), ABOUT);
});

test('a message is new once, for every process', () => {
  const layout = layoutOf(folder());
  const message = { id: 'abc', time: 1 };
  assert.equal(
    [isNew(layout, message), isNew(layout, message), isNew(layout, { id: 'abd', time: 1 })],
    [true, false, true],
  );
});

test.run();
