// The proof that no secret leaves: each of many kinds, in each encoding, at each place, and no piece of it is left.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createRedactor } from '../../../src/outbound/redact/redactor.ts';
import { secretsInEnv, secretsInText } from '../../../src/outbound/redact/secrets-in-file.ts';
import { cases } from '../../sweep.ts';
import { FORMS, leftovers, PLACES, planted, SETTINGS } from './planted.ts';

const ALL = planted();
/** In the suite one of the two secrets of each kind, each in one of the places; in the sweep all of them in all. */
const SOME = cases(
  ALL.filter((_, i) => i % 2 === 0),
  ALL,
);
const EVERY = cases(11, 1);

test('there are at least 60 secrets of at least 20 kinds', () => {
  const kinds = new Set(ALL.map(({ kind }) => kind)).size;
  assert.ok(ALL.length >= 60 && kinds >= 20, `${ALL.length} of ${kinds}`);
  assert.is(new Set(ALL.map(({ value }) => value)).size, ALL.length);
  for (const { value, line, kind } of ALL) assert.ok(line.includes(value), kind);
});

for (const [form, write] of Object.entries(FORMS)) {
  test(`a carried secret is gone from every place, ${form}, and comes back byte for byte`, () => {
    const { redact, restore } = createRedactor({
      secrets: ALL.map(({ value, kind }) => ({ value, kind: 'token', from: kind })),
    });
    const failed: string[] = [];
    for (const [i, { kind, value }] of SOME.entries()) {
      const text = Object.values(PLACES)
        .filter((_, place) => (place + i) % EVERY === 0)
        .map((place) => place(write(value)))
        .join('\nbetween\n');
      const masked = redact(text);
      const left = leftovers(masked, value);
      if (left.length > 0) failed.push(`${kind}: ${left.slice(0, 3).join(' ')} in ${masked.slice(0, 400)}`);
      assert.equal(restore(masked), { ok: true, text });
    }
    assert.equal(failed, []);
  });
}

test('a secret that nobody carries is gone from a log by its form or its place', () => {
  for (const { kind, line, value } of ALL) {
    const { redact } = createRedactor({ secrets: [] });
    const masked = redact(`before\n${line}\nafter`);
    assert.equal(leftovers(masked, value), [], `${kind}: ${masked}`);
  }
});

test('a secret that nobody carries is gone from settings, YAML, JSON and shell traces under a key that says so', () => {
  const failed: string[] = [];
  for (const [name, write] of Object.entries(SETTINGS)) {
    for (const { kind, key, value } of SOME) {
      const masked = createRedactor({ secrets: [] }).redact(`before\n${write(key, value)}\nafter`);
      if (leftovers(masked, value).length > 0) failed.push(`${kind} as ${name}: ${masked}`);
    }
  }
  assert.equal(failed, []);
});

test('a secret in colour that nobody carries is gone as one without', () => {
  const failed: string[] = [];
  for (const { kind, line, value } of SOME) {
    const coloured = line.replace(value, () => `\u001b[33m${value}\u001b[0m`);
    const masked = createRedactor({ secrets: [] }).redact(`before\n${coloured}\nafter`);
    if (leftovers(masked, value).length > 0) failed.push(`${kind}: ${JSON.stringify(masked)}`);
  }
  assert.equal(failed, []);
});

test('what is carried is known: as settings, YAML, JSON, or in the environment', () => {
  for (const { kind, key, value } of ALL) {
    const found = [
      secretsInText('.env', `OTHER=1\n${key}='${value}'\n`),
      secretsInText('x.yaml', `a: 1\n${key}: ${JSON.stringify(value)}\n`),
      secretsInText('x.json', JSON.stringify({ deep: [{ [key]: value }] })),
      secretsInEnv({ [key]: value, HOME: '/root' }),
    ];
    for (const { secrets } of found)
      assert.ok(
        secrets.some((secret) => secret.value === value),
        `${kind} ${key}`,
      );
  }
});

test.run();
