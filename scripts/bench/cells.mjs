#!/usr/bin/env node
// What a cell of a matrix costs: forty of them, against forty stages that do the same; green ones, and ones that fail alike.
import { rmSync } from 'node:fs';
import { bench, compare, ENTRY, repository, run, short, sideBySide } from './measure.mjs';

const COUNT = 40;
const ROUNDS = 5;
const NAMES = Array.from({ length: COUNT }, (_, i) => `h${i + 1}`);
const FAILS = { command: 'echo "Error: no such pool: tank"; exit 3', on_failure: 'skip' };

await bench('cells', async () => {
  const took = await sideBySide(
    {
      cells: () => runMap({ m: { command: 'true', matrix: { host: NAMES } } }),
      stages: () => runMap(Object.fromEntries(NAMES.map((name) => [name, { command: 'true' }]))),
      redCells: () => runMap({ m: { ...FAILS, matrix: { host: NAMES } } }, 1),
      redStages: () => runMap(Object.fromEntries(NAMES.map((name) => [name, FAILS])), 1),
    },
    { rounds: ROUNDS },
  );
  const row = (name, cells, stages) => {
    const above = (cells.ms - stages.ms) / COUNT;
    return compare(name, 'ms/step', cells.ms / COUNT, stages.ms / COUNT, `${short(above)} ms above a stage`);
  };
  return {
    rows: [
      row(`${COUNT} green cells`, took.cells, took.stages),
      row(`${COUNT} cells that fail alike`, took.redCells, took.redStages),
    ],
    notes: [`peer: ${COUNT} stages with the same command; 8 workers; median of ${ROUNDS} rounds, whole starts`],
  };
});

/** A first run of these stages in a fresh repository. */
async function runMap(stages, exit = 0) {
  const home = await repository({
    'ai/context_map.yaml': JSON.stringify({ stages }),
    'ai/loop.yaml': JSON.stringify({ workers: 8, executors: ['known-fixes'], escalations: [] }),
  });
  const command = `"$0" "$1"; [ $? = ${exit} ]`;
  const { ms } = await run('bash', ['-c', command, process.execPath, ENTRY], { cwd: home });
  rmSync(home, { recursive: true });
  return { ms };
}
