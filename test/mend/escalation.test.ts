// A failure that the executors do not mend goes on to an escalation, as a case: real stages, real commits, an escalation
// that answers as told.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { openCaseStore } from '../../src/mend/case-store.ts';
import { setSafeMode } from '../../src/mend/safe-mode.ts';
import type { CaseSummary } from '../../src/outbound/case-summary.ts';
import { answerCase } from '../../src/run/answer-case.ts';
import { resetStages } from '../../src/run/reset-stages.ts';
import type { AnyEvent } from '../journal/any-event.ts';
import { failuresIn, run } from '../run/homelab.ts';
import {
  decided,
  FILE,
  fixTrail,
  type Mendable,
  mendable,
  type Probe,
  probe,
  probePlugin,
  says,
  stageOn,
} from '../run/probe.ts';
import { git } from '../worktree/repository.ts';

interface Escalating extends Mendable {
  oncall: Probe;
}

/** The executor has nothing to say, once; then the escalation is called. */
function escalating(
  options: { word?: string; loop?: object; stage?: object; files?: Record<string, string> } = {},
): Escalating {
  const oncall = probe('oncall');
  const made = mendable({
    ...(options.word ? { word: options.word } : {}),
    stages: { a: stageOn(FILE, options.stage ?? {}) },
    loop: { escalations: ['oncall'], limits: { executor_tries: 1 }, ...options.loop },
    more: { oncall: { folder: oncall.folder } },
    files: { 'plugins/escalations/oncall.mjs': probePlugin('oncall', 'escalate'), ...options.files },
  });
  return { ...made, oncall };
}

const patch = (word: string) => ({
  answer: `\`\`\`diff\n--- a/${FILE}\n+++ b/${FILE}\n@@\n-bad\n+${word}\n second\n\`\`\`\nFix: Say ${word}\nReason: it is wanted\n`,
});
const summaries = (home: string): CaseSummary[] =>
  openCaseStore(layoutOf(home))
    .list()
    .flatMap((one) => ('summary' in one ? [one.summary] : []));
const told = (events: readonly AnyEvent[], type: string) => events.filter((event) => event.type === type);

