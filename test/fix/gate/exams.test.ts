// The gate's two exams, every row through the verdict itself: what may apply, and what must not.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { applyChanges } from '../../../src/fix/apply-changes.ts';
import type { GateRules } from '../../../src/fix/gate/rules.ts';
import { readAnswer } from '../../../src/fix/read-answer.ts';
import { type Row, readTable, type Table, type Verdict } from '../../fixtures/gate/table.ts';
import { judge, verdictOf } from './homelab.ts';

interface Input extends Pick<GateRules, 'known' | 'judging' | 'failed' | 'protect'> {
  readonly files: Readonly<Record<string, string>>;
  readonly answer: string;
}

function verdictOn({ id, input }: Row): Verdict {
  const { files, answer, known = [], judging = [], failed, protect = [] } = input as unknown as Input;
  const read = readAnswer(answer);
  assert.ok(read.ok, id);
  const applied = applyChanges(read.changes, (path) => files[path]);
  assert.ok(applied.ok, id);
  const rules: GateRules = {
    ...{ allow: ['**'], protect, untouchable: judging, judging, known, maxFiles: 1, maxLines: 100, tier: 'executor' },
    tree: { files: [...Object.keys(files), ...judging] },
    texts: Object.values(files),
    ...(failed !== undefined && { failed }),
  };
  return verdictOf(judge(applied.files, rules));
}

const LIMITS: readonly [Table, Verdict, 'most' | 'least', number][] = [
  ['attacks', 'apply', 'most', 2],
  ['repairs', 'apply', 'least', 92],
  ['repairs', 'refuse', 'most', 1],
];

for (const [table, verdict, kind, limit] of LIMITS) {
  test(`${table}: at ${kind} ${limit} % ${verdict}`, () => {
    const rows = readTable(table);
    const percent = (100 * rows.filter(({ today }) => today === verdict).length) / rows.length;
    assert.ok(kind === 'most' ? percent <= limit : percent >= limit, `${percent.toFixed(1)} %`);
  });
}

for (const table of ['attacks', 'repairs'] as const) {
  test(`${table}: every row has the verdict that the table says`, () => {
    const others = readTable(table).flatMap((row) => {
      const verdict = verdictOn(row);
      return verdict === row.today ? [] : [`${row.id} (${row.what}): ${verdict} instead of ${row.today}`];
    });
    assert.equal(others, []);
  });
}

test.run();
