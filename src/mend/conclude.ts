// The end of a failure that nothing more is done about in this run: its case, the notice to people, and what the cells that
// have it end with.
import type { MendError } from '../errors.ts';
import { caseCommands } from '../outbound/case-summary.ts';
import type { EndOf } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { Decision, Why } from '../triage/decide.ts';
import type { Incident } from '../triage/incident.ts';
import { entriesOf, entryOf, type LedgerEntry } from '../triage/ledger.ts';
import type { Answers, FailedCell } from './failed-cell.ts';
import { currentIncident, record } from './identify.ts';
import { notify } from './notify.ts';
import type { Unreachable } from './situation.ts';

/** Records the decision that the run was stopped while a fix was asked for. */
export function recordStopped(run: Run, incident: Incident): Decision {
  const reason = 'the run was stopped while a fix was asked for';
  const decision: Decision = { tier: 'none', why: 'stopped', exit: 1, reason };
  record(run, incident, 'failure.decided', decision);
  return decision;
}

/** Records the decision that git does not let a fix be committed. */
export function recordRefused(run: Run, incident: Incident, { message, problems }: MendError): Decision {
  const reason = run.mask([message, ...problems].join('; '));
  const decision: Decision = { tier: 'none', why: 'git_refused', exit: 3, reason };
  record(run, incident, 'failure.decided', decision);
  return decision;
}

/**
 * Writes the case when a person is needed from now on, notifies people, and ends the cells that have the failure, for which `unreachable`
 * tiers were asked.
 */
export async function conclude(
  run: Run,
  incident: Incident,
  decision: Decision,
  cells: readonly FailedCell[],
  unreachable: Unreachable,
): Promise<Answers> {
  const { prompt } = unreachable;
  const isUnasked = (unreachable.executor || unreachable.escalation) === true;
  const why = 'why' in decision ? decision.why : undefined;
  await writeCaseIfNeeded(run, incident, decision, why);
  // A given-up stage that a person asked to run once stays given up.
  const staysGivenUp = decision.tier === 'none' && (why === 'give_up_stands' || run.givenUp.has(incident.stage));
  const gaveUp = decision.tier === 'give_up' || staysGivenUp;
  const human = gaveUp || ('exit' in decision && decision.exit === 3);
  const isOnce = run.config.map.stages[incident.stage]?.rerun === false;
  const now = currentIncident(run, incident);
  const next = adviceFor(now, why, gaveUp, prompt, isOnce);
  const state = gaveUp ? 'give_up' : why === 'open_case' || opensCase(why) ? 'hand_over' : why;
  if (state === 'give_up' || state === 'hand_over' || state === 'external') {
    notifyOfFailure(run, state, incident, decision.reason, next);
  }
  const { fingerprint, class: failureClass } = incident.failure;
  const facts = {
    fingerprint,
    class: failureClass,
    tier: decision.tier,
    // A stage that waits for an answer halts nothing.
    ...(why && { why: opensCase(why) && now.history.case !== undefined ? ('open_case' as const) : why }),
    ...(isUnasked && (why === 'no_executor' || why === 'no_escalation') && { unreachable: true }),
    ...(human && { human }),
    ...(gaveUp && { gave_up: decision.reason }),
    ...(next && { next }),
  };
  return new Map(cells.map((cell) => [cell, { end: endOf(run, cell, facts) }]));
}

async function writeCaseIfNeeded(run: Run, incident: Incident, { tier, reason }: Decision, why: Why | undefined) {
  if (tier !== 'give_up' && !opensCase(why)) return;
  const { giveUp, handOver } = await import('./cases.ts');
  if (tier === 'give_up') await giveUp(run, incident, reason);
  else
    await handOver(run, incident, {
      by: 'mendloop',
      text: why === 'no_progress' ? `${reason}: it takes a person` : reason,
    });
}

/** What a cell ends with. Its inputs are those before its fixes: these are undone at its end, which is no change. */
function endOf({ journal }: Run, { failed: { end }, incident }: FailedCell, facts: object): EndOf<'failed'> {
  const inputs = journal.failures.inputsBefore(incident.stage, incident.step) ?? incident.inputs;
  return { ...end, context: { ...end.context, ...(inputs && { inputs }), ...facts } };
}

/** Whether a case is opened for a person because nobody else can be asked. */
const opensCase = (why: Why | undefined): boolean => why === 'out_of_reach' || why === 'no_progress';

