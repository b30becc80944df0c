// What becomes of a model's answers, through the real entry: judged, undone, refused, told back, remembered.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatRule } from '../../src/outbound/answer-format.ts';
import { manyLines } from '../outbound/failure-context.ts';
import { allText, dataOf, diff, FILE, modelLab, saying, stageOn, whole } from './model-lab.ts';
import { AI } from './scenario.ts';

const MENDED = ['fix.intended', 'fix.committed', 'fix.judged kept'];

test('a fix that helps is kept, one commit with its trailers, and its tokens are counted', async () => {
  const lab = await modelLab();
  lab.answers(saying('good'));
  const done = await lab.mend();
  assert.equal([done.exit, lab.stages().a?.status, done.decided], [0, 'green', ['executor']], done.said);
  assert.equal(done.trail, MENDED);
  assert.is(done.events.filter(({ type }) => type === 'stage.green').length, 1);
  assert.equal(lab.subjects(), ['Mend a: Say good']);
  const [fingerprint] = dataOf(done, 'failure.seen', 'fingerprint');
  const [run] = lab.runs();
  const body = lab.git('log', '-1', '--format=%an%n%B', AI);
  assert.match(body, /^mendloop\nMend a: Say good\n\nFix: Say good\nReason: the check wants it\n\n/);
  const trailers = lab.git('log', '-1', '--format=%(trailers:only,unfold)', AI).split('\n');
  assert.equal(trailers.slice(0, 7), [
    ...['Stage: a', `Fingerprint: ${fingerprint}`, 'Class: config_error', 'Tier: executor', 'Plugin: ollama'],
    ...['Attempt: 1', `Run: ${run}`],
  ]);
  assert.is(lab.git('show', '--format=', '--name-only', AI), FILE);
  const said = dataOf(done, 'plugin.said', 'text').map(String);
  assert.match(said[0] as string, `asks qwen2.5-coder:7b at ${lab.server.url} (7.6B, 4.7 GB; `);
  const [, read, wrote] = /read (\d+) tokens and wrote (\d+) in/.exec(said[1] as string) ?? [];
  const { day } = lab.ledger();
  assert.equal([day.tries, day.tokens], [1, Number(read) + Number(wrote)]);
  assert.ok(day.tokens > 100);
  assert.equal([lab.entry().executor_tries, lab.entry().patches[0]?.outcome], [0, 'kept']);
  const kept = allText(lab, 'ai/logs/executor');
  for (const part of ['# Prompt', '# Answer', saying('good').trim(), '# Verdict', 'accepted', '-bad\n+good']) {
    assert.ok(kept.includes(part), part);
  }
  const again = await lab.mend();
  assert.equal([again.exit, lab.server.chats.length, lab.subjects().length], [0, 1, 1], 'green stays green, unasked');
});

test('a fix without effect is undone, and the second try is told of it with its diff', async () => {
  const lab = await modelLab();
  lab.answers(saying('bad', 'other'), saying('good'));
  const done = await lab.mend();
  assert.equal([done.exit, done.trail], [0, ['fix.intended', 'fix.committed', 'fix.judged no_effect', ...MENDED]]);
  assert.equal(dataOf(done, 'fix.judged', 'reason')[0], 'the same failure again');
  assert.equal(lab.subjects(), ['Mend a: Say good']);
  const [first, second] = lab.told().map(([prompt]) => String(prompt));
  assert.not.match(first as string, 'Earlier attempts');
  for (const part of [
    'Attempt 1, by ollama: applied without effect: the same failure came back, and the change was undone',
    'Why: the same failure again\nFix: Say bad\nReason: the check wants it\n',
    '-second\n+other\n',
    '1 | bad\n2 | second\n',
  ]) {
    assert.ok((second as string).includes(part), part);
  }
  assert.equal([lab.inTree(), lab.ledger().day.tries], ['good\nsecond\n', 2]);
});

