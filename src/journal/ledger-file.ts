// The ledger on disk: onto its journal first, then into the ledger; the projection can always be made again from the journal.
import type { Clock } from '../io/clock.ts';
import { fileFacts } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { quarantine, readChecked, writeAtomic } from '../io/store.ts';
import { foldLedger } from '../triage/fold.ts';
import { emptyLedger, isLedger, type Ledger } from '../triage/ledger.ts';
import { isLedgerRecord, type LedgerHappening, type LedgerRecord } from '../triage/records.ts';
import { type Line, openLines, readLines } from './lines.ts';

export interface LedgerStore {
  /** As of now; only `record` changes it. */
  readonly ledger: Ledger;
  /** What a person must know: a file was broken. */
  readonly notices: readonly string[];
  /**
   * All of it is on disk and in the ledger when this returns. Throws MendError when the disk refuses, and TypeError for
   * what could not be read again; then nothing of it is there.
   */
  record(...happenings: LedgerHappening[]): void;
  /** Writes what is left to write. */
  close(): void;
}

/** The projection is not written more often than a person could look. */
const PROJECT_EVERY_MS = 250;

/** Over what is recorded: the words of logs and models. */
export type MaskData = <T extends object>(data: T) => T;

/** Opens the ledger for whoever holds the lock. Throws MendError when the disk refuses, never for what the files hold. */
export function openLedger(layout: Layout, clock: Clock, mask: MaskData = (data) => data): LedgerStore {
  const { ledger, notices, end, orphaned } = load(layout, quarantine);
  const journal = openLines(layout.ledgerJournal, end);
  let written = Number.NEGATIVE_INFINITY;

  function project(): void {
    writeAtomic(layout.ledger, `${JSON.stringify(ledger)}\n`);
    written = clock.monotonic();
  }

  const store: LedgerStore = {
    ledger,
    notices,
    record(...happenings) {
      if (happenings.length === 0) return;
      const { seq } = ledger.as_of;
      const time = new Date(clock.now()).toISOString();
      const records = happenings.map(
        (happening, i) =>
          ({ v: 1, seq: seq + i + 1, time, ...happening, data: mask(happening.data) }) as unknown as LedgerRecord,
      );
      const strange = records.find((record) => !isLedgerRecord(record));
      if (strange) throw new TypeError(`no record of the ledger: ${JSON.stringify(strange)}`);
      for (const line of journal.append(records)) foldLine(ledger, line);
      if (clock.monotonic() - written >= PROJECT_EVERY_MS) project();
    },
    close() {
      project();
      journal.close();
    },
  };
  if (orphaned) store.record({ type: 'snapshot', data: { ledger: structuredClone(ledger) } });
  return store;
}

/** The ledger for whoever only looks: nothing is written, nothing moved aside. */
export function readLedger(layout: Layout): { ledger: Ledger; notices: string[] } {
  const { ledger, notices } = load(layout, undefined);
  return { ledger, notices };
}

/** The projection, and what the journal holds beyond it. What was counted stays counted: without its journal the projection goes on. */
function load(layout: Layout, aside: ((path: string) => string) | undefined) {
  const notices: string[] = [];
  const setAside = (path: string, file: string, what: string, source: string): string => {
    const there = aside && fileFacts(path) !== undefined;
    notices.push(`${file} ${what}${there ? `, kept as ${aside(path)}` : ''}: ${source}`);
    return path;
  };
  const read = readChecked(layout.ledger, isLedger, () =>
    setAside(layout.ledger, 'ai/state/ledger.json', 'is corrupt', 'made again from its journal'),
  );
  const ledger = read.found ? read.value : emptyLedger();
  const rest = fromJournal(layout, ledger);
  if (!rest) {
    setAside(
      layout.ledgerJournal,
      'ai/state/ledger.jsonl',
      'was lost, cut or replaced',
      'ledger.json goes on without it',
    );
    return { ledger, notices, end: 0, orphaned: true };
  }
  if (!read.found && !read.quarantined && rest.lines.length > 0) {
    notices.push('ai/state/ledger.json is missing: made again from its journal');
  }
  if (rest.bad > 0) {
    notices.push(`ai/state/ledger.jsonl has unreadable lines (${rest.bad}): what they said is not in the ledger`);
  }
  for (const line of rest.lines) foldLine(ledger, line);
  return { ledger, notices, end: rest.end, orphaned: false };
}

const fromJournal = (layout: Layout, { as_of }: Ledger) => readLines(layout.ledgerJournal, isLedgerRecord, as_of);

function foldLine(ledger: Ledger, { record, at }: Line<LedgerRecord>): void {
  foldLedger(ledger, record);
  ledger.as_of.at = at;
}
