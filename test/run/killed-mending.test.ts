// Killed after each kind of event of a run that mends: the next start sets it right and goes on, and nothing is lost or done twice.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TRIAL_REF } from '../../src/worktree/trial-tree.ts';
import { AI } from '../e2e/scenario.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { program } from '../program.ts';
import { cases } from '../sweep.ts';
import { git } from '../worktree/repository.ts';
import { AGREES, cutOff, failuresIn, journalIn, run } from './homelab.ts';
import { FILE, fixTrail, type Mendable, mendable, says } from './probe.ts';

const AT_ONCE = 6;

/** A fix that is progress, one without effect, one that ends it. */
function stacked(): Mendable {
  const made = mendable({ word: 'one' });
  made.probe.answers({ words: { one: [says('two')], two: [says('two', 'other'), says('good')] } });
  return made;
}

/** Two fixes of a template that a stage before it renders into a tracked file: that one is made again first, and another after it. */
function rendered(): Mendable {
  const files = ['conf/'];
  const made = mendable({
    word: 'bad',
    stages: {
      a: { command: `cp ${FILE} out.txt`, files },
      b: { command: 'bash check.sh out.txt', files, needs: ['a'] },
      c: { command: `grep -q second ${FILE}`, files, priority: 1 },
    },
    files: { 'out.txt': 'nothing yet\n' },
  });
  made.probe.answers({ words: { bad: [says('worse')], worse: [says('good')] } });
  return made;
}

/** Cells that fail alike, two at a time: a fix without effect, one that helps two of them, one that helps the others, too. */
function cells(): Mendable {
  const word = '[[ $MENDLOOP_MATRIX_HOST < h3 ]] && word=good || word=second';
  const made = mendable({
    word: 'bad',
    files: { [FILE]: 'bad\nthird\n' },
    stages: {
      a: {
        command: `${word}; grep -q "^$word$" ${FILE} || { echo "error: no usable word"; exit 1; }`,
        files: ['conf/'],
        matrix: { host: ['h1', 'h2', 'h3', 'h4', 'h5'] },
      },
    },
    loop: { workers: 2 },
  });
  made.probe.answers({ words: { bad: [says('bad', 'other'), says('good', 'third')], good: [says('good')] } });
  return made;
}

