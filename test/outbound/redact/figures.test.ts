// The figures that redaction is held to, over the tables of planted secrets and innocent texts; `npm run bench --
// redact` prints them.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  besideSecrets,
  blindfolds,
  carriedLeaks,
  type Figures,
  unknownLeaks,
  WAYS,
  withWord,
} from '../../exams/redaction/measure.ts';
import { INNOCENT, PLANTED } from '../../exams/redaction/tables.ts';
import { cases } from '../../sweep.ts';

/** In the suite every fourth kind; of all of them at most 1.9 in 100 leak, and 2.2 where the text stands in JSON. */
const EVERY = cases(4, 1);
const TABLES = [...PLANTED.values()];
const MOST = 0.025;

/** Over all tables together. */
function assertFew(figures: readonly Figures[]): void {
  const [rows, leaks] = [figures.map((one) => one.rows), figures.map((one) => one.leaks)].map(sum) as [number, number];
  const kinds = figures.flatMap(({ families }) => Object.values(families).flatMap((family) => family.leaks));
  assert.ok(leaks <= rows * MOST, `${leaks} of ${rows}: ${kinds.join(', ')}`);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test('there are at least 120 kinds of secrets, and as many innocent texts', () => {
  const kinds = new Set(TABLES.flatMap((table) => Object.values(table).flatMap((rows) => Object.values(rows)))).size;
  const texts = [...INNOCENT.values()].flat().length;
  assert.ok(kinds >= 1100 && texts >= 240, `${kinds} and ${texts}`);
});

test('each kind of secret that is masked today stays masked: these alone leak', () => {
  const leaking = TABLES.flatMap((table) =>
    Object.values(unknownLeaks(table).families).flatMap((family) => family.leaks),
  );
  assert.equal(leaking.sort(), [
    'alarm panel',
    'bundler',
    'cloud-init log',
    'coturn',
    'couchdb',
    'external-secrets fake provider',
    'git clone token only',
    'jetkvm or wol',
    'navidrome plain',
    'navidrome subsonic',
    'pass show',
    'pgbouncer userlist',
    'proxmox user cfg',
    'rendered diff',
    'rsyncd secrets',
    'sed replaces',
    'signal api',
    'tasmota backlog',
    'terraform state',
    'vault password in a trace',
  ]);
});

for (const way of WAYS.around.filter((name) => name !== 'plain')) {
  test(`of secrets that nobody carries at most 2.5 in 100 leak, their text ${way}`, () => {
    assertFew(TABLES.map((table) => unknownLeaks(table, way, EVERY)));
  });
}

for (const word of ['P@ssw0rd123', 'gr8-Wall!t', 'Kx7vQ2mZ', 'lab-Admin-2024']) {
  test(`as few leak when ${word} is the word that people chose`, () => {
    assertFew(TABLES.map((table) => unknownLeaks(withWord(table, word), 'plain', EVERY)));
  });
}

test('of carried secrets at most 2.5 in 100 leak, in any encoding', () => {
  const figures = TABLES.map((table) => carriedLeaks(table, cases(10, 1)));
  for (const way of WAYS.encoded) assertFew(figures.map((one) => one[way] as Figures));
});

test('beside planted secrets the text stays, but in 85 of 1310 kinds', () => {
  const rows = TABLES.flatMap((table) => Object.values(table).flatMap((family) => Object.values(family)));
  const spoiled = rows.map(besideSecrets).filter(({ left, expected }) => left !== expected);
  assert.equal([spoiled.length, rows.length], [85, 1310], spoiled.map(({ left }) => left).join('\n'));
});

test('nothing of an innocent text is masked', () => {
  for (const [topic, texts] of INNOCENT) assert.equal(blindfolds(texts), [], topic);
});

test.run();
