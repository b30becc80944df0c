// Every broken stage, without the loop: what has one certain repair is mended to what it was, all else is left alone.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { needs } from '../needs.ts';
import { BROKEN_STAGES, type BrokenStage } from './broken-stages.ts';
import { mend, type Outcome } from './direct.ts';

const AT_ONCE = 4;

// They mostly wait for processes: a few at once, before the tests look at them one by one.
const outcomes = new Map<BrokenStage, Outcome | Error>();
const queue = [...BROKEN_STAGES];
const work = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) {
    outcomes.set(next, await mend(next).catch((error: Error) => error));
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));

/** What its commands start that not every machine has. */
function toolsOf({ command, sound }: BrokenStage): string[] {
  const text = [command, ...Object.values(sound)].flat().join('\n');
  const tools = ['make', 'jq', 'python3'].filter((tool) => new RegExp(`\\b${tool}\\b`).test(text));
  return /import .*\byaml\b/.test(text) ? [...tools, 'python3-yaml'] : tools;
}

for (const broken of BROKEN_STAGES) {
  needs(...toolsOf(broken))(`${broken.fault}: ${broken.repair ?? 'left alone'}`, () => {
    const outcome = outcomes.get(broken) as Outcome | Error;
    if (outcome instanceof Error) throw outcome;
    const { first, proposal, second, after, again } = outcome;
    assert.is.not(first.exit, 0, 'it does not fail');
    if (broken.repair === null) return void assert.ok('pass' in proposal, JSON.stringify(proposal));
    assert.ok('files' in proposal, `${JSON.stringify(proposal)}\n${first.output}`);
    assert.is(second?.exit, 0, second?.output);
    assert.equal(after, { ...broken.sound, ...broken.mended });
    assert.ok('pass' in again || 'executable' in again, `mended once more: ${JSON.stringify(again)}`);
  });
}

test.run();
