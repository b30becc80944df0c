// Cases: all that is known of a failure, written for an escalation or a person, and what they answered. All masked.
import type { Stage } from '../config/context-map.ts';
import { excerptOf } from '../failure/excerpt.ts';
import { ASKS, type AskCode, type Edit } from '../fix/edit.ts';
import { type ANSWER_KINDS, type CaseSummary, caseName } from '../outbound/case-summary.ts';
import { maskedLeaves } from '../outbound/redact/redactor.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { oneLine } from '../outbound/text.ts';
import type { Escalation } from '../plugin/contract.ts';
import { diagnoseStep, runOwnerDiagnostics } from '../stage/diagnose.ts';
import type { Run, Suggestion } from '../stage/run.ts';
import type { Incident, Trial, TrialFix } from '../triage/incident.ts';
import { type CaseStore, openCaseStore } from './case-store.ts';
import { madeFor } from './commit.ts';
import { contextFor, type FixContext } from './context.ts';
import { type CaseDocument, maskedCase } from './documents.ts';
import { currentIncident, record } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { combined } from './trial.ts';

/** What a case tells besides the failure itself. */
interface CaseParts {
  /** Ends diagnostics that take too long for this run. */
  signal: AbortSignal;
  /** What a model asked to see: makes version 2. */
  asked?: readonly (readonly string[])[];
  notes?: readonly string[];
  /** What is wanted of a person; it stands first. */
  lead?: string;
  /** Overwrite the newest version instead of the first. */
  newest?: boolean;
}

/** Why a person is wanted, by whose word, and what was proposed. */
export interface HandOver {
  by: string;
  text: string;
  /** The text of a patch. */
  patch?: string;
  /** A patch that passed the gate and waits for a person's word. */
  suggestion?: Suggestion;
}

/** Writes the case; version 2 with the diagnostics that were asked for. Throws RedactionError, and MendError. */
export async function writeCase(
  run: Run,
  incident: Incident,
  context: FixContext,
  { asked, notes = [], lead, newest, signal }: CaseParts,
): Promise<CaseDocument> {
  const store = openCaseStore(run.layout);
  const stage = run.config.map.stages[incident.stage] as Stage;
  const name = nameOf(store, incident);
  const hasSecond = summaryOf(store, name)?.versions.includes(2);
  const version = asked || (newest && hasSecond) ? 2 : 1;
  const diagnostics = asked
    ? [
        ...(await diagnoseStep(run, incident, { owner: stage.diagnostics }, signal)),
        ...(await diagnoseStep(run, incident, { model: asked }, signal)),
      ]
    : await runOwnerDiagnostics(run, incident, signal);
  const about = { case: name, version, lead, diagnostics, notes: [...trialNotes(run, incident), ...notes] } as const;
  const document = await maskedCase(run, incident, context, about);
  store.write(name, version, document.text);
  updateCase(run, incident, name, ({ versions, state }) => ({
    versions: [...new Set([...versions, version] as const)],
    state: state === 'open' ? state : 'asked',
  }));
  return document;
}

/** The case of this failure that is open or was sent before; a new name otherwise. */
function nameOf(store: CaseStore, { stage, failure, history }: Incident): string {
  const underWay = history.case ?? history.escalated;
  return underWay ?? caseName(stage, failure.fingerprint, (name) => isTaken(store, name, failure.fingerprint));
}

/** Stores the answer to a case. */
export function recordAnswer(
  run: Run,
  incident: Incident,
  { redactor, case: { name } }: CaseDocument,
  plugin: string,
  answer: Escalation,
): void {
  openCaseStore(run.layout).writeResponse(name, { plugin, answer: maskedLeaves(answer, redactor.redact) });
  updateCase(run, incident, name, ({ calls, answers }) => ({
    calls: calls + 1,
    answers: [...answers, kindOf(answer)],
  }));
}

/** Stores the patch that was answered. */
export function recordPatch(run: Run, { redactor, case: { name } }: CaseDocument, diff: string): void {
  openCaseStore(run.layout).writePatch(name, redactor.redact(diff));
}

/**
 * The failure that a case is about: that for which the trial was opened, because all of the trial is undone with the case. What the
 * trial came further with is offered in it.
 */
