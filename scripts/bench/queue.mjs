#!/usr/bin/env node
// How the pool's queue grows: what it costs to put, claim and end a task when 500 and when 5,000 of them wait, against one folder
// that is read at each claim.
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import '../typescript.mjs';
import { bench, compare, scratch, short, sideBySide } from './measure.mjs';

const { openQueueFolder } = await import('../../src/io/queue-folder.ts');

const SIZES = [500, 5000];
const ROUNDS = 3;
const CLAIMERS = 4;
const entriesOf = (size) => Array.from({ length: size }, (_, i) => ({ name: `t-${i}`, text: `{"task":${i}}` }));
let serial = 0;

await bench('queue', async () => {
  const rows = [];
  const totals = { ours: [], peer: [] };
  for (const size of SIZES) {
    const took = await sideBySide({ ours: () => segmented(size), peer: () => flat(size) }, { rounds: ROUNDS });
    for (const name of ['ours', 'peer']) totals[name].push(took[name].claimMs);
    const perClaim = (ms) => (ms * 1000) / size;
    const note = `put ${short(perClaim(took.ours.putMs))} µs a task`;
    rows.push(compare(`queue of ${size}`, 'µs/claim', perClaim(took.ours.claimMs), perClaim(took.peer.claimMs), note));
  }
  const growth = ([few, many]) => `n^${(Math.log(many / few) / Math.log(SIZES[1] / SIZES[0])).toFixed(2)}`;
  rows.push(['queue growth', `ours ${growth(totals.ours)}`, `peer ${growth(totals.peer)}`, '', '(target ≤ 1.1)']);
  return { rows, notes: [`claim and end of all tasks by ${CLAIMERS} claimers in turn; median of ${ROUNDS} rounds`] };
});

function segmented(size) {
  const folder = join(scratch, `queue-${++serial}`);
  const owner = openQueueFolder(folder);
  const began = performance.now();
  owner.put('default', entriesOf(size));
  const putMs = performance.now() - began;
  const claimers = Array.from({ length: CLAIMERS }, (_, i) => ({ by: `w${i}`, queue: openQueueFolder(folder) }));
  for (const { by, queue } of claimers) queue.join(by);
  const claimMs = inTurn(size, (turn) => {
    const { by, queue } = claimers[turn % CLAIMERS];
    const claimed = queue.claim('default', by);
    if (claimed) queue.end(claimed.name, by, 'made');
    // As the controller does, so that what is over does not pile up.
    if (turn % 10 === 0) for (const entry of owner.ended()) owner.forget(entry);
    return claimed !== undefined;
  });
  // What stays there would be measured by the next round.
  rmSync(folder, { recursive: true });
  return { putMs, claimMs };
}

function flat(size) {
  const folder = join(scratch, `flat-${++serial}`);
  for (const part of ['queue', 'claimed']) mkdirSync(join(folder, part), { recursive: true });
  for (const { name, text } of entriesOf(size)) writeFileSync(join(folder, 'queue', name), text);
  const claimMs = inTurn(size, () => {
    const [name] = readdirSync(join(folder, 'queue')).sort();
    if (name !== undefined) renameSync(join(folder, 'queue', name), join(folder, 'claimed', name));
    return name !== undefined;
  });
  rmSync(folder, { recursive: true });
  return { claimMs };
}

function inTurn(size, claim) {
  const began = performance.now();
  let claimed = 0;
  for (let turn = 0; claimed < size; turn++) if (claim(turn)) claimed++;
  return performance.now() - began;
}
