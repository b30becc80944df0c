// Before the first stage: the run that was cut off, base, configuration, backend, worktree, journal, put together as a Run.
import { randomUUID } from 'node:crypto';
import { type Reached, reachBackend } from '../backend/open.ts';
import { fail } from '../errors.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { type JournalOptions, openJournal } from '../journal/journal.ts';
import { type LoadedStages, loadStages } from '../journal/load-stages.ts';
import { openMask } from '../journal/mask.ts';
import { nextId } from '../journal/runs.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { withNeeds } from '../plan/compile.ts';
import { stepNames } from '../plan/matrix.ts';
import { openBarrier } from '../stage/barrier.ts';
import type { Configuration } from '../stage/configuration.ts';
import { keepToLab } from '../stage/one-lab.ts';
import { pluginsAt } from '../stage/own-plugins.ts';
import type { Run, RunPorts } from '../stage/run.ts';
import { runTree } from '../stage/run-tree.ts';
import { remadeEvents } from '../stage/stale.ts';
import type { Base } from '../worktree/base.ts';
import { type AttachedTree, attachWorktree } from '../worktree/open.ts';
import { notCarried, terraformState, uncommitted } from '../worktree/read.ts';
import { closeOpenRun, type Elsewhere, endLeft, markCutOff, takeOverJobs } from './close-run.ts';
import { readBase } from './read-base.ts';
import { isConflict, recordRefusal } from './refusal.ts';
import { began, type OpenRun, type RunHead } from './resume.ts';
import { askedText, type RunRequest, refuseFailed, selectStages } from './select.ts';
import { movedNotice, shortList } from './start-notices.ts';

export interface Prepared {
  run: Run;
  head: RunHead;
  /** The cut-off run that this one goes on with. */
  open: OpenRun | undefined;
  /** Where the AI branch is as it was left. */
  worktree: AttachedTree;
  /** The run before this one. */
  latest: LoadedStages['latest'];
  notices: string[];
  backend: Reached;
  elsewhere: Elsewhere;
}

/** Everything a run needs, or a MendError; the lock must be held. A cut-off run is closed only when all else is sound. */
export async function prepare(request: RunRequest, objects: GitObjects, ports: RunPorts): Promise<Prepared> {
  const { home } = request;
  const { clock, subscribers, env } = ports;
  const now = clock.now();
  const layout = layoutOf(home);
  const loaded = loadStages(layout);
  // Begun early, because it takes as long as the checkout is large; problems of the base are reported first.
  const checkout = Promise.all([terraformState(home), uncommitted(home)]);
  checkout.catch(() => {});
  const read = await readBase(request, objects, loaded, now);
  const { open, whyClosed, base, config } = read;
  const plugins = await pluginsAt(layout, base.commit, config.loop, objects);
  const head = open?.head ?? newHead(request, config, loaded.state, base, now);
  const lab = request.lab ?? config.loop.lab;
  keepToLab(layout, lab);
  const [states, notIncluded] = await checkout;
  const uncarried = notCarried(states, config.map.carry);
  if (uncarried.length > 0) fail('E_STATE_UNCARRIED', {}, uncarried);
  const requested = withNeeds(config.map, head.stages);
  const id = open?.run ?? nextId(layout, now, head.execution_id, loaded.state.as_of.run);
  const backend = await reachBackend({
    ...ports,
    layout,
    run: id,
    plugins,
    config,
    stages: requested,
    steps: stepsToDo(requested, config, loaded.state),
    workers: request.workers,
    yes: request.yes === true,
  });
  const closePorts = { layout, ...ports };
  const ended = await endLeft(loaded, closePorts);
  if (open && (await markCutOff(layout, open.events))) {
    await closeOpenRun(loaded, 'a stage may have committed before it was cut off', closePorts);
    const anew = await prepare(request, objects, ports);
    return { ...anew, notices: [...ended, ...anew.notices] };
  }
  const elsewhere = await takeOverJobs(open, backend.name, closePorts);
  const closed = whyClosed === undefined ? undefined : await closeOpenRun(loaded, whyClosed, closePorts);
  const mask = openMask(home, config, env, (await objects.files(base.commit)).keys());
  const forced = new Set(request.forced ? request.stages : []);
  const starting: Omit<Run, 'journal' | 'tree'> = {
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
  const journalOptions = { run: id, layout, stages: loaded.state, steps, subscribers, clock, mask };
  const inUse = elsewhere.followed.size > 0;
  const { carry } = config.map;
  const worktree = await attachWorktree(home, base, { objects, carry, inUse, isSettled: true }).catch(async (error) => {
    if (!isConflict(error)) throw error;
    const journal = openJournal(journalOptions);
    try {
      journal.append(began(lab, request, head, journal.steps, open !== undefined));
      await recordRefusal({ ...starting, journal }, base, error, loaded.latest?.events);
    } finally {
      journal.close();
    }
    throw error;
  });
  const tree = runTree(worktree, layout);
  const behindGreen: JournalOptions['behindGreen'] = (made) =>
    remadeEvents(config.map, journal.stages, journal.failures.trial, made, tree.head);
  const journal = openJournal({ ...journalOptions, behindGreen });
  const run: Run = { ...starting, journal, tree };
  const notices = [
    ...loaded.notices,
    ...ended,
    closed && `run ${closed} was cut off and is closed: ${whyClosed}`,
    read.isMoved && movedNotice(base),
    ...worktree.notices,
    ...read.settings,
    read.missed,
    notIncluded.length > 0 && `not committed, so not included: ${shortList(notIncluded)}`,
    ...journal.notices,
  ].filter((notice) => typeof notice === 'string');
  return { run, head, open, worktree, latest: loaded.latest, notices, backend, elsewhere };
}

/** How many steps of these stages are not green. */
const stepsToDo = (stages: readonly string[], { map }: Configuration, state: StageState): number =>
  stages
    .flatMap((name) => stepNames(name, map.stages[name]))
    .filter((step) => recordOf(state, step)?.status !== 'green').length;

function newHead(request: RunRequest, config: Configuration, state: StageState, base: Base, now: number): RunHead {
  const stages = selectStages(config.map, request, state);
  const { retry_failed, limits } = config.loop;
  const longest = limits.run_minutes * 60_000;
  const toDeadline = request.deadline === undefined ? longest : request.deadline - now;
  if (toDeadline <= 0) fail('E_DEADLINE_PASSED', { deadline: new Date(request.deadline ?? now).toISOString() });
  const times = { timeout_ms: Math.min(longest, toDeadline), deadline_ms: request.deadline ?? null };
  if (!request.forced && !(retry_failed && limits.max_compute_retries > 0)) refuseFailed(stages, state);
  const { name, branch, commit, firstRun } = base;
  const from = { name, branch, commit, firstRun };
  return { execution_id: randomUUID(), asked: askedText(request), stages, base: from, ...times };
}