/** Whether it was killed; false when it ended before. */
function killedAfter(home: string, number: number): Promise<boolean> {
  const args = [...program('run-until'), home, String(number)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((done) => child.once('close', (_code, signal) => done(signal === 'SIGKILL')));
}

/** Commits of fixes whose end was told more than once, or never. */
function untold(events: readonly AnyEvent[]): unknown[] {
  const of = (wanted: string) => events.filter(({ type }) => type === wanted).map(({ data }) => data.commit);
  const judged = of('fix.judged');
  return of('fix.committed').filter((commit) => judged.filter((one) => one === commit).length !== 1);
}

/** What the AI branch has: its change of the base, and that each of its commits is of a fix that was kept. */
function branch(home: string, events: readonly AnyEvent[]) {
  const kept = events.filter(({ data }) => data.outcome === 'kept').flatMap(({ data }) => data.commit ?? []);
  const commits = git(home, 'rev-list', `main..${AI}`).split('\n').filter(Boolean);
  return {
    change: git(home, 'diff', 'main', AI),
    isOfKept: kept.toSorted().join() === commits.toSorted().join(),
    head: git(`${home}/ai/worktree`, 'symbolic-ref', 'HEAD'),
    trial: git(home, 'for-each-ref', TRIAL_REF),
  };
}

/** Stages that turned green twice without having been found stale in between. */
function greenTwice(events: readonly AnyEvent[]): string[] {
  const green = new Set<string>();
  return events.flatMap(({ type, stage = '' }) => {
    if (type === 'stage.stale') green.delete(stage);
    if (type !== 'stage.green') return [];
    const twice = green.has(stage) ? [stage] : [];
    green.add(stage);
    return twice;
  });
}

/** Numbers of all events that tell of fixes, and of the first of every other kind; in a long sweep of all events. */
function telling(types: readonly string[]): number[] {
  const isOne = (type: string, i: number) => /^(?:fix|trial)\./.test(type) || types.indexOf(type) === i;
  return types.flatMap((type, i) => (cases(isOne(type, i), true) ? [i + 1] : []));
}

/** The same of stages that no longer stand, and of what follows each of these. */
function tellingStale(types: readonly string[]): number[] {
  const isOne = (i: number) =>
    types[i] === 'stage.stale' || types[i - 1] === 'stage.stale' || types[i] === 'trial.ended';
  return types.flatMap((_, i) => (cases(isOne(i), true) ? [i + 1] : []));
}

/** The same of what became of fixes. */
const tellingFixes = (types: readonly string[]): number[] =>
  types.flatMap((type, i) => (cases(/^(?:fix\.(?!intended)|trial)/.test(type), true) ? [i + 1] : []));

test('killed after any kind of event, the next start brings the same end', () => killedEverywhere(stacked, telling, 9));

test('killed while what a fix made stale is made again, the next start brings the same end', () =>
  killedEverywhere(rendered, tellingStale, 6));

test('killed while cells judge a fix, the next start brings the same end, and nobody is asked the same twice', () =>
  killedEverywhere(cells, tellingFixes, 9));

async function killedEverywhere(
  repository: () => Mendable,
  points: (types: readonly string[]) => number[],
  fixEvents: number,
): Promise<void> {
  const clean = repository();
  const whole = await run(clean.home);
  assert.is(whole.exit, 0);
  assert.equal(fixTrail(whole.events).length, fixEvents);
  const all = points(whole.events.slice(0, -1).map(({ type }) => type));
  // Every eighth in the suite, and those of the campaign's; all in a long sweep.
  const numbers = cases(
    all.filter((_, i) => i % 8 === 1),
    all,
  );
  const expected = branch(clean.home, whole.events);
  assert.equal([expected.isOfKept, untold(whole.events)], [true, []]);
  const wrong: string[] = [];

  const check = async (number: number): Promise<void> => {
    const { home, probe, tree, treeStatus } = repository();
    if (!(await killedAfter(home, number))) throw new Error(`it was not killed after event ${number}`);
    const [first] = (await import('node:fs')).readdirSync(`${home}/ai/state/runs`);
    const resumed = await run(home);
    const events = journalIn(home, first as string);
    const at = whole.events[number - 1]?.type;
    const found = {
      ...{ exit: resumed.exit, run: resumed.run, tree: tree(), status: treeStatus() },
      ...{ ...branch(home, events), untold: untold(events), greenTwice: greenTwice(events) },
      ended: events.filter(({ type }) => type === 'run.ended').length,
      isAskedAgain: probe.asked().length > clean.probe.asked().length + 1,
      open: failuresIn(home).flatMap(({ patches }) => patches.filter(({ outcome }) => outcome === 'applied')),
      home: git(home, 'status', '--porcelain'),
    };
    const wanted = {
      ...{ exit: 0, run: first, tree: 'good\nsecond\n', status: clean.treeStatus() },
      ...{ ...expected, untold: [], greenTwice: [] },
      ...{ ended: 1, isAskedAgain: false, open: [], home: '' },
    };
    try {
      assert.equal(found, wanted);
    } catch (error) {
      wrong.push(
        `after event ${number}, ${at}: ${(error as { details?: string }).details}\n${fixTrail(events).join(', ')}`,
      );
    }
  };
  const queue = [...numbers];
  const worker = async () => {
    for (let number = queue.shift(); number; number = queue.shift()) await check(number);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  assert.equal(wrong, [], wrong.join('\n'));
}

test('a new file that a killed fix left half-written goes; one that somebody else made there stays, and is not written over', async () => {
  for (const [left, outcome] of [
    ['goo', 'committed'],
    ['precious\n', 'refused'],
  ] as const) {
    const made = mendable({ stages: { a: { command: 'grep -q good conf/new.txt', files: ['conf/'] } } });
    const note = { fix: 'Make it', reason: 'it is missing' };
    made.probe.answers({ files: { 'conf/new.txt': 'good\n' }, note }, { throw: 'enough' });
    const { run: id, exit } = await run(made.home, {}, AGREES);
    assert.is(exit, 0);
    const tree = join(made.home, 'ai/worktree');
    git(tree, 'reset', '-q', '--hard', 'HEAD^');
    cutOff(made.home, id, ({ type }) => type === 'fix.intended');
    writeFileSync(join(tree, 'conf/new.txt'), left);
    made.probe.answers({ files: { 'conf/new.txt': 'good\n' }, note }, { throw: 'enough' });
    const again = await run(made.home, {}, AGREES);
    assert.is(
      fixTrail(again.events).some((line) => line.startsWith(`fix.${outcome}`)),
      true,
      outcome,
    );
    assert.equal([again.exit, made.tree('conf/new.txt')], outcome === 'committed' ? [0, 'good\n'] : [1, 'precious\n']);
  }
});

test.run();
