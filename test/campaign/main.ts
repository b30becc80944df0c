// The fault campaign: every case in an order that the seed decides, several at a time. What has passed is remembered, so that
// a rerun of the same commit goes on (of another one with --keep); `--sample N` takes the first N of the order, `--only <text>`
// those whose names begin so.
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, clocks, crowds, damages, disks, kills, type Learned, learn, limits, soak } from './cases.ts';
import { SCENARIOS } from './scenarios.ts';
import { openSlot } from './slot.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    only: { type: 'string', multiple: true },
    seed: { type: 'string', default: '20261' },
    state: { type: 'string', default: 'node_modules/.cache/campaign.jsonl' },
    workers: { type: 'string', default: '3' },
    runs: { type: 'string', default: '300' },
    fresh: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

type Line = { commit: string; learned: Record<string, Learned> } | { id: string; broken: string[] };

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
mkdirSync(dirname(values.state), { recursive: true });
const lines = existsSync(values.state) ? readFileSync(values.state, 'utf8').split('\n').filter(Boolean) : [];
const kept = lines.map((line) => JSON.parse(line) as Line);
const [first] = kept;
// What passed with other code proves nothing of this.
const goesOn = !values.fresh && first && 'commit' in first && (first.commit === commit || values.keep);
const remembered = goesOn ? kept : [];
if (!goesOn) rmSync(values.state, { force: true });
const note = (line: Line) => appendFileSync(values.state, `${JSON.stringify(line)}\n`);

const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mendloop-campaign-'));
const slots = Array.from({ length: Number(values.workers) }, (_, n) => openSlot(base, n));
process.on('exit', () => {
  for (const slot of slots) slot.killMarked();
  rmSync(base, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** Numbers from 0 to 1 that `seed` decides (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function learned(): Promise<Record<string, Learned>> {
  const known = remembered.find((line) => 'learned' in line);
  if (known && 'learned' in known) return known.learned;
  const facts: Record<string, Learned> = {};
  for (const name of Object.keys(SCENARIOS)) facts[name] = await learn(slots[0] as (typeof slots)[0], name);
  note({ commit, learned: facts });
  return facts;
}

const next = random(Number(values.seed));
const facts = await learned();
const all: Case[] = [
  ...Object.entries(facts).flatMap(([name, of]) => kills(name, of, next, 20)),
  ...damages(),
  ...disks(),
  ...limits(),
  ...clocks(),
  ...crowds(),
];
const order = all.map((one) => ({ one, at: next() })).sort((a, b) => a.at - b.at);
const wanted = [...order.map(({ one }) => one), soak(Number(values.runs))]
  .filter(({ id }) => !values.only || values.only.some((text) => id.startsWith(text)))
  .slice(0, values.sample === undefined ? undefined : Number(values.sample));
const passed = new Set(remembered.flatMap((line) => ('id' in line && line.broken.length === 0 ? [line.id] : [])));
const queue = wanted.filter(({ id }) => !passed.has(id));
console.log(
  `${all.length + 1} cases, ${wanted.length} wanted, ${wanted.length - queue.length} passed before; seed ${values.seed}`,
);
if (values.list) {
  for (const { id } of queue) console.log(id);
  process.exit(0);
}

let failed = 0;
let done = 0;
await Promise.all(
  slots.map(async (slot) => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      const broken = await one.run(slot).catch((error) => [`the campaign itself failed: ${error.stack}`]);
      slot.killMarked();
      note({ id: one.id, broken });
      done++;
      if (broken.length > 0) failed++;
      if (broken.length > 0) console.log(`FAIL  ${one.id}\n${broken.map((line) => `      ${line}`).join('\n')}`);
      else if (done % 50 === 0) console.log(`ok    ${done} cases, ${failed} failed, ${queue.length} to go`);
    }
  }),
);
console.log(`${done - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
