// Asking for a fix: one plugin, its answer judged, what was wrong told back to it, a few rounds at most.
import type { Happening } from '../events.ts';
import type { Refusal } from '../fix/edit.ts';
import { callHook } from '../plugin/call.ts';
import type { FixFacts, Proposal, RefusedRound } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { type JudgeScope, judgeProposal, type SoundFix } from './judge-proposal.ts';

/** `down`: it could not be reached or did not answer soundly, which is nobody's failed try. */
export type Asked = { fix: SoundFix } | { none: 'passed' | 'refused' | 'down' | 'stopped'; reason: string };

export interface AskScope extends JudgeScope {
  facts: FixFacts;
  signal: AbortSignal;
  /** Where the step is, for events. */
  place: { stage: string; step: string; attempt: number };
  record(...happenings: Happening[]): void;
  /** Keeps what was asked, answered and decided, for people. */
  keep?: ((plugin: string, round: number, answer: Proposal, judged: SoundFix | Refusal) => void) | undefined;
}

const ROUNDS = 3;

/** Never throws for what the plugin does. */
export async function ask(plugin: LoadedPlugin, scope: AskScope): Promise<Asked> {
  const { place, record, keep } = scope;
  const refused: RefusedRound[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const called = await callHook(plugin, 'propose', { ...scope.facts, refused }, { signal: scope.signal });
    if ('failed' in called) {
      if (called.why === 'stopped') return { none: 'stopped', reason: called.failed };
      record({ type: 'plugin.failed', ...place, data: { plugin: plugin.name, reason: called.failed } });
      return { none: 'down', reason: called.failed };
    }
    const { answer } = called;
    if ('pass' in answer) return { none: 'passed', reason: answer.pass };
    const judged = await judgeProposal(answer, scope);
    keep?.(plugin.name, round, answer, judged);
    if (judged.ok) return { fix: judged };
    const { code } = judged;
    // They may quote lines of files, and go to the journal and back to who answered.
    const reasons = judged.reasons.map((reason) => scope.redactor?.redact(reason) ?? reason);
    record({ type: 'fix.refused', ...place, data: { plugin: plugin.name, round, code, reasons } });
    refused.push({ code, reasons });
    // What does not change between two rounds gives the same answer again.
    if (!('answer' in answer)) break;
  }
  const last = refused.at(-1);
  return { none: 'refused', reason: last ? `${last.code}: ${last.reasons[0] ?? ''}` : 'refused' };
}
