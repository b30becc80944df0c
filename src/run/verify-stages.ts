// Only the checks of stages, for a person who wants to know whether they still hold.
import type { ContextMap, Stage } from '../config/context-map.ts';
import { durationText } from '../config/duration.ts';
import type { NewEvent } from '../events.ts';
import { beginsChecks } from '../failure/grade.ts';
import { readTail } from '../io/files.ts';
import { withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { stopAfter } from '../io/signals.ts';
import { ownFolder } from '../io/store.ts';
import { recordAction } from '../journal/journal.ts';
import { loadStages, openRun } from '../journal/load-stages.ts';
import { nextId } from '../journal/runs.ts';
import { recordOf, type StageState, type StepRecord } from '../journal/stages.ts';
import { cellNames, cellsOf, stepNameOf, stepNames } from '../plan/matrix.ts';
import { Stop } from '../plan/stop.ts';
import { hasChecks } from '../stage/checks.ts';
import { configurationNow } from '../stage/configuration.ts';
import { keepToLab } from '../stage/one-lab.ts';
import { type RunPorts, type StageRun, singleRun } from '../stage/run.ts';
import { runTree } from '../stage/run-tree.ts';
import { lookAtChecks } from '../stage/stage-action.ts';
import { openWorktree } from '../worktree/open.ts';
import { endLeft, stepsElsewhere } from './close-run.ts';
import { withLockForWork } from './lock-for-work.ts';
import { namedStages, type RunRequest, type Selection } from './select.ts';

export interface Verification {
  step: string;
  problems: string[];
  /** The last lines of checks that do not hold. */
  last_lines: string[];
  log: string;
  /** False where there is nothing to check. */
  checked: boolean;
  /** The cut-off run that this could not be recorded beside. */
  unrecorded?: string;
}

type Target = ReturnType<typeof stepsToVerify>[number];

/**
 * Runs `verify` of the named stages, or of all green ones. Calls `report` as each ends. A green stage whose checks do not hold is
 * to do from then on, until they do; but a cut-off run has the last word on its stages, and nothing is recorded beside it. Returns
 * the stages that were not asked for by name and are not green, and what it ended that a dead run had left running.
 */
export async function verifyStages(
  request: RunRequest,
  ports: RunPorts,
  report: (verification: Verification) => void,
): Promise<{ left: NotChecked[]; notices: string[] }> {
  const { home } = request;
  const layout = layoutOf(home);
  const work = (earlier: readonly string[]) =>
    withObjects(home, async (objects) => {
      ownFolder(layout.logs);
      const loaded = loadStages(layout);
      const notices = [...earlier, ...(await endLeft(loaded, { layout, ...ports }))];
      const { base, config } = await configurationNow(home, objects);
      const lab = request.lab ?? config.loop.lab;
      keepToLab(layout, lab);
      const open = openRun(loaded);
      const inUse = stepsElsewhere(open?.events).size > 0;
      const worktree = await openWorktree(home, base, { objects, carry: config.map.carry, inUse });
      const id = nextId(layout, ports.clock.now(), '0000', loaded.state.as_of.run);
      const given = { ...ports, id, layout, config, tree: runTree(worktree, layout), lab };
      const run = singleRun(given, loaded.state, () => {});
      const { state } = loaded;
      const targets = stepsToVerify(config.map, request, state);
      const left = request.stages.length > 0 ? [] : notChecked(config.map, targets, state);
      for (const target of targets) {
        const verification = ports.signal.aborted ? undefined : await verifyStep(target, run, ports.signal);
        if (!verification) continue;
        const events = changedState(target, verification, state, run.tree.head);
        if (!open) recordAction({ layout, stages: state, clock: ports.clock }, ...events);
        report({ ...verification, ...(open && events.length > 0 && { unrecorded: open.run }) });
      }
      return { left, notices };
    });
  return withLockForWork(layout, ports.clock, request.command, work);
}

/** Undefined when it was stopped. */
async function verifyStep(target: Target, run: StageRun, stop: AbortSignal): Promise<Verification | undefined> {
  const { name, step, cell, stage } = target;
  const limit = stopAfter(stage.timeout, () => new Stop('STEP_TIMEOUT', `ran past ${durationText(stage.timeout)}`));
  const signal = AbortSignal.any([stop, limit.signal]);
  const look = lookAtChecks({ payload: { stage: name, step, cell }, attempt: 0, signal }, run).finally(limit.cancel);
  const { problems, refused, halt, log, logPath } = await look;
  if (stop.aborted) return undefined;
  if (refused) throw refused;
  if (halt) problems.push(halt.message);
  const last_lines = problems.length > 0 ? lastLines(log) : [];
  return { step, problems, last_lines, log: logPath, checked: hasChecks(stage) };
}

/** What a look at the checks changes: a green step whose checks do not hold is to do, one that is to do for that alone is green again. */
function changedState(
  { name, stage, step }: Target,
  seen: Verification,
  state: StageState,
  commit: string,
): NewEvent[] {
  const record = recordOf(state, step);
  if (seen.problems.length > 0) {
    const why = `its checks did not hold: ${seen.log}`;
    const event: NewEvent = {
      type: 'stage.stale',
      stage: name,
      step,
      status: 'idle',
      data: { why, commit, drift: true },
    };
    return record?.status === 'green' ? [event] : [];
  }
  if (record?.status !== 'idle' || !record.stale?.drift) return [];
  const fresh: NewEvent = { type: 'step.fresh', stage: name, step, status: 'green', data: {} };
  const isLast = stepNames(name, stage).every((other) => other === step || recordOf(state, other)?.status === 'green');
  return [fresh, ...(isLast ? [{ type: 'stage.green', stage: name, status: 'green', data: {} } as const] : [])];
}

/** A stage, or cells of it, whose checks are not run because it is not green, and how it stands. */
export interface NotChecked {
  name: string;
  why: string;
}

function notChecked(map: ContextMap, targets: readonly Target[], state: StageState): NotChecked[] {
  const verified = new Set(targets.map(({ step }) => step));
  return Object.entries(map.stages).flatMap(([name, stage]) => {
    const left = stepNames(name, stage).filter((step) => !verified.has(step));
    const reasons = [...new Set(left.map((step) => standing(recordOf(state, step))))];
    return reasons.map((why) => {
      const alike = left.filter((step) => standing(recordOf(state, step)) === why);
      return { name: alike.length === 1 ? (alike[0] as string) : `${name} on ${cellNames(alike)}`, why };
    });
  });
}

const NOT_GREEN: Readonly<Record<string, string>> = {
  running: 'was cut off',
  skipped: 'was skipped',
  give_up: 'was given up',
};

/** How a step that is not green stands, while no run is at work. */
function standing(record: StepRecord | undefined): string {
  if (record?.status === 'idle' || !record) return record?.reason ?? (record?.last ? 'was stopped' : 'never run');
  return [NOT_GREEN[record.status] ?? record.status, ...(record.reason ? [record.reason] : [])].join(': ');
}

/** The last lines that checks printed, without ours. */
function lastLines(log: string): string[] {
  const lines = readTail(log, 4096)?.text.split('\n') ?? [];
  return lines.filter((line) => line.trim() !== '' && !beginsChecks(line)).slice(-3);
}

/** The named steps, or all that are green or would be if their checks had held. Throws MendError for an unknown name. */
export function stepsToVerify(map: ContextMap, { stages, commands }: Selection, state: StageState) {
  return namedStages(map, stages, commands).flatMap((name) => {
    const stage = map.stages[name] as Stage;
    const steps = cellsOf(stage).map((cell) => ({ name, stage, cell, step: stepNameOf(name, cell) }));
    return steps.filter(({ step }) => {
      const record = recordOf(state, step);
      return stages.length > 0 || record?.status === 'green' || record?.stale?.drift;
    });
  });
}
