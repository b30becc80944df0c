import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { plainWatcher } from '../../src/console/plain.ts';
import { closingLines } from '../../src/console/run-lines.ts';
import { newTally } from '../../src/console/tally.ts';
import type { LoopEvent } from '../../src/events.ts';
import { folder, write } from '../environment.ts';
import { journalOf, type Line, RUN } from '../events.ts';
import { captured, plainLines } from './watched.ts';

const begins = (stages: string[], lab = 'real'): Line => ['run.started', undefined, { stages, lab }];
const ended = (exit: number, message?: string): Line => [
  'run.ended',
  undefined,
  { exit, duration_ms: 65_000, error: message === undefined ? null : { error_code: 'EXECUTION_HALTED', message } },
];
const LOG = 'ai/logs/talos/x-1.log';

function out(lines: Line[], options = {}): string[] {
  return plainLines(journalOf(lines), options).out;
}

test('green: each stage as it goes, and one line at the end', () => {
  assert.equal(
    out([
      begins(['vms', 'talos']),
      ['step.started', 'vms'],
      ['step.done', 'vms'],
      ['step.started', 'talos'],
      ['step.done', 'talos'],
      ended(0),
    ]),
    [
      `run ${RUN} begins: vms → talos`,
      'vms    started',
      'vms    green        1.0 s',
      'talos  started',
      'talos  green        1.0 s',
      'green: 2 stages  1 min 5 s',
    ],
  );
});

test('what a step is busy with is a line when nothing else was one for 50 seconds', () => {
  const { output, printed } = captured(false);
  let now = 0;
  const { event, live } = plainWatcher(output, '/nowhere', () => now);
  for (const one of journalOf([begins(['web']), ['step.started', 'web']])) event(one);
  const before = printed.out.length;
  for (now = 0; now <= 180_000; now += 1000)
    live('web', `ollama: reads 1,900 tokens, about 95 s; ${now / 1000} s so far`);
  assert.equal(printed.out.slice(before), [
    'web  ollama       reads 1,900 tokens, about 95 s; 50 s so far',
    'web  ollama       reads 1,900 tokens, about 95 s; 100 s so far',
    'web  ollama       reads 1,900 tokens, about 95 s; 150 s so far',
  ]);
});

test('still green: what was not run says why', () => {
  assert.equal(out([begins(['vms']), ['step.fresh', 'vms'], ended(0)]), [
    `run ${RUN} begins: vms`,
    'vms  green        still holds',
    'green: 1 stage  1 min 5 s',
  ]);
});

test('green by its exit code alone: said of a stage, and of all cells of a matrix', () => {
  const blind = { unchecked: 'nothing to check' };
  assert.match(
    out([begins(['vms']), ['step.done', 'vms', blind], ended(0)]).join('\n'),
    /^vms {2}green +\(no checks\)$/m,
  );
  const cells = (first: object) =>
    out([begins(['m']), ['step.done', 'm[h=1]', first as never], ['step.done', 'm[h=2]', blind], ended(0)]).join('\n');
  assert.match(cells(blind), /^m +.*2 green \(no checks\)$/m);
  assert.not.match(cells({}), 'no checks');
});

test('that a stage no longer stands is said once, until it is green again', () => {
  const stale = (why: string): Line => ['stage.stale', 'vms', { why, commit: 'abc' }];
  const lines = out([
    begins(['vms']),
    ['step.done', 'vms'],
    ...[stale('its files changed'), stale('its checks changed')],
    ['step.started', 'vms'],
    stale('its files changed'),
    ['step.done', 'vms'],
    ['stage.green', 'vms'],
    stale('its files changed'),
    ended(0),
  ]);
  const again: Line = ['stage.stale', 'vms', { why: 'net was made again', commit: 'abc', recheck: true }];
  assert.match(out([begins(['vms']), again]).join(), 'vms  stale        to be checked again: net was made again');
  const told = 'vms  stale        no longer stands: its files changed';
  assert.equal(
    lines.filter((line) => line.includes('stands')),
    [told, told],
  );
});

