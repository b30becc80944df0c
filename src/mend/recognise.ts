// A failed attempt is recognised: read from its log, put into ledger and journal, looked up.
import { relative } from 'node:path';
import type { Happening } from '../events.ts';
import type { ProjectRule } from '../failure/classify.ts';
import { endOf, excerptOf, type Failure, identifyFrom } from '../failure/fingerprint.ts';
import type { Layout } from '../io/layout.ts';
import { readLogEnd } from '../io/log.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { cellKey } from '../plan/matrix.ts';
import { eventLabel } from '../plan/step-label.ts';
import { entryOf, type LedgerEntry } from '../triage/ledger.ts';
import type { AttemptEnded } from '../triage/records.ts';
import type { FailedAttempt } from './failed-attempt.ts';

export interface RecogniseScope {
  run: string;
  layout: Layout;
  stages: StageState;
  ledger: LedgerStore;
  rules: readonly ProjectRule[];
  record(...happenings: Happening[]): void;
}

/** A failure that was met in this run: who it is, where, and in which attempt. */
export interface Recognised {
  stage: string;
  step: string;
  attempt: number;
  failure: Failure;
  timedOut: boolean;
  /** How the attempt ended, in words. */
  how: string;
  /** The log, from home. */
  log: string;
  /** What the attempt was made from. */
  inputs: unknown;
}

/** Throws MendError when the disk refuses. */
export function recognise(failed: FailedAttempt, scope: RecogniseScope): Recognised {
  const { attempt } = failed;
  const { stage, step, cell } = failed.step.payload as { stage: string; step: string; cell: Record<string, string> };
  const path = scope.layout.log(stage, cellKey(cell), scope.run, attempt);
  const green = recordOf(scope.stages, step)?.green_log;
  const ended = endedBy(failed);
  const failure = identifyFrom((bytes) => readLogEnd(path, bytes), {
    ...{ stage, ended, rules: scope.rules },
    green: green === undefined ? undefined : (bytes) => readLogEnd(`${scope.layout.home}/${green}`, bytes),
  });
  for (const name of failure.slow ?? []) {
    scope.record({ type: 'notice', data: { text: `passed over, because it takes too long on this log: ${name}` } });
  }
  const log = relative(scope.layout.home, path);
  const { fingerprint, transient, external, rules } = failure;
  const what = { class: failure.class, transient, external, excerpt: excerptOf(failure), log, ended };
  scope.ledger.record({ type: 'seen', stage, fingerprint, run: scope.run, data: what });
  const { times_seen, first_seen } = knownOf(scope.ledger, stage, fingerprint);
  const data = { fingerprint, ...what, rules, times_seen, first_seen };
  scope.record({ type: 'failure.seen', ...eventLabel(failed.step), attempt, data });
  const { inputs } = failed.error.context;
  return { stage, step, attempt, failure, timedOut: ended.timed_out, how: endOf(ended), log, inputs };
}

/** What the ledger knows of a failure that was seen. */
export const knownOf = ({ ledger }: LedgerStore, stage: string, fingerprint: string): LedgerEntry =>
  entryOf(ledger, stage, fingerprint) as LedgerEntry;

function endedBy({ error }: FailedAttempt): AttemptEnded {
  const { exit_code = null, signal = null } = error.context as Partial<AttemptEnded>;
  return { exit_code, signal, timed_out: error.error_code === 'STEP_TIMEOUT' };
}
