// What whoever is asked for a fix is told of the failure and the repository, and what its answer is judged by.
import type { Stage } from '../config/context-map.ts';
import { pathMatcher } from '../config/paths.ts';
import { excerptOf } from '../failure/fingerprint.ts';
import { pathFindings } from '../fix/gate/path-rules.ts';
import type { GateRules } from '../fix/gate/rules.ts';
import { bashParses, shellCheck } from '../io/tools.ts';
import type { LedgerStore } from '../journal/ledger-file.ts';
import type { Try } from '../outbound/context.ts';
import type { FixFacts } from '../plugin/contract.ts';
import type { Configuration } from '../stage/configuration.ts';
import { stageVariables } from '../stage/stage-env.ts';
import type { LedgerEntry } from '../triage/ledger.ts';
import type { PatchData } from '../triage/records.ts';
import { isReversal } from '../worktree/find-fix.ts';
import { type Snapshot, snapshotOf } from '../worktree/read.ts';
import type { Tree } from '../worktree/tree.ts';
import type { FixStore } from './fix-store.ts';
import { gateRules } from './gate-rules.ts';
import type { JudgeScope } from './judge-proposal.ts';
import { knownOf, type Recognised } from './recognise.ts';

export interface FixFactsScope {
  config: Configuration;
  ledger: LedgerStore;
  fixes: FixStore;
  tree: Tree;
  /** The worktree's commit now, and the base's. */
  head(): string;
  base: string;
  /** Paths of the running package, when the repository is that package. */
  own: readonly string[];
  surroundings: FixFacts['surroundings'];
}

export type Told = JudgeScope & { facts: FixFacts };

/** For one failure and tier, at the commit the worktree is at now. */
export type TellFacts = (subject: Recognised, tier: PatchData['tier']) => Promise<Told>;

export function factsFrom(scope: FixFactsScope): TellFacts {
  let snapshot: Snapshot | undefined;
  return async (subject, tier) => {
    if (snapshot?.commit !== scope.head()) snapshot = await snapshotOf(scope.tree, scope.head());
    const now = snapshot;
    const { map, loop } = scope.config;
    const stage = map.stages[subject.stage] as Stage;
    const rules = gateRules(stage, tier, { map, limits: loop.limits, snapshot: now, own: scope.own });
    const files = editable(now, rules);
    const entry = knownOf(scope.ledger, subject.stage, subject.failure.fingerprint);
    return {
      ...{ rules, snapshot: now, shellCheck, entry },
      unparsed: unparsedFiles(subject, files),
      isReversal: (edited) => isReversal(scope.tree, scope.base, scope.head(), edited),
      facts: factsOf(subject, { stage, files, rules, now, entry }),
    };
  };

  function factsOf(
    subject: Recognised,
    found: { stage: Stage; files: string[]; rules: GateRules; now: Snapshot; entry: LedgerEntry },
  ): FixFacts {
    const { failure, log } = subject;
    const { stage, files, rules, now, entry } = found;
    return {
      stage: { ...stage, name: subject.stage },
      failure: {
        ...{ fingerprint: failure.fingerprint, class: failure.class, excerpt: excerptOf(failure), log },
        error_lines: failure.errors.flatMap(({ lines }) => lines),
      },
      files,
      read: async (path) => (await now.text(path)) ?? '',
      prompt: '',
      tree: [...now.files.keys()],
      shell: { parses: bashParses },
      surroundings: {
        path: scope.surroundings.path,
        variables: [...scope.surroundings.variables, ...stageVariables(stage)],
      },
      tries: earlierTries(entry, scope.fixes),
      refused: [],
      limits: { files: rules.maxFiles, changed_lines: rules.maxLines },
    };
  }
}

/** Every change that was tried or not taken, the oldest first. */
function earlierTries({ patches, refused = [] }: LedgerEntry, fixes: FixStore): Try[] {
  const applied = patches.map(({ plugin, tier, outcome, hash, note, why, time }) => {
    const diff = fixes.diffOf(hash);
    const more = { ...(note ? { note } : {}), ...(why ? { why } : {}), ...(diff ? { diff } : {}) };
    return { time, one: { plugin, tier, outcome, ...more } };
  });
  const turnedDown = refused.map(({ plugin, tier, code, reason, fix, time = '' }) => {
    if (code === 'pass') return { time, one: { plugin, tier, outcome: 'passed' as const, why: reason } };
    const note = fix === undefined ? {} : { note: { fix, reason: 'not given' } };
    return { time, one: { plugin, tier, outcome: 'refused' as const, ...note, code, why: reason } };
  });
  return [...applied, ...turnedDown].sort((a, b) => (a.time < b.time ? -1 : 1)).map(({ one }) => one);
}

/** The files that the stage may have changed and the gate would let through. */
function editable({ files }: Snapshot, rules: GateRules): string[] {
  const allowed = pathMatcher(rules.allow);
  return [...files.keys()].filter((path) => {
    if (!allowed(path)) return false;
    return pathFindings([{ path, before: '', after: '.' }], rules).length === 0;
  });
}

/** The files of which a parser complained, as far as they may be changed. */
function unparsedFiles({ failure }: Recognised, files: readonly string[]): string[] {
  if (failure.class !== 'yaml_parse_error') return [];
  const said = failure.errors.flatMap(({ lines }) => lines).join('\n');
  const named = files.filter((path) => said.includes(path));
  return named.length > 0 ? named : files.filter((path) => said.includes(path.split('/').at(-1) as string));
}