test('simulated: said in the first line and in the last', () => {
  const lines = out([begins(['vms'], 'simulated'), ['step.done', 'vms'], ended(0)]);
  assert.is(lines[0], 'SIMULATED LAB: qm, talosctl, kubectl and flux are stand-ins; no real machine is touched');
  assert.is(lines.at(-1), 'green: 1 stage  1 min 5 s  (simulated lab, no real machine was touched)');
  const failed = out([begins(['vms'], 'simulated'), ['step.failed', 'vms', { reason: 'x' }], ended(1)]);
  assert.match(failed.join('\n'), /^failed: 1 failed {2}1 min 5 s {2}\(simulated lab, no real machine was touched\)$/m);
});

test('failed: the reason, the end of the log, where it is, what was not run and what to do', () => {
  const home = folder();
  write(home, {
    [LOG]: `${Array.from({ length: 12 }, (_, i) => `line ${i + 1}  `).join('\n')}\n${'x'.repeat(999)}\n\n`,
  });
  const lines = out(
    [
      begins(['vms', 'talos', 'infra', 'apps']),
      ['step.started', 'vms'],
      ['step.done', 'vms'],
      ['step.started', 'talos'],
      ['attempt.started', 'talos', { log: LOG }, 1],
      ['step.failed', 'talos', { reason: 'exit code 7', log: LOG }],
      ['step.skipped', 'infra', { reason: 'needs talos, which failed' }],
      ended(1, 'exit code 7'),
    ],
    { home },
  );
  assert.equal(lines, [
    `run ${RUN} begins: vms → talos → infra → apps`,
    'vms    started',
    'vms    green        1.0 s',
    'talos  started',
    'talos  failed       2.0 s  exit code 7',
    ...[6, 7, 8, 9, 10, 11, 12].map((n) => `    | line ${n}`),
    `    | ${'x'.repeat(199)}…`,
    `    log: ${LOG}`,
    'infra  skipped      needs talos, which failed',
    'failed: 1 green, 1 failed, 1 skipped, 1 not started  1 min 5 s',
    '  next:  mendloop logs talos; mend it, commit, then: mendloop',
  ]);
});

const seen = (excerpt: string): Line => [
  'failure.seen',
  'talos',
  {
    fingerprint: 'f1',
    class: 'network_error',
    transient: true,
    external: false,
    excerpt,
    log: LOG,
    times_seen: 2,
    first_seen: '2025-11-03T12:00:00.000Z',
  },
  1,
];
const decided = (tier: string, reason: string): Line => ['failure.decided', 'talos', { tier, reason }, 1];

test('who could not be asked for a fix is told before what to do without them, not beside a case', () => {
  const last = (human: boolean) =>
    out([
      begins(['talos']),
      ['step.started', 'talos'],
      ['attempt.started', 'talos', { log: LOG }, 1],
      seen('no answer from cp1'),
      ['plugin.failed', 'talos', { plugin: 'ollama', reason: 'ollama: nothing listens at X' }],
      ['failure.decided', 'talos', { tier: 'none', exit: human ? 3 : 1, reason: 'nobody' }],
      ['step.failed', 'talos', { reason: 'exit code 7', next: 'mend it' }],
      ended(1, 'exit code 7'),
    ]).slice(-2);
  assert.equal(last(false), ['  next:  ollama: nothing listens at X', '         or mend it']);
  assert.equal(last(true), ['failed: 1 failed  1 min 5 s', '  next:  mend it']);
});

