// What a run says is so: its first line, what it found green, why a stage did not start.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run as cases } from '../../src/cli/cases.ts';
import type { Answer } from '../../src/cli/command.ts';
import { run as status } from '../../src/cli/status.ts';
import { formatError } from '../../src/errors.ts';
import { explainFailure } from '../../src/inspect/explain.ts';
import { explainPlan } from '../../src/inspect/plan.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { recordAction } from '../../src/journal/journal.ts';
import { readLedger } from '../../src/journal/ledger-file.ts';
import { loadStages } from '../../src/journal/load-stages.ts';
import { answerCase, declineCase } from '../../src/run/answer-case.ts';
import { runStages } from '../../src/run/run.ts';
import { verifyStages } from '../../src/run/verify-stages.ts';
import type { LedgerEntry } from '../../src/triage/ledger.ts';
import { plainLines } from '../console/watched.ts';
import { failuresIn, homelab, type Ran, reconfigure, run } from './homelab.ts';
import { mendable, says } from './probe.ts';

const lines = (ran: Ran): string[] => plainLines(ran.events as never).out;
const row = (ran: Ran, step: string): string | undefined =>
  lines(ran)
    .findLast((line) => line.startsWith(`${step} `))
    ?.replace(/ {2,}/g, '  ');

function verify(home: string, report: Parameters<typeof verifyStages>[2]) {
  const { signal } = new AbortController();
  const ports = { clock: systemClock, env: process.env, labTools: '', graceMs: 300, signal, subscribers: [] };
  const selection = { stages: [], withNeeds: false, forced: false, recheck: true };
  return verifyStages({ ...selection, home, command: 'test', ai: true }, ports, report);
}

test('the first line names the stages in the order in which they run', async () => {
  const home = homelab({
    last: { command: 'true', needs: ['middle'] },
    middle: { command: 'true', needs: ['first'] },
    first: { command: 'true' },
    urgent: { command: 'true', priority: 5 },
  });
  const ran = await run(home);
  assert.match(lines(ran)[0] ?? '', / begins: urgent → first → middle → last$/);
  const started = ran.events.filter(({ type }) => type === 'step.started').map(({ step }) => step);
  assert.equal(started, ['urgent', 'first', 'middle', 'last']);
});

test('only what was checked still holds', async () => {
  const home = homelab({ blind: { command: 'true' }, seen: { command: 'true', verify: ['true'] } });
  await run(home);
  const again = await run(home);
  assert.match(row(again, 'blind') ?? '', /^blind {2}green {2}since \d\d:\d\d, nothing to check$/);
  assert.is(row(again, 'seen'), 'seen  green  still holds');
  const unseen = await run(home, { recheck: false });
  assert.match(row(unseen, 'seen') ?? '', /^seen {2}green {2}since \d\d:\d\d, not checked$/);
  assert.equal([again.stages.stages.blind?.unchecked, again.stages.stages.seen?.unchecked], [true, undefined]);
  reconfigure(home, { blind: { command: 'true', verify: ['true'] }, seen: { command: 'true', verify: ['true'] } });
  assert.is((await run(home)).stages.stages.blind?.unchecked, undefined);
});

test('status, plan and verify say where there is nothing to check', async () => {
  const home = homelab({ blind: { command: 'true' }, seen: { command: 'true', verify: ['true'] } });
  await run(home);
  const { text } = await status({ words: [], options: {}, layout: () => layoutOf(home) } as never);
  const told = (text as string[]).filter((line) => / green /.test(line)).map((line) => /nothing to check$/.test(line));
  assert.equal(told, [true, false]);
  const selection = { stages: [], withNeeds: false, forced: false, recheck: true };
  const { rows } = await explainPlan(home, selection);
  assert.equal(
    rows.map(({ why }) => why),
    ['green; nothing to check', 'green; its checks are run again'],
  );
  const checked: boolean[] = [];
  const look = async () => (await verify(home, (verification) => void checked.push(verification.checked))).left;
  assert.equal([await look(), checked], [[], [false, true]]);
  const fails = { command: 'exit 1', matrix: { host: ['h1', 'h2', 'h3'] } };
  reconfigure(home, { blind: { command: 'true' }, fails, after: { command: 'true', needs: ['fails'] } });
  await run(home);
  assert.equal(await look(), [
    { name: 'fails[host=h1]', why: 'failed: exit code 1' },
    { name: 'fails on h2 h3', why: 'never run' },
    { name: 'after', why: 'was skipped: needs fails[host=h1], which failed' },
  ]);
});

