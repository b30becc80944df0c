// Fixes that the owner must be asked about: they end the try at once, wait in a case, and are taken or declined by a person.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ask } from '../../src/fix/edit.ts';
import { systemClock } from '../../src/io/clock.ts';
import { layout as layoutOf } from '../../src/io/layout.ts';
import { openCaseStore } from '../../src/mend/case-store.ts';
import { answerCase, declineCase } from '../../src/run/answer-case.ts';
import type { Suggestion } from '../../src/stage/run.ts';
import { fakeClock } from '../run/builders.ts';
import { failuresIn, NOTE, ranSteps, run } from '../run/homelab.ts';
import {
  decided,
  FILE,
  fixTrail,
  type MendableOptions,
  mendable,
  probe as probeOf,
  probePlugin,
  ranWords,
  stageOn,
} from '../run/probe.ts';
import { commit, folder, git, read } from '../worktree/repository.ts';

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');
const LONG = `bad\n${LINES}`;
/** Takes away 30 lines: that is for the owner to decide, whatever runs unattended. */
const cut = (word: string) => ({
  files: { [FILE]: `${word}\n` },
  note: { fix: `Only say ${word}`, reason: 'the rest is in the way' },
});
/** Runs where everything may. */
const within = (word: string) => ({ ...cut(word), files: { [FILE]: `${word}\n${LINES}` } });
const MENDED = ['fix.intended', 'fix.committed', 'fix.judged kept'];

/** A stage whose file has lines to take away, and two executors. */
function asking(options: MendableOptions = {}) {
  const second = probeOf('second');
  const made = mendable({
    ...options,
    loop: { executors: ['probe', 'second'], ...options.loop },
    files: { [FILE]: LONG, 'plugins/executors/second.mjs': probePlugin('second'), ...options.files },
    more: { second: { folder: second.folder }, ...options.more },
  });
  return { ...made, second };
}

const PORTS = { clock: systemClock, env: {}, graceMs: 300 };
const accept = (home: string, name: string, answer?: string) =>
  answerCase({ home, case: name, answer, command: 'test', dry: false }, PORTS);
const decline = (home: string, name: string) => declineCase({ home, case: name, command: 'test', dry: false }, PORTS);
const openCase = (home: string): string => failuresIn(home).find((entry) => entry.case)?.case ?? 'none';
const caseOf = (home: string, name: string) => {
  const found = openCaseStore(layoutOf(home)).read(name);
  return found && 'summary' in found ? found.summary : undefined;
};

