// Before the first stage: what was cut off, base, configuration, worktree, and what a person should know beforehand.
import { randomUUID } from 'node:crypto';
import { fail } from '../errors.ts';
import type { Layout } from '../io/layout.ts';
import { missingTools } from '../stage/requires.ts';
import { type Lab, stagePath } from '../stage/stage-env.ts';
import { openWorktree } from '../worktree/open.ts';
import { uncarriedState, uncommitted } from '../worktree/read.ts';
import type { Worktree } from '../worktree/tree.ts';
import { baseOf, type Configuration, configurationAt } from './configuration.ts';
import type { RunPorts, RunRequest } from './request.ts';
import { type OpenRun, type RunHead, settleOpenRun } from './resume.ts';
import { keepToLab } from './same-lab.ts';
import { askedText, selectStages } from './select.ts';
import { type LoadedStages, loadStages } from './stage-store.ts';

export interface Prepared {
  layout: Layout;
  loaded: LoadedStages;
  /** The cut-off run that this one goes on with. */
  open: OpenRun | undefined;
  head: RunHead;
  config: Configuration;
  worktree: Worktree;
  lab: Lab;
  notices: string[];
}

/** Everything a run needs, or a MendError; the lock must be held. */
export async function prepare(request: RunRequest, layout: Layout, ports: RunPorts): Promise<Prepared> {
  const { home } = request;
  const loaded = loadStages(layout);
  const open = await settleOpenRun(loaded, askedText(request), { layout, ...ports });
  const base = open?.head.base ?? (await baseOf(home));
  const config = await configurationAt(home, base.commit, base.name);
  const stages = open?.head.stages ?? selectStages(config.map, request, loaded.state);
  const lab = request.lab ?? config.loop.lab;
  keepToLab(layout, lab);
  const [uncarried, notIncluded] = await Promise.all([uncarriedState(home, config.map.carry), uncommitted(home)]);
  if (uncarried.length > 0) fail('E_STATE_UNCARRIED', {}, uncarried);
  const worktree = await openWorktree(home, base, { carry: config.map.carry, merge: !open });
  const head = open?.head ?? newHead(request, config, stages, worktree, ports.clock.now());
  const notices = [
    ...loaded.notices,
    ...worktree.notices,
    ...(notIncluded.length > 0 ? [`not committed, so not included: ${shortList(notIncluded)}`] : []),
    ...missingTools(
      stages.map((name) => config.map.stages[name]),
      stagePath({ inherited: ports.env, lab, labTools: ports.labTools }),
    ),
  ];
  return { layout, loaded, open, head, config, worktree, lab, notices };
}

function newHead(
  request: RunRequest,
  config: Configuration,
  stages: string[],
  worktree: Worktree,
  now: number,
): RunHead {
  const longest = config.loop.limits.run_minutes * 60_000;
  const toDeadline = request.deadline === undefined ? longest : request.deadline - now;
  if (toDeadline <= 0) fail('E_DEADLINE_PASSED', { deadline: new Date(request.deadline ?? now).toISOString() });
  return {
    execution_id: randomUUID(),
    asked: askedText(request),
    stages,
    base: worktree.base,
    timeout_ms: Math.min(longest, toDeadline),
    deadline_ms: request.deadline ?? null,
  };
}

const SHOWN = 5;

function shortList(items: readonly string[]): string {
  const more = items.length - SHOWN;
  return `${items.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
