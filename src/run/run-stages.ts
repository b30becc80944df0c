// One run, top to bottom: lock, prepare, record, drive, result.
import type { Happening, LoopEvent } from '../events.ts';
import { openObjects } from '../io/git-objects.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { holdLock } from '../io/lock.ts';
import { ownFolder, requireWritable } from '../io/store.ts';
import { openJournal } from '../journal/event-file.ts';
import { openRecorder, type Recorder } from '../journal/journal.ts';
import { type LedgerStore, type MaskData, openLedger } from '../journal/ledger-file.ts';
import { executionEnded, writeRunFile } from '../journal/run-file.ts';
import { listRuns, newRunId } from '../journal/runs.ts';
import type { StageState } from '../journal/stages.ts';
import { compilePlan, STAGE_ACTION, stepId } from '../plan/compile.ts';
import type { PlanResult } from '../plan/contract.ts';
import { cellsOf, stepNameOf } from '../plan/matrix.ts';
import { stageAction } from '../stage/stage-action.ts';
import type { Lab } from '../stage/stage-env.ts';
import { stageTree } from '../stage/stage-tree.ts';
import { createExecutor, type EarlierFacts } from './execute.ts';
import { exitCode, needsHuman } from './exit-code.ts';
import { openMending } from './open-mending.ts';
import { type Prepared, prepare } from './prepare.ts';
import type { RunPorts, RunRequest } from './request.ts';
import type { OpenRun } from './resume.ts';
import { cutOffHappenings } from './resume.ts';

export interface RunReport {
  run: string;
  exit: number;
  lab: Lab;
  result: PlanResult;
  stages: StageState;
}

/** Runs what was asked for to its end. Throws MendError when it could not begin, or when the disk refused. */
export async function runStages(request: RunRequest, ports: RunPorts): Promise<RunReport> {
  const layout = layoutOf(request.home);
  requireWritable(layout.state);
  const lock = holdLock(layout, request.command);
  const objects = openObjects(request.home);
  try {
    for (const folder of [layout.logs, layout.patches]) ownFolder(folder);
    const prepared = await prepare(request, layout, objects, ports);
    prepared.notices.unshift(...lock.notices);
    return await perform(prepared, request, ports);
  } finally {
    objects.close();
    lock.release();
  }
}

async function perform(prepared: Prepared, request: RunRequest, ports: RunPorts): Promise<RunReport> {
  const { layout, open, head, lab } = prepared;
  const run = open?.run ?? newRunId(ports.clock.now(), head.execution_id, listRuns(layout));
  let human = false;
  const watchHuman = (event: LoopEvent) => {
    human ||= needsHuman(event);
  };
  const { maskedData } = await import('../mend/mask.ts');
  const mask = <T extends object>(data: T): T => maskedData(data, prepared.mask);
  const ledger = openLedger(layout, ports.clock, mask);
  prepared.notices.push(...ledger.notices);
  const watching = { ...ports, subscribers: [watchHuman, ...ports.subscribers] };
  const recorder = startRecorder(prepared, run, watching, mask);
  try {
    recorder.record(...opening(prepared, request));
    recorder.catchUp();
    const result = await execute(prepared, request, { recorder, ledger }, ports);
    const interrupted = ports.signal.aborted;
    const exit = exitCode({ result, requested: head.stages, state: recorder.stages, human, interrupted });
    const { status, duration_ms, error } = result;
    recorder.record({ type: 'run.ended', status, data: { exit, lab, duration_ms, error } });
    const ended = new Date(ports.clock.now()).toISOString();
    const { execution_id, asked } = head;
    writeRunFile(layout, { version: 1, run, execution_id, asked, lab, ended, exit, result: { ...result } });
    return { run, exit, lab, result, stages: recorder.stages };
  } finally {
    recorder.close();
    ledger.close();
  }
}

