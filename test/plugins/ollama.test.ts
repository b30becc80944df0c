import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import ollama from '../../plugins/executors/ollama.ts';
import { applyChanges } from '../../src/fix/apply-changes.ts';
import { readAnswer } from '../../src/fix/read-answer.ts';
import { formatRule } from '../../src/outbound/answer-format.ts';
import type { Speed } from '../../src/plugin/contract.ts';
import { manyLines } from '../outbound/failure-context.ts';
import { load } from '../plugin/plugin-folder.ts';
import { ask, asked, DIFF, PATH, promptOf, serving, TEXT, thrownBy, WHOLE } from './ask-ollama.ts';

const LONG = `${manyLines(400, 'key').join('\n')}\n`;
const misses = (count: number) =>
  Array.from({ length: count }, () => ({ code: 'not_found' as const, reasons: ['block 1: not in the file'] }));

test('its settings have these defaults, and what they may not be is said when they are loaded', async () => {
  assert.equal((ollama.options as z.ZodType).parse({}), {
    model: 'auto',
    num_ctx: 8192,
    keep_alive: 1_800_000,
    think: false,
    timeout: null,
    format: 'auto',
  });
  const shipped = { executors: ['ollama'], escalations: [], notifiers: [], backends: ['local'] };
  const builtIns = new Map([['executors/ollama', () => import('../../plugins/executors/ollama.ts')]]);
  const yaml =
    'executors: [ollama]\nplugins: { ollama: { host: "https://models.example.com", num_ctx: 5, colour: red } }';
  const said = await load(yaml, {}, { shipped, builtIns }).catch((error) => error.problems.join('\n'));
  assert.match(said, 'plugins.ollama.host: models.example.com is neither this machine nor a host of its network');
  assert.match(said, 'plugins.ollama.num_ctx: ');
  assert.match(said, 'colour');
});

test('a model answers, and what it said is passed on as it said it', async () => {
  const { proposal, chats, said, tokens } = await ask([{ text: DIFF }], { files: { [PATH]: TEXT, 'b.yaml': LONG } });
  assert.equal(proposal, { answer: DIFF });
  const { body } = chats[0] ?? {};
  assert.is(body.model, 'qwen2.5-coder:7b');
  assert.is(body.options.num_ctx, 8192);
  assert.is(body.keep_alive, '1800s');
  assert.is(body.think, undefined, 'it does not know how to');
  assert.is(body.options.temperature, 0);
  assert.is(body.stream, true);
  assert.equal(
    body.messages.map(({ role }: { role: string }) => role),
    ['user'],
  );
  assert.match(
    said[0] as string,
    /^asks qwen2\.5-coder:7b at http:\/\/host \(7\.6B, 4\.7 GB; the largest qwen2\.5-coder model here that fits into \d+\.\d GB\)$/,
  );
  assert.match(said[1] as string, /^qwen2\.5-coder:7b read [\d,]+ tokens and wrote \d+ in \d+\.\d s$/);
  const [, read, wrote] = /read (\d+) tokens and wrote (\d+)/.exec(said[1] as string) ?? [];
  assert.is(tokens, Number(read) + Number(wrote));
});

const FAST: Speed[] = [{ read: { tokens: 1000, ms: 1000 }, wrote: { tokens: 50, ms: 1000 } }];

test('a small file that is shown whole is asked for whole where that is written in a minute, a long one as a diff', async () => {
  const form = async (files: Record<string, string>, options = {}, speeds: Speed[] = FAST) => {
    const error_lines = [`${Object.keys(files)[0]}:2: bad`];
    const { chats } = await ask([{ text: 'no' }], { files, options, speeds, error_lines });
    return chats[0]?.body.messages[0].content as string;
  };
  assert.ok((await form({ [PATH]: TEXT })).endsWith(formatRule('whole-file')));
  assert.ok((await form({ [PATH]: `${manyLines(149).join('\n')}\n` })).endsWith(formatRule('whole-file')));
  assert.ok((await form({ [PATH]: `${manyLines(150).join('\n')}\n` })).endsWith(formatRule('diff')));
  for (const slow of [[], [{ wrote: { tokens: 5, ms: 1000 } }]]) {
    assert.ok((await form({ [PATH]: TEXT }, {}, slow)).endsWith(formatRule('whole-file')));
    assert.ok((await form({ [PATH]: `${manyLines(149).join('\n')}\n` }, {}, slow)).endsWith(formatRule('diff')));
  }
  assert.ok((await form({ [PATH]: TEXT }, { format: 'search-replace' })).endsWith(formatRule('search-replace')));
  assert.ok((await form({ [PATH]: LONG }, { format: 'whole-file' })).endsWith(formatRule('diff')));
});