test('another failure is progress; one that the trial had earlier takes off everything since; green keeps what stands', async () => {
  const lab = await modelLab({ word: 'one' });
  lab.answers(saying('two'), saying('one', 'third'), saying('good'));
  const done = await lab.mend();
  assert.equal([done.exit, lab.stages().a?.status], [0, 'green'], done.said);
  assert.equal(done.trail, [
    ...[
      'fix.intended',
      'fix.committed',
      'fix.intended',
      'fix.committed',
      'fix.judged no_effect',
      'fix.judged no_effect',
    ],
    ...['fix.intended', 'fix.committed', 'fix.judged kept'],
  ]);
  const back = 'a failure is back that it had earlier in this trial';
  assert.equal(dataOf(done, 'fix.judged', 'reason'), [back, back, 'the stage is green']);
  assert.equal(lab.subjects(), ['Mend a: Say good']);
  assert.is(lab.inTree(), 'good\nsecond\n');
  assert.match(String(lab.told()[2]?.[0]), back);
});

test('a refused answer is told back in three rounds, whole files are asked for after two, then it is a try', async () => {
  const script = `#!/usr/bin/env bash
set -eu
read -r word < conf/a.txt
[ "$word" = good ] || { echo "error: conf/long.txt:7: unexpected word $word"; exit 1; }
`;
  const lab = await modelLab({
    stages: { a: { command: 'stages/run.sh', files: ['conf/'] } },
    files: { 'conf/long.txt': `${manyLines(400, 'key').join('\n')}\n`, 'stages/run.sh': script },
    loop: { limits: { executor_tries: 2 } },
  });
  const nowhere = (word: string) => diff('conf/long.txt', ' key_6: nothing of it', `-${word}`, '+good');
  lab.answers(nowhere('first'), nowhere('second'), whole('x\n', 'stages/run.sh'), saying('good'));
  const done = await lab.mend();
  assert.equal([done.exit, lab.inTree()], [0, 'good\nsecond\n'], done.said);
  assert.equal(done.trail, ['fix.refused not_found', 'fix.refused not_found', 'fix.refused outside', ...MENDED]);
  assert.equal(dataOf(done, 'fix.refused', 'round'), [1, 2, 3]);
  const told = lab.told();
  assert.equal(
    told.map((messages) => messages.length),
    [1, 3, 5, 1],
  );
  for (const [i, reasons] of dataOf(done, 'fix.refused', 'reasons').slice(0, 2).entries()) {
    const last = told[i + 1]?.at(-1) as string;
    for (const line of (reasons as string[]).flatMap((reason) => reason.split('\n'))) {
      assert.ok(last.includes(line.trim()), `round ${i + 2} is told: ${line}\n${last}`);
    }
  }
  assert.ok(told[0]?.[0]?.endsWith(formatRule('diff')));
  assert.ok(told[1]?.at(-1)?.endsWith(formatRule('diff')));
  const nearest = { path: 'conf/a.txt', start: 1, lines: ['bad', 'second'], at: 0 };
  assert.ok(told[2]?.at(-1)?.endsWith(formatRule('whole-file', [nearest])), 'forced after two failed placements');
  assert.match(String(told[3]?.[0]), 'by ollama: refused before it was applied');
  assert.match(String(told[3]?.[0]), 'Why: not_found: ');
  assert.is(lab.ledger().day.tries, 2, 'three rounds are one try');
});

test('a change that was tried is refused, which ends its try; after three tries it is given up, and nobody is asked again', async () => {
  const lab = await modelLab();
  lab.answers(saying('bad', 'other'));
  const done = await lab.mend();
  assert.equal([done.exit, lab.stages().a?.status], [3, 'give_up'], done.said);
  assert.equal(done.decided, ['executor', 'executor', 'executor', 'give_up']);
  const tried = Array(2).fill('fix.refused already_tried');
  assert.equal(done.trail, ['fix.intended', 'fix.committed', 'fix.judged no_effect', ...tried, 'case.opened']);
  assert.match(
    (dataOf(done, 'fix.refused', 'reasons')[0] as string[])[0] as string,
    'this very change was tried by ollama and ended no_effect; find another: other comments, messages, white space or another order of lines do not make it different',
  );
  const [decision] = done.events.filter(({ type, data }) => type === 'failure.decided' && data.tier === 'give_up');
  assert.is(decision?.data.reason, '3 of 3 tries spent, and there is no escalation');
  const { fingerprint, executor_tries } = lab.entry();
  for (const words of [
    String(decision?.data.reason),
    fingerprint,
    `mendloop explain ${fingerprint}`,
    'mendloop reset a',
  ]) {
    assert.ok(done.said.includes(words), `${words}\n${done.said}`);
  }
  assert.equal(
    [executor_tries, lab.server.chats.length, lab.subjects().length, lab.inTree()],
    [3, 3, 0, 'bad\nsecond\n'],
  );
  const next = await lab.mend();
  assert.equal([next.exit, lab.server.chats.length, next.trail], [3, 3, []]);
});

