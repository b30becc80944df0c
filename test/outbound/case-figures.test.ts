// What a case costs to build, in a process of its own.
import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, ftruncateSync, mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { program } from '../program.ts';

test('a case of 200 files and a log of 1 GB takes less than 1 s and 150 MB', () => {
  const dir = mkdtempSync(join(tmpdir(), 'mendloop-case-'));
  const log = join(dir, 'log');
  const fd = openSync(log, 'w');
  ftruncateSync(fd, 1024 ** 3);
  closeSync(fd);
  appendFileSync(log, 'error: config/talos/file-7.yaml:33 does not parse\n'.repeat(5000));
  const told = execFileSync(process.execPath, [...program('build-case'), log], { encoding: 'utf8' });
  const { ms, mb, chars, log: read } = JSON.parse(told) as Record<'ms' | 'mb' | 'chars' | 'log', number>;
  assert.is(read, 64 * 1024);
  assert.ok(chars > 20_000 && chars <= 60_000, told);
  assert.ok(ms < 1000, told);
  assert.ok(mb < 150, told);
});

test.run();
