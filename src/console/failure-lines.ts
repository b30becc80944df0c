// A failure in a few lines: its kind, how often it was seen, what the log says, where the log is.
import { NOT_AGAIN } from '../triage/words.ts';
import { since } from './words.ts';

/** What the ledger and the events of a run both know of a failure. */
export interface FailureView {
  fingerprint: string;
  class: string;
  transient: boolean;
  external: boolean;
  /** At most two lines. */
  excerpt: string;
  times_seen: number;
  first_seen: string;
  /** From home. */
  log?: string | undefined;
  /** What was decided, and why. */
  tier?: string | undefined;
  reason?: string | undefined;
  /** A person is needed. */
  human?: boolean;
  /** The names of the cells that have it, where a matrix has. */
  cells?: string | undefined;
}

/** Without colour, without indent: the kind, the excerpt behind bars, the log. */
export function failureLines(view: FailureView, now: number): string[] {
  return [
    `${kind(view)}; ${familiarity(view, now)}  (${view.fingerprint})`,
    ...(view.cells ? [`on ${view.cells}`] : []),
    ...view.excerpt.split('\n').map((line) => `| ${line}`),
    ...(view.tier && view.tier !== 'wait' ? [decisionLine(view)] : []),
    ...(view.log ? [`log: ${view.log}`] : []),
  ];
}

/** The decision in words. */
const DONE: Readonly<Record<string, string>> = {
  executor: 'is being mended',
  escalation: 'escalates',
  give_up: 'gives up',
  none: 'left for the next run',
};

/** What is done about it: `is being mended: a new failure, first of 3 tries`. */
export const decisionLine = ({ tier = '', reason = '', human }: FailureView): string =>
  `${tier === 'none' && (human || reason.includes(NOT_AGAIN)) ? 'waits for you' : (DONE[tier] ?? tier)}: ${reason}`;

/** `network_error, may pass by itself`. */
export function kind(view: Pick<FailureView, 'class' | 'transient' | 'external'>): string {
  return [
    view.class,
    ...(view.transient ? ['may pass by itself'] : []),
    ...(view.external ? ['not from this repository'] : []),
  ].join(', ');
}

/** `new`, or `seen 3 times since Tuesday`. */
export function familiarity({ times_seen, first_seen }: FailureView, now: number): string {
  return times_seen <= 1 ? 'new' : `seen ${times_seen} times since ${since(first_seen, now)}`;
}
