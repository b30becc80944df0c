// What the README shows is what the program prints.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = join(import.meta.dirname, '../..');

test('the example of fingerprint in the README is what it prints', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, script = '', shown = ''] =
    /^\$ (printf .*? \|\n +mendloop fingerprint [^\n]*)\n(.*?)\n```/ms.exec(readme) ?? [];
  assert.is.not(script, '', 'the README has the example');
  const here = `mendloop() { '${process.execPath}' '${join(ROOT, 'scripts/bootstrap_loop.mjs')}' "$@"; }\n${script}`;
  const { stdout } = spawnSync('bash', ['-c', here], { cwd: ROOT, encoding: 'utf8' });
  assert.is(stdout.trimEnd(), shown);
});

test.run();
