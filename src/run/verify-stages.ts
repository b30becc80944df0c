// The checks of stages, and nothing else: for a person who wants to know whether it still holds.
import type { Stage } from '../config/context-map.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { newRunId } from '../io/runs.ts';
import { ownFolder, requireWritable } from '../io/store.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import { openCall, type StageScope } from '../stage/stage-call.ts';
import { recordOf } from '../stage/stage-state.ts';
import { stageTree } from '../stage/stage-tree.ts';
import { openWorktree } from '../worktree/open.ts';
import { baseOf, configurationAt } from './configuration.ts';
import { holdLock } from './hold-lock.ts';
import type { RunPorts, RunRequest } from './request.ts';
import { keepToLab } from './same-lab.ts';
import { namedStages } from './select.ts';
import { loadStages } from './stage-store.ts';

export interface Verification {
  step: string;
  problems: string[];
  log: string;
}

/** Runs `verify` of the named stages, or of all green ones; changes no stage's state. `told` hears of each as it ends. */
export async function verifyStages(
  request: RunRequest,
  ports: RunPorts,
  told: (verification: Verification) => void,
): Promise<void> {
  const layout = layoutOf(request.home);
  requireWritable(layout.state);
  const lock = holdLock(layout, request.command);
  try {
    ownFolder(layout.logs);
    const { state } = loadStages(layout);
    const base = await baseOf(request.home);
    const config = await configurationAt(request.home, base.commit, base.name);
    const lab = request.lab ?? config.loop.lab;
    keepToLab(layout, lab);
    const worktree = await openWorktree(request.home, base, { carry: config.map.carry, merge: false });
    const scope: StageScope = {
      ...{ layout, root: worktree.path, lab, labTools: ports.labTools },
      ...{ inherited: ports.env, clock: ports.clock, graceMs: ports.graceMs, stages: state, map: config.map },
      run: newRunId(ports.clock.now(), '0000', []),
      tree: stageTree(worktree, layout),
      record: () => {},
      ...{ recheck: true, forced: new Set<string>(), retryFailed: true },
    };
    for (const name of namedStages(config.map, request.stages, request.commands)) {
      const stage = config.map.stages[name] as Stage;
      for (const cell of cellsOf(stage)) {
        const step = stepNameOf(name, cell);
        if (request.stages.length === 0 && recordOf(state, step)?.status !== 'green') continue;
        const { verify, log, logPath } = openCall(
          { payload: { stage: name, step, cell }, attempt: 0, signal: ports.signal },
          scope,
          'verify',
        );
        told({ step, problems: await verify().finally(() => log.close()), log: logPath });
      }
    }
  } finally {
    lock.release();
  }
}
