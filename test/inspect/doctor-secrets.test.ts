import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { examine } from '../../src/inspect/doctor.ts';
import { folder, write } from '../environment.ts';
import { commit, repository } from '../worktree/repository.ts';

const CARRY = ['.env', 'keys'];

function home(redact: string[] = []): string {
  const map = { carry: CARRY, stages: { a: { command: 'true' } } };
  return repository({
    'ai/context_map.yaml': JSON.stringify(map),
    'ai/loop.yaml': JSON.stringify({ redact }),
    '.gitignore': '.env\nkeys/\n',
  });
}

/** What is told about secrets. */
const findings = async (at: string, env: Record<string, string> = {}) =>
  (await examine(at, { env: { PATH: process.env.PATH ?? '', ...env }, labTools: '/nonexistent' })).filter(({ what }) =>
    /secrets|model/.test(what),
  );

test('values that are too short, and files that were not looked into, are one note with keys, files and the next step', async () => {
  const [at, elsewhere] = [home(), folder()];
  write(at, {
    '.env': 'DB_PASSWORD=pw1\nDB_HOST=db\nAPI_TOKEN=long-enough-to-mask\n',
    'keys/app.yaml': 'auth:\n  password: admin\n',
  });
  symlinkSync(elsewhere, join(at, 'keys/out'));
  const found = await findings(at, { LAB_PIN: '4711' });
  assert.equal(found, [
    {
      level: 'note',
      what: [
        'secrets that a model might be shown, because nobody can look for them:',
        '.env, DB_PASSWORD: too short',
        'keys/app.yaml, password: too short',
        'the variable LAB_PIN: too short',
        'keys/out (leads out of the repository): not looked into',
      ].join('\n'),
      next: 'give values 8 characters or more, or a pattern under redact: in ai/loop.yaml\ncarry the file itself, or keep what is not looked into out of logs',
    },
  ]);
  assert.not.match(JSON.stringify(found), /pw1|admin|4711/);
});

test('what the owner masks with a pattern of their own is not told again', async () => {
  const at = home(['pw1', 'password: [a-z0-9]+']);
  write(at, { '.env': 'DB_PASSWORD=pw1\n', 'keys/app.yaml': 'password: abc\n' });
  assert.equal(await findings(at), []);
  commit(at, { 'ai/loop.yaml': JSON.stringify({ redact: ['pw'] }) });
  assert.match(
    (await findings(at))[0]?.what ?? '',
    /\n\.env, DB_PASSWORD: too short\nkeys\/app\.yaml, password: too short$/,
  );
});

test('where nothing is short and all was read, nothing is told', async () => {
  const at = home();
  write(at, { '.env': 'DB_PASSWORD=long-enough-to-mask\nDEBUG=true\nTOKEN_TTL=60\n' });
  assert.equal(await findings(at), []);
});

test('a carried file whose secrets cannot be known is a problem: no model can be asked', async () => {
  const at = home();
  write(at, { 'keys/app.yaml': 'a: [b\nc' });
  assert.equal(await findings(at), [
    {
      level: 'problem',
      what: 'no model can be asked: the carried file keys/app.yaml does not parse, so its secrets are not known',
      next: 'mend keys/app.yaml, or take it out of carry in ai/context_map.yaml',
    },
  ]);
});

test.run();