test('an ask ends the try at once, an open case with the reason: no other round, no other plugin, no escalation', async () => {
  const { home, probe, second, subjects } = asking();
  probe.answers(cut('good'), within('good'));
  second.answers(within('good'));
  const ran = await run(home);
  assert.equal(
    [ran.exit, fixTrail(ran.events), decided(ran.events), subjects()],
    [3, ['fix.suggested'], ['executor', 'open_case'], []],
  );
  assert.equal([probe.asked().length, second.asked().length], [1, 0]);
  const data = (type: string) => ran.events.find((event) => event.type === type)?.data;
  const ask = data('fix.suggested')?.ask as Ask;
  const [reason = ''] = ask.reasons;
  assert.match(reason, /\w/);
  const [entry] = failuresIn(home);
  assert.equal([data('case.opened')?.ask, entry?.executor_tries, entry?.suggestion?.ask], [ask, 1, ask]);
  const name = openCase(home);
  assert.equal(caseOf(home, name)?.suggested, {
    plugin: 'probe',
    tier: 'executor',
    note: cut('good').note,
    ask,
  });
  const said = String(data('step.failed')?.next);
  assert.equal(
    said.split('\n'),
    ['show', 'accept', 'decline'].map((verb) => `mendloop cases ${verb} ${name}`),
  );
  const [heading, , lead, , ...commands] = read(home, `ai/escalations/${name}/case_v1.md`).split('\n');
  assert.match(heading as string, /^# \w+ failed: /);
  assert.match(lead as string, /^\w+: a fix waits for your word: .+\. It is in patch\.diff beside this file\.$/);
  assert.equal(commands.slice(0, 2), [
    `- To have it tried, and the stage judge it: mendloop cases accept ${name}`,
    `- To go on without it: mendloop cases decline ${name}`,
  ]);
  const again = await run(home);
  assert.equal([again.exit, decided(again.events), probe.asked().length], [3, ['open_case'], 1]);
  assert.match(String(again.events.find(({ type }) => type === 'failure.decided')?.data.reason), reason);
});

test('of a stage that says none every change is asked about, though the loop says all; the others go on', async () => {
  const { home, probe, tree } = asking({
    stages: { a: stageOn(FILE, { unattended: 'none' }), z: { command: 'true' } },
  });
  probe.answers(within('good'));
  const ran = await run(home);
  assert.equal([ran.exit, fixTrail(ran.events), ran.stages.stages.z?.status], [3, ['fix.suggested'], 'green']);
  assert.is(failuresIn(home)[0]?.suggestion?.ask?.code, 'every_change');
  await accept(home, openCase(home));
  const accepted = await run(home);
  assert.equal([accepted.exit, fixTrail(accepted.events), tree()], [0, MENDED, `good\n${LINES}`]);
});

test('accepted: it is judged as the next run has it, which tries it without asking anybody', async () => {
  const { home, probe, second, tree } = asking();
  probe.answers(cut('good'));
  await run(home);
  const name = openCase(home);
  commit(home, { 'other.txt': 'of the owner\n' });
  const { fix } = await accept(home, name);
  assert.is(fix.note.fix, 'Only say good');
  assert.equal([caseOf(home, name)?.state, failuresIn(home)[0]?.suggestion], ['answered', undefined]);
  const ran = await run(home);
  assert.equal([ran.exit, fixTrail(ran.events), tree()], [0, MENDED, 'good\n']);
  assert.equal([probe.asked().length, second.asked().length, caseOf(home, name)?.state], [1, 0, 'closed']);
});

test('what stages had written into tracked files when the branch is put onto its base is written again, or to be made again', async () => {
  const { home, probe, tree } = asking({
    stages: {
      once: { command: `${NOTE}; echo token >> made/key.txt`, rerun: false },
      renders: { command: `${NOTE}; echo made > made/out.txt`, verify: ['true'] },
      a: stageOn(),
    },
    files: { 'made/key.txt': 'none\n', 'made/out.txt': 'none\n' },
  });
  probe.answers(cut('good'));
  await run(home);
  commit(home, { 'other.txt': 'of the owner\n' });
  await accept(home, openCase(home));
  const ran = await run(home);
  assert.equal([ran.exit, tree('made/key.txt'), tree('made/out.txt')], [0, 'none\ntoken\n', 'made\n']);
  assert.is(ranSteps(home).filter((step) => step === 'once').length, 1);
});

test('what a person accepts is still refused for what it does, and then nothing is taken', async () => {
  const { home, probe } = asking();
  probe.answers(cut('good'));
  await run(home);
  const name = openCase(home);
  commit(home, { [FILE]: 'worse\nand otherwise\n' });
  const code = await accept(home, name).catch((error: { code: string }) => error.code);
  assert.equal([code, caseOf(home, name)?.state, openCase(home)], ['E_CASE_REFUSED', 'open', name]);
});

test('declined: it counts as tried, is recorded as an action, and the next run goes on with the next try', async () => {
  const { home, probe, second, tree } = asking();
  probe.answers(cut('good'));
  await run(home);
  const name = openCase(home);
  assert.equal(await decline(home, name), { stage: 'a', fix: 'Only say good', notices: [] });
  const [entry] = failuresIn(home);
  assert.equal(
    [entry?.case, entry?.patches.map(({ plugin, outcome }) => [plugin, outcome]), entry?.executor_tries],
    [undefined, [['probe', 'declined']], 1],
  );
  const [action = ''] = readdirSync(join(home, 'ai/state/actions'));
  assert.match(readFileSync(join(home, 'ai/state/actions', action), 'utf8'), /fix\.declined.*\n.*case\.closed/);
  assert.equal(caseOf(home, name)?.closed?.why, 'declined by its owner (terminal)');
  probe.answers(cut('good'), within('good'));
  const ran = await run(home);
  assert.equal([ran.exit, tree()], [0, `good\n${LINES}`]);
  assert.equal(fixTrail(ran.events), ['fix.refused already_tried', ...MENDED]);
  assert.equal([probe.asked()[0]?.tries.at(-1)?.outcome, second.asked().length], ['declined', 0]);
  assert.is(await decline(home, name).catch((error: { code: string }) => error.code), 'E_CASE_CLOSED');
});

test('an answer that was given can be taken back; a case that only an escalation has waits for no word', async () => {
  const { home, probe } = asking();
  probe.answers(cut('good'));
  await run(home);
  const name = openCase(home);
  await accept(home, name);
  assert.is((await decline(home, name)).fix, 'Only say good');
  assert.equal(
    failuresIn(home)[0]?.patches.map(({ outcome }) => outcome),
    ['declined'],
  );
  probe.answers({ pass: 'no more' });
  const ran = await run(home);
  assert.equal([ran.exit, ran.stages.stages.a?.status], [3, 'give_up']);
  const given = openCaseStore(layoutOf(home))
    .list()
    .find((one) => 'summary' in one && one.summary.state === 'given_up');
  assert.is(await decline(home, given?.case ?? '').catch((error: { code: string }) => error.code), 'E_CASE_NOT_OPEN');
});

test('at a terminal the owner is asked why and what; what they accepted comes back without another question', async () => {
  // After the fix another failure comes in its place, and there is no attempt left for it.
  const { home, probe, tree } = asking({ loop: { limits: { stage_attempts: 2 } } });
  probe.answers(cut('worse'));
  const shown: Suggestion[] = [];
  const person = async (suggestion: Suggestion) => {
    shown.push(suggestion);
    return 'apply' as const;
  };
  const ran = await run(home, {}, { person });
  assert.equal([ran.exit, shown.map(({ ask }) => ask.reasons.length > 0)], [1, [true]]);
  assert.equal(fixTrail(ran.events), [
    'fix.suggested',
    'fix.intended',
    'fix.committed',
    'fix.judged undone',
    'fix.prepared',
  ]);
  assert.equal([tree(), failuresIn(home)[0]?.patches[0]?.accepted], [LONG, true]);
  const again = await run(home, {}, { person });
  assert.equal([shown.length, ranWords(home)], [1, ['a bad', 'a worse', 'a bad', 'a worse']]);
  assert.equal(fixTrail(again.events)[0], 'fix.intended');
});

test('an owner who says no hears of the next try; one who says nothing for two minutes finds an open case', async () => {
  const { home, probe } = asking();
  probe.answers(cut('good'), cut('better'));
  const clock = fakeClock();
  let asked = 0;
  const person = (_: Suggestion, signal: AbortSignal) => {
    asked += 1;
    if (asked === 1) return Promise.resolve('decline' as const);
    return new Promise<'leave'>((resolve) => signal.addEventListener('abort', () => resolve('leave')));
  };
  const ran = await run(home, {}, { clock, person });
  assert.equal([ran.exit, asked, clock.slept], [3, 2, [120_000, 120_000]]);
  assert.equal(fixTrail(ran.events), ['fix.suggested', 'fix.declined', 'fix.suggested']);
  assert.equal(
    [failuresIn(home)[0]?.executor_tries, caseOf(home, openCase(home))?.suggested?.note.fix],
    [2, 'Only say better'],
  );
});

test('a known fix that is an ask is suggested, and spends no try', async () => {
  const script = '#!/usr/bin/env bash\r\nset -eu\r\necho ok\r\n';
  const { home, probe, tree } = mendable({
    stages: {
      once: { command: 'true', files: ['conf/'], rerun: false },
      b: { command: ['conf/run.sh'], files: ['conf/'] },
    },
    loop: { executors: ['known-fixes', 'probe'] },
    files: { 'conf/run.sh': script },
  });
  git(home, 'update-index', '--chmod=+x', 'conf/run.sh');
  git(home, 'commit', '-qm', 'executable');
  git(home, 'checkout', '-q', '.');
  const ran = await run(home);
  assert.equal([ran.exit, fixTrail(ran.events), probe.asked()], [3, ['fix.suggested'], []]);
  const [entry] = failuresIn(home);
  assert.equal([entry?.suggestion?.ask?.code, entry?.executor_tries], ['changes_once', 0]);
  assert.match(String(entry?.suggestion?.ask?.reasons[0]), 'changes what once is made from');
  await accept(home, openCase(home));
  const accepted = await run(home);
  assert.equal(
    [accepted.exit, accepted.stages.stages.b?.status, accepted.stages.stages.once?.status],
    [3, 'green', 'failed'],
  );
  assert.not.match(tree('conf/run.sh'), '\r');
});

/** Nobody executes; two escalations, the second one a person's desk. */
function escalating() {
  const [oncall, desk] = [probeOf('oncall'), probeOf('desk')];
  const made = mendable({
    loop: { executors: [], escalations: ['oncall', 'desk'] },
    files: {
      [FILE]: LONG,
      'plugins/escalations/oncall.mjs': probePlugin('oncall', 'escalate'),
      'plugins/escalations/desk.mjs': probePlugin('desk', 'escalate'),
    },
    more: { oncall: { folder: oncall.folder }, desk: { folder: desk.folder } },
  });
  return { ...made, oncall, desk };
}

test('an ask of an escalation is one like any other: no other call, nobody else is called', async () => {
  const { home, oncall, desk, tree } = escalating();
  oncall.answers(cut('good'), within('good'));
  const ran = await run(home);
  assert.equal(
    [ran.exit, fixTrail(ran.events), decided(ran.events)],
    [3, ['fix.suggested'], ['escalation', 'open_case']],
  );
  assert.equal([desk.asked().length, failuresIn(home)[0]?.escalation_calls], [0, 1]);
  const name = openCase(home);
  assert.equal(ran.events.filter(({ type }) => type === 'case.opened').length, 1);
  assert.match(read(home, `ai/escalations/${name}/case_v1.md`), 'Only say good');
  assert.match(read(home, `ai/escalations/${name}/patch.diff`), '+good\n');
  await accept(home, name);
  const green = await run(home);
  assert.equal([green.exit, tree(), oncall.asked().length], [0, 'good\n', 1]);
});

test('an accepted answer lapses when its stage is green without it', async () => {
  const { home, probe, second } = asking();
  probe.answers(cut('good'));
  await run(home);
  await accept(home, openCase(home));
  commit(home, { [FILE]: `good\n${LINES}` });
  assert.is((await run(home)).exit, 0);
  assert.equal(failuresIn(home)[0]?.patches, []);
  commit(home, { [FILE]: LONG });
  probe.answers({ throw: 'gone' });
  second.answers({ throw: 'gone' });
  const back = await run(home);
  assert.equal(fixTrail(back.events), ['plugin.failed', 'plugin.failed'], 'the old answer is not applied');
});

test('an accepted answer that no longer fits opens the case again, with what it was and the text of now', async () => {
  const { home, probe } = asking();
  probe.answers(cut('good'));
  await run(home);
  const name = openCase(home);
  await accept(home, name);
  commit(home, { [FILE]: `bad\n${LINES.replaceAll('line', 'other')}` });
  probe.answers({ pass: 'no more' });
  const ran = await run(home);
  const again = openCase(home);
  assert.equal([ran.exit, fixTrail(ran.events), caseOf(home, again)?.state], [3, ['fix.refused not_found'], 'open']);
  const text = read(home, `ai/escalations/${again}/case_v1.md`);
  for (const part of ['your answer no longer fits (not_found)', '-line 7', 'other 7'])
    assert.ok(text.includes(part), part);
});

/** A notifier that writes down what it is given. */
const BOOK = `
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
export default {
  name: 'book',
  options: z.strictObject({ path: z.string() }),
  notify: ({ reason, stage, text, options }) => appendFileSync(options.path, JSON.stringify({ reason, stage, text }) + '\\n'),
};
`;
const DAY_MS = 86_400_000;

test('an open case is notified when it opens and once a week, with the reason and the commands, also where no run comes to it', async () => {
  const path = join(folder(), 'book');
  const { home, probe } = asking({
    stages: { a: stageOn(), z: { command: 'true' } },
    loop: { notifiers: ['book'] },
    files: { 'plugins/notifiers/book.mjs': BOOK },
    more: { book: { path } },
  });
  const notices = () =>
    readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { reason: string; stage: string; text: string });
  probe.answers(cut('good'));
  const clock = fakeClock();
  await run(home, {}, { clock });
  const name = openCase(home);
  assert.equal(notices().length, 1);
  const [reason = ''] = failuresIn(home)[0]?.suggestion?.ask?.reasons ?? [];
  for (const part of [reason, `mendloop cases accept ${name}`, `mendloop cases decline ${name}`]) {
    assert.ok(notices()[0]?.text.includes(part), part);
  }
  clock.at += 6 * DAY_MS;
  await run(home, {}, { clock });
  assert.equal(notices().length, 1, 'not within a week');
  clock.at += DAY_MS;
  await run(home, { stages: ['z'] }, { clock });
  clock.at += DAY_MS;
  await run(home, {}, { clock });
  assert.equal(
    notices().map(({ reason, stage }) => [reason, stage]),
    [
      ['hand_over', 'a'],
      ['hand_over', 'a'],
    ],
  );
});

test.run();
