// What waits for its owner: the one answer of terminal, report, page, metrics and notices.
import type { Layout } from '../io/layout.ts';
import type { LoadedStages } from '../journal/load-stages.ts';
import type { StageState } from '../journal/stages.ts';
import { openCaseStore } from '../mend/case-store.ts';
import { readSafeMode } from '../mend/safe-mode.ts';
import { type CaseSummary, caseCommands } from '../outbound/case-summary.ts';
import { fixesIn, type Ledger, type LedgerEntry } from '../triage/ledger.ts';
import { counted } from '../triage/words.ts';

export const WAITING = ['safe mode', 'conflict', 'case', 'given up', 'promote', 'item'] as const;

export interface Waiting {
  readonly what: (typeof WAITING)[number];
  readonly text: string;
  readonly since?: string;
  readonly command: string;
  readonly case?: string;
  readonly stage?: string;
  readonly fingerprint?: string;
}

export interface WaitingFacts {
  readonly ledger: Ledger;
  readonly stages: StageState['stages'];
  /** Why safe mode is on. */
  readonly safeMode?: string | undefined;
  /** What kept the newest run from its first stage, and since when. */
  readonly conflict?: { readonly message: string; readonly since: string } | undefined;
}

/** What only the owner can do about the stages that are of concern, the most pressing first. Pure. */
export function waitsOf(
  { ledger, stages, safeMode, conflict }: WaitingFacts,
  isConcerned: (stage: string) => boolean = () => true,
): Waiting[] {
  const waits: Waiting[] = [];
  if (safeMode !== undefined)
    waits.push({ what: 'safe mode', text: `the AI changes nothing: ${safeMode}`, command: 'mendloop safe-mode off' });
  if (conflict)
    waits.push({ what: 'conflict', text: conflict.message, since: conflict.since, command: 'mendloop status' });
  for (const entry of Object.values(ledger.entries).filter(({ stage }) => isConcerned(stage))) {
    const { stage, fingerprint } = entry;
    const text = `${stage}: ${entry.class}, ${entry.excerpt.split('\n')[0]}`;
    if (entry.case !== undefined) {
      const [command = ''] = caseCommands(entry.case, entry.suggestion !== undefined);
      waits.push({ what: 'case', text, since: entry.last_seen, command, case: entry.case, stage, fingerprint });
    } else if (isGivenUp(entry, stages)) {
      const since = entry.gave_up_at ?? entry.last_seen;
      const command = `mendloop explain ${fingerprint}`;
      waits.push({ what: 'given up', text, since, command, stage, fingerprint });
    }
  }
  const unlanded = fixesIn(ledger).filter(
    ({ stage, outcome, landed }) => outcome === 'kept' && landed === undefined && isConcerned(stage),
  );
  if (unlanded.length > 0) {
    const text = `${counted(unlanded.length, 'verified fix', 'verified fixes')} not on your branch yet`;
    waits.push({ what: 'promote', text, command: 'mendloop promote' });
  }
  return waits;
}

function isGivenUp({ stage, gave_up_at }: LedgerEntry, stages: StageState['stages']): boolean {
  const record = Object.hasOwn(stages, stage) ? stages[stage] : undefined;
  const steps = record ? [record, ...Object.values(record.cells ?? {})] : [];
  return gave_up_at !== undefined && steps.some(({ status }) => status === 'give_up');
}

/** `2 cases, 1 stage given up, fixes to promote`. */
export function waitingText(waits: readonly Waiting[]): string {
  const count = (kind: Waiting['what']) => waits.filter(({ what }) => what === kind).length;
  const [cases, givenUp] = [count('case'), count('given up')];
  return [
    cases > 0 && counted(cases, 'case'),
    givenUp > 0 && `${counted(givenUp, 'failure')} given up`,
    count('conflict') > 0 && 'a conflict',
    count('promote') > 0 && 'fixes to promote',
    count('safe mode') > 0 && 'safe mode is on',
  ]
    .filter(Boolean)
    .join(', ');
}

/** The same of a home as it is now. */
export function waitsNow(
  layout: Layout,
  { loaded, ledger }: { readonly loaded: LoadedStages; readonly ledger: Ledger },
): Waiting[] {
  const conflict = loaded.latest?.events.findLast((event) => event.type === 'tree.conflict');
  return waitsOf({
    ledger,
    stages: loaded.state.stages,
    safeMode: readSafeMode(layout)?.why,
    conflict: conflict && { message: conflict.data.message, since: conflict.time },
  });
}

/** The cases that wait for a word, the newest first. */
export const waitingCases = (layout: Layout): CaseSummary[] =>
  openCaseStore(layout)
    .list()
    .flatMap((one) => ('summary' in one && /^(?:open|given_up)$/.test(one.summary.state) ? [one.summary] : []))
    .sort((a, b) => (a.opened < b.opened ? 1 : -1));
