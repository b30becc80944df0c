// Where attempts are made. A backend takes one attempt at a time and says how it ended; which steps may start, and what
// follows from their ends, is the run's. All that it hands on elsewhere is a plain value.
import type { NewEvent } from '../events.ts';
import type { Cell } from '../plan/matrix.ts';
import type { StageEnd } from '../plan/stage-end.ts';
import { attemptStage } from './attempt.ts';
import type { StageRun } from './run.ts';

/** One attempt that is to be made: of which step, which number, at which commit, within which time. */
export interface Task {
  readonly run: string;
  readonly stage: string;
  readonly step: string;
  readonly cell: Cell;
  readonly attempt: number;
  readonly commit: string;
  readonly timeout_ms: number;
  readonly spec: string;
}

/** A task that is surely to do once the steps of `after`, which are not done yet, have ended well. */
export interface TaskAhead extends Task {
  readonly after: readonly string[];
}

/** The end of an attempt, and its events in order: they are journaled before anything acts on the end. */
export interface TaskEnd {
  readonly end: StageEnd;
  readonly events?: readonly NewEvent[] | undefined;
}

export interface Backend {
  /** How many steps may be under way at once; absent: as many as the run has workers. */
  readonly width?: number;
  /** The backend enforces the step's time limit itself, because waiting in a queue does not count. */
  readonly keepsTime?: true;
  /**
   * One attempt to its end. One that was handed on ahead, or by a process that died, is followed. When the signal aborts it is
   * ended, seen gone, and `stopped`. Never rejects for what becomes of the attempt.
   */
  attempt(task: Task, signal: AbortSignal): Promise<TaskEnd>;
  /** Whether an attempt of a step is under way or over, so that no check is needed first. */
  holds?(step: string): boolean;
  /** Whether the attempt of a step that is under way was seen to have begun; absent: it begins when it is asked for. */
  hasBegun?(step: string): boolean;
  /** Returns attempts that have not begun, all or those of one stage; the others go on. */
  hold?(stage?: string): void;
  /** Before the tree is written: when this resolves nothing runs, and nothing that waits elsewhere starts any more. */
  withdraw?(): Promise<void>;
  /** At the end of a run: ends what is left of it. False when an attempt may still run all the same. */
  close?(): Promise<boolean>;
}

/** In this process, events straight into the journal. */
export const localBackend = (run: StageRun): Backend => ({
  async attempt({ stage, step, cell, attempt }, signal) {
    return { end: await attemptStage({ payload: { stage, step, cell }, attempt, signal }, run) };
  },
});