test('a failure that was recognised is told instead of the end of its log, and again where it is waited for', () => {
  const lines = out([
    begins(['talos']),
    ['step.started', 'talos'],
    ['attempt.started', 'talos', { log: LOG }, 1],
    seen('no answer from cp1'),
    decided('wait', 'it may pass by itself'),
    ['step.retry', 'talos', { pause_ms: 30_000, reason: 'it may pass by itself', tier: 'wait' }, 1],
    ['attempt.started', 'talos', { log: LOG }, 2],
    seen('no answer from cp2'),
    decided('none', 'nobody to ask'),
    ['step.failed', 'talos', { reason: 'exit code 7', next: 'switch cp2 on' }],
    ended(1, 'exit code 7'),
  ]);
  const told = 'network_error, may pass by itself; seen 2 times since 3 November 2025  (f1)';
  assert.equal(lines.slice(2), [
    ...[`    ${told}`, '    | no answer from cp1', `    log: ${LOG}`],
    'talos  again        in 30 s: it may pass by itself',
    'talos  failed       8.0 s  exit code 7',
    ...[`    ${told}`, '    | no answer from cp2', '    left for the next run: nobody to ask', `    log: ${LOG}`],
    'failed: 1 failed  1 min 5 s',
    '  next:  switch cp2 on',
  ]);
});

test('an attempt that was not recognised is not told as the failure before it', () => {
  const lines = out([
    begins(['talos']),
    ['step.started', 'talos'],
    ['attempt.started', 'talos', { log: LOG }, 1],
    seen('no answer from cp1'),
    decided('wait', 'it may pass by itself'),
    ['attempt.started', 'talos', { log: LOG }, 2],
    ['step.failed', 'talos', { reason: 'E_HEAD_MOVED a stage moved HEAD', log: LOG }],
    ended(3, 'E_HEAD_MOVED a stage moved HEAD'),
  ]);
  assert.equal(lines.slice(2, 4), ['talos  failed       5.0 s  E_HEAD_MOVED a stage moved HEAD', `    log: ${LOG}`]);
});

test('a human is needed: what to do is what the step said, line by line', () => {
  const lines = out([
    begins(['vms']),
    ['step.failed', 'vms', { reason: 'E_HEAD_MOVED a stage moved HEAD', next: 'look\ngo back' }],
    ended(3, 'E_HEAD_MOVED a stage moved HEAD'),
  ]);
  assert.equal(lines.slice(1), [
    'vms  failed       E_HEAD_MOVED a stage moved HEAD',
    'a human is needed: 1 failed  1 min 5 s',
    '  next:  look',
    '         go back',
  ]);
});

test('interrupted: what was stopped, what had no turn, and why', () => {
  const lines = out([
    begins(['vms', 'talos']),
    ['step.started', 'vms'],
    ['step.interrupted', 'vms', { reason: 'interrupted by SIGINT' }],
    ended(130, 'interrupted by SIGINT'),
  ]);
  assert.equal(lines.slice(2), [
    'vms    interrupted  1.0 s  interrupted by SIGINT',
    'interrupted: 1 interrupted, 1 not started  1 min 5 s',
    '  interrupted by SIGINT',
  ]);
});

test('drift, retries, changes and notices are lines of their own', () => {
  const lines = out([
    begins(['vms']),
    ['notice', undefined, { text: 'not committed, so not included: a.txt' }],
    ['step.drift', 'vms', { problems: ['file a: does not exist', 'tcp b:1: ECONNREFUSED'] }],
    ['step.started', 'vms'],
    ['step.retry', 'vms', { pause_ms: 1500, reason: 'exit code 1' }],
    ['attempt.changed', 'vms', { files: ['a.txt', 'b.txt'], patch: 'ai/patches/x.diff' }],
    ['step.done', 'vms'],
    ended(0),
  ]);
  assert.equal(lines.slice(1, -1), [
    'note: not committed, so not included: a.txt',
    'vms  drifted      file a: does not exist; tcp b:1: ECONNREFUSED',
    'vms  started',
    'vms  again        in 1.5 s: exit code 1',
    'vms  changed      a.txt, b.txt (saved: ai/patches/x.diff)',
    'vms  green        3.0 s',
  ]);
});

