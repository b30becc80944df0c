// Before the first stage: what was cut off, base, configuration, worktree, and what a person should know beforehand.
import { randomUUID } from 'node:crypto';
import { fail } from '../errors.ts';
import type { GitObjects } from '../io/git-objects.ts';
import type { Layout } from '../io/layout.ts';
import { type LoadedStages, loadStages } from '../journal/load-stages.ts';
import type { StageState } from '../journal/stages.ts';
import type { Mask } from '../mend/mask.ts';
import type { Plugins } from '../plugin/load.ts';
import { baseOf, type Configuration, configurationAt } from '../stage/configuration.ts';
import { missingTools } from '../stage/requires.ts';
import { type Lab, stagePath } from '../stage/stage-env.ts';
import type { Base } from '../worktree/base.ts';
import { openWorktree } from '../worktree/open.ts';
import { notCarried, terraformState, uncommitted } from '../worktree/read.ts';
import type { Worktree } from '../worktree/tree.ts';
import { pluginsAt } from './own-plugins.ts';
import type { RunPorts, RunRequest } from './request.ts';
import { closeOpenRun, cutOffRun, endCutOff, type OpenRun, type RunHead } from './resume.ts';
import { keepToLab } from './same-lab.ts';
import { askedText, selectStages } from './select.ts';

export interface Prepared {
  layout: Layout;
  loaded: LoadedStages;
  /** The cut-off run that this one goes on with. */
  open: OpenRun | undefined;
  head: RunHead;
  config: Configuration;
  worktree: Worktree;
  lab: Lab;
  plugins: Plugins;
  notices: string[];
  mask: Mask;
}

/** Everything a run needs, or a MendError; the lock must be held. A run that was cut off is closed only when all else is sound. */
export async function prepare(
  request: RunRequest,
  layout: Layout,
  objects: GitObjects,
  ports: RunPorts,
): Promise<Prepared> {
  const { home } = request;
  const loaded = loadStages(layout);
  const now = ports.clock.now();
  const cutOff = cutOffRun(loaded, askedText(request), now);
  const open = cutOff?.resume ? cutOff : undefined;
  // Begun now, for it takes as long as the checkout is large; what is wrong with the base is said first.
  const beside = Promise.all([terraformState(home), uncommitted(home)]);
  beside.catch(() => {});
  const current = await baseOf(home, objects);
  // The names are masked in the journal when they hold a secret; they cannot have changed meanwhile.
  const base = open ? { ...current, ...open.head.base, name: current.name, branch: current.branch } : current;
  const config = await configurationAt(home, base.commit, base.name, objects);
  const [plugins, { openMask, shortSecrets }] = await Promise.all([
    pluginsAt(layout, base.commit, config.loop, objects),
    import('../mend/mask.ts'),
  ]);
  const stages = open?.head.stages ?? selectStages(config.map, request, loaded.state);
  const head = open?.head ?? newHead(request, config, stages, base, now);
  if (!open && !request.forced && !config.loop.retry_failed) refuseFailed(stages, loaded.state);
  const lab = request.lab ?? config.loop.lab;
  keepToLab(layout, lab);
  const [states, notIncluded] = await beside;
  const uncarried = notCarried(states, config.map.carry);
  if (uncarried.length > 0) fail('E_STATE_UNCARRIED', {}, uncarried);
  if (open) await endCutOff(open, { layout, ...ports });
  else if (cutOff) await closeOpenRun(loaded, cutOff.why, { layout, ...ports });
  const worktree = await openWorktree(home, base, {
    objects,
    carry: config.map.carry,
    merge: !open,
    sign: config.loop.git.sign,
  });
  const path = stagePath({ inherited: ports.env, lab, labTools: ports.labTools });
  const notices = [
    ...loaded.notices,
    ...(cutOff && !open ? [`run ${cutOff.run} was cut off and is closed: ${cutOff.why}`] : []),
    ...(open && current.commit !== base.commit ? [movedNotice(base)] : []),
    ...worktree.notices,
    ...(notIncluded.length > 0 ? [`not committed, so not included: ${shortList(notIncluded)}`] : []),
    ...missingTools(
      stages.map((name) => config.map.stages[name]),
      path,
    ),
  ];
  const mask = openMask(home, config, ports.env);
  const short = shortSecrets(home, config);
  if (short.length > 0)
    notices.push(`too short to be masked in what a model is told: ${shortList(short)} (mendloop doctor)`);
  return { layout, loaded, open, head, config, worktree, lab, plugins, notices, mask };
}

/** With `retry_failed` off a stage that was found failed stops the run before anything starts. */
function refuseFailed(stages: readonly string[], { stages: records }: StageState): void {
  const failed = stages.filter((name) => records[name]?.status === 'failed');
  if (failed.length === 0) return;
  const problems = failed.map((name) => `${name}: ${records[name]?.reason ?? 'failed'}`);
  fail('E_FOUND_FAILED', { command: `mendloop retry ${failed.join(' ')}` }, problems);
}

/** A run that goes on keeps the commit it began with; whoever has mended something since should know. */
export function movedNotice(base: Base): string {
  const commit = base.commit.slice(0, 12);
  return `${base.name} moved since this run began; it goes on from ${commit} (to start anew from ${base.name}: mendloop abandon)`;
}

function newHead(request: RunRequest, config: Configuration, stages: string[], base: Base, now: number): RunHead {
  const longest = config.loop.limits.run_minutes * 60_000;
  const toDeadline = request.deadline === undefined ? longest : request.deadline - now;
  if (toDeadline <= 0) fail('E_DEADLINE_PASSED', { deadline: new Date(request.deadline ?? now).toISOString() });
  return {
    execution_id: randomUUID(),
    asked: askedText(request),
    stages,
    base,
    timeout_ms: Math.min(longest, toDeadline),
    deadline_ms: request.deadline ?? null,
  };
}

const SHOWN = 5;

function shortList(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return `${items.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