test('a patch of an escalation is applied, committed with its case, and verified', async () => {
  const { home, oncall, tree } = escalating();
  oncall.answers(patch('good'));
  const ran = await run(home);
  assert.equal([ran.exit, tree()], [0, 'good\nsecond\n']);
  assert.equal(decided(ran.events), ['executor', 'escalation']);
  const [asked] = oncall.asked();
  assert.is(asked?.case?.version, 1);
  assert.match(asked?.case?.text as string, /^# a failed: config_error, exit 1\n/);
  assert.match(asked?.case?.text as string, 'error: unexpected word bad in conf/a.txt');
  const body = git(home, 'log', '-1', '--format=%B', 'ai/orchestrator-stage1');
  assert.match(body, `Tier: escalation\nPlugin: oncall\nAttempt: 1\nRun: ${ran.run}\nCase: ${asked?.case?.name}\n`);
  const [summary] = summaries(home);
  assert.equal([summary?.state, summary?.answers, summary?.calls], ['closed', ['patch'], 1]);
  const folder = join(home, 'ai/escalations', asked?.case?.name as string);
  assert.is(readFileSync(join(folder, 'case_v1.md'), 'utf8'), asked?.case?.text);
  assert.match(readFileSync(join(folder, 'patch.diff'), 'utf8'), '+good');
  assert.match(readFileSync(join(folder, 'response.json'), 'utf8'), '"plugin": "oncall"');
});

test('a text that does not parse in a file that no fix may change is handed over with a case, and nobody else is asked', async () => {
  const error = 'inventory/hosts.yml: yaml: line 2: did not find expected key';
  const {
    home,
    oncall,
    probe: executor,
  } = escalating({
    stage: { command: `echo '${error}' >&2; exit 1` },
    files: { 'inventory/hosts.yml': 'all:\n  hosts: [\n' },
  });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  assert.equal([executor.asked(), oncall.asked()], [[], []]);
  const [{ data } = { data: undefined }] = told(ran.events, 'failure.decided');
  const allow =
    'to let fixes change it, add "inventory/hosts.yml" to files of a in ai/context_map.yaml, commit, then: mendloop reset a';
  const reason = `the error is in inventory/hosts.yml, which no fix may change; ${allow}`;
  assert.equal([data?.why, data?.reason], ['out_of_reach', reason]);
  const [summary] = summaries(home);
  assert.equal([summary?.state, summary?.why], ['open', `mendloop: ${reason}`]);
  assert.match(readFileSync(join(home, 'ai/escalations', summary?.case as string, 'case_v1.md'), 'utf8'), error);
  const again = await run(home);
  assert.equal([again.exit, told(again.events, 'case.opened').length], [3, 0]);
});

test('a stage without files asks nobody: a case says at once what lets fixes in', async () => {
  const { home, oncall, probe: executor } = escalating({ stage: { files: [] } });
  const ran = await run(home);
  assert.equal([ran.exit, decided(ran.events)], [3, ['out_of_reach']]);
  assert.equal([executor.asked(), oncall.asked()], [[], []]);
  assert.is(
    summaries(home)[0]?.why,
    `mendloop: a has no files that a fix may change; to let fixes change it, add "${FILE}" to files of a in ai/context_map.yaml, commit, then: mendloop reset a`,
  );
});

test('diagnostics that are asked for come back once, as version 2, the forbidden ones named and not run', async () => {
  const marker = join(probe().folder, 'ran');
  const { home, oncall } = escalating({ stage: { diagnostics: ['echo "seen by the owner"'] } });
  const wish = {
    diagnostics: [
      ['uname', '-s'],
      ['touch', marker],
      ['kubectl', 'delete', 'pods', '--all'],
    ],
  };
  oncall.answers(wish, wish, patch('good'));
  const ran = await run(home);
  const [first, second, third] = oncall.asked();
  assert.match(first?.case?.text as string, 'seen by the owner');
  assert.equal([second?.case?.version, third?.case?.version], [2, 1]);
  assert.match(second?.case?.text as string, 'Linux');
  assert.match(second?.case?.text as string, 'seen by the owner');
  assert.match(second?.case?.text as string, /touch[^\n]*/);
  assert.not.ok(existsSync(marker));
  assert.equal([ran.exit, oncall.asked().length], [0, 3]);
  assert.equal(summaries(home)[0]?.versions, [1, 2]);
});

test('a patch that does not apply gets one more word with the reason; both calls count', async () => {
  const { home, oncall } = escalating();
  const wrong = { answer: `\`\`\`diff\n--- a/${FILE}\n+++ b/${FILE}\n@@\n-worse\n+good\n second\n\`\`\`\n` };
  oncall.answers(wrong, patch('good'));
  const ran = await run(home);
  assert.is(ran.exit, 0);
  assert.equal(
    oncall.asked().map(({ refused }) => refused.map(({ code }) => code)),
    [[], ['not_found']],
  );
  assert.equal(fixTrail(ran.events).slice(0, 2), ['fix.refused not_found', 'fix.intended']);
});

test('an answer that cannot be read spends its call; asking again is another one, and there may be none left', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ unreadable: 'it is empty' }, patch('good'));
  const ran = await run(home);
  assert.equal([ran.exit, told(ran.events, 'escalation.called').length], [0, 2]);
  assert.equal(
    oncall.asked().map(({ refused }) => refused),
    [[], [{ code: 'unreadable', reasons: ['it is empty'] }]],
  );
  assert.equal(summaries(home)[0]?.answers, ['unreadable', 'patch']);
  const last = escalating({ loop: { limits: { executor_tries: 1, escalation_calls: 1 } } });
  last.oncall.answers({ unreadable: 'it is empty' }, patch('good'));
  const { exit } = await run(last.home);
  assert.equal([exit, last.oncall.asked().length, failuresIn(last.home)[0]?.escalation_calls], [3, 1, 1]);
});

test('always wrong: never more than three calls for one failure, over twenty runs, then given up', async () => {
  const { home, oncall } = escalating({ loop: { limits: { executor_tries: 1, escalation_calls: 3 } } });
  oncall.answers({ answer: '```yaml\nwithout an end\n' });
  let last = await run(home);
  for (let n = 0; n < 19; n++) last = await run(home);
  assert.is(oncall.asked().length, 3);
  assert.equal([last.exit, last.stages.stages.a?.status], [3, 'give_up']);
  assert.is(summaries(home)[0]?.state, 'given_up');
});

