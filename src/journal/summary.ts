// A run in one line: what ran, failed, was mended, waits and cost, folded from its events. Pure.
import { EXIT } from '../errors.ts';
import { type EventType, FAILURE_CLASSES, FIX_STATES, type LoopEvent } from '../events.ts';
import { splitStepName } from '../plan/matrix.ts';
import { amount, type Checked, count, integer, listOf, name, oneOf, optional, shaped, text, time } from '../shape.ts';

/** How a stage stood when the run left it, the worst of its cells first: `open` is one that had begun, `fresh` one that was green before. */
const STAGE_ENDS = ['give_up', 'failed', 'open', 'interrupted', 'skipped', 'green', 'fresh'] as const;
/** How a run ended; `open`: it has not, or was cut off. */
export const RUN_OUTCOMES = ['success', 'partial', 'failure', 'interrupted', 'abandoned', 'open'] as const;

const failure = { stage: name, fingerprint: name };

const isStageSummary = shaped({
  stage: name,
  end: oneOf(STAGE_ENDS),
  attempts: count,
  /** What all attempts took, and the longest that ended green. */
  spent_ms: amount,
  green_ms: optional(amount),
  /** Why it failed or was skipped. */
  reason: optional(text),
  /** What no longer held of a green stage. */
  drift: optional(text),
  /** The steps of a matrix that failed. */
  failed_cells: optional(listOf(name)),
});
const isFailureSummary = shaped({
  ...failure,
  class: oneOf(FAILURE_CLASSES),
  /** How many attempts of this run ended with it. */
  times: count,
  excerpt: text,
});
const isFixSummary = shaped({
  ...failure,
  hash: name,
  plugin: text,
  fix: text,
  outcome: oneOf([...FIX_STATES, 'suggested']),
  /** Why it ended so. */
  why: optional(text),
  /** Its commit on the AI branch, where this run made it. */
  commit: optional(text),
});

/** Whether a value read from disk is the summary of a run, as this version writes it. */
export const isRunSummary = shaped({
  run: name,
  v: oneOf([1]),
  began: time,
  /** Absent while it has not ended. */
  ended: optional(time),
  outcome: oneOf(RUN_OUTCOMES),
  exit: optional(integer),
  duration_ms: optional(amount),
  asked: text,
  lab: text,
  /** The commit of the base that it began from. */
  base: text,
  /** When it was at work, where that is not from its beginning to its end: it was cut off. */
  spans: optional(listOf(shaped({ from: time, to: time }))),
  stages: listOf(isStageSummary),
  failures: listOf(isFailureSummary),
  fixes: listOf(isFixSummary),
  /** Proposals that the gate or a person did not take. */
  refused: count,
  cases: listOf(shaped({ ...failure, fingerprint: text, case: text, is: oneOf(['opened', 'closed', 'answered']) })),
  /** Items of the work queue that its commands accepted. */
  items: listOf(text),
  prompts: count,
  tokens: count,
  dollars: amount,
  conflict: optional(text),
  safe_mode: optional(text),
  /** Lines of its journal are lost, or not for this version. */
  damage: optional(text),
});
export type RunSummary = Checked<typeof isRunSummary>;
export type StageSummary = Checked<typeof isStageSummary>;
export type FixSummary = Checked<typeof isFixSummary>;

export interface RunFilter {
  readonly stage?: string | undefined;
  readonly outcome?: string | undefined;
  /** Its first letters are enough. */
  readonly fingerprint?: string | undefined;
}

/** Whether a run had to do with a stage, ended so, and saw a failure; what is not asked for does not count. */
export const concerns = (run: RunSummary, { stage, outcome, fingerprint }: RunFilter): boolean =>
  (outcome === undefined || run.outcome === outcome) &&
  (stage === undefined || [...run.stages, ...run.failures, ...run.fixes].some((each) => each.stage === stage)) &&
  (fingerprint === undefined || run.failures.some((each) => each.fingerprint.startsWith(fingerprint)));

/** The names of the steps that failed: a stage, or the cells of its matrix that did. */
const failedSteps = ({ stages }: RunSummary): string[] =>
  stages.filter(isFailed).flatMap(({ stage, failed_cells }) => failed_cells ?? [stage]);

