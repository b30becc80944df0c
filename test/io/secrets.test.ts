import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { secretsFrom } from '../../src/io/secrets.ts';
import { RedactionError } from '../../src/outbound/redact/secret.ts';
import { folder, write } from '../environment.ts';

// Put together here, so that no scanner takes them for real.
const fake = (word: string): string => ['not', word, 'a1B2c3D4e5'].join('-');
const from = (home: string, carry: string[], env = {}) => secretsFrom({ home, carry, env });
const valuesOf = (found: ReturnType<typeof from>) => found.secrets.map(({ value }) => value);

const refusal = (call: () => unknown): string => {
  try {
    call();
  } catch (error) {
    if (error instanceof RedactionError) return error.message;
    throw error;
  }
  return 'nothing was thrown';
};

test('files and folders that are carried, and the environment; what does not exist is passed over', () => {
  const home = folder();
  write(home, {
    '.env': `A=${fake('one')}\nPIN=1234\n`,
    'keys/deep/x.yaml': `token: ${fake('two')}\n`,
    other: fake('three'),
  });
  const found = from(home, ['.env', 'keys/', 'gone'], { API_TOKEN: fake('four'), LANG: fake('five') });
  assert.equal(valuesOf(found), [fake('one'), fake('two'), fake('four')]);
  assert.equal(found.short, [{ value: '1234', from: '.env, PIN' }]);
  assert.equal(
    found.secrets.map((secret) => secret.from),
    ['.env, A', 'keys/deep/x.yaml, token', 'the variable API_TOKEN'],
  );
});

test('a carried link out of the repository is an error; one inside of a carried folder is passed over and named', () => {
  const [home, elsewhere] = [folder(), folder()];
  write(elsewhere, { env: `A=${fake('one')}\n` });
  mkdirSync(join(home, 'keys'));
  symlinkSync(join(elsewhere, 'env'), join(home, '.env'));
  symlinkSync(join(elsewhere, 'env'), join(home, 'keys/env'));
  symlinkSync('..', join(home, 'keys/up'));
  symlinkSync('nowhere', join(home, 'keys/dangling'));
  assert.is(
    refusal(() => from(home, ['.env'])),
    'the carried .env is a link out of the repository, so its secrets are not known',
  );
  const found = from(home, ['keys']);
  assert.equal(found.secrets, []);
  assert.equal(found.passedOver.sort(), ['keys/env (leads out of the repository)']);
});

test('a link inside of the repository is followed', () => {
  const home = folder();
  write(home, { 'real.env': `A=${fake('one')}\n` });
  symlinkSync('real.env', join(home, '.env'));
  assert.equal(valuesOf(from(home, ['.env'])), [fake('one')]);
  write(home, { 'keys/a': fake('two') });
  symlinkSync('keys', join(home, 'linked'));
  assert.equal(valuesOf(from(home, ['linked/', './keys'])), [fake('two')]);
});

test('what does not parse or is too large is an error', () => {
  const home = folder();
  write(home, { 'x.json': '{"a": ', 'big.env': `A=${'x'.repeat(4 * 1024 * 1024)}\n` });
  assert.is(
    refusal(() => from(home, ['x.json'])),
    'the carried file x.json does not parse, so its secrets are not known',
  );
  assert.is(
    refusal(() => from(home, ['big.env'])),
    'the carried file big.env has 4194307 bytes; at most 4194304 are read',
  );
});

test('what may not be read is an error', () => {
  const home = folder();
  write(home, { '.env': `A=${fake('one')}\n` });
  chmodSync(join(home, '.env'), 0);
  // Whoever may read everything reads this, too.
  const isRoot = process.getuid?.() === 0;
  const why = 'the carried file .env cannot be read (EACCES), so its secrets are not known';
  assert.is(
    refusal(() => from(home, ['.env'])),
    isRoot ? 'nothing was thrown' : why,
  );
});

test('more files than stages could need are an error', () => {
  const home = folder();
  mkdirSync(join(home, 'many'));
  for (let i = 0; i < 2001; i++) writeFileSync(join(home, 'many', `${i}`), '');
  assert.is(
    refusal(() => from(home, ['many'])),
    'carry brings more than 2000 files along',
  );
});

test('a small binary file is known by its base64, a large one is passed over and named', () => {
  const home = folder();
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => (i * 37) % 256));
  writeFileSync(join(home, 'store.p12'), bytes);
  writeFileSync(join(home, 'provider'), Buffer.alloc(100_000));
  const found = from(home, ['store.p12', 'provider']);
  assert.equal(valuesOf(found), [bytes.toString('base64')]);
  assert.equal(found.passedOver, ['provider (binary, 100000 bytes)']);
});

test.run();
