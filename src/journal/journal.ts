// Everything that happens in a run goes through here: onto the journal first, then into the stage state, then to whoever watches.
import type { EventType, Happening, LoopEvent, Subscriber } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import type { Layout } from '../io/layout.ts';
import { writeAtomic } from '../io/store.ts';
import type { Journal } from './event-file.ts';
import { fold, type StageState } from './stages.ts';

export interface Recorder {
  readonly run: string;
  readonly stages: StageState;
  /** All of it is on disk when this returns, but for what `HELD` names. Throws MendError when the disk refuses. */
  record(...happenings: Happening[]): void;
  /** Says what a run that was cut off had no time to say: stages all of whose steps are green. */
  catchUp(): void;
  /** Writes what is left to write. */
  close(): void;
}

export interface RecorderOptions {
  run: string;
  layout: Layout;
  journal: Journal;
  /** What the journal holds already. */
  earlier: readonly LoopEvent[];
  /** The stages as they were before this process; `earlier` folded in. */
  stages: StageState;
  /** The steps of each stage in this run's plan. */
  steps: ReadonlyMap<string, readonly string[]>;
  subscribers: readonly Subscriber[];
  clock: Clock;
  /** Over what happens, as far as it holds words of logs, files, people or models. */
  mask?: ((data: Record<string, unknown>) => Record<string, unknown>) | undefined;
}

/** The projection can always be made again from the journals, so it is not written more often than a person could look. */
const PROJECT_EVERY_MS = 250;

/** What is always followed at once by another event, and shares its write. */
const HELD: ReadonlySet<EventType> = new Set(['step.started', 'attempt.ended']);

/** What holds names, numbers and hashes only; most of what happens in a green run. */
const WORDLESS: ReadonlySet<EventType> = new Set([
  'step.started',
  'step.done',
  'step.fresh',
  'attempt.started',
  'check.started',
  'stage.green',
]);

type StepEnd = 'done' | 'fresh' | 'failed' | 'skipped';

export function openRecorder(options: RecorderOptions): Recorder {
  const { run, layout, journal, stages, clock } = options;
  const ends = new Map<string, StepEnd>();
  /** Stages whose end was told since the last of their steps ended. */
  const told = new Set<string>();
  let seq = options.earlier.at(-1)?.seq ?? 0;
  let written = Number.NEGATIVE_INFINITY;
  const held: LoopEvent[] = [];
  for (const event of options.earlier) noteEnd(event);

  const recorder: Recorder = {
    run,
    stages,
    record(...happenings) {
      held.push(...happenings.flatMap((h) => [...leftFailed(h), h, ...stageTurned(h)]).map(stamp));
      if (!held.every((event) => HELD.has(event.type))) flush();
    },
    catchUp() {
      const green = [...options.steps].filter(
        ([stage, steps]) =>
          !told.has(stage) &&
          steps.every((s) => ends.get(s) === 'done' || ends.get(s) === 'fresh') &&
          steps.some((s) => ends.get(s) === 'done'),
      );
      if (green.length > 0) this.record(...green.map(([stage]): Happening => greenStage(stage)));
    },
    close() {
      if (held.length > 0) flush();
      project();
      journal.close();
    },
  };
  return recorder;

  function flush(): void {
    const events = held.splice(0);
    journal.append(events);
    for (const event of events) fold(stages, event);
    if (clock.monotonic() - written >= PROJECT_EVERY_MS) project();
    for (const event of events) for (const watch of options.subscribers) tell(watch, event);
  }

  function stamp({ type, stage, step, attempt, status, data = {} }: Happening): LoopEvent {
    const where = { ...(stage ? { stage } : {}), ...(step ? { step } : {}), ...(attempt ? { attempt } : {}) };
    const time = new Date(clock.now()).toISOString();
    const told = options.mask && !WORDLESS.has(type) ? options.mask(data) : data;
    return { v: 1, seq: ++seq, time, run, type, ...where, ...(status ? { status } : {}), data: told };
  }

  function project(): void {
    writeAtomic(layout.stages, `${JSON.stringify(stages)}\n`);
    written = clock.monotonic();
  }

  function noteEnd({ type, stage, step }: Happening): boolean {
    if (stage && /^stage\.(green|failed|skipped)$/.test(type)) told.add(stage);
    if (!step) return false;
    if (stage) told.delete(stage);
    if (type === 'step.started') ends.delete(step);
    const end = /^step\.(done|fresh|failed|skipped)$/.exec(type)?.[1];
    if (end) ends.set(step, end as StepEnd);
    return end !== undefined;
  }

  /** The stage's own event, when this was the last of its steps to end. */
  function stageTurned(happening: Happening): Happening[] {
    const stage = happening.stage;
    const steps = stage === undefined ? undefined : options.steps.get(stage);
    if (!noteEnd(happening) || !steps?.every((s) => ends.has(s))) return [];
    const has = (end: StepEnd) => steps.some((s) => ends.get(s) === end);
    told.add(stage as string);
    const why = happening.data?.gave_up ?? happening.data?.reason;
    const reason = why === undefined ? {} : { reason: why };
    const failed = happening.status === 'give_up' ? 'give_up' : 'failed';
    if (has('failed')) return [{ type: 'stage.failed', stage, status: failed, data: reason }];
    if (has('skipped')) return [{ type: 'stage.skipped', stage, status: 'skipped', data: reason }];
    const stays = !has('done') && stages.stages[stage as string]?.status === 'green';
    return stays ? [] : [greenStage(stage as string)];
  }

  /** Stages of which a step failed while others had no turn before the run ended. */
  function leftFailed({ type }: Happening): Happening[] {
    if (type !== 'run.ended') return [];
    return [...options.steps]
      .filter(([stage, steps]) => !told.has(stage) && steps.some((s) => ends.get(s) === 'failed'))
      .map(([stage]) => ({ type: 'stage.failed', stage, status: 'failed', data: {} }));
  }
}

const greenStage = (stage: string): Happening => ({ type: 'stage.green', stage, status: 'green', data: {} });

function tell(watch: Subscriber, event: LoopEvent): void {
  try {
    watch(event);
  } catch {
    // Watchers are best effort by contract: the journal has the event.
  }
}
