// The words every part of mendloop shares: what can happen in a run, as typed events. The journal stores them; console,
// JSON output and everything else that watches a run read the same ones.

/** Every event type, with what it tells. */
export const EVENT_TYPES = {
  'run.started': 'a run began: what was asked for, its base commit and its options',
  'run.resumed': 'a later process took up a run that had been cut off',
  'run.ended': 'the run is over; exactly one per run, always last',
  'tree.opened': 'the worktree is ready: branch, commit, base',
  notice: 'something a person should know; changes nothing',
  'step.started': 'a step is being worked on',
  'step.drift': "a green step's verify no longer holds",
  'step.fresh': 'a green step was found still green; its command did not run',
  'step.retry': 'the step is tried again after a pause',
  'step.done': 'a step ended green',
  'step.failed': 'a step ended failed',
  'step.skipped': 'a step was not run, and why',
  'step.interrupted': 'a step was stopped, or was found cut off',
  'attempt.started': "the stage's process group exists and is about to run the command",
  'check.started': 'the process group of one command of verify exists and is about to run',
  'attempt.ended': 'the command and its checks are over',
  'attempt.changed': 'the stage changed tracked files; they were saved as a patch',
  'failure.seen': 'a failed attempt was recognised: fingerprint, class, excerpt, how often it was seen',
  'failure.decided': 'what is done about it, and why',
  'fix.refused': 'a proposed change was refused, and why',
  'plugin.said': 'a plugin says what it does: whom it asks, and why',
  'plugin.passed': 'a plugin has no fix to propose, and why',
  'plugin.failed': 'a plugin could not be reached or did not answer soundly; no try is spent',
  'fix.suggested': 'a sound fix is shown to a person, who is asked',
  'fix.declined': 'the person does not want it',
  'fix.intended': 'a sound fix is about to be committed',
  'fix.committed': 'the fix is on the AI branch, and the stage runs again',
  'fix.judged': 'the fix stays: verified, or for now',
  'fix.reverted': 'the fix was taken back by a commit of its own, and why',
  'prompt.saved': 'nobody could be asked: what would have been sent is kept for a person',
  'case.opened': 'a case waits for a person, and where it is',
  'case.closed': 'a case is over, and why',
  'safe_mode.on': 'the loop stopped changing things by itself, and why',
  'stage.recovered': 'a stage that was given up may run again: its inputs changed, or its checks hold',
  'stage.green': 'all steps of a stage are green: a stage turned green',
  'stage.failed': 'a stage ended failed',
  'stage.skipped': 'a stage was not run',
  'stage.reset': 'a person set a stage back to idle',
} as const;

export type EventType = keyof typeof EVENT_TYPES;

/** What a part of the loop says happened; the recorder adds the rest. */
export interface Happening {
  type: EventType;
  stage?: string | undefined;
  step?: string | undefined;
  attempt?: number | undefined;
  status?: string | undefined;
  data?: Record<string, unknown>;
}

export interface LoopEvent {
  v: 1;
  seq: number;
  time: string;
  run: string;
  type: EventType;
  stage?: string;
  step?: string;
  attempt?: number;
  status?: string;
  data: Record<string, unknown>;
}

/** Whether a value read from a journal is an event. By hand: `status` reads journals, and loading zod would double its time. */
export function isEvent(value: unknown): value is LoopEvent {
  const event = value as Partial<LoopEvent> | null;
  const optional = (text: unknown) => text === undefined || typeof text === 'string';
  return (
    typeof event === 'object' &&
    event?.v === 1 &&
    Number.isInteger(event.seq) &&
    typeof event.time === 'string' &&
    typeof event.run === 'string' &&
    typeof event.type === 'string' &&
    Object.hasOwn(EVENT_TYPES, event.type) &&
    [event.stage, event.step, event.status].every(optional) &&
    (event.attempt === undefined || Number.isInteger(event.attempt)) &&
    typeof event.data === 'object' &&
    event.data !== null
  );
}

/** Watches events. One that throws changes nothing for the run. */
export type Subscriber = (event: LoopEvent) => void;
