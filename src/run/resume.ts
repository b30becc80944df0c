// The run before this one, when it was cut off: end what it left running, then take it up or close it.
import { fail, MendError } from '../errors.ts';
import type { Happening, LoopEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { endLeftovers } from '../io/process-group.ts';
import { openJournal, readJournal } from '../journal/event-file.ts';
import { openRecorder } from '../journal/journal.ts';
import { type LoadedStages, openRun } from '../journal/load-stages.ts';
import { stepMarks } from '../stage/stage-env.ts';
import type { Base } from '../worktree/base.ts';
import { type Earlier, earlierFacts, takeUp } from './earlier.ts';

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
  graceMs: number;
}

/** The run before this one, when it was cut off, and whether a start that asks for `asked` goes on with it. */
export function cutOffRun(
  loaded: LoadedStages,
  asked: string,
  now: number,
): (OpenRun & { resume: boolean; why: string }) | undefined {
  const open = openRun(loaded);
  if (!open) return undefined;
  const head = open.events[0]?.data as unknown as RunHead;
  const earlier = earlierFacts(open.events);
  const decision = takeUp({ asked: head.asked, lastEventAt: earlier.lastEventAt }, asked, now);
  return { run: open.run, head, earlier, resume: decision.resume, why: decision.resume ? '' : decision.why };
}

/** Ends what the cut-off run left running. Throws E_LEFTOVER when something of it may still run. */
export async function endCutOff({ run, earlier }: Pick<OpenRun, 'run' | 'earlier'>, ports: ResumePorts): Promise<void> {
  for (const { step, leader } of earlier.cutOff) {
    const marks = stepMarks(ports.layout.home, run, step);
    const ended = await endLeftovers(leader, marks, ports.graceMs, ports.clock);
    if (ended === 'unproven') fail('E_LEFTOVER', { step, pid: leader?.pid ?? 0, host: leader?.host ?? 'this host' });
  }
}

/** What a run that goes on has to say first of what was cut off. */
export function cutOffHappenings({ cutOff }: Earlier): Happening[] {
  return cutOff.filter(({ recheck }) => !recheck).flatMap(interrupted);
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
  const { run } = open;
  const earlier = earlierFacts(open.events);
  for (const cutOff of earlier.cutOff) {
    await endCutOff({ run, earlier: { ...earlier, cutOff: [cutOff] } }, ports).catch((error) => {
      if (!word || !(error instanceof MendError)) throw error;
    });
  }
  const { layout, clock } = ports;
  const { journal, events } = openJournal(layout.journal(run));
  const steps = stepsIn(events);
  // Whoever watches the next run is told of this one by a notice, not by its events.
  const recorder = openRecorder({
    run,
    layout,
    journal,
    earlier: events,
    stages: loaded.state,
    steps,
    subscribers: [],
    clock,
  });
  recorder.record(...cutOffHappenings(earlier), { type: 'run.ended', status: 'abandoned', data: { reason: why } });
  recorder.close();
  return run;
}

/** The steps of each stage that a journal tells of. */
function stepsIn(events: readonly LoopEvent[]): Map<string, string[]> {
  const steps = new Map<string, string[]>();
  for (const { stage, step } of events) {
    if (!stage || !step) continue;
    const known = steps.get(stage) ?? [];
    if (!known.includes(step)) steps.set(stage, [...known, step]);
  }
  return steps;
}

function interrupted({ stage, step, attempt }: Earlier['cutOff'][number]): Happening[] {
  const reason = 'cut off: the process that ran it died';
  const end: Happening = { type: 'step.interrupted', stage, step, status: 'idle', data: { reason } };
  if (attempt === undefined) return [end];
  return [{ type: 'attempt.ended', stage, step, attempt, data: { outcome: 'interrupted' } }, end];
}
