import { spawn } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { identify, liveness } from '../../src/io/identity.ts';

test('a process is itself, and stays so', () => {
  const me = identify(process.pid);
  assert.equal(me, identify(process.pid));
  assert.is(liveness(me), 'alive');
});

test('a process that ended is dead, and so is one of an earlier boot, or an earlier one with the same number', async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const identity = identify(child.pid as number);
  assert.is(liveness(identity), 'alive');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  assert.is(liveness(identity), 'dead');
  const me = identify(process.pid);
  assert.is(liveness({ ...me, boot: 'an earlier boot' }), 'dead');
  assert.is(liveness({ ...me, start: '1' }), 'dead');
});

test('what cannot be told is unknown: another host, or a start nobody wrote down', () => {
  const me = identify(process.pid);
  assert.is(liveness({ ...me, host: 'elsewhere' }), 'unknown');
  assert.is(liveness({ ...me, start: null }), 'unknown');
});

test.run();
