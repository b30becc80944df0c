#!/usr/bin/env node
// How long `mendloop status` takes from start to end, against zx's own command line on an empty file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bench, compare, contextMap, ENTRY, ROOT, repository, run, scratch, sideBySide } from './measure.mjs';

const STAGES = 3;
const ROUNDS = 15;
const COUNTER = join(import.meta.dirname, 'count-modules.mjs');

await bench('status', async () => {
  const home = await repository(contextMap(STAGES, 'true'));
  await run(process.execPath, [ENTRY], { cwd: home });
  const empty = join(scratch, 'empty.mjs');
  writeFileSync(empty, '');
  const ours = [ENTRY, 'status'];
  const peer = [join(ROOT, 'node_modules/zx/build/cli.js'), empty];
  const start = (args) => async () => ({ ms: (await run(process.execPath, args, { cwd: home })).ms });

  const took = await sideBySide(
    { ours: start(ours), peer: start(peer), node: start([empty]) },
    { rounds: ROUNDS, warmUp: 2 },
  );
  const loaded = { ours: await modules(ours, home), peer: await modules(peer, home) };
  return {
    rows: [
      compare(
        'status',
        'ms',
        took.ours.ms,
        took.peer.ms,
        `(target ≤ 1.5; ours ${took.ours.range.ms}, peer ${took.peer.range.ms})`,
      ),
      ['modules', `ours ${loaded.ours.length}`, `peer ${loaded.peer.length}`, '', `(ours: ${origins(loaded.ours)})`],
    ],
    notes: [
      `peer: zx's own cli on an empty file; node alone on it ${took.node.ms.toFixed(0)} ms; median of ${ROUNDS} rounds`,
      "modules: files seen by a resolve hook (--import) or in require's cache at the end, each once",
    ],
  };
});

/** The files `node args` loads as modules. */
async function modules(args, cwd) {
  const list = join(scratch, 'modules.txt');
  writeFileSync(list, '');
  await run(process.execPath, ['--import', pathToFileURL(COUNTER).href, ...args], {
    cwd,
    more: { BENCH_MODULES: list },
  });
  return [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean))];
}

/** Where they come from: the packages that bring most first, then the rest as one number. */
function origins(urls) {
  const origin = (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'own';
  const counts = new Map();
  for (const name of urls.map(origin)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const most = [...counts].sort((a, b) => b[1] - a[1]);
  const rest = most.slice(5).reduce((sum, [, count]) => sum + count, 0);
  return [...most.slice(0, 5), ['other', rest]].map(([name, count]) => `${name} ${count}`).join(', ');
}