test('each fix tells the attempt it follows, each call is kept, and the case of what is given up names the last log', async () => {
  const {
    home,
    oncall,
    probe: executor,
  } = escalating({ loop: { limits: { executor_tries: 3, escalation_calls: 2 } } });
  const change = (second: string) => ({ files: { [FILE]: `bad\n${second}\n` }, note: { fix: second, reason: 'x' } });
  const unclear = { answer: '```yaml\nwithout an end\n' };
  executor.answers(change('one'), unclear, unclear, unclear, change('two'), { pass: 'enough' });
  oncall.answers(change('three'), change('four'));
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [3, 'give_up']);
  const fixes = ran.events.filter(({ type }) => type === 'fix.committed');
  assert.equal(
    fixes.map(({ attempt, data }) => [attempt, (data.note as { fix: string }).fix]),
    ['one', 'two', 'three', 'four'].map((fix, i) => [i + 1, fix]),
  );
  const folder = join(home, 'ai/logs/executor');
  const kept = readdirSync(folder).map((name) => name.replace(`${ran.run}-`, ''));
  assert.equal(kept.sort(), [
    ...['a-1-probe-1.md', 'a-2-probe-1.md', 'a-2-probe-2.md', 'a-2-probe-3.md', 'a-2-probe-4.md'],
    ...['a-3-oncall-1.md', 'a-4-oncall-1.md'],
  ]);
  assert.is(kept.length, executor.asked().length + oncall.asked().length);
  const [summary] = summaries(home);
  const text = readFileSync(join(home, 'ai/escalations', summary?.case as string, 'case_v1.md'), 'utf8');
  assert.match(text, `Whole log: ai/logs/a/${ran.run}-5.log`);
});

test('the checks of a stage that was given up do not drift', async () => {
  const { home, oncall } = escalating({
    stage: { verify: ['false'] },
    loop: { limits: { executor_tries: 1, escalation_calls: 1 } },
  });
  oncall.answers({ answer: 'I do not know.' });
  await run(home);
  const again = await run(home);
  assert.equal([again.exit, again.stages.stages.a?.status], [3, 'give_up']);
  assert.equal(again.trail, ['step.failed a', 'stage.failed a']);
});

test('two patches without effect are enough, whatever calls are left', async () => {
  const { home, oncall, tree } = escalating({ loop: { limits: { executor_tries: 1, escalation_calls: 9 } } });
  const noEffect = (second: string) => ({ files: { [FILE]: `bad\n${second}\n` }, note: { fix: second, reason: 'x' } });
  oncall.answers(noEffect('one'), noEffect('two'), noEffect('three'));
  const ran = await run(home);
  assert.equal([ran.exit, oncall.asked().length, tree()], [3, 2, 'bad\nsecond\n']);
  assert.equal(decided(ran.events).at(-1), 'give_up');
  // Each is told of what came before it.
  assert.match(oncall.asked()[1]?.case?.text as string, 'one');
});

test('a hand-over opens a case: exit 3, the stage runs once each run, nobody is called again; green closes it', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ hand_over: 'the word must be agreed on' });
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [3, 'failed']);
  const [opened] = told(ran.events, 'case.opened');
  assert.match(String(opened?.data.why), 'the word must be agreed on');
  const again = await run(home);
  assert.equal([again.exit, oncall.asked().length, again.stages.stages.a?.attempts], [3, 1, 1]);
  assert.equal(decided(again.events), ['open_case']);
  assert.equal(told(again.events, 'case.opened').length, 0);
  const { commit } = await import('../worktree/repository.ts');
  commit(home, { [FILE]: 'good\nsecond\n' });
  const green = await run(home);
  assert.equal([green.exit, told(green.events, 'case.closed').length], [0, 1]);
  assert.is(failuresIn(home)[0]?.case, undefined);
});

test('what only a person may decide waits in a case with the patch', async () => {
  const { home, oncall } = escalating({
    files: {
      'conf/kustomization.yaml': 'resources:\n  - one.yaml\n  - two.yaml\n',
      'conf/one.yaml': 'a: 1\n',
      'conf/two.yaml': 'a: 2\n',
    },
  });
  const removal = {
    answer:
      '```diff\n--- a/conf/kustomization.yaml\n+++ b/conf/kustomization.yaml\n@@\n resources:\n   - one.yaml\n-  - two.yaml\n```\n',
  };
  oncall.answers(removal);
  const ran = await run(home);
  assert.is(ran.exit, 3);
  assert.match(String(told(ran.events, 'case.opened')[0]?.data.why), 'a fix waits for your word');
  const name = String(told(ran.events, 'case.opened')[0]?.data.case);
  assert.match(readFileSync(join(home, 'ai/escalations', name, 'patch.diff'), 'utf8'), '-  - two.yaml');
});

