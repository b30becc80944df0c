import { Chalk } from 'chalk';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BoardView, boardRows } from '../../src/console/board-rows.ts';
import { rowsOf } from '../../src/console/rows.ts';
import { newTally, note } from '../../src/console/tally.ts';
import { displayWidth } from '../../src/io/fit-text.ts';
import { journalOf, type Line } from '../events.ts';

const HOSTS = Array.from({ length: 40 }, (_, i) => `m[host=h${String(i + 1).padStart(2, '0')}]`);
const BAD = ['m[host=h03]', 'm[host=h11]', 'm[host=h29]'];
const LONG = 'a-stage-with-a-name-that-nobody-would-like-to-type-twice';
const TAIL =
  'earlier\n仮想マシンを作成しています 🚀 と とても長い行 that goes on until it is longer than any terminal is wide, and then on';
const RUN: Line[] = [
  ['run.started', undefined, { stages: ['vms', 'm', LONG], lab: 'real' }],
  ['step.done', 'vms'],
  ...HOSTS.map((step): Line => ['step.started', step]),
  ...BAD.map((step): Line => ['failure.seen', step, { fingerprint: 'f1', excerpt: `no such pool ${'x'.repeat(300)}` }]),
  ...HOSTS.map((step): Line => (BAD.includes(step) ? ['step.failed', step] : ['step.done', step])),
  ['step.started', LONG],
];

function rowsAt(columns: number, lines = RUN, more: Partial<BoardView> = {}): string[] {
  const tally = newTally();
  const events = journalOf(lines);
  for (const event of events) note(tally, event);
  const now = Date.parse(events.at(-1)?.time ?? '') + 3700;
  const view = { columns, room: 28, now, colour: new Chalk({ level: 0 }), tail: () => TAIL };
  return boardRows(rowsOf(tally), { ...view, ...more });
}

test('from 40 to 200 columns no row is as wide as the terminal, each stage has one, and a matrix of 40 is one', () => {
  for (let columns = 40; columns <= 200; columns++) {
    const rows = rowsAt(columns);
    for (const row of rows) assert.ok(displayWidth(row) < columns, `${columns}: ${row}`);
    assert.equal(
      rows.map((row) => row.slice(0, 3)).filter((start) => start.trim() !== ''),
      ['✓ v', '✗ m', '▸ a'],
      String(columns),
    );
    assert.match(rows.at(-1) ?? '', /^▸ a-stage-wit.* 3 ?s {2}仮想/, String(columns));
  }
});

test('what does not fit is said shorter: counts by their marks, and the status by its own', () => {
  const matrix = (columns: number) => rowsAt(columns).find((row) => row.includes(' m ')) ?? '';
  assert.match(matrix(200), /^✗ m +failed +1 min \d+ s {2}37 green, 3 failed: h03 h11 h29$/);
  assert.match(matrix(60), /^✗ m +failed +1 min \d+ s {2}✗3 ✓37$/);
  assert.match(matrix(40), /^✗ m {12,} 1m \d+s {2}✗3 ✓37$/);
});

test('rows are never more than there is room for: failures are told while they fit, and what runs stays to the last', () => {
  const stages = Array.from({ length: 60 }, (_, i) => `s${i}`);
  const lines: Line[] = [
    ['run.started', undefined, { stages }],
    ...stages.slice(0, 30).flatMap((stage): Line[] => [
      ['failure.seen', stage],
      ['step.failed', stage],
    ]),
    ['step.started', 's40'],
  ];
  for (const room of [1, 2, 5, 22, 61, 200]) {
    const rows = rowsAt(80, lines, { room });
    assert.ok(rows.length <= Math.max(2, room), `${room}: ${rows.length}`);
    assert.ok(
      rows.some((row) => row.startsWith('▸ s40')),
      String(room),
    );
  }
  assert.is(rowsAt(80, lines, { room: 22 }).at(-1), '  … and 39 more');
  assert.is(rowsAt(80, lines, { room: Number.POSITIVE_INFINITY }).filter((row) => row.includes('it broke')).length, 30);
});

test('nothing of a failure is cut: lines wrap, and a path goes on behind one of its slashes', () => {
  const path = 'kubernetes/apps/monitoring/kube-prometheus-stack/app/helmrelease.yaml';
  const excerpt = `${path}: no such file or directory 仮想マシンを作成しています仮想マシンを作成しています`;
  const lines: Line[] = [
    ['run.started', undefined, { stages: ['s'] }],
    ['failure.seen', 's', { fingerprint: 'f1', excerpt }],
    ['step.failed', 's'],
  ];
  for (const columns of [40, 60, 80]) {
    const rows = rowsAt(columns, lines);
    for (const row of rows) assert.ok(displayWidth(row) < columns, `${columns}: ${row}`);
    const text = rows.map((row) => row.replace(/^ +(?:\| )?/, '')).join('');
    assert.ok(text.replaceAll(' ', '').includes(excerpt.replaceAll(' ', '')), text);
  }
  assert.ok(
    rowsAt(40, lines).some((row) => row.endsWith('kubernetes/apps/monitoring/')),
    rowsAt(40, lines).join('\n'),
  );
});

test.run();
