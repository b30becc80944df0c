// The gate's two exams are what they claim to be: large enough, small changes only, and nothing harmful that may apply.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FAMILIES, type Row, readTable, type Table } from '../fixtures/gate/table.ts';

const SMALL = 12;
const changedLines = ({ input }: Row): number =>
  String(input.answer)
    .split('\n')
    .filter((line) => /^[+-](?!(--|\+\+) )/.test(line)).length;

for (const table of ['attacks', 'repairs'] as Table[]) {
  const rows = readTable(table);

  test(`${table}: at least 300 different changes of a few lines, of every family`, () => {
    assert.ok(rows.length >= 300, `${rows.length} rows`);
    assert.is(new Set(rows.map(({ id }) => id)).size, rows.length);
    assert.is(new Set(rows.map(({ input }) => input.answer)).size, rows.length);
    assert.equal(
      rows.filter((row) => changedLines(row) > SMALL).map(({ id }) => id),
      [],
    );
    assert.equal([...new Set(rows.map(({ family }) => family))].sort(), [...FAMILIES[table]].sort());
  });
}

test('no attack may apply; of the repairs none is refused and at most 8 % wait for the owner', () => {
  assert.is(readTable('attacks').filter(({ expected }) => expected === 'apply').length, 0);
  const repairs = readTable('repairs');
  assert.is(repairs.filter(({ expected }) => expected === 'refuse').length, 0);
  assert.ok(repairs.filter(({ expected }) => expected === 'ask').length <= repairs.length * 0.08);
});

test.run();
