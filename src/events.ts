// The only words that are stored: every event type with its place, its meaning and the shape of its data. The journal has
// them; ledger, stage states, console and JSON output are made from them.
import {
  amount,
  type Check,
  type Checked,
  count,
  flag,
  integer,
  isTexts,
  listOf,
  name,
  oneOf,
  optional,
  orNull,
  type Shape,
  type ShapeOf,
  shaped,
  text,
  time,
} from './shape.ts';

/** What is done about a failure: wait it out, ask executors, ask escalations, give it up, or nothing for now. */
export const TIERS = ['wait', 'executor', 'escalation', 'give_up', 'none'] as const;
export type Tier = (typeof TIERS)[number];

/** The tiers that propose fixes. */
export const FIX_TIERS = ['executor', 'escalation'] as const;
export type FixTier = (typeof FIX_TIERS)[number];

/**
 * How a fix ended: it is on the AI branch and helped (kept); it did not help (no_effect), or what was green failed with it (broke);
 * its trial was undone before or without a verdict on it (undone); a person did not want it, or took it off (declined); its owner
 * wrote another text in its place (superseded).
 */
export const FIX_OUTCOMES = ['kept', 'no_effect', 'broke', 'undone', 'declined', 'superseded'] as const;
export type FixOutcome = (typeof FIX_OUTCOMES)[number];
/** The same, or it is part of the trial that is open. */
export const FIX_STATES = ['applied', ...FIX_OUTCOMES] as const;
export type FixState = (typeof FIX_STATES)[number];

/** Why a change is the first proposal when its failure returns. */
export const FIRST_BECAUSE = ['answered', 'prepared', 'undone'] as const;

export const FAILURE_CLASSES = [
  'permission_denied',
  'missing_file',
  'command_not_found',
  'network_error',
  'yaml_parse_error',
  'talos_error',
  'proxmox_error',
  'config_error',
  'unknown',
] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** The author of a fix that a person gave: it counts for no plugin. */
export const PERSON = 'person';
/** The executor that needs no model: it spends no try, and sees every failure. */
export const KNOWN_FIXES = 'known-fixes';

/** What a fix does and why, as its author says. */
export const isNote = shaped({ fix: text, reason: text });
export const NO_NOTE: Checked<typeof isNote> = { fix: 'a change without a word about it', reason: 'not given' };
/** Why the owner is asked about a fix: a code, and a sentence or more for a person. */
export const isAsk = shaped({ code: text, reasons: listOf(text) });
/** How an attempt ended; `signal` means nothing when it timed out. */
export const isAttemptEnd = shaped({ exit_code: orNull(integer), signal: orNull(text), timed_out: flag });
export type AttemptEnd = Checked<typeof isAttemptEnd>;

/** One hash per kind of input, so that a change can be named. Kinds that came later are absent from what was recorded before. */
export const isInputs = shaped({
  command: text,
  verify: text,
  files: text,
  outputs: text,
  /** Path → content of the carried files that the stage names. */
  carried: optional(isTexts),
  /** Which worktree it was made in, where there are no checks that could tell. */
  worktree: optional(text),
});
export type Inputs = Checked<typeof isInputs>;

/** The identity of a process: its pid may be given to another one later. */
const isProcessIdentity = shaped({
  pid: integer,
  start: orNull(text),
  boot: orNull(text),
  host: text,
  ns: optional(orNull(text)),
});