test('an escalation that cannot be reached spends no call; the next one is asked, and without one it is exit 1', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ throw: 'no line' });
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [1, 'failed']);
  assert.equal(decided(ran.events).at(-1), 'no_escalation');
  assert.is(failuresIn(home)[0]?.escalation_calls, 0);
  assert.match(String(told(ran.events, 'plugin.failed')[0]?.data.reason), /^oncall: no line/);
  oncall.answers(patch('good'));
  assert.is((await run(home)).exit, 0);
});

test('a person answers an open case: through the gate, applied first in the next run, judged as any fix', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ hand_over: 'you do it' });
  const ran = await run(home);
  const name = String(told(ran.events, 'case.opened')[0]?.data.case);
  const answer = (text: string | undefined, of = name) =>
    answerCase(
      { home, case: of, answer: text, command: 'test', dry: false },
      { clock: systemClock, env: {}, graceMs: 300 },
    );
  const code = async (work: Promise<unknown>) =>
    work.then(
      () => 'taken',
      (error: { code: string }) => error.code,
    );
  assert.is(await code(answer(undefined)), 'E_CASE_NO_PATCH');
  assert.is(await code(answer('x', 'a-00000000')), 'E_CASE_UNKNOWN');
  assert.is(
    await code(answer('```diff\n--- a/check.sh\n+++ b/check.sh\n@@\n-set -eu\n+set -u\n```\n')),
    'E_CASE_REFUSED',
  );
  assert.is(failuresIn(home)[0]?.case, name);
  await answer(patch('good').answer);
  assert.is(failuresIn(home)[0]?.case, undefined);
  const green = await run(home);
  assert.equal([green.exit, oncall.asked().length], [0, 1]);
  assert.equal(fixTrail(green.events), ['fix.intended', 'fix.committed', 'fix.judged kept']);
  assert.is(await code(answer(patch('good').answer)), 'E_CASE_CLOSED');
});

test('reset closes the case and starts the counters anew', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ hand_over: 'you do it' });
  await run(home);
  await resetStages({ home, stages: ['a'], command: 'test' }, { clock: systemClock, graceMs: 100 });
  assert.equal(
    summaries(home).map((one) => one.state),
    ['closed'],
  );
  oncall.answers(patch('good'));
  assert.is((await run(home)).exit, 0);
  assert.is(oncall.asked()[0]?.case?.version, 1);
});

test('where nothing runs unattended a fix is left as a case when nobody is there, and taken from it by a word', async () => {
  const { home, probe: executor } = mendable({ loop: { unattended: 'none' } });
  executor.answers(says('good'));
  const ran = await run(home);
  assert.equal([ran.exit, fixTrail(ran.events)], [3, ['fix.suggested']]);
  const [summary] = summaries(home);
  assert.is(summary?.state, 'open');
  assert.is((await run(home)).exit, 3);
  assert.is(executor.asked().length, 1);
  const request = { home, case: summary?.case as string, answer: undefined, command: 'test', dry: false };
  await answerCase(request, { clock: systemClock, env: {}, graceMs: 300 });
  const green = await run(home);
  assert.equal([green.exit, executor.asked().length], [0, 1]);
});

test('where nothing runs unattended a person who is there is asked: yes applies, no is not asked for the same again', async () => {
  const { home, probe: executor } = mendable({ loop: { unattended: 'none' } });
  executor.answers(says('worse'), says('worse'), says('good'));
  const shown: string[] = [];
  const words = ['decline', 'apply'] as const;
  const ran = await run(
    home,
    {},
    {
      person: async ({ note, diff }) => {
        shown.push(`${note.fix} ${/^\+.*$/m.exec(diff.replace(/^\+\+\+.*$/m, ''))?.[0]}`);
        return words[shown.length - 1] ?? 'leave';
      },
    },
  );
  assert.equal(shown, ['Say worse +worse', 'Say good +good']);
  assert.equal([ran.exit, failuresIn(home)[0]?.patches.map(({ outcome }) => outcome)], [0, ['declined', 'kept']]);
});

