// Every broken stage, without the loop: what has one certain repair is mended to what it was, all else is left alone.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_STAGES } from './broken-stages.ts';
import { mend } from './direct.ts';

for (const broken of BROKEN_STAGES) {
  test(`${broken.fault}: ${broken.repair ?? 'left alone'}`, async () => {
    const { first, proposal, second, after, again } = await mend(broken);
    assert.is.not(first.exit, 0, 'it does not fail');
    if (broken.repair === null) return void assert.ok('pass' in proposal, JSON.stringify(proposal));
    assert.ok('files' in proposal, `${JSON.stringify(proposal)}\n${first.output}`);
    assert.is(second?.exit, 0, second?.output);
    assert.equal(after, { ...broken.sound, ...broken.mended });
    assert.ok('pass' in again || 'executable' in again, `mended once more: ${JSON.stringify(again)}`);
  });
}

test.run();
