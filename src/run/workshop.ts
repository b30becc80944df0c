// Where fixes are made: who is asked, in which order, what they are told, and the sound answer put onto the branch.

import { RedactionError } from '../case/redact/redaction-error.ts';
import type { Stage } from '../config/context-map.ts';
import { pathMatcher } from '../config/globs.ts';
import type { Happening } from '../events.ts';
import { excerptOf } from '../failure/fingerprint.ts';
import { pathFindings } from '../fix/gate/path-rules.ts';
import type { GateRules } from '../fix/gate/rules.ts';
import { bashParses, shellCheck } from '../io/shell-check.ts';
import type { AppliedFix } from '../mend/applied-fix.ts';
import { type AskScope, ask } from '../mend/ask.ts';
import type { FixStore } from '../mend/fix-store.ts';
import { gateRules } from '../mend/gate-rules.ts';
import { judgeProposal, type SoundFix } from '../mend/judge-proposal.ts';
import { keepTry } from '../mend/keep-try.ts';
import { type OutgoingScope, outgoing } from '../mend/outgoing.ts';
import type { EarlierTry, FixFacts } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { stageVariables } from '../stage/stage-env.ts';
import type { LedgerEntry } from '../triage/ledger.ts';
import { isReversal } from '../worktree/reversal.ts';
import { type Snapshot, snapshotOf } from '../worktree/snapshot.ts';
import type { Tree } from '../worktree/tree.ts';
import type { Configuration } from './configuration.ts';
import type { LedgerStore } from './ledger-store.ts';
import { knownOf, type Recognised } from './recognise.ts';
import { KNOWN_FIXES } from './standing.ts';

export interface WorkshopScope {
  run: string;
  config: Configuration;
  executors: readonly LoadedPlugin[];
  ledger: LedgerStore;
  fixes: FixStore;
  tree: Tree;
  /** The worktree's commit now, and the base's. */
  head(): string;
  base: string;
  /** Paths of the running package, when the repository is that package. */
  own: readonly string[];
  surroundings: FixFacts['surroundings'];
  outgoing: OutgoingScope;
  signal: AbortSignal;
  record(...happenings: Happening[]): void;
}

/** `down`: nobody could be reached; `moved`: another fix came between; undefined: there is no fix, and the pass is spent. */
export type Made = AppliedFix | 'down' | 'stopped' | 'moved' | undefined;

export interface Workshop {
  /** A fix that needs no model and was not tried on this failure. */
  knownFix(subject: Recognised): Promise<SoundFix | undefined>;
  applyKnown(subject: Recognised, fix: SoundFix): Promise<Made>;
  /** Puts fixes back that were taken back unjudged, the first that still fits. */
  reapply(subject: Recognised, hashes: readonly string[]): Promise<Made>;
  /** One pass through everyone else: a try. Whoever answers after `limitMs` answers too late for this run. */
  askAll(subject: Recognised, limitMs: number): Promise<Made>;
}

