// A person sets stages back to idle: recorded like everything else, in a journal of its own.
import { fail } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import type { Clock } from '../io/clock.ts';
import { layout as layoutOf } from '../io/layout.ts';
import { recordAction } from '../journal/journal.ts';
import { readLedger } from '../journal/ledger-file.ts';
import { loadStages, recordedStages } from '../journal/load-stages.ts';
import { closeCases } from '../mend/case-store.ts';
import { requireStages } from '../stage/unknown-stage.ts';
import { entriesOf, type Ledger } from '../triage/ledger.ts';
import { closeOpenRun } from './close-run.ts';
import { withLockForWork } from './lock-for-work.ts';

/** So soon after giving up nothing can have changed; `--force` overrides this. */
const SOON_MS = 300_000;

function refuseSoon(stage: string, ledger: Ledger, now: number): void {
  const times = entriesOf(ledger, stage).flatMap(({ gave_up_at }) => (gave_up_at ? [Date.parse(gave_up_at)] : []));
  const ago = now - Math.max(...times);
  if (times.length > 0 && ago < SOON_MS) fail('E_RESET_SOON', { stage, seconds: Math.max(0, Math.round(ago / 1000)) });
}

/** Throws MendError for unknown stages and a lock held by another. A cut-off run is closed first; what there is to say of that. */
export async function resetStages(
  { home, stages, command, force }: { home: string; stages: readonly string[]; command: string; force?: boolean },
  { clock, graceMs }: { clock: Clock; graceMs: number },
): Promise<readonly string[]> {
  const layout = layoutOf(home);
  return withLockForWork(layout, clock, command, async (notices) => {
    const loaded = loadStages(layout);
    requireStages(stages, recordedStages(home, loaded.state));
    const { ledger } = readLedger(layout);
    if (!force) for (const stage of stages) refuseSoon(stage, ledger, clock.now());
    await closeOpenRun(loaded, 'a stage was reset', { layout, clock, graceMs });
    const closed = closeCases(layout, ledger, stages, 'reset', clock.now());
    const resets = stages.map((stage): NewEvent => ({ type: 'stage.reset', stage, status: 'idle', data: {} }));
    recordAction({ layout, stages: loaded.state, clock }, ...closed, ...resets);
    return notices;
  });
}
