import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withoutSecrets } from '../../src/model/environment.ts';
import { readReply } from '../../src/model/read-reply.ts';
import { retryAfterMs } from '../../src/model/retry.ts';
import { escalationSchema } from '../../src/plugin/contract.ts';
import { fc, runs } from '../sweep.ts';
import { DIFF, WHOLE } from './ask-ollama.ts';

const reply = (text: string) => {
  const read = readReply(text);
  return 'reply' in read ? read.reply : read.wrong;
};

test('a change is passed on in every form that the loop reads, and without line numbers that were copied', () => {
  assert.equal(reply(DIFF), { answer: DIFF });
  assert.equal(reply(WHOLE), { answer: WHOLE });
  assert.equal(reply(`<think>a {"hand_over": "x"}?</think>\n${DIFF}`), { answer: `\n${DIFF}` });
  const numbered = 'a.txt\n```\n1 | one\n2 | two\n```\nFix: a\nReason: b\n';
  assert.equal(reply(numbered), { answer: 'a.txt\n```\none\ntwo\n```\nFix: a\nReason: b\n' });
});

test('a damaged change goes to the loop, which says what is wrong with it', () => {
  const damaged = '```diff\n@@\nnothing that could be placed\n```\n';
  assert.equal(reply(damaged), { answer: damaged });
});

test('JSON is found by itself, in a fence and below some prose', () => {
  const object = '{"hand_over": "replace the disk"}';
  const expected = { hand_over: 'replace the disk' };
  for (const text of [
    object,
    ` \ufeff${object}`.trim(),
    `\`\`\`json\n${object}\n\`\`\``,
    `\`\`\`\n${object}\n\`\`\`\n`,
    `The disk is broken.\n\n${object}\n`,
    `<think>hm</think>${object}`,
  ]) {
    assert.equal(reply(text), expected, text);
  }
});

test('a JSON file that is written whole is a change, whatever keys it has', () => {
  const text = 'config/a.json\n```json\n{\n  "hand_over": "x"\n}\n```\nFix: a\nReason: b\n';
  assert.equal(reply(text), { answer: text });
});

test('what is not exactly one form by its schema is told back', () => {
  const keys = 'patch, diagnostics, hand_over; expected exactly one';
  const wrong: Record<string, RegExp | string> = {
    '': 'it is empty',
    ' \n ': 'it is empty',
    'I do not know.': 'it is neither a change of files nor one JSON object with diagnostics or hand_over',
    '[1, 2]': 'it is neither a change of files nor one JSON object with diagnostics or hand_over',
    '{}': `the JSON object has none of the keys ${keys}`,
    '{"hand_over": "a", "diagnostics": [["ls"]]}': `the JSON object has diagnostics and hand_over of the keys ${keys}`,
    '{"hand_over": ""}': /^hand_over is not as described: /,
    '{"hand_over": 3}': /^hand_over is not as described: /,
    '{"hand_over": "a", "more": 1}': /^the JSON object is not as described: /,
    '{"diagnostics": []}': /^diagnostics is not as described: /,
    '{"diagnostics": ["kubectl get pods"]}': /^diagnostics\.0 is not as described: /,
    '{"diagnostics": [[]]}': /^diagnostics\.0 is not as described: /,
    '{"diagnostics": [["ls", 3]]}': /^diagnostics\.0\.1 is not as described: /,
    '{"patch": "--- a/x\\n+++ b/x\\n@@\\n-a\\n+b\\n"}': /^fix is not as described: /,
  };
  for (const [text, why] of Object.entries(wrong)) {
    const read = reply(text);
    if (typeof why === 'string') assert.is(read, why, text);
    else assert.match(read as string, why, text);
  }
  const many = JSON.stringify({ diagnostics: Array.from({ length: 13 }, () => ['ls']) });
  assert.match(reply(many) as string, /^diagnostics is not as described: /);
  assert.is(reply('x'.repeat(1_000_001)), 'it has more than 1000000 characters');
});

test('whatever is said, it is read without a throw, and what is read is within the schema of the hook', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '{',
      '}',
      '"',
      '```',
      '```json\n',
      '\n',
      '<think>',
      '</think>',
      '@@',
      '--- a',
      '+++ b',
      '{"hand_over":',
    ),
    fc.json(),
  );
  const object = fc.record({ patch: fc.string(), fix: fc.string(), reason: fc.string() }, { requiredKeys: [] });
  const text = fc.oneof(
    fc.array(piece, { maxLength: 12 }).map((parts) => parts.join('')),
    object.map((value) => JSON.stringify(value)),
    fc.json().map((value) => `{"diagnostics": ${value}}`),
    fc.json().map((value) => `{"hand_over": ${value}}`),
  );
  fc.assert(
    fc.property(text, (text) => {
      const read = readReply(text);
      return 'wrong' in read ? read.wrong.length > 0 : escalationSchema.safeParse(read.reply).success;
    }),
    runs(500, 30000),
  );
});

test('a long answer of braces and fences is read in no time', () => {
  // Of the processor: the machine may be busy with other tests.
  const before = process.cpuUsage();
  for (const part of ['{', '```\n', '{"a":', '```json\n{', '<think>']) readReply(part.repeat(200_000 / part.length));
  const { user } = process.cpuUsage(before);
  assert.ok(user < 2_000_000, `${user / 1000} ms`);
});

test('Retry-After is seconds or a date of HTTP, and nothing else', () => {
  const now = Date.parse('2026-01-02T03:04:05Z');
  const cases: Record<string, number | undefined> = {
    '0': 0,
    '7': 7000,
    '1.5': 1500,
    'Fri, 02 Jan 2026 03:04:15 GMT': 10_000,
    'Fri, 02 Jan 2026 03:04:00 GMT': 0,
    'Fri, 99 Jan 2026 03:04:00 GMT': undefined,
    '-1': undefined,
    '1e3': undefined,
    '2026': 2_026_000,
    '2026-01-02': undefined,
    soon: undefined,
    '': undefined,
  };
  for (const [header, ms] of Object.entries(cases)) assert.is(retryAfterMs(header, now), ms, header);
  assert.is(retryAfterMs(undefined, now), undefined);
});

test('of what a host says, no word with six characters of a secret is left, and it is one bounded line', () => {
  const secret = 'sk-abcdef123456';
  assert.is(withoutSecrets(`no\tkey sk-abc***456\n\u001b[31m"${secret}",`, [secret]), 'no key (hidden) (hidden)');
  assert.is(withoutSecrets('a b c', []), 'a b c');
  assert.is(withoutSecrets('x'.repeat(500), ['']).length, 200);
  fc.assert(
    fc.property(fc.string(), fc.nat(9), fc.nat(), fc.string(), (before, from, length, after) => {
      const part = secret.slice(from, from + 6 + (length % 10));
      return part.length < 6 || !withoutSecrets(`${before}${part}${after}`, [secret]).includes(part);
    }),
  );
});

test.run();
