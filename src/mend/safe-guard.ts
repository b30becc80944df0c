// Watches over what fixes do: when they do more harm than good, nothing more is changed.
import type { Happening } from '../events.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import { safeModeAfter } from '../triage/safe-mode.ts';
import type { MendingFacts } from './mending-facts.ts';
import type { Notices } from './notices.ts';
import type { Recognised } from './recognise.ts';

export interface SafeModePort {
  isOn(): boolean;
  turnOn(why: string): void;
  /** The fix that broke a stage which was green before it, in words. */
  blame(met: Recognised): Promise<string | undefined>;
}

export interface GuardScope {
  run: string;
  ledger: LedgerStore;
  facts: MendingFacts;
  safeMode: SafeModePort;
  notices: Notices;
  record(...happenings: Happening[]): void;
}

export interface SafeGuard {
  /** A stage failed: was it a fix of another stage that broke it? */
  failed(met: Recognised): Promise<void>;
  /** A fix was taken back because it did not help. */
  takenBack(): void;
}

export function safeGuard(scope: GuardScope): SafeGuard {
  const { facts, safeMode } = scope;
  return {
    async failed(met) {
      const { transient, external } = met.failure;
      const alone = facts.pending.get(met.step) === undefined && facts.keptBy(met).length === 0;
      const by = alone && !transient && !external ? await safeMode.blame(met) : undefined;
      if (by !== undefined) guard([`${met.step} (by ${by})`]);
    },
    takenBack: () => guard([]),
  };

  function guard(turnedRed: readonly string[]): void {
    const why = safeModeAfter(scope.ledger.ledger, scope.run, turnedRed);
    if (why === undefined || safeMode.isOn()) return;
    safeMode.turnOn(why);
    scope.record({ type: 'safe_mode.on', data: { why } });
    const text = `the AI changes nothing more: ${why}\nto leave it: mendloop safe-mode off`;
    scope.notices.tell({ reason: 'safe_mode', title: 'safe mode is on', text });
  }
}