/** The failure an event is about. */
const failure = { fingerprint: text };
const fix = { ...failure, tier: oneOf(FIX_TIERS), plugin: text, hash: text };
const notedFix = { ...fix, note: isNote };
/** A fix on the AI branch; `fingerprint` is that of the failure it is for, `hash` that of its patch. */
export type Fix = Readonly<ShapeOf<typeof notedFix> & Record<'stage' | 'step' | 'commit', string>>;
/** Where a person answered a case. */
export const ANSWERED_AT = ['terminal', 'page', 'ntfy'] as const;
export type AnsweredAt = (typeof ANSWERED_AT)[number];
const answeredAt = { answered_at: optional(oneOf(ANSWERED_AT)) };
/** The plugin whose suggestion a person accepted as their answer, and where they did. */
const proposedBy = { proposed_by: optional(text), ...answeredAt };
/** `accepted`: a person agreed to it. */
const committed = {
  ...notedFix,
  ...proposedBy,
  class: text,
  paths: listOf(text),
  tried: flag,
  accepted: optional(flag),
  /** Its owner is asked before it is kept. */
  ask: optional(isAsk),
  /** The repairs that it consists of, where it ran before its owner had seen it: the shape of each, and why. */
  shapes: optional(listOf(text)),
};
/** A fix of a branch that moves: its commit, and what that becomes. */
const movedFix = shaped({
  ...notedFix,
  stage: text,
  step: text,
  commit: text,
  /** Its commit on the branch as it is then. */
  to: optional(text),
  /** The base has it. */
  landed: optional(flag),
  /** It ends with this. */
  outcome: optional(oneOf(FIX_OUTCOMES)),
  reason: optional(text),
});
const move = { from: text, to: text };
/** The steps that a failure of several cells is about; absent: the event's own. */
const steps = { steps: optional(listOf(text)) };
const reason = { reason: text };
/** The base goes to a commit, and where it is checked out that checkout goes along. */
const landing = {
  base: name,
  from: text,
  to: text,
  /** The tip of the AI branch that its owner accepted. */
  tip: text,
  /** The folder; absent: the base is checked out nowhere. */
  checkout: optional(text),
  /** The git that writes there. */
  git: isProcessIdentity,
  /** It is known to have begun. */
  begun: optional(flag),
};
export const isLanding = shaped(landing);
export type Landing = Checked<typeof isLanding>;
/** Why nothing was looked at. */
const unchecked = { unchecked: optional(oneOf(['nothing to check', 'not checked'])) };
const options = { lab: text, recheck: optional(flag), workers: optional(integer) };
const runEnd = {
  exit: optional(integer),
  lab: optional(text),
  duration_ms: optional(amount),
  error: optional(orNull(shaped({ error_code: text, message: text }))),
  /** The plan's result, as the plan contract has it. */
  result: optional(shaped({ status: text, steps_executed: count, steps_total: count })),
  /** Stages that were green once and are to do again. */
  stale: optional(listOf(shaped({ stage: text, why: text }))),
  reason: optional(text),
};

/** Where an event belongs: to the run, to a stage, or to a step (of a stage, or of a plan of the caller's own). */
type Place = 'run' | 'stage' | 'step';

const row = <P extends Place, S extends Shape>(place: P, about: string, shape: S) => ({
  place,
  about,
  isData: shaped(shape),
});

