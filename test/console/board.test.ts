import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boardWatcher } from '../../src/console/board.ts';
import { shownBy } from '../io/terminal.ts';
import { journalOf, RUN } from '../run/builders.ts';
import { captured } from './watched.ts';

test('notes stay as lines above the rows, and no row is lost when one comes', () => {
  const events = journalOf([
    ['run.started', undefined, { stages: ['vms', 'talos', 'flux'], lab: 'real' }],
    ['notice', undefined, { text: 'first' }],
    ['step.done', 'vms'],
    ['notice', undefined, { text: 'second' }],
    ['step.failed', 'talos', { reason: 'x', log: 'ai/logs/talos/x-1.log' }],
    ['step.drift', 'vms', { problems: ['one', 'two'] }],
    ['attempt.changed', 'talos', { files: ['a.txt'], patch: 'ai/patches/a.patch' }],
    ['run.ended', undefined, { exit: 1, duration_ms: 65_000, error: null }],
  ]);
  const shown = shownBy(() => {
    const output = { ...captured().output, line: (text: string) => void process.stdout.write(`${text}\n`) };
    const watch = boardWatcher(output, '/nowhere');
    for (const event of events) watch(event);
  });
  const [head, ...rest] = shown;
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

test.run();
