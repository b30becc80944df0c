// The fault campaign: every case in an order that the seed decides, several at a time. What has passed is remembered, so that
// a rerun of the same commit goes on (of another one with --keep); `--sample N` takes the first N of the order, `--only <text>`
// those whose names begin so, with or without their kind; `--kills N` draws as many random kills a scenario.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { clocks, crowds, damages, disks, limits, soak } from './cases.ts';
import { type Case, type Learned, learn } from './hit.ts';
import { gitKills, kills, powerCuts } from './kills.ts';
import { SCENARIOS } from './scenarios.ts';
import { openSlot, type Slot } from './slot.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    only: { type: 'string', multiple: true },
    seed: { type: 'string', default: '20261' },
    state: { type: 'string', default: 'node_modules/.cache/campaign.jsonl' },
    workers: { type: 'string', default: '3' },
    kills: { type: 'string', default: '20' },
    runs: { type: 'string', default: '300' },
    fresh: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});

type Line = { commit: string } | { scenario: string; learned: Learned } | { id: string; broken: string[] };

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
mkdirSync(dirname(values.state), { recursive: true });
const text = existsSync(values.state) ? readFileSync(values.state, 'utf8') : '';
// Without a line that a kill cut off.
const whole = text.slice(0, text.lastIndexOf('\n') + 1);
const kept = whole
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Line);
const [first] = kept;
// What passed with other code proves nothing of this.
const goesOn = !values.fresh && first && 'commit' in first && (first.commit === commit || values.keep);
const remembered = goesOn ? kept : [];
const note = (line: Line) => appendFileSync(values.state, `${JSON.stringify(line)}\n`);
writeFileSync(values.state, goesOn ? whole : '');
if (!goesOn) note({ commit });

const base = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mendloop-campaign-'));
const slots = Array.from({ length: Number(values.workers) }, (_, n) => openSlot(base, n));
process.on('exit', () => {
  for (const slot of slots) slot.killMarked();
  rmSync(base, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

/** A number from 0 to 1 that the seed decides for this text, whatever else is drawn. */
const drawn = (text: string): number =>
  createHash('sha256').update(`${values.seed} ${text}`).digest().readUInt32BE() / 2 ** 32;

/** Works through `queue` on all slots. */
const onSlots = <T>(queue: T[], work: (one: T, slot: Slot) => Promise<void>): Promise<unknown> =>
  Promise.all(
    slots.map(async (slot) => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        await work(one, slot);
        slot.killMarked();
      }
    }),
  );

const { only } = values;
/** Whether `text` is the beginning of a wanted name, or the other way round. */
const mayBeWanted = (text: string) => !only || only.some((one) => one.startsWith(text) || text.startsWith(one));
const isWanted = (id: string) =>
  !only || only.some((one) => id.startsWith(one) || id.slice(id.indexOf('/') + 1).startsWith(one));

const KILLS = {
  kill: (name: string, of: Learned) => kills(name, of, drawn, Number(values.kills)),
  git: gitKills,
  cut: powerCuts,
};

/** The kills of each scenario that is wanted. What a scenario does is learnt once; one that breaks by itself is a broken case. */
async function allKills(): Promise<Case[]> {
  const known = new Map(remembered.flatMap((line) => ('learned' in line ? [[line.scenario, line.learned]] : [])));
  const names = Object.keys(SCENARIOS).filter((name) =>
    [name, ...Object.keys(KILLS).map((kind) => `${kind}/${name}`)].some((text) => mayBeWanted(`${text}/`)),
  );
  const broken: Case[] = [];
  const missing = names.filter((name) => !known.has(name));
  if (missing.length > 0) console.log(`learns what ${missing.length} scenarios do`);
  await onSlots(missing, async (name, slot) => {
    try {
      const learned = await learn(slot, name);
      note({ scenario: name, learned });
      known.set(name, learned);
    } catch (error) {
      broken.push({ id: `learn/${name}`, run: async () => [String(error)] });
    }
  });
  const found = names.flatMap((name) => {
    const learned = known.get(name);
    return learned ? Object.values(KILLS).flatMap((casesOf) => casesOf(name, learned)) : [];
  });
  return [...found, ...broken];
}

const others = [...damages(), ...disks(), ...limits(), ...clocks(), ...crowds()];
const order = [...(await allKills()), ...others].sort((a, b) => drawn(a.id) - drawn(b.id));
const wanted = [...order, soak(Number(values.runs))]
  .filter(({ id }) => id.startsWith('learn/') || isWanted(id))
  .slice(0, values.sample === undefined ? undefined : Number(values.sample));
const passed = new Set(remembered.flatMap((line) => ('id' in line && line.broken.length === 0 ? [line.id] : [])));
const queue = wanted.filter(({ id }) => !passed.has(id));
console.log(`${wanted.length} cases, ${wanted.length - queue.length} passed before; seed ${values.seed}`);
if (values.list) {
  for (const { id } of queue) console.log(id);
  process.exit(0);
}

/** Kind → what became of its cases. */
const account = new Map<string, { cases: number; broken: number; seconds: number }>();
const began = performance.now();
let done = 0;
await onSlots(queue, async ({ id, run }, slot) => {
  const start = performance.now();
  const broken = await run(slot).catch((error) => [`the campaign itself failed: ${error.stack}`]);
  note({ id, broken });
  const [kind = ''] = id.split('/');
  const sum = account.get(kind) ?? { cases: 0, broken: 0, seconds: 0 };
  account.set(kind, sum);
  sum.cases++;
  sum.broken += broken.length > 0 ? 1 : 0;
  sum.seconds += (performance.now() - start) / 1000;
  if (broken.length > 0) console.log(`FAIL  ${id}\n${broken.map((line) => `      ${line}`).join('\n')}`);
  if (++done % 50 === 0) {
    const minutes = (((performance.now() - began) / 60_000) * queue.length) / done;
    console.log(`      ${done} cases done, ${queue.length} to go, about ${Math.ceil(minutes)} minutes`);
  }
});
console.log('kind     cases  broken  s a case');
for (const [kind, { cases, broken, seconds }] of [...account].sort()) {
  const row = [
    kind.padEnd(7),
    String(cases).padStart(6),
    String(broken).padStart(6),
    (seconds / cases).toFixed(1).padStart(8),
  ];
  console.log(row.join('  '));
}
const failed = [...account.values()].reduce((sum, { broken }) => sum + broken, 0);
console.log(`${done - failed} passed, ${failed} failed, ${Math.round((performance.now() - began) / 1000)} s`);
process.exitCode = failed > 0 ? 1 : 0;
