// A few cases of the fault campaign, always the same ones: `npm run campaign` has them all.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { damages } from './cases.ts';
import { type Case, restore } from './hit.ts';
import { broken, exitLies, lookAt } from './invariants.ts';
import { kill } from './kills.ts';
import { openSlot } from './slot.ts';

const base = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-campaign-'));
const slots = [0, 1].map((n) => openSlot(base, n));
process.on('exit', () => {
  for (const slot of slots) slot.killMarked();
  rmSync(base, { recursive: true, force: true });
});

const SAMPLE: Case[] = [
  kill('reverting', 'event:fix.reverted:1', 'whole'),
  kill('plain', 'fsync:7', 'whole'),
  kill('an item comes back', 'before:fix.reverted:2', 'alone'),
  ...damages().filter(({ id }) => id === 'damage/ai/state/stages.json/garbage'),
];

test('nothing is lost, nothing is done twice and nothing is said that is not so, whatever breaks', async () => {
  const queue = [...SAMPLE];
  const wrong: string[] = [];
  const worker = async (slot: (typeof slots)[number]) => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      for (const line of await one.run(slot)) wrong.push(`${one.id}: ${line}`);
    }
  };
  await Promise.all(slots.map(worker));
  assert.equal(wrong, [], wrong.join('\n'));
});

test('each invariant can break, and says so', async () => {
  const slot = slots[0] as (typeof slots)[number];
  await restore(slot, 'plain');
  const ran = await slot.start([]);
  const before = lookAt(slot);
  const state = join(slot.home, 'ai/state');
  const [run = ''] = readdirSync(join(state, 'runs'));
  const journal = join(state, 'runs', run, 'events.jsonl');
  const text = readFileSync(journal, 'utf8');
  const stages = readFileSync(join(state, 'stages.json'), 'utf8');
  const ledger = { ...before, journals: new Map(), failures: new Map([['a/f', 2]]), cases: ['one'] };
  const tampered: [string, () => void, RegExp][] = [
    ['nothing', () => {}, /^$/],
    ['a commit', () => before.commits.add('0'.repeat(40)), /^lost: 1 commits are on no branch/],
    ['an event', () => writeFileSync(journal, text.split('\n').slice(1).join('\n')), /lost: event 1 of/],
    ['a file', () => rmSync(join(slot.home, 'mine.txt')), /lost: mine\.txt/],
    ['the checkout', () => writeFileSync(join(slot.home, 'check.sh'), ''), /lost: the owner's checkout is not as/],
    [
      'the trace',
      () => writeFileSync(join(slot.side, 'trace'), 'OVERLAP\nstart r a 1\nstart r a 1\n'),
      /twice: .*at once[\s\S]*twice: attempt start r a 1/,
    ],
    ['an end', () => writeFileSync(journal, `${text + text.split('\n').at(-2)}\n`), /twice: .* has 2 ends/],
    [
      'the tree',
      () => writeFileSync(join(slot.home, 'ai/worktree/conf/a.txt'), 'bad\n'),
      /what no commit knows[\s\S]*a is green and its check does not hold/,
    ],
    ['the lock', () => writeFileSync(join(state, 'lock.json'), '{}'), /lie: the lock is held/],
    [
      'stages',
      () => writeFileSync(join(state, 'stages.json'), stages.replace('green', 'failed')),
      /lie: stages\.json says/,
    ],
  ];
  for (const [what, tamper, expected] of tampered) {
    execFileSync('cp', ['-a', slot.root, `${slot.root}.kept`]);
    const seen = new Set(before.commits);
    tamper();
    assert.match(broken(slot, [before], ran).join('\n'), expected, what);
    before.commits.clear();
    for (const commit of seen) before.commits.add(commit);
    rmSync(slot.root, { recursive: true });
    renameSync(`${slot.root}.kept`, slot.root);
  }
  assert.match(
    broken(slot, [ledger], { exit: 4, text: '' }).join('\n'),
    /lost: the ledger knew a\/f 2 times[\s\S]*lost: case one[\s\S]*a bug was shown/,
  );
  assert.equal(exitLies(slot, 1), ['lie: exit 1, stages green, green, green']);
});

test.run();
