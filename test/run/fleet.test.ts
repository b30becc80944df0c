// Cells of a matrix that fail alike are one failure: one entry of the ledger, one question, one fix, judged by all of them.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoopEvent } from '../../src/events.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { leaveAnswer } from '../../src/mend/answers.ts';
import { runHere } from '../e2e/here.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { program } from '../program.ts';
import { commit } from '../worktree/repository.ts';
import { fakeClock } from './builders.ts';
import { failuresIn, journalIn, NOTE, ranSteps, run } from './homelab.ts';
import { decided, FILE, fixTrail, type Mendable, mendable, says, stageOn } from './probe.ts';

const hosts = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `h${String(i + 1).padStart(2, '0')}`);
const step = (host: string) => `a[host=${host}]`;

/** Each host wants its word in the file: those before `from` the first one, the others the second. */
const wants = (first: string, second: string, from: string, more = 'error: no usable word in conf/a.txt') =>
  `${NOTE}; word=${first}; [[ $MENDLOOP_MATRIX_HOST < ${from} ]] || word=${second}; ` +
  `grep -q "^$word$" ${FILE} || { echo "${more}"; exit 1; }`;

interface Fleet {
  command?: string | string[];
  count: number;
  workers?: number;
  more?: object;
}

function fleet({ command, count, workers = count, more = {} }: Fleet): Mendable {
  const stage = { ...stageOn(), ...(command && { command }), matrix: { host: hosts(count) }, ...more };
  return mendable({ stages: { a: stage }, loop: { workers } });
}

const outcomes = (home: string) => failuresIn(home).map(({ patches }) => patches.map(({ outcome }) => outcome));
const statuses = (stage: { cells?: Record<string, { status: string }> } | undefined) =>
  Object.values(stage?.cells ?? {}).map(({ status }) => status);

/** Events of a kind with the names of the steps they are about. */
const stepsOf = (events: readonly AnyEvent[], type: string) =>
  events.filter((event) => event.type === type).map((event) => event.data.steps ?? [event.step]);

test('one broken template on forty hosts is one entry, one question, one fix, and forty green cells', async () => {
  const { home, probe, subjects } = fleet({ count: 40, workers: 8 });
  probe.answers(says('good'), { throw: 'a second question' });
  const ran = await run(home);
  assert.equal([ran.exit, probe.asked().length, subjects()], [0, 1, ['Mend a: Say good']]);
  const [entry, ...others] = failuresIn(home);
  assert.equal([others, entry?.times_seen, entry?.steps?.length, outcomes(home)], [[], 1, 8, [['kept']]]);
  assert.equal(statuses(ran.stages.stages.a), Array(40).fill('green'));
  assert.equal(stepsOf(ran.events, 'failure.decided'), [hosts(8).map(step)]);
  assert.is(ran.events.filter(({ type }) => type === 'stage.green').length, 1);
  // Eight failed and ran again; the others ran once, and no sooner than these were green. With the last of them it is kept.
  const told = ran.events.filter(({ type }) => /^(?:attempt\.started|fix\.judged)$/.test(type));
  assert.equal([told.length, told.at(-1)?.type], [49, 'fix.judged']);
  const again = told.slice(8, 16).map((event) => event.step);
  assert.equal(again.toSorted(), hosts(8).map(step));
});

test('a failure is decided when the running cells have ended, and no other cell starts meanwhile', async () => {
  const slow = `[ $MENDLOOP_MATRIX_HOST != h02 ] || sleep 0.4; bash check.sh ${FILE}`;
  const { home, probe } = fleet({ command: slow, count: 4, workers: 2 });
  probe.answers({ pause: 100, give: says('good') });
  const ran = await run(home);
  assert.is(ran.exit, 0);
  const at = (type: string, of: string) => ran.events.findIndex((event) => event.type === type && event.step === of);
  assert.ok(at('failure.decided', step('h01')) > at('failure.seen', step('h02')));
  for (const green of hosts(2)) assert.ok(at('step.started', step('h03')) > at('step.done', step(green)));
});

test('a fix that helps half of the cells stays for these; the rest is asked about once more, told whom it helped', async () => {
  const { home, probe, tree } = fleet({ command: wants('good', 'fine', 'h03'), count: 4 });
  probe.answers(says('good'), says('good', 'fine'));
  const ran = await run(home);
  assert.equal([ran.exit, tree()], [0, 'good\nfine\n']);
  assert.equal(outcomes(home), [['kept', 'kept']]);
  assert.equal(stepsOf(ran.events, 'failure.decided'), [hosts(4).map(step), ['h03', 'h04'].map(step)]);
  const tries = probe.asked().map(({ tries: told }) => told.map((one) => [one.outcome, (one as { why?: string }).why]));
  assert.equal(tries, [[], [['helped', 'green with it: h01 h02; not: h03 h04']]]);
  // The green ones are made again: the second fix changed what they are made from.
  assert.equal(ranSteps(home).filter((line) => line === step('h01')).length, 3);
});