const isFailed = ({ end }: StageSummary): boolean => end === 'failed' || end === 'give_up';

const TEXT_WIDTH = 200;
const short = (words: string): string => (words.split('\n', 1)[0] as string).slice(0, TEXT_WIDTH);

interface Draft extends RunSummary {
  spans: { from: string; to: string }[];
  steps: Map<string, StageSummary>;
}
type Folds = { [T in EventType]?: (draft: Draft, event: LoopEvent<T>) => void };

const set = <T extends object>(target: T, facts: Partial<T>): void => void Object.assign(target, facts);

/** What each event adds; those that are not named only tell that the run was at work. */
const FOLDS: Folds = {
  'run.started': (draft, { data }) => set(draft, { asked: data.asked, lab: data.lab, base: data.base.commit }),
  'run.ended': (draft, event) => {
    draft.ended = event.time;
    noteEnd(draft, event);
  },
  // Without `ended`: the next start closes it.
  'run.left': (draft, event) => noteEnd(draft, event),
  'tree.conflict': (draft, { data }) => set(draft, { conflict: short(data.message) }),
  'safe_mode.on': (draft, { data }) => set(draft, { safe_mode: short(data.why) }),
  'step.started': (draft, event) => end(stepIn(draft, event), 'open'),
  'step.drift': (draft, event) => set(stepIn(draft, event), { drift: short(event.data.problems[0] ?? '') }),
  'step.fresh': (draft, event) => end(stepIn(draft, event), 'fresh'),
  'step.done': (draft, event) => end(stepIn(draft, event), 'green'),
  'step.failed': (draft, event) =>
    end(
      stepIn(draft, event),
      event.status === 'give_up' ? 'give_up' : 'failed',
      event.data.gave_up ?? event.data.reason,
    ),
  'step.skipped': (draft, event) => end(stepIn(draft, event), 'skipped', event.data.reason),
  'step.interrupted': (draft, event) => end(stepIn(draft, event), 'interrupted', event.data.reason),
  'attempt.ended': (draft, event) => {
    const step = stepIn(draft, event);
    const { duration_ms = 0, outcome } = event.data;
    step.attempts += 1;
    step.spent_ms += duration_ms;
    if (outcome === 'done') step.green_ms = Math.max(step.green_ms ?? 0, duration_ms);
  },
  'failure.seen': ({ failures }, { stage, data }) => {
    const { fingerprint, class: kind } = data;
    const seen = failures.find((failure) => failure.stage === stage && failure.fingerprint === fingerprint);
    if (seen) seen.times += 1;
    else failures.push({ stage, fingerprint, class: kind, times: 1, excerpt: short(data.excerpt) });
  },
  'fix.suggested': (draft, event) => noteFix(draft, event, 'suggested'),
  'fix.declined': (draft, event) => noteFix(draft, event, 'declined'),
  'fix.committed': (draft, event) => noteFix(draft, event, 'applied', { commit: event.data.commit }),
  'fix.judged': (draft, event) => noteFix(draft, event, event.data.outcome, { why: short(event.data.reason) }),
  'fix.refused': (draft) => set(draft, { refused: draft.refused + 1 }),
  'case.opened': (draft, event) => noteCase(draft, event, 'opened'),
  'case.closed': (draft, event) => noteCase(draft, event, 'closed'),
  'case.answered': (draft, event) => noteCase(draft, event, 'answered'),
  'item.accepted': ({ items }, { data }) => void items.push(data.item),
  'model.used': (draft, { data }) => {
    draft.prompts += 1;
    draft.tokens += data.tokens;
    draft.dollars += data.dollars ?? 0;
  },
};

/** The summary of a run; `at` is when it began, where its first line is lost. */
export function summarize(run: string, at: string, events: readonly LoopEvent[]): RunSummary {
  const draft: Draft = {
    ...{ run, v: 1, began: events[0]?.time ?? at, outcome: 'open', asked: '', lab: '', base: '' },
    ...{ stages: [], failures: [], fixes: [], refused: 0, cases: [], items: [], prompts: 0, tokens: 0, dollars: 0 },
    ...{ spans: [], steps: new Map() },
  };
  for (const event of events) {
    const span = draft.spans.at(-1);
    if (span && event.type !== 'run.resumed') span.to = event.time;
    else draft.spans.push({ from: event.time, to: event.time });
    (FOLDS[event.type] as ((draft: Draft, event: LoopEvent) => void) | undefined)?.(draft, event);
  }
  const { steps, spans, ...rest } = draft;
  return {
    ...rest,
    stages: stagesOf(steps),
    ...((spans.length > 1 || rest.ended === undefined) && { spans }),
  };
}