test('cells that fail alike at once are seen to one after the other: one try, one case, one question', async () => {
  const oncall = probe('oncall');
  const { home, probe: executor } = mendable({
    stages: { a: stageOn(FILE, { matrix: { host: ['x', 'y', 'z'] }, on_failure: 'skip' }) },
    loop: { workers: 3, escalations: ['oncall'], limits: { executor_tries: 1 } },
    more: { oncall: { folder: oncall.folder } },
    files: { 'plugins/escalations/oncall.mjs': probePlugin('oncall', 'escalate') },
  });
  executor.answers({ answer: 'No idea.' });
  oncall.answers({ hand_over: 'you do it' });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  assert.equal([failuresIn(home)[0]?.executor_tries, oncall.asked().length], [1, 1]);
  assert.is(told(ran.events, 'case.opened').length, 1);
  const suggesting = mendable({
    stages: { a: stageOn(FILE, { matrix: { host: ['x', 'y', 'z'] } }) },
    loop: { workers: 3, unattended: 'none' },
  });
  suggesting.probe.answers(says('good'));
  let asked = 0;
  const mended = await run(
    suggesting.home,
    {},
    {
      person: async () => {
        asked += 1;
        return 'apply';
      },
    },
  );
  assert.equal([mended.exit, asked], [0, 1]);
});

test('safe mode that goes on while somebody thinks keeps the fix from being applied', async () => {
  const { home, probe: executor, subjects } = mendable({ loop: { unattended: 'none' } });
  executor.answers(says('good'));
  const layout = layoutOf(home);
  const person = async () => {
    setSafeMode(layout, { since: new Date().toISOString(), by: 'hand', why: 'wait' });
    return 'apply' as const;
  };
  const ran = await run(home, {}, { person });
  assert.equal([ran.exit, subjects()], [3, []]);
  assert.is(decided(ran.events).at(-1), 'safe_mode');
});

test('a call that was late or answered nonsense is spent: a paid host is not asked for ever', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ give: { nonsense: true } });
  for (let n = 0; n < 5; n++) await run(home);
  assert.is(oncall.asked().length, 3);
  assert.is(failuresIn(home)[0]?.escalation_calls, 3);
});

test('many tries end in order, too', async () => {
  const { home, probe: executor } = mendable({ loop: { limits: { executor_tries: 20 } } });
  executor.answers({ answer: 'No idea.' });
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [3, 'give_up']);
});

test('names are never masked, though a carried value be one of them; words are', async () => {
  const map = { stages: { a: stageOn() }, carry: ['.env'] };
  const { home, oncall } = escalating({
    files: { 'ai/context_map.yaml': JSON.stringify(map), '.gitignore': '.env\n' },
  });
  writeFileSync(join(home, '.env'), 'PLATFORM=executor\nOTHER=provisional\nWORD=unexpected word\n');
  oncall.answers({ diagnostics: [['uname']] }, { hand_over: 'you do it' });
  const ran = await run(home);
  assert.is(ran.exit, 3);
  const excerpt = String(told(ran.events, 'failure.seen')[0]?.data.excerpt);
  assert.match(excerpt, /^error: SECRET_\w+_END bad/);
  assert.equal(decided(ran.events), ['executor', 'escalation', 'open_case']);
});

test('an answer that holds what stands for a masked value is refused; the latest answer counts', async () => {
  const { home, oncall } = escalating();
  oncall.answers({ hand_over: 'you do it' });
  const ran = await run(home);
  const name = String(told(ran.events, 'case.opened')[0]?.data.case);
  const answer = (text: string) =>
    answerCase(
      { home, case: name, answer: text, command: 'test', dry: false },
      { clock: systemClock, env: {}, graceMs: 300 },
    );
  const masked = patch('SECRET_abcdefgh_1_token_END').answer;
  assert.is(await answer(masked).catch((error: { code: string }) => error.code), 'E_CASE_REFUSED');
  await answer(patch('worse').answer);
  await answer(patch('good').answer);
  const green = await run(home);
  assert.equal([green.exit, fixTrail(green.events)], [0, ['fix.intended', 'fix.committed', 'fix.judged kept']]);
});

test.run();
