// What the loop knows of a failure in its ledger, and what it would do about it now. Reads only.
import { join } from 'node:path';
import { unattendedOf, unattendedText } from '../config/unattended.ts';
import { MendError } from '../errors.ts';
import type { Failure } from '../failure/fingerprint.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import type { Layout } from '../io/layout.ts';
import { entryAt } from '../io/links.ts';
import { loadStages } from '../journal/load-stages.ts';
import { openMask } from '../journal/mask.ts';
import { recordOf, type StageRecord, type StageState } from '../journal/stages.ts';
import { logEnd } from '../mend/context.ts';
import { gateRules, repositoryFacts } from '../mend/gate-rules.ts';
import { identifyAgain, projectRules } from '../mend/identify.ts';
import { isReadable, makersOf, placesOf } from '../mend/places.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import { situationOf } from '../mend/situation.ts';
import { PROMPT_FILES, wantedFiles, wantedReadable } from '../outbound/parts/suspicion-of.ts';
import { maskedLeaves } from '../outbound/redact/redactor.ts';
import { type Configuration, configurationNow } from '../stage/configuration.ts';
import type { RunPorts } from '../stage/run.ts';
import { type Decision, decide } from '../triage/decide.ts';
import type { Ledger, LedgerEntry } from '../triage/ledger.ts';
import { NOT_AGAIN } from '../triage/words.ts';
import { checkoutFiles, type Files } from '../worktree/read.ts';
import { openRepositoryReader } from '../worktree/repository-at.ts';
import { WORKTREE } from '../worktree/tree.ts';

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
  /** Where it points, as a prompt would have it now; undefined where its log is gone or the configuration is not sound. */
  where?: Where;
  /** What of a fix for it would run before its owner has seen it; undefined where that cannot be known. */
  unattended?: string;
}

export interface Where {
  /** What a prompt has, what may be changed first. */
  places: { path: string; lines: readonly number[]; reasons: readonly string[]; editable: boolean }[];
  /** Files that something points at, too weakly. */
  left_out: string[];
  definitions: readonly string[];
  /** Files that were too many or too large to be read. */
  unread: number;
}

/** The worktree's files, else the owner's. */
async function filesOf({ home }: Layout): Promise<Files | undefined> {
  const worktree = join(home, WORKTREE);
  return (
    ((await entryAt(worktree)).kind === 'folder' ? await checkoutFiles(worktree) : undefined) ?? checkoutFiles(home)
  );
}

async function whereOf(
  layout: Layout,
  config: Configuration,
  { stage: name, log }: LedgerEntry,
  { class: failureClass, errors }: Failure,
  state: StageState,
  mask: (text: string) => string,
): Promise<Where | undefined> {
  const stage = config.map.stages[name];
  const files = await filesOf(layout);
  if (!stage || !files || log === undefined) return undefined;
  const snapshot = { ...files, commit: '' };
  const tree = [...files.files.keys()];
  const editable = new Set(editablePaths(tree, await gateRules(layout.home, config, stage, 'executor', snapshot)));
  const failure = { class: failureClass, error_lines: errors.flatMap(({ lines }) => lines), ended: '' };
  const seen = { stage: { ...stage, name }, failure, log: mask(logEnd(`${layout.home}/${log}`)) };
  const names = () => repositoryFacts(openRepositoryReader(), snapshot, config.map, state);
  const makers = makersOf(config, state, name, tree);
  const { places, definitions, unread } = await placesOf(seen, snapshot, [...editable], makers, names);
  const wanted = [
    ...wantedFiles(
      places.filter(({ path }) => editable.has(path)),
      PROMPT_FILES,
    ),
    ...wantedReadable(places.filter(({ path }) => !editable.has(path) && isReadable(path))),
  ];
  const rows = wanted.map(({ path, named, matching, reasons }) => {
    const lines = (named.length > 0 ? named : matching).slice(0, MAX_LINES);
    return { path, lines, reasons: reasons.slice(0, MAX_REASONS), editable: editable.has(path) };
  });
  const left_out = places.filter((place) => place.score > 0 && !wanted.includes(place)).map(({ path }) => path);
  return { places: rows, left_out, definitions, unread };
}

const MAX_LINES = 3;
const MAX_REASONS = 3;

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
  // From what is masked already: a part of a secret does not show that it is one.
  const where =
    read && !(config instanceof MendError) && (await whereOf(layout, config, entry, failure as Failure, state, mask));
  const masked = where && {
    ...where,
    ...(maskedLeaves({ places: where.places, definitions: where.definitions }, mask) as Pick<
      Where,
      'places' | 'definitions'
    >),
  };
  const explained = {
    ...(masked && { where: masked }),
    entry,
    failure,
    cells,
    stands: standsOtherwise(entry, state.stages[entry.stage]),
  };
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
