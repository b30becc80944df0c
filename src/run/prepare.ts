// Before the first stage: what was cut off, base, configuration, worktree, journal; everything that a run is, put together.
import { randomUUID } from 'node:crypto';
import { endJobs } from '../backend/end-jobs.ts';
import { openJobs } from '../backend/jobs.ts';
import { type Reached, reachBackend } from '../backend/open.ts';
import { itemNumber } from '../backlog/stage-of-item.ts';
import { stricterCommands } from '../config/strict-shell.ts';
import { fail } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import { openGit } from '../io/git.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { type Layout, layout as layoutOf } from '../io/layout.ts';
import { startedBases } from '../journal/history.ts';
import { type JournalOptions, openJournal } from '../journal/journal.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { type LoadedStages, loadStages, openRun } from '../journal/load-stages.ts';
import { openMask, shortSecrets } from '../journal/mask.ts';
import { nextId } from '../journal/runs.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { withNeeds } from '../plan/compile.ts';
import { stepNames } from '../plan/matrix.ts';
import type { StaleStage } from '../plan/stale.ts';
import { openBarrier } from '../stage/barrier.ts';
import { baseOf, type Configuration, configurationAt } from '../stage/configuration.ts';
import { stagePath } from '../stage/env.ts';
import { keepToLab } from '../stage/one-lab.ts';
import { pluginsAt } from '../stage/own-plugins.ts';
import { missingTools } from '../stage/requires.ts';
import type { Lab, Run, RunPorts } from '../stage/run.ts';
import { runTree } from '../stage/run-tree.ts';
import { findStale, lostWork, remadeEvents } from '../stage/stale.ts';
import { uncarriedIgnored, uncarriedNotice } from '../stage/uncarried.ts';
import { type Ledger, patchIn } from '../triage/ledger.ts';
import { type Base, commitOf, droppedBase } from '../worktree/base.ts';
import type { BringOptions } from '../worktree/merge.ts';
import { openWorktree } from '../worktree/open.ts';
import { notCarried, terraformState, uncommitted } from '../worktree/read.ts';
import type { Worktree } from '../worktree/tree.ts';
import { type ClosePorts, closeOpenRun, endLeft, stepsElsewhere } from './close-run.ts';
import { isConflict, recordConflict } from './conflict.ts';
import { backlogOf, withItems } from './items.ts';
import { cutOffRun, type OpenRun, type RunHead } from './resume.ts';
import { askedText, type Selection, selectStages, withNeedsCommand } from './select.ts';

/** What a run is asked for. */
export interface RunRequest extends Selection {
  home: string;
  /** The command line, for whoever meets the lock. */
  command: string;
  lab?: Lab | undefined;
  workers?: number | undefined;
  /** Epoch milliseconds by which the run must be over. */
  deadline?: number | undefined;
  recheck: boolean;
  /** Where steps run, instead of what ai/loop.yaml says. */
  backend?: string | undefined;
  /** A person said that many jobs are meant. */
  yes?: boolean | undefined;
  /** False: no executor and no escalation. */
  ai: boolean;
}

export interface Prepared {
  run: Run;
  head: RunHead;
  /** The cut-off run that this one goes on with. */
  open: OpenRun | undefined;
  worktree: Worktree;
  /** Tracked files that stages had changed and that are as at HEAD. */
  putBack: readonly string[];
  /** Green stages that no longer stand since the tree was last written. */
  stale: StaleStage[];
  notices: string[];
  backend: Reached;
  elsewhere: Elsewhere;
}

