// What a run would do, and why, for each step. Reads only.
import type { Stage } from '../config/context-map.ts';
import { withObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { runAtWork } from '../io/lock.ts';
import { loadStages } from '../journal/load-stages.ts';
import { recordOf, type StageState, type StepRecord, waitsForHuman } from '../journal/stages.ts';
import { compareInputs, stageInputs, type Tree } from '../plan/inputs.ts';
import { type Cell, cellsOf, stepNameOf } from '../plan/matrix.ts';
import { movedNotice } from '../run/prepare.ts';
import { cutOffRun } from '../run/resume.ts';
import { askedText, type Selection, selectStages } from '../run/select.ts';
import { baseOf, type Configuration, configurationAt } from '../stage/configuration.ts';
import { otherLab } from '../stage/one-lab.ts';
import { neededOutputs } from '../stage/outputs.ts';
import { branchState } from '../worktree/base.ts';

type PlanState = 'DONE' | 'IN_PROGRESS' | 'TODO' | 'FAILED';

interface PlanRow {
  step: string;
  stage: string;
  needs: readonly string[];
  state: PlanState;
  why: string;
}

export interface PlanView {
  base: string;
  commit: string;
  lab: string;
  rows: PlanRow[];
  notices: string[];
}

/** Throws MendError as a run would. */
export async function explainPlan(
  home: string,
  selection: Selection & { recheck: boolean; lab?: string | undefined },
): Promise<PlanView> {
  const layout = layoutOf(home);
  const current = await baseOf(home);
  const loaded = loadStages(layout, { look: true });
  const cutOff = cutOffRun(loaded, askedText(selection), Date.now());
  const open = cutOff?.resume ? cutOff : undefined;
  const base = open ? { ...current, commit: open.head.base.commit } : current;
  const config = await configurationAt(home, base.commit, base.name);
  const stages = open?.head.stages ?? selectStages(config.map, selection, loaded.state);
  const { commit, merges } = await branchState(home, base);
  const tree = await withObjects(home, (objects) => objects.files(commit));
  const scope = {
    config,
    tree,
    state: loaded.state,
    selection,
    atWork: runAtWork(layout) !== undefined,
  };
  const rows: PlanRow[] = [];
  for (const name of stages) {
    const stage = config.map.stages[name] as Stage;
    const outputs = await neededOutputs(config.map, stage, layout);
    const todo = new Set(rows.filter((r) => r.state !== 'DONE').map((r) => r.stage));
    for (const cell of cellsOf(stage)) {
      const step = stepNameOf(name, cell);
      const waitsFor = stage.needs.filter((n) => todo.has(n));
      const verdict = open?.state.done.has(step)
        ? { state: 'DONE' as const, why: 'green in the run that goes on' }
        : judge({ name, stage, cell, outputs, waitsFor }, scope);
      rows.push({ step, stage: name, needs: stage.needs, ...verdict });
    }
  }
  const lab = selection.lab ?? config.loop.lab;
  const other = otherLab(layout, lab);
  const notices = [
    ...loaded.notices,
    ...(other ? [`ai/state is from the ${other} lab; a run for the ${lab} one is refused (E_OTHER_LAB)`] : []),
    ...(open ? [`run ${open.run} ${scope.atWork ? 'is at work' : 'was cut off; the next start finishes it'}`] : []),
    ...(open && current.commit !== base.commit ? [movedNotice(base)] : []),
    ...(merges && !open ? [`${base.name} moved; a run merges it into ${base.branch} first`] : []),
  ];
  return { base: base.name, commit, lab, rows, notices };
}

interface Candidate {
  name: string;
  stage: Stage;
  cell: Cell;
  outputs: ReadonlyMap<string, string>;
  /** Needs that a run would work on first. */
  waitsFor: string[];
}

interface Scope {
  config: Configuration;
  tree: Tree;
  state: StageState;
  selection: Selection & { recheck: boolean };
  /** A run is at work. */
  atWork: boolean;
}

function judge(candidate: Candidate, scope: Scope): { state: PlanState; why: string } {
  const { name, stage, cell, outputs, waitsFor } = candidate;
  const record = recordOf(scope.state, stepNameOf(name, cell));
  if (scope.selection.forced && scope.selection.stages.includes(name))
    return { state: 'TODO', why: 'asked for by retry' };
  if (record?.status === 'give_up') {
    const same = compareInputs(record.inputs, stageInputs(stage, cell, scope.tree, outputs)).fresh;
    if (!same) return { state: 'TODO', why: 'given up, but its inputs changed' };
    return {
      state: 'FAILED',
      why: `given up: ${record.reason ?? ''}; it stays so until its checks hold, or: mendloop reset ${name}`,
    };
  }
  if (record?.status !== 'green') return notGreen(record, stage, scope);
  if (stage.always) return { state: 'TODO', why: 'always runs' };
  const fresh = compareInputs(record.inputs, stageInputs(stage, cell, scope.tree, outputs));
  if (!fresh.fresh) return { state: 'TODO', why: fresh.why };
  const publishes = waitsFor.filter((need) => Object.keys(scope.config.map.stages[need]?.outputs ?? {}).length > 0);
  if (publishes.length > 0)
    return { state: 'TODO', why: `green, but ${publishes.join(', ')} may publish something new` };
  return { state: 'DONE', why: scope.selection.recheck ? 'green; its checks are run again' : 'green' };
}

function notGreen(record: StepRecord | undefined, stage: Stage, scope: Scope): { state: PlanState; why: string } {
  const because = record?.reason ? `: ${record.reason}` : '';
  if (waitsForHuman(stage, record))
    return { state: 'FAILED', why: 'not run again by itself (rerun: false); use retry' };
  switch (record?.status) {
    case 'running':
      return scope.atWork ? { state: 'IN_PROGRESS', why: 'running now' } : { state: 'TODO', why: 'was cut off' };
    case 'failed':
      if (!scope.config.loop.retry_failed) return { state: 'FAILED', why: `failed${because}; retry_failed is off` };
      return { state: 'FAILED', why: `failed${because}; it is tried again` };
    case 'skipped':
      return { state: 'TODO', why: `was skipped${because}` };
    default:
      return { state: 'TODO', why: record?.last ? `was stopped${because}` : 'never run' };
  }
}
