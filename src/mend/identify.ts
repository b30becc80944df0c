// A failed attempt is identified: read from its log, looked up in the ledger, recorded.
import { basename, dirname, relative } from 'node:path';
import { isItemStage } from '../backlog/stage-of-item.ts';
import { LOOP_FILE } from '../config/files.ts';
import type { LoopConfig } from '../config/loop-config.ts';
import { type AttemptEnd, type DataOf, type EventType, isInputs, type NewEvent, noticeEvent } from '../events.ts';
import type { ProjectRule } from '../failure/classify.ts';
import { excerptOf } from '../failure/excerpt.ts';
import { ALGORITHM, type Failure, identifyFrom, type ReadEnd } from '../failure/fingerprint.ts';
import { readEnd } from '../failure/log-end.ts';
import { localMasks } from '../failure/mask.ts';
import { fileFacts } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { withLog } from '../io/log.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { cellKey, cellValues, stagePayload } from '../plan/matrix.ts';
import type { EndOf } from '../plan/stage-end.ts';
import type { Run } from '../stage/run.ts';
import type { Incident, Sighting } from '../triage/incident.ts';
import { entryOf, type LedgerEntry, seenBy } from '../triage/ledger.ts';
import type { FailedAttempt } from './failed-cell.ts';

/** Reads the end of a log; a log that cannot be read is none: the failure is then known by how it ended. */
export const endOfLog =
  (path: string): ReadEnd =>
  (bytes) =>
    withLog(path, (size, read) => readEnd(size, bytes, read));

/** Records the failure of an attempt, read from its log. Throws MendError when the disk refuses. */
export function identify(run: Run, failed: FailedAttempt): Incident {
  const { attempt, end } = failed;
  const { layout, journal } = run;
  const { stage, step, cell } = stagePayload(failed.step);
  const path = layout.log(stage, cellKey(cell), run.id, attempt);
  const green = recordOf(journal.stages, step)?.green_log;
  const ended = endOfAttempt(end);
  const failure = identifyFrom(endOfLog(path), {
    stage,
    ended,
    local: localMasks(layout.home, Object.values(cell)),
    rules: [...projectRules(run.config.loop), ...run.plugins.rules],
    green: green === undefined ? undefined : endOfLog(`${layout.home}/${green}`),
  });
  for (const name of failure.slow ?? []) {
    const text = `passed over, because it takes too long on this log: ${name}`;
    journal.append(noticeEvent(text));
  }
  const inputs = isInputs(end.context?.inputs) ? end.context.inputs : undefined;
  const changedCheckFiles = Array.isArray(end.context?.changed_judges);
  const log = relative(layout.home, path);
  const item = isItemStage(stage) ? itemOf(run, stage, end) : undefined;
  const sighting: Sighting = { stage, step, attempt, failure, ended, log, inputs, changedCheckFiles, item };
  const history = entryOf(journal.ledger, stage, failure.fingerprint);
  record(run, sighting, 'failure.seen', {
    class: failure.class,
    transient: failure.transient,
    external: failure.external,
    excerpt: excerptOf(failure),
    log: sighting.log,
    ended,
    rules: [...failure.rules],
    times_seen: seenBy(history, run.id, step).times_seen,
    first_seen: history?.first_seen ?? new Date(run.clock.now()).toISOString(),
    ...(inputs && { inputs }),
    algorithm: ALGORITHM,
  });
  return currentIncident(run, sighting);
}

const itemOf = ({ config }: Run, stage: string, { context }: EndOf<'failed'>) => ({
  steps: config.map.stages[stage]?.success_criteria.length ?? 1,
  testsFailed: context?.phase === 'command',
});

/** A failure of the ledger, read again from its latest log; undefined when that is gone. */
export function identifyAgain(
  { stage, log, ended }: LedgerEntry,
  layout: Layout,
  stages: StageState['stages'],
  rules: readonly ProjectRule[] = [],
): Failure | undefined {
  const path = log && `${layout.home}/${log}`;
  if (!path || !fileFacts(path)) return undefined;
  // The log of a cell is in a folder of the cell's name.
  const cell = basename(dirname(path));
  const values = cellValues(cell === stage ? '' : cell);
  const green = (stages[stage]?.cells?.[cell] ?? stages[stage])?.green_log;
  return identifyFrom(endOfLog(path), {
    stage,
    ended,
    rules,
    local: localMasks(layout.home, values),
    green: green === undefined ? undefined : endOfLog(`${layout.home}/${green}`),
  });
}

/** Events that move failures to today's fingerprints, made again from their logs as far as these exist. */
export function carriedEvents({ journal, layout }: Pick<Run, 'journal' | 'layout'>): NewEvent[] {
  const old = Object.values(journal.ledger.entries).filter(
    ({ algorithm = 1, orphaned }) => algorithm < ALGORITHM && !orphaned,
  );
  return old.map((entry) => {
    const { stage, fingerprint } = entry;
    const to = identifyAgain(entry, layout, journal.stages.stages)?.fingerprint;
    return { type: 'failure.carried', stage, data: { fingerprint, ...(to && { to }), algorithm: ALGORITHM } };
  });
}

/** The same failure with all that is known of it now. */
export const currentIncident = ({ journal }: Run, sighting: Sighting & Partial<Pick<Incident, 'steps'>>): Incident =>
  journal.failures.incident(sighting, journal.ledger, sighting.steps);

/** The steps that share a failure, for events: nothing where it is one step's alone. */
export const sharedBy = ({ steps }: Incident) => (steps.length > 1 ? { steps: [...steps] } : {});

/** Records what happened to a failure: an event with its place and fingerprint. */
export function record<T extends EventType>(
  { journal }: Run,
  { stage, step, attempt, failure }: Sighting,
  type: T,
  data: Omit<DataOf<T>, 'fingerprint'>,
): void {
  const { fingerprint } = failure;
  journal.append({ type, stage, step, attempt, data: { fingerprint, ...data } } as NewEvent);
}

/** The owner's rules for classing failures, in their order, named by their patterns. */
export function projectRules({ classify }: Pick<LoopConfig, 'classify'>): ProjectRule[] {
  return classify.map(({ match, class: failureClass, transient, external, advice }) => ({
    name: `classify in ${LOOP_FILE}: ${match}`,
    match: new RegExp(match, 'im'),
    class: failureClass,
    transient,
    external,
    advice,
  }));
}

function endOfAttempt({ context = {}, code }: EndOf<'failed'>): AttemptEnd {
  const { exit_code = null, signal = null } = context as Partial<AttemptEnd>;
  return { exit_code, signal, timed_out: code === 'STEP_TIMEOUT' };
}
