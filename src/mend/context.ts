// All that a fix is made from and judged by: the facts that a plugin is told, and the rules and the tree of the gate.
import { join, relative } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { INSTRUCTIONS_FILE, MAX_BYTES, MEMO_FILE } from '../config/files.ts';
import type { FixTier } from '../events.ts';
import { excerptOf } from '../failure/excerpt.ts';
import { editablePaths } from '../fix/gate/path-rules.ts';
import type { GateRules } from '../fix/gate/rules.ts';
import { vocabularies } from '../io/gate/vocabularies.ts';
import { PACKAGE_ROOT } from '../io/package.ts';
import { bashParses, shellCheck } from '../io/shell-check.ts';
import { readText } from '../io/store.ts';
import type { Try } from '../outbound/context.ts';
import type { FixFacts } from '../plugin/contract.ts';
import { repositoryOf } from '../repository/repository.ts';
import { checkFilesOf } from '../stage/check-files.ts';
import { stagePath, stageVariables } from '../stage/env.ts';
import { perRun, type Run } from '../stage/run.ts';
import { madeOnceFrom } from '../stage/stale.ts';
import type { Incident } from '../triage/incident.ts';
import type { LedgerEntry } from '../triage/ledger.ts';
import { isReversal } from '../worktree/find-fix.ts';
import { unwritable } from '../worktree/on-disk.ts';
import { readAt, type Snapshot, snapshotOf } from '../worktree/read.ts';
import { openRepositoryReader, type RepositoryReader } from '../worktree/repository-at.ts';
import { gateRules, repositoryFacts, unattendedFor } from './gate-rules.ts';
import { currentIncident, endOfLog } from './identify.ts';
import { patchFiles } from './patch-files.ts';
import { makersOf, type Places, placesOf } from './places.ts';
import type { ProposalContext } from './proposal.ts';

/** What a plugin is told, and what its answer is judged by. */
export interface FixContext extends ProposalContext {
  facts: FixFacts;
  /** Where the failure points in the whole repository. */
  places: Places;
  /** The end of the failure's log. */
  failureLog: string;
}

interface Latest {
  snapshot?: Snapshot;
  /** Of one log at one commit. */
  places?: { readonly key: string; readonly value: Promise<Places> };
  readonly reader: RepositoryReader;
}

/** The tree at the worktree's commit, read once a commit, what it defines, and where the last failure points in it. */
const latestOf = perRun((): Latest => ({ reader: openRepositoryReader() }));

/** For one failure and tier, at `commit`: by default where the worktree is now. */
export async function contextFor(
  run: Run,
  incident: Incident,
  tier: FixTier,
  commit = run.tree.head,
): Promise<FixContext> {
  const { tree, config, layout } = run;
  const { failure, log, history } = incident;
  const latest = latestOf(run);
  if (latest.snapshot?.commit !== commit) latest.snapshot = await snapshotOf(tree, commit);
  const { snapshot, reader } = latest;
  const stage = config.map.stages[incident.stage] as Stage;
  const error_lines = failure.errors.flatMap(({ lines }) => lines);
  const failureLog = logEnd(`${layout.home}/${log}`);
  const rules: GateRules = {
    ...(await gateRules(layout.home, config, stage, tier, snapshot, await checkFilesOf(run))),
    failed: error_lines.join('\n'),
    log: failureLog.slice(-MAX_GATE_LOG),
  };
  const files = editablePaths([...snapshot.files.keys()], rules);
  const { fingerprint, class: failureClass } = failure;
  const repository = () => repositoryFacts(reader, snapshot, config.map, run.journal.stages);
  const key = `${commit} ${log}`;
  if (latest.places?.key !== key) {
    const makers = makersOf(config, run.journal.stages, incident.stage, [...snapshot.files.keys()]);
    const evidence = {
      stage: { ...stage, name: incident.stage },
      failure: { class: failureClass, error_lines, ended: '' },
      log: failureLog,
    };
    latest.places = { key, value: placesOf(evidence, snapshot, files, makers, repository) };
  }
  const places = await latest.places.value;
  const facts: FixFacts = {
    stage: { ...stage, name: incident.stage },
    failure: { fingerprint, class: failureClass, excerpt: excerptOf(failure), log, error_lines },
    files,
    read: async (path) => (await snapshot.text(path)) ?? '',
    look: async (path) => (await snapshot.text(path)) ?? '',
    prompt: '',
    tree: [...snapshot.files.keys()],
    places: places.places.slice(0, MAX_PLACES),
    shell: { parses: bashParses },
    definitions: async () => ({ repository: repositoryOf(await repository()), vocabulary: vocabularies }),
    surroundings: { path: stagePath(run), variables: [...Object.keys(run.env), ...stageVariables(stage)] },
    tries: earlierTries(run, history),
    refused: [],
    choices: [],
    limits: { files: rules.maxFiles, changed_lines: rules.maxLines },
  };
  return {
    rules,
    snapshot,
    shellCheck,
    patches: history.patches,
    refused: () => currentIncident(run, incident).history.refused ?? [],
    diffOf: patchFiles(layout).diffOf,
    unparsed: failure.class === 'yaml_parse_error' ? namedFiles(error_lines.join('\n'), files) : [],
    repository,
    unwritable: (edited) => unwritable(tree, edited),
    isReversal: (edited) => isReversal(tree, tree.base.commit, commit, edited),
    unattendedFor: (paths) => unattendedFor(config, stage, paths, snapshot.files),
    madeOnceFrom: (paths) => madeOnceFrom(run, paths),
    facts,
    places,
    failureLog,
  };
}