test('a file with a masked line is never asked for whole', async () => {
  const files = { [PATH]: 'user: root\npassword: hunter2hunter2\n' };
  const prompt = promptOf(files).replaceAll('hunter2hunter2', '<masked-1>');
  for (const format of ['auto', 'whole-file']) {
    const { chats } = await ask([{ text: DIFF }], { files, prompt, options: { format } });
    assert.ok(chats[0]?.body.messages[0].content.endsWith(formatRule('diff')));
    assert.not.match(JSON.stringify(chats[0]?.body), 'hunter2');
  }
});

test('after two answers that could not be placed it asks for the whole file, or for line numbers when it is long', async () => {
  const files = { [PATH]: LONG, 'small.yaml': TEXT };
  const edit = {
    fix: 'Set it',
    reason: 'It was wrong',
    path: PATH,
    start: 3,
    end: 4,
    replacement: 'key_3: other\nkey_3b: more\n',
  };
  const error_lines = [`${PATH}:3: bad indentation`, 'small.yaml:3: bad indentation'];
  const second = await ask([{ text: DIFF }], { files, error_lines, refused: misses(1) });
  assert.match(second.chats[0]?.body.messages.at(-1).content, formatRule('diff'));
  const third = await ask([{ text: WHOLE.replace(PATH, 'small.yaml') }], { files, error_lines, refused: misses(2) });
  assert.match(third.chats[0]?.body.messages.at(-1).content, formatRule('whole-file'));
  const long = await ask([{ text: JSON.stringify(edit) }], { files: { [PATH]: LONG }, refused: misses(2) });
  const { messages, format } = long.chats[0]?.body ?? {};
  assert.match(messages.at(-1).content, formatRule('json'));
  assert.equal(format.properties.path, { type: 'string', enum: [PATH] });
  const lines = LONG.split('\n');
  assert.equal(long.proposal, {
    files: { [PATH]: [...lines.slice(0, 2), 'key_3: other', 'key_3b: more', ...lines.slice(4)].join('\n') },
    note: { fix: 'Set it', reason: 'It was wrong' },
  });
});

test('a later round tells the model its own answer and why it was refused', async () => {
  await serving({ script: [{ text: DIFF }, { text: WHOLE }, { text: DIFF }] }, async ({ url, chats: _, ...server }) => {
    const prompt = promptOf({ [PATH]: TEXT });
    const [first, second] = [
      { code: 'destroys' as const, reasons: ['line 3 removes it'] },
      { code: 'not_found' as const, reasons: ['block 1'] },
    ];
    await asked(url, { prompt });
    await asked(url, { prompt, refused: [first] });
    await asked(url, { prompt, refused: [first, second] });
    const sent = server.requests.filter(({ path }) => path === '/api/chat').map(({ body }) => body.messages);
    assert.equal(
      sent.map((all) => all.length),
      [1, 3, 5],
    );
    assert.is(sent[1][0].content, sent[0][0].content);
    assert.is(sent[1][1].content, DIFF);
    assert.match(
      sent[1][2].content,
      'Your answer was not taken: an added command destroys data.\n  line 3 removes it\n',
    );
    assert.equal(sent[2].slice(0, 3), sent[1]);
    assert.is(sent[2][3].content, WHOLE);
  });
});

test('a later round of a try that it does not remember is rebuilt from the refusals', async () => {
  const { chats } = await ask([{ text: DIFF }], { refused: [{ code: 'destroys', reasons: ['line 3 removes it'] }] });
  const { messages } = chats[0]?.body ?? {};
  assert.is(messages.length, 1);
  assert.match(messages[0].content, 'line 3 removes it');
});

