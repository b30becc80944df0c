import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { failureReport, ledgerLines, nextLines } from '../../src/console/failure-report.ts';
import { type Failure, identify } from '../../src/failure/fingerprint.ts';
import type { Decision } from '../../src/triage/decide.ts';
import type { LedgerEntry } from '../../src/triage/ledger.ts';
import { DAY, entryAfter, gaveUp, NOW, opened, patch, seen, tried } from '../triage/builders.ts';

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

test('a failure seen once, of which nothing else is known', () => {
  assert.equal(ledgerLines(entryAfter(seen()), NOW + 5 * 60_000), [
    'ledger',
    '  seen once: first 5 min ago (2026-11-10T06:00:00.000Z), last 5 min ago (2026-11-10T06:00:00.000Z)',
    '  since it last started anew: 0 executor tries, 0 escalation calls',
    '  no fix was tried',
  ]);
});

test('everything that was done about a failure is told', () => {
  const reason = '1 of 3 tries spent';
  const data = { fingerprint: 'f1', tier: 'executor', reason } as const;
  const decided = { type: 'failure.decided', stage: 'talos', data } as const;
  const fixes = [patch('0123456789abcdef', 'kept'), patch('h2', 'no_effect')];
  const entry = entryAfter(seen(), ...fixes, tried(), gaveUp, opened, decided, seen());
  assert.equal(ledgerLines(entry, NOW + 3 * DAY), [
    'ledger',
    '  seen 2 times: first 3 days ago (2026-11-10T06:00:00.000Z), last 2 days ago (2026-11-10T06:07:00.000Z)',
    '  since it last started anew: 1 executor try, 0 escalation calls',
    '  fix 0123456789ab by ollama (executor): kept, it is kept',
    '    say good',
    '  fix h2 by ollama (executor): no_effect, it is no_effect',
    '    say good',
    '  a fix was kept 2 days ago',
    '  given up 2 days ago',
    '  open case c-7: mendloop cases show c-7',
    '  last decision: executor, 1 of 3 tries spent',
  ]);
});

test('answers that were refused for the same reason are one line', () => {
  const entry = entryAfter(seen());
  const answer = (code: string) => ({ plugin: 'ollama', tier: 'executor', code, reason: 'r' });
  const refused = ['already_tried', 'outside', 'already_tried'].map(answer) as LedgerEntry['refused'];
  assert.equal(ledgerLines({ ...entry, refused }, NOW).slice(4), [
    '  refused: an answer of ollama (executor): already_tried: r  (2 times)',
    '  refused: an answer of ollama (executor): outside: r',
  ]);
});

test('why an executor has no fix is told', () => {
  const reason = '2 names are equally near to web: wab, wib';
  const data = { fingerprint: 'f1', tier: 'executor', plugin: 'known-fixes', reason } as const;
  const passed = { type: 'plugin.passed', stage: 'talos', data } as const;
  assert.is(ledgerLines(entryAfter(seen(), passed), NOW).at(-1), `  no fix: known-fixes (executor): ${reason}`);
});

test('a fix that waits in an open case is told with why its owner is asked, and what to type', () => {
  const ask = { code: 'new_program', reasons: ['runs `jq`, which no stage uses yet'] };
  const waiting = { ...opened, data: { ...opened.data, hash: '0123456789abcdef', ask } } as typeof opened;
  assert.equal(ledgerLines(entryAfter(seen(), waiting), NOW).slice(4), [
    '  open case c-7: mendloop cases show c-7',
    '    fix 0123456789ab waits for your word (new_program): runs `jq`, which no stage uses yet',
    '    mendloop cases accept c-7',
    '    mendloop cases decline c-7',
  ]);
});

test('what comes next, for every decision, with its reason', () => {
  const reason = 'so it is';
  const next: [Decision, string][] = [
    [{ tier: 'wait', pause_ms: 30_000, reason }, 'the loop waits 30 s and runs the stage again'],
    [{ tier: 'executor', scope: 'all', reason }, 'the executors are asked for a fix'],
    [{ tier: 'executor', scope: 'first', reason }, 'a change that is there already is applied first'],
    [{ tier: 'escalation', reason }, 'it is escalated'],
    [{ tier: 'give_up', reason }, 'the loop gives up and hands over'],
    [{ tier: 'none', why: 'open_case', exit: 3, reason }, 'the stage ends failed and waits for you (exit 3)'],
    [
      { tier: 'none', why: 'no_ai', exit: 1, reason },
      'the stage ends failed (exit 1), and the next run tries it once more',
    ],
  ];
  for (const [decision, text] of next) {
    assert.equal(nextLines(decision, 'next time'), ['next time', `  ${text}`, '  because: so it is']);
  }
  assert.equal(nextLines({ unknown: 'E_CONFIG: x' }, 'if it comes back'), [
    'if it comes back',
    '  cannot be told while the configuration is not sound: E_CONFIG: x',
  ]);
});

test.run();
