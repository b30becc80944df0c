import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatError, mendError } from '../src/errors.ts';

test('an error prints code, what happened, every problem and the next step', () => {
  const error = mendError('E_USAGE', { what: 'two things are off', next: 'first this\nthen that' }, ['one', 'two']);
  assert.is(
    formatError(error),
    'error E_USAGE: two things are off\n  - one\n  - two\n  next:  first this\n         then that',
  );
});

test.run();
