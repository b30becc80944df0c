// Fleets of any size, with any answers: a run ends, leaves no trial open, and says green only of what is.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { RunFailures } from '../../src/triage/incident.ts';
import { fc, runs } from '../sweep.ts';
import { failuresIn, journalIn, run } from './homelab.ts';
import { FILE, mendable, says } from './probe.ts';

const WORDS = ['one', 'two', 'three'];
const word = fc.constantFrom(...WORDS);

interface World {
  /** The word that each cell wants to be in the file. */
  wants: string[];
  /** Whether cells that want different words fail differently. */
  isTold: boolean;
  /** Whether the cells read what another stage makes from the file. */
  isRendered: boolean;
  answers: ({ first: string; second: string } | null)[];
  workers: number;
  on_failure: string;
  /** The words that cells of another stage want to be in the same file. */
  others: string[];
  /** A run without AI was there before, so that some cells are green already. */
  isSecond: boolean;
}

const anyWorld: fc.Arbitrary<World> = fc.record({
  wants: fc.array(word, { minLength: 1, maxLength: 5 }),
  isTold: fc.boolean(),
  isRendered: fc.boolean(),
  answers: fc.array(fc.option(fc.record({ first: word, second: word }), { freq: 6 }), { minLength: 1, maxLength: 5 }),
  workers: fc.integer({ min: 1, max: 4 }),
  on_failure: fc.constantFrom('halt', 'skip'),
  others: fc.array(word, { maxLength: 3 }),
  isSecond: fc.boolean(),
});

/** What is wrong after a run of the world; empty: nothing. */
async function wrongs({
  wants,
  others,
  isTold,
  isRendered,
  isSecond,
  answers,
  workers,
  on_failure,
}: World): Promise<string[]> {
  const file = isRendered ? 'out.txt' : FILE;
  const error = isTold ? 'error: no word $word' : 'error: a word is missing';
  const wanting = (wants: readonly string[]) => {
    const words = wants.map((want, i) => `h${i}) word=${want};;`).join(' ');
    const command = `case $MENDLOOP_MATRIX_HOST in ${words} esac; grep -q "^$word$" ${file} || { echo "${error}"; exit 1; }`;
    return { command, files: ['conf/'], matrix: { host: wants.map((_, i) => `h${i}`) }, on_failure };
  };
  const needs = isRendered ? { needs: ['r'] } : {};
  const stages = {
    ...(isRendered && { r: { command: `cp ${FILE} out.txt`, files: ['conf/'] } }),
    a: { ...wanting(wants), ...needs },
    ...(others.length > 0 && { b: { ...wanting(others), ...needs } }),
  };
  const { home, probe, tree } = mendable({
    ...{ stages, files: { '.gitignore': 'out.txt\n' } },
    loop: { workers },
  });
  probe.answers(...answers.map((one) => (one ? says(one.first, one.second) : { pass: 'no idea' })));
  if (isSecond) await run(home, { ai: false });
  const ran = await run(home);
  const lines = tree().split('\n');
  const cellsOf = (stage: string) => Object.entries(ran.stages.stages[stage]?.cells ?? {});
  const untrue = Object.entries({ a: wants, b: others }).flatMap(([stage, words]) =>
    cellsOf(stage).flatMap(([cell, { status }]) => {
      const want = words[Number(cell.slice(-1))] as string;
      return status === 'green' && !lines.includes(want) ? [`${stage}[${cell}]`] : [];
    }),
  );
  const { trial } = new RunFailures(journalIn(home, ran.run) as LoopEvent[]);
  const entries = failuresIn(home);
  const code = ran.result.error?.error_code ?? 'none';
  return [
    ...(ran.exit === 0 && ![...wants, ...others].every((want) => lines.includes(want)) ? ['green, and it is not'] : []),
    ...(['none', 'EXECUTION_HALTED', 'STEP_SKIPPED'].includes(code) ? [] : [`ended with ${code}`]),
    ...untrue.map((cell) => `${cell} is green with ${lines.join(' ')}`),
    ...(trial ? [`a trial of ${trial.fixes.length} fixes never ended`] : []),
    ...entries.filter(({ executor_tries }) => executor_tries > 3).map(() => 'more than 3 tries'),
    ...(!isTold && entries.filter(({ stage }) => stage === 'a').length > 1 ? ['one error is two entries'] : []),
  ];
}

test('property: whatever cells want and whatever is answered, a run ends, ends every trial, and calls green what is', async () => {
  await fc.assert(
    fc.asyncProperty(anyWorld, async (world) => assert.equal(await wrongs(world), [])),
    { ...runs(3, 120), endOnFailure: true },
  );
});

test.run();
