#!/usr/bin/env node
// What of planted secrets is left after masking, and what of innocent texts is lost, by family. The tables are in
// test/exams/redaction; a leak is any eight characters in a row of a secret. `--rows` names them. And how long hostile
// texts of 64 KB take, in processor time.
import '../typescript.mjs';

const FOLDER = '../../test/exams/redaction';
const { INNOCENT, PLANTED } = await import(`${FOLDER}/tables.ts`);
const { blindfolds, carriedLeaks, unknownLeaks, WAYS } = await import(`${FOLDER}/measure.ts`);

const { hostileTexts } = await import(`${FOLDER}/hostile.ts`);
const { createRedactor } = await import('../../src/outbound/redact/redactor.ts');

const verbose = process.argv.includes('--rows');
const percent = (part, of) => `${((100 * part) / of).toFixed(1)} %`;
const row = (...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i === 0 ? 'padEnd' : 'padStart'](i === 0 ? 40 : 8)).join(' '));

for (const [topic, planted] of PLANTED) {
  console.log(`\nredact: planted secrets, ${topic}`);
  row('family', 'kinds', 'leaks');
  const plain = unknownLeaks(planted);
  for (const [family, { rows, leaks }] of Object.entries(plain.families)) {
    row(family, rows, leaks.length);
    if (verbose) for (const kind of leaks) console.log(`    ${kind}`);
  }
  row('all', plain.rows, plain.leaks, percent(plain.leaks, plain.rows));
  for (const way of WAYS.around.slice(1)) summary(`the text ${way}`, unknownLeaks(planted, way));
  for (const [way, figures] of Object.entries(carriedLeaks(planted))) summary(`carried, ${way}`, figures);
}

console.log('\nredact: innocent texts');
row('topic', 'texts', 'masked');
for (const [topic, texts] of INNOCENT) {
  const masked = blindfolds(texts);
  row(topic, texts.length, masked.length);
  if (verbose)
    for (const [before, after] of masked) console.log(`    ${JSON.stringify(before)}\n    ${JSON.stringify(after)}`);
}

const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Of one text, the least of some tries. */
function costOf(text, tries = 3) {
  const costs = Array.from({ length: tries }, () => {
    const began = processorMs();
    createRedactor({ secrets: [] }).redact(text);
    return processorMs() - began;
  });
  return Math.min(...costs);
}

const LIMIT_MS = 100;
const costs = [...hostileTexts(64 * 1024)].map(([name, text]) => ({ name, ms: costOf(text) }));
const above = costs.filter(({ ms }) => ms > LIMIT_MS).length;
console.log('\nredact: hostile texts of 64 KB, ms of processor');
row('', 'texts', 'above 100', 'worst');
row('all of a mask', costs.length, above, Math.max(...costs.map(({ ms }) => ms)).toFixed(1));
if (verbose) for (const { name, ms } of costs) row(`    ${name}`, ms.toFixed(1));

function summary(what, { families, rows, leaks }) {
  row(what, rows, leaks, percent(leaks, rows));
  if (verbose) for (const kind of Object.values(families).flatMap((one) => one.leaks)) console.log(`    ${kind}`);
}
