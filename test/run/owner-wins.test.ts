// Runs of a home whose owner changes what the loop had mended, or rewrites the base: their word stands, and is told once.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { showPromotion } from '../../src/promote/promote.ts';
import { findBase } from '../../src/worktree/base.ts';
import { runHere } from '../e2e/here.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { AI, commit, followAdvice, git, refusal, write } from '../worktree/repository.ts';
import { cutOff, failuresIn, journalIn, run } from './homelab.ts';
import { decided, FILE, fixTrail, mendable, ranWords, says } from './probe.ts';

const notes = (events: readonly AnyEvent[]) =>
  events.filter(({ type }) => type === 'notice').map(({ data }) => String(data.text));
const told = (events: readonly AnyEvent[], what: string) => notes(events).filter((text) => text.includes(what)).length;
const env = { PATH: process.env.PATH };

/** A home whose stage was mended by a verified fix. */
async function mended(options: Parameters<typeof mendable>[0] = {}) {
  const made = mendable(options);
  made.probe.answers(says('good'));
  assert.is((await run(made.home)).exit, 0);
  return made;
}

test('the owner writes where a fix stands: the run goes on with their text: one note, superseded, nothing spent, and no conflict', async () => {
  const { home, tree, probe } = await mended();
  commit(home, { [FILE]: 'good\nmine\n' });
  const asked = probe.asked().length;
  const next = await run(home);
  assert.is(next.exit, 0);
  assert.is(tree(), 'good\nmine\n');
  assert.equal(fixTrail(next.events), ['fix.judged superseded']);
  assert.is(told(next.events, 'yours stands (a: Say good)'), 1);
  assert.is(notes(next.events).length, 2, 'that the base moved, and that');
  assert.is(probe.asked().length, asked);
  const [entry] = failuresIn(home);
  assert.equal(
    entry?.patches.map((p) => p.outcome),
    ['superseded'],
  );
  assert.equal([entry?.executor_tries, entry?.kept_at], [0, undefined]);
  const again = await run(home);
  assert.equal([again.exit, notes(again.events)], [0, []]);
  const shown = await runHere(['promote'], home, env);
  assert.match(shown.stdout, 'nothing to promote');
});

test('the owner writes where a fix stands: when their text fails as it did before, it is asked for anew and not flapping', async () => {
  const { home, probe, tree } = await mended();
  // Merges cleanly: the same failure within seven days is flapping.
  commit(home, { [FILE]: 'bad\nsecond, mine\n' });
  probe.answers(says('good', 'second, mine'));
  const next = await run(home);
  assert.equal(fixTrail(next.events), ['fix.judged superseded', 'fix.intended', 'fix.committed', 'fix.judged kept']);
  assert.equal(decided(next.events), ['executor']);
  assert.equal([next.exit, tree(), ranWords(home).at(-1)], [0, 'good\nsecond, mine\n', 'a good']);
});

test('the owner writes where a fix stands: the very change may be proposed again, but does not come by itself', async () => {
  const { home, probe } = await mended();
  commit(home, { [FILE]: 'good\nmine\n' });
  await run(home);
  commit(home, { [FILE]: 'bad\nsecond\n' });
  probe.answers(says('good'));
  const next = await run(home);
  assert.is(probe.asked().length, 1);
  assert.equal([next.exit, fixTrail(next.events).at(-1)], [0, 'fix.judged kept']);
});

test('the owner writes where a fix stands: three of them in one run are no reason for safe mode', async () => {
  const files = { 'conf/b.txt': 'bad\nb\n', 'conf/c.txt': 'bad\nc\n' };
  const stage = (name: string) => ({ command: ['bash', 'check.sh', `conf/${name}.txt`], files: ['conf/'] });
  const made = mendable({ files, stages: { a: stage('a'), b: stage('b'), c: stage('c') } });
  made.probe.answers(says('good'), says('good', 'b', 'conf/b.txt'), says('good', 'c', 'conf/c.txt'));
  assert.is((await run(made.home)).exit, 0);
  commit(made.home, { [FILE]: 'good\n1\n', 'conf/b.txt': 'good\n1\n', 'conf/c.txt': 'good\n1\n' });
  const next = await run(made.home);
  assert.equal(fixTrail(next.events), Array(3).fill('fix.judged superseded'));
  assert.is(told(next.events, '3 fixes were; they are taken back'), 1);
  assert.not(next.events.some(({ type }) => type === 'safe_mode.on'));
});

/** Amends the last commit of the base, and what it says in `other.txt`. */
const amend = (home: string, text: string) => {
  write(home, { 'other.txt': text });
  git(home, 'add', 'other.txt');
  git(home, 'commit', '-q', '--amend', '--no-edit');
};

