// What the loop is doing when a fault comes: repositories whose stages fail as their files say, the command that is hit, the
// command that sets it right, and how it must end.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { probePlugin, says } from '../run/probe.ts';
import { AI, namesIn, read } from './seen.ts';
import type { Slot } from './slot.ts';

export interface Scenario {
  /** Makes what it begins with. */
  make(slot: Slot): Promise<void>;
  /** The command that is hit; asked when the slot is restored. */
  victim(slot: Slot): string[];
  /** The commands after it, each asked for when the one before has ended; the last one's exit counts. */
  finish(slot: Slot): Iterable<string[]>;
  exit: number;
  /** The command lands the AI branch on main. */
  lands?: true;
  /** What stands wrong at the end, a line each. */
  wrong(slot: Slot): string[];
}

/** Notes when it runs, alone of its kind; fails as the first word of its file says. */
const NOTES = `#!/usr/bin/env bash
set -eu
say() { echo "$1 $MENDLOOP_RUN $MENDLOOP_STEP $MENDLOOP_ATTEMPT" >> "$SIDE/trace"; }
exec 9>> "$SIDE/lock-$MENDLOOP_STEP"
flock -n 9 || { say OVERLAP; exit 1; }
say start
sleep 0.05
`;
const CHECK = `${NOTES}read -r word < "$1"
case "$word" in
  good) ;;
  net) if [ "$(grep -c "^start .* $MENDLOOP_STEP " "$SIDE/trace")" -lt 3 ]; then
      echo "curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused"; exit 7
    fi ;;
  *) echo "error: unexpected word $word in $1"; exit 1 ;;
esac
say end
`;

/** Does what it is given, between the same notes. */
const MAKE = `${NOTES}eval "$1"\nsay end\n`;
const makes = (text: string) => ({ command: ['bash', 'make.sh', text] });

const stage = (name: string, needs: string[] = [], more: object = {}) => ({
  command: ['bash', 'check.sh', `conf/${name}.txt`],
  files: ['conf/'],
  verify: [`grep -qE "^(good|net)" conf/${name}.txt`],
  needs,
  ...more,
});

interface Setup {
  words?: Record<string, string>;
  /** What differs from the usual stage, by name. */
  stages?: Record<string, object>;
  answers?: object;
  oncall?: object;
  loop?: object;
  files?: Record<string, string>;
}

/** A repository with stages a and b, an executor and an escalation that answer by the first word of the file. */
function setUp(slot: Slot, setup: Setup): void {
  const { words = { a: 'good', b: 'good' }, stages: own = {}, answers = {}, oncall, loop = {}, files = {} } = setup;
  mkdirSync(slot.side, { recursive: true });
  writeFileSync(join(slot.side, 'trace'), '');
  writeFileSync(join(slot.side, 'probe.json'), JSON.stringify([{ words: answers }]));
  writeFileSync(join(slot.side, 'oncall.json'), JSON.stringify([{ words: oncall ?? {} }]));
  const names = Object.keys(words);
  const more = (name: string) => ({ ...(name === 'once' && { rerun: false, files: ['once/'] }), ...own[name] });
  const before = (i: number) => names.slice(0, i).slice(-1);
  const stages = Object.fromEntries(names.map((name, i) => [name, stage(name, before(i), more(name))]));
  const plugins = { probe: { folder: slot.side }, ...(oncall && { oncall: { folder: slot.side } }) };
  const escalations = oncall ? ['oncall'] : [];
  const settings = {
    unattended: 'all',
    executors: ['probe'],
    escalations,
    plugins,
    wait: { backoff: ['300ms', '300ms', '300ms'] },
    ...loop,
  };
  slot.commit(
    {
      'ai/context_map.yaml': JSON.stringify({ stages }),
      'ai/loop.yaml': JSON.stringify(settings),
      'check.sh': CHECK,
      'make.sh': MAKE,
      'made/a.txt': 'none\n',
      'made/once.txt': 'none\n',
      '.gitignore': 'ignored/\n',
      'plugins/executors/probe.mjs': probePlugin(),
      ...(oncall && { 'plugins/escalations/oncall.mjs': probePlugin('oncall', 'escalate') }),
      ...Object.fromEntries(names.map((name) => [`conf/${name}.txt`, `${words[name]}\nsecond\n`])),
      ...files,
    },
    'first',
  );
  slot.write({ 'mine.txt': 'not committed\n', 'ignored/secret': 'of the owner\n' });
}

