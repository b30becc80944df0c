#!/usr/bin/env node
// How long a start takes that finds everything green, from the bundle and from the sources, against make with nothing to do.
// BENCH_BEFORE=<folder of another checkout, with its packages> puts that one beside it.
import { join } from 'node:path';
import {
  bench,
  compare,
  contextMap,
  ENTRY,
  repository,
  run,
  scratch,
  short,
  sideBySide,
  writeFiles,
} from './measure.mjs';

const STAGES = 6;
const ROUNDS = 11;
const before = process.env.BENCH_BEFORE;

await bench('green', async () => {
  const start = async (entry, more) => {
    const home = await repository(contextMap(STAGES, 'true'));
    await run(process.execPath, [entry], { cwd: home, more });
    return async () => ({ ms: (await run(process.execPath, [entry], { cwd: home, more })).ms });
  };
  const candidates = {
    ours: await start(ENTRY),
    sources: await start(ENTRY, { MENDLOOP_UNBUNDLED: '1' }),
    peer: make(),
    ...(before ? { before: await start(join(before, 'scripts/bootstrap_loop.mjs')) } : {}),
  };
  const took = await sideBySide(candidates, { rounds: ROUNDS, warmUp: 2 });
  const share = (other) => `${short((100 * took.ours.ms) / other)} %`;
  return {
    rows: [
      compare(
        'green start',
        'ms',
        took.ours.ms,
        took.peer.ms,
        `(ours ${took.ours.range.ms}, peer ${took.peer.range.ms})`,
      ),
      compare(
        'from the sources',
        'ms',
        took.sources.ms,
        took.peer.ms,
        `the bundle takes ${share(took.sources.ms)} of it`,
      ),
      ...(before
        ? [
            compare(
              'the other checkout',
              'ms',
              took.before.ms,
              took.peer.ms,
              `ours takes ${share(took.before.ms)} of it`,
            ),
          ]
        : []),
    ],
    notes: [
      `peer: make with ${STAGES} targets that are up to date; median of ${ROUNDS} rounds`,
      'target: at most 800 ms (BENCH_BEFORE puts another checkout beside it)',
    ],
  };
});

/** The same stages as files that are there. */
function make() {
  const names = Array.from({ length: STAGES }, (_, i) => `s${i + 1}`);
  const rules = names.map((name, i) => `${name}: ${names[i - 1] ?? ''}\n\t@bash -c true && touch $@\n`);
  const folder = join(scratch, 'make-green');
  writeFiles(folder, { Makefile: rules.reverse().join('') });
  return async () => ({ ms: (await run('make', [], { cwd: folder })).ms });
}
