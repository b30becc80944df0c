// Cases on disk: one private folder each below ai/escalations, every file written whole. The texts are masked by the caller.
import { join } from 'node:path';
import { didYouMean } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import type { NewEvent } from '../events.ts';
import { foldersIn } from '../io/files.ts';
import type { Layout } from '../io/layout.ts';
import { leaveInPlace, ownFolder, privateFolder, readChecked, readText, removeFile, writeAtomic } from '../io/store.ts';
import { type CaseSummary, isCaseName, isCaseSummary } from '../outbound/case-summary.ts';
import { entriesOf, hasAnswer, type Ledger, type LedgerEntry } from '../triage/ledger.ts';

/** A case as it is found: its summary, or what is wrong with it. */
export type ListedCase =
  | { readonly case: string; readonly summary: CaseSummary }
  | { readonly case: string; readonly problem: string };

const SUMMARY = 'summary.json';

export type CaseStore = ReturnType<typeof openCaseStore>;

/** Writing throws MendError when the disk refuses. Nothing is made before the first write. */
export function openCaseStore({ escalations }: Pick<Layout, 'escalations'>) {
  /** The folder of a case, for people. Throws for what is no name of a case: no path may lead out of the folder. */
  const folder = (name: string): string => {
    if (!isCaseName(name)) throw new Error(`${JSON.stringify(name)} is not the name of a case`);
    return join(escalations, name);
  };
  const put = (name: string, file: string, text: string): void => {
    const path = folder(name);
    ownFolder(escalations);
    privateFolder(path);
    writeAtomic(join(path, file), text);
  };
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const has = (name: string): boolean => isCaseName(name) && foldersIn(escalations).includes(name);
  const listed = (name: string): ListedCase => {
    if (!isCaseName(name)) return { case: name, problem: 'its folder has a name that no case has' };
    const read = readChecked(join(folder(name), SUMMARY), isCaseSummary, leaveInPlace);
    if (!read.found) {
      return { case: name, problem: `${SUMMARY} ${read.quarantined ? 'is not what a case has' : 'is missing'}` };
    }
    const { case: inside } = read.value;
    if (inside !== name) return { case: name, problem: `${SUMMARY} is that of the case ${inside}` };
    return { case: name, summary: read.value };
  };
  return {
    has,
    folder,
    write: (name: string, version: 1 | 2, text: string) => put(name, `case_v${version}.md`, text),
    writeSummary: (summary: CaseSummary) => put(summary.case, SUMMARY, json(summary)),
    writeResponse: (name: string, response: unknown) => put(name, 'response.json', json(response)),
    writePatch: (name: string, diff: string) => put(name, 'patch.diff', diff),
    dropPatch: (name: string) => removeFile(join(folder(name), 'patch.diff')),
    /** Undefined when there is no such case. A broken summary stays where it is and is reported as a problem. */
    read: (name: string) => (has(name) ? listed(name) : undefined),
    /** Every case, by name. */
    list: () => foldersIn(escalations).map(listed),
    /** The texts written for a case, the first version first. */
    texts: (name: string) =>
      (isCaseName(name) ? ([1, 2] as const) : []).flatMap((version) => {
        const text = readText(join(folder(name), `case_v${version}.md`));
        return text === undefined ? [] : [{ version, text }];
      }),
  };
}

/** A case by its name. Throws E_CASE_UNKNOWN with the nearest names, and E_CASE_BROKEN for one that cannot be read. */
export function findCase(store: CaseStore, name: string): CaseSummary {
  const all = store.list();
  const listed = all.find((candidate) => candidate.case === name);
  if (!listed) {
    const names = all.map((candidate) => candidate.case);
    return fail('E_CASE_UNKNOWN', { case: name, hint: didYouMean(name, names, 'there are') });
  }
  return 'summary' in listed ? listed.summary : fail('E_CASE_BROKEN', { case: name, problem: listed.problem });
}

/** Why all cases of a stage are over. */
const OVER = { green: 'the stage is green', reset: 'the stage was reset' } as const;

/**
 * Closes every case of `stages`, which are green or were reset; with green also answers that wait for a failure are over.
 * Returns the events. Throws MendError when the disk refuses.
 */
export function closeCases(
  layout: Layout,
  ledger: Ledger,
  stages: readonly string[],
  end: keyof typeof OVER,
  now: number,
): NewEvent[] {
  const store = openCaseStore(layout);
  const cases = store.list().flatMap((listed) => ('summary' in listed ? [listed.summary] : []));
  const open = cases.filter(({ stage, state }) => stages.includes(stage) && state !== 'closed');
  const reason = OVER[end];
  const closed = { time: new Date(now).toISOString(), why: reason };
  for (const summary of open) store.writeSummary({ ...summary, state: 'closed', closed });
  // The ledger still has cases whose files are gone.
  const isOpen = (entry: LedgerEntry) =>
    entry.case !== undefined ||
    (end === 'green' && (hasAnswer(entry) || (entry.orphaned && entry.gave_up_at !== undefined)));
  const lost = stages
    .flatMap((stage) => entriesOf(ledger, stage))
    .filter((entry) => isOpen(entry) && !open.some(({ fingerprint }) => fingerprint === entry.fingerprint))
    .map(({ stage, fingerprint, case: name = '' }) => ({ stage, fingerprint, case: name }));
  return [...open, ...lost].map(({ stage, fingerprint, case: name }) => ({
    type: 'case.closed',
    stage,
    data: { fingerprint, case: name, reason, ...(end === 'green' && { green: true }) },
  }));
}
