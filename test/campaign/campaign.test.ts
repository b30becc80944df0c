// A few cases of the fault campaign, always the same ones: `npm run campaign` has them all.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyRepository } from '../this-repository.ts';
import { damages } from './cases.ts';
import { momentsOf, unsyncedMoves } from './git-moments.ts';
import { type Case, restore } from './hit.ts';
import { broken, brokenAtOnce, exitLies, notAtRest } from './invariants.ts';
import { gitKill, kill, powerCut } from './kills.ts';
import { PLANTED, type Planted, plant } from './planted.ts';
import { lookAt } from './seen.ts';
import { openSlot, type Slot } from './slot.ts';

const base = mkdtempSync(join(realpathSync(tmpdir()), 'mendloop-campaign-'));
const slots = [0, 1].map((n) => openSlot(base, n));
process.on('exit', () => {
  for (const slot of slots) slot.killMarked();
  rmSync(base, { recursive: true, force: true });
});

const AI = 'refs/heads/ai/orchestrator-stage1';
const moved = (name: string, ref: string, how: string) => gitKill(name, { side: 'moved', words: ref, nth: 1 }, how);

const SAMPLE: Case[] = [
  kill('undone', 'event:fix.judged:1', 'whole'),
  kill('plain', 'fsync:7', 'whole'),
  moved('base moved', AI, 'whole'),
  moved('rolling back', AI, 'alone'),
  powerCut('base moved', 'written:run.ended:1'),
  ...PLANTED.flatMap(({ change, by }) => (change ? [by] : [])),
  ...damages().filter(({ id }) => id === 'damage/ai/state/stages.json/garbage'),
];

/** Each case in a slot of its own, as long as there are some; what broke, with the name of the case. */
async function brokenIn(queue: Case[]): Promise<string[]> {
  const wrong: string[] = [];
  const worker = async (slot: Slot) => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      for (const line of await one.run(slot)) wrong.push(`${one.id}: ${line}`);
      slot.killMarked();
    }
  };
  await Promise.all(slots.map(worker));
  return wrong;
}

test('nothing is lost, nothing is done twice and nothing is said that is not so, whatever breaks', async () => {
  const wrong = await brokenIn([...SAMPLE]);
  assert.equal(wrong, [], wrong.join('\n'));
});

for (const planted of PLANTED) {
  test(`a fault that is planted is found: ${planted.name}`, async () => {
    const copy = join(base, 'planted');
    if (!existsSync(copy)) copyRepository(copy);
    const takeOut = plant(copy, planted);
    const slot = openSlot(base, slots.length, copy);
    const wrong = await planted.by.run(slot);
    slot.killMarked();
    takeOut();
    assert.match(wrong.join('\n'), planted.says);
  });
}

test('a fault whose place has changed is not planted', () => {
  const twice = { ...(PLANTED[0] as Planted), change: { file: 'src/io/lines.ts', find: 'fd', put: '' } };
  assert.throws(() => plant(join(import.meta.dirname, '../..'), twice), /has \d+ times what is to be changed there/);
});

