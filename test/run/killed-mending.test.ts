// Killed after each kind of event of a run that mends: the next start sets it right and goes on, and nothing is lost or done twice.
import { spawn } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyEvent } from '../journal/any-event.ts';
import { program } from '../program.ts';
import { cases } from '../sweep.ts';
import { git } from '../worktree/repository.ts';
import { failuresIn, journalIn, run } from './homelab.ts';
import { fixTrail, type Mendable, mendable, says } from './probe.ts';

/** A fix that is progress, one without effect, one that ends it. */
const ANSWERS = { one: [says('two')], two: [says('two', 'other'), says('good')] };
const AT_ONCE = 6;

function repository(): Mendable {
  const made = mendable({ word: 'one' });
  made.probe.answers({ words: ANSWERS });
  return made;
}

/** Whether it was killed; false when it ended before. */
function killedAfter(home: string, number: number): Promise<boolean> {
  const args = [...program('run-until'), home, String(number)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((done) => child.once('close', (_code, signal) => done(signal === 'SIGKILL')));
}

/** Commit → what became of it, as the journal tells; and how often that was told. */
function fates(events: readonly AnyEvent[]): string[] {
  const told = events.filter(({ type }) => /^fix\.(?:committed|judged|reverted)$/.test(type));
  return told
    .map(({ type, data }) => `${type} ${(data.note as { fix: string }).fix} ${data.outcome ?? ''}`.trim())
    .sort();
}

/** Numbers of all events that tell of fixes, and of the first of every other kind; in a long sweep of all events. */
function telling(events: readonly AnyEvent[]): number[] {
  const types = events.map(({ type }) => type);
  const isOne = (type: string, i: number) => type.startsWith('fix.') || types.indexOf(types[i] as never) === i;
  return types.flatMap((type, i) => (cases(isOne(type, i), true) ? [i + 1] : []));
}

test('killed after any kind of event, the next start brings the same end', async () => {
  const clean = repository();
  const whole = await run(clean.home);
  assert.is(whole.exit, 0);
  const expected = { fates: fates(whole.events), subjects: clean.subjects() };
  assert.equal(fixTrail(whole.events).length, 10);
  const numbers = telling(whole.events.slice(0, -1));
  const wrong: string[] = [];
  console.log(numbers.map((n) => whole.events[n - 1]?.type).join(' '), numbers.length, whole.events.length);

  const check = async (number: number): Promise<void> => {
    const { home, subjects, tree, treeStatus } = repository();
    if (!(await killedAfter(home, number))) throw new Error(`it was not killed after event ${number}`);
    const [first] = (await import('node:fs')).readdirSync(`${home}/ai/state/runs`);
    const resumed = await run(home);
    const events = journalIn(home, first as string);
    const at = whole.events[number - 1]?.type;
    const found = {
      ...{ exit: resumed.exit, run: resumed.run, tree: tree(), status: treeStatus() },
      ...{ fates: fates(events), subjects: subjects() },
      green: events.filter(({ type }) => type === 'stage.green').length,
      ended: events.filter(({ type }) => type === 'run.ended').length,
      open: failuresIn(home)
        .flatMap(({ patches }) => patches.map((p) => p.outcome))
        .sort(),
      home: git(home, 'status', '--porcelain'),
    };
    const wanted = {
      ...{ exit: 0, run: first, tree: 'good\nsecond\n', status: '' },
      ...{ fates: expected.fates, subjects: expected.subjects },
      ...{ green: 1, ended: 1, open: ['no_effect', 'verified', 'verified'], home: '' },
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
});

test.run();
