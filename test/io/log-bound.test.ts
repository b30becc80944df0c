// The bound of a log: beginning and end stay, what was between is counted in the log itself, and whoever reads it goes on reading.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../src/io/clock.ts';
import { runCommand } from '../../src/io/command.ts';
import { readTail } from '../../src/io/files.ts';
import { openLog } from '../../src/io/log.ts';
import { openFollow } from '../../src/io/log-window.ts';
import { folder } from '../environment.ts';

const MAX_BYTES = 4_000_000;
const HEAD_BYTES = 1_048_576;
const LEFT_OUT = /\nmendloop: note: … (\d+) MB left out here: (\d+) bytes …\n/;

/** Runs `text` with its output to a log of at most 4 MB. */
async function logged(text: string, during?: (path: string) => () => void) {
  const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
  const timer = setInterval(during?.(log.path) ?? (() => {}), 5);
  const signal = AbortSignal.timeout(60_000);
  const request = { command: text, kind: 'command' as const, cwd: folder(), env: { PATH: process.env.PATH ?? '' } };
  const outputFd = log.output();
  const { exitCode } = await runCommand({ ...request, outputFd, marks: ['A=b'], signal, graceMs: 300 }, systemClock);
  await log.close();
  clearInterval(timer);
  assert.is(exitCode, 0);
  return log.path;
}

/** What `seq -f 'line %.0f' N` prints. */
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('');

test('a log within its bound is left as it is', async () => {
  const path = await logged(`seq -f 'line %.0f' 200000`);
  assert.is(readFileSync(path, 'utf8'), lines(200_000));
});

test('of a longer log beginning and end are kept, byte for byte, and between them it says how much is left out', async () => {
  const whole = Buffer.from(lines(2_000_000));
  const path = await logged(`seq -f 'line %.0f' 2000000`);
  const kept = readFileSync(path);
  assert.ok(kept.length <= MAX_BYTES, `${kept.length} bytes`);
  assert.ok(kept.length > MAX_BYTES / 2 + HEAD_BYTES, `${kept.length} bytes`);
  const text = kept.toString('utf8', HEAD_BYTES, HEAD_BYTES + 200);
  const [line = '', mb, bytes] = LEFT_OUT.exec(text) ?? [];
  assert.ok(text.startsWith(line) && line !== '');
  assert.is(Number(mb), Math.floor(Number(bytes) / 1_000_000));
  assert.ok(kept.subarray(0, HEAD_BYTES).equals(whole.subarray(0, HEAD_BYTES)));
  const tail = kept.subarray(HEAD_BYTES + Buffer.byteLength(line));
  assert.is(HEAD_BYTES + Number(bytes) + tail.length, whole.length, 'every byte is kept or counted');
  assert.ok(whole.subarray(-tail.length).equals(tail));
  assert.equal(readdirSync(join(path, '..')), ['a.log'], 'nothing is left beside it');
  assert.is(statSync(path).mode & 0o777, 0o600);
});

test('who follows a log while it is cut gets what is kept once and in order, with the line where something is missing', async () => {
  let seen = '';
  const path = await logged(`seq -f 'line %.0f' 400000; sleep 0.1; seq -f 'line %.0f' 400001 1000000`, (log) => {
    const next = openFollow(log, 0, false);
    return () => {
      for (let piece = next(); piece && piece.bytes.length > 0; piece = next()) seen += piece.bytes;
    };
  });
  assert.ok(seen.length > HEAD_BYTES, `${seen.length} characters`);
  let all = 0;
  for (const [i, part] of seen.split(LEFT_OUT).entries()) {
    if (i % 3 !== 0) continue;
    const numbers = [...part.matchAll(/^line (\d+)\n/gm)].map(([, number]) => Number(number));
    const [first = 0] = numbers;
    assert.ok(first > all, `${first} after ${all}`);
    assert.is(numbers.at(-1), first + numbers.length - 1, 'no gap');
    all = numbers.at(-1) ?? all;
  }
  assert.match(readFileSync(path, 'utf8'), LEFT_OUT);
});

test('a log that a stage removes or replaces is none: nothing is written elsewhere, and what writes goes on', async () => {
  for (const how of ['rm -f', 'ln -sf other', 'rm -f $0; mkfifo']) {
    const log = openLog(join(folder(), 'a.log'), MAX_BYTES);
    const cwd = folder();
    const command = `${how.replace('$0', log.path)} ${log.path}; head -c 3000000 /dev/zero; echo done > done`;
    const request = { command, kind: 'command' as const, cwd, env: { PATH: process.env.PATH ?? '' }, marks: ['A=b'] };
    const signal = AbortSignal.timeout(20_000);
    await runCommand({ ...request, outputFd: log.output(), signal, graceMs: 300 }, systemClock);
    await log.close();
    assert.equal(readdirSync(cwd), ['done']);
    assert.equal(
      readdirSync(join(log.path, '..')).filter((name) => name !== 'a.log'),
      [],
    );
    assert.is(readTail(log.path, 10), undefined, how);
  }
});

test.run();