async function aboutFirst(run: Run, incident: Incident): Promise<{ first: Incident; offered?: Suggestion }> {
  const { trial, step } = incident;
  const [opening] = trial?.fixes ?? [];
  const seen = opening && madeFor(run).get(opening.fix.hash);
  if (!trial || !opening || !seen) return { first: incident };
  const first = currentIncident(run, { ...seen, step, steps: incident.steps });
  const { hash, note } = await combined(run, trial);
  const reasons: string[] = ['with it the first failure was gone, and another one came in its place'];
  const { plugin, tier } = opening.fix;
  const excerpt = run.mask(excerptOf(first.failure));
  const diff = run.mask(patchFiles(run.layout).diffOf(hash) ?? '');
  const ask = { code: 'prepared', reasons } as const;
  return { first, offered: { step, plugin, tier, hash, note, excerpt, diff, ask } };
}

/** Hands the failure over to a person: the case is open until they answer. */
export async function openCase(run: Run, incident: Incident, written: CaseDocument, why: HandOver): Promise<void> {
  const { by, text, patch, suggestion } = why;
  const { name } = written.case;
  const masked = written.redactor.redact(`${by}: ${text}`);
  if (patch !== undefined) recordPatch(run, written, patch);
  else openCaseStore(run.layout).dropPatch(name);
  markOpen(run, incident, name, masked, suggestion);
}

/** `why` and `suggestion` are masked. */
function markOpen(run: Run, incident: Incident, name: string, why: string, suggestion?: Suggestion): void {
  const store = openCaseStore(run.layout);
  const { patch: _, suggested: __, ...summary } = summaryOf(store, name) as CaseSummary;
  store.writeSummary({ ...summary, state: 'open', why, ...(suggestion && suggestionData(suggestion)) });
  const { hash, ask } = suggestion ?? {};
  const data = { ...(hash !== undefined && { hash }), ...(ask && { ask }) };
  record(run, incident, 'case.opened', { ...openedData(name, why), ...data });
}

function suggestionData({ hash, plugin, tier, note, ask }: Suggestion): Pick<CaseSummary, 'patch' | 'suggested'> {
  return { patch: hash, suggested: { plugin, tier, note: { ...note }, ask } };
}

const openedData = (name: string, why: string) => ({ case: name, path: `ai/escalations/${name}`, why });

/** The fixes of a trial that is undone with this case: what accepting it brings back. */
function trialNotes(run: Run, { trial }: Incident): string[] {
  if (!trial || trial.fixes.length === 0) return [];
  const fixes = trial.fixes.map(({ fix: { note, plugin, hash } }) => {
    const diff = patchFiles(run.layout).diffOf(hash) ?? '';
    return `${note.fix} (${plugin})\n${diff}`.trimEnd();
  });
  const what =
    'With these changes the failure became another one. They are undone, and the files are shown without them';
  return [`${what}; accepting the case applies all of them.`, ...fixes];
}

/** Saves a fix in an open case until a person agrees or declines. */
export async function leaveSuggestion(
  run: Run,
  asking: Incident,
  made: Suggestion,
  edits: readonly Edit[],
): Promise<void> {
  const { first: incident } = await aboutFirst(run, asking);
  const suggestion = await offeredWhole(run, asking, made, edits);
  await offer(run, incident, suggestion);
}

/** All that stands in a trial is offered in a case, because its owner is to be asked before it is kept. */
export async function offerTrial(run: Run, trial: Trial, asks: readonly NonNullable<TrialFix['ask']>[]): Promise<void> {
  const seen = madeFor(run).get(trial.fixes[0]?.fix.hash ?? '');
  const { first, offered } = seen ? await aboutFirst(run, currentIncident(run, seen)) : {};
  // Without the process that saw the failure there is nothing to show: it comes again, and is asked about then.
  if (!first || !offered) return;
  const reasons = [...new Set(asks.flatMap((ask) => ask.reasons))];
  const code = Object.keys(ASKS).find((each): each is AskCode => asks.some((ask) => ask.code === each)) ?? 'text';
  await offer(run, first, { ...offered, ask: { code, reasons } });
}

async function offer(run: Run, incident: Incident, suggestion: Suggestion): Promise<void> {
  const { note, plugin, tier, diff, ask } = suggestion;
  const text = `a fix waits for your word: ${note.fix} (${ask.code}: ${ask.reasons.join('; ')})`;
  const context = await contextFor(run, incident, tier, incident.trial?.from);
  const name = nameOf(openCaseStore(run.layout), incident);
  const lead = `${oneLine(`${plugin}: ${text}`)}. It is in patch.diff beside this file.

- To have it tried, and the stage judge it: mendloop cases accept ${name}
- To go on without it: mendloop cases decline ${name}`;
  try {
    const written = await writeCase(run, incident, context, { newest: true, lead, signal: run.signal });
    await openCase(run, incident, written, { by: plugin, text, patch: diff, suggestion });
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    updateCase(run, incident, name, () => ({}));
    markOpen(
      run,
      incident,
      name,
      `${plugin}: a fix waits for your word; no more is written: ${error.message}`,
      suggestion,
    );
  }
}

