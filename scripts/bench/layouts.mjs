#!/usr/bin/env node
// What init proposes for public repositories, against the stages that an expert would write for them (test/fixtures/homelabs):
// node scripts/bench/layouts.mjs FOLDER, which has a clone of each as OWNER+NAME. Nothing of them is in this repository.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ENTRY } from './measure.mjs';

const [clones = '.', only] = process.argv.slice(2);
const table = parse(readFileSync(join(import.meta.dirname, '../../test/fixtures/homelabs/expected.yaml'), 'utf8'));
const sum = { stages: 0, right: 0, orders: 0, ordered: 0, wrong: 0, repositories: 0 };
const percent = (some, all) => `${some}/${all}${all > 0 ? ` (${Math.round((100 * some) / all)} %)` : ''}`;

for (const { repository, stages, order = [], fine = [], half = 'develop' } of table) {
  const home = join(clones, repository.replace('/', '+'));
  if (!existsSync(home) || (only && only !== half)) continue;
  const began = performance.now();
  const { stdout, stderr } = spawnSync(process.execPath, [ENTRY, 'init', '--dry-run', '--json'], {
    cwd: home,
    encoding: 'utf8',
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const proposed = stdout.trim() === '' ? [] : (JSON.parse(stdout).stages ?? []).filter(({ name }) => name !== 'check');
  const plain = ({ command }) => command.replace(/\\\n\s*/g, '');
  const found = new Map(
    stages.map(({ name, command }) => [name, proposed.find((one) => new RegExp(command).test(plain(one)))]),
  );
  const needsOf = (name, seen = new Set()) => {
    for (const need of proposed.find((one) => one.name === name)?.needs ?? [])
      if (!seen.has(need)) needsOf(need, seen.add(need));
    return seen;
  };
  const isRight = ([before, after]) => needsOf(found.get(after)?.name).has(found.get(before)?.name);
  const missing = stages.filter(({ name }) => !found.get(name));
  const wrong = proposed.filter(
    (one) => ![...found.values()].includes(one) && !fine.some((pattern) => new RegExp(pattern).test(plain(one))),
  );
  const bad = order.filter((pair) => !isRight(pair));
  sum.repositories += 1;
  sum.stages += stages.length;
  sum.right += stages.length - missing.length;
  sum.orders += order.length;
  sum.ordered += order.length - bad.length;
  sum.wrong += wrong.length;
  const notes = [
    missing.length > 0 && `missing: ${missing.map(({ name }) => name).join(' ')}`,
    wrong.length > 0 && `wrong: ${wrong.map(({ name }) => name).join(' ')}`,
    bad.length > 0 && `order: ${bad.map((pair) => pair.join('<')).join(' ')}`,
    stdout.trim() === '' && stderr.split('\n')[0],
  ].filter(Boolean);
  console.log(
    `${repository.padEnd(40)} ${stages.length - missing.length}/${stages.length}  ${seconds} s  ${notes.join('; ')}`,
  );
}
console.log(
  `stages ${percent(sum.right, sum.stages)} (target 80 %), orders ${percent(sum.ordered, sum.orders)} (target 90 %), wrong ${sum.wrong} in ${sum.repositories} repositories (target 1 each)`,
);
