import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { emptyState, type StageStatus } from '../../src/journal/stages.ts';
import { type ExecutionCode, executionError } from '../../src/plan/codes.ts';
import { planResult } from '../../src/plan/result.ts';
import { exitCode } from '../../src/run/run.ts';

interface Ended {
  /** Of the stages that were asked for. */
  statuses: StageStatus[];
  /** The plan failed with it. */
  code?: ExecutionCode;
  human?: boolean;
  interrupted?: boolean;
}

/** The exit code of a run beside whose stages there is a failed one that nobody asked for. */
function exit({ statuses, code, human = false, interrupted = false }: Ended): number {
  const stages = emptyState();
  const requested = statuses.map((_, i) => `s${i}`);
  for (const [i, status] of [...statuses, 'failed' as const].entries())
    stages.stages[`s${i}`] = { status, run: 'r', attempts: 1, since: '' };
  const result = planResult({
    ...{ plan_id: 'p', execution_id: 'e', completed_at: 0, duration_ms: 0, result_payload: {}, steps_total: 1 },
    steps_executed: code ? 0 : 1,
    errors: code ? [executionError(code, code)] : [],
    halted: code !== undefined,
  });
  const signal = interrupted ? AbortSignal.abort() : new AbortController().signal;
  return exitCode(result, { requested, signal, journal: { stages, failures: { needsPerson: human } } });
}

const HALTED = { code: 'EXECUTION_HALTED' } as const;
const NOT_GREEN = ['idle', 'running', 'failed', 'skipped', 'give_up'] as const;

const TABLE: [rule: string, code: number, ...ends: Ended[]][] = [
  ['everything that was asked for is green', 0, { statuses: ['green', 'green'] }, { statuses: [] }],
  ['a person whom nothing waits for is not called', 0, { statuses: ['green'], human: true }],
  ['interrupted when all was done already', 0, { statuses: ['green'], interrupted: true }],
  [
    'something is not green, and the next run will try again',
    1,
    ...NOT_GREEN.map((status): Ended => ({ statuses: ['green', status], ...HALTED })),
  ],
  ['what was asked for breaks the contract', 2, { statuses: ['idle'], code: 'INVALID_PAYLOAD' }],
  ['only a person can help, which beats 1', 3, { statuses: ['failed'], ...HALTED, human: true }],
  ['a bug', 4, { statuses: ['failed'], code: 'UNKNOWN_ERROR' }],
  [
    'interrupted, whatever failed before',
    130,
    { statuses: ['idle'], ...HALTED, interrupted: true },
    { statuses: ['failed'], ...HALTED, interrupted: true, human: true },
    { statuses: ['green'], ...HALTED, interrupted: true },
  ],
];

for (const [rule, code, ...ends] of TABLE)
  test(`${code}: ${rule}`, () => {
    for (const end of ends) assert.is(exit(end), code, JSON.stringify(end));
  });

test.run();
