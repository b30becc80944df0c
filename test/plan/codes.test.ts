import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CODES, type ExecutionCode, executionError, gravest } from '../../src/plan/codes.ts';

test('each code has the severity of its row', () => {
  assert.equal(CODES, {
    INVALID_PAYLOAD: 'fatal',
    CONTEXT_MISSING: 'fatal',
    DEPENDENCY_UNRESOLVED: 'fatal',
    ACTION_NOT_FOUND: 'fatal',
    DEADLINE_EXCEEDED: 'fatal',
    PLAN_TIMEOUT: 'fatal',
    RESOURCE_EXHAUSTED: 'fatal',
    STEP_TIMEOUT: 'error',
    EXECUTION_HALTED: 'error',
    STEP_SKIPPED: 'warn',
    UNKNOWN_ERROR: 'fatal',
  });
});

test('the page of the plan API has each code with its severity', () => {
  const page = readFileSync(new URL('../../docs/plan-api.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| ([A-Z_]+) \| (\w+) \|/gm)].map(([, code, severity]) => [code, severity]);
  assert.equal(Object.fromEntries(rows), CODES);
});

test('recoverable follows from severity, also from one that was given', () => {
  for (const [code, severity] of Object.entries(CODES)) {
    const error = executionError(code as ExecutionCode, 'x');
    assert.equal([error.severity, error.recoverable], [severity, severity !== 'fatal'], code);
  }
  assert.is(executionError('STEP_TIMEOUT', 'x', { severity: 'fatal' }).recoverable, false);
  assert.is(executionError('RESOURCE_EXHAUSTED', 'x', { severity: 'error' }).recoverable, true);
});

test('a message has at most 1000 characters and shows that it was cut', () => {
  assert.is(executionError('UNKNOWN_ERROR', 'x'.repeat(1000)).message, 'x'.repeat(1000));
  const cut = executionError('UNKNOWN_ERROR', 'x'.repeat(1001)).message;
  assert.is(cut, `${'x'.repeat(999)}…`);
  assert.is(cut.length, 1000);
});

test('what is not told is null, and an error cannot be changed', () => {
  const error = executionError('UNKNOWN_ERROR', 'x');
  assert.equal([error.step_id, error.cause, error.context], [null, null, {}]);
  assert.ok(Object.isFrozen(error) && Object.isFrozen(error.context));
});

test('the first of the gravest speaks for all', () => {
  const [skipped, halted, second, fatal] = (
    ['STEP_SKIPPED', 'EXECUTION_HALTED', 'STEP_TIMEOUT', 'UNKNOWN_ERROR'] as const
  ).map((code) => executionError(code, code));
  if (!skipped || !halted || !second || !fatal) throw new Error('four codes, four errors');
  assert.is(gravest([]), null);
  assert.is(gravest([skipped, halted, second]), halted);
  assert.is(gravest([skipped, second, fatal, halted]), fatal);
});

test.run();