test('verify shows the last lines of a check that printed more than a pipe holds', async () => {
  const home = homelab({ a: { command: 'true', verify: ['test ! -e ../../broken || { seq 400000; exit 1; }'] } });
  await run(home);
  writeFileSync(join(home, 'broken'), '');
  const shown: string[][] = [];
  await verify(home, ({ last_lines }) => void shown.push(last_lines));
  assert.equal(shown, [['399998', '399999', '400000']]);
});

test('a stage that did not start says why in this run, not in an older one', async () => {
  const fails = { command: 'exit 1' };
  const home = homelab({ a: fails, b: { command: 'true', needs: ['a'] } }, { executors: [] });
  await run(home);
  reconfigure(home, { a: { command: 'true' }, b: { command: 'true', needs: ['a'] }, z: { ...fails, priority: 9 } });
  const ran = await run(home);
  const { a, b } = ran.stages.stages;
  assert.equal([b?.status, b?.reason], ['skipped', 'the run stopped before it: z failed']);
  assert.equal([a?.status, a?.reason], ['failed', 'the run stopped before it: z failed']);
  assert.ok(lines(ran).some((line) => line.startsWith('failed: 1 failed, 2 not started  ')));
});

test('a stage that was interrupted or is green keeps its own reason when a run stops before it', async () => {
  const home = homelab({ a: { command: 'true' }, z: { command: 'true' } }, { executors: [] });
  await run(home);
  reconfigure(home, { a: { command: 'true' }, z: { command: 'exit 1', priority: 9 } }, { executors: [] });
  const ran = await run(home);
  assert.equal([ran.stages.stages.a?.status, ran.stages.stages.a?.reason], ['green', undefined]);
  assert.not.ok(ran.trail.includes('stage.skipped a'));
});

test('status does not say of a stage that was given up that it is being mended', async () => {
  const { home, probe } = mendable({ word: 'one', loop: { escalations: [], limits: { executor_tries: 1 } } });
  probe.answers({ words: { one: [says('two')], two: [says('one', 'back again')] } });
  const ran = await run(home);
  assert.equal(ran.stages.stages.a?.status, 'give_up');
  const { text } = await status({ words: [], options: {}, layout: () => layoutOf(home) } as never);
  const shown = (text as string[]).join('\n');
  assert.match(shown, 'unexpected word one', 'the failure that came back');
  assert.not.match(shown, 'is being mended');
});

test('where nothing runs unattended nobody says that a fix is being made which waits for a word', async () => {
  const { home, probe } = mendable({ word: 'one', loop: { unattended: 'none' } });
  probe.answers(says('good'));
  let shown = '';
  const person = async () => {
    const { text } = await status({ words: [], options: {}, layout: () => layoutOf(home) } as never);
    shown = (text as string[]).join('\n');
    return 'apply' as const;
  };
  const ran = await run(home, {}, { person });
  assert.match(shown, '\na: a fix waits for your word, at the terminal of the run\n    ');
  assert.not.match(shown, 'is being mended');
  assert.is(ran.exit, 0);
});

test('a case that was declined or answered is not called open; of a stage that is gone it names the way out', async () => {
  const { home, probe } = mendable({ word: 'one', loop: { unattended: 'none' } });
  probe.answers(says('good'));
  await run(home);
  const shown = async () => {
    const { text } = await status({ words: [], options: {}, layout: () => layoutOf(home) } as never);
    return (text as string[]).join('\n');
  };
  const [{ case: name = '' } = {}] = failuresIn(home);
  const request = { home, case: name, answer: undefined, command: 'test', dry: false };
  const ports = { clock: systemClock, env: process.env, graceMs: 300 };
  await answerCase(request, ports);
  assert.match(await shown(), `left for the next run: case ${name} is answered: that is applied first\n`);
  assert.match(await shown(), '\n    next:  mendloop a');
  reconfigure(home, { b: { command: 'true' } });
  const refused = await answerCase({ ...request, answer: 'x' }, ports).catch((error) => formatError(error));
  assert.is(
    refused,
    `error E_CASE_BROKEN: the case ${name} cannot be used: its stage a is not in the map any more
  next:  look into ai/escalations/${name}; to be rid of it, reset its stage: mendloop reset a`,
  );
  const input = {
    words: ['decline', name],
    options: {},
    home: () => home,
    layout: () => layoutOf(home),
    dry: true,
    line: 'test',
  };
  const { text } = (await cases(input as never)) as Answer;
  assert.is((text as string[])[1], 'its stage a is not in ai/context_map.yaml any more, so nothing else is tried');
  await declineCase(request, ports);
  assert.match(await shown(), `left for the next run: case ${name} is closed: declined by its owner (terminal)\n`);
  assert.match(await shown(), /^a {2}failed .* not in ai\/context_map\.yaml any more$/m);
});

