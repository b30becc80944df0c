// What the loop knows of a failure in its ledger, and what it would do about it now. Reads only.
import { unattendedOf, unattendedText } from '../config/unattended.ts';
import { MendError } from '../errors.ts';
import type { Failure } from '../failure/fingerprint.ts';
import type { Layout } from '../io/layout.ts';
import { loadStages } from '../journal/load-stages.ts';
import { openMask } from '../journal/mask.ts';
import { recordOf, type StageRecord } from '../journal/stages.ts';
import { identifyAgain, projectRules } from '../mend/identify.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import { situationOf } from '../mend/situation.ts';
import { maskedLeaves } from '../outbound/redact/redactor.ts';
import { configurationNow } from '../stage/configuration.ts';
import type { RunPorts } from '../stage/run.ts';
import { type Decision, decide } from '../triage/decide.ts';
import type { Ledger, LedgerEntry } from '../triage/ledger.ts';
import { NOT_AGAIN } from '../triage/words.ts';
import { checkoutFiles } from '../worktree/read.ts';

export interface Explanation {
  entry: LedgerEntry;
  /** Read again from its latest log; undefined when that is gone. */
  failure: Failure | undefined;
  /** The cells that had it when it was last seen, and where they stand now. */
  cells: { step: string; status: string }[];
  /** How the stage stands, when it does not have this failure now: green, or failed with another one. */
  stands: { since: string; fingerprint?: string | undefined } | undefined;
  /** What a run would decide about it now, or why that cannot be known. */
  next: Decision | { unknown: string };
  /** What of a fix for it would run before its owner has seen it; undefined where that cannot be known. */
  unattended?: string;
}

/** Never throws for a configuration that is not sound: then only what comes next is unknown. */
export async function explainFailure(
  entry: LedgerEntry,
  ledger: Ledger,
  layout: Layout,
  options: { now: number; ai: boolean; env: RunPorts['env'] },
): Promise<Explanation> {
  const config = await configurationNow(layout.home).then(
    (current) => current.config,
    (error: unknown) => {
      if (error instanceof MendError) return error;
      throw error;
    },
  );
  const rules = config instanceof MendError ? [] : projectRules(config.loop);
  const secrets = config instanceof MendError ? { map: { carry: [] }, loop: { redact: [] } } : config;
  const tracked = (await checkoutFiles(layout.home))?.files.keys() ?? [];
  const mask = openMask(layout.home, secrets, options.env, tracked);
  const { state } = loadStages(layout, { look: true });
  const read = identifyAgain(entry, layout, state.stages, rules);
  const cells = (entry.steps ?? []).map((step) => ({ step, status: recordOf(state, step)?.status ?? 'idle' }));
  const failure = read && { ...read, errors: maskedLeaves(read.errors, mask) as Failure['errors'] };
  const explained = { entry, failure, cells, stands: standsOtherwise(entry, state.stages[entry.stage]) };
  const safe_mode = readSafeMode(layout) !== undefined;
  if (config instanceof MendError) {
    const next = { unknown: `${config.code}: ${config.message}` };
    return { ...explained, next };
  }
  // As if a new run had just seen it once more.
  const stage = config.map.stages[entry.stage];
  const transient = entry.transient && stage?.rerun !== false;
  const history = { ...entry, times_seen: entry.times_seen + 1 };
  const incident = { attempt: 1, waits: 0, failure: { ...entry, transient }, history };
  const situation = situationOf(config.loop, ledger, options.now, { ai: options.ai, safe_mode }, entry);
  const next = decide(incident, situation);
  // Whatever it is: the next run does not come so far.
  if (stage?.rerun === false && next.tier !== 'give_up' && !('exit' in next && next.exit === 3))
    return { ...explained, next: { tier: 'none', why: 'no_executor', exit: 3, reason: `${NOT_AGAIN}; use retry` } };
  return { ...explained, next, ...(stage && { unattended: unattendedText(unattendedOf(config.loop, stage)) }) };
}

function standsOtherwise({ fingerprint }: LedgerEntry, record: StageRecord | undefined): Explanation['stands'] {
  if (record?.status === 'green') return { since: record.since };
  const steps = record ? [record, ...Object.values(record.cells ?? {})] : [];
  const current = steps.flatMap((step) => (/failed|give_up/.test(step.status) ? (step.fingerprint ?? []) : []));
  const [other] = current;
  return record && other !== undefined && !current.includes(fingerprint)
    ? { since: record.since, fingerprint: other }
    : undefined;
}