test('a model that proposes no change is a pass, with its words', async () => {
  const { proposal } = await ask([{ text: 'The host 192.168.40.2 is off; a person has to\nswitch it on.' }]);
  assert.equal(proposal, {
    pass: 'qwen2.5-coder:7b proposes no change: The host 192.168.40.2 is off; a person has to switch it on.',
  });
});

test('line numbers that the model copied are taken out', async () => {
  const text = `${PATH}\n\`\`\`\n1 | machine:\n2 |   network:\n3 |     hostname: cp1\n\`\`\`\n`;
  const { proposal } = await ask([{ text }]);
  const read = readAnswer((proposal as { answer: string }).answer);
  const applied = read.ok ? applyChanges(read.changes, () => TEXT) : read;
  assert.is(applied.ok && applied.files[0]?.after, 'machine:\n  network:\n    hostname: cp1\n');
});

test('an answer that was cut off is not passed on: once more, in another form, then it is unreadable', async () => {
  const cut = { text: WHOLE.slice(0, 40), doneReason: 'length' as const };
  const mended = await ask([cut, { text: DIFF }]);
  assert.equal(mended.proposal, { answer: DIFF });
  const [, second] = mended.chats;
  assert.match(second?.body.messages[0].content, 'the answer was cut off before its end');
  assert.match(second?.body.messages[0].content, formatRule('diff'));
  assert.equal((await ask([cut, cut])).proposal, {
    unreadable: 'qwen2.5-coder:7b: the answer was cut off before its end; answer in fewer words',
  });
});

test('a whole file that lost lines is not passed on', async () => {
  const lines = manyLines(100);
  const files = { [PATH]: `${lines.join('\n')}\n` };
  const written = (made: string[]) => ({ text: `${PATH}\n\`\`\`\n${made.join('\n')}\n\`\`\`\n` });
  const lost = [...lines.slice(0, 40), ...lines.slice(60)];
  assert.equal((await ask([written(lost), written(lost)], { files })).proposal, {
    unreadable: `qwen2.5-coder:7b: 20 lines of ${PATH} are missing from the answer`,
  });
  for (const fine of [
    lines.with(40, 'x: y'),
    lines.toSpliced(40, 5),
    lines.toSpliced(40, 20, ...manyLines(15, 'new')),
  ]) {
    assert.ok('answer' in (await ask([written(fine)], { files })).proposal);
  }
  const long = { files: { [PATH]: LONG } };
  assert.ok('answer' in (await ask([written(lines.slice(0, 20))], long)).proposal, 'what an excerpt leaves out stays');
  const whole = written(LONG.trimEnd().split('\n'));
  assert.equal((await ask([whole, whole], long)).proposal, {
    unreadable: `qwen2.5-coder:7b: ${PATH} is not shown whole, so it cannot be written whole`,
  });
});

test('an edit by line numbers is held to files and lines that were shown', async () => {
  const files = { [PATH]: TEXT, 'b.sh': 'one\r\ntwo\r\n' };
  const edit = { fix: 'a', reason: 'b', path: PATH, start: 3, end: 3, replacement: '    hostname: cp1' };
  const options = { format: 'json' };
  const error_lines = [`${PATH}:3: bad indentation`, 'b.sh: line 1: one: command not found'];
  const answered = async (text: string) => (await ask([{ text }, { text }], { files, error_lines, options })).proposal;
  const note = { fix: 'a', reason: 'b' };
  assert.equal(await answered(JSON.stringify(edit)), {
    files: { [PATH]: 'machine:\n  network:\n    hostname: cp1\n' },
    note,
  });
  assert.equal(
    await answered(JSON.stringify({ ...edit, path: 'b.sh', start: 1, end: 1, replacement: '1 | uno\n2 | due' })),
    {
      files: { 'b.sh': 'uno\r\ndue\r\ntwo\r\n' },
      note,
    },
  );
  assert.equal(await answered(JSON.stringify({ ...edit, replacement: '' })), {
    files: { [PATH]: 'machine:\n  network:\n' },
    note,
  });
  const wrong = {
    'line 4 of config/talos/all.yaml is not shown as it is, so it cannot be replaced': { ...edit, end: 4 },
    'start 3 is behind end 2': { ...edit, end: 2 },
    '/etc/passwd is not one of the files that are shown': { ...edit, path: '/etc/passwd' },
    'at most 100 lines may change, not 998': { ...edit, end: 1000 },
    'the answer is not a JSON object with path, start, end and replacement': { path: PATH },
  };
  for (const [why, made] of Object.entries(wrong)) {
    assert.equal(await answered(JSON.stringify(made)), { unreadable: `qwen2.5-coder:7b: ${why}` });
  }
  const { chats } = await ask([{ text: JSON.stringify(edit) }], { files, error_lines, options });
  const { anyOf } = chats[0]?.body.format ?? {};
  const lines = ({ properties }: { properties: Record<string, { enum: string[] }> }) => [
    properties.path?.enum[0],
    properties.start,
  ];
  assert.equal(Object.fromEntries(anyOf.map(lines)), {
    [PATH]: { type: 'integer', minimum: 1, maximum: 3 },
    'b.sh': { type: 'integer', minimum: 1, maximum: 2 },
  });
});

