// Killed before or after any git command that changes something, or after any event, while the base is brought in: the next
// start finishes it, and nothing is lost, done twice or told twice.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { readEvents } from '../../src/journal/event-file.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { listJournals } from '../../src/journal/runs.ts';
import { runHere } from '../e2e/here.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { KILL_LOOP } from '../kill-loop.ts';
import { program } from '../program.ts';
import { cases } from '../sweep.ts';
import { AI, commit, folder, git, script, write } from '../worktree/repository.ts';
import { failuresIn, run } from './homelab.ts';
import { FILE, type Mendable, mendable, says } from './probe.ts';

const env = { PATH: process.env.PATH };

type Point = { git: string; when: 'before' | 'after' } | { event: string };

/** A git that kills the run before or after the first command that has these words. */
function killingGit(words: string, when: 'before' | 'after'): string {
  const bin = folder();
  const real = git(bin, '--exec-path');
  const kill = (at: 'before' | 'after') =>
    at === when ? `case " $* " in *" ${words} "*) ${KILL_LOOP}; exit 1 ;; esac` : '';
  script(join(bin, 'git'), `${kill('before')}\n"${real}/git" "$@"\nrc=$?\n${kill('after')}\nexit $rc`);
  return bin;
}

/** Whether a run of `home` was killed there. */
async function killedAt(home: string, point: Point): Promise<boolean> {
  const bin = 'git' in point ? killingGit(point.git, point.when) : folder();
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  const args = [...program('run-until'), home, 'event' in point ? point.event : ''];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((done) => child.once('close', (_code, signal) => done(signal === 'SIGKILL')));
}

const everyEvent = (home: string): AnyEvent[] =>
  listJournals(layoutOf(home)).flatMap(({ path }) => readEvents(path).events as AnyEvent[]);

async function mended(): Promise<Mendable> {
  const made = mendable({ files: { 'conf/b.txt': 'bad\nb\n' }, stages: STAGES });
  made.probe.answers(says('good'), says('good', 'b', 'conf/b.txt'));
  assert.is((await run(made.home)).exit, 0);
  commit(made.home, { 'other.txt': 'secret\n' });
  assert.is((await run(made.home)).exit, 0);
  return made;
}

const stage = (name: string) => ({ command: ['bash', 'check.sh', `conf/${name}.txt`], files: [`conf/${name}.txt`] });
const STAGES = { a: stage('a'), b: stage('b') };

/** What the owner does, and what must be so in the end. */
const KINDS = {
  moved: {
    change: (home: string) => commit(home, { [FILE]: 'good\nmine\n' }),
  },
  rewritten: {
    change: (home: string) => {
      write(home, { [FILE]: 'good\nmine\n', 'other.txt': 'public\n' });
      git(home, 'commit', '-q', '-a', '--amend', '--no-edit');
    },
  },
};
/** The git commands that change something, in their order. */
const STEPS = ['refs/mendloop/next', 'refs/mendloop/before', 'reset -q --keep', `refs/mendloop/base/${AI}`];
const EVENTS = [
  'run.started',
  'branch.intended',
  'fix.judged',
  'branch.moved',
  'tree.opened',
  'notice',
  'step.started',
];
/** Those that leave most behind; all of them in a long sweep. */
const FEW = [
  'moved after reset',
  'moved after branch.intended',
  'rewritten before reset',
  'rewritten after tree.opened',
];

const points = Object.keys(KINDS).flatMap((kind) => [
  ...STEPS.flatMap((step) =>
    (['before', 'after'] as const).map((when) => ({
      kind,
      at: `${when} ${step}`,
      point: { git: step, when } as Point,
    })),
  ),
  ...EVENTS.map((event) => ({ kind, at: `after ${event}`, point: { event } as Point })),
]);
const drawn = points.filter(({ kind, at }) =>
  cases(
    FEW.some((few) => `${kind} ${at}`.startsWith(few)),
    true,
  ),
);

for (const { kind, at, point } of drawn) {
  test(`${kind}, killed ${at}`, async () => {
    const { change } = KINDS[kind as keyof typeof KINDS];
    const { home, tree, treeStatus } = await mended();
    const tip = git(home, 'rev-parse', AI);
    change(home);
    assert.ok(await killedAt(home, point), 'it was killed');
    if (readLedger(layoutOf(home)).ledger.move)
      for (const command of ['status', 'doctor'])
        assert.match((await runHere([command], home, env)).stdout, `${AI} was about to be moved`);
    assert.is((await run(home)).exit, 0);
    const events = everyEvent(home);
    const told = (text: string) => events.filter(({ data }) => String(data.text).includes(text)).length;
    const main = git(home, 'rev-parse', 'main');
    assert.equal(
      {
        files: [tree(), tree('conf/b.txt'), treeStatus()],
        kept: git(home, 'rev-parse', `refs/mendloop/base/${AI}`),
        open: readLedger(layoutOf(home)).ledger.move,
        superseded: events.filter(({ data }) => data.outcome === 'superseded').map((event) => event.stage),
        notes: told('yours stands'),
        outcomes: failuresIn(home).flatMap(({ patches }) => patches.map((p) => p.outcome)),
        before: git(home, 'for-each-ref', '--format=%(objectname)', 'refs/mendloop/before/').split('\n').includes(tip),
        hasBase: git(home, 'merge-base', 'main', AI),
        ended: events.filter(({ type }) => type === 'run.ended').length,
        dropped: git(home, 'log', '-p', '--format=', AI).includes('secret'),
      },
      {
        ...{ files: ['good\nmine\n', 'good\nb\n', ''], kept: main, open: undefined, superseded: ['a'], notes: 1 },
        ...{ outcomes: ['superseded', 'kept'], before: true, hasBase: main, ended: 3, dropped: kind === 'moved' },
      },
    );
  });
}

test.run();
