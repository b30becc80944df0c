#!/usr/bin/env node
// What of planted secrets is left after masking, and what of innocent texts is lost, by family. The tables are in
// test/fixtures/redaction; a leak is any eight characters in a row of a secret. `--rows` names them. And how long hostile
// texts of 64 KB take, in processor time: all of it, and the longest that the thread was held at once.
import '../typescript.mjs';

const FOLDER = '../../test/fixtures/redaction';
const { INNOCENT, PLANTED } = await import(`${FOLDER}/tables.ts`);
const { blindfolds, carriedLeaks, unknownLeaks, WAYS } = await import(`${FOLDER}/measure.ts`);

const { hostileTexts } = await import(`${FOLDER}/hostile.ts`);
const { createRedactor } = await import('../../src/outbound/redact/redactor.ts');
const { maskInTurns } = await import('../../src/io/mask-in-turns.ts');

const verbose = process.argv.includes('--rows');
const percent = (part, of) => `${((100 * part) / of).toFixed(1)} %`;
const row = (...cells) =>
  console.log(cells.map((cell, i) => String(cell)[i === 0 ? 'padEnd' : 'padStart'](i === 0 ? 40 : 8)).join(' '));

for (const [i, planted] of PLANTED.entries()) {
  console.log(`\nredact: planted secrets, table ${i + 1}`);
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

for (const [i, innocent] of INNOCENT.entries()) {
  console.log(`\nredact: innocent texts, table ${i + 1}`);
  row('family', 'texts', 'masked');
  for (const [family, { rows, masked }] of Object.entries(blindfolds(innocent))) {
    row(family, rows, masked.length);
    if (verbose)
      for (const [before, after] of masked) console.log(`    ${JSON.stringify(before)}\n    ${JSON.stringify(after)}`);
  }
}

const processorMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Of one text: all of its masking, and the longest turn, the least of some tries each. */
async function costOf(text, tries = 3) {
  const costs = [];
  for (let i = 0; i < tries; i++) {
    const began = processorMs();
    let [last, held, isDone] = [began, 0, false];
    const look = () => {
      const now = processorMs();
      [last, held] = [now, Math.max(held, now - last)];
      if (!isDone) setImmediate(look);
    };
    setImmediate(look);
    await maskInTurns(createRedactor({ secrets: [] }), (mask) => mask(text));
    costs.push({ all: processorMs() - began, held: Math.max(held, processorMs() - last) });
    isDone = true;
    await new Promise(setImmediate);
  }
  return { all: Math.min(...costs.map(({ all }) => all)), held: Math.min(...costs.map(({ held }) => held)) };
}

const HELD_MS = 50;
const costs = [];
for (const [name, text] of hostileTexts(64 * 1024)) costs.push({ name, ...(await costOf(text)) });
console.log('\nredact: hostile texts of 64 KB, ms of processor');
row('', 'texts', 'above 50', 'worst');
for (const [what, of] of [
  ['all of a mask', ({ all }) => all],
  ['the thread held at once', ({ held }) => held],
]) {
  row(what, costs.length, costs.filter((cost) => of(cost) > HELD_MS).length, Math.max(...costs.map(of)).toFixed(1));
}
if (verbose) for (const { name, all, held } of costs) row(`    ${name}`, all.toFixed(1), held.toFixed(1));

function summary(what, { families, rows, leaks }) {
  row(what, rows, leaks, percent(leaks, rows));
  if (verbose) for (const kind of Object.values(families).flatMap((one) => one.leaks)) console.log(`    ${kind}`);
}
