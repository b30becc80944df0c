import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { endOfBytes, identifyFrom } from '../../src/failure/fingerprint.ts';
import { readTail } from '../../src/io/files.ts';
import { lastLinesAt } from '../../src/io/log.ts';
import { folder } from '../environment.ts';
import { cpuTime } from '../failure/cpu-time.ts';
import { fc, runs } from '../sweep.ts';

const input = { stage: 'vms', ended: { exit_code: 1, signal: null, timed_out: false } };
const CAUSE = "cp: cannot stat 'talos.yaml': No such file or directory";

function file(content: string | Uint8Array): string {
  const path = join(folder(), 'a.log');
  writeFileSync(path, content);
  return path;
}

/** A file of zeros that takes no room, with something at its end. */
function sparse(bytes: number, end: string): string {
  const path = file('');
  const fd = openSync(path, 'r+');
  ftruncateSync(fd, bytes);
  closeSync(fd);
  appendFileSync(path, end);
  return path;
}

test('the last bytes of a file, and whether there are more before them', () => {
  const path = file('one\ntwo\n');
  assert.equal(readTail(path, 4), { text: 'two\n', cut: true });
  assert.equal(readTail(path, 8), { text: 'one\ntwo\n', cut: false });
  assert.equal(readTail(path, 1 << 30), { text: 'one\ntwo\n', cut: false });
  assert.equal(readTail(path, 0), { text: '', cut: true });
  assert.equal(readTail(file(''), 4), { text: '', cut: false });
});

test('where the last lines begin, however long lines are, and whether or not the last one is over', () => {
  const long = 'x'.repeat(200_000);
  for (const lines of [
    [],
    ['one'],
    ['one', 'two', 'three'],
    ['', '', ''],
    [long, 'two', long],
    Array(70_000).fill('a'),
  ])
    for (const end of ['', '\n'])
      for (const count of [1, 2, 3, 4]) {
        const text = lines.join('\n') + (lines.length > 0 ? end : '');
        const last = lines.slice(-count).join('\n') + (lines.length > 0 ? end : '');
        if (end === '' && lines.at(-1) === '') continue;
        assert.is(lastLinesAt(file(text), count), text.length - last.length);
      }
});

test('a file that vanished, a folder, a link to nowhere and a path through a file are nothing to read', () => {
  const path = file('x');
  const gone = file('x');
  rmSync(gone);
  const dir = join(folder(), 'dir');
  mkdirSync(dir);
  const link = join(folder(), 'link');
  symlinkSync('nowhere', link);
  for (const none of [gone, dir, link, join(path, 'a.log'), '']) assert.is(readTail(none, 64), undefined, none);
});

test('a character cut in half becomes a replacement character, and the rest of the text is right', () => {
  const path = file('日本\n🚀 Error: ü\n');
  for (let bytes = 1; bytes <= 21; bytes++) {
    const { text } = readTail(path, bytes) as { text: string };
    assert.ok('日本\n🚀 Error: ü\n'.endsWith(text.replace(/^\ufffd+/, '')), `${bytes}: ${JSON.stringify(text)}`);
  }
  assert.equal(readTail(file(Buffer.from([0x61, 0xff, 0x62])), 9), { text: 'a\ufffdb', cut: false });
});

test('property: a file and its bytes in memory say the same', () => {
  const path = file('');
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(320), (bytes, n) => {
      writeFileSync(path, bytes);
      assert.equal(readTail(path, n), endOfBytes(Buffer.from(bytes))(n));
    }),
    runs(200, 2000),
  );
});

test('a failure is the same from a file and from memory', () => {
  const log = `${'step is under way\n'.repeat(50_000)}${CAUSE}\n`;
  const path = file(log);
  assert.equal(
    identifyFrom((bytes) => readTail(path, bytes), input),
    identifyFrom(endOfBytes(Buffer.from(log)), input),
  );
});

test('a file that is being written to is read as far as it goes', () => {
  const path = file('one\n');
  assert.is(readTail(path, 64)?.text, 'one\n');
  appendFileSync(path, 'two\n');
  assert.is(readTail(path, 64)?.text, 'one\ntwo\n');
});

test('the size of a log costs nothing: a gigabyte with an error at its end is known at once, and never in memory', () => {
  const path = sparse(1 << 30, `\n${CAUSE}\n`);
  const before = process.memoryUsage().rss;
  const took = cpuTime(() => {
    const found = identifyFrom((bytes) => readTail(path, bytes), input);
    assert.equal([found.grade, found.class, found.errors[0]?.lines], ['strong', 'missing_file', [CAUSE]]);
  });
  assert.ok(took < 800, `took ${took} ms`);
  assert.ok(process.memoryUsage().rss - before < 64 << 20, `${process.memoryUsage().rss - before} bytes more`);
});

test('a single line of half a gigabyte is no trouble, with an error at its end or without', () => {
  const began = process.memoryUsage().rss;
  for (const [end, says] of [
    [`\r${CAUSE}`, [CAUSE]],
    [` ${CAUSE}`, [CAUSE]],
    ['', undefined],
  ] as const) {
    const path = sparse(500 << 20, end);
    const took = cpuTime(() => {
      const found = identifyFrom((bytes) => readTail(path, bytes), input);
      assert.equal(
        found.errors[0]?.lines.map((line) => line.trim()),
        says,
        end,
      );
    });
    assert.ok(took < 1500, `took ${took} ms`);
  }
  assert.ok(process.memoryUsage().rss - began < 128 << 20, `${process.memoryUsage().rss - began} bytes more`);
});

test.run();
