// A person sets stages back to idle: recorded like everything else, in a journal of its own.
import { randomUUID } from 'node:crypto';
import { fail } from '../errors.ts';
import type { Happening } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { holdLock } from '../io/lock.ts';
import { requireWritable } from '../io/store.ts';
import { openJournal } from '../journal/event-file.ts';
import { openRecorder } from '../journal/journal.ts';
import { openLedger, readLedger } from '../journal/ledger-file.ts';
import { loadStages } from '../journal/load-stages.ts';
import { listRuns, newRunId } from '../journal/runs.ts';
import { closeCases } from '../mend/close-cases.ts';
import { unknownStage } from '../stage/unknown-stage.ts';
import { entriesOf, type Ledger } from '../triage/ledger.ts';
import { recordedStages } from './recorded-stages.ts';
import { closeOpenRun } from './resume.ts';

/** So soon after giving up nothing can have changed; whoever knows better says so. */
const SOON_MS = 300_000;

function refuseSoon(stage: string, ledger: Ledger, now: number): void {
  const times = entriesOf(ledger, stage).flatMap(({ gave_up_at }) => (gave_up_at ? [Date.parse(gave_up_at)] : []));
  const ago = now - Math.max(...times);
  if (times.length > 0 && ago < SOON_MS) fail('E_RESET_SOON', { stage, seconds: Math.max(0, Math.round(ago / 1000)) });
}

/** Throws MendError for unknown stages and a lock held by another. A cut-off run is closed first. */
export async function resetStages(
  request: { home: string; stages: readonly string[]; command: string; force?: boolean },
  ports: { clock: Clock; graceMs: number },
): Promise<void> {
  const layout = layoutOf(request.home);
  requireWritable(layout.state);
  const lock = holdLock(layout, request.command);
  try {
    const loaded = loadStages(layout);
    const known = recordedStages(request.home, loaded.state);
    const unknown = request.stages.find((name) => !known.includes(name));
    if (unknown !== undefined) unknownStage(unknown, known);
    if (!request.force)
      for (const stage of request.stages) refuseSoon(stage, readLedger(layout).ledger, ports.clock.now());
    await closeOpenRun(loaded, 'a stage was reset', { layout, ...ports });
    const execution_id = randomUUID();
    const run = newRunId(ports.clock.now(), execution_id, listRuns(layout));
    const { journal } = openJournal(layout.journal(run));
    const recorder = openRecorder({
      ...{ run, layout, journal, earlier: [], stages: loaded.state, steps: new Map(), subscribers: [] },
      clock: ports.clock,
    });
    recorder.record(
      { type: 'run.started', data: { execution_id, asked: request.command, stages: [], lab: 'none' } },
      ...request.stages.map((stage): Happening => ({ type: 'stage.reset', stage, status: 'idle', data: {} })),
      { type: 'run.ended', status: 'success', data: { exit: 0, duration_ms: 0, error: null } },
    );
    recorder.close();
    const ledger = openLedger(layout, ports.clock);
    ledger.record(...request.stages.map((stage) => ({ type: 'reset' as const, stage, run, data: {} })));
    closeCases(request.stages, 'the stage was reset', { layout, ledger, run, now: ports.clock.now() });
    ledger.close();
  } finally {
    lock.release();
  }
}