test('a fix that helped some is kept for them, also when the stage ends failed; the others keep their tries', async () => {
  const { home, probe, tree, subjects } = fleet({ command: wants('good', 'fine', 'h03'), count: 4 });
  probe.answers(says('good'), { pass: 'no idea' });
  const ran = await run(home);
  assert.equal([ran.exit, tree(), subjects()], [3, 'good\nsecond\n', ['Mend a: Say good']]);
  assert.equal(statuses(ran.stages.stages.a), ['green', 'green', 'give_up', 'give_up']);
  const [entry] = failuresIn(home);
  assert.equal([entry?.patches[0]?.outcome, entry?.executor_tries, entry?.kept_at], ['kept', 2, undefined]);
  const judged = ran.events.filter(({ type }) => type === 'fix.judged').at(-1);
  assert.equal(
    [judged?.data.outcome, judged?.data.left, judged?.data.reason],
    ['kept', ['h03', 'h04'].map(step), 'green with it: h01 h02; not: h03 h04'],
  );
  for (const command of ['fixes', 'promote']) {
    const { stdout } = await runHere([command], home, { PATH: process.env.PATH });
    assert.match(stdout, 'kept by its exit code alone (the stage has no checks), but for h03 h04\n');
  }
});

test('a fix that turns a green cell red is undone, whoever it helped', async () => {
  const { home, probe } = fleet({ command: wants('second', 'fine', 'h02'), count: 3, workers: 1 });
  probe.answers(says('bad', 'fine'), says('fine', 'second'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, [['broke', 'kept']]]);
});

test('a fix after which no cell is green had no effect, and is asked about with all of them again', async () => {
  const { home, probe } = fleet({ count: 3 });
  probe.answers(says('bad', 'other'), says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, [['no_effect', 'kept']]]);
  assert.equal(stepsOf(ran.events, 'failure.decided'), [hosts(3).map(step), hosts(3).map(step)]);
  const [entry] = failuresIn(home);
  assert.equal([entry?.times_seen, entry?.steps?.toSorted()], [2, hosts(3).map(step)]);
});

test('a failure in the place of another on every cell is progress, as it is of one step', async () => {
  const { home, probe } = fleet({ count: 3 });
  probe.answers(says('worse'), says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, [['kept'], ['kept']]]);
  const once = ['fix.intended', 'fix.committed'];
  assert.equal(fixTrail(ran.events), [...once, ...once, 'fix.judged kept', 'fix.judged kept']);
});

test('two different errors stay two: two entries, two questions, two fixes', async () => {
  const command = wants('good', 'fine', 'h03', 'error: no $word word');
  const { home, probe, tree } = fleet({ command, count: 5 });
  probe.answers(says('good'), says('good', 'fine'));
  const ran = await run(home);
  assert.equal([ran.exit, tree(), outcomes(home)], [0, 'good\nfine\n', [['kept'], ['kept']]]);
  // Which of them is seen first, the machine decides.
  const counts = failuresIn(home).map(({ steps = [] }) => steps.length);
  assert.equal(counts.toSorted(), [2, 3]);
  assert.equal(probe.asked().length, 2);
});

test('a cell that fails alike later joins: the fix stays, the tries count on, and it is no flapping', async () => {
  const { home, probe } = fleet({ command: wants('good', 'fine', 'h03'), count: 4, workers: 2 });
  probe.answers(says('good'), says('good', 'fine'));
  const ran = await run(home);
  assert.equal([ran.exit, decided(ran.events), outcomes(home)], [0, ['executor', 'executor'], [['kept', 'kept']]]);
  const reasons = ran.events.filter(({ type }) => type === 'failure.decided').map(({ data }) => data.reason);
  assert.equal(reasons, ['a new failure: first of 3 tries', 'a new failure: second of 3 tries']);
});

test('a wait is one wait for all cells that have it', async () => {
  const net = 'curl: (7) Failed to connect to 10.0.0.5 port 6443: Connection refused';
  const command = `[ $MENDLOOP_ATTEMPT = 3 ] || { echo "${net}"; exit 7; }`;
  const { home } = fleet({ command, count: 4 });
  const ran = await run(home, {}, { clock: fakeClock() });
  assert.equal([ran.exit, decided(ran.events)], [0, ['wait', 'wait']]);
});

test('a green cell that the trial made stale runs before another failed cell is decided, also with one worker', async () => {
  const others = 'case $MENDLOOP_MATRIX_HOST in h01) word=good ;; h02) word=fine ;; *) exit 0 ;; esac';
  const command = `${NOTE}; ${others}; grep -q "^$word$" ${FILE} || { echo "error: no $word in ${FILE}"; exit 1; }`;
  const { home, probe } = fleet({ command, count: 3, workers: 1, more: { on_failure: 'skip' } });
  const before = await run(home, { ai: false });
  assert.equal(statuses(before.stages.stages.a), ['failed', 'failed', 'green']);
  probe.answers(says('good'), says('good', 'fine'));
  const ran = await run(home);
  assert.equal([ran.exit, outcomes(home)], [0, [['kept'], ['kept']]]);
  const order = ran.events.filter(({ type }) => /^(?:failure\.decided|step\.done)$/.test(type)).map((e) => e.step);
  assert.ok(order.indexOf(step('h03')) < order.indexOf(step('h02')), order.join(' '));
});