const begin = (setup: Setup) => async (slot: Slot) => setUp(slot, setup);

const begun =
  (setup: Setup, then: (slot: Slot) => void = () => {}, exit = 0) =>
  async (slot: Slot) => {
    setUp(slot, setup);
    const ran = await slot.start([]);
    if (ran.exit !== exit) throw new Error(`the scenario could not be made: exit ${ran.exit}\n${ran.text}`);
    then(slot);
  };

const run = () => [] as string[];
const runAgain = () => [[]] as string[][];
const inTree = (slot: Slot, path: string): string => read(join(slot.home, 'ai/worktree', path)) ?? '';
interface OwnCommit {
  subject: string;
  commit: string;
  /** The commit that it takes back. */
  reverts: string;
}

/** The commits of fixes on the AI branch that are not on main, oldest first. */
function ownCommits(slot: Slot): OwnCommit[] {
  const format = '--format=%s%x09%H%x09%(trailers:key=Reverts,valueonly,separator=)';
  const which = ['--reverse', '--no-merges', '--grep=^Fingerprint: '];
  const lines = slot.inHome('log', ...which, format, `main..${AI}`).split('\n');
  return lines.filter(Boolean).map((line) => {
    const [subject = '', commit = '', reverts = ''] = line.split('\t');
    return { subject, commit, reverts };
  });
}

/**
 * Of these, the fixes that nobody took back. Those of a trial that was cut off may have come again as one, with the one that was
 * not judged yet.
 */
function standing(slot: Slot): string[] {
  const all = ownCommits(slot);
  const gone = new Set(all.map(({ reverts }) => reverts));
  return all
    .filter(({ commit, reverts }) => reverts === '' && !gone.has(commit))
    .flatMap(({ subject }) => {
      const [mends = ''] = subject.split(': ');
      const all = subject.split('; then: ').map((what, i) => (i === 0 ? what : `${mends}: ${what}`));
      return [...new Set(all)];
    });
}

/** `conf/a.txt` in the worktree is so, and these fixes stand: a fault may have cost one that came again. */
const ends =
  (text: string, fixes: string[]) =>
  (slot: Slot): string[] => {
    const found = inTree(slot, 'conf/a.txt');
    const stand = standing(slot);
    return [
      ...(found === text ? [] : [`conf/a.txt is ${JSON.stringify(found)}, not ${JSON.stringify(text)}`]),
      ...(stand.join() === fixes.join() ? [] : [`fixes: ${stand.join(', ')}; not: ${fixes.join(', ')}`]),
    ];
  };

const MENDED: Setup = {
  words: { a: 'one', b: 'good' },
  answers: { one: [says('two')], two: [says('two', 'other'), says('good')] },
};
const MENDED_FIXES = ['Mend a: Say two', 'Mend a: Say good'];
const ONE_FIX: Setup = { words: { a: 'bad', b: 'good' }, answers: { bad: [says('good')] } };
const HOPELESS: Setup = {
  words: { a: 'bad', b: 'good' },
  answers: { bad: [says('bad', 'x1'), says('bad', 'x2'), says('bad', 'x3')] },
};

const NEW_FILE: Setup = {
  stages: {
    b: {
      ...makes('test -e conf/new.txt || { echo "error: there is no conf/new.txt"; exit 1; }'),
      verify: ['test -e conf/new.txt'],
    },
  },
  answers: { good: [says('made', 'second', 'conf/new.txt')], bad: [says('good')] },
};

/** The only fix there ever was, whether a branch still has it or not. */
const fixOn = (slot: Slot) => slot.inHome('log', '-1', '--format=%H', '--grep=^Attempt: ', '--all');
const landed = (slot: Slot) => slot.inHome('show', 'main:conf/a.txt').startsWith('good');
const accepted = (slot: Slot) => ['promote', '--accept', slot.inHome('rev-parse', AI)];

/** The fix is accepted; a landing that broke off is finished by what is asked next, or accepted anew. */
const promoting = (...more: string[]): Scenario => ({
  make: begun(ONE_FIX),
  victim: (slot) => [...accepted(slot), ...more],
  *finish(slot) {
    yield ['promote'];
    if (!landed(slot)) yield [...accepted(slot), ...more];
    yield ['promote'];
    // Looking closes nothing.
    yield [];
  },
  exit: 0,
  lands: true,
  wrong: (slot) => [
    ...(landed(slot) ? [] : ['the fix has not landed']),
    ...(readFileSync(join(slot.home, 'conf/a.txt'), 'utf8').startsWith('good')
      ? []
      : ["the owner's checkout has not followed"]),
    ...(slot.inHome('log', '--merges', '--format=%s', 'main').split('\n').filter(Boolean).length > 1
      ? ['twice: it is merged twice']
      : []),
  ],
});

