// The checks of stages, and nothing else: for a person who wants to know whether it still holds.
import type { ContextMap, Stage } from '../config/context-map.ts';
import { formatDuration } from '../config/duration.ts';
import { openObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { holdLock } from '../io/lock.ts';
import { ownFolder, requireWritable } from '../io/store.ts';
import { loadStages } from '../journal/load-stages.ts';
import { newRunId } from '../journal/runs.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import { Stop } from '../plan/stop.ts';
import { configurationNow } from '../stage/configuration.ts';
import { openCall, type StageScope } from '../stage/stage-call.ts';
import { stageTree } from '../stage/stage-tree.ts';
import { openWorktree } from '../worktree/open.ts';
import type { RunPorts, RunRequest } from './request.ts';
import { cutOffRun, endCutOff } from './resume.ts';
import { keepToLab } from './same-lab.ts';
import { namedStages, type Selection } from './select.ts';
import { stopAfter } from './stop-after.ts';

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
  const objects = openObjects(request.home);
  try {
    ownFolder(layout.logs);
    const loaded = loadStages(layout);
    const { state } = loaded;
    const cutOff = cutOffRun(loaded, '', ports.clock.now());
    if (cutOff) await endCutOff(cutOff, { layout, ...ports });
    const { base, config } = await configurationNow(request.home, objects);
    const lab = request.lab ?? config.loop.lab;
    keepToLab(layout, lab);
    const worktree = await openWorktree(request.home, base, { objects, carry: config.map.carry, merge: false });
    const scope: StageScope = {
      ...{ layout, root: worktree.path, lab, labTools: ports.labTools },
      ...{ inherited: ports.env, clock: ports.clock, graceMs: ports.graceMs, stages: state, map: config.map },
      run: newRunId(ports.clock.now(), '0000', []),
      tree: stageTree(worktree, layout),
      record: () => {},
      ...{ recheck: true, forced: new Set<string>() },
      attempt: (work) => work(),
    };
    for (const { name, step, cell, stage } of stepsToVerify(config.map, request, state)) {
      if (ports.signal.aborted) return;
      const limit = stopAfter(stage.timeout, () => new Stop('STEP_TIMEOUT', `ran past ${stage.timeout} ms`));
      const signal = AbortSignal.any([ports.signal, limit.signal]);
      const { verify, log, logPath } = openCall(
        { payload: { stage: name, step, cell }, attempt: 0, signal },
        scope,
        'verify',
      );
      const problems = await verify().finally(() => {
        limit.cancel();
        log.close();
      });
      if (ports.signal.aborted) return;
      if (limit.signal.aborted) problems.push(`its checks ran past ${formatDuration(stage.timeout)}`);
      told({ step, problems, log: logPath });
    }
  } finally {
    objects.close();
    lock.release();
  }
}

/** The named steps, or all green ones. Throws MendError for an unknown name. */
export function stepsToVerify(map: ContextMap, { stages, commands }: Selection, state: StageState) {
  return namedStages(map, stages, commands).flatMap((name) => {
    const stage = map.stages[name] as Stage;
    const steps = cellsOf(stage).map((cell) => ({ name, stage, cell, step: stepNameOf(name, cell) }));
    return steps.filter(({ step }) => stages.length > 0 || recordOf(state, step)?.status === 'green');
  });
}