/** Everything a run needs, or a MendError; the lock must be held. A run that was cut off is closed only when all else is sound. */
export async function prepare(request: RunRequest, objects: GitObjects, ports: RunPorts): Promise<Prepared> {
  const { home } = request;
  const layout = layoutOf(home);
  const { clock, subscribers } = ports;
  const loaded = loadStages(layout);
  const now = clock.now();
  // Begun now, for it takes as long as the checkout is large; what is wrong with the base is said first.
  const beside = Promise.all([terraformState(home), uncommitted(home)]);
  beside.catch(() => {});
  const current = await baseOf(home, objects);
  const last = cutOffRun(loaded, askedText(request), now);
  const rewritten = last && (await wasRewritten(layout, current));
  const cutOff = rewritten ? { ...last, resume: false as const, why: rewritten } : last;
  const open = cutOff?.resume ? cutOff : undefined;
  const toClose = cutOff?.resume ? undefined : cutOff;
  // The names are masked in the journal when they hold a secret; they cannot have changed meanwhile.
  const base = open ? { ...current, commit: open.head.base.commit } : current;
  const committed = await configurationAt(home, base.commit, base.name, { objects, backend: request.backend });
  const config = await withItems(committed, open?.head.stages ?? request.stages, () => backlogOf(objects, base.commit));
  const plugins = await pluginsAt(layout, base.commit, config.loop, objects);
  const stages = open?.head.stages ?? selectStages(config.map, request, loaded.state);
  const head = open?.head ?? newHead(request, config, stages, base, now);
  const { retry_failed, limits } = config.loop;
  if (!open && !request.forced && !(retry_failed && limits.max_compute_retries > 0)) refuseFailed(stages, loaded.state);
  const lab = request.lab ?? config.loop.lab;
  keepToLab(layout, lab);
  const [states, notIncluded] = await beside;
  const uncarried = notCarried(states, config.map.carry);
  if (uncarried.length > 0) fail('E_STATE_UNCARRIED', {}, uncarried);
  const requested = withNeeds(config.map, stages);
  const id = open?.run ?? nextId(layout, now, head.execution_id, loaded.state.as_of.run);
  const backend = await reachBackend({
    run: id,
    plugins,
    config,
    env: ports.env,
    layout,
    clock,
    signal: ports.signal,
    progress: ports.progress,
    stages: requested,
    steps: stepsToDo(requested, config, loaded.state),
    workers: request.workers,
    yes: request.yes === true,
  });
  await endLeft(loaded, { layout, ...ports });
  const elsewhere = open ? await handedOn(loaded, backend.name, { layout, ...ports }) : NOTHING_ELSEWHERE;
  if (toClose) await closeOpenRun(loaded, toClose.why, { layout, ...ports });
  const mask = openMask(home, config, ports.env, (await objects.files(base.commit)).keys());
  const short = shortSecrets(home, config);
  const forced = new Set(request.forced ? request.stages : []);
  const starting = {
    ...ports,
    id,
    layout,
    config,
    plugins,
    mask,
    barrier: openBarrier(),
    lab,
    ai: request.ai,
    recheck: request.recheck,
    requested,
    forced,
    // Asked for by hand after giving up: once, as it is.
    givenUp: new Set([...forced].filter((stage) => loaded.state.stages[stage]?.status === 'give_up')),
  };
  const steps = new Map(requested.map((name) => [name, stepNames(name, config.map.stages[name])]));
  const begin = (behindGreen?: JournalOptions['behindGreen']) =>
    openJournal({
      run: id,
      layout,
      stages: loaded.state,
      steps,
      subscribers,
      clock,
      mask,
      ...(behindGreen && { behindGreen }),
    });
  const merge = !open?.treeOpened && bringOptions(layout, id, config.loop.git.sign);
  const carry = config.map.carry;
  const inUse = elsewhere.followed.size > 0;
  const worktree = await openWorktree(home, base, { objects, carry, merge, inUse }).catch(async (error) => {
    if (isConflict(error)) {
      const run = { ...starting, journal: begin() };
      await recordConflict(run, base, began(lab, request, head, open), error, loaded.latest);
    }
    throw error;
  });
  const tree = runTree(worktree, layout);
  const putBack = [...new Set([...worktree.putBack, ...lostWork(config.map, loaded.state, worktree.changed)])];
  // Of a run that goes on, also what it had no time to record; of a new one the stages asked for are looked at anyway.
  const isAll = Object.keys(config.map.stages).every((name) => stages.includes(name));
  const isKnown = isAll && !open && putBack.length === 0;
  const found = isKnown ? [] : await findStale({ config, layout, tree }, loaded.state, { putBack });
  const stale = found.filter(({ stage, remake }) => open || remake || !stages.includes(stage));
  if (!open) refuseStaleNeeds(request, stages, requested, stale);
  const used = stages.flatMap((name) => config.map.stages[name] ?? []);
  const ignored = { carry: config.map.carry, tracked: (await tree.files()).keys() };
  const uncarriedFiles = await uncarriedIgnored(home, used, ignored);
  const stricter = open ? [] : newlyStricter(loaded, config);
  const journal = begin((made) => remadeEvents(config.map, journal.stages, journal.ledger, made, tree.head));
  const run: Run = { ...starting, journal, tree };
  const notices = [
    ...loaded.notices,
    toClose && `run ${toClose.run} was cut off and is closed: ${toClose.why}`,
    open && current.commit !== base.commit && movedNotice(base),
    ...worktree.notices,
    // Nobody's credentials are needed where no real machine is reached.
    ...(lab === 'simulated' ? [] : worktree.unlinked),
    notIncluded.length > 0 && `not committed, so not included: ${shortList(notIncluded)}`,
    ...uncarriedFiles.map(uncarriedNotice),
    stricter.length > 0 && `${STRICTER}: ${shortList(stricter)} (mendloop validate)`,
    ...missingTools(used, stagePath(run)),
    short.length > 0 && `too short to be masked in what a model is told: ${shortList(short)} (mendloop doctor)`,
    ...journal.notices,
  ].filter((notice) => typeof notice === 'string');
  return { run, head, open, worktree, putBack, stale, notices, backend, elsewhere };
}

/** How many steps of these stages are not green. */
const stepsToDo = (stages: readonly string[], { map }: Configuration, state: StageState): number =>
  stages
    .flatMap((name) => stepNames(name, map.stages[name]))
    .filter((step) => recordOf(state, step)?.status !== 'green').length;