/** A timer of more fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

export function openWorkshop(scope: WorkshopScope): Workshop {
  const { ledger, fixes, run } = scope;
  const known = scope.executors.find(({ name }) => name === KNOWN_FIXES);
  const others = scope.executors.filter((plugin) => plugin !== known);
  let snapshot: Snapshot | undefined;

  return {
    async knownFix(subject) {
      const asked = known && (await ask(known, await askScope(subject)));
      return asked && 'fix' in asked ? asked.fix : undefined;
    },
    applyKnown: (subject, fix) => apply(subject, fix, KNOWN_FIXES, false),
    async reapply(subject, hashes) {
      const judging = await askScope(subject);
      for (const patch of entryOf(subject).patches.filter(({ hash }) => hashes.includes(hash))) {
        const { hash, tier, plugin } = patch;
        const diff = fixes.diffOf(hash);
        const judged = diff === undefined ? undefined : await judgeProposal({ answer: diff, note: RETURNED }, judging);
        if (judged?.ok) return apply(subject, { ...judged, hash }, plugin, false);
        const { stage, failure } = subject;
        const data = { hash, outcome: 'refused' as const, tier, plugin };
        ledger.record({ type: 'patch', stage, fingerprint: failure.fingerprint, run, data });
      }
      return undefined;
    },
    async askAll(subject, limitMs) {
      const over = new AbortController();
      const timer = setTimeout(() => over.abort(), Math.min(Math.ceil(limitMs), LONGEST_MS));
      try {
        return await askInTime(subject, AbortSignal.any([scope.signal, over.signal]));
      } finally {
        clearTimeout(timer);
      }
    },
  };

  async function askInTime(subject: Recognised, signal: AbortSignal): Promise<Made> {
    const judging = await tell(subject, { ...(await askScope(subject)), signal });
    if (!judging) return 'down';
    const ends: string[] = [];
    for (const plugin of others) {
      const asked = await ask(plugin, judging);
      if ('fix' in asked) return apply(subject, asked.fix, plugin.name, true);
      if (asked.none === 'stopped') return 'stopped';
      ends.push(asked.none);
    }
    if (ends.every((end) => end === 'down')) return 'down';
    const { stage, failure } = subject;
    ledger.record({ type: 'tried', stage, fingerprint: failure.fingerprint, run, data: {} });
    return undefined;
  }

  /** The same with a prompt, secrets masked; undefined when it is not sure that all are known: then nobody is asked. */
  async function tell(subject: Recognised, judging: AskScope): Promise<AskScope | undefined> {
    const { stage, step, attempt } = subject;
    try {
      const { prompt, redactor } = await outgoing(judging.facts, subject.how, scope.outgoing);
      const keep = keepTry(scope.outgoing.home, { run, step, attempt }, prompt, redactor);
      return { ...judging, facts: { ...judging.facts, prompt }, redactor, keep };
    } catch (error) {
      if (!(error instanceof RedactionError)) throw error;
      const reason = `nothing is sent to anyone: ${error.message}`;
      scope.record({ type: 'plugin.failed', stage, step, attempt, data: { plugin: '', reason } });
      return undefined;
    }
  }

  async function apply(subject: Recognised, fix: SoundFix, plugin: string, tried: boolean): Promise<Made> {
    const { stage, step, attempt, failure } = subject;
    const { fingerprint, class: found } = failure;
    const story = { stage, step, attempt, fingerprint, class: found, hash: fix.hash, note: fix.note, plugin, run };
    return (await fixes.apply({ ...story, tier: 'executor' }, fix.files, fix.diff, tried)) ?? 'moved';
  }

  function entryOf({ stage, failure }: Recognised): LedgerEntry {
    return knownOf(ledger, stage, failure.fingerprint);
  }

  async function askScope(subject: Recognised): Promise<AskScope> {
    if (snapshot?.commit !== scope.head()) snapshot = await snapshotOf(scope.tree, scope.head());
    const now = snapshot;
    const { map, loop } = scope.config;
    const stage = map.stages[subject.stage] as Stage;
    const rules = gateRules(stage, 'executor', { map, limits: loop.limits, snapshot: now, own: scope.own });
    const files = editable(now, rules);
    const { stage: name, step, attempt } = subject;
    return {
      ...{ rules, snapshot: now, shellCheck, entry: entryOf(subject), signal: scope.signal, record: scope.record },
      unparsed: unparsedFiles(subject, files),
      isReversal: (edited) => isReversal(scope.tree, scope.base, scope.head(), edited),
      place: { stage: name, step, attempt },
      facts: factsOf(subject, stage, files, now),
    };
  }

  function factsOf(subject: Recognised, stage: Stage, files: string[], now: Snapshot): FixFacts {
    const { failure, log } = subject;
    const { limits } = scope.config.loop;
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
      tries: entryOf(subject).patches.map((patch) => earlierTry(patch, fixes)),
      refused: [],
      limits: { files: limits.executor_files, changed_lines: limits.changed_lines },
    };
  }
}

const RETURNED = { fix: 'put back a fix that was taken back unjudged', reason: 'its failure is back' };

function earlierTry({ plugin, outcome, hash }: LedgerEntry['patches'][number], fixes: FixStore): EarlierTry {
  const diff = fixes.diffOf(hash);
  return { plugin, outcome, ...(diff === undefined ? {} : { diff }) };
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
