#!/usr/bin/env node
// What looking back costs with 10,000 past runs: status and runs against the same with ten, report over all of them.
import { bench, compare, contextMap, ENTRY, repository, run, sideBySide } from './measure.mjs';
import { writePast } from './past-runs.mjs';

const MANY = 10_000;
const FEW = 10;
const ROUNDS = 9;
const DAYS = 30;

await bench('history', async () => {
  const made = {};
  for (const count of [FEW, MANY]) {
    const home = await repository(contextMap(3, 'true'));
    writePast(home, { count, days: DAYS - 1, now: Date.now() - 60_000 });
    // A real run behind them writes what a home has: stages, ledger, index.
    made[count] = { home, first: await run(process.execPath, [ENTRY], { cwd: home }) };
    made[count].second = await run(process.execPath, [ENTRY], { cwd: home });
  }
  const start =
    (count, ...args) =>
    async () => ({ ms: (await run(process.execPath, [ENTRY, ...args], { cwd: made[count].home })).ms });
  const rows = [];
  for (const [command, target] of [
    [['status'], 'target ≤ 1.2'],
    [['runs'], ''],
    [['report', '--days', String(DAYS)], 'target < 2000 ms'],
  ]) {
    const took = await sideBySide({ many: start(MANY, ...command), few: start(FEW, ...command) }, { rounds: ROUNDS });
    const note = `(${target ? `${target}; ` : ''}${MANY} runs ${took.many.range.ms}, ${FEW} runs ${took.few.range.ms})`;
    rows.push(compare(command.join(' '), 'ms', took.many.ms, took.few.ms, note));
  }
  const { first, second } = made[MANY];
  return {
    rows,
    notes: [
      `ours: ${MANY} past runs; peer: the same command with ${FEW}; median of ${ROUNDS} rounds`,
      `a run of three stages behind ${MANY} runs without an index ${first.ms.toFixed(0)} ms, with it ${second.ms.toFixed(0)} ms`,
    ],
  };
});
