#!/usr/bin/env node
// How long a stand-in of the simulated lab takes from start to end, against bash doing nothing.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bench, compare, ROOT, run, scratch, sideBySide } from './measure.mjs';

const ROUNDS = 15;
const CALLS = ['qm help', 'qm list', 'talosctl --help', 'kubectl version --client', 'flux --version'];

await bench('lab', async () => {
  const home = join(scratch, 'lab');
  mkdirSync(home, { recursive: true });
  const start = (program, args) => async () => ({
    ms: (await run(program, args, { cwd: home, more: { MENDLOOP_HOME: home } })).ms,
  });
  const rows = [];
  for (const call of CALLS) {
    const [tool, ...args] = call.split(' ');
    const took = await sideBySide(
      { ours: start(join(ROOT, 'stages/lab/bin', tool), args), peer: start('bash', ['-c', 'true']) },
      { rounds: ROUNDS, warmUp: 2 },
    );
    rows.push(compare(call, 'ms', took.ours.ms, took.peer.ms, '(target < 100 ms)'));
  }
  return { rows, notes: [`peer: bash -c true; median of ${ROUNDS} rounds`] };
});
