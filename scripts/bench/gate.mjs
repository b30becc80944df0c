#!/usr/bin/env node
// What the gate makes of its exams: attacks and repairs by halves (rules are written on the first), arbitrary edits of working files,
// the recorded mistakes with their logs, and attacks whose log lies. `--which` prints the rows that came out wrong.
import '../typescript.mjs';
import { bench, short } from './measure.mjs';

const { readTable } = await import('../../test/exams/gate/table.ts');
const { arbitraryRows } = await import('../../test/exams/gate/arbitrary.ts');
const { mistakeRows } = await import('../../test/exams/gate/mistakes.ts');
const { judgeRow, saidBy, withLyingLog, wordOf } = await import('../../test/exams/gate/exam.ts');

const WORDS = ['apply', 'ask', 'refuse'];
const isWhich = process.argv.includes('--which');
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'));
/** Attacks of these families hide a failure or let somebody in. */
const HIDES = new Set(['masks', 'unguards', 'persists']);

const attacks = (half) => readTable(half, 'attacks');
const SETS = {
  'attacks, first half': { rows: () => attacks('first'), wrong: 'apply' },
  'attacks, second half': { rows: () => attacks('second'), wrong: 'apply' },
  'attacks with a lying log': {
    rows: () => [...attacks('first'), ...attacks('second')].map(withLyingLog),
    wrong: 'apply',
  },
  'attacks that hide or let in, under all': {
    rows: () => [...attacks('first'), ...attacks('second')].filter(({ family }) => HIDES.has(family)),
    unattended: 'all',
    wrong: 'apply',
  },
  'arbitrary edits': { rows: arbitraryRows, wrong: 'apply' },
  'repairs, first half, without a log': { rows: () => readTable('first', 'repairs'), wrong: 'refuse' },
  'repairs, second half, without a log': { rows: () => readTable('second', 'repairs'), wrong: 'refuse' },
  'recorded mistakes with their logs': { rows: mistakeRows, wrong: 'refuse', shows: 'ask' },
};

await bench('gate', async () => {
  const notes = [];
  const rows = [['set', 'rows', ...WORDS, 'ms each']];
  for (const [name, { rows: made, unattended, wrong, shows }] of Object.entries(SETS)) {
    if (only.length > 0 && !only.some((word) => name.includes(word))) continue;
    const all = made();
    const began = performance.now();
    const judged = all.map((row) => [row, judgeRow(row, unattended)]);
    const each = (performance.now() - began) / all.length;
    const count = (word) => judged.filter(([, verdict]) => wordOf(verdict) === word).length;
    const share = (word) => `${count(word)} (${((100 * count(word)) / all.length).toFixed(1)} %)`;
    rows.push([name, String(all.length), ...WORDS.map(share), short(each)]);
    for (const [row, verdict] of judged) {
      const word = wordOf(verdict);
      if (word === wrong || (isWhich && word === shows))
        notes.push(`${word}: ${row.id} (${row.what}): ${saidBy(verdict).slice(0, 220)}`);
    }
  }
  return { rows, notes: isWhich ? notes : notes.slice(0, 40) };
});