test('a cell that fails while an accepted change waits for it to end runs again with that change', async () => {
  const pauses = 'case $MENDLOOP_MATRIX_HOST in h01) sleep 0.3; exit 0 ;; h02) sleep 1.5 ;; esac';
  const { home, probe } = fleet({ command: `${NOTE}; ${pauses}; bash check.sh ${FILE}`, count: 3, workers: 1 });
  const map = readFileSync(join(home, 'ai/context_map.yaml'), 'utf8');
  commit(home, { 'ai/context_map.yaml': map.replace('"command"', '"always":true,"unattended":"none","command"') });
  probe.answers(says('good'));
  assert.is((await run(home)).exit, 3);
  const [name] = readdirSync(join(home, 'ai/escalations')).filter((each) => each !== '.gitignore') as [string];
  let isLeft = false;
  const leave = (event: LoopEvent) => {
    if (isLeft || event.type !== 'attempt.started' || event.step !== step('h02')) return;
    isLeft = true;
    leaveAnswer(layoutOf(home), { case: name, what: 'accept', at: 'terminal' }, Date.now());
  };
  const ran = await run(home, { workers: 2 }, { subscribers: [leave] });
  const judged = ran.events.filter(({ type }) => type === 'fix.judged').map(({ data }) => [data.outcome, data.left]);
  assert.equal([ran.exit, isLeft, judged], [0, true, [['kept', undefined]]]);
});

/** Killed right after the first event of this type. */
function killedAfter(home: string, type: string): Promise<string | null> {
  const child = spawn(process.execPath, [...program('run-until'), home, type], { stdio: 'inherit' });
  return new Promise((done) => child.once('close', (_code, signal) => done(signal)));
}

test('killed while a fix is judged, the next start tries it again, asks nobody, and judges it by all of them', async () => {
  const { home, probe } = fleet({ command: wants('good', 'fine', 'h03'), count: 4 });
  probe.answers(says('good'), says('good', 'fine'));
  // The first cell that is green with the fix.
  assert.is(await killedAfter(home, 'step.done'), 'SIGKILL');
  assert.is(probe.asked().length, 1);
  const ran = await run(home);
  assert.equal([ran.exit, probe.asked().length, outcomes(home)], [0, 2, [['kept', 'kept']]]);
  const events = journalIn(home, readdirSync(`${home}/ai/state/runs`)[0] as string);
  const judged = events.filter(({ type }) => type === 'fix.judged').map(({ data }) => data.reason);
  assert.equal(judged.slice(0, 2), [
    'the loop was stopped before it could be judged',
    'green with it: h01 h02; not: h03 h04',
  ]);
});

test('status and explain tell of a matrix in one line with counts, and of its cells on request', async () => {
  const { home } = fleet({
    command: wants('second', 'fine', 'h06'),
    count: 8,
    more: { on_failure: 'skip' },
  });
  const ran = await run(home, { ai: false });
  assert.is(ran.exit, 1);
  const said = async (...words: string[]) =>
    (await runHere(words, home, { PATH: process.env.PATH })).stdout.split('\n');
  const whole = await said('status');
  assert.match(whole[1] ?? '', /^a {2}failed {2}just now {2}5 green, 3 failed: h06 h07 h08, took /);
  assert.match(whole[2] ?? '', /^a on h06 h07 h08: exit code 1$/);
  assert.is(whole.filter((line) => line.includes('no usable word')).length, 1, 'the failure once');
  const cells = (await said('status', 'a')).filter((line) => line.startsWith('a[host='));
  assert.is(cells.length, 8);
  for (const word of ['a[host=h07]', 'a[h07]']) {
    const [, row, why] = await said('status', word);
    assert.match(row ?? '', /^a\[host=h07\] {2}failed /);
    assert.is(why, 'a[host=h07]: exit code 1');
  }
  assert.match((await said('status', 'a[h01]')).join('\n'), /\na\[host=h01\]: log: ai\/logs\/a\/host=h01\//);
  const [, told] = await said('explain', 'a');
  assert.is(told, 'last on h06 h07 h08 of a; now 3 failed: h06 h07 h08');
  assert.equal(await said('explain', 'a[h08]'), await said('explain', 'a'));
  assert.is((await said('explain', 'a[h01]'))[0], 'a[host=h01] has no failure');
  assert.match((await said('logs', 'a[h08]'))[0] ?? '', 'no usable word');
  const { exit, stderr } = await runHere(['status', 'a[h09]'], home, { PATH: process.env.PATH });
  const unknown = 'error E_UNKNOWN_STAGE: there is no stage or command "a[h09]"; did you mean "a"?';
  assert.equal([exit, stderr.split('\n')[0]], [2, unknown]);
});

test.run();
