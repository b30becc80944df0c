import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureReport } from '../../src/console/failure-report.ts';
import { type Failure, identify } from '../../src/failure/fingerprint.ts';

const ENDED = { exit_code: 1, signal: null, timed_out: false };

/** A failure told by a log, or by the lack of one. */
const known = (text: string | undefined, more: Partial<Failure> = {}): Failure => ({
  ...identify({ stage: 'vms', ended: ENDED, log: text === undefined ? undefined : { text, cut: false } }),
  ...more,
  fingerprint: '0123456789abcdef',
});
const report = (failure: Failure, more: object = {}) =>
  failureReport(failure, { stage: 'vms', ended: ENDED, ...more }).join('\n');

test('an error line, its template, what was masked and why, its class and the rule', () => {
  const log = 'curl: (7) Failed to connect to pve1 port 8006 after 1203 ms: Connection refused\n';
  assert.is(
    report(known(log), { log: 'ai/logs/vms/x-1.log' }),
    `fingerprint 0123456789abcdef  (from stage vms, exit 1, and the templates below)

error lines in ai/logs/vms/x-1.log
  | curl: (7) Failed to connect to pve1 port 8006 after 1203 ms: Connection refused

templates: the same lines with what changes from run to run masked
  curl: (7) Failed to connect to pve1 port 8006 after <duration>: Connection refused

masked
  1203 ms  duration: how long it took

class network_error, may pass by itself
  by the rule "nobody answers"`,
  );
});

test('nothing masked and no rule is said so', () => {
  const text = report(known('Error: no such pool: tank\n'));
  assert.match(text, '\nmasked: nothing\n\nclass unknown\n  no rule matched');
});

test('what to do about it comes after the rules, each rule by its name', () => {
  const rules = ['one rule', 'another'];
  const text = report(known('Error: x\n', { rules, advice: 'switch it on', class: 'network_error', external: true }));
  assert.match(
    text,
    'class network_error, not from this repository\n  by the rule "one rule"\n  and "another"\n  to do: switch it on',
  );
});

test('a log without a clear error line says how sure the choice was', () => {
  const sure = (grade: Failure['grade']) => report(known('Error: x\n', { grade })).split('\n')[2];
  assert.is(sure('strong'), 'error lines');
  assert.is(sure('weak'), 'error lines (no clear error line; these come closest)');
  assert.is(sure('warning'), 'error lines (no error line; a warning)');
  for (const grade of ['wrapper', 'plain', 'info'] as const) {
    assert.is(sure(grade), 'error lines (no error line; what was said last)', grade);
  }
});

test('a log that says nothing says why, and there are no templates and no masks', () => {
  const silent: [string | undefined, string][] = [
    [undefined, 'there is no log'],
    ['', 'the log is empty'],
    [' \n\n', 'the log is empty'],
    ['\ufffd\ufffd\ufffd\ufffd\n', 'the log holds no readable text'],
    ['10%\r50%\r100%\n', 'the log holds nothing but progress'],
  ];
  for (const [text, why] of silent) {
    assert.is(
      report(known(text)),
      `fingerprint 0123456789abcdef  (from stage vms, exit 1, and the templates below)

error lines
  none: ${why}

class unknown
  no rule matched`,
    );
  }
});

test('how it ended is part of what it was made from; without a stage nothing is said of one', () => {
  const head = (ended: object, stage = '') => report(known('Error: x\n'), { ended, stage }).split('\n')[0];
  const made = (from: string) => `fingerprint 0123456789abcdef  (from ${from}, and the templates below)`;
  assert.is(head({ ...ENDED, exit_code: null }), made('no exit code'));
  assert.is(head({ ...ENDED, signal: 'SIGKILL' }, 'vms'), made('stage vms, signal SIGKILL'));
  assert.is(head({ ...ENDED, timed_out: true }), made('timeout'));
});

test.run();
