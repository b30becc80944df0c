#!/usr/bin/env node
// What known-fixes makes of stages as people break them: each a repository of its own, run by the real entry. With --direct
// only the plugin is asked, and the stage's command run with what it proposes. Then of mistakes with the logs of real tools
// (alone with --mistakes). A fix that is wrong fails the benchmark.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../typescript.mjs';
import { bench, ENTRY, run, scratch, short, writeFiles } from './measure.mjs';

const { BROKEN_STAGES } = await import('../../test/known-fixes/broken-stages.ts');
const { mend } = await import('../../test/known-fixes/direct.ts');
const { judged: judgedMistake, mistakesIn } = await import('../../test/known-fixes/mistakes.ts');
const { MISTAKES: FAILURES } = await import('../../test/fixtures/mistakes.ts');

const AI = 'ai/orchestrator-stage1';
const AT_ONCE = 4;
/** Sets of mistakes: trivial ones, those that must be left alone, some of both, and what the whole project is measured with. */
const MISTAKES = {
  'trivial faults': () => mistakesIn('faults'),
  'look-alikes': () => mistakesIn('look-alikes'),
  'in another style': () => mistakesIn('apart'),
  failures: () => FAILURES,
};
const direct = process.argv.includes('--direct');

await bench('known-fixes', async () => {
  const began = performance.now();
  const stages = process.argv.includes('--mistakes') ? [] : BROKEN_STAGES;
  const results = new Array(stages.length);
  const queue = [...stages.entries()];
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) results[next[0]] = await measured(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length;
  const wrong = results.filter(({ outcome }) => outcome.startsWith('wrong') || outcome.startsWith('not measured'));
  if (wrong.length > 0) process.exitCode = 1;
  const expected = stages.filter(({ repair }) => repair !== null).length;
  const took = short((performance.now() - began) / 1000);
  const mistakes = await Promise.all(Object.entries(MISTAKES).map(([name, read]) => measuredSet(name, read())));
  return {
    rows: [
      ['fault', 'expected', 'outcome', 'seconds'],
      ...results.map(({ fault, wanted, outcome, ms }) => [fault, wanted, outcome, short(ms / 1000)]),
    ],
    notes: [
      `stages: ${count('fixed')} of ${expected} fixed, ${count('left alone')} left alone, ${wrong.length} wrong, ${stages.length} in ${took} s, ${AT_ONCE} at once`,
      ...mistakes.flat(),
    ],
  };
});

/** One line for a set of mistakes, and one for each that was mended wrongly. */
async function measuredSet(name, mistakes) {
  const began = performance.now();
  const verdicts = [];
  for (const mistake of mistakes) verdicts.push({ mistake, ...(await judgedMistake(mistake)) });
  const wrong = verdicts.filter(({ verdict }) => verdict.startsWith('wrong'));
  if (wrong.length > 0) process.exitCode = 1;
  const mended = verdicts.filter(({ verdict }) => verdict === 'mended').length;
  const left = mistakes.length - mended - wrong.length;
  const ms = short((performance.now() - began) / mistakes.length);
  return [
    `${name}: ${mended} of ${mistakes.length} mended, ${left} left alone, ${wrong.length} wrong, ${ms} ms each`,
    ...wrong.map(({ mistake, verdict }) => `  ${mistake.name}: ${verdict}`),
  ];
}

async function measured(broken, number) {
  const wanted = broken.repair === null ? 'left alone' : 'fixed';
  const began = performance.now();
  const outcome = await (direct ? directly(broken) : throughTheLoop(broken, number)).catch(
    (error) => `not measured: ${error.message.split('\n')[0]}`,
  );
  return { fault: broken.fault, wanted, outcome, ms: performance.now() - began };
}

async function directly(broken) {
  const { first, proposal, second, after } = await mend(broken);
  if (first.exit === 0) throw new Error('the stage does not fail');
  if ('pass' in proposal) return 'left alone';
  return judged(broken, second.exit === 0, after);
}

/** Breaks the stage, commits it, runs the loop on it, and looks at the branch. */
async function throughTheLoop(broken, number) {
  const home = join(scratch, `broken-${number}`);
  const files = { ...broken.sound, ...broken.broken };
  const { command, files: may, tools = [] } = broken;
  const map = { stages: { web: { command, files: may, requires: { tools } } } };
  writeFiles(home, {
    ...files,
    'ai/context_map.yaml': JSON.stringify(map),
    'ai/loop.yaml': 'executors: [known-fixes]\nescalations: []\n',
  });
  for (const path of Object.keys(files)) chmodSync(join(home, path), broken.plain?.includes(path) ? 0o644 : 0o755);
  const git = async (...args) => (await run('git', args, { cwd: home })).stdout;
  await git('init', '--quiet', '--initial-branch=main');
  // The broken texts are committed as they are, carriage returns too.
  await git('-c', 'core.autocrlf=false', '-c', 'core.safecrlf=false', 'add', '--all');
  await git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '--quiet', '--message=broken');
  const said = await run(process.execPath, [ENTRY, '--root', home], { cwd: home }).catch((error) => error);
  const stages = JSON.parse(readFileSync(join(home, 'ai/state/stages.json'), 'utf8')).stages;
  if (!['green', 'failed', 'give_up'].includes(stages.web?.status))
    throw new Error(String(said.message ?? said.stdout));
  const commits = await git('log', '--format=%s', `main..${AI}`);
  if (commits.trim() === '') return stages.web.status === 'green' ? 'not measured: it did not fail' : 'left alone';
  const texts = await Promise.all(Object.keys(files).map(async (path) => [path, await git('show', `${AI}:${path}`)]));
  return judged(broken, stages.web.status === 'green', Object.fromEntries(texts));
}

function judged(broken, green, after) {
  if (broken.repair === null) return 'wrong: it was changed';
  if (!green) return 'wrong: it fails as before';
  const wanted = { ...broken.sound, ...broken.mended };
  const differs = Object.keys(wanted).find((path) => wanted[path] !== after[path]);
  return differs === undefined ? 'fixed' : `wrong: ${differs} is not what it was`;
}
