// A home whose ledger was written with fingerprints that were made in another way.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failuresIn, homelab, run } from './homelab.ts';

const OLD = '0123456789abcdef';
const FAILS = { a: { command: 'echo "Error: no such pool: tank"; exit 3' } };

/** Writes everything as if the fingerprints were made in the first way. */
function makeOld(home: string, fingerprint: string): void {
  const state = join(home, 'ai/state');
  for (const name of readdirSync(state, { recursive: true, encoding: 'utf8' })) {
    if (!/\.jsonl?$/.test(name)) continue;
    const path = join(state, name);
    writeFileSync(
      path,
      readFileSync(path, 'utf8')
        .replaceAll(fingerprint, OLD)
        .replaceAll(/,"algorithm":\d+/g, ''),
    );
  }
}

async function oldHome(): Promise<{ home: string; fingerprint: string }> {
  const home = homelab(FAILS);
  await run(home);
  const fingerprint = failuresIn(home)[0]?.fingerprint as string;
  makeOld(home, fingerprint);
  return { home, fingerprint };
}

test('a failure of an older version is known again by its last log', async () => {
  const { home, fingerprint } = await oldHome();
  assert.equal(
    failuresIn(home).map((entry) => [entry.fingerprint, entry.algorithm]),
    [[OLD, undefined]],
  );
  const ran = await run(home);
  assert.equal(
    failuresIn(home).map((entry) => [entry.fingerprint, entry.times_seen]),
    [[fingerprint, 2]],
  );
  assert.is(ran.events.filter(({ type }) => type === 'failure.carried').length, 1);
  const again = await run(home);
  assert.is(again.events.filter(({ type }) => type === 'failure.carried').length, 0, 'once is enough');
});

test('where its log is gone it stays as history, and the failure is counted anew', async () => {
  const { home, fingerprint } = await oldHome();
  rmSync(join(home, 'ai/logs'), { recursive: true });
  await run(home);
  assert.equal(
    failuresIn(home).map((entry) => [entry.fingerprint, entry.times_seen, entry.orphaned]),
    [
      [OLD, 1, true],
      [fingerprint, 1, undefined],
    ],
  );
});

test.run();
