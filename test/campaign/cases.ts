// What may be wrong around the loop: damaged files, full disks, limits, clocks, crowds, many runs. A case has a name; what it returns
// is what broke, a line each. Kills are in kills.ts.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type Case, hit, restore, setRight } from './hit.ts';
import { broken, exitLies } from './invariants.ts';
import { ranTwice, scenarioOf } from './scenarios.ts';
import { lookAt } from './seen.ts';
import type { Ended, Slot } from './slot.ts';

type Damage = (path: string, slot: Slot) => void;

const instead =
  (make: (path: string) => void): Damage =>
  (path) => {
    rmSync(path, { recursive: true, force: true });
    make(path);
  };

/** Ten ways in which a file may be found. `older` is the folder as it was one run before. */
const DAMAGES: Record<string, Damage> = {
  empty: (path) => truncateSync(path, 0),
  truncated: (path) => truncateSync(path, Math.floor(statSync(path).size * 0.6)),
  garbage: (path) => writeFileSync(path, Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 7919) % 256))),
  nuls: (path) => writeFileSync(path, Buffer.alloc(statSync(path).size)),
  'other JSON': (path) => writeFileSync(path, '{"version": 99, "hello": [1, 2, {}]}\n'),
  missing: instead(() => {}),
  'a folder': instead((path) => mkdirSync(path)),
  'a dangling link': instead((path) => symlinkSync('/nowhere/at/all', path)),
  'read-only': (path) => chmodSync(path, 0o400),
  'an older copy': (path, { root, home }) => {
    const older = join(root, 'older', path.slice(home.length));
    rmSync(path, { recursive: true, force: true });
    if (existsSync(older)) cpSync(older, path);
  },
};

/** Two runs of which the second mended something; `older` is what was between them. */
async function makeWorn(slot: Slot): Promise<void> {
  await scenarioOf('base moved').make(slot);
  mkdirSync(join(slot.root, 'older'));
  cpSync(join(slot.home, 'ai/state'), join(slot.root, 'older/ai/state'), { recursive: true });
  const ran = await slot.start([]);
  if (ran.exit !== 0) throw new Error(`the worn repository could not be made: ${ran.text}`);
  slot.commit({ 'conf/c.txt': 'good\n' }, 'by the owner');
}

/** A queue that was worked through, one item stuck and once reset by hand, and safe mode on and off. */
async function makeWornQueue(slot: Slot): Promise<void> {
  await scenarioOf('queue').make(slot);
  for (const [args, exit] of [
    [['backlog', 'run'], 3],
    [['reset', 'item-04', '--force'], 0],
    [['safe-mode', 'on'], 0],
  ] as const) {
    mkdirSync(join(slot.root, 'older'), { recursive: true });
    cpSync(join(slot.home, 'ai/state'), join(slot.root, 'older/ai/state'), { recursive: true });
    const ran = await slot.start(args);
    if (ran.exit !== exit) throw new Error(`the worn queue could not be made: ${args.join(' ')}: ${ran.text}`);
  }
}

interface Worn {
  readonly template: string;
  make(slot: Slot): Promise<void>;
  /** Paths of the loop's own files, without the names that differ from time to time: #0 is the oldest. */
  readonly files: readonly string[];
  /** What is started once a file is damaged. */
  readonly starts: readonly (readonly string[])[];
  /** What stands wrong at the end. */
  wrong(slot: Slot): string[];
}

const STATE = ['stages.json', 'ledger.json', 'ledger.jsonl'].map((name) => `ai/state/${name}`);

