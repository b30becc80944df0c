import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KEY_RULES } from '../../../src/outbound/redact/key-rules.ts';
import { PLACE_RULES } from '../../../src/outbound/redact/place-rules.ts';
import { createRedactor, findByRule } from '../../../src/outbound/redact/redactor.ts';
import { TOKEN_RULES } from '../../../src/outbound/redact/token-rules.ts';
import { fill } from './fill.ts';

const RULES = [...TOKEN_RULES, ...PLACE_RULES, ...KEY_RULES];
const SEEDS = [1, 2, 3, 4, 5];

for (const rule of RULES) {
  test(`${rule.name}: its examples are masked by this rule, its counterexamples are left alone`, () => {
    assert.ok(rule.matches.length > 0 && rule.misses.length > 0);
    for (const seed of SEEDS) {
      for (const { text, secrets } of rule.matches.map((example) => fill(example, seed))) {
        const spans = findByRule(rule, text);
        const covered = (at: number) => spans.some(({ start, end }) => start <= at && at < end);
        for (const secret of secrets.filter(({ length }) => length >= 4)) {
          const from = text.indexOf(secret);
          for (let i = from; i < from + secret.length; i++) assert.ok(covered(i), `${text}: ${text[i]} at ${i}`);
        }
        const { redact, restore } = createRedactor({ secrets: [] });
        assert.equal(restore(redact(text)), { ok: true, text });
      }
      for (const { text } of rule.misses.map((example) => fill(example, seed))) {
        assert.equal(findByRule(rule, text), [], text);
      }
    }
  });
}

test('every rule has a name of its own, a kind of one word, and finds what it looks for each time anew', () => {
  const names = RULES.map(({ name }) => name);
  assert.is(names.length, new Set(names).size);
  for (const { kind, pattern } of RULES) {
    assert.match(kind, /^[a-z]{1,24}$/);
    assert.ok(pattern.flags.includes('d') && pattern.flags.includes('g') && !pattern.flags.includes('y'));
  }
});

test.run();
