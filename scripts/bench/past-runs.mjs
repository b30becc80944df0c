// A homelab's past: journals of many runs as they would have been written, with recurring failures, fixes, cases and drift.
// The same numbers give the same past.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const STAGES = ['vms', 'talos', 'infra', 'apps', 'ingress', 'obs'];

const LOG = (stage, run, attempt) => `ai/logs/${stage}/${run}-${attempt}.log`;
const ENDED = { exit_code: 1, signal: null, timed_out: false };

/** What breaks: stage, class, how often in a thousand runs, and what becomes of it. */
const TROUBLE = [
  {
    stage: 'apps',
    class: 'command_not_found',
    odds: 14,
    excerpt: 'stages/apps/run.sh: line 8: kubctl: command not found',
    becomes: 'known',
  },
  {
    stage: 'infra',
    class: 'network_error',
    odds: 60,
    excerpt: 'dial tcp 10.0.0.12:6443: connect: connection refused',
    becomes: 'passes',
  },
  {
    stage: 'talos',
    class: 'talos_error',
    odds: 9,
    excerpt: 'error applying new configuration: rpc error: code = Unavailable',
    becomes: 'model',
  },
  {
    stage: 'ingress',
    class: 'yaml_parse_error',
    odds: 6,
    excerpt: 'error parsing config/ingress/values.yaml: line 14: did not find expected key',
    becomes: 'reverted',
  },
  {
    stage: 'obs',
    class: 'permission_denied',
    odds: 3,
    excerpt: 'mkdir: cannot create directory ‘/srv/prometheus’: Permission denied',
    becomes: 'case',
  },
];

const fingerprintOf = (i) => `${(0x6bcdee7c + i * 0x1234567).toString(16)}97d9d2${10 + i}`;

/** Numbers from 0 to 1 that are the same each time. */
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** The name of a run that began then. */
export const runId = (time, i) =>
  `${new Date(time).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)}-${(i % 65536).toString(16).padStart(4, '0')}`;

/** Writes `count` runs into `home`, evenly over the `days` before `now`. `commits`: what fixes may be told to have made. */
export function writePast(home, { count, days, now, commits = ['c0ffee0000000000000000000000000000000000'] }) {
  const next = random(count * 31 + days);
  const step = (days * 86_400_000) / count;
  for (let i = 0; i < count; i++) {
    const began = Math.floor(now - days * 86_400_000 + i * step);
    const run = runId(began, i);
    const folder = join(home, 'ai/state/runs', run);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'events.jsonl'), journal({ run, began, next, share: i / count, commits }));
  }
}

/** One run's journal as text. */
function journal({ run, began, next, share, commits }) {
  let at = began;
  const lines = [];
  const add = (type, place = {}, data = {}, ms = 40) => {
    at += ms;
    lines.push(
      JSON.stringify({ v: 1, seq: lines.length + 1, time: new Date(at).toISOString(), run, type, ...place, data }),
    );
  };
  const base = { name: 'main', branch: 'ai/orchestrator-stage1', commit: 'b'.repeat(40) };
  add(
    'run.started',
    {},
    {
      execution_id: `${run.slice(-4)}4583-f609-437b-8020-3ed41fcf2c46`,
      ...{ asked: 'all', stages: STAGES, base, timeout_ms: 14_400_000, deadline_ms: null, lab: 'real', recheck: true },
    },
  );
  let failed = 0;
  for (const [n, stage] of STAGES.entries()) {
    const place = { stage, step: stage };
    if (failed > 0) {
      add('step.skipped', { ...place, status: 'skipped' }, { reason: 'a stage that it needs is not green' });
      continue;
    }
    const drawn = TROUBLE.findIndex((one) => one.stage === stage && next() * 1000 < one.odds);
    const drifts = drawn === -1 && next() < 0.02;
    if (drawn === -1 && !drifts) {
      add('step.fresh', { ...place, status: 'green' }, { since: new Date(began - 3_600_000).toISOString() }, 200);
      continue;
    }
    if (drifts)
      add('step.drift', place, {
        problems: [`${stage}: deployment/${stage} is not Available`],
        log: LOG(stage, run, 'verify'),
      });
    add('step.started', { ...place, status: 'running' });
    // Each stage has its own pace, and grows a little slower.
    const pace = 4000 * (n + 1) * (1 + share * 0.6) * (0.8 + 0.4 * next());
    let attempt = 0;
    const tryIt = (outcome) => {
      attempt += 1;
      const leader = { pid: 4242, start: '1', boot: 'b', host: 'lab' };
      add('attempt.started', { ...place, attempt }, { leader, log: LOG(stage, run, attempt), head: base.commit });
      add(
        'attempt.ended',
        { ...place, attempt },
        {
          outcome,
          duration_ms: Math.round(pace),
          log: LOG(stage, run, attempt),
          exit_code: outcome === 'done' ? 0 : 1,
          signal: null,
        },
        pace,
      );
    };
    const isGreen = drawn === -1 || trouble(TROUBLE[drawn], fingerprintOf(drawn), { place, add, tryIt, next, commits });
    if (isGreen) {
      tryIt('done');
      add('step.done', { ...place, status: 'green' }, {});
      if (drawn !== -1) judge(TROUBLE[drawn], fingerprintOf(drawn), { place, add, commits });
      add('stage.green', { stage, status: 'green' });
    } else {
      failed += 1;
      add(
        'step.failed',
        { ...place, status: 'failed' },
        { code: 'EXECUTION_HALTED', reason: 'exit code 1', severity: 'error', human: true },
      );
      add('stage.failed', { stage, status: 'failed' }, { reason: 'exit code 1' });
    }
  }
  const status = failed > 0 ? 'failure' : 'success';
  add('run.ended', { status }, { exit: failed > 0 ? 3 : 0, lab: 'real', duration_ms: at - began, error: null });
  return `${lines.join('\n')}\n`;
}