function startRecorder(prepared: Prepared, run: string, ports: RunPorts, mask: MaskData): Recorder {
  const { layout, loaded, config, head } = prepared;
  const { journal, events, quarantined } = openJournal(layout.journal(run));
  if (quarantined) prepared.notices.push(`the journal of this run was corrupt: kept as ${quarantined}`);
  const steps = new Map(
    head.stages.map((name) => {
      const stage = config.map.stages[name];
      return [name, stage ? cellsOf(stage).map((cell) => stepNameOf(name, cell)) : []];
    }),
  );
  const { subscribers, clock } = ports;
  return openRecorder({
    ...{ run, layout, journal, earlier: events, stages: loaded.state, steps, subscribers, clock, mask },
  });
}

function opening({ open, head, worktree, lab, notices }: Prepared, request: RunRequest): Happening[] {
  const options = { lab, recheck: request.recheck, workers: request.workers };
  const { branch, head: commit, base, merged } = worktree;
  return [
    open
      ? { type: 'run.resumed', data: { ...options, asked: head.asked, stages: head.stages, done: doneBefore(open) } }
      : { type: 'run.started', data: { ...head, ...options } },
    ...(open ? cutOffHappenings(open.earlier) : []),
    { type: 'tree.opened', data: { branch, commit, base: base.name, ...(merged ? { merged } : {}) } },
    ...notices.map((text): Happening => ({ type: 'notice', data: { text } })),
  ];
}

const doneBefore = (open: OpenRun): string[] => [...open.earlier.states.keys()];

async function execute(
  prepared: Prepared,
  request: RunRequest,
  { recorder, ledger }: { recorder: Recorder; ledger: LedgerStore },
  ports: RunPorts,
): Promise<PlanResult> {
  const { layout, config, worktree, lab, head, open } = prepared;
  const { clock, signal, graceMs, env: inherited, labTools } = ports;
  const run = recorder.run;
  const spentMs = open?.earlier.spentMs ?? 0;
  const startedAt = clock.now() - spentMs;
  const deadline = request.deadline ?? head.deadline_ms ?? startedAt + head.timeout_ms;
  const timeoutMs = Math.max(1, Math.min(head.timeout_ms, deadline - startedAt));
  const tree = stageTree(worktree, layout);
  const mending = await openMending(prepared, request, { recorder, ledger, tree }, ports);
  const action = stageAction({
    ...{ layout, root: worktree.path, lab, labTools, inherited, run, clock, graceMs, tree },
    map: config.map,
    stages: recorder.stages,
    record: mending.record,
    attempt: mending.attempt,
    recheck: request.recheck,
    forced: new Set(request.forced ? request.stages : []),
  });
  const executor = createExecutor({
    mender: mending.mender,
    actions: new Map([[STAGE_ACTION, action]]),
    workers: request.workers ?? config.loop.workers,
    maxSteps: config.loop.limits.max_steps,
    maxAttempts: config.loop.limits.stage_attempts,
    record: recorder.record,
    finished: (id) => executionEnded(layout, id),
    ...{ clock, signal, earlier: earlierById(prepared, run) },
  });
  const plan = compilePlan({ run, map: config.map, stages: head.stages, createdAt: startedAt, timeoutMs });
  try {
    const result = await executor.execute(plan, {
      plan,
      execution_id: head.execution_id,
      started_at: startedAt,
      deadline_ms: deadline,
      environment: {},
    });
    await mending.finish(head.stages.filter((name) => recorder.stages.stages[name]?.status === 'green'));
    return result;
  } finally {
    await mending.hush();
  }
}

/** What the journal tells by step name, by the ids of the plan. */
function earlierById({ open }: Prepared, run: string): EarlierFacts {
  const byId = <T>(facts: ReadonlyMap<string, T> | undefined) =>
    new Map([...(facts ?? [])].map(([step, value]) => [stepId(run, step), value]));
  return {
    states: byId(open?.earlier.states),
    attempts: byId(open?.earlier.attempts),
    waits: byId(open?.earlier.waits),
    spentMs: open?.earlier.spentMs ?? 0,
  };
}