export const EVENTS = {
  'run.started': row('run', 'a run began: what was asked for, its base commit and its options', {
    execution_id: text,
    asked: text,
    stages: listOf(text),
    base: shaped({ name: text, branch: text, commit: text, firstRun: optional(flag) }),
    timeout_ms: amount,
    deadline_ms: orNull(amount),
    ...options,
  }),
  'run.resumed': row('run', 'a later process went on with a run that had been cut off', {
    asked: text,
    stages: listOf(text),
    done: listOf(text),
    ...options,
  }),
  'run.ended': row('run', 'the run is over; exactly one per run, always last', runEnd),
  'run.left': row(
    'run',
    'the run stopped while jobs of it may still run: the next start sees them gone and ends it',
    runEnd,
  ),
  'tree.opened': row('run', 'the worktree is ready: branch, commit, base', {
    branch: text,
    commit: text,
    base: text,
    /** What there is to say of carried paths that are not linked: the next run says only what is new. */
    unlinked: optional(listOf(text)),
  }),
  'tree.conflict': row('run', 'the AI branch cannot be run on: a person has to settle something, and how', {
    code: text,
    message: text,
    problems: listOf(text),
    next: text,
    base: text,
    commit: text,
  }),
  'branch.intended': row('run', 'the AI branch is about to be moved: where, why, and what becomes of its fixes', {
    branch: text,
    from: text,
    to: text,
    /** The commit of the base that it stands on then. */
    base: text,
    /** The name of that branch. */
    base_name: text,
    why: text,
    fixes: listOf(movedFix),
  }),
  'branch.moved': row('run', 'the AI branch was moved as intended, and what it means for its fixes is recorded', move),
  'branch.stayed': row('run', 'the AI branch was not moved as intended: it is where it was', move),
  'job.intended': row('run', 'attempts are about to be handed on to a scheduler as one job', {
    /** Its number in this run, and the name of its folder. */
    job: name,
    backend: name,
    tasks: listOf(shaped({ step: name, attempt: count })),
    commit: text,
    after: listOf(text),
  }),
  'job.submitted': row('run', 'the scheduler took the job, and what it calls it', { job: name, id: name }),
  'job.withdrawn': row('run', 'attempts of a job will not be made', { job: name, steps: listOf(name), ...reason }),
  notice: row('run', 'something a person should know; changes nothing', { text }),
  'step.started': row('step', 'a step is being worked on', {}),
  'step.drift': row('step', "a green step's verify no longer holds", { problems: listOf(text), log: text }),
  'step.fresh': row('step', 'a green step was found still green; its command did not run', {
    since: optional(time),
    ...unchecked,
  }),
  'step.retry': row('step', 'the step is tried again after a pause', {
    pause_ms: amount,
    ...reason,
    tier: optional(oneOf(['wait', 'fix'])),
  }),
  'step.done': row('step', 'a step ended green', {
    inputs: optional(isInputs),
    head: optional(text),
    ...unchecked,
  }),
  'step.failed': row('step', 'a step ended failed', {
    code: text,
    ...reason,
    severity: text,
    human: optional(flag),
    gave_up: optional(text),
    next: optional(text),
    log: optional(text),
    inputs: optional(isInputs),
  }),
  'step.skipped': row('step', 'a step was not run, and why', { ...reason, code: optional(text) }),
  'step.interrupted': row('step', 'a step was stopped, or was found cut off', reason),
  'attempt.started': row('step', "the stage's process group exists and is about to run the command", {
    leader: isProcessIdentity,
    log: text,
    head: text,
  }),
  'check.started': row('step', 'the process group of one command of verify exists and is about to run', {
    leader: isProcessIdentity,
  }),
  'attempt.ended': row('step', 'the command and its checks are over', {
    outcome: text,
    duration_ms: optional(amount),
    log: optional(text),
    exit_code: optional(orNull(integer)),
    signal: optional(orNull(text)),
    problems: optional(listOf(text)),
    /** Carried files that changed meanwhile. */
    wrote: optional(listOf(text)),
  }),
  'attempt.lost': row('step', 'nobody can tell how an attempt ended: its backend lost it', {
    code: text,
    ...reason,
    /** Its command may have run. */
    began: flag,
    /** The same for all that it happened to, and the nodes. */
    what: optional(text),
    host: optional(text),
  }),
  'attempt.changed': row('step', 'the stage changed tracked files; they were saved as a patch', {
    files: listOf(text),
    patch: optional(text),
    /** Those of them that checks run: as committed again. */
    put_back: optional(listOf(text)),
  }),
  'failure.seen': row('stage', 'a failed attempt was identified: fingerprint, class, excerpt, how often it was seen', {
    ...failure,
    class: oneOf(FAILURE_CLASSES),
    transient: flag,
    external: flag,
    excerpt: text,
    log: optional(text),
    ended: isAttemptEnd,
    rules: optional(listOf(text)),
    times_seen: count,
    first_seen: time,
    inputs: optional(isInputs),
    /** The version of the algorithm that made the fingerprint; absent: the first. */
    algorithm: optional(count),
  }),
  'failure.carried': row('stage', 'fingerprints are made in a new way: what an earlier one is now', {
    ...failure,
    /** Absent: its log is gone. */
    to: optional(text),
    algorithm: count,
  }),
  'failure.decided': row('stage', 'what is done about it, and why', {
    ...failure,
    tier: oneOf(TIERS),
    ...reason,
    why: optional(text),
    exit: optional(integer),
    pause_ms: optional(amount),
    scope: optional(oneOf(['all', 'known-fixes-only', 'first'])),
    ...steps,
  }),
  'failure.given_up': row('stage', 'the loop is at its end with it; a person is needed', { ...failure, ...reason }),
  'try.ended': row('stage', 'one pass through the executors ended without a fix to try', failure),
  'escalation.called': row('stage', 'an escalation is being called', { ...failure, case: optional(text) }),
  'escalation.refunded': row('stage', 'whoever was called could not be reached: the call does not count', failure),
  'model.used': row('stage', 'a model used tokens, and what they cost', {
    ...failure,
    tokens: count,
    dollars: optional(amount),
  }),
  'plugin.said': row('stage', 'a plugin says what it does: whom it asks, and why', { plugin: text, text }),
  'plugin.passed': row('stage', 'a plugin has no fix to propose, and why', {
    ...failure,
    tier: oneOf(FIX_TIERS),
    plugin: text,
    ...reason,
    /** A digest of what it was asked with: it is not asked with the same once more. */
    prompt: optional(text),
  }),
  'plugin.failed': row('stage', 'a plugin could not be reached or did not answer soundly; no try is spent', {
    plugin: text,
    ...reason,
  }),
  'prompt.saved': row('stage', 'nobody could be asked: what would have been sent is kept for a person', { path: text }),
  'fix.refused': row('stage', 'a proposed change was refused, and why', {
    ...failure,
    tier: oneOf(FIX_TIERS),
    plugin: text,
    round: count,
    code: text,
    reasons: listOf(text),
    note: optional(isNote),
    /** The patch, where the change could be read. */
    hash: optional(text),
  }),
  'fix.suggested': row('stage', 'a sound fix is shown to a person, who is asked', {
    ...notedFix,
    ask: optional(isAsk),
  }),
  'fix.declined': row('stage', 'the person does not want it', { ...notedFix, ...answeredAt }),
  'fix.intended': row('stage', 'a sound fix is about to be committed', {
    ...committed,
    ...steps,
    created: listOf(text),
  }),
  'fix.committed': row('stage', 'the fix is part of the trial, and the steps that had the failure run again', {
    ...committed,
    ...steps,
    commit: text,
  }),
  'fix.judged': row('stage', 'how a fix ended, and why', {
    ...notedFix,
    outcome: oneOf(FIX_OUTCOMES),
    ...reason,
    /** Its commit, or the one that takes it back; empty where there is none any more. */
    commit: text,
    /** Cells that have the failure still: it is kept for the others only. */
    left: optional(listOf(text)),
    /** No check had a say: only exit codes say that it helped. */
    unchecked: optional(flag),
    /** Nothing was seen with it: it does not count as tried. */
    unjudged: optional(flag),
    /** The commit of the base that it was kept on. */
    base: optional(text),
    /** Stages whose inputs it changed and that did not run with it. */
    unseen: optional(listOf(text)),
  }),
  'fix.prepared': row('stage', 'a change is proposed first when its failure returns, and no one is asked for it', {
    ...notedFix,
    ...proposedBy,
    because: oneOf(FIRST_BECAUSE),
  }),
  'trial.opened': row('stage', 'a change is about to be tried; `from`: the AI branch, to which everything goes back', {
    from: text,
  }),
  'trial.ended': row('stage', 'what was tried is on the AI branch, or undone', {
    outcome: oneOf(['kept', 'undone']),
    ...reason,
    from: text,
    to: text,
    /** The failure of another step that it was undone for. */
    suspect: optional(shaped({ step: text, fingerprint: text })),
  }),
  'case.opened': row('stage', 'a case waits for a person, and where it is', {
    ...failure,
    case: text,
    path: text,
    why: text,
    given_up: optional(flag),
    /** The fix that waits for a person's word, and why they are asked. */
    hash: optional(name),
    ask: optional(isAsk),
  }),
  'case.closed': row('stage', 'a case is over, and why', {
    fingerprint: optional(text),
    case: text,
    ...reason,
    /** The stage is green: an answer that waits for the failure waits no longer. */
    green: optional(flag),
    /** A person closed it. */
    ...answeredAt,
  }),
  'answer.refused': row('run', 'an answer was not taken, and why', {
    answered_at: oneOf(ANSWERED_AT),
    case: optional(text),
    ...reason,
  }),
  'item.accepted': row(
    'stage',
    'an item of the work queue is done: its commands accepted it, and its boxes are ticked',
    {
      item: text,
      title: optional(text),
      commit: text,
      /** The new entry of its log. */
      entry: text,
    },
  ),
  'item.dropped': row(
    'stage',
    'a stage failed that was green before this item: it runs without the item and what builds on it',
    {
      /** Of that stage. */
      failing: text,
      fingerprint: text,
      /** The commits that left the branch. */
      commits: listOf(text),
      from: text,
      to: text,
    },
  ),
  'item.restored': row('stage', 'the stage fails alike without the item: it is on the branch again', { failing: text }),
  'case.answered': row('stage', 'a person answered a case with a fix, which is tried before the stage runs again', {
    ...notedFix,
    ...proposedBy,
    case: text,
  }),
  'landing.intended': row('run', 'what its owner accepted is about to land on the base', landing),
  'landing.done': row('run', 'what was intended has landed on the base', { base: name, to: text }),
  'landing.dropped': row('run', 'what was intended did not land, and why', { base: name, ...reason }),
  'person.notified': row('stage', 'a person was notified of a failure, and of what', { ...failure, state: name }),
  'safe_mode.on': row('run', 'the loop stopped changing things by itself, and why', { why: text }),
  'stage.recovered': row(
    'stage',
    'a stage that was given up may run again: its inputs changed, or its checks hold',
    reason,
  ),
  'stage.stale': row('stage', 'a green stage no longer stands: why, and since which commit', {
    why: text,
    commit: text,
    /** Its inputs may be what they were, and it must run all the same. */
    remake: optional(flag),
    /** A fix did it, or one that was taken back: not the owner. */
    by_fix: optional(flag),
    /** A stage that it needs was made again: its checks tell whether it stands. */
    recheck: optional(flag),
    /** Its checks were looked at outside a run, and did not hold. */
    drift: optional(flag),
  }),
  'stage.green': row('stage', 'the last step of a stage turned green, and so did the stage', {}),
  'stage.failed': row('stage', 'a stage ended failed', { reason: optional(text) }),
  'stage.skipped': row('stage', 'a stage was not run', { reason: optional(text) }),
  'stage.reset': row('stage', 'a person set a stage back to idle', {}),
  'ledger.snapshot': row('run', 'the whole ledger, where its journal was lost or written by an older version', {
    ledger: shaped({}),
  }),
} as const;

