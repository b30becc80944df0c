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
  for (const reason of ['a', 'b']) breaker.failed('ollama', reason);
  assert.is(breaker.refuses('ollama'), undefined);
  breaker.failed('ollama', 'nothing listens');
  assert.is(
    breaker.refuses('ollama'),
    'ollama: not asked for 60 s after 3 failures in a row, the last: nothing listens',
  );
  pass(59_999);
  assert.ok(breaker.refuses('ollama'));
  pass(1);
  assert.is(breaker.refuses('ollama'), undefined);
});

test('after the pause one question decides: another failure closes it again, an answer forgets them all', () => {
  const { breaker, pass } = at();
  for (let i = 0; i < 3; i++) breaker.failed('ollama', 'down');
  pass(60_000);
  breaker.failed('ollama', 'down');
  assert.match(breaker.refuses('ollama') as string, 'after 4 failures');
  pass(60_000);
  breaker.answered('ollama');
  breaker.failed('ollama', 'down');
  breaker.failed('ollama', 'down');
  assert.is(breaker.refuses('ollama'), undefined);
});

test('a plugin that answers in between is not passed over, and others are not concerned', () => {
  const { breaker } = at();
  for (let i = 0; i < 9; i++) {
    breaker.failed('ollama', 'down');
    if (i % 2) breaker.answered('ollama');
  }
  assert.is(breaker.refuses('ollama'), undefined);
  for (let i = 0; i < 3; i++) breaker.failed('ollama', 'down');
  assert.is(breaker.refuses('command'), undefined);
});

test.run();
