// Asking for a fix: one plugin, its answer judged, what was wrong told back to it, a few rounds at most.
import { isDeepStrictEqual } from 'node:util';
import type { Happening } from '../events.ts';
import { callHook } from '../plugin/call.ts';
import type { Change, FixFacts, Proposal, RefusedRound } from '../plugin/contract.ts';
import type { LoadedPlugin } from '../plugin/examine.ts';
import { type JudgeScope, judgeProposal, type SoundFix } from './judge-proposal.ts';
import type { Keep } from './keep-try.ts';

/** `down`: it could not be reached or did not answer soundly, which is nobody's failed try. */
export type Asked =
  | { fix: SoundFix }
  | { none: 'passed' | 'down' | 'stopped'; reason: string }
  | { none: 'refused'; reason: string; rounds: readonly RefusedRound[] };

export interface AskScope extends JudgeScope {
  facts: FixFacts;
  signal: AbortSignal;
  /** Where the step is, for events. */
  place: { stage: string; step: string; attempt: number };
  record(...happenings: Happening[]): void;
  /** Keeps what was asked, answered and decided, for people. */
  keep?: Keep | undefined;
  /** Whether another round may be asked for; always when it does not say. */
  mayAsk?: (() => boolean) | undefined;
  /** Counts what was used. */
  used?: ((tokens: number, dollars?: number) => void) | undefined;
  /** Shows whoever watches what is going on. */
  live?: ((step: string, text: string) => void) | undefined;
}

const ROUNDS = 3;

/** Never throws for what the plugin does. */
export async function ask(plugin: LoadedPlugin, scope: AskScope): Promise<Asked> {
  const { place, record, keep, signal } = scope;
  const redact = (text: string) => scope.redactor?.redact(text) ?? text;
  const reporting = {
    mask: redact,
    say: (text: string) => record({ type: 'plugin.said', ...place, data: { plugin: plugin.name, text: redact(text) } }),
    progress: (text: string) => scope.live?.(place.step, `${plugin.name}: ${text}`),
    used: (tokens: number, dollars?: number) => scope.used?.(tokens, dollars),
  };
  const rounds: RefusedRound[] = [];
  let before: Proposal | undefined;
  for (let round = 1; round <= ROUNDS; round++) {
    if (round > 1 && scope.mayAsk?.() === false) break;
    const called = await callHook(plugin, 'propose', { ...scope.facts, refused: rounds }, { signal, reporting });
    if ('failed' in called) {
      // Who threw said why; that it was by throwing is nobody's concern.
      const reason = redact(called.failed.replace(': propose threw: ', ': '));
      if (called.why === 'stopped') return { none: 'stopped', reason };
      record({ type: 'plugin.failed', ...place, data: { plugin: plugin.name, reason } });
      return { none: 'down', reason };
    }
    const { answer } = called;
    if ('pass' in answer) {
      const reason = redact(answer.pass);
      // Who needs no model passes at nearly every failure.
      keep?.(plugin.name, round, answer);
      if (scope.redactor) record({ type: 'plugin.passed', ...place, data: { plugin: plugin.name, reason } });
      return passed(reason, rounds);
    }
    // Told why it was refused, and given once more: it will not change. A model may be asked in another form next time.
    if (!('answer' in answer) && isDeepStrictEqual(answer, before)) break;
    before = answer;
    const judged = await judgeProposal(answer, scope);
    keep?.(plugin.name, round, answer, judged);
    if (judged.ok) return { fix: judged };
    const { code } = judged;
    // They may quote lines of files, and go to the journal and back to who answered.
    const reasons = judged.reasons.map(redact);
    record({ type: 'fix.refused', ...place, data: { plugin: plugin.name, round, code, reasons } });
    const fix = fixOf(answer);
    rounds.push({ ...(fix === undefined ? {} : { fix: redact(fix) }), code, reasons });
  }
  return refused(rounds);
}

/** Who gives up after a refusal was refused. */
const passed = (reason: string, rounds: readonly RefusedRound[]): Asked =>
  rounds.length === 0 ? { none: 'passed', reason } : refused(rounds);

function refused(rounds: readonly RefusedRound[]): Asked {
  const last = rounds.at(-1) as RefusedRound;
  return { none: 'refused', reason: `${last.code}: ${last.reasons[0] ?? ''}`, rounds };
}

const LONGEST_FIX = 300;

/** What a proposal says that it does. */
export function fixOf(answer: Change): string | undefined {
  const said =
    'answer' in answer
      ? /^[\s>*_#-]{0,8}Fix[*_]{0,3}:[*_]{0,3}[^\S\n]*(\S[^\n]*)$/im.exec(answer.answer)?.[1]
      : undefined;
  return (answer.note?.fix ?? said)?.slice(0, LONGEST_FIX);
}
