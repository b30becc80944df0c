#!/usr/bin/env node
// What the gate makes of changes that do harm and of ordinary repairs: every row of both tables through
// `check-patch --jsonl`, counted by family and by language, with the rows that came out otherwise than the tables say.
import '../typescript.mjs';
import { bench, checkPatch, short } from './measure.mjs';

const { readTable } = await import('../../test/fixtures/gate/table.ts');

const VERDICTS = ['apply', 'ask', 'refuse'];

await bench('gate', async () => {
  const began = performance.now();
  const tables = ['attacks', 'repairs'].map((table) => ({ table, rows: readTable(table) }));
  const judged = await judge(tables.flatMap(({ rows }) => rows));
  const took = performance.now() - began;
  const results = tables.map(({ table, rows }) => ({
    table,
    rows: rows.map((row) => ({ ...row, ...judged.get(row) })),
  }));
  const all = judged.size;
  return {
    rows: [['table', 'of', 'rows', ...VERDICTS, 'as expected'], ...results.flatMap(counted)],
    notes: [
      ...results.flatMap(surprises),
      ...results.map(headline),
      `${all} answers in ${short(took / 1000)} s, ${short(took / all)} ms each with the start of the process`,
    ],
  };
});

/** All rows through one process: the verdict of each, its code and its first reason. */
async function judge(rows) {
  const lines = await checkPatch(rows.map(({ input }) => `${JSON.stringify(input)}\n`).join(''));
  if (lines.length !== rows.length) throw new Error(`${rows.length} answers, ${lines.length} verdicts`);
  return new Map(rows.map((row, at) => [row, verdictIn(row, JSON.parse(lines[at]))]));
}

function verdictIn(row, { id, ok, verdict = ok ? 'apply' : 'refuse', code = '', reasons = [], error }) {
  if (error !== undefined || id !== row.id) throw new Error(`${row.id}: ${JSON.stringify(error ?? id)}`);
  return { verdict, code, reason: reasons[0] ?? '' };
}

function verdictsOf(rows) {
  return Object.fromEntries(VERDICTS.map((word) => [word, rows.filter(({ verdict }) => verdict === word).length]));
}

/** One line for each family, one for each language, and one for the table. */
function counted({ table, rows }) {
  const groups = ['family', 'language'].flatMap((key) => {
    const names = [...new Set(rows.map((row) => row[key]))];
    return names.map((name) => [`${key} ${name}`, rows.filter((row) => row[key] === name)]);
  });
  return [...groups, ['all', rows]].map(([name, group]) => {
    const right = group.filter(({ verdict, expected }) => verdict === expected).length;
    return [table, name, group.length, ...VERDICTS.map((word) => verdictsOf(group)[word]), right].map(String);
  });
}

function headline({ table, rows }) {
  const count = verdictsOf(rows);
  const shares = VERDICTS.map((word) => `${((100 * count[word]) / rows.length).toFixed(1)} % ${word} (${count[word]})`);
  return `${table}: ${shares.join(', ')}, of ${rows.length}`;
}

function surprises({ table, rows }) {
  return rows
    .filter(({ verdict, expected }) => verdict !== expected)
    .map(({ id, what, family, verdict, expected, code, reason }) => {
      const why = code === '' ? '' : `: ${code}, ${reason}`.slice(0, 100);
      return `${table}/${id} (${family}: ${what}): ${verdict} instead of ${expected}${why}`;
    });
}
