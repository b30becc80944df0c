// The loop turns safe mode on when what it tries does more harm than good.
import { PERSON } from '../events.ts';
import type { Run } from '../stage/run.ts';
import type { Ledger } from '../triage/ledger.ts';
import { notify } from './notify.ts';
import { readSafeMode, setSafeMode } from './safe-mode.ts';

const MAX_FAILURES = 3;

/** Why safe mode goes on: fixes of too many failures did not help in this run. */
export function tooManyInVain(ledger: Ledger, run: string): string | undefined {
  const failed = Object.values(ledger.entries).filter(({ patches }) =>
    patches.some((p) => p.run === run && p.plugin !== PERSON && (p.outcome === 'no_effect' || p.outcome === 'broke')),
  );
  if (failed.length < MAX_FAILURES) return undefined;
  return `fixes of ${failed.length} different failures did not help in this run`;
}

/** Turns it on when it is time. */
export function tripSafeMode(run: Run): void {
  const why = tooManyInVain(run.journal.ledger, run.id);
  if (why === undefined || readSafeMode(run.layout) !== undefined) return;
  setSafeMode(run.layout, { since: new Date(run.clock.now()).toISOString(), by: 'loop', why, run: run.id });
  run.journal.append({ type: 'safe_mode.on', data: { why } });
  const text = `the AI changes nothing more: ${why}\nto leave it: mendloop safe-mode off`;
  notify(run, { reason: 'safe_mode', title: 'safe mode is on', text });
}
