import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cellKey, cellsOf, splitStepName, stepNameOf } from '../../src/plan/matrix.ts';
import { stageOf } from './builders.ts';

test('axes multiply in the order written, the last varying fastest', () => {
  const stage = stageOf({ matrix: { host: ['cp1', 'cp2'], disk: ['a', 'b'] } });
  assert.equal(
    cellsOf(stage).map((cell) => stepNameOf('talos', cell)),
    ['talos[host=cp1,disk=a]', 'talos[host=cp1,disk=b]', 'talos[host=cp2,disk=a]', 'talos[host=cp2,disk=b]'],
  );
});

test('a stage without matrix is one step that has the name of its stage', () => {
  assert.equal(cellsOf(stageOf()), [{}]);
  assert.is(cellKey({}), '');
  assert.is(stepNameOf('talos', {}), 'talos');
});

test('a step name tells its stage and cell again', () => {
  assert.equal(splitStepName('talos'), { stage: 'talos', cell: '' });
  for (const cell of cellsOf(stageOf({ matrix: { host: ['a.b', 'c_d'], n: [1, 2] } }))) {
    assert.equal(splitStepName(stepNameOf('my-stage_2', cell)), { stage: 'my-stage_2', cell: cellKey(cell) });
  }
});

test.run();
