import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boardWatcher } from '../../src/console/board.ts';
import { journalOf, type Line, RUN } from '../events.ts';
import { shownBy } from '../io/terminal.ts';
import { captured } from './watched.ts';

/** The screen at the end of a run of these events. */
function shown(lines: Line[]): string[] {
  const ended: Line = ['run.ended', undefined, { exit: 1, duration_ms: 65_000, error: null }];
  return shownBy(() => {
    const output = { ...captured().output, line: (text: string) => void process.stdout.write(`${text}\n`) };
    const { event: watch } = boardWatcher(output, '/nowhere');
    for (const event of journalOf([...lines, ended])) watch(event);
  });
}

test('notes stay as lines above the rows, and no row is lost when one comes', () => {
  const [head, ...rest] = shown([
    ['run.started', undefined, { stages: ['vms', 'talos', 'flux'], lab: 'real' }],
    ['notice', undefined, { text: 'first' }],
    ['step.done', 'vms'],
    ['notice', undefined, { text: 'second' }],
    ['step.failed', 'talos', { reason: 'x', log: 'ai/logs/talos/x-1.log' }],
    ['step.drift', 'vms', { problems: ['one', 'two'] }],
    ['attempt.changed', 'talos', { files: ['a.txt'], patch: 'ai/patches/a.patch' }],
  ]);
  assert.is(head, `run ${RUN}`);
  assert.equal(rest.slice(0, 4), [
    '  note: first',
    '  note: second',
    '  note: vms drifted: one; two',
    '  note: talos changed a.txt (saved: ai/patches/a.patch)',
  ]);
  const rows = rest.slice(4).filter((line) => /^. (vms|talos|flux) /.test(line));
  assert.equal(
    rows.map((line) => line.split(/ +/).slice(1, 3).join(' ')),
    ['vms green', 'talos failed', 'flux waiting'],
  );
});

test('a failure is told below its row, and a wait in it', () => {
  const failure = {
    fingerprint: 'f1',
    class: 'network_error',
    transient: true,
    external: false,
    log: 'ai/logs/vms/x-1.log',
    excerpt: 'no answer\nfrom cp1',
    times_seen: 1,
    first_seen: '2026-01-01T00:00:00.000Z',
  };
  const begun: Line[] = [
    ['run.started', undefined, { stages: ['vms'], lab: 'real' }],
    ['step.started', 'vms'],
    ['attempt.started', 'vms', { log: failure.log }, 1],
    ['failure.seen', 'vms', failure, 1],
    ['failure.decided', 'vms', { tier: 'wait', reason: 'it may pass by itself' }, 1],
    ['step.retry', 'vms', { pause_ms: 30_000, reason: 'it may pass by itself', tier: 'wait' }, 1],
  ];
  const over: Line[] = [
    ['failure.seen', 'vms', failure, 2],
    ['failure.decided', 'vms', { tier: 'none', reason: 'nobody to ask' }, 2],
    ['step.failed', 'vms', { reason: 'exit code 7' }],
  ];
  assert.match(shown(begun)[1] ?? '', /^▸ vms {2}running .* it may pass by itself$/);
  const [row, ...told] = shown([...begun, ...over]).slice(1);
  assert.match(row ?? '', /^✗ vms {2}failed .* exit code 7$/);
  assert.equal(told.slice(0, 5), [
    '    network_error, may pass by itself; new  (f1)',
    '    | no answer',
    '    | from cp1',
    '    left for the next run: nobody to ask',
    '    log: ai/logs/vms/x-1.log',
  ]);
});

test('a matrix is one row with counts, and those that failed by name', () => {
  const hosts = Array.from({ length: 40 }, (_, i) => `m[host=h${String(i + 1).padStart(2, '0')}]`);
  const bad = ['m[host=h03]', 'm[host=h11]', 'm[host=h29]'];
  const lines = shown([
    ['run.started', undefined, { stages: ['vms', 'm'], lab: 'real' }],
    ['step.done', 'vms'],
    ...hosts.map((step): Line => ['step.started', step]),
    ...bad.map(
      (step): Line => ['failure.seen', step, { fingerprint: 'f1', excerpt: 'no such pool', class: 'unknown' }],
    ),
    ['failure.decided', 'm[host=h03]', { fingerprint: 'f1', tier: 'none', reason: 'nobody to ask', steps: bad }],
    ...hosts.map((step): Line => (bad.includes(step) ? ['step.failed', step] : ['step.done', step])),
  ]);
  assert.equal(lines.length, 9, lines.join('\n'));
  assert.match(lines[2] ?? '', /^✗ m {4}failed .* 37 green, 3 failed: h03 h11 h29$/);
  assert.equal(lines.slice(3, 7), [
    '    unknown; new  (f1)',
    '    on h03 h11 h29',
    '    | no such pool',
    '    left for the next run: nobody to ask',
  ]);
});

test.run();