/** What a plugin is told of: more than any reads. */
const MAX_PLACES = 200;

/** Every change that was tried or not taken, the oldest first. */
function earlierTries({ layout }: Run, { patches, refused = [] }: LedgerEntry): Try[] {
  const { diffOf, pathOf } = patchFiles(layout);
  const applied = patches.map(({ plugin, proposed_by, tier, outcome: ended, hash, note, why, left, shapes, time }) => {
    const diff = diffOf(hash);
    const outcome = left ? ('helped' as const) : ended;
    const again = refused.find((one) => one.hash === hash && one.code !== 'ask')?.times;
    const more = { ...(note && { note }), ...(shapes && { shapes }), ...(why && { why }), ...(diff && { diff }) };
    const times = again === undefined ? {} : { times: again + 1 };
    return { time, row: { plugin, ...(proposed_by && { proposed_by }), tier, outcome, ...times, ...more } };
  });
  type Row = { time: string; row: Try };
  const answers = refused.flatMap(({ plugin, tier, code, reason: why, note, hash, times = 1, time = '' }): Row[] => {
    const by = { plugin, tier, ...(times > 1 && { times }) };
    if (code === 'pass') return [{ time, row: { ...by, outcome: 'passed' as const, why } }];
    if (hash !== undefined && patches.some((patch) => patch.hash === hash)) return [];
    const diff = hash && diffOf(hash);
    const change = { ...(note && { note }), ...(diff && { diff }) };
    if (code === 'ask') return [{ time, row: { ...by, outcome: 'asked' as const, why, ...change } }];
    const opens = code === 'outside' &&
      hash &&
      diff && { opens: { files: pathsOf(diff), patch: relative(layout.home, pathOf(hash)) } };
    return [{ time, row: { ...by, outcome: 'refused' as const, code, why, ...change, ...opens } }];
  });
  return [...applied, ...answers].sort((x, y) => (x.time < y.time ? -1 : 1)).map(({ row }) => row);
}

/** The paths that a clean diff writes. */
const pathsOf = (diff: string): string[] => [...diff.matchAll(/^\+\+\+ b\/(.+)$/gm)].map(([, path]) => path as string);

/** The files that a parser's complaint names, by their path, else by their last part. */
function namedFiles(errors: string, files: readonly string[]): string[] {
  const named = files.filter((path) => errors.includes(path));
  return named.length > 0 ? named : files.filter((path) => errors.includes(path.split('/').at(-1) as string));
}

/** ai/executor_instructions.md (else the shipped text) and ai/master_memo.md, as committed on the base. */
export const committedTexts = perRun(async ({ tree }: Run) => {
  const committed = async (path: string) => {
    const text = await readAt(tree.objects, tree.base.commit, path, MAX_BYTES);
    return typeof text === 'string' ? text : undefined;
  };
  const shipped = () => readText(join(PACKAGE_ROOT, INSTRUCTIONS_FILE)) ?? '';
  return { instructions: (await committed(INSTRUCTIONS_FILE)) ?? shipped(), memo: await committed(MEMO_FILE) };
});

/** Of a log, for the gate: which command failed, and which programs it names. */
const MAX_GATE_LOG = 16 * 1024;
/** What the gate is told of a recorded failure, as it is while a run mends it; a log that is gone leaves its excerpt. */
export function failureRules(home: string, entry: LedgerEntry | undefined): Pick<GateRules, 'failed' | 'log'> {
  if (!entry) return {};
  const end = entry.log === undefined ? '' : logEnd(`${home}/${entry.log}`).slice(-MAX_GATE_LOG);
  return { failed: entry.excerpt, log: `${end}\n${entry.excerpt}` };
}

/** Of a log, for a plugin. */
const LOG_BYTES = 64 * 1024;
/** The end of a log, from the beginning of a line on. */
export function logEnd(path: string): string {
  const end = endOfLog(path)(LOG_BYTES);
  if (!end) return '';
  return end.cut ? end.text.slice(end.text.indexOf('\n') + 1) : end.text;
}