test('a masked line cannot be replaced by its number', async () => {
  const files = { [PATH]: 'user: root\npassword: hunter2hunter2\n' };
  const prompt = promptOf(files).replaceAll('hunter2hunter2', '<masked-1>');
  const text = JSON.stringify({ fix: 'a', reason: 'b', path: PATH, start: 1, end: 2, replacement: 'x' });
  const { proposal } = await ask([{ text }, { text }], { files, prompt, options: { format: 'json' } });
  assert.equal(proposal, {
    unreadable: `qwen2.5-coder:7b: line 2 of ${PATH} is not shown as it is, so it cannot be replaced`,
  });
});

test('a model that repeats itself is stopped, while long honest answers are not', async () => {
  for (const chunks of [
    Array(5000).fill('\n'),
    Array(3000).fill('and so '),
    Array(3000).fill('a: 1\nb: some more words to fill it\nc: 3\nd: 4\n'),
  ]) {
    await serving({ script: [{ chunks, gapMs: 0 }, { text: DIFF }] }, async (server) => {
      const { proposal } = await asked(server.url);
      assert.equal(proposal, { answer: DIFF });
      assert.ok(server.chats[0]?.aborted);
      assert.match(server.chats[1]?.body.messages[0].content, 'the model said the same over and over');
    });
  }
  const honest = `${PATH}\n\`\`\`\n${manyLines(300).join('\n')}\n${'-'.repeat(400)}\n${' '.repeat(300)}x\n\`\`\`\n`;
  const { chats } = await ask([{ text: honest }], { files: { 'b.yaml': LONG } });
  assert.is(chats.length, 1);
});

test('without a prompt nothing is asked', async () => {
  assert.is(await thrownBy(asked('http://127.0.0.1:1', { prompt: '' })), 'it was given no prompt to send');
});

test('where changes are offered it asks for a number first, and makes the edit itself; after none of them, for a change', async () => {
  const choices = [
    { path: PATH, line: 1, old: 'machine', new: 'machines' },
    { path: PATH, line: 2, old: 'network', new: 'networks' },
  ];
  const { proposal, chats } = await ask([{ text: '{"reason": "it is so called", "choice": 2}' }], { choices });
  assert.equal(proposal, {
    files: { [PATH]: TEXT.replace('network', 'networks') },
    note: { fix: `Write networks instead of network in line 2 of ${PATH}`, reason: 'it is so called' },
  });
  const { format, messages } = chats[0]?.body ?? {};
  assert.equal(format.properties.choice, { type: 'integer', enum: [0, 1, 2] });
  assert.ok(messages.at(-1).content.endsWith(formatRule('choice')));
  for (const none of ['{"reason": "no", "choice": 0}', '{"reason": "no", "choice": 9}', 'the second one']) {
    const asked = await ask([{ text: none }, { text: DIFF }], { choices });
    assert.is(asked.chats.length, 2, none);
    assert.is(asked.chats[1]?.body.messages.length, 1);
    assert.ok('answer' in asked.proposal, none);
  }
  const refused = await ask([{ text: DIFF }], { choices, refused: misses(1) });
  assert.is(refused.chats.length, 1);
  const fixed = await ask([{ text: DIFF }], { choices, options: { format: 'diff' } });
  assert.is(fixed.chats.length, 1);
});

test.run();
