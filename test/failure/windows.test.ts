import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  endOfBytes,
  type FailureInput,
  identify,
  identifyFrom,
  type ReadEnd,
  WINDOWS,
} from '../../src/failure/fingerprint.ts';
import { LOOK_BACK_BYTES } from '../../src/failure/log-end.ts';

const [FIRST, LAST] = WINDOWS;
const input = { stage: 'vms', ended: { exit_code: 1, signal: null, timed_out: false } };
const ofText = (text: string): ReadEnd => endOfBytes(Buffer.from(text));
const whole = (text: string, more: Partial<FailureInput> = {}) =>
  identify({ ...input, log: { text, cut: false }, ...more });

/** Reads, and tells how much was asked for. */
function watched(read: ReadEnd): { read: ReadEnd; asked: number[] } {
  const asked: number[] = [];
  const seen: ReadEnd = (bytes) => {
    asked.push(bytes);
    return read(bytes);
  };
  return { asked, read: seen };
}

const CAUSE = "cp: cannot stat 'talos.yaml': No such file or directory\n";
const plain = (bytes: number) => 'step is under way\n'.repeat(Math.ceil(bytes / 18));

test('a clear error near the end: no more than the first window is read, and no green log', () => {
  const log = watched(ofText(plain(LAST) + CAUSE));
  const green = watched(ofText(CAUSE));
  const found = identifyFrom(log.read, { ...input, green: green.read });
  assert.equal([log.asked, green.asked], [[FIRST], []]);
  assert.is(found.fingerprint, whole(plain(300) + CAUSE).fingerprint);
});

test('a clear error further up: the larger window finds it', () => {
  const log = watched(ofText(`${plain(LAST)}${CAUSE}${plain(FIRST)}`));
  const found = identifyFrom(log.read, input);
  assert.equal([log.asked, found.grade], [[FIRST, LAST], 'strong']);
  assert.is(found.fingerprint, whole(CAUSE + plain(300)).fingerprint);
});

test('beyond the larger window nothing is looked for', () => {
  const log = watched(ofText(`${CAUSE}${plain(LAST)}`));
  assert.equal([identifyFrom(log.read, input).grade, log.asked], ['plain', [FIRST, LAST]]);
});

test('a log that fits into the first window is read once, whatever it says', () => {
  for (const text of ['', '....', 'writing nodes', 'pool tank is unhealthy']) {
    const log = watched(ofText(text));
    assert.equal(identifyFrom(log.read, input), whole(text));
    assert.equal(log.asked, [FIRST]);
  }
});

test('the last green log is read only when no error is clear, and then decides between weak lines', () => {
  const log = ofText(`pool tank is unhealthy\n${plain(300)}node cp1 is not ready\n`);
  const green = watched(ofText('node cp1 is not ready\n'));
  const said = (more: { green?: ReadEnd }) => identifyFrom(log, { ...input, ...more }).errors.map(({ lines }) => lines);
  assert.equal(said({}), [['node cp1 is not ready']]);
  assert.equal(said({ green: green.read }), [['pool tank is unhealthy']]);
  assert.equal(green.asked, [FIRST]);
  assert.equal(said({ green: () => undefined }), said({}));
});

test('no log is an answer', () => {
  assert.is(identifyFrom(() => undefined, input).silence, 'no log');
  assert.is(identifyFrom(() => undefined, { ...input, green: ofText(CAUSE) }).silence, 'no log');
});

test('a log that vanishes between the two windows is no log', () => {
  const reads = [{ text: plain(300), cut: true }, undefined];
  assert.is(identifyFrom(() => reads.shift(), input).silence, 'no log');
});

test('the end of bytes: what was asked for, `cut` when there is more, or when it was cut before', () => {
  const bytes = Buffer.from('one\ntwo\n');
  assert.equal(endOfBytes(bytes)(4), { text: 'two\n', cut: true });
  assert.equal(endOfBytes(bytes)(8), { text: 'one\ntwo\n', cut: false });
  assert.equal(endOfBytes(bytes)(99), { text: 'one\ntwo\n', cut: false });
  assert.equal(endOfBytes(bytes, true)(99), { text: 'one\ntwo\n', cut: true });
  assert.equal(endOfBytes(Buffer.alloc(0))(4), { text: '', cut: false });
  assert.equal(endOfBytes(Buffer.from('ü'))(1), { text: '\ufffd', cut: true });
});

test('a line that fills the window does not hide the error before it', () => {
  const long = (bytes: number) => `{"state": "${'ü'.repeat(bytes >> 1)}"}\n`;
  for (const behind of [
    long(5_000_000),
    `${long(200_000)}${long(300_000)}`,
    `${long(100_000)}make: *** [up] Error 1\n`,
  ]) {
    const read = ofText(`${plain(300)}${CAUSE}${behind}`);
    assert.equal(identifyFrom(read, input).errors[0]?.lines, [CAUSE.trimEnd()]);
    assert.ok((read(FIRST)?.text.length ?? 0) <= FIRST);
  }
  const far = ofText(`${CAUSE}${long(LOOK_BACK_BYTES)}`)(FIRST);
  assert.equal([far?.cut, far?.text.includes('cp: ')], [true, false], 'no further back than a pipe is kept');
});

test('where the first window begins does not matter to an error in it', () => {
  const expected = whole(plain(300) + CAUSE).fingerprint;
  for (let shift = 0; shift < 12; shift++) {
    const log = `${'ü'.repeat(shift)}\n${'Error: old\n'.repeat(9000)}${plain(FIRST - 40)}${'.'.repeat(shift)}\n${CAUSE}`;
    assert.is(identifyFrom(ofText(log), input).fingerprint, expected, `${shift}`);
  }
});

test.run();
