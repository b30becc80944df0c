// Events as the journal keeps them: a sound example of the data of every type, and journals written in short.
import { type DataOf, EVENTS, type EventType, isEvent, type LoopEvent } from '../src/events.ts';

export const RUN = '20260101-000000-abcd';

const STAGES = { asked: 'all', stages: ['a'], lab: 'simulated' };
const LEADER = { pid: 7, start: '1', boot: 'b', host: 'h' };
const NOTE = { fix: 'say good', reason: 'it said bad' };
const REASON = { reason: 'because' };
const FIX = { fingerprint: 'f1', tier: 'executor', plugin: 'ollama', hash: 'h1' } as const;
const COMMITTED = { ...FIX, note: NOTE, class: 'unknown', paths: ['x'], tried: false };

/** No more than the data of each type must have. */
export const EXAMPLES: { readonly [T in EventType]: DataOf<T> } = {
  'run.started': {
    ...STAGES,
    execution_id: 'abcd0000-0000-4000-8000-000000000000',
    base: { name: 'main', branch: 'main', commit: 'c0' },
    timeout_ms: 1000,
    deadline_ms: null,
  },
  'run.resumed': { ...STAGES, done: [] },
  'run.ended': {},
  'run.left': {},
  'tree.opened': { branch: 'ai/work', commit: 'c0', base: 'main' },
  'tree.conflict': {
    code: 'E_BASE_CONFLICT',
    message: 'both changed it',
    problems: ['x'],
    next: 'git cherry-pick c2',
    base: 'main',
    commit: 'c1',
  },
  'branch.intended': {
    branch: 'ai/work',
    from: 'c0',
    to: 'c1',
    base: 'b1',
    base_name: 'main',
    why: 'main moved',
    fixes: [],
  },
  'branch.moved': { from: 'c0', to: 'c1' },
  'branch.stayed': { from: 'c0', to: 'c1' },
  'job.intended': { job: '1', backend: 'slurm-dag', tasks: [{ step: 'a', attempt: 1 }], commit: 'c0ffee', after: [] },
  'job.submitted': { job: '1', id: '4711' },
  'job.withdrawn': { job: '1', steps: ['a'], reason: 'the tree is written' },
  notice: { text: 'a notice' },
  'landing.intended': { base: 'main', from: 'c0', to: 'c1', tip: 'c1', git: LEADER },
  'landing.done': { base: 'main', to: 'c1' },
  'landing.dropped': { base: 'main', ...REASON },
  'step.started': {},
  'step.drift': { problems: ['x is missing'], log: 'a-0.log' },
  'step.fresh': {},
  'step.retry': { pause_ms: 0, ...REASON },
  'step.done': {},
  'step.failed': { code: 'EXECUTION_HALTED', ...REASON, severity: 'error' },
  'step.skipped': REASON,
  'step.interrupted': REASON,
  'attempt.started': { leader: LEADER, log: 'a-1.log', head: 'c0' },
  'check.started': { leader: LEADER },
  'attempt.ended': { outcome: 'done' },
  'attempt.lost': { code: 'NODE_FAIL', reason: 'its node failed', began: true },
  'attempt.changed': { files: ['x'] },
  'failure.seen': {
    fingerprint: 'f1',
    class: 'talos_error',
    transient: false,
    external: false,
    excerpt: 'it broke',
    ended: { exit_code: 1, signal: null, timed_out: false },
    times_seen: 1,
    first_seen: '2026-01-01T00:00:00.000Z',
  },
  'failure.carried': { fingerprint: 'f1', algorithm: 2 },
  'failure.decided': { fingerprint: 'f1', tier: 'executor', reason: 'first of 3' },
  'failure.given_up': { fingerprint: 'f1', ...REASON },
  'try.ended': { fingerprint: 'f1' },
  'escalation.called': { fingerprint: 'f1' },
  'escalation.refunded': { fingerprint: 'f1' },
  'model.used': { fingerprint: 'f1', tokens: 5 },
  'plugin.said': { plugin: 'ollama', text: 'asks' },
  'plugin.passed': { fingerprint: 'f1', tier: 'executor', plugin: 'ollama', ...REASON },
  'plugin.failed': { plugin: 'ollama', ...REASON },
  'prompt.saved': { path: 'ai/escalations/c-7/prompt.md' },
  'fix.refused': {
    fingerprint: 'f1',
    tier: 'executor',
    plugin: 'ollama',
    round: 1,
    code: 'masks',
    reasons: ['masks it'],
  },
  'fix.suggested': { ...FIX, note: NOTE },
  'fix.declined': { ...FIX, note: NOTE },
  'fix.intended': { ...COMMITTED, created: [] },
  'fix.committed': { ...COMMITTED, commit: 'c1' },
  'fix.judged': { ...FIX, note: NOTE, outcome: 'kept', ...REASON, commit: 'c1' },
  'fix.prepared': { ...FIX, note: NOTE, because: 'prepared' },
  'trial.opened': { from: 'c0' },
  'trial.ended': { outcome: 'kept', ...REASON, from: 'c0', to: 'c1' },
  'case.opened': { fingerprint: 'f1', case: 'c-7', path: 'ai/escalations/c-7', why: 'no fix' },
  'case.closed': { case: 'c-7', ...REASON },
  'item.accepted': { item: '03', commit: 'c', entry: 'done' },
  'item.dropped': { failing: 'web', fingerprint: 'f1', commits: ['c1'], from: 'c2', to: 'c0' },
  'item.restored': { failing: 'web' },
  'answer.refused': { answered_at: 'ntfy', reason: 'it was used already' },
  'case.answered': { ...FIX, tier: 'escalation', plugin: 'person', note: NOTE, case: 'c-7' },
  'person.notified': { fingerprint: 'f1', state: 'give_up' },
  'safe_mode.on': { why: 'a person said so' },
  'stage.recovered': REASON,
  'stage.stale': { why: 'its files changed', commit: 'c1' },
  'stage.green': {},
  'stage.failed': {},
  'stage.skipped': {},
  'stage.reset': {},
  'ledger.snapshot': { ledger: {} },
};

/** Type, `stage` or `stage[cell]`, data beyond the example's, attempt. */
export type Line = [EventType, (string | undefined)?, Record<string, unknown>?, number?];

/** Events of one run, numbered from 1 on and a second apart. Throws for what is no event. */
export function journalOf(lines: readonly Line[], { run = RUN, from = Date.UTC(2026, 0, 1) } = {}): LoopEvent[] {
  return lines.map(([type, step, data = {}, attempt], i) => {
    const event: unknown = {
      v: 1,
      seq: i + 1,
      time: new Date(from + i * 1000).toISOString(),
      run,
      type,
      ...(step === undefined ? {} : { stage: step.replace(/\[.*/, '') }),
      ...(step === undefined || type.startsWith('stage.') ? {} : { step }),
      ...(attempt === undefined ? {} : { attempt }),
      data: { ...EXAMPLES[type], ...data },
    };
    if (!isEvent(event)) throw new TypeError(`no ${type} (of a ${EVENTS[type].place}): ${JSON.stringify(event)}`);
    return event;
  });
}
