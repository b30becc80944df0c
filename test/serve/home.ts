// A home with a past for the tests of the page: runs, logs, a case, and much in it that somebody hostile wrote.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LoopEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { folder, write } from '../environment.ts';
import { journalOf, type Line } from '../events.ts';
import { gitNow } from '../git-now.ts';

export const RUNS = ['20260101-000000-aaaa', '20260102-000000-bbbb'] as const;
export const HOSTILE = `<script>alert('1')</script><img src=x onerror=alert(1)>\u001b[2J\u202e`;
export const CASE = 'b-f1';

const logOf = (step: string, run: string, attempt: number) => `ai/logs/${step}/${run}-${attempt}.log`;
const attempt = (stage: string, run: string, outcome: string): Line[] => [
  ['attempt.started', stage, { log: logOf(stage, run, 1) }, 1],
  ['attempt.ended', stage, { outcome, duration_ms: 1000, log: logOf(stage, run, 1) }, 1],
];

const FIRST: Line[] = [
  ['run.started', undefined, { stages: ['a', 'b'] }],
  ['step.started', 'a'],
  ...attempt('a', RUNS[0], 'done'),
  ['step.done', 'a'],
  ['stage.green', 'a'],
  ['run.ended', undefined, { exit: 0, duration_ms: 5000 }],
];

const SECOND: Line[] = [
  ['run.started', undefined, { stages: ['a', 'b'], asked: HOSTILE }],
  ['step.started', 'b'],
  ...attempt('b', RUNS[1], 'failed'),
  ['failure.seen', 'b', { excerpt: HOSTILE, log: logOf('b', RUNS[1], 1) }],
  ['failure.decided', 'b', { reason: HOSTILE }],
  ['case.opened', 'b', { case: CASE, why: HOSTILE }],
  ['step.failed', 'b', { reason: HOSTILE, log: logOf('b', RUNS[1], 1) }],
  ['stage.failed', 'b', { reason: HOSTILE }],
  ['run.ended', undefined, { exit: 3, duration_ms: 7000 }],
];

const MAP = `stages:
  a: {command: 'true'}
  b: {command: ['echo', '<b>bold</b>'], needs: [a]}
`;

const SUMMARY = {
  ...{ version: 1, case: CASE, stage: 'b', fingerprint: 'f1', class: 'talos_error', run: RUNS[1] },
  ...{
    opened: '2026-01-02T00:00:00.000Z',
    state: 'open',
    versions: [1],
    calls: 0,
    answers: [],
    why: HOSTILE,
    patch: 'h1',
  },
};

const PATCH = `diff --git a/x${HOSTILE} b/x${HOSTILE}\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+${HOSTILE}\n`;

export const text = (events: readonly LoopEvent[]): string =>
  events.map((event) => `${JSON.stringify(event)}\n`).join('');

/** A git repository with the files above; its journals end at 2026-01-02. */
export function pageHome(): Layout {
  const home = folder();
  write(home, {
    'ai/context_map.yaml': MAP,
    '.gitignore': 'ai/state\nai/logs\nai/escalations\n',
    [`ai/state/runs/${RUNS[0]}/events.jsonl`]: text(journalOf(FIRST, { run: RUNS[0] })),
    [`ai/state/runs/${RUNS[1]}/events.jsonl`]: text(journalOf(SECOND, { run: RUNS[1], from: Date.UTC(2026, 0, 2) })),
    [logOf('a', RUNS[0], 1)]: 'made a\n',
    [`ai/escalations/${CASE}/summary.json`]: JSON.stringify(SUMMARY),
    [`ai/escalations/${CASE}/case_v1.md`]: `# b failed\n\n${HOSTILE}\n`,
    [`ai/escalations/${CASE}/patch.diff`]: PATCH,
  });
  const bad = join(home, logOf('b', RUNS[1], 1));
  mkdirSync(dirname(bad), { recursive: true });
  writeFileSync(
    bad,
    Buffer.concat([Buffer.from(`${HOSTILE}\n`), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('error: it broke\n')]),
  );
  gitNow(['init', '--quiet', '--initial-branch=main'], home);
  gitNow(['add', '.'], home);
  gitNow(['-c', 'user.name=Owner', '-c', 'user.email=o@example.org', 'commit', '--quiet', '-m', 'lab'], home);
  return layoutOf(home);
}

export const PATHS = [
  ...['/', '/runs', '/failures', '/fixes', '/cases', '/backlog', '/stages/a', '/stages/b', `/cases/${CASE}`],
  ...['/failures/b/f1', `/runs/${RUNS[0]}`, `/runs/${RUNS[1]}`, '/runs?outcome=success&stage=%3Cb%3E&page=9'],
  ...[`/runs/${RUNS[1]}/logs/b/1`, `/runs/${RUNS[1]}/logs/b/1?q=script`, `/runs/${RUNS[1]}/logs/b/1?q=broke&at=0`],
];
