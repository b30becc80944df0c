// A stage that is not idempotent (`rerun: false`) runs again by itself only when it is known that its last attempt ended green.
import { dirname } from 'node:path';
import type { Stage } from '../config/context-map.ts';
import { namesIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { recordOf, type StageState } from '../journal/stages.ts';
import { splitStepName } from '../plan/matrix.ts';
import { NOT_AGAIN } from '../triage/words.ts';

/** Why only a person's word runs a step again; undefined when it may run. */
export function waitsForHuman(stage: Pick<Stage, 'rerun'>, step: string, state: StageState, layout: Layout) {
  if (stage.rerun) return undefined;
  const record = recordOf(state, step);
  // An attempt began without a green end: it failed, was cut off, or its end is lost.
  const wasGreen = record?.stale !== undefined && record.last?.outcome === 'done';
  const isOver = record?.status === 'green' || record?.status === 'give_up' || wasGreen;
  const isOpen = record && !isOver && record.attempts > 0;
  if (record?.status === 'failed' || isOpen) return NOT_AGAIN;
  if (record?.status === 'green' && !record.inputs) return `${NOT_AGAIN}: what it was made from is lost`;
  return isLogNewer(step, state, layout)
    ? `${NOT_AGAIN}: it has a log of an attempt that its state does not know`
    : undefined;
}

const LOG = /^(\d{8}-\d{6}-[0-9a-f]{4})-(\d+)\.log$/;

/** Whether there is the log of an attempt that the state does not tell of: then files of it were damaged or lost. */
function isLogNewer(step: string, state: StageState, layout: Layout): boolean {
  const { stage, cell } = splitStepName(step);
  const { run = '', attempts = 0 } = recordOf(state, step) ?? {};
  const since = state.stages[stage]?.reset ?? '';
  const names = namesIn(dirname(layout.log(stage, cell, '', 0)));
  return names.some((name) => {
    const [, logRun, attempt] = LOG.exec(name) ?? [];
    if (logRun === undefined || logRun < since) return false;
    return logRun > run || (logRun === run && Number(attempt) > attempts);
  });
}
