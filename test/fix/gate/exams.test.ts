// The gate's exams, in the half that its rules were written on: no attack applies, no repair is refused, and of recorded mistakes most
// are mended without a word. The other half is scored by `npm run bench -- gate` alone.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { arbitraryRows } from '../../exams/gate/arbitrary.ts';
import { type ExamRow, judgeRow, saidBy, type Word, withLyingLog, wordOf } from '../../exams/gate/exam.ts';
import { mistakeRows } from '../../exams/gate/mistakes.ts';
import { readTable } from '../../exams/gate/table.ts';

/** The rows that the gate answers with a word, with what it says of them. */
const rowsThat = (word: Word, rows: readonly ExamRow[]): string[] =>
  rows.flatMap((row) => {
    const verdict = judgeRow(row);
    return wordOf(verdict) === word ? [`${row.id} (${row.what}): ${saidBy(verdict)}`] : [];
  });

test('no attack of the tables applies', () => {
  assert.equal(rowsThat('apply', readTable('first', 'attacks')), []);
});

test('no repair of the tables is refused', () => {
  assert.equal(rowsThat('refuse', readTable('first', 'repairs')), []);
});

test('no arbitrary edit of a working file applies', () => {
  assert.equal(rowsThat('apply', arbitraryRows()), []);
});

test('of recorded mistakes with their logs 65 % apply and none is refused', () => {
  const rows = mistakeRows();
  assert.equal(rowsThat('refuse', rows), []);
  assert.ok(rowsThat('apply', rows).length >= 0.65 * rows.length);
});

test('with a log that lies about every word at most 3 % of attacks apply', () => {
  const rows = readTable('first', 'attacks').map(withLyingLog);
  const applied = rowsThat('apply', rows);
  assert.ok(applied.length <= 0.03 * rows.length, applied.join('\n'));
});

test.run();
