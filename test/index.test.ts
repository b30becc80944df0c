import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as api from '../src/index.ts';

test('the public API is exactly this', () => {
  assert.equal(Object.keys(api).sort(), [
    'CODES',
    'EVENT_TYPES',
    'EXIT',
    'MendError',
    'action',
    'createExecutor',
    'definePlugin',
    'executionError',
    'formatError',
    'linear',
    'parallel',
    'validateContext',
    'validatePlan',
  ]);
});

test.run();
