// `unattended: none`, through the real entry: in cron a fix becomes an open case, at a terminal a person is asked; nothing is
// changed without their word.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ask } from '../../src/fix/edit.ts';
import { layout } from '../../src/io/layout.ts';
import { fixView } from '../../src/serve/fixes.ts';
import { runView } from '../../src/serve/runs.ts';
import { siteOf } from '../../src/serve/site.ts';
import { answering, atTerminal, dataOf, diff, FILE, modelLab, saying, whole } from './model-lab.ts';
import { AI, folder, namesIn, write } from './scenario.ts';

const NONE = { loop: { unattended: 'none' } };
const MENDED = ['fix.intended', 'fix.committed', 'fix.judged kept'];

test("in cron the fix is kept as an open case: exit 3, not asked again, and applied at a person's word", async () => {
  const lab = await modelLab(NONE);
  lab.answers(saying('good'));
  const done = await lab.mend();
  assert.equal(
    [done.exit, lab.stages().a?.status, lab.subjects(), lab.inTree()],
    [3, 'failed', [], 'bad\nsecond\n'],
    done.said,
  );
  assert.equal(done.trail, ['fix.suggested', 'case.opened']);
  const [name = ''] = namesIn(lab.path('ai/escalations')).filter((one) => one !== '.gitignore');
  assert.equal(dataOf(done, 'case.opened', 'case'), [name]);
  assert.ok(done.said.includes(`mendloop cases show ${name}`), done.said);
  const at = `ai/escalations/${name}`;
  assert.match(lab.read(`${at}/patch.diff`), '-bad\n+good\n');
  assert.match(lab.read(`${at}/case_v1.md`), 'unexpected word bad');
  const summary = JSON.parse(lab.read(`${at}/summary.json`));
  assert.equal(
    [summary.case, summary.stage, summary.state, summary.fingerprint],
    [name, 'a', 'open', lab.entry().fingerprint],
  );
  assert.is(statSync(lab.path(at)).mode & 0o077, 0, 'for the owner alone');
  assert.is(lab.git('status', '--porcelain', '--ignored', 'ai/escalations'), '!! ai/escalations/');

  const next = await lab.mend();
  assert.equal([next.exit, next.decided, next.trail, lab.server.chats.length], [3, ['open_case'], [], 1], next.said);

  assert.match((await lab.run(['cases'])).stdout, new RegExp(`^${name}  waits for you`));
  const shown = (await lab.run(['cases', 'show', name])).stdout;
  for (const part of ['unexpected word bad', '-bad\n+good\n', `mendloop cases accept ${name}`])
    assert.ok(shown.includes(part), part);
  for (const look of [['cases'], ['status'], ['explain', 'a']]) {
    const { stdout } = await lab.run(look);
    for (const verb of ['accept', 'decline']) assert.ok(stdout.includes(`mendloop cases ${verb} ${name}`), stdout);
  }
  const answered = await lab.run(['cases', 'accept', name]);
  assert.is(answered.exit, 0, answered.stderr);
  const after = await lab.mend();
  assert.equal([after.exit, lab.inTree(), lab.server.chats.length], [0, 'good\nsecond\n', 1], after.said);
  assert.equal(
    after.trail.filter((line) => line.startsWith('fix.')),
    MENDED,
  );
  assert.equal(dataOf(after, 'case.closed', 'case'), [name]);
  assert.equal(dataOf(after, 'failure.decided', 'reason'), [
    'a person answered the case: their change is tried before the stage runs',
  ]);
  assert.match(after.said, /^a +fix +.* \(ollama, accepted by a person \(terminal\): conf\/a\.txt\)$/m);
  const [commit, run] = [lab.git('rev-parse', AI).trim(), after.events[0]?.run ?? ''];
  const site = siteOf(layout(lab.home), '1.2.3');
  const page = join(folder(), 'report.html');
  await lab.run(['report', '--html', page]);
  for (const text of [
    ...[(await lab.run(['promote'])).stdout, (await lab.run(['explain', 'a'])).stdout],
    ...[(await lab.run(['report'])).stdout, readFileSync(page, 'utf8')],
    ...[(await fixView(site, { commit })).body, runView(site, { run }).body].map(String),
  ])
    assert.match(text, 'ollama, accepted by a person');
  assert.match((await lab.run(['cases'])).stdout, 'no case waits');
});

test('an accepted fix that did not help is told to the model as what it proposed', async () => {
  const lab = await modelLab(NONE);
  lab.answers(diff(FILE, ' bad', '-second', '+third'), saying('good'));
  await lab.mend();
  await lab.run(['cases', 'accept', lab.entry().case ?? '']);
  const after = await lab.mend();
  const words = 'Attempt 1, by ollama, accepted by a person: applied without effect';
  assert.match(String(lab.told().at(-1)?.[0]), words, after.said);
});

test('a person answers a case with a patch of their own, which is held to the same gate', async () => {
  const lab = await modelLab(NONE);
  lab.answers(saying('worse'));
  const done = await lab.mend();
  const [name = ''] = dataOf(done, 'case.opened', 'case').map(String);
  const at = folder();
  write(at, {
    'evil.diff': diff('ai/context_map.yaml', ' {', '+  "x": 1,'),
    'mine.diff': diff(FILE, '-bad', '+good', ' second'),
  });
  const refused = await lab.run(['cases', 'answer', name, join(at, 'evil.diff')]);
  assert.ok(refused.exit !== 0 && refused.exit !== 4, refused.stderr);
  assert.match(refused.stderr, 'protected');
  assert.is((await lab.run(['cases', 'answer', 'no-such-case'])).exit, 2);
  const taken = await lab.run(['cases', 'answer', name, join(at, 'mine.diff')]);
  assert.is(taken.exit, 0, taken.stderr);
  const after = await lab.mend();
  assert.equal([after.exit, lab.inTree(), lab.server.chats.length], [0, 'good\nsecond\n', 1], after.said);
  assert.match(lab.git('log', '-1', '--format=%B', 'ai/orchestrator-stage1'), 'Plugin: person');
});