export type EventType = keyof typeof EVENTS;

/** The data of an event of a type. */
export type DataOf<T extends EventType> = (typeof EVENTS)[T]['isData'] extends Check<infer D> ? D : never;

interface Places {
  run: { stage?: string | undefined; step?: string | undefined; attempt?: number | undefined };
  stage: { stage: string; step?: string | undefined; attempt?: number | undefined };
  step: { stage?: string | undefined; step: string; attempt?: number | undefined };
}

/** An event before the journal has numbered and dated it. */
export type NewEvent<T extends EventType = EventType> = {
  [K in T]: { type: K; status?: string | undefined; data: DataOf<K> } & Places[(typeof EVENTS)[K]['place']];
}[T];

/** Something that a person must know and that is no step's. */
export const noticeEvent = (text: string): NewEvent<'notice'> => ({ type: 'notice', data: { text } });

/** An event as the journal keeps it. */
export type LoopEvent<T extends EventType = EventType> = NewEvent<T> & {
  v: 1;
  seq: number;
  time: string;
  run: string;
};

const isEnvelope = shaped({
  v: oneOf([1]),
  seq: integer,
  time,
  run: text,
  type: text,
  stage: optional(text),
  step: optional(text),
  attempt: optional(integer),
  status: optional(text),
  data: shaped({}),
});

/** Whether a value read from a journal is an event whose data has the shape of its type. */
export function isEvent(value: unknown): value is LoopEvent {
  if (!isEnvelope(value) || !Object.hasOwn(EVENTS, value.type)) return false;
  const { place, isData } = EVENTS[value.type as EventType];
  const placed = place === 'run' || value[place] !== undefined;
  return placed && isData(value.data);
}

/** Watches events. One that throws changes nothing for the run. */
export type Subscriber = (event: LoopEvent) => void;

/** Hands an event to a watcher; what it throws is dropped. */
export function notify<E>(watch: (event: E) => void, event: E): void {
  try {
    watch(event);
  } catch {
    // Watchers are best effort by contract.
  }
}
