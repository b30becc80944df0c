// The documents that leave this machine for a failure, prompt and case: made from its context, every secret masked.
import { createHash, randomBytes } from 'node:crypto';
import { splitCarry } from '../config/paths.ts';
import { KNOWN_FIXES } from '../events.ts';
import { template } from '../failure/mask.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import { secretsFrom } from '../io/secrets.ts';
import { recordOf } from '../journal/stages.ts';
import { buildCase, type CaseOptions } from '../outbound/case.ts';
import { sendable } from '../outbound/chat-forms.ts';
import { choicesFor } from '../outbound/choices.ts';
import type { Choice, FailureContext } from '../outbound/context.ts';
import { outOfReach } from '../outbound/out-of-reach.ts';
import { buildPrompt } from '../outbound/prompt.ts';
import { createRedactor, type Redactor } from '../outbound/redact/redactor.ts';
import { ownerPatterns } from '../outbound/redact/rule.ts';
import { cellNames } from '../plan/matrix.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { checkoutFiles } from '../worktree/read.ts';
import { committedTexts, type FixContext } from './context.ts';
import { makersOf, textsOf } from './places.ts';

/** What is sent for a failure, masked: a prompt, or a case. */
export interface Document {
  readonly text: string;
  readonly redactor: Redactor;
  /** The same for the same question: whoever passed is not asked it again. */
  readonly digest: string;
  /** Changes that the prompt offers. */
  readonly choices?: readonly Choice[];
  readonly case?: { readonly name: string; readonly version: 1 | 2 };
}

export type CaseDocument = Document & Required<Pick<Document, 'case'>>;

/**
 * Knows every secret of this repository and environment; words of `tree`, the tracked files, stay. Throws RedactionError when it is
 * not sure of all secrets.
 */
export async function outgoingRedactor(
  { layout, config, env }: Pick<Run, 'layout' | 'config' | 'env'>,
  tree?: readonly string[],
): Promise<Redactor> {
  const secrets = secretsFrom({ home: layout.home, ...splitCarry(config.map), env });
  const paths = tree ?? (await checkoutFiles(layout.home))?.files.keys() ?? [];
  return createRedactor({ ...secrets, rules: ownerPatterns(config.loop.redact), paths });
}

/** The prompt for a failure, masked. Throws RedactionError when a secret may be left in it: then nothing is sent. */
export async function maskedPrompt(run: Run, incident: Incident, fix: FixContext): Promise<Document> {
  const redactor = await outgoingRedactor(run, fix.facts.tree);
  const { instructions } = await committedTexts(run);
  const context = withoutPasses(await failureContext(run, incident, fix));
  const choices = choicesFor(context, redactor.redact);
  const options = { instructions, format: 'diff', choices } as const;
  const { text } = buildPrompt(context, options, (part) => sendable(part, redactor.redact));
  return { text, redactor, choices, digest: await questionDigest(run, incident, fix) };
}

/** Of what models said without a change no other model learns anything. */
const withoutPasses = (context: FailureContext): FailureContext => ({
  ...context,
  tries: context.tries?.filter(({ outcome, plugin }) => outcome !== 'passed' || plugin === KNOWN_FIXES) ?? [],
});

/**
 * Of the prompt without what changes from attempt to attempt though the failure is the same. Whoever passed is not asked the same again.
 * It stays here, so nothing is masked.
 */
export async function questionDigest(run: Run, incident: Incident, fix: FixContext): Promise<string> {
  const { instructions } = await committedTexts(run);
  const { failure, ...context } = withoutPasses(await failureContext(run, incident, fix));
  const error_lines = failure.error_lines.map((line) => template(line));
  const limits = { files: 0, changed_lines: 0 };
  const same = { ...context, log: '', nonce: '', limits, failure: { ...failure, error_lines } };
  const { text } = buildPrompt(same, { instructions, format: 'diff' }, (part) => part);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The case of a failure, masked like the prompt. `about` is what the caller knows of the case itself. */
export async function maskedCase(
  run: Run,
  incident: Incident,
  fix: FixContext,
  about: Pick<CaseOptions, 'case' | 'version' | 'lead'> & Required<Pick<FailureContext, 'diagnostics' | 'notes'>>,
): Promise<CaseDocument> {
  const redactor = await outgoingRedactor(run, fix.facts.tree);
  const { stage, step, attempt, failure, log, history } = incident;
  const { diagnostics, notes, ...rest } = about;
  const { executor_tries, escalation_calls } = run.config.loop.limits;
  const context = {
    ...(await failureContext(run, incident, fix)),
    ...(step === stage ? {} : { step }),
    case: about.case,
    diagnostics,
    notes,
  };
  const options = {
    ...rest,
    run: run.id,
    fingerprint: failure.fingerprint,
    times_seen: history.times_seen,
    first_seen: history.first_seen,
    last_seen: history.last_seen,
    log_file: log,
    attempts: recordOf(run.journal.stages, step)?.attempts ?? attempt,
    tries_spent: { spent: history.executor_tries, of: executor_tries },
    calls_spent: { spent: history.escalation_calls, of: escalation_calls },
  };
  const { case: name, version } = about;
  const { text } = buildCase(context, options, (part) => sendable(part, redactor.redact));
  const digest = await questionDigest(run, incident, fix);
  return { text, redactor, digest, case: { name, version } };
}

/** Why no fix may mend a failure, in a sentence that does not leave this machine; undefined when one might. */
export async function whyOutOfReach(run: Run, incident: Incident, fix: FixContext): Promise<string | undefined> {
  const mayOpen = (path: string): boolean => editablePaths([path], { ...fix.rules, allow: [path] }).length > 0;
  return outOfReach(await failureContext(run, incident, fix), mayOpen);
}

/** What prompt and case tell of a failure; not masked yet. */
async function failureContext(run: Run, { endText, steps }: Incident, context: FixContext): Promise<FailureContext> {
  const { facts, places, snapshot, failureLog: log } = context;
  const { stage, failure, tries, limits } = facts;
  const { memo } = await committedTexts(run);
  const editable = new Set(facts.files);
  return {
    stage,
    failure: {
      class: failure.class,
      error_lines: failure.error_lines,
      ended: endText,
      ...(steps.length > 1 && { cells: cellNames(steps) }),
    },
    log,
    tree: facts.tree,
    makers: makersOf(run.config, run.journal.stages, stage.name, facts.tree),
    ranking: places,
    definitions: places.definitions,
    isEditable: (path) => editable.has(path),
    ...(await textsOf(places, snapshot, facts.files)),
    ...(memo === undefined ? {} : { memo, keywords: run.config.map.architecture_section_keywords }),
    tries,
    limits,
    nonce: randomBytes(8).toString('hex'),
  };
}
