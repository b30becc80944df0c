#!/usr/bin/env node
// What of planted secrets is left after masking, and what of innocent texts is lost, by family. The tables are in
// test/fixtures/redaction; a leak is any eight characters in a row of a secret. `--rows` names them.
import '../typescript.mjs';

const FOLDER = '../../test/fixtures/redaction';
const { PLANTED_FIRST } = await import(`${FOLDER}/planted-first.ts`);
const { PLANTED_SECOND } = await import(`${FOLDER}/planted-second.ts`);
const { PLANTED_THIRD } = await import(`${FOLDER}/planted-third.ts`);
const { PLANTED_FOURTH } = await import(`${FOLDER}/planted-fourth.ts`);
const { PLANTED_FIFTH } = await import(`${FOLDER}/planted-fifth.ts`);
const { PLANTED_SIXTH } = await import(`${FOLDER}/planted-sixth.ts`);
const { PLANTED_SEVENTH } = await import(`${FOLDER}/planted-seventh.ts`);
const { PLANTED_EIGHTH } = await import(`${FOLDER}/planted-eighth.ts`);
const { INNOCENT_THIRD } = await import(`${FOLDER}/innocent-third.ts`);
const { INNOCENT_SECOND } = await import(`${FOLDER}/innocent-second.ts`);
const { INNOCENT_FIRST } = await import(`${FOLDER}/innocent-first.ts`);
const { blindfolds, carriedLeaks, unknownLeaks, WAYS } = await import(`${FOLDER}/measure.ts`);

const TABLES = {
  first: [PLANTED_FIRST, INNOCENT_FIRST],
  second: [PLANTED_SECOND, INNOCENT_SECOND],
  third: [PLANTED_THIRD, {}],
  fourth: [PLANTED_FOURTH, {}],
  fifth: [PLANTED_FIFTH, {}],
  sixth: [PLANTED_SIXTH, {}],
  seventh: [PLANTED_SEVENTH, {}],
  eighth: [PLANTED_EIGHTH, INNOCENT_THIRD],
};
const verbose = process.argv.includes('--rows');
const percent = (part, of) => `${((100 * part) / of).toFixed(1)} %`;
const row = (...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i === 0 ? 'padEnd' : 'padStart'](i === 0 ? 40 : 8)).join(' '));

for (const [name, [planted, innocent]] of Object.entries(TABLES)) {
  console.log(`\nredact: planted secrets, ${name} table`);
  row('family', 'kinds', 'leaks');
  const plain = unknownLeaks(planted);
  for (const [family, { rows, leaks }] of Object.entries(plain.families)) {
    row(family, rows, leaks.length);
    if (verbose) for (const kind of leaks) console.log(`    ${kind}`);
  }
  row('all', plain.rows, plain.leaks, percent(plain.leaks, plain.rows));
  for (const way of WAYS.around.slice(1)) summary(`the text ${way}`, unknownLeaks(planted, way));
  for (const [way, figures] of Object.entries(carriedLeaks(planted))) summary(`carried, ${way}`, figures);
  console.log(`\nredact: innocent texts, ${name} table`);
  row('family', 'texts', 'masked');
  for (const [family, { rows, masked }] of Object.entries(blindfolds(innocent))) {
    row(family, rows, masked.length);
    if (verbose)
      for (const [before, after] of masked) console.log(`    ${JSON.stringify(before)}\n    ${JSON.stringify(after)}`);
  }
}

function summary(what, { families, rows, leaks }) {
  row(what, rows, leaks, percent(leaks, rows));
  if (verbose) for (const kind of Object.values(families).flatMap((one) => one.leaks)) console.log(`    ${kind}`);
}
