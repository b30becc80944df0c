import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findNamedValues } from '../../../src/outbound/redact/named-values.ts';
import { createRedactor, maskedLeaves, RULES } from '../../../src/outbound/redact/redactor.ts';
import { besideSecrets } from '../../exams/redaction/measure.ts';
import { assertAllHaveExamples, examplesOf } from '../../fixtures/rules/examples.ts';
import { EXAMPLES_OF_NO_RULE, REDACTION_EXAMPLES } from '../../fixtures/rules/redaction.ts';
import { fill } from './fill.ts';

const SEEDS = [1, 2, 3, 4, 5];

test('every rule has examples, and every example a rule', () => {
  assertAllHaveExamples(
    REDACTION_EXAMPLES,
    RULES.map(({ name }) => name),
  );
});

for (const rule of RULES) {
  const { matches, misses } = examplesOf(REDACTION_EXAMPLES, rule.name);
  test(`${rule.name}: its examples are masked by this rule, its counterexamples are left alone`, () => {
    assert.ok(matches.length > 0 && misses.length > 0);
    for (const seed of SEEDS) {
      for (const { text, secrets } of matches.map((example) => fill(example, seed))) {
        const spans = rule.find(text);
        const covered = (at: number) => spans.some(({ start, end }) => start <= at && at < end);
        for (const secret of secrets.filter(({ length }) => length >= 4)) {
          const from = text.indexOf(secret);
          for (let i = from; i < from + secret.length; i++) assert.ok(covered(i), `${text}: ${text[i]} at ${i}`);
        }
        const { redact, restore } = createRedactor({ secrets: [] });
        assert.equal(restore(redact(text)), { ok: true, text });
      }
      for (const { text } of misses.map((example) => fill(example, seed))) {
        assert.equal(rule.find(text), [], text);
      }
    }
  });
}

for (const [name, { matches, misses = [] }] of Object.entries(EXAMPLES_OF_NO_RULE)) {
  test(`${name}: masked by the rules together, and its counterexamples are left alone`, () => {
    for (const seed of SEEDS) {
      for (const { text, secrets } of matches.map((example) => fill(example, seed))) {
        const masked = createRedactor({ secrets: [] }).redact(text);
        for (const secret of secrets.filter(({ length }) => length >= 4))
          assert.not.ok(masked.includes(secret), masked);
      }
      for (const { text } of misses.map((example) => fill(example, seed)))
        assert.is(createRedactor({ secrets: [] }).redact(text), text);
    }
  });
}

test('what stands beside a secret stays, but for the rest of its word', () => {
  for (const { matches } of Object.values({ ...REDACTION_EXAMPLES, ...EXAMPLES_OF_NO_RULE })) {
    for (const { left, expected } of matches.map(besideSecrets)) assert.is(left, expected);
  }
});

test('every rule has a name of its own, a kind of one word, and finds what it looks for each time anew', () => {
  const names = RULES.map(({ name }) => name);
  assert.is(names.length, new Set(names).size);
  for (const rule of RULES) {
    for (const { text } of examplesOf(REDACTION_EXAMPLES, rule.name).matches.map((example) => fill(example))) {
      const spans = rule.find(text);
      for (const { kind } of spans) assert.match(kind, /^[a-z]{1,24}$/);
      assert.equal(rule.find(text), spans);
    }
  }
});

test('names that only one rule knows are seen before its pattern is compiled', () => {
  const texts = [
    'config set masterauth Xk29fh3k',
    'option key Xk29fh3k',
    '--certificate-key Xk29fh3k',
    '-keypass Xk29fh3k',
  ];
  for (const text of texts) assert.not.match(createRedactor({ secrets: [] }).redact(text), 'Xk29fh3k', text);
});

test('a value is masked to its end, however long', () => {
  const value = 'Ab1!'.repeat(150);
  const [masked] = createRedactor({ secrets: [] }).redact(`password=${value}ab<x`).split('<');
  assert.match(masked ?? '', /^password=SECRET_\w{1,60}_END$/);
});

test('how far is looked for a value, its name and what stands around them', () => {
  const limits: [text: (count: number) => string, limit: number][] = [
    [(count) => `password:${' '.repeat(count)}wednesday`, 200],
    [(count) => `${' '.repeat(count)}token: wednesday`, 120],
    [(count) => `${'a'.repeat(count)}token: wednesday`, 64],
    [(count) => `token ${'wort '.repeat(count)}Hunter!9x`, 8],
    [(count) => `license${' '.repeat(count)}is Hunter!9x`, 148],
    [(count) => `tokens:\n${Array.from({ length: count }, (_, i) => `  - Hunter${100 + i}x`).join('\n')}`, 20],
    [(count) => `user,password\n${'x'.repeat(count)},wednesday`, 390],
    [(count) => `${'user'.padStart(count)},password\nroot,wednesday`, 391],
  ];
  for (const [text, limit] of limits) {
    const isMasked = (count: number) => /_END$/.test(createRedactor({ secrets: [] }).redact(text(count)));
    assert.equal([isMasked(limit), isMasked(limit + 1)], [true, false], text(3));
  }
});

test('each value is found once, however many words of its name speak of secrets', () => {
  assert.is(findNamedValues('secret_token_password=wednesday7').length, 1);
});

test('of data the texts are masked, at any depth, and nothing else', () => {
  const data = { a: 'x', b: [1, null, 'y', { c: true, d: 'z' }] };
  assert.equal(
    maskedLeaves(data, (text) => `<${text}>`),
    { a: '<x>', b: [1, null, '<y>', { c: true, d: '<z>' }] },
  );
});

test('the usual name of a branch stays, unless it is a known secret', () => {
  const branch = 'ai/orchestrator-stage1';
  assert.is(createRedactor({ secrets: [] }).redact(branch), branch);
  assert.not.match(
    createRedactor({ secrets: [{ value: branch, kind: 'env', from: '.env' }] }).redact(branch),
    'orchestrator',
  );
});

test.run();
