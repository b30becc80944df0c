// Everything that happens goes through here: onto the journal first, then a failure's story into the ledger, then into the
// folds (stages, ledger, failures of this run), then to subscribers.
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { type EventType, isEvent, type LoopEvent, type NewEvent, notify, type Subscriber } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { sweep } from '../io/half-made.ts';
import type { Layout } from '../io/layout.ts';
import { requireLock } from '../io/lock.ts';
import { isStory } from '../triage/fold.ts';
import { RunFailures } from '../triage/incident.ts';
import { openEvents } from './event-file.ts';
import { openLedger } from './ledger-file.ts';
import { writeStages } from './load-stages.ts';
import { type Mask, maskedData } from './mask.ts';
import { RunSteps } from './run-steps.ts';
import { nextId } from './runs.ts';
import { foldStages, type StageState } from './stages.ts';

export type Journal = ReturnType<typeof openJournal>;

export interface JournalOptions {
  run: string;
  layout: Layout;
  /** Where its events are, when it is not a run's journal. */
  path?: string;
  /** The stages as they were before this process; what the journal holds already is folded in. */
  stages: StageState;
  /** The steps of each stage in this run's plan; by default those in the journal. */
  steps?: ReadonlyMap<string, readonly string[]>;
  /** Events that follow a stage that was made again: the stages that need it are stale. */
  behindGreen?: (stage: string) => NewEvent[];
  subscribers?: readonly Subscriber[];
  clock: Clock;
  /** Over what happens, as far as it holds words of logs, files, people or models. */
  mask?: Mask;
}

/** The projections can always be made again from the journals, so they are not written more often than a person could look. */
const PROJECT_EVERY_MS = 250;

/** Events buffered until the next one, which always follows at once, to save an fsync. */
const BUFFERED: ReadonlySet<EventType> = new Set(['step.started', 'attempt.ended']);

export function openJournal(options: JournalOptions) {
  const { run, layout, stages, clock, subscribers = [], behindGreen = () => [] } = options;
  requireLock(layout.lock);
  if (!options.path) sweep(dirname(layout.journal(run)));
  const { writer, events: earlier, lastSeq, quarantined } = openEvents(options.path ?? layout.journal(run));
  const ledger = openLedger(layout, clock.now());
  const failures = new RunFailures(earlier);
  const steps = new RunSteps(earlier, options.steps).complete(run, stages);
  const buffer: LoopEvent[] = [];
  // A journal that lost its end goes on behind the last event that the stages have of it.
  let seq = Math.max(lastSeq, stages.as_of.run === run ? stages.as_of.seq : 0);
  let projected = Number.NEGATIVE_INFINITY;
  let projectLater: NodeJS.Timeout | undefined;
  let isLedgerNew = false;
  let refusal: unknown;

  return {
    run,
    stages,
    ledger: ledger.ledger,
    failures,
    steps,
    /** What a person must know of the files it opened. */
    notices: [
      ...(quarantined ? [`the journal of this run is damaged: a copy is kept as ${quarantined}`] : []),
      ...ledger.notices,
    ],
    append,
    /** What was recorded is on disk when this returns, which it is before the branch moves. Throws as `append`. */
    flush,
    /** Records what a run that was cut off had no time to: stages all of whose steps are green. */
    catchUp: () => append(...steps.greenStages()),
    /** Shortens the ledger's own journal. Returns the bytes that are gained. Throws MendError. */
    compactLedger: ledger.compact,
    /** Writes what is left to write. */
    close() {
      clearTimeout(projectLater);
      try {
        if (!refusal) flush();
        // What the disk refused, or another took over, is left as it is.
        isLedgerNew = true;
        if (!refusal) project();
      } finally {
        writer.close();
        ledger.close();
      }
    },
  };

  /**
   * All of it is on disk and in the folds when this returns, but for what `BUFFERED` names. Throws MendError when the disk
   * refuses or the lock is lost, from then on always, and TypeError for data that does not fit its event.
   */
  function append(...events: NewEvent[]): void {
    events.map(stamp).forEach(add);
    if (!buffer.every((event) => BUFFERED.has(event.type))) flush();
  }

  /** Numbers an event, with those of whole stages that belong before and behind it. */
  function add(stamped: LoopEvent): void {
    const follow = (event: NewEvent) => add(stamp(event));
    if (stamped.type === 'run.ended' || stamped.type === 'run.left') steps.stagesLeft(stamped, stages).forEach(follow);
    seq += 1;
    const event = { ...stamped, seq };
    buffer.push(event);
    steps.fold(event);
    steps.stageEnds(event, stages).forEach(follow);
    const { type, stage = '' } = event;
    if (type === 'stage.green' && steps.isMade(stage)) behindGreen(stage).forEach(follow);
  }

  function flush(): void {
    if (refusal) throw refusal;
    if (buffer.length === 0) return;
    const events = buffer.splice(0);
    try {
      requireLock(layout.lock);
      writer.append(events);
      const story = events.filter(isStory);
      if (story.length > 0) ledger.append(story);
      isLedgerNew ||= story.length > 0;
    } catch (error) {
      refusal = error;
      throw error;
    }
    for (const event of events) {
      foldStages(stages, event);
      failures.fold(event);
    }
    if (clock.monotonic() - projected >= PROJECT_EVERY_MS) project();
    else projectLater ??= setTimeout(projectNow, PROJECT_EVERY_MS).unref();
    for (const event of events) for (const watch of subscribers) notify(watch, event);
  }

  /** Its number is given when it is added. Throws TypeError for data that does not fit its event. */
  function stamp(event: NewEvent): LoopEvent {
    const { type, stage, step, attempt, status } = event;
    const data = options.mask ? maskedData(event.data, options.mask) : event.data;
    const place = { ...(stage ? { stage } : {}), ...(step ? { step } : {}), ...(attempt ? { attempt } : {}) };
    const time = new Date(clock.now()).toISOString();
    const stamped: unknown = { v: 1, seq: 0, time, run, type, ...place, ...(status ? { status } : {}), data };
    if (!isEvent(stamped)) throw new TypeError(`no ${type}: ${JSON.stringify(stamped)}`);
    return stamped;
  }

  /** A stage may run for long after its first event: readers must see meanwhile that it runs. */
  function projectNow(): void {
    projectLater = undefined;
    try {
      if (!refusal) project();
    } catch {
      // The next event reports what is wrong with the disk; until then the journals have it all.
    }
  }

  function project(): void {
    clearTimeout(projectLater);
    projectLater = undefined;
    writeStages(layout, stages);
    // One that lags behind is brought up to date from the journals; it is when this one is closed.
    if (isLedgerNew) ledger.project({ run, seq });
    isLedgerNew = false;
    projected = clock.monotonic();
  }
}

export interface ActionScope extends Pick<JournalOptions, 'layout' | 'stages' | 'clock'> {
  /** By default a new one. */
  id?: string;
}

/** A name for what a person does now: later than that of every journal there is. */
export const newActionId = ({ layout, stages, clock }: Omit<ActionScope, 'id'>): string =>
  nextId(layout, clock.now(), randomBytes(2).toString('hex'), stages.as_of.run);

/**
 * Records what a person did between runs, in a journal of its own. The lock must be held, and a cut-off run closed: what comes
 * later has a later name. Throws MendError when the disk refuses.
 */
export function recordAction(scope: ActionScope, ...events: NewEvent[]): void {
  if (events.length === 0) return;
  const { layout, stages, clock, id: run = newActionId(scope) } = scope;
  const journal = openJournal({ run, layout, path: layout.action(run), stages, clock });
  try {
    journal.append(...events);
  } finally {
    journal.close();
  }
}
