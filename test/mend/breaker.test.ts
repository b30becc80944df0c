import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openBreaker } from '../../src/mend/breaker.ts';

function at() {
  let now = 5;
  const breaker = openBreaker({ monotonic: () => now });
  const pass = (ms: number) => {
    now += ms;
  };
  return { breaker, pass };
}

test('after three failures in a row a plugin is passed over for 60 s, and the reason is told', () => {
  const { breaker, pass } = at();
  for (const reason of ['a', 'b']) breaker.failed('executor', 'ollama', reason);
  assert.is(breaker.refuses('executor', 'ollama'), undefined);
  breaker.failed('executor', 'ollama', 'nothing listens');
  assert.is(
    breaker.refuses('executor', 'ollama'),
    'ollama: not asked for 60 s after 3 failures in a row, the last: nothing listens',
  );
  pass(59_999);
  assert.ok(breaker.refuses('executor', 'ollama'));
  pass(1);
  assert.is(breaker.refuses('executor', 'ollama'), undefined);
});

test('after the pause one question decides: another failure closes it again, an answer forgets them all', () => {
  const { breaker, pass } = at();
  for (let i = 0; i < 3; i++) breaker.failed('executor', 'ollama', 'down');
  pass(60_000);
  breaker.failed('executor', 'ollama', 'down');
  assert.match(breaker.refuses('executor', 'ollama') as string, 'after 4 failures');
  pass(60_000);
  breaker.answered('executor', 'ollama');
  breaker.failed('executor', 'ollama', 'down');
  breaker.failed('executor', 'ollama', 'down');
  assert.is(breaker.refuses('executor', 'ollama'), undefined);
});

test('a plugin that answers in between is not passed over, and others are not concerned', () => {
  const { breaker } = at();
  for (let i = 0; i < 9; i++) {
    breaker.failed('executor', 'ollama', 'down');
    if (i % 2) breaker.answered('executor', 'ollama');
  }
  assert.is(breaker.refuses('executor', 'ollama'), undefined);
  for (let i = 0; i < 3; i++) breaker.failed('executor', 'ollama', 'down');
  assert.is(breaker.refuses('executor', 'command'), undefined);
});

test.run();