test('a stage that must not run twice is not left for the next run, and retry is what runs it', async () => {
  const home = homelab({ once: { command: 'echo "error: half done"; exit 1', rerun: false } }, { executors: [] });
  const ran = await run(home, { ai: false });
  const told = lines(ran).join('\n');
  assert.match(
    told,
    '    waits for you: the AI is switched off for this run; not run again by itself (rerun: false)\n',
  );
  assert.match(told, '\n  next:  look at its log, then: mendloop retry once');
  const { ledger } = readLedger(layoutOf(home));
  const [entry] = Object.values(ledger.entries) as [LedgerEntry];
  const { next } = await explainFailure(entry, ledger, layoutOf(home), { now: Date.now(), ai: true, env: {} });
  assert.equal(
    ['exit' in next && next.exit, 'reason' in next && next.reason],
    [3, 'not run again by itself (rerun: false); use retry'],
  );
});

test('what was committed while a first run began is in it', async () => {
  const home = homelab({ a: { command: 'true' } });
  const selection = { stages: [], withNeeds: false, forced: false, recheck: true };
  const signal = new AbortController().signal;
  const ports = { clock: systemClock, env: process.env, labTools: '', graceMs: 300, signal, subscribers: [] };
  const report = await runStages(
    {
      ...selection,
      home,
      ai: true,
      // Asked for when the lock is taken.
      get command() {
        reconfigure(home, { b: { command: 'true' } });
        return 'test';
      },
    },
    ports,
  );
  assert.equal(Object.keys(report.stages.stages), ['b']);
});

test('plan says why a stage no longer stands, not why the last run did not come to it', async () => {
  const b = { command: 'true', needs: ['a'], verify: ['true'] };
  const home = homelab({ a: { command: 'true' }, b }, { executors: [] });
  await run(home);
  const ports = { clock: systemClock, env: process.env, labTools: '', graceMs: 300, subscribers: [] };
  const state = layoutOf(home);
  recordAction(
    { layout: state, stages: loadStages(state).state, clock: ports.clock },
    { type: 'stage.stale', stage: 'b', status: 'idle', data: { why: 'its files changed', commit: 'x' } },
  );
  reconfigure(home, { a: { command: 'exit 1' }, b }, { executors: [] });
  await run(home);
  const { rows } = await explainPlan(home, { stages: [], withNeeds: false, forced: false, recheck: true });
  assert.is(rows[1]?.why, 'no longer stands: its files changed');
});

test('an attempt that is simply tried again leaves its fingerprint too', async () => {
  const again = { on_failure: 'retry', retry: { max_attempts: 3 } };
  const command = 'echo "error: number $MENDLOOP_ATTEMPT$MENDLOOP_ATTEMPT is wrong"; [ "$MENDLOOP_ATTEMPT" = 3 ]';
  const home = homelab({ a: { command, ...again } }, { executors: [] });
  const ran = await run(home);
  assert.is(ran.exit, 0);
  const seen = ran.events.filter(({ type }) => type === 'failure.seen');
  assert.equal(
    seen.map(({ attempt, data }) => [attempt, data.log]),
    [1, 2].map((n) => [n, `ai/logs/a/${ran.run}-${n}.log`]),
  );
  assert.equal(ran.events.filter(({ type }) => type === 'failure.decided').length, 0);
  assert.is(
    failuresIn(home).reduce((sum, { times_seen }) => sum + times_seen, 0),
    2,
  );
});

test.run();
