// The stages that have to be read are what they say they are, without the loop: broken they fail, mended they succeed, and a
// file that merely keeps quiet mends nothing.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { READING_STAGES } from '../../scripts/bench/model/reading-stages.ts';
import { pathMatcher } from '../../src/config/paths.ts';
import type { BrokenStage } from '../known-fixes/broken-stages.ts';
import { type Ended, runAlone } from './alone.ts';

const AT_ONCE = 4;

interface Ran {
  readonly broken: Ended;
  readonly mended: Ended;
  readonly hollow: Ended;
}

const culprit = ({ broken }: BrokenStage): string => Object.keys(broken)[0] as string;
/** The file with the fault, with nothing left in it that could fail. */
const hollow = (path: string): string => (path.endsWith('.sh') ? '#!/usr/bin/env bash\nexit 0\n' : '\n');

// They mostly wait for processes: a few at once, before the tests look at them one by one.
const ran = new Map<BrokenStage, Ran>();
const queue = [...READING_STAGES];
const work = async () => {
  for (let next = queue.shift(); next; next = queue.shift()) {
    const { sound, broken } = next;
    ran.set(next, {
      broken: await runAlone(next, { ...sound, ...broken }),
      mended: await runAlone(next, sound),
      hollow: await runAlone(next, { ...sound, [culprit(next)]: hollow(culprit(next)) }),
    });
  }
};
await Promise.all(Array.from({ length: AT_ONCE }, work));

for (const stage of READING_STAGES) {
  test(`${stage.fault}: fails when broken, succeeds when mended, and not by being silent`, () => {
    const { broken, mended, hollow } = ran.get(stage) as Ran;
    assert.is.not(broken.exit, 0, broken.output);
    assert.is(mended.exit, 0, mended.output);
    assert.is.not(hollow.exit, 0, hollow.output);
  });
}

test('each has its fault in one file that may be changed, and its checks in files that may not', () => {
  for (const { fault, broken, sound, files } of READING_STAGES) {
    const may = pathMatcher(files);
    assert.equal(Object.keys(broken).filter(may).length, 1, fault);
    assert.equal(Object.keys(broken).length, 1, fault);
    const judges = Object.keys(sound).filter((path) => /^(?:checks|tools)\//.test(path));
    assert.ok(judges.length > 0 && !judges.some(may), fault);
  }
});

test.run();
