// A case by its name.

import { didYouMean } from '../config/suggest.ts';
import { fail } from '../errors.ts';
import type { CaseSummary } from '../outbound/case-summary.ts';
import type { CaseStore } from './case-store.ts';

/** Throws E_CASE_UNKNOWN with the nearest names, and E_CASE_BROKEN for one that cannot be read. */
export function findCase(store: CaseStore, name: string): CaseSummary {
  const all = store.list();
  const found = all.find((one) => one.case === name);
  if (!found) {
    const names = all.map((one) => one.case);
    return fail('E_CASE_UNKNOWN', { case: name, hint: didYouMean(name, names, 'there are') });
  }
  return 'summary' in found ? found.summary : fail('E_CASE_BROKEN', { case: name, problem: found.problem });
}
