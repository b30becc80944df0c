// The run before this one, when it was cut off: end what it left running, then take it up or close it.
import { fail, MendError } from '../errors.ts';
import type { Happening, Subscriber } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { openJournal, readJournal } from '../io/journal.ts';
import type { Layout } from '../io/layout.ts';
import { endLeftovers } from '../io/leftovers.ts';
import { runMarks, stepMarks } from '../stage/stage-env.ts';
import type { StageState } from '../stage/stage-state.ts';
import type { Base } from '../worktree/base.ts';
import { type Earlier, earlierFacts, takeUp } from './earlier.ts';
import { openRecorder } from './recorder.ts';
import { type LoadedStages, openRun } from './stage-store.ts';

/** What `run.started` keeps so that the run can be taken up: everything that decides it. */
export interface RunHead {
  execution_id: string;
  asked: string;
  stages: string[];
  base: Base;
  timeout_ms: number;
  deadline_ms: number | null;
}

/** What a run keeps of how it began, or undefined when there is no such run. */
export function runHead(layout: Layout, run: string): RunHead | undefined {
  const [first] = readJournal(layout.journal(run)).events;
  return first?.type === 'run.started' ? (first.data as unknown as RunHead) : undefined;
}

export interface OpenRun {
  run: string;
  head: RunHead;
  earlier: Earlier;
}

export interface ResumePorts {
  layout: Layout;
  clock: Clock;
  subscribers: readonly Subscriber[];
  graceMs: number;
}

/** The cut-off run to go on with, or undefined. Throws E_LEFTOVER when something of it may still run. */
export async function settleOpenRun(
  loaded: LoadedStages,
  asked: string,
  ports: ResumePorts,
): Promise<OpenRun | undefined> {
  const open = openRun(loaded);
  if (!open) return undefined;
  const head = open.events[0]?.data as unknown as RunHead;
  const earlier = earlierFacts(open.events);
  const decision = takeUp({ asked: head.asked, lastEventAt: earlier.lastEventAt }, asked, ports.clock.now());
  await endCutOff(open.run, earlier, ports);
  recordCutOff(open.run, earlier, loaded.state, ports, decision.resume ? [] : [abandoned(decision.why)]);
  return decision.resume ? { run: open.run, head, earlier } : undefined;
}

/**
 * Closes the cut-off run for good and returns its name; undefined when there is none. With a person's `word` that nothing
 * of it runs any more, what cannot be proven is believed; else it throws E_LEFTOVER.
 */
export async function closeOpenRun(
  loaded: LoadedStages,
  why: string,
  ports: ResumePorts,
  word = false,
): Promise<string | undefined> {
  const open = openRun(loaded);
  if (!open) return undefined;
  const earlier = earlierFacts(open.events);
  await endCutOff(open.run, earlier, ports).catch((error) => {
    if (!word || !(error instanceof MendError)) throw error;
  });
  recordCutOff(open.run, earlier, loaded.state, ports, [abandoned(why)]);
  return open.run;
}

const abandoned = (why: string): Happening => ({ type: 'run.ended', status: 'abandoned', data: { reason: why } });

async function endCutOff(run: string, earlier: Earlier, ports: ResumePorts): Promise<void> {
  for (const { step, leader } of earlier.cutOff) {
    const ended = await endLeftovers(leader, stepMarks(run, step), ports.graceMs, ports.clock);
    if (ended === 'unproven') fail('E_LEFTOVER', { step, pid: leader?.pid ?? 0, host: leader?.host ?? 'this host' });
  }
  // A look at a green step is no attempt, so no event tells of it.
  const rest = await endLeftovers(undefined, runMarks(run, ports.layout.home), ports.graceMs, ports.clock);
  if (rest === 'unproven') fail('E_LEFTOVER', { step: 'a check', pid: 0, host: 'this host' });
}

/** Records that what was cut off was interrupted, and whatever else is to be said. */
function recordCutOff(
  run: string,
  earlier: Earlier,
  stages: StageState,
  { layout, clock, subscribers }: ResumePorts,
  more: readonly Happening[],
): void {
  const happenings = [...earlier.cutOff.flatMap(interrupted), ...more];
  if (happenings.length === 0) return;
  const { journal, events } = openJournal(layout.journal(run));
  const recorder = openRecorder({
    run,
    layout,
    journal,
    earlier: events,
    stages,
    steps: new Map(),
    subscribers,
    clock,
  });
  recorder.record(...happenings);
  recorder.close();
}

function interrupted({ stage, step, attempt }: Earlier['cutOff'][number]): Happening[] {
  const reason = 'cut off: the process that ran it died';
  const end: Happening = { type: 'step.interrupted', stage, step, status: 'idle', data: { reason } };
  if (attempt === undefined) return [end];
  return [{ type: 'attempt.ended', stage, step, attempt, data: { outcome: 'interrupted' } }, end];
}
