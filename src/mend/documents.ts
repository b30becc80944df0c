// The documents that leave this machine for a failure, prompt and case: made from its context, every secret masked.
import { randomBytes } from 'node:crypto';
import type { Stage } from '../config/context-map.ts';
import { pathMatcher, splitCarry } from '../config/paths.ts';
import { protectedAs } from '../fix/gate/protected-names.ts';
import { secretsFrom } from '../io/secrets.ts';
import { recordOf } from '../journal/stages.ts';
import { buildCase, type CaseOptions } from '../outbound/case.ts';
import { choicesFor } from '../outbound/choices.ts';
import type { Choice, FailureContext, Maker } from '../outbound/context.ts';
import { isSyntaxError, outOfReach } from '../outbound/out-of-reach.ts';
import { buildPrompt } from '../outbound/prompt.ts';
import { createRedactor, type Redactor } from '../outbound/redact/redactor.ts';
import { ownerPatterns } from '../outbound/redact/rule.ts';
import { needsOf } from '../plan/compile.ts';
import { cellNames, stepNames } from '../plan/matrix.ts';
import type { FixFacts } from '../plugin/contract.ts';
import type { Run } from '../stage/run.ts';
import type { Incident } from '../triage/incident.ts';
import { checkoutFiles } from '../worktree/read.ts';
import { committedTexts, logEnd } from './context.ts';

/** What is sent for a failure, masked: a prompt, or a case. */
export interface Document {
  readonly text: string;
  readonly redactor: Redactor;
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
export async function maskedPrompt(run: Run, incident: Incident, facts: FixFacts): Promise<Document> {
  const redactor = await outgoingRedactor(run, facts.tree);
  const { instructions } = await committedTexts(run);
  const context = await failureContext(run, incident, facts);
  const choices = choicesFor(context, redactor.redact);
  const options = { instructions, format: 'diff', choices } as const;
  const { text } = buildPrompt(context, options, redactor.redact);
  return { text, redactor, choices };
}

/** The case of a failure, masked like the prompt. `about` is what the caller knows of the case itself. */
export async function maskedCase(
  run: Run,
  incident: Incident,
  facts: FixFacts,
  about: Pick<CaseOptions, 'case' | 'version' | 'lead'> & Required<Pick<FailureContext, 'diagnostics' | 'notes'>>,
): Promise<CaseDocument> {
  const redactor = await outgoingRedactor(run, facts.tree);
  const { stage, step, attempt, failure, log, history } = incident;
  const { diagnostics, notes, ...rest } = about;
  const { executor_tries, escalation_calls } = run.config.loop.limits;
  const context = {
    ...(await failureContext(run, incident, facts)),
    ...(step === stage ? {} : { step }),
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
  const { text } = buildCase(context, options, redactor.redact);
  return { text, redactor, case: { name, version } };
}

/** Why no fix may mend a failure, in a sentence that does not leave this machine; undefined when one might. */
export async function whyOutOfReach(run: Run, incident: Incident, facts: FixFacts): Promise<string | undefined> {
  const { class: name, error_lines } = facts.failure;
  if (!isSyntaxError({ class: name, error_lines, ended: incident.endText })) return undefined;
  return outOfReach(await failureContext(run, incident, facts));
}

/** What prompt and case tell of a failure; not masked yet. */
async function failureContext(run: Run, { endText, steps }: Incident, facts: FixFacts): Promise<FailureContext> {
  const { stage, failure, tries, limits } = facts;
  const { memo } = await committedTexts(run);
  const log = logEnd(`${run.layout.home}/${failure.log}`);
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
    makers: makersOf(run, stage.name, facts.tree),
    files: await fileTexts(facts.files, facts.read, MAX_FILE_CHARS),
    readable: await fileTexts(readableFiles(facts, log), facts.look, MAX_READABLE_CHARS),
    ...(memo === undefined ? {} : { memo, keywords: run.config.map.architecture_section_keywords }),
    tries,
    limits,
    nonce: randomBytes(8).toString('hex'),
  };
}

/** Every stage that this one needs, directly or not: what is not in the repository may be theirs. */
function makersOf({ config, journal }: Run, name: string, tree: readonly string[]): Maker[] {
  return needsOf(config.map, name).map((stage) => {
    const { files, matrix } = config.map.stages[stage] as Stage;
    const steps = stepNames(stage, { matrix }).flatMap((step) => recordOf(journal.stages, step)?.wrote ?? []);
    return { stage, files: tree.filter(pathMatcher(files)), wrote: [...new Set(steps)] };
  });
}

/** Files beyond this much text are left to the ones before them: no model reads more. */
const MAX_FILE_CHARS = 400_000;
const FILES_AT_ONCE = 50;

/** Of files that are only read: a failure is seldom about more, and all of it is masked and searched. */
const MAX_READABLE_CHARS = 150_000;
const MAX_READABLE = 150;
const IS_TEXT =
  /(?:^|\/)(?:\w*file|hosts|inventory)$|\.(?:ya?ml|json5?|toml|ini|cfg|conf|env|sh|py|tf|tofu|tfvars|hcl|mk|just|j2|tmpl|tpl|gotmpl|txt|csv)$/i;

/** Files that may not be changed and may be read: those that the failure or the command names first, then the stage's neighbours. */
function readableFiles({ files, tree, stage, failure }: FixFacts, log: string): string[] {
  const editable = new Set(files);
  const mentions = [failure.error_lines.join('\n'), log, JSON.stringify(stage.command)].join('\n');
  const tops = new Set(files.map((path) => path.split('/')[0]));
  const rank = (path: string): number => {
    if (mentions.includes(path.slice(path.lastIndexOf('/') + 1))) return 0;
    return tops.has(path.split('/')[0]) ? 1 : 2;
  };
  const others = tree.filter((path) => !editable.has(path) && IS_TEXT.test(path) && protectedAs(path) === undefined);
  return others.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_READABLE);
}

/** The texts of files, as many as anyone reads. */
async function fileTexts(
  paths: readonly string[],
  read: FixFacts['read'],
  maxChars: number,
): Promise<{ path: string; text: string }[]> {
  const texts: { path: string; text: string }[] = [];
  let room = maxChars;
  for (let from = 0; from < paths.length && room > 0; from += FILES_AT_ONCE) {
    const some = paths.slice(from, from + FILES_AT_ONCE);
    for (const file of await Promise.all(some.map(async (path) => ({ path, text: await read(path) })))) {
      if (room > 0) texts.push(file);
      room -= file.text.length;
    }
  }
  return texts;
}