/** Cells h1 and h2 have one failure, h3 none; two workers are left for them. */
const FLEET: Setup = {
  ...MENDED,
  stages: {
    a: {
      command: 'case "$MENDLOOP_MATRIX_HOST" in h3) bash check.sh conf/b.txt ;; *) bash check.sh conf/a.txt ;; esac',
      matrix: { host: ['h1', 'h2', 'h3'] },
    },
  },
  loop: { workers: 3 },
};

interface QueuedItem {
  word: string;
  steps?: readonly string[];
}

/** A queue of these items, each of which is done when the first word of its file is `good`. */
function queueOf(items: readonly QueuedItem[]): Record<string, string> {
  const names = items.map((_, i) => String(i + 1).padStart(2, '0'));
  const accept = (n: string) => `bash check.sh conf/item-${n}.txt`;
  const text = (n: string, { steps = ['it says good'] }: QueuedItem) =>
    `# Item ${n}\n\n## Scope\n- conf/item-${n}.txt\n\n## Steps\n${steps.map((step) => `- [ ] ${step}\n`).join('')}\n## Acceptance\n- \`${accept(n)}\`\n\n## Progress log\n`;
  return Object.fromEntries([
    ['ai/backlog/00-index.md', names.map((n) => `- [ ] [Item ${n}](${n}-item.md)\n`).join('')],
    ...items.flatMap((item, i) => {
      const n = names[i] as string;
      return [
        [`ai/backlog/${n}-item.md`, text(n, item)],
        [`conf/item-${n}.txt`, `${item.word}\nsecond\n`],
      ];
    }),
  ]);
}

const saysIn = (n: string, word: string, second?: string) => says(word, second, `conf/item-${n}.txt`);
const TWO_STEPS = { word: 'first', steps: ['one', 'two'] };

/** One item is true, one takes a change, one two of them, one is impossible. */
const QUEUE: Setup = {
  files: queueOf([{ word: 'good' }, { word: 'bad' }, TWO_STEPS, { word: 'never' }]),
  answers: {
    bad: [saysIn('02', 'good')],
    first: [saysIn('03', 'half')],
    half: [saysIn('03', 'half', 'other'), saysIn('03', 'good')],
    never: ['x1', 'x2', 'x3'].map((second) => saysIn('04', 'never', second)),
  },
};
const QUEUE_FIXES = ['Mend item-02: Say good', 'Mend item-03: Say half', 'Mend item-03: Say good'];

const ITEM_FIXES = ['Mend item-01: Say half', 'Mend item-01: Say good'];

/** Stage a reads what an item changes; it is as `more` says. */
const oneItem = (more: object): Setup => ({
  files: queueOf([TWO_STEPS]),
  stages: { a: { files: ['conf/a.txt', 'conf/item-01.txt'], ...more } },
  answers: { first: [saysIn('01', 'half')], half: [saysIn('01', 'good')], good: [{ pass: 'nothing to say' }] },
});

/** The item is done, and the run that sees what became of stage a is still to come. */
const withItemDone =
  (setup: Setup, then: (slot: Slot) => void = () => {}) =>
  async (slot: Slot) => {
    writeFileSync(join(slot.root, 'ok'), '');
    await begun(setup)(slot);
    const worked = await slot.start(['backlog', 'run']);
    if (worked.exit !== 0) throw new Error(`the item could not be done: exit ${worked.exit}\n${worked.text}`);
    then(slot);
  };

