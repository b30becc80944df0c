// The words every part of mendloop shares: what can happen in a run, as typed events. The journal stores them; console,
// JSON output and everything else that watches a run read the same ones.
import { z } from 'zod';

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
  'attempt.ended': 'the command and its checks are over',
  'attempt.changed': 'the stage changed tracked files; they were saved as a patch',
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

export const eventSchema = z.object({
  v: z.literal(1),
  seq: z.int().min(1),
  time: z.string(),
  run: z.string(),
  type: z.enum(Object.keys(EVENT_TYPES) as [EventType, ...EventType[]]),
  stage: z.string().optional(),
  step: z.string().optional(),
  attempt: z.int().optional(),
  status: z.string().optional(),
  data: z.record(z.string(), z.unknown()),
});

export type LoopEvent = z.infer<typeof eventSchema>;

/** Watches events. One that throws changes nothing for the run. */
export type Subscriber = (event: LoopEvent) => void;