/** For a failure that a rule of the owner's calls external without any advice. */
const OUTSIDE = 'mend what the log names outside of this repository';

/** What only a person can do now; undefined where the usual words do. */
function adviceFor(
  { stage, failure, history, heldCase }: Incident,
  why: Why | undefined,
  gaveUp: boolean,
  prompt: string | undefined,
  isOnce: boolean,
): string | undefined {
  if (gaveUp) return afterGivingUp(stage, failure.fingerprint);
  if (why === 'git_refused')
    return 'mend the hook or the signing key, or set git: {hooks: false, sign: false} in ai/loop.yaml, then: mendloop';
  if (why === 'safe_mode') return 'see why: mendloop safe-mode; when that is mended: mendloop safe-mode off';
  const name = history.case ?? heldCase;
  if (name !== undefined && (why === 'open_case' || opensCase(why))) {
    return caseCommands(name, history.case !== undefined && history.suggestion !== undefined).join('\n');
  }
  if (prompt !== undefined) {
    return [
      `${failure.advice ?? 'mend it'} (mendloop explain ${failure.fingerprint.slice(0, 8)}), commit, then: mendloop`,
      `or have another model answer ${prompt}, and try that: mendloop check-patch <answer> --stage ${stage}`,
    ].join('\n');
  }
  const todo = failure.advice ?? (why === 'external' ? OUTSIDE : undefined);
  if (isOnce) return `${todo ?? 'look at its log'}, then: mendloop retry ${stage}`;
  return todo && `${todo}, then: mendloop`;
}

const afterGivingUp = (stage: string, fingerprint: string): string =>
  `see mendloop explain ${fingerprint}; mend it, then: mendloop reset ${stage}`;

/** How much of a failure a notice shows. */
const MAX_LINES = 3;

const WORDS = {
  give_up: { title: 'given up', does: 'the loop gave up' },
  hand_over: { title: 'a case waits for you', does: 'is handed over to you' },
  external: { title: 'needs you', does: 'nothing in the repository can fix it' },
} as const;

type ForPerson = Pick<LedgerEntry, 'stage' | 'fingerprint' | 'class' | 'last_reason'>;

function notifyOfFailure(
  run: Run,
  state: keyof typeof WORDS,
  { stage, failure, log }: Incident,
  last_reason: string,
  next: string | undefined,
): void {
  const { fingerprint, class: failureClass, errors } = failure;
  const lines = errors.flatMap((error) => error.lines).slice(0, MAX_LINES);
  const more = [...lines, `log: ${log}`, ...(next ? [`next: ${next}`] : [])];
  notifyOf(run, state, { stage, fingerprint, class: failureClass, last_reason }, more);
}

function notifyOf(run: Run, reason: keyof typeof WORDS, entry: ForPerson, more: readonly string[]): void {
  const { stage, fingerprint, class: failureClass, last_reason = '' } = entry;
  const { title, does } = WORDS[reason];
  const lead = `${stage} failed (${failureClass}, ${fingerprint}) and ${does}: ${last_reason}`;
  const open = reason === 'hand_over' ? entryOf(run.journal.ledger, stage, fingerprint)?.case : undefined;
  const text = [lead, ...more].join('\n');
  notify(run, { reason, stage, fingerprint, case: open, title: `${stage}: ${title}`, text });
}

/** Notifies that stages are green again, and of failures of others that still wait for a person. */
export function notifyOfStages(run: Run, green: readonly string[]): void {
  const failuresOf = (names: readonly string[]) => names.flatMap((stage) => entriesOf(run.journal.ledger, stage));
  for (const { stage, fingerprint, class: failureClass, notified } of failuresOf(green)) {
    if (notified === undefined) continue;
    const text = `${stage} is green again; it had failed (${failureClass}, ${fingerprint})`;
    notify(run, { reason: 'recovered', stage, fingerprint, title: `${stage}: green again`, text });
  }
  const { stages } = run.journal.stages;
  const red = Object.keys(run.config.map.stages).filter((name) => stages[name]?.status !== 'green');
  for (const entry of failuresOf(red)) {
    const { stage, fingerprint, gave_up_at, case: open, suggestion } = entry;
    if (gave_up_at !== undefined) notifyOf(run, 'give_up', entry, [`next: ${afterGivingUp(stage, fingerprint)}`]);
    else if (open !== undefined)
      notifyOf(run, 'hand_over', entry, [`next: ${caseCommands(open, suggestion !== undefined).join('\n')}`]);
  }
}