/** What an earlier process of this run handed on: the steps that are followed where they are, or what these had recorded. */
interface Elsewhere {
  readonly followed: ReadonlySet<string>;
  readonly takenIn: readonly NewEvent[];
}

const NOTHING_ELSEWHERE: Elsewhere = { followed: new Set(), takenIn: [] };

/** On another backend than theirs they are ended first. */
async function handedOn(loaded: LoadedStages, backend: string, ports: ClosePorts): Promise<Elsewhere> {
  const { run = '', events = [] } = openRun(loaded) ?? {};
  const isOurs = openJobs(events).jobs.every((job) => job.backend === backend);
  if (isOurs) return { followed: stepsElsewhere(events), takenIn: [] };
  return { followed: new Set(), takenIn: await endJobs(run, events, ports) };
}

/** How a run's journal begins, or goes on. */
export function began(lab: Lab, request: RunRequest, head: RunHead, open: OpenRun | undefined): NewEvent {
  const options = { lab, recheck: request.recheck, workers: request.workers };
  if (!open) return { type: 'run.started', data: { ...head, ...options } };
  const { asked, stages } = head;
  return { type: 'run.resumed', data: { ...options, asked, stages, done: [...open.state.done] } };
}

/** Why a run that was cut off cannot go on: what it began from is no longer in the base. */
async function wasRewritten(layout: Layout, base: Base): Promise<string | undefined> {
  const git = openGit(layout.home);
  const tip = await commitOf(git, `refs/heads/${base.branch}`);
  const dropped = tip && (await droppedBase(git, base, tip, () => startedBases(layout)));
  return dropped ? `${base.name} was rewritten since it began` : undefined;
}

/** What bringing the base in needs to know of this home. */
export function bringOptions(layout: Layout, run: string, sign: boolean): BringOptions {
  let known: Ledger | undefined;
  return {
    run,
    sign,
    isVerified(fix) {
      known ??= readLedger(layout).ledger;
      const outcome = patchIn(known, fix)?.outcome;
      // What commands accepted an item with counts, though stages have yet to say how they stand with it.
      return outcome === 'verified' || (outcome === 'holds' && itemNumber(fix.stage) !== undefined);
    },
    earlierBases: () => startedBases(layout),
  };
}

/** With `retry_failed` off, or no retries allowed, a stage that was found failed stops the run before anything starts. */
function refuseFailed(stages: readonly string[], { stages: records }: StageState): void {
  const failed = stages.filter((name) => records[name]?.status === 'failed');
  if (failed.length === 0) return;
  const problems = failed.map((name) => `${name}: ${records[name]?.reason ?? 'failed'}`);
  fail('E_FOUND_FAILED', { command: `mendloop retry ${failed.join(' ')}` }, problems);
}

/** What is needed and not asked for must stand; a person says whether it is to be made again. */
function refuseStaleNeeds(
  selection: Selection,
  stages: readonly string[],
  requested: readonly string[],
  stale: readonly StaleStage[],
): void {
  const unmet = stale.filter(({ stage }) => requested.includes(stage) && !stages.includes(stage));
  if (unmet.length === 0) return;
  const problems = unmet.map(({ stage, why }) => `${stage} no longer stands: ${why}`);
  fail('E_NEEDS_UNMET', { stages: stages.join(', '), command: withNeedsCommand(selection, stages) }, problems);
}

/** A run that goes on keeps the commit it began with; whoever has mended something since should know. */
export function movedNotice(base: Pick<Base, 'name' | 'commit'>): string {
  const commit = base.commit.slice(0, 12);
  return `${base.name} moved since this run began; it goes on from ${commit} (to start anew from ${base.name}: mendloop abandon)`;
}

function newHead(request: RunRequest, config: Configuration, stages: string[], base: Base, now: number): RunHead {
  const longest = config.loop.limits.run_minutes * 60_000;
  const toDeadline = request.deadline === undefined ? longest : request.deadline - now;
  if (toDeadline <= 0) fail('E_DEADLINE_PASSED', { deadline: new Date(request.deadline ?? now).toISOString() });
  const limits = { timeout_ms: Math.min(longest, toDeadline), deadline_ms: request.deadline ?? null };
  const { name, branch, commit, firstRun } = base;
  const from = { name, branch, commit, firstRun };
  return { strict_shell: true, execution_id: randomUUID(), asked: askedText(request), stages, base: from, ...limits };
}

const STRICTER = 'since 0.1.0 a text runs under bash -e, and a command with pipefail: any part that fails ends these';

/** Said by the first run of this version: its own start says that it has been. */
function newlyStricter({ latest }: LoadedStages, { map }: Configuration): string[] {
  const first = latest?.events[0];
  if (first?.type !== 'run.started' || first.data.strict_shell) return [];
  return stricterCommands(map).map(({ where }) => where);
}

const MAX_LISTED = 5;

/** The first few, and how many more. */
export function shortList(items: readonly string[]): string {
  const more = items.length - MAX_LISTED;
  return `${items.slice(0, MAX_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
