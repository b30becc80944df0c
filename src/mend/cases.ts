// Cases: all that is known of a failure, written for an escalation or a person, and what they answered. All masked.
import type { Stage } from '../config/context-map.ts';
import { type ANSWER_KINDS, type CaseSummary, caseName } from '../outbound/case-summary.ts';
import { maskedLeaves } from '../outbound/redact/redactor.ts';
import { RedactionError } from '../outbound/redact/secret.ts';
import { oneLine } from '../outbound/text.ts';
import type { Escalation } from '../plugin/contract.ts';
import { diagnoseStep, runOwnerDiagnostics } from '../stage/diagnose.ts';
import type { Run, Suggestion } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { type CaseStore, openCaseStore } from './case-store.ts';
import { contextFor, type FixContext } from './context.ts';
import { type CaseDocument, maskedCase } from './documents.ts';
import { record } from './identify.ts';
import { patchFiles } from './patch-files.ts';

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
  const about = { case: name, version, lead, diagnostics, notes: [...storyNotes(run, incident), ...notes] } as const;
  const document = await maskedCase(run, incident, context.facts, about);
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
  record(run, incident, 'case.opened', { ...openedData(incident, name, why), ...data });
}

function suggestionData({ hash, plugin, tier, note, ask }: Suggestion): Pick<CaseSummary, 'patch' | 'suggested'> {
  return { patch: hash, suggested: { plugin, tier, note: { ...note }, ask } };
}

function openedData({ provisional }: Incident, name: string, why: string) {
  const stands_on = provisional.map(({ fingerprint, hash }) => ({ fingerprint, hash }));
  return { case: name, path: `ai/escalations/${name}`, why, ...(stands_on.length > 0 && { stands_on }) };
}

/** The fixes that the files of a case are shown with, and what that means for an answer. */
function storyNotes(run: Run, { provisional }: Incident): string[] {
  if (provisional.length === 0) return [];
  const fixes = provisional.map(({ note, plugin, hash }) => {
    const diff = patchFiles(run.layout).diffOf(hash) ?? '';
    return `${note.fix} (${plugin})\n${diff}`.trimEnd();
  });
  const what =
    'This failure came in the place of another one, after these fixes. The files are shown with them, and an answer is';
  return [`${what} made against that text: both are applied together when the first failure returns.`, ...fixes];
}

/** Saves a fix in an open case until a person agrees or declines. */
export async function leaveSuggestion(run: Run, incident: Incident, suggestion: Suggestion): Promise<void> {
  const { note, plugin, tier, diff, ask } = suggestion;
  const text = `a fix waits for your word: ${note.fix} (${ask.code}: ${ask.reasons.join('; ')})`;
  const context = await contextFor(run, incident, tier);
  const name = nameOf(openCaseStore(run.layout), incident);
  const lead = `${oneLine(`${plugin}: ${text}`)}. It is in patch.diff beside this file.

- To have it applied when the failure returns: mendloop cases accept ${name}
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

/** Writes a case with all evidence and opens it for a person. Nothing is written when a secret may be left in it. */
export async function handOver(run: Run, incident: Incident, why: HandOver): Promise<void> {
  const notes = why.patch === undefined ? [] : [`What it was:\n${why.patch.trimEnd()}`];
  await writeForPerson(run, incident, { lead: oneLine(why.text), notes }, (written) =>
    openCase(run, incident, written, why),
  );
}

/** Writes the case with all evidence, and records that the failure is given up. */
export async function giveUp(run: Run, incident: Incident, reason: string): Promise<void> {
  const lead = `The loop gave up: ${oneLine(reason)}. It tries nothing more until: mendloop reset ${incident.stage}`;
  await writeForPerson(run, incident, { newest: true, lead }, ({ case: { name } }) => {
    updateCase(run, incident, name, () => ({ state: 'given_up', why: reason }));
    record(run, incident, 'case.opened', { ...openedData(incident, name, `given up: ${reason}`), given_up: true });
  });
  record(run, incident, 'failure.given_up', { reason });
}

/** Writes a case for a person and opens it by `open`; nothing but a notice, when a secret may be left in it. */
async function writeForPerson(
  run: Run,
  incident: Incident,
  options: Omit<CaseParts, 'signal'>,
  open: (written: CaseDocument) => void | Promise<void>,
): Promise<void> {
  try {
    const context = await contextFor(run, incident, 'escalation');
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
