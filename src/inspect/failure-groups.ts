// The failures of many runs, one group for each fingerprint of a stage: how often, when, what was done, how it stands. Pure.
import type { StageState } from '../journal/stages.ts';
import type { FixSummary, RunSummary } from '../journal/summary.ts';
import { currentFingerprint, entryOf, type Ledger, type LedgerEntry, patchIn } from '../triage/ledger.ts';
import { dayOf } from '../triage/words.ts';

/** waits: a case is open · given_up · mended: a fix was verified since · passed: green since without one · open. */
type FailureState = 'waits' | 'given_up' | 'mended' | 'passed' | 'open';

export interface FailureGroup {
  readonly stage: string;
  readonly fingerprint: string;
  class: string;
  excerpt: string;
  /** Attempts that ended with it, and the runs that had it, oldest first. */
  times: number;
  readonly runs: string[];
  first: string;
  last: string;
  /** UTC day → attempts that ended with it. */
  readonly days: Record<string, number>;
  /** What was tried on it in these runs, each as it stands; `run` committed it last, `applied` says how many runs did. */
  fixes: (FixSummary & { run: string; applied: number })[];
  state: FailureState;
  /** The open case. */
  case?: string;
}

/** The one seen most first. `runs`: oldest first; the ledger, and `stages` where it is given, say how each stands today. */
export function failureGroups(
  runs: readonly RunSummary[],
  ledger: Ledger,
  stages: StageState['stages'] = {},
): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  const keyOf = (stage: string, fingerprint: string) => `${stage}/${currentFingerprint(ledger, stage, fingerprint)}`;
  for (const { run, began, failures, fixes } of runs) {
    for (const seen of failures) {
      const key = keyOf(seen.stage, seen.fingerprint);
      const group =
        groups.get(key) ?? newGroup(seen.stage, currentFingerprint(ledger, seen.stage, seen.fingerprint), began);
      groups.set(key, group);
      Object.assign(group, { class: seen.class, excerpt: seen.excerpt, last: began, times: group.times + seen.times });
      if (group.runs.at(-1) !== run) group.runs.push(run);
      group.days[dayOf(began)] = (group.days[dayOf(began)] ?? 0) + seen.times;
    }
    for (const fix of fixes) {
      const group = groups.get(keyOf(fix.stage, fix.fingerprint));
      if (!group) continue;
      const isCommitted = fix.commit !== undefined;
      const earlier = group.fixes.find(({ hash }) => hash === fix.hash);
      const applied = (earlier?.applied ?? 0) + (isCommitted ? 1 : 0);
      if (earlier) Object.assign(earlier, fix, { run: isCommitted ? run : earlier.run, applied });
      else group.fixes.push({ ...fix, run, applied });
    }
  }
  const lastGreen = new Map(
    runs.flatMap(({ run, stages }) =>
      stages.filter(({ end }) => end === 'green' || end === 'fresh').map(({ stage }) => [stage, run]),
    ),
  );
  for (const group of groups.values()) {
    const entry = entryOf(ledger, group.stage, group.fingerprint);
    const isGreenNow = Object.hasOwn(stages, group.stage) && stages[group.stage]?.status === 'green';
    const outcomes = group.fixes.map((fix) => patchIn(ledger, fix)?.outcome ?? fix.outcome);
    const wasGreen = (lastGreen.get(group.stage) ?? '') >= (group.runs.at(-1) ?? '');
    // That run was green with a fix that is gone.
    const isRolledBack = group.fixes.some(({ commit }, i) => commit !== undefined && outcomes[i] === 'declined');
    group.state = stateOf(entry, outcomes, isGreenNow || (wasGreen && !isRolledBack));
    if (entry?.case !== undefined) group.case = entry.case;
  }
  return [...groups.values()].sort((a, b) => b.times - a.times || (a.last < b.last ? 1 : -1));
}

const newGroup = (stage: string, fingerprint: string, at: string): FailureGroup => ({
  stage,
  fingerprint,
  class: 'unknown',
  excerpt: '',
  times: 0,
  runs: [],
  first: at,
  last: at,
  days: {},
  fixes: [],
  state: 'open',
});

function stateOf(entry: LedgerEntry | undefined, outcomes: readonly string[], isGreen: boolean): FailureState {
  if (entry?.case !== undefined) return 'waits';
  if (entry?.gave_up_at !== undefined) return 'given_up';
  if (!isGreen) return 'open';
  return outcomes.some((outcome) => outcome === 'kept') ? 'mended' : 'passed';
}