test('the base is rewritten: nothing that it dropped is run or offered, verified fixes stay, and one note says so', async () => {
  const { home, tree, subjects } = await mended();
  commit(home, { 'other.txt': 'secret\n' });
  await run(home);
  amend(home, 'public\n');
  const shown = async () => showPromotion(home, await findBase(home, { branch: AI }), true);
  const before = await shown();
  assert.equal([before.moves, before.fixes.length, before.diff?.includes('secret')], [true, 1, false]);
  const next = await run(home);
  assert.is(next.exit, 0);
  assert.equal([tree('other.txt'), tree()], ['public\n', 'good\nsecond\n']);
  assert.equal(subjects(), ['Mend a: Say good']);
  assert.is(told(next.events, 'main was rewritten'), 1);
  assert.equal(
    failuresIn(home)[0]?.patches.map((p) => p.outcome),
    ['kept'],
  );
  assert.not(git(home, 'log', '-p', '--format=', AI).includes('secret'));
  const { fixes, others, moves } = await shown();
  assert.equal([fixes.length, others, moves], [1, [], false]);
  assert.equal(notes((await run(home)).events), []);
});

test('the base is rewritten: a fix that was superseded before is not told as one that the base still has', async () => {
  const { home, probe } = await mended();
  commit(home, { [FILE]: 'good\nmine\n' });
  await run(home);
  commit(home, { [FILE]: 'bad\nsecond\n' });
  probe.answers(says('good'));
  await run(home);
  amend(home, 'public\n');
  assert.is((await run(home)).exit, 0);
  const { stdout } = await runHere(['fixes'], home, env);
  assert.match(stdout, 'kept by its exit code alone (the stage has no checks)');
  assert.not.match(stdout, 'your branch still has it');
  for (const ref of git(home, 'for-each-ref', '--format=%(refname)', 'refs/mendloop').split('\n').filter(Boolean))
    git(home, 'update-ref', '-d', ref);
  git(home, 'reflog', 'expire', '--expire=now', '--all');
  git(home, 'gc', '-q', '--prune=now');
  assert.is((await runHere(['fixes'], home, env)).exit, 0, 'also when git has it no longer');
});

test('the base is rewritten: a fix that does not apply any more is superseded, also in the ledger', async () => {
  const { home, tree } = await mended();
  write(home, { [FILE]: 'good\nmine\n' });
  git(home, 'commit', '-q', '-a', '--amend', '--no-edit');
  const next = await run(home);
  assert.equal([next.exit, tree()], [0, 'good\nmine\n']);
  assert.equal(fixTrail(next.events), ['fix.judged superseded']);
  assert.equal([told(next.events, 'main was rewritten'), told(next.events, 'yours stands')], [1, 1]);
  assert.equal(
    failuresIn(home)[0]?.patches.map((p) => p.outcome),
    ['superseded'],
  );
  const shown = await runHere(['promote'], home, env);
  assert.match(shown.stdout, 'nothing to promote');
});

test('the base is rewritten: a fix that was promoted and dropped is superseded; when its failure returns it is asked for anew', async () => {
  const { home, probe, tree } = await mended();
  const tip = git(home, 'rev-parse', AI);
  git(home, 'config', 'user.name', 'Owner');
  git(home, 'config', 'user.email', 'owner@example.org');
  assert.is((await runHere(['promote', '--accept', tip], home, env)).exit, 0);
  assert.is((await run(home)).exit, 0);
  git(home, 'reset', '-q', '--hard', 'HEAD~1');
  assert.match((await runHere(['plan'], home, env)).stdout, `main was rewritten; a run puts ${AI} onto it first`);
  probe.answers(says('good'));
  const next = await run(home);
  assert.equal(decided(next.events), ['executor']);
  const trail = ['fix.judged superseded', 'fix.intended', 'fix.committed', 'fix.judged kept'];
  assert.equal([next.exit, fixTrail(next.events), tree()], [0, trail, 'good\nsecond\n']);
  assert.match((await runHere(['promote'], home, env)).stdout, `${AI} into main: 1 fix for 1 failure in 1 stage\n`);
});

test('the base is rewritten: a run that was cut off is closed first, and what it had not judged comes again with its failure', async () => {
  const made = mendable();
  made.probe.answers(says('good'));
  const first = await run(made.home);
  cutOff(made.home, first.run, ({ type }) => type === 'fix.committed');
  // As the trial was then: the branch had not moved.
  git(join(made.home, 'ai/worktree'), 'switch', '-q', '--detach');
  git(made.home, 'update-ref', 'refs/mendloop/trial', AI);
  git(made.home, 'update-ref', `refs/heads/${AI}`, `${AI}~1`);
  amend(made.home, 'public\n');
  const next = await run(made.home);
  assert.is.not(next.run, first.run);
  assert.is(journalIn(made.home, first.run).at(-1)?.type, 'run.ended');
  assert.match(notes(next.events).join('\n'), 'main was rewritten since it began');
  assert.equal(
    [next.exit, fixTrail(next.events)],
    [0, ['fix.judged undone', 'fix.prepared', 'fix.intended', 'fix.committed', 'fix.judged kept']],
  );
  assert.is(made.probe.asked().length, 1);
});