/** A plan that was stopped is a failure by its contract; for a person it is what they wanted. */
export const outcomeOf = (status: string | undefined, exit: number | undefined): RunSummary['outcome'] =>
  exit === EXIT.interrupted && status !== 'abandoned'
    ? 'interrupted'
    : (RUN_OUTCOMES.find((outcome) => outcome === status) ?? 'failure');

function noteEnd(draft: Draft, { status, data }: LoopEvent<'run.ended' | 'run.left'>): void {
  draft.outcome = outcomeOf(status, data.exit);
  if (data.exit !== undefined) draft.exit = data.exit;
  if (data.duration_ms !== undefined) draft.duration_ms = data.duration_ms;
}

function stepIn({ steps }: Draft, { stage, step = stage ?? '' }: Pick<LoopEvent, 'stage' | 'step'>): StageSummary {
  const { stage: own } = splitStepName(step);
  const recorded = steps.get(step) ?? { stage: stage ?? own, end: 'open', attempts: 0, spent_ms: 0 };
  steps.set(step, recorded);
  return recorded;
}

function end(step: StageSummary, how: StageSummary['end'], reason?: string): void {
  step.end = how;
  if (reason === undefined) delete step.reason;
  else step.reason = short(reason);
}

/** Cells as one: the worst end with its reason, all that was spent, the slowest green one. */
function stagesOf(steps: ReadonlyMap<string, StageSummary>): StageSummary[] {
  const stages = new Map<string, StageSummary>();
  for (const [name, { ...step }] of steps) {
    if (isFailed(step) && name !== step.stage) step.failed_cells = [name];
    const other = stages.get(step.stage);
    if (!other) {
      stages.set(step.stage, step);
      continue;
    }
    const isWorse = STAGE_ENDS.indexOf(step.end) < STAGE_ENDS.indexOf(other.end);
    if (isWorse) end(other, step.end, step.reason);
    other.attempts += step.attempts;
    other.spent_ms += step.spent_ms;
    const green = Math.max(other.green_ms ?? -1, step.green_ms ?? -1);
    if (green >= 0) other.green_ms = green;
    if (step.drift !== undefined) other.drift ??= step.drift;
    if (step.failed_cells) other.failed_cells = [...(other.failed_cells ?? []), ...step.failed_cells];
  }
  return [...stages.values()];
}

type FixEvent = LoopEvent<'fix.suggested' | 'fix.declined' | 'fix.committed' | 'fix.judged'>;

function noteFix(
  { fixes }: Draft,
  { stage, data }: FixEvent,
  outcome: FixSummary['outcome'],
  more: Pick<FixSummary, 'commit' | 'why'> = {},
): void {
  const { fingerprint, hash, plugin, note } = data;
  const earlier = fixes.find((fix) => fix.hash === hash && fix.fingerprint === fingerprint && fix.stage === stage);
  const now = { stage, fingerprint, hash, plugin, fix: short(note.fix) || (earlier?.fix ?? ''), outcome, ...more };
  if (earlier) Object.assign(earlier, now);
  else fixes.push(now);
}

function noteCase(
  { cases }: Draft,
  { stage, data }: LoopEvent<'case.opened' | 'case.closed' | 'case.answered'>,
  is: RunSummary['cases'][number]['is'],
): void {
  cases.push({ stage, fingerprint: data.fingerprint ?? '', case: data.case, is });
}

/** A run in a list of runs. */
export const runFacts = (summary: RunSummary) => ({
  run: summary.run,
  began: summary.began,
  asked: summary.asked,
  outcome: summary.outcome,
  exit: summary.exit ?? null,
  duration_ms: summary.duration_ms ?? null,
  failed: failedSteps(summary),
  fixes: summary.fixes.filter(({ commit }) => commit !== undefined).length,
});