test('news of a fix are rows of one word and what it says', () => {
  const note = { fix: 'Say two', reason: 'it said one' };
  const by = { plugin: 'ollama', note };
  const news: [Line[0], object, string][] = [
    ['fix.committed', { ...by, paths: ['a', 'b'] }, 'fix          Say two  (ollama: a, b)'],
    [
      'fix.refused',
      { ...by, code: 'scope', reasons: ['not yours', 'too long'] },
      'refused      ollama: scope: not yours',
    ],
    ['fix.judged', { ...by, outcome: 'kept' }, 'mended       Say two'],
    ['fix.judged', { outcome: 'no_effect', reason: 'x', note: { fix: '', reason: '' } }, 'undone       a change: x'],
    ['fix.judged', { ...by, outcome: 'undone', reason: 'no try is left' }, 'undone       Say two: no try is left'],
    ['fix.suggested', by, 'suggested    Say two  (ollama)'],
    [
      'fix.suggested',
      { ...by, ask: { code: 'new_program', reasons: ['runs `jq`'] } },
      'suggested    Say two  (ollama; runs `jq`)',
    ],
    ['fix.declined', by, 'declined     Say two  (ollama)'],
    ['plugin.said', { plugin: 'ollama', text: 'asks qwen' }, 'ollama       asks qwen'],
    ['plugin.passed', { plugin: 'ollama', reason: 'no idea' }, 'no fix       ollama: no idea'],
    ['plugin.failed', { plugin: 'ollama', reason: 'ollama: late' }, 'no answer    ollama: late'],
    ['prompt.saved', { path: 'ai/p.md' }, 'kept         the question that nobody could be asked: ai/p.md'],
    ['case.opened', { case: 'c-1', path: 'ai/c' }, 'case         c-1: ai/c'],
    ['case.closed', { case: 'c-1', reason: 'green' }, 'case         c-1 is closed: green'],
  ];
  const events = news.map(([type, data]): Line => [type, 'vms', data as Line[2] & object]);
  assert.equal(
    out([begins(['vms']), ...events]).slice(1),
    news.map(([, , row]) => `vms  ${row}`),
  );
  assert.equal(out([begins(['vms']), ['safe_mode.on', undefined, { why: 'x' }]]).slice(1), [
    'safe mode is on, the AI changes nothing more: x',
  ]);
});

test('resumed: goes on where it was, and what was done before counts as green', () => {
  const lines = out([
    ['step.interrupted', 'm[h=2]', { reason: 'cut off: the process that ran it died' }],
    ['run.resumed', undefined, { stages: ['vms', 'm', 'infra'], lab: 'real', done: ['vms', 'm[h=1]'] }],
    ['step.started', 'm[h=2]'],
    ['step.failed', 'm[h=2]', { reason: 'exit code 1' }],
    ended(1, 'exit code 1'),
  ]);
  assert.equal(lines, [
    `run ${RUN} goes on: vms → m → infra`,
    'm      started',
    'm      failed       2.0 s  1 green, 1 failed: 2',
    '    2: exit code 1',
    'failed: 1 green, 1 failed, 1 not started  1 min 5 s',
    '  next:  mendloop logs m[h=2]; mend it, commit, then: mendloop',
  ]);
});

const hosts = (count: number) => Array.from({ length: count }, (_, i) => `m[host=h${String(i + 1).padStart(2, '0')}]`);

test('a matrix is one line when it begins and one when it ends, however many cells it has', () => {
  const started = hosts(40).map((step): Line => ['step.started', step]);
  const done = hosts(40).map((step): Line => ['step.done', step]);
  assert.equal(out([begins(['m']), ...started, ...done, ['stage.green', 'm'], ended(0)]).slice(1), [
    'm  started',
    'm  green        1 min 19 s  40 green',
    'green: 1 stage  1 min 5 s',
  ]);
  const fresh = hosts(3).map((step): Line => ['step.fresh', step]);
  assert.equal(out([begins(['m', 'vms']), ...fresh, ['step.fresh', 'vms'], ended(0)]).slice(1, 3), [
    'vms  green        still holds',
    'm    green        3 green',
  ]);
  const needs = { reason: 'needs vms, which failed' };
  const skipped = hosts(3).map((step): Line => ['step.skipped', step, needs]);
  assert.is(
    out([begins(['m']), ...skipped, ['stage.skipped', 'm'], ended(1)])[1],
    'm  skipped      2.0 s  3 skipped (needs vms, which failed)',
  );
});

