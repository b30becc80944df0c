import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { load } from './plugin-folder.ts';

const readme = readFileSync(new URL('../../plugins/README.md', import.meta.url), 'utf8');
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text);

test('every example of an escalation or notifier that ships loads as it is written', async () => {
  const shown = blocks('yaml').filter((yaml) => /^(?:escalations|notifiers):/m.test(yaml));
  assert.ok(shown.length >= 6, `${shown.length} examples`);
  for (const yaml of shown) {
    const { escalations, notifiers } =
      (await load(yaml, {}).catch((error) => assert.unreachable(`${yaml}\n${error.problems}`))) ?? {};
    assert.ok((escalations?.length ?? 0) + (notifiers?.length ?? 0) > 0, yaml);
  }
});

test('the example of the host of models does what it says', () => {
  const script = (blocks('js').find((text) => text.includes('startApiServer')) ?? '').replace(
    'mendloop/testing',
    './src/testing/index.ts',
  );
  const flags = ['--import', './scripts/typescript.mjs', '--input-type=module', '-e', script];
  const ran = spawnSync(process.execPath, flags, {
    cwd: new URL('../..', import.meta.url),
    timeout: 20_000,
    encoding: 'utf8',
  });
  assert.equal([ran.status, ran.stdout], [0, '200 429 2\n'], ran.stderr);
});

test.run();
