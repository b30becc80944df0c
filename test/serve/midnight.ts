// A home at midnight, after many runs: six stages, hourly, some failures on the way; in the last run apps failed, and its change waits.
import type { LoopEvent } from '../../src/events.ts';
import { type Layout, layout as layoutOf } from '../../src/io/layout.ts';
import { stamp } from '../../src/journal/runs.ts';
import { write } from '../environment.ts';
import { journalOf, type Line } from '../events.ts';
import { gitNow } from '../git-now.ts';
import { text } from './home.ts';

export const STAGES: Readonly<Record<string, readonly string[]>> = {
  vms: [],
  talos: ['vms'],
  infra: ['talos'],
  apps: ['infra'],
  ingress: ['infra', 'vms'],
  obs: ['apps', 'ingress'],
};
const EXCERPT =
  'Error: UPGRADE FAILED: StatefulSet.apps "loki" is invalid: spec.replicas: Invalid value: 2: quorum needs 3';
const NOTE = { fix: 'Give loki three replicas', reason: 'a quorum needs three' };
const HOUR_MS = 3_600_000;
const CASE = 'apps-c725c93e';
const COMMIT = 'f'.repeat(40);

const PATCH = `--- a/apps/values.yaml
+++ b/apps/values.yaml
@@ -1,4 +1,4 @@
 loki:
   image: grafana/loki:3.1.0
-  replicas: 2
+  replicas: 3
   storage: 10Gi
`;

const logOf = (stage: string, run: string) => `ai/logs/${stage}/${run}-1.log`;

function attempt(stage: string, run: string, outcome: 'done' | 'failed', ms: number): Line[] {
  const log = logOf(stage, run);
  return [
    ['step.started', stage],
    ['attempt.started', stage, { log }, 1],
    ['attempt.ended', stage, { outcome, duration_ms: ms, log }, 1],
  ];
}

const green = (stage: string, run: string, ms: number): Line[] => [
  ...attempt(stage, run, 'done', ms),
  ['step.done', stage],
  ['stage.green', stage],
];

const FAILURE = { fingerprint: 'c725c93eec0f5b73', class: 'config_error', excerpt: EXCERPT };

function lines(run: string, at: number, isLast: boolean): Line[] {
  const began: Line = ['run.started', undefined, { stages: Object.keys(STAGES) }];
  const before = ['vms', 'talos', 'infra'].flatMap((stage, i) => green(stage, run, 20_000 + ((at * 7 + i) % 9) * 3000));
  if (isLast)
    return [
      ...[began, ...before, ...attempt('apps', run, 'failed', 41_000)],
      ['failure.seen', 'apps', { ...FAILURE, log: logOf('apps', run), run }],
      ['failure.decided', 'apps', { fingerprint: FAILURE.fingerprint }],
      ['model.used', 'apps', { fingerprint: FAILURE.fingerprint, tokens: 1830 }],
      ['case.opened', 'apps', { fingerprint: FAILURE.fingerprint, case: CASE, why: 'a fix waits', hash: 'h9' }],
      ['step.failed', 'apps', { reason: 'exit code 1', log: logOf('apps', run) }],
      ['stage.failed', 'apps', { reason: 'exit code 1' }],
      ...green('ingress', run, 12_000),
      ['step.skipped', 'obs', { reason: 'needs apps, which failed' }],
      ['stage.skipped', 'obs', { reason: 'needs apps, which failed' }],
      ['run.ended', undefined, { exit: 3, duration_ms: 300_000 }],
    ];
  const isMended = at % 37 === 5;
  const fix = {
    fingerprint: `f${at}`,
    hash: `h${at}`,
    commit: COMMIT,
    note: { fix: `Write the name of the Secret as the chart has it (${at})`, reason: 'it was misspelt' },
  };
  const mended: Line[] = [
    ...attempt('apps', run, 'failed', 30_000),
    [
      'failure.seen',
      'apps',
      {
        ...FAILURE,
        fingerprint: fix.fingerprint,
        excerpt: 'Error: secret "grafana-admin" not found',
        log: logOf('apps', run),
      },
    ],
    ['fix.committed', 'apps', fix],
    ['fix.judged', 'apps', { ...fix, outcome: at % 74 === 5 ? 'kept' : 'broke' }],
    ...green('apps', run, 33_000),
  ];
  return [
    began,
    ...before,
    ...(isMended ? mended : green('apps', run, 30_000 + (at % 5) * 2000)),
    ...green('ingress', run, 12_000),
    ...green('obs', run, 15_000),
    ['run.ended', undefined, { exit: 0, duration_ms: 150_000 + (at % 11) * 9000 }],
  ];
}

const idOf = (time: number, at: number): string => `${stamp(time)}-${(at % 65_536).toString(16).padStart(4, '0')}`;

/** How a run ended is the status of its last event. */
const ended = (events: LoopEvent[]): LoopEvent[] =>
  events.map((event) => {
    if (event.type !== 'run.ended') return event;
    return { ...event, status: event.data.exit === 0 ? 'success' : 'partial' };
  });

/** `runs` of them in `home`, an hour apart, the last `agoMs` ago. */
export function midnightHome(home: string, runs: number, agoMs = 240_000, isFailing = true): Layout {
  const files: Record<string, string> = {
    'ai/context_map.yaml': JSON.stringify({
      stages: Object.fromEntries(
        Object.entries(STAGES).map(([name, needs]) => [name, { command: `make ${name}`, needs }]),
      ),
    }),
    '.gitignore': 'ai/state\nai/logs\nai/escalations\n',
  };
  const end = Date.now() - agoMs;
  for (let at = 0; at < runs; at++) {
    const from = end - (runs - 1 - at) * HOUR_MS;
    const run = idOf(from, at);
    files[`ai/state/runs/${run}/events.jsonl`] = text(
      ended(journalOf(lines(run, at, isFailing && at === runs - 1), { run, from })),
    );
    if (at === runs - 1) files[logOf('apps', run)] = `reconciling apps\nwaiting for Kustomization apps\n${EXCERPT}\n`;
  }
  if (isFailing) {
    const run = idOf(end, runs - 1);
    const about = { case: CASE, stage: 'apps', fingerprint: FAILURE.fingerprint, class: 'config_error', run };
    const reasons = ['apps/values.yaml:3: changes `2` to `3` (replicas)'];
    const suggested = { plugin: 'ollama', tier: 'executor', note: NOTE, ask: { code: 'number', reasons } };
    const state = {
      opened: new Date(end).toISOString(),
      state: 'open',
      versions: [1],
      calls: 0,
      answers: [],
      why: 'a fix waits',
    };
    files[`ai/escalations/${CASE}/summary.json`] = JSON.stringify({
      version: 1,
      ...about,
      ...state,
      patch: 'h9',
      suggested,
    });
    files[`ai/escalations/${CASE}/patch.diff`] = PATCH;
    files[`ai/escalations/${CASE}/case_v1.md`] = `# apps failed\n\n${EXCERPT}\n`;
  }
  write(home, files);
  gitNow(['init', '--quiet', '--initial-branch=main'], home);
  gitNow(['add', '.'], home);
  gitNow(['-c', 'user.name=Owner', '-c', 'user.email=o@example.org', 'commit', '--quiet', '-m', 'lab'], home);
  return layoutOf(home);
}