/** Which items are ticked, each by one commit and with the command that accepted it, and which fixes stand. */
const queueEnds =
  (ticked: readonly string[], fixes: readonly string[]) =>
  (slot: Slot): string[] => {
    const index = inTree(slot, 'ai/backlog/00-index.md');
    const done = [...index.matchAll(/\[x\] \[Item (\d+)\]/g)].map(([, n = '']) => n);
    const ticks = (n: string) =>
      slot.inHome(
        'log',
        '--no-merges',
        '--format=%H',
        '--invert-grep',
        '--grep=^Reverts: ',
        `-S[x] [Item ${n}]`,
        `main..${AI}`,
      );
    const logs = done.filter((n) => {
      const text = inTree(slot, `ai/backlog/${n}-item.md`);
      return text.match(/; accepted by `bash check\.sh/g)?.length !== 1 || /- \[ \]/.test(text);
    });
    const stand = standing(slot);
    return [
      ...(done.join() === ticked.join() ? [] : [`ticked: ${done.join()}; not: ${ticked.join()}`]),
      ...done.filter((n) => ticks(n).split('\n').length > 1).map((n) => `twice: ${n} is ticked by ${ticks(n)}`),
      ...logs.map((n) => `lie: item ${n} is ticked, and its log and boxes do not say so once`),
      ...(stand.join() === fixes.join() ? [] : [`fixes: ${stand.join(', ')}; not: ${fixes.join(', ')}`]),
    ];
  };

const workQueue = () => ['backlog', 'run'];

export const SCENARIOS: Record<string, Scenario> = {
  fleet: {
    make: begin(FLEET),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('good\nsecond\n', MENDED_FIXES),
  },
  queue: {
    make: begun(QUEUE),
    victim: workQueue,
    finish: () => [workQueue(), []],
    exit: 0,
    wrong: queueEnds(['01', '02', '03'], QUEUE_FIXES),
  },
  'an item goes': {
    make: withItemDone(
      oneItem({
        command: ['bash', 'make.sh', '! grep ^good conf/item-01.txt'],
        verify: ['! grep -q ^good conf/item-01.txt'],
      }),
    ),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: (slot) => [
      ...queueEnds([], [])(slot),
      ...(inTree(slot, 'conf/item-01.txt') === 'first\nsecond\n' ? [] : ['the item is not taken back whole']),
    ],
  },
  'an item comes back': {
    make: withItemDone(
      oneItem({
        command: ['bash', 'make.sh', 'test -e "$SIDE/../ok" || { echo "error: it is gone"; exit 1; }'],
        verify: [],
      }),
      (slot) => rmSync(join(slot.root, 'ok')),
    ),
    victim: run,
    finish: runAgain,
    exit: 3,
    wrong: (slot) => [
      ...queueEnds(['01'], ITEM_FIXES)(slot),
      ...(inTree(slot, 'conf/item-01.txt') === 'good\nsecond\n' ? [] : ['what the item changed is not back']),
    ],
  },
  plain: {
    make: begin({ words: { a: 'good', b: 'good', c: 'good' } }),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('good\nsecond\n', []),
  },
  waiting: {
    make: begin({ words: { a: 'net', b: 'good' } }),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('net\nsecond\n', []),
  },
  mending: {
    make: begin(MENDED),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('good\nsecond\n', MENDED_FIXES),
  },
  undone: { make: begin(HOPELESS), victim: run, finish: runAgain, exit: 3, wrong: ends('bad\nsecond\n', []) },
  escalating: {
    make: begin({
      words: { a: 'bad', b: 'good' },
      answers: { bad: [{ pass: 'nothing to say' }] },
      // What the executor passed on counts among the tries.
      oncall: { bad: [says('bad', 'other'), says('bad', 'other'), says('good')] },
      loop: { limits: { executor_tries: 1 } },
    }),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('good\nsecond\n', ['Mend a: Say good']),
  },
  suggesting: {
    make: begin({ ...ONE_FIX, loop: { unattended: 'none' } }),
    victim: run,
    finish: runAgain,
    exit: 3,
    wrong: ends('bad\nsecond\n', []),
  },
  'base moved': {
    // The stage once must not run twice, whatever happens.
    make: begun({ ...ONE_FIX, words: { ...ONE_FIX.words, once: 'good' } }, (slot) =>
      slot.commit({ 'conf/b.txt': 'good\nthe owner\n', 'other.txt': 'new\n' }, 'by the owner'),
    ),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: (slot) => [
      ...ends('good\nsecond\n', ['Mend a: Say good'])(slot),
      ...(inTree(slot, 'conf/b.txt') === 'good\nthe owner\n' ? [] : ["the owner's commit is not in the worktree"]),
      ...ranTwice(slot),
    ],
  },
  // The owner wrote another text where the fix is.
  superseding: {
    make: begun(ONE_FIX, (slot) => slot.commit({ 'conf/a.txt': 'good\nthe owner\n' }, 'by the owner')),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('good\nthe owner\n', []),
  },
  // A run died with a change of which nobody knew yet whether it helps; it is over. The next one makes that change again.
  again: {
    async make(slot) {
      const words = { c: 'good', a: 'one', b: 'good' };
      setUp(slot, { words, answers: { one: [says('two')], two: [{ kill: true }] } });
      const killed = await slot.start([]);
      const answers = [{ words: { one: [says('two')], two: [says('good')] } }];
      writeFileSync(join(slot.side, 'probe.json'), JSON.stringify(answers));
      const ran = await slot.start(['c']);
      if (killed.exit !== null || ran.exit !== 0) throw new Error(`not made: ${killed.text}\n${ran.text}`);
    },
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: ends('good\nsecond\n', ['Mend a: Say two', 'Mend a: Say good']),
  },
  // Its owner accepted a new file for b; the run that commits it has mended a before.
  accepting: {
    async make(slot) {
      await begun(NEW_FILE, undefined, 3)(slot);
      const [name = ''] = namesIn(join(slot.home, 'ai/escalations'));
      const ran = await slot.start(['cases', 'accept', name]);
      if (ran.exit !== 0) throw new Error(`the case could not be accepted: exit ${ran.exit}\n${ran.text}`);
      slot.commit({ 'conf/a.txt': 'bad\nsecond\n' }, 'by the owner');
    },
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: (slot) => [
      ...ends('good\nsecond\n', ['Mend a: Say good', 'Mend b: Say made'])(slot),
      ...(inTree(slot, 'conf/new.txt') === 'made\nsecond\n' ? [] : ['the new file is not as it was accepted']),
    ],
  },
  // The base brings a template that cannot be; what is made of it, and what was made only once, is tracked.
  rendering: {
    make: begun(
      {
        words: { tpl: 'good', once: 'good', a: 'good' },
        stages: {
          tpl: { ...makes('cp conf/a.txt made/a.txt'), files: ['conf/a.txt'] },
          once: makes('echo token >> made/once.txt'),
          a: { command: ['bash', 'check.sh', 'made/a.txt'], verify: ['grep -q ^good made/a.txt'] },
        },
        answers: { bad: [says('good')] },
      },
      (slot) => slot.commit({ 'conf/a.txt': 'bad\nsecond\n' }, 'by the owner'),
    ),
    victim: run,
    finish: runAgain,
    exit: 0,
    wrong: (slot) => [
      ...ends('good\nsecond\n', ['Mend a: Say good'])(slot),
      ...(inTree(slot, 'made/a.txt') === 'good\nsecond\n' ? [] : ['what was made of the template is lost']),
      ...(inTree(slot, 'made/once.txt') === 'none\ntoken\n'
        ? []
        : [`what was made once is ${JSON.stringify(inTree(slot, 'made/once.txt'))}`]),
      ...ranTwice(slot),
    ],
  },
  promoting: promoting(),
  'promoting squashed': promoting('--squash'),
  'rolling back': {
    make: begun(ONE_FIX),
    victim: (slot) => ['rollback', fixOn(slot), '--yes'],
    // Where the fix is gone already, another rollback records that and refuses to do it again.
    *finish(slot) {
      yield ['rollback', fixOn(slot), '--yes'];
      if (standing(slot).length === 0) yield ['status'];
    },
    exit: 0,
    wrong: (slot) => [
      ...ends('bad\nsecond\n', [])(slot),
      ...(takenBack(slot) === 0 ? [] : [`lie: ${takenBack(slot)} commits take back what was dropped`]),
    ],
  },
  resetting: {
    make: begun(HOPELESS, undefined, 3),
    victim: () => ['reset', 'a', '--force'],
    finish: () => [['reset', 'a', '--force'], ['status']],
    exit: 0,
    wrong: ends('bad\nsecond\n', []),
  },
};

/** A stage that is not to be run again ran again. */
export function ranTwice({ side }: Slot): string[] {
  const starts = readFileSync(join(side, 'trace'), 'utf8').match(/^start \S+ once /gm) ?? [];
  return starts.length > 1 ? [`twice: a stage that must not run again ran ${starts.length} times`] : [];
}

const takenBack = (slot: Slot): number => ownCommits(slot).filter(({ reverts }) => reverts !== '').length;

export const scenarioOf = (name: string): Scenario => SCENARIOS[name] as Scenario;