const WORN: readonly Worn[] = [
  {
    template: 'worn',
    make: makeWorn,
    files: [
      ...STATE,
      'ai/state/.gitignore',
      ...[0, 1].flatMap((n) => [`ai/state/runs/#${n}/events.jsonl`, `ai/state/runs/#${n}/run.json`]),
      ...['ai/patches/#0', 'ai/patches/#1', 'ai/state', 'ai/state/runs', 'ai/logs', 'ai/patches'],
    ],
    starts: [[]],
    wrong: ranTwice,
  },
  {
    template: 'worn queue',
    make: makeWornQueue,
    files: [
      ...STATE,
      ...[0, 2, 4].map((n) => `ai/state/runs/#${n}/events.jsonl`),
      ...['ai/state/actions/#0', 'ai/state/actions', 'ai/state/safe-mode.json', 'ai/state/lab.txt'],
      ...['ai/escalations/#0/summary.json', 'ai/escalations/#0/case_v1.md', 'ai/escalations'],
    ],
    starts: [['backlog'], ['backlog', 'run'], []],
    // Done is what git says: whatever is forgotten, no item is done or ticked twice.
    wrong: (slot) => scenarioOf('queue').wrong(slot),
  },
];

function pathOf(slot: Slot, file: string): string {
  const [head = '', rest] = file.split(/#\d/);
  const n = Number(/#(\d)/.exec(file)?.[1] ?? 0);
  if (rest === undefined) return join(slot.home, file);
  const names = readdirSync(join(slot.home, head))
    .filter((name) => name !== '.gitignore')
    .sort();
  return join(slot.home, head, names[n] ?? 'none', rest);
}

/** Each file of state in each way: nothing of git or the owner is lost, no stage is green that is not, no bug is shown. */
export const damages = (): Case[] => WORN.flatMap(damagesOf);

const damagesOf = ({ template, make, files, starts, wrong }: Worn): Case[] =>
  files.flatMap((file) =>
    Object.entries(DAMAGES).map(
      ([way, damage]): Case => ({
        id: `damage/${template === 'worn' ? '' : `${template}/`}${file}/${way}`,
        run: async (slot) => {
          await slot.restore(template, () => make(slot));
          const path = pathOf(slot, file);
          if (!existsSync(path)) return [`there is no ${file}: the campaign is out of date`];
          const isFolder = lstatSync(path).isDirectory();
          // What can be read there is its owner's word, and stays.
          if (file.endsWith('.gitignore') && way === 'other JSON') return [];
          if (isFolder && /^(?:empty|truncated|garbage|nuls|other JSON|an older copy)$/.test(way)) return [];
          const known = lookAt(slot);
          damage(path, slot);
          // What a damaged file held may be lost; what git and other files hold may not.
          const cases = file.startsWith('ai/escalations') ? [] : known.cases;
          const seen = { ...known, cases, journals: new Map(), failures: new Map() };
          const status = await slot.start(['status']);
          const all: Ended[] = [];
          for (const args of starts) all.push(await slot.start(args));
          const ran = all.at(-1) as Ended;
          const lines = [...bugs(status), ...all.flatMap(bugs), ...refusedClearly(ran)];
          lines.push(...wrong(slot));
          if (ran.exit === 0 || waitsForPerson(ran))
            return [...lines, ...kept(file, broken(slot, [seen], ran)), ...exitLies(slot, ran.exit)];
          // Refused: with the file away, as the error says, the next start goes on.
          chmodSync(dirname(path), 0o700);
          rmSync(path, { recursive: true, force: true });
          const again = await slot.start([]);
          if (again.exit !== 0 && !waitsForPerson(again))
            lines.push(`lie: refused (${ran.exit}), and then ${again.exit}: ${again.text.slice(-400)}`);
          return [...lines, ...wrong(slot), ...kept(file, broken(slot, [seen], again))];
        },
      }),
    ),
  );

const bugs = ({ exit, text }: Ended): string[] =>
  exit === 4 || exit === null || /^\s+at .*\.(?:m?js|ts):\d+/m.test(text)
    ? [`lie: a bug: exit ${exit}: ${text.slice(-500)}`]
    : [];

/** Where nothing tells any more that a stage ran once, its owner decides. */
const waitsForPerson = ({ exit, text }: Ended): boolean => exit === 3 && text.includes('(rerun: false)');

const refusedClearly = ({ exit, text }: Ended): string[] =>
  exit === 0 || waitsForPerson({ exit, text }) || /^error E_[A-Z_]+: .*\n(?:.*\n)*? {2}next: /m.test(text)
    ? []
    : [`lie: exit ${exit} without a word: ${text.slice(-300)}`];

const JOURNALS = /\.jsonl$|^ai\/state\/(?:runs|actions)$|^ai\/state\/actions\//;

/** Of journals that were damaged, what is left in them proves nothing. */
const kept = (file: string, lines: string[]): string[] =>
  lines.filter((line) => {
    if (/^(?:lie: commit|twice: the numbers|twice: \S+ has \d+ ends)/.test(line)) return false;
    return !(JOURNALS.test(file) && line.startsWith('lie: stages.json says'));
  });

/** A disk that is full after so many more kilobytes or inodes, then has room again. Only root may mount one. */
export const disks = (): Case[] =>
  (process.getuid?.() === 0 ? ['plain', 'mending', 'undone', 'base moved', 'promoting'] : []).flatMap((name) =>
    [0, 4, 12, 28, 60, 100, 180, 300, 500].flatMap((room) =>
      (['blocks', 'inodes'] as const).map(
        (kind): Case => ({
          id: `disk/${name}/${kind}:${room}`,
          run: async (slot) => {
            await restore(slot, name);
            const aside = `${slot.root}.aside`;
            rmSync(aside, { recursive: true, force: true });
            execFileSync('mv', [slot.root, aside]);
            mkdirSync(slot.root);
            execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=200m,mode=755', 'tmpfs', slot.root]);
            try {
              execFileSync('cp', ['-a', `${aside}/.`, slot.root]);
              const [blocks, inodes] = used(slot.root);
              const before = lookAt(slot);
              const limit = kind === 'blocks' ? `size=${blocks + room}k` : `nr_inodes=${inodes + Math.ceil(room / 4)}`;
              execFileSync('mount', ['-o', `remount,${limit}`, slot.root]);
              const ended = await slot.start(scenarioOf(name).victim(slot));
              execFileSync('mount', ['-o', 'remount,size=200m,nr_inodes=100000', slot.root]);
              const lines = bugs(ended);
              return [...lines, ...(await setRight(slot, name, [before, lookAt(slot)], ended))];
            } finally {
              slot.killMarked();
              execFileSync('umount', ['--lazy', slot.root]);
              rmSync(aside, { recursive: true, force: true });
            }
          },
        }),
      ),
    ),
  );

function used(path: string): [kilobytes: number, inodes: number] {
  const number = (...args: string[]) =>
    Number(execFileSync('df', [...args, path], { encoding: 'utf8' }).split('\n')[1]);
  return [number('--output=used', '-k'), number('--output=iused')];
}

/** Files that may not grow and descriptors that run out. */
export const limits = (): Case[] =>
  ['plain', 'mending', 'promoting'].flatMap((name) =>
    [
      ...[1000, 3000, 10_000, 40_000].map((bytes) => `--fsize=${bytes}`),
      ...[12, 18, 22, 26, 32, 48].map((files) => `--nofile=${files}`),
    ].map(
      (limit): Case => ({ id: `limit/${name}/${limit}`, run: hit(name, { under: ['prlimit', limit], mayEnd: true }) }),
    ),
  );

const HOUR = 3_600_000;

const CLOCKS = [-400 * 24 * HOUR, -30 * HOUR, -HOUR, HOUR, 7 * HOUR, 400 * 24 * HOUR];

/** A clock that stands wrong or jumps while the loop works, or was set while it was dead. */
export const clocks = (): Case[] => [
  ...['plain', 'waiting', 'mending', 'base moved', 'undone'].flatMap((name) =>
    CLOCKS.flatMap((ms) => [`${ms}`, `${ms}@4`, `${ms}@9`]).map(
      (clock): Case => ({
        id: `clock/${name}/${clock}`,
        run: hit(name, { env: { FAULT_CLOCK: clock }, mayEnd: true }),
      }),
    ),
  ),
  ...Object.entries({ waiting: 'step.retry:1', mending: 'fix.committed:2', 'base moved': 'tree.opened:1' }).flatMap(
    ([name, event]) =>
      CLOCKS.map((ms): Case => {
        const then = { env: { FAULT_CLOCK: `${ms}` } };
        return { id: `clock/${name}/killed:${ms}`, run: hit(name, { env: { FAULT_AT: `event:${event}` }, then }) };
      }),
  ),
];

/** Twenty starts at once: one works, the others say that it does. */
export const crowds = (): Case[] =>
  ['plain', 'mending', 'base moved'].map(
    (name): Case => ({
      id: `crowd/${name}`,
      run: async (slot) => {
        await restore(slot, name);
        const before = lookAt(slot);
        const all = await Promise.all(Array.from({ length: 20 }, () => slot.start([])));
        const odd = all.filter(({ exit }) => exit !== 0 && exit !== 75);
        const lines = odd.map(({ exit, text }) => `lie: one of twenty ended ${exit}: ${text.slice(-300)}`);
        if (!all.some(({ exit }) => exit === 0)) lines.push('lie: none of twenty did the work');
        return [...lines, ...(await setRight(slot, name, [before], all[0] as Ended))];
      },
    }),
  );

/** Runs as cron would start them, with an owner who commits and a stage that breaks and is mended; growth is printed. */
export const soak = (runs: number): Case => ({
  id: `soak/${runs}`,
  run: async (slot) => {
    await restore(slot, 'mending');
    const before = lookAt(slot);
    const stats = join(slot.root, 'stats.json');
    const figures: { run: number; cpuMs: number; rssKb: number; diskKb: number; ms: number }[] = [];
    const lines: string[] = [];
    for (let n = 1; n <= runs; n++) {
      if (n % 40 === 0) slot.commit({ 'other.txt': `${n}\n` }, `by the owner ${n}`);
      const began = performance.now();
      const ended = await slot.start([], { env: { FAULT_STATS: stats } });
      const ms = Math.round(performance.now() - began);
      if (ended.exit !== 0) lines.push(`lie: run ${n} ended ${ended.exit}: ${ended.text.slice(-300)}`);
      const { cpuMs, rssKb } = JSON.parse(readFileSync(stats, 'utf8'));
      const diskKb = Number(execFileSync('du', ['-sk', join(slot.home, 'ai')], { encoding: 'utf8' }).split('\t')[0]);
      figures.push({ run: n, cpuMs, rssKb, diskKb, ms });
    }
    const around = (n: number) => figures.filter(({ run }) => Math.abs(run - n) <= 2);
    const middle = (n: number, key: 'cpuMs' | 'rssKb' | 'diskKb' | 'ms') =>
      around(n)
        .map((figure) => figure[key])
        .sort((a, b) => a - b)[Math.floor(around(n).length / 2)] ?? 0;
    for (const n of [5, 50, 100, 150, 200, 250, runs - 2].filter((at) => at <= runs)) {
      const [cpu, rss, disk, ms] = (['cpuMs', 'rssKb', 'diskKb', 'ms'] as const).map((key) => middle(n, key));
      console.log(`      run ${n}: ${cpu} ms of processor, ${ms} ms, ${rss} KB of memory, ${disk} KB of disk`);
    }
    const ratio = middle(runs - 2, 'cpuMs') / Math.max(1, middle(5, 'cpuMs'));
    console.log(`      the last runs took ${ratio.toFixed(2)} times the processor time of run 5`);
    if (runs >= 300 && ratio > 1.3) lines.push(`lie: run ${runs} took ${ratio.toFixed(2)} times run 5`);
    return [...lines, ...(await setRight(slot, 'mending', [before], { exit: 0, text: '' }))];
  },
});
