import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyState, type StageStatus } from '../../src/journal/stages.ts';
import type { ExecutionCode } from '../../src/plan/codes.ts';
import { executionError } from '../../src/plan/codes.ts';
import { type PlanEnd, planResult } from '../../src/plan/result.ts';
import { exitCode } from '../../src/run/run.ts';

const ENDED: PlanEnd = {
  plan_id: 'p',
  execution_id: 'e',
  completed_at: 0,
  duration_ms: 0,
  steps_executed: 0,
  steps_total: 0,
  result_payload: {},
  errors: [],
  halted: false,
};

function exit(statuses: StageStatus[], code?: ExecutionCode, more: { human?: boolean; interrupted?: boolean } = {}) {
  const state = emptyState();
  statuses.forEach((status, i) => {
    state.stages[`s${i}`] = { status, run: 'r', attempts: 1, since: '' };
  });
  const result = planResult({
    ...ENDED,
    steps_total: 1,
    steps_executed: code ? 0 : 1,
    errors: code ? [executionError(code, code)] : [],
    halted: code !== undefined,
  });
  const requested = statuses.map((_, i) => `s${i}`);
  const signal = more.interrupted ? AbortSignal.abort() : new AbortController().signal;
  return exitCode(result, {
    requested,
    signal,
    journal: { stages: state, failures: { needsPerson: more.human === true } },
  });
}

test('0: everything that was asked for is green', () => {
  assert.is(exit(['green', 'green']), 0);
});

test('1: something is not green, and the next run will try again', () => {
  for (const status of ['idle', 'running', 'failed', 'skipped', 'give_up'] as const) {
    assert.is(exit(['green', status], 'EXECUTION_HALTED'), 1, status);
  }
});

test('3: only a person can help, which beats 1', () => {
  assert.is(exit(['failed'], 'EXECUTION_HALTED', { human: true }), 3);
  assert.is(exit(['green'], undefined, { human: true }), 0);
});

test('4: a bug', () => {
  assert.is(exit(['failed'], 'UNKNOWN_ERROR'), 4);
});

test('130: interrupted, whatever failed before; but not when all was done already', () => {
  assert.is(exit(['idle'], 'EXECUTION_HALTED', { interrupted: true }), 130);
  assert.is(exit(['failed'], 'EXECUTION_HALTED', { interrupted: true, human: true }), 130);
  assert.is(exit(['green'], 'EXECUTION_HALTED', { interrupted: true }), 130);
  assert.is(exit(['green'], undefined, { interrupted: true }), 0);
});

test('stages that were not asked for are not judged', () => {
  const state = emptyState();
  state.stages.other = { status: 'failed', run: 'r', attempts: 1, since: '' };
  const journal = { stages: state, failures: { needsPerson: false } };
  assert.is(exitCode(planResult(ENDED), { requested: [], signal: new AbortController().signal, journal }), 0);
});

test.run();