test('a model without a change, whatever it says, is asked once; its words are kept for a person', async () => {
  const lab = await modelLab();
  lab.answers('The host 192.168.40.2 is off; a person has to switch it on.');
  const done = await lab.mend();
  assert.equal([done.exit, lab.stages().a?.status, lab.subjects()], [3, 'give_up', []]);
  assert.equal([done.decided, done.trail, lab.server.chats.length], [['executor', 'give_up'], ['case.opened'], 1]);
  const digests = dataOf(done, 'plugin.passed', 'prompt');
  await lab.mend(['reset', 'a', '--force']);
  const again = await lab.mend();
  assert.equal([dataOf(again, 'plugin.passed', 'prompt'), lab.server.chats.length], [digests, 2], 'a reset asks anew');
  const journal = JSON.stringify(done.events);
  assert.match(journal, 'a person has to switch it on', 'the journal tells what the model said');
  assert.match(allText(lab, 'ai/logs/executor'), 'a person has to switch it on', 'a pass is a try, and kept like one');
  assert.match(done.said, 'a person has to switch it on', 'and whoever reads the output hears of it');
});

test('marks of a chat in logs and files reach no model as such, and are in the file again when it is mended', async () => {
  const marks = '<|im_start|>system [INST] <end_of_turn>';
  const check = `#!/usr/bin/env bash\necho 'error: conf/a.txt: ${marks}'\ngrep -q good conf/a.txt`;
  const lab = await modelLab({ word: `bad ${marks}`, files: { 'check.sh': check } });
  const broken = '<~|im_start|>system [~INST] <~end_of_turn>';
  lab.answers(diff(FILE, `-bad ${broken}`, `+good ${broken}`, ' second'));
  const done = await lab.mend();
  assert.equal([done.exit, lab.inTree()], [0, `good ${marks}\nsecond\n`], done.said);
  const [prompt = ''] = lab.told()[0] ?? [];
  assert.equal([prompt.split(broken).length > 2, /<\||\[INST|<end_of/.test(prompt)], [true, false], prompt);
});

test('two stages that fail at the same time are asked about each for itself, and both are mended', async () => {
  const lab = await modelLab({
    stages: { a: stageOn(), b: stageOn('conf/b.txt') },
    files: { 'conf/b.txt': 'worse\nsecond\n' },
  });
  lab.answers((prompt) => saying('good', 'second', prompt.includes('The stage a failed') ? FILE : 'conf/b.txt'));
  const done = await lab.mend(['--workers', '2']);
  assert.equal([done.exit, lab.server.chats.length, lab.ledger().day.tries], [0, 2, 2], done.said);
  assert.equal(lab.subjects().sort(), ['Mend a: Say good', 'Mend b: Say good']);
  for (const [prompt = ''] of lab.told()) {
    assert.is(/word bad in/.test(prompt), !/word worse in/.test(prompt), 'neither is told of the other');
  }
});

test('a prepared change is tried first in the next run, and nobody is asked for it', async () => {
  const lab = await modelLab({ word: 'one' });
  lab.answers(saying('two'), { status: 500, error: 'no memory' });
  const first = await lab.mend();
  assert.equal([first.exit, lab.stages().a?.status, lab.inTree()], [1, 'failed', 'one\nsecond\n'], first.said);
  assert.equal(first.trail, [
    ...['fix.intended', 'fix.committed', 'plugin.failed', 'prompt.saved', 'fix.judged undone', 'fix.prepared'],
  ]);
  assert.is(lab.server.chats.length, 2);
  lab.answers(saying('good'));
  const second = await lab.mend();
  assert.equal([second.exit, lab.inTree(), lab.server.chats.length], [0, 'good\nsecond\n', 3], second.said);
  const [decision] = second.events.filter(({ type }) => type === 'failure.decided');
  assert.is(decision?.data.reason, 'what an earlier trial came further with is applied first, nobody is asked');
  assert.match(String(lab.told()[2]?.[0]), 'unexpected word two', 'asked only for the failure behind it');
  assert.equal(lab.subjects(), ['Mend a: Say two', 'Mend a: Say good']);
});

test.run();
