// What a change adds to the complaints about a script, and nothing that was there before.
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { shellCheck } from '../../src/io/shell-check.ts';
import { folder, setEnv } from '../environment.ts';

const SOUND = '#!/usr/bin/env bash\nset -eu\necho fine\n';
const OPEN = '#!/usr/bin/env bash\nset -eu\nif true; then\n  echo open\n';

test('a sound script has no complaint, a new one neither', async () => {
  assert.equal(await shellCheck('a.sh', SOUND, `${SOUND}echo more\n`), []);
  assert.equal(await shellCheck('a.sh', null, SOUND), []);
});

test('what no longer parses is told with its file', async () => {
  const found = await shellCheck('conf/a.sh', SOUND, OPEN);
  assert.ok(found.length >= 1);
  assert.ok(found.every((line) => line.startsWith('conf/a.sh: ')));
  assert.match(found[0] ?? '', /^conf\/a\.sh: bash: line \d+: syntax error: unexpected end of file$/);
  assert.ok((await shellCheck('a.sh', null, OPEN)).length >= 1);
});

test('what was wrong before, wherever it stands now, is not told', async () => {
  assert.equal(await shellCheck('a.sh', OPEN, OPEN.replace('set -eu\n', 'set -eu\n# a line more\n')), []);
  assert.equal(await shellCheck('a.sh', OPEN, SOUND), []);
});

test('bash alone tells what shellcheck would, where that is not installed', async () => {
  const only = folder();
  symlinkSync('/bin/bash', join(only, 'bash'));
  setEnv({ PATH: only });
  assert.equal(await shellCheck('a.sh', null, OPEN), ['a.sh: bash: line 5: syntax error: unexpected end of file']);
  assert.equal(await shellCheck('a.sh', null, SOUND), []);
});

test('nothing of the script runs', async () => {
  const trace = join(folder(), 'ran');
  await shellCheck('a.sh', null, `#!/usr/bin/env bash\ntouch ${trace}\n$(touch ${trace})\n`);
  assert.not(existsSync(trace));
});

test('a long script is read to its end', async () => {
  const long = `${SOUND}${'echo again\n'.repeat(3000)}`;
  assert.equal(await shellCheck('a.sh', null, long), []);
});

test.run();