test('each invariant can break, and says so', async () => {
  const slot = slots[0] as Slot;
  await restore(slot, 'plain');
  const begun = lookAt(slot);
  const ran = await slot.start([]);
  const before = lookAt(slot);
  const { home, inHome } = slot;
  const state = join(home, 'ai/state');
  const tree = join(home, 'ai/worktree');
  const [run = ''] = readdirSync(join(state, 'runs'));
  const journal = join(state, 'runs', run, 'events.jsonl');
  const text = readFileSync(journal, 'utf8');
  const stages = readFileSync(join(state, 'stages.json'), 'utf8');
  const unreached = inHome(
    'commit-tree',
    inHome('hash-object', '-t', 'tree', '-w', '/dev/null'),
    '-p',
    'main',
    '-m',
    'x',
  );
  const mend = (word: string) => {
    writeFileSync(join(tree, 'conf/a.txt'), `${word}\n`);
    const loop = ['-c', 'user.name=mendloop', '-c', 'user.email=mendloop@localhost'];
    slot.git(tree, ...loop, 'commit', '-qam', `Mend a\n\nFingerprint: f\nPatch: p-${word}`);
  };
  const tampered: [string, () => void, RegExp][] = [
    ['nothing', () => {}, /^$/],
    ['a commit', () => before.commits.add(unreached), /^lost: 1 commits are neither on a branch nor in ai\/patches/],
    ['an event', () => writeFileSync(journal, text.split('\n').slice(1).join('\n')), /lost: event 1 of/],
    ['a file', () => rmSync(join(home, 'mine.txt')), /lost: mine\.txt/],
    [
      'the checkout',
      () => writeFileSync(join(home, 'check.sh'), ''),
      /lost: the owner's checkout is not as[\s\S]*lost: the owner's check\.sh is neither as it was/,
    ],
    [
      'the index',
      () => inHome('rm', '-q', '--cached', 'check.sh'),
      /lost: the owner's index has undefined for check\.sh/,
    ],
    ['HEAD', () => inHome('symbolic-ref', 'HEAD', 'refs/heads/other'), /lost: the owner had checked out ref: .*main/],
    [
      'the base',
      () => inHome('update-ref', 'refs/heads/main', unreached),
      /lost: main is at .*, which nobody accepted/,
    ],
    [
      'the trace',
      () => writeFileSync(join(slot.side, 'trace'), 'OVERLAP\nstart r a 1\nstart r a 1\n'),
      /twice: .*at once[\s\S]*twice: attempt start r a 1[\s\S]*attempt 1 of a ran in r, and no journal knows/,
    ],
    ['an end', () => writeFileSync(journal, `${text + text.split('\n').at(-2)}\n`), /twice: .* has 2 ends/],
    [
      'the tree',
      () => writeFileSync(join(tree, 'conf/a.txt'), 'bad\n'),
      /what no commit knows[\s\S]*a is green and its check does not hold/,
    ],
    ['a fix', () => mend('good-2'), /lie: commit \w+ of a fix is in no journal/],
    ['two fixes', () => ['x', 'y', 'x', 'y'].forEach(mend), /twice: main\.\..* has one change twice: -x\n\+y/],
    [
      'the branch',
      () => before.branch.set('conf/a.txt', 'else'),
      /conf\/a\.txt of the AI branch was what no trial kept/,
    ],
    ['a trial', () => inHome('update-ref', 'refs/mendloop/trial', 'main'), /lie: a trial is open/],
    ['a lock', () => writeFileSync(join(home, '.git/config.lock'), ''), /lost: git meets \.git\/config\.lock/],
    ['its HEAD', () => slot.git(tree, 'checkout', '-q', '--detach'), /lie: the worktree has checked out \w{40}/],
    ['the lock', () => writeFileSync(join(state, 'lock.json'), '{}'), /lie: the lock is held/],
    [
      'stages',
      () => writeFileSync(join(state, 'stages.json'), stages.replace('green', 'failed')),
      /lie: stages\.json says/,
    ],
    ['the ledger', () => before.failures.set('a/f', 2), /lost: the ledger knew a\/f 2 times/],
    ['a case', () => before.cases.push('one'), /lost: case one/],
  ];
  const kept = structuredClone(before);
  for (const [what, tamper, expected] of tampered) {
    execFileSync('cp', ['-a', slot.root, `${slot.root}.kept`]);
    tamper();
    const lines = [
      ...broken(slot, [before], ran),
      ...notAtRest(slot, [begun, before]),
      ...brokenAtOnce(slot, begun, false),
    ];
    assert.match(lines.join('\n'), expected, what);
    Object.assign(before, structuredClone(kept));
    rmSync(slot.root, { recursive: true });
    renameSync(`${slot.root}.kept`, slot.root);
  }
  assert.match(broken(slot, [before], { exit: 4, text: '' }).join('\n'), /a bug was shown/);
  assert.equal(exitLies(slot, 1), ['lie: exit 1, stages green, green, green']);
  mend('good-2');
  const accepted = lookAt(slot);
  inHome('update-ref', 'refs/heads/main', 'ai/orchestrator-stage1');
  const landing = brokenAtOnce(slot, accepted, true).join('\n');
  assert.match(landing, /^lost: main has landed, and the owner's next commit reverts conf\/a\.txt$/m);
  assert.match(landing, /^lie: main went from \w+ to \w+, and no journal said so before$/m);
  writeFileSync(join(home, 'conf/a.txt'), 'goo');
  assert.equal(brokenAtOnce(slot, accepted, true).join('\n'), landing);
  writeFileSync(join(home, 'conf/a.txt'), 'bad');
  assert.match(brokenAtOnce(slot, accepted, true).join('\n'), /conf\/a\.txt is neither as it was nor as it lands/);
});

test('of moments around calls of git only those are taken that differ', () => {
  const list = [
    ['before', '1', 'tree: log #', 'disk 1', 'a=1 b=1'],
    ['after', '1', 'tree: log #', 'disk 1', 'a=1 b=1'],
    ['event', 'fix.intended'],
    ['before', '2', 'tree: commit', 'disk 2', 'a=1 b=1'],
    ['after', '2', 'tree: commit', 'disk 3', 'a=2 b=1', 'durable'],
    ['event', 'fix.intended'],
    ['before', '3', 'tree: commit', 'disk 4', 'a=2 b=1'],
    ['after', '3', 'tree: commit', 'disk 5', 'a=3 b=1', ''],
  ];
  const text = list.map((line) => `${line.join('\t')}\n`).join('');
  // The last call is equal to the one before it but for the refs that it finds, and not for those that it leaves.
  assert.equal(
    momentsOf(text).map(({ side, words, nth }) => `${side} ${nth} ${words}`),
    ['before 1 tree: log #', 'before 1 tree: commit', 'after 1 tree: commit', 'before 2 tree: commit'],
  );
  assert.equal(unsyncedMoves(text.replaceAll('a=', 'refs/heads/a=')), [
    'tree: commit moves refs/heads/a and syncs nothing',
  ]);
});

test.run();
