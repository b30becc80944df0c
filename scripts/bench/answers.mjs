#!/usr/bin/env node
// What becomes of right fixes in careless words: every mistake of test/fixtures/mistakes in every style of
// test/fixtures/sloppy-answers.ts through `check-patch --jsonl`. A refused one is answered once more by doing what the refusal
// says. A change at another place than the right one fails the benchmark. Words after the name choose styles; --show prints.
import '../typescript.mjs';
import { bench, checkPatch } from './measure.mjs';

const { MISTAKES, isMended } = await import('../../test/fixtures/mistakes.ts');
const {
  LATER_STYLES,
  STYLES: FIRST_STYLES,
  factsOfFix,
  nextAnswer,
} = await import('../../test/fixtures/sloppy-answers.ts');
const STYLES = { ...FIRST_STYLES, ...LATER_STYLES };

const words = process.argv.slice(2).filter((word) => word !== '--show');
const show = process.argv.includes('--show');

await bench('answers', async () => {
  const styles = Object.keys(STYLES).filter(
    (style) => words.length === 0 || words.some((word) => style.includes(word)),
  );
  const asked = styles.flatMap((style) =>
    MISTAKES.flatMap((mistake) => {
      const facts = factsOfFix(mistake);
      const answer = STYLES[style](facts);
      return answer === undefined ? [] : [{ style, mistake, facts, answer }];
    }),
  );
  const first = await outcomes(asked);
  const again = first
    .filter(({ outcome }) => outcome === 'refused')
    .map((row) => ({ ...row, answer: nextAnswer(row.reasons.join('\n'), row.facts) }));
  const told = again.filter(({ answer }) => answer !== undefined);
  const second = new Map((await outcomes(told)).map((row) => [`${row.style}/${row.mistake.name}`, row.outcome]));
  const rows = first.map((row) => ({
    ...row,
    next: row.outcome === 'refused' ? (second.get(`${row.style}/${row.mistake.name}`) ?? 'not told') : '',
  }));
  const misplaced = rows.filter(({ outcome, next }) => outcome === 'misplaced' || next === 'misplaced');
  if (misplaced.length > 0) process.exitCode = 1;
  if (show) for (const row of rows.filter(({ outcome }) => outcome !== 'right')) print(row);
  const bad = rows.filter(({ next }) => next !== '' && next !== 'right');
  const names = (list) => list.map(({ style, mistake }) => `${style}/${mistake.name}`).join(', ');
  return {
    rows: [
      ['style', 'answers', 'right', 'refused', 'misplaced', 'then right'],
      ...styles.map((style) =>
        counted(
          style,
          rows.filter((row) => row.style === style),
        ),
      ),
      counted('all', rows),
    ],
    notes: [
      ...(misplaced.length > 0 ? [`misplaced: ${names(misplaced)}`] : []),
      ...(bad.length > 0 ? [`refused twice, or not told how: ${names(bad.slice(0, 20))}`] : []),
    ],
  };
});

function print({ style, mistake, answer, outcome, code, reasons, next, files }) {
  const result = outcome === 'misplaced' ? JSON.stringify(files) : `${code}\n${reasons.join('\n')}`;
  console.log(`=== ${style} / ${mistake.name}: ${outcome}, then ${next}\n${answer}\n--- ${result}\n`);
}

function counted(style, rows) {
  const count = (is) => rows.filter(is).length;
  const refused = count(({ outcome }) => outcome === 'refused');
  const share = (n, of) => (of === 0 ? '-' : `${n} (${((100 * n) / of).toFixed(0)} %)`);
  const right = share(
    count(({ outcome }) => outcome === 'right'),
    rows.length,
  );
  const misplaced = count(({ outcome }) => outcome === 'misplaced');
  const later = share(
    count(({ next }) => next === 'right'),
    refused,
  );
  return [style, String(rows.length), right, String(refused), String(misplaced), later];
}

/** Each row with what became of its answer: right, refused or misplaced. */
async function outcomes(rows) {
  const input = rows.map(({ mistake: { files, stage }, answer }, id) =>
    JSON.stringify({ id, files, allow: stage.files, answer }),
  );
  const lines = rows.length === 0 ? [] : await checkPatch(`${input.join('\n')}\n`);
  if (lines.length !== rows.length) throw new Error(`${rows.length} answers, ${lines.length} verdicts`);
  return rows.map((row, at) => {
    const { files, code, reasons = [], error } = JSON.parse(lines[at]);
    if (error !== undefined) throw new Error(`${row.style}/${row.mistake.name}: ${JSON.stringify(error)}`);
    const outcome = files === undefined ? 'refused' : isMended(row.mistake, files) ? 'right' : 'misplaced';
    return { ...row, outcome, files, code, reasons };
  });
}