test('at a terminal the diff is shown, and yes applies it', async () => {
  const lab = await modelLab(NONE);
  lab.answers(saying('good'));
  const done = await atTerminal(lab, 'y\n');
  assert.equal([done.exit, lab.stages().a?.status, lab.inTree()], [0, 'green', 'good\nsecond\n'], done.said);
  assert.equal(done.trail, ['fix.suggested', ...MENDED]);
  for (const part of [
    'a failed, and ollama suggests: Say good',
    '| error: unexpected word bad',
    '-bad',
    '+good',
    'because: the check wants it',
  ]) {
    assert.ok(done.said.includes(part), `${part}\n${done.said}`);
  }
  assert.not(lab.has('ai/escalations'));
});

test('no declines it, and the same change is never suggested again', async () => {
  const lab = await modelLab({ loop: { unattended: 'none', limits: { executor_tries: 2 } } });
  lab.answers(saying('good'));
  const done = await answering(lab, 'n\n');
  assert.equal([done.exit, lab.subjects(), lab.inTree()], [3, [], 'bad\nsecond\n'], done.said);
  assert.equal(done.trail, ['fix.suggested', 'fix.declined', 'fix.refused already_tried', 'case.opened']);
  assert.match(String(dataOf(done, 'fix.refused', 'reasons')[0]), 'a person did not want it');
  assert.match(
    String(lab.told()[1]?.[0]),
    'Attempt 1, by ollama: a person did not want it',
    'the model is told that it was declined',
  );
  assert.equal([lab.entry().patches[0]?.outcome, lab.entry().executor_tries], ['declined', 2]);
});

test('Enter leaves it for later, as a case', async () => {
  const lab = await modelLab(NONE);
  lab.answers(saying('good'));
  const done = await answering(lab, '\n');
  assert.equal([done.exit, done.trail, lab.subjects()], [3, ['fix.suggested', 'case.opened'], []], done.said);
  const next = await lab.mend();
  assert.equal([next.exit, next.decided, lab.server.chats.length], [3, ['open_case'], 1]);
});

test('Ctrl-C at the question: exit 130, nothing is changed, and the next run suggests it again', async () => {
  const lab = await modelLab(NONE);
  lab.answers(saying('good'));
  const done = await atTerminal(lab, '\u0003');
  assert.equal(
    [done.exit, done.trail, lab.subjects(), lab.inTree()],
    [130, ['fix.suggested'], [], 'bad\nsecond\n'],
    done.said,
  );
  assert.equal([lab.ledger().day.tries, lab.entry().executor_tries, lab.has('ai/escalations')], [0, 0, false]);
  const next = await answering(lab, 'y\n');
  assert.equal([next.exit, lab.inTree()], [0, 'good\nsecond\n'], next.said);
});

const LINES = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join('');
/** Takes all of them away. */
const CUT = diff(FILE, '-bad', '+good', ...LINES.trimEnd().replace(/^/gm, '-').split('\n'));

test('where all runs unattended its owner is still asked about what goes and is not replaced, and no other try is made', async () => {
  const lab = await modelLab({ files: { [FILE]: `bad\n${LINES}` } });
  lab.answers(CUT);
  const done = await answering(lab, 'y\n');
  assert.equal([done.exit, lab.inTree(), done.trail], [0, 'good\n', ['fix.suggested', ...MENDED]], done.said);
  assert.equal(lab.server.chats.length, 1);
  const { code } = (dataOf(done, 'fix.suggested', 'ask') as Ask[])[0] as Ask;
  assert.ok(done.said.includes(`you are asked (${code}): ${FILE}:1: `), done.said);
});

test('in cron it becomes a case that is accepted or declined by a command', async () => {
  const lab = await modelLab({ files: { [FILE]: `bad\n${LINES}` } });
  lab.answers(CUT);
  const done = await lab.mend();
  assert.equal(
    [done.exit, done.trail, lab.entry().executor_tries],
    [3, ['fix.suggested', 'case.opened'], 1],
    done.said,
  );
  const { case: name = '' } = lab.entry();
  const asked = (await lab.run(['explain', 'a'])).stdout;
  const { ask } = lab.entry().suggestion ?? {};
  assert.ok(asked.includes(`waits for your word (${ask?.code}): ${ask?.reasons.join('; ')}`), asked);
  const dry = await lab.run(['cases', 'decline', name, '--dry-run']);
  assert.equal([dry.exit, dry.stdout.split('\n')[0]], [0, 'would be declined: Change conf/a.txt']);
  const declined = await lab.run(['cases', 'decline', name]);
  assert.equal(declined, {
    exit: 0,
    stderr: '',
    stdout: 'declined: Change conf/a.txt\nthe next run goes on with the next try: mendloop a\n',
  });
  lab.answers(whole(`good\n${LINES}`));
  const next = await lab.mend();
  assert.equal([next.exit, next.trail], [0, MENDED], next.said);
  for (const words of [['accept'], ['accept', name, 'more'], ['decline', name, 'more'], ['take', name]]) {
    assert.is((await lab.run(['cases', ...words])).exit, 2, words.join(' '));
  }
});

test.run();