const HEARD = 'heard';
const NOTIFIER = `import { appendFileSync } from 'node:fs';
export default { name: 'ear', async notify({ reason, text }) {
  appendFileSync(process.env.HOME + '/${HEARD}', JSON.stringify({ reason, text }) + '\\n');
} };
`;

/** The reasons of what people were notified of from now on. */
function listen(): () => string[] {
  const heard = join(process.env.HOME ?? '', HEARD);
  writeFileSync(heard, '');
  return () =>
    readFileSync(heard, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).reason);
}

test('a conflict that remains: is an event, a notice and what status says first; exit 3, and its commands work', async () => {
  const { home } = await mended({
    loop: { notifiers: ['ear'] },
    files: { 'plugins/notifiers/ear.mjs': NOTIFIER, 'other.txt': 'one\n' },
  });
  const hears = listen();
  commit(join(home, 'ai/worktree'), { 'other.txt': 'by hand\n' });
  commit(home, { 'other.txt': 'main\n' });
  const events: AnyEvent[] = [];
  const { text, exit } = await refusal(run(home, {}, { subscribers: [(event) => void events.push(event)] }));
  assert.equal([exit, /E_BASE_CONFLICT/.test(text)], [3, true]);
  assert.equal(
    events.map(({ type }) => type),
    ['run.started', 'tree.conflict', 'run.ended'],
  );
  assert.match(String(events[1]?.data.problems), 'is yours and does not apply: other.txt');
  assert.is(events[2]?.data.exit, 3);
  assert.equal(hears(), ['conflict']);
  const [first = ''] = (await runHere(['status'], home, env)).stdout.split('\n');
  assert.is(first, `CONFLICT: main moved, and not all that is yours on ${AI} can be put onto it; nothing was changed`);
  await refusal(run(home));
  assert.equal(hears(), ['conflict'], 'the same conflict is told once');
  await followAdvice(home, text, () => write(home, { 'ai/worktree/other.txt': 'both\n' }));
  assert.is((await run(home)).exit, 0);
  assert.not((await runHere(['status'], home, env)).stdout.includes('CONFLICT'));
});

test('a conflict that remains: commits of a stage that are still there at a later start are told in the same way, and plan promises no merge', async () => {
  const { home } = await mended({ loop: { notifiers: ['ear'] }, files: { 'plugins/notifiers/ear.mjs': NOTIFIER } });
  const tree = join(home, 'ai/worktree');
  const was = git(tree, 'rev-parse', 'HEAD');
  git(home, 'update-ref', `refs/mendloop/by-stage/${was}`, commit(tree, { 'other.txt': 'by a stage\n' }));
  commit(home, { 'more.txt': 'main\n' });
  const hears = listen();
  const { text } = await refusal(run(home));
  assert.match(text, 'E_HEAD_MOVED');
  assert.is((await refusal(run(home))).text, text);
  assert.equal(hears(), ['conflict'], 'told once');
  const says = async (word: string) => (await runHere([word], home, env)).stdout;
  assert.match(await says('status'), /^CONFLICT: a stage moved HEAD in ai\/worktree from /);
  const plan = await says('plan');
  assert.match(
    plan,
    /^note: no run begins \(E_HEAD_MOVED\): a stage moved HEAD .*; mendloop promote says how to settle it$/m,
  );
  assert.not.match(plan, 'a run puts');
  await followAdvice(home, text, () => {});
  assert.match(await says('plan'), 'a run puts');
  assert.is((await run(home)).exit, 0);
});

test('a conflict that remains: one whose process died before it ended is met again, not run through', async () => {
  const { home } = await mended({ files: { 'other.txt': 'one\n' } });
  commit(join(home, 'ai/worktree'), { 'other.txt': 'by hand\n' });
  commit(home, { 'other.txt': 'main\n' });
  await refusal(run(home));
  const id = (await runHere(['status', '--json'], home, env)).stdout;
  cutOff(home, JSON.parse(id).run, ({ type }) => type === 'run.started');
  const before = ranWords(home).length;
  assert.match((await refusal(run(home))).text, 'E_BASE_CONFLICT');
  assert.is(ranWords(home).length, before);
});

test.run();