/** What is asked about, on top of what stands in the trial, as one change. */
async function offeredWhole(
  run: Run,
  { trial }: Incident,
  made: Suggestion,
  edits: readonly Edit[],
): Promise<Suggestion> {
  if (!trial || trial.fixes.length === 0) return made;
  const { hash, note } = await combined(run, trial, { edits, fix: made.note.fix });
  const masked = { fix: run.mask(note.fix), reason: run.mask(note.reason) };
  return { ...made, hash, note: masked, diff: run.mask(patchFiles(run.layout).diffOf(hash) ?? '') };
}

/**
 * Writes a case with all evidence and opens it for a person; with what a trial came further with, to be accepted. Nothing is written
 * when a secret may be left in it.
 */
export async function handOver(run: Run, incident: Incident, why: HandOver): Promise<void> {
  const notes = why.patch === undefined ? [] : [`What it was:\n${why.patch.trimEnd()}`];
  const { first, offered } = await aboutFirst(run, incident);
  const suggestion = why.suggestion ?? offered;
  const whole = { ...why, ...(suggestion && { suggestion, patch: why.patch ?? suggestion.diff }) };
  await writeForPerson(run, first, { lead: oneLine(why.text), notes }, (written) =>
    openCase(run, first, written, whole),
  );
}

/** Writes the case with all evidence, and records that the failure is given up. */
export async function giveUp(run: Run, incident: Incident, reason: string): Promise<void> {
  const lead = `The loop gave up: ${oneLine(reason)}. It tries nothing more until: mendloop reset ${incident.stage}`;
  const { first } = await aboutFirst(run, incident);
  await writeForPerson(run, first, { newest: true, lead }, ({ case: { name } }) => {
    updateCase(run, first, name, () => ({ state: 'given_up', why: reason }));
    record(run, first, 'case.opened', { ...openedData(name, `given up: ${reason}`), given_up: true });
  });
  record(run, incident, 'failure.given_up', { reason });
  if (first.failure.fingerprint !== incident.failure.fingerprint) record(run, first, 'failure.given_up', { reason });
}

/** Writes a case for a person and opens it by `open`; nothing but a notice, when a secret may be left in it. */
async function writeForPerson(
  run: Run,
  incident: Incident,
  options: Omit<CaseParts, 'signal'>,
  open: (written: CaseDocument) => void | Promise<void>,
): Promise<void> {
  try {
    const context = await contextFor(run, incident, 'escalation', incident.trial?.from);
    await open(await writeCase(run, incident, context, { ...options, signal: run.signal }));
  } catch (error) {
    if (!(error instanceof RedactionError)) throw error;
    record(run, incident, 'notice', { text: `no case was written for ${incident.stage}: ${error.message}` });
  }
}

/** Writes the summary of a case, a new one if need be. A closed case is open again. */
function updateCase(
  run: Run,
  { stage, failure }: Incident,
  name: string,
  change: (summary: CaseSummary) => Partial<CaseSummary>,
): void {
  const store = openCaseStore(run.layout);
  const { closed: _, ...before }: CaseSummary = summaryOf(store, name) ?? {
    version: 1,
    case: name,
    stage,
    fingerprint: failure.fingerprint,
    class: failure.class,
    run: run.id,
    opened: new Date(run.clock.now()).toISOString(),
    state: 'asked',
    versions: [],
    calls: 0,
    answers: [],
  };
  store.writeSummary({ ...before, ...change(before) });
}

function summaryOf(store: CaseStore, name: string): CaseSummary | undefined {
  const listed = store.read(name);
  return listed && 'summary' in listed ? listed.summary : undefined;
}

/** Whether a name cannot be used: only a case of the same failure that is neither closed nor answered goes on. */
function isTaken(store: CaseStore, name: string, fingerprint: string): boolean {
  if (!store.has(name)) return false;
  const summary = summaryOf(store, name);
  return summary?.fingerprint !== fingerprint || summary.state === 'closed' || summary.state === 'answered';
}

function kindOf(answer: Escalation): (typeof ANSWER_KINDS)[number] {
  if ('pass' in answer) return 'pass';
  if ('unreadable' in answer) return 'unreadable';
  if ('diagnostics' in answer) return 'diagnostics';
  return 'hand_over' in answer ? 'hand_over' : 'patch';
}