test('cells that fail alike are told as one failure, by their names, and so is what is done about it', () => {
  const failure = { fingerprint: 'f1f1f1f1f1', class: 'unknown', excerpt: 'no such pool', times_seen: 1 };
  const other = { ...failure, fingerprint: 'f2f2f2f2f2', excerpt: 'no such host' };
  const [a, b, c, d] = hosts(4) as [string, string, string, string];
  const steps = [a, b];
  const retry = [a, b].map((step): Line => ['step.retry', step, { pause_ms: 30_000, reason: 'wait', tier: 'wait' }]);
  const fails = [a, b, c].map((step): Line => ['step.failed', step, { reason: 'exit code 3' }]);
  const lines = out([
    begins(['m']),
    ...hosts(4).map((step): Line => ['step.started', step]),
    ...[a, b].map((step): Line => ['failure.seen', step, failure]),
    ['failure.seen', c, other],
    ['step.done', d],
    ['failure.decided', a, { fingerprint: failure.fingerprint, tier: 'wait', reason: 'it may pass', steps }],
    ...retry,
    ['failure.decided', a, { fingerprint: failure.fingerprint, tier: 'executor', reason: 'first of 3', steps }],
    ['fix.committed', a, { steps }],
    ...[a, b].map((step): Line => ['step.retry', step, { pause_ms: 0, reason: 'say good', tier: 'fix' }]),
    ['failure.decided', a, { fingerprint: failure.fingerprint, tier: 'none', reason: 'nobody to ask', steps }],
    ['failure.decided', c, { fingerprint: other.fingerprint, tier: 'none', reason: 'nobody to ask' }],
    ...fails,
    ['stage.failed', 'm'],
    ended(1, 'exit code 3'),
  ]);
  assert.equal(lines.slice(1), [
    'm  started',
    '    unknown; new  (f1f1f1f1f1)',
    '    on h01 h02',
    '    | no such pool',
    'm  again        in 30 s: wait',
    '    is being mended: first of 3',
    'm  fix          say good  (ollama: x)',
    'm  failed       19 s  1 green, 3 failed: h01 h02 h03',
    '    left for the next run: nobody to ask',
    '    unknown; new  (f2f2f2f2f2)',
    '    on h03',
    '    | no such host',
    '    left for the next run: nobody to ask',
    'failed: 1 failed  1 min 5 s',
    '  next:  mendloop explain f1f1f1f1; mend it, commit, then: mendloop',
    '  next:  mendloop explain f2f2f2f2; mend it, commit, then: mendloop',
  ]);
});

test('--quiet: nothing of a green run, and of a failed one what went wrong, on stderr', () => {
  const green: LoopEvent[] = journalOf([
    begins(['vms'], 'simulated'),
    ['notice', undefined, { text: 'x' }],
    ['step.done', 'vms'],
    ended(0),
  ]);
  assert.equal(plainLines(green, { quiet: true }), { out: [], err: [] });
  const failed = journalOf([
    begins(['vms']),
    ['step.started', 'vms'],
    ['step.failed', 'vms', { reason: 'exit code 1' }],
    ended(1, 'exit code 1'),
  ]);
  assert.equal(plainLines(failed, { quiet: true }), {
    out: [],
    err: [
      'vms  failed       1.0 s  exit code 1',
      'failed: 1 failed  1 min 5 s',
      '  next:  mendloop logs vms; mend it, commit, then: mendloop',
    ],
  });
});

test('a run that stopped without a failed step says why', () => {
  const lines = out([begins(['vms']), ended(1, 'the plan ran past its 1000 ms')]);
  assert.equal(lines.slice(1), ['failed: 1 not started  1 min 5 s', '  the plan ran past its 1000 ms']);
});

test('a run that has not ended has no last words', () => {
  assert.equal(closingLines(newTally()), []);
});

test.run();