const fixOf = ({ stage, becomes }, fingerprint, commits) => ({
  fingerprint,
  tier: 'executor',
  plugin: becomes === 'known' ? 'known-fixes' : 'ollama',
  hash: `${fingerprint.slice(0, 8)}aa`,
  note: { fix: `Mend ${stage}: say what the tool understands`, reason: 'the log names the word that is wrong' },
  commit: commits[STAGES.indexOf(stage) % commits.length],
});

/** What happens before the stage is green; false when it is not in this run. */
function trouble(one, fingerprint, { place, add, tryIt, next, commits }) {
  const { stage, becomes } = one;
  tryIt('failed');
  const seen = {
    fingerprint,
    class: one.class,
    transient: becomes === 'passes',
    external: false,
    excerpt: one.excerpt,
  };
  add('failure.seen', place, {
    ...seen,
    ended: ENDED,
    times_seen: 1,
    first_seen: '2026-01-01T00:00:00.000Z',
    algorithm: 2,
  });
  const tier = { passes: 'wait', case: 'escalation' }[becomes] ?? 'executor';
  add('failure.decided', place, { fingerprint, tier, reason: 'a failure that is known' });
  if (becomes === 'passes') {
    add('step.retry', place, { pause_ms: 30_000, reason: 'it may pass by itself', tier: 'wait' }, 30_000);
    return true;
  }
  if (becomes !== 'known') {
    add('model.used', place, { fingerprint, tokens: Math.round(3000 + 4000 * next()), dollars: 0.004 });
    if (next() < 0.4)
      add('fix.refused', place, {
        ...fixOf(one, fingerprint, commits),
        round: 1,
        code: 'outside',
        reasons: ['it changes a file outside of the stage'],
      });
  }
  if (becomes === 'case') {
    add('case.opened', place, {
      fingerprint,
      case: `${stage}-${fingerprint.slice(0, 8)}`,
      path: `ai/escalations/${stage}-${fingerprint.slice(0, 8)}`,
      why: 'nobody found a fix',
    });
    return false;
  }
  const fix = {
    ...fixOf(one, fingerprint, commits),
    class: one.class,
    paths: [`stages/${stage}/run.sh`],
    tried: becomes !== 'known',
  };
  add('fix.committed', place, fix);
  if (becomes !== 'reverted') return true;
  tryIt('failed');
  add('fix.judged', place, {
    ...fix,
    outcome: 'no_effect',
    reason: 'the same failure came back',
  });
  return next() < 0.5;
}

function judge(one, fingerprint, { place, add, commits }) {
  if (one.becomes !== 'known' && one.becomes !== 'model') return;
  add('fix.judged', place, {
    ...fixOf(one, fingerprint, commits),
    outcome: 'kept',
    reason: 'the stage was green with it',
  });
}
