// Before the first stage: the run that was cut off, base, configuration, backend, worktree, journal, put together as a Run.
import { randomUUID } from 'node:crypto';
import { type Reached, reachBackend } from '../backend/open.ts';
import { fail, MendError } from '../errors.ts';
import type { LoopEvent, NewEvent } from '../events.ts';
import type { GitObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { recordEnd } from '../journal/history.ts';
import { type JournalOptions, openJournal } from '../journal/journal.ts';
import { loadStages } from '../journal/load-stages.ts';
import { openMask } from '../journal/mask.ts';
import { nextId } from '../journal/runs.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { finishNotifying, type NotifyingRun, notify } from '../mend/notify.ts';
import { withNeeds } from '../plan/compile.ts';
import { stepNames } from '../plan/matrix.ts';
import type { StaleStage } from '../plan/stale.ts';
import { openBarrier } from '../stage/barrier.ts';
import { bringOptions } from '../stage/bring-options.ts';
import type { Configuration } from '../stage/configuration.ts';
import { keepToLab } from '../stage/one-lab.ts';
import { pluginsAt } from '../stage/own-plugins.ts';
import type { Lab, Run, RunPorts } from '../stage/run.ts';
import { runTree } from '../stage/run-tree.ts';
import { findStale, lostWork, remadeEvents } from '../stage/stale.ts';
import type { Base } from '../worktree/base.ts';
import { openWorktree } from '../worktree/open.ts';
import { notCarried, terraformState, uncommitted } from '../worktree/read.ts';
import type { Worktree } from '../worktree/tree.ts';
import { closeOpenRun, type Elsewhere, endLeft, markCutOff, takeOverJobs } from './close-run.ts';
import { readBase, type readStart } from './read-base.ts';
import type { OpenRun, RunHead } from './resume.ts';
import { askedText, type RunRequest, refuseFailed, refuseStaleNeeds, selectStages } from './select.ts';
import { configurationNotices, movedNotice, shortList } from './start-notices.ts';

export interface Prepared {
  run: Run;
  head: RunHead;
  /** The cut-off run that this one goes on with. */
  open: OpenRun | undefined;
  worktree: Worktree;
  /** What there is to say of carried paths that are not linked. */
  unlinked: string[];
  /** Tracked files that stages had changed and that are as at HEAD. */
  putBack: readonly string[];
  /** Green stages that no longer stand since the tree was last written. */
  stale: StaleStage[];
  notices: string[];
  backend: Reached;
  elsewhere: Elsewhere;
}

/** Everything a run needs, or a MendError; the lock must be held. A cut-off run is closed only when all else is sound. */
export async function prepare(
  request: RunRequest,
  objects: GitObjects,
  ports: RunPorts,
  start?: Awaited<ReturnType<typeof readStart>>,
): Promise<Prepared> {
  const { home } = request;
  const { clock, subscribers, env } = ports;
  const now = clock.now();
  const layout = layoutOf(home);
  const loaded = loadStages(layout);
  // Begun early, because it takes as long as the checkout is large; problems of the base are reported first.
  const checkout = Promise.all([terraformState(home), uncommitted(home)]);
  checkout.catch(() => {});
  const read = await readBase(request, objects, loaded, now, start);
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
  const { carry } = config.map;
  const merge = !open?.treeOpened && bringOptions(layout, id, config.loop.git.sign);
  const inUse = elsewhere.followed.size > 0;
  const worktree = await openWorktree(home, base, { objects, carry, merge, inUse, isSettled: true }).catch(
    async (error) => {
      if (isConflict(error)) {
        const run = { ...starting, journal: openJournal(journalOptions) };
        await recordConflict(run, base, began(lab, request, head, open), error, loaded.latest);
      }
      throw error;
    },
  );
  const tree = runTree(worktree, layout);
  const putBack = [...new Set([...worktree.putBack, ...lostWork(config.map, loaded.state, worktree.changed)])];
  const stale = await staleAtStart({ config, layout, tree }, loaded.state, head.stages, putBack, open !== undefined);
  if (!open) refuseStaleNeeds(request, head.stages, requested, stale);
  const lacking = await configurationNotices({ ...starting, tree }, head.stages);
  const behindGreen: JournalOptions['behindGreen'] = (made) =>
    remadeEvents(config.map, journal.stages, journal.ledger, made, tree.head);
  const journal = openJournal({ ...journalOptions, behindGreen });
  const run: Run = { ...starting, journal, tree };
  // The simulated lab needs no credentials.
  const unlinked = lab === 'simulated' ? [] : [...worktree.unlinked];
  const before = loaded.latest?.events.findLast((event) => event.type === 'tree.opened');
  const alreadyUnlinked = before?.data.unlinked ?? [];
  const notices = [
    ...loaded.notices,
    ...ended,
    closed && `run ${closed} was cut off and is closed: ${whyClosed}`,
    read.isMoved && movedNotice(base),
    ...worktree.notices,
    ...unlinked.filter((text) => !alreadyUnlinked.includes(text)),
    ...read.settings,
    read.missed,
    notIncluded.length > 0 && `not committed, so not included: ${shortList(notIncluded)}`,
    ...lacking,
    ...journal.notices,
  ].filter((notice) => typeof notice === 'string');
  return { run, head, open, worktree, unlinked, putBack, stale, notices, backend, elsewhere };
}

/** Green stages that no longer stand. A new run looks at the stages asked for anyway, unless they must be made again. */
async function staleAtStart(
  run: Parameters<typeof findStale>[0],
  state: StageState,
  stages: readonly string[],
  putBack: readonly string[],
  isResumed: boolean,
): Promise<StaleStage[]> {
  const isAll = Object.keys(run.config.map.stages).every((name) => stages.includes(name));
  if (isAll && !isResumed && putBack.length === 0) return [];
  const stale = await findStale(run, state, { putBack });
  return stale.filter(({ stage, remake }) => isResumed || remake || !stages.includes(stage));
}

const CONFLICTS: ReadonlySet<string> = new Set([
  'E_MERGE_CONFLICT',
  'E_BASE_REWRITTEN',
  'E_WORKTREE_IN_THE_WAY',
  'E_HEAD_MOVED',
]);

/** Whether a person has to settle something on the AI branch before a run can begin. */
const isConflict = (error: unknown): error is MendError => error instanceof MendError && CONFLICTS.has(error.code);

/**
 * Records a run that cannot begin because of the AI branch, from `began` to its end, and closes its journal. People are notified of
 * the same conflict once.
 */
async function recordConflict(
  run: NotifyingRun,
  base: Base,
  began: NewEvent,
  { code, exit, message, problems, next }: MendError,
  latest: { events: readonly LoopEvent[] } | undefined,
): Promise<void> {
  const { journal, layout, lab, id } = run;
  const data = { code, message, problems: [...problems], next, base: base.name, commit: base.commit };
  const isReported = latest?.events.some(
    (event) => event.type === 'tree.conflict' && event.data.next === next && event.data.commit === base.commit,
  );
  try {
    journal.append(began, { type: 'tree.conflict', data });
    const text = [message, ...problems.map((problem) => `- ${problem}`), `next: ${next}`].join('\n');
    const title =
      code === 'E_HEAD_MOVED' ? `${base.branch} is not as the loop left it` : `${base.name} cannot be brought in`;
    if (!isReported) notify(run, { reason: 'conflict', title, text });
    await finishNotifying(run);
    const error = { error_code: code, message };
    journal.append({ type: 'run.ended', status: 'failure', data: { exit, lab, error } });
  } finally {
    journal.close();
  }
  recordEnd(layout, id);
}

/** How many steps of these stages are not green. */
const stepsToDo = (stages: readonly string[], { map }: Configuration, state: StageState): number =>
  stages
    .flatMap((name) => stepNames(name, map.stages[name]))
    .filter((step) => recordOf(state, step)?.status !== 'green').length;

/** How a run's journal begins, or goes on. */
export function began(lab: Lab, request: RunRequest, head: RunHead, open: OpenRun | undefined): NewEvent {
  const options = { lab, recheck: request.recheck, workers: request.workers };
  if (!open) return { type: 'run.started', data: { ...head, ...options } };
  const { asked, stages } = head;
  return { type: 'run.resumed', data: { ...options, asked, stages, done: [...open.state.done] } };
}

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
