// What the end of a failed step tells: who the failure is, whether a person is needed, and the one thing to do next. Pure.
import type { Decision } from '../triage/situation.ts';
import type { Triaged } from './failed-attempt.ts';
import type { Recognised } from './recognise.ts';

export interface EndFacts {
  /** The loop is at its end with it, now or since an earlier run. */
  gaveUp: boolean;
  /** The open case of the failure. */
  case: string | undefined;
  /** Where the question is kept that nobody could be asked. */
  prompt: string | undefined;
  /** What the step was made from. */
  inputs: unknown;
}

/** What to do about a failure that the owner's own rule calls external, without more advice. */
const OUTSIDE = 'mend what the log names outside of this repository';

export function endOfStep(subject: Recognised, decision: Decision, facts: EndFacts): Triaged {
  const { fingerprint, class: found } = subject.failure;
  const { gaveUp, inputs } = facts;
  const human = gaveUp || ('exit' in decision && decision.exit === 3);
  const next = nextStep(subject, decision, facts);
  return {
    reason: decision.reason,
    context: {
      ...(inputs === undefined ? {} : { inputs }),
      ...{ fingerprint, class: found, tier: decision.tier },
      ...('why' in decision ? { why: decision.why } : {}),
      ...(human ? { human: true } : {}),
      ...(gaveUp ? { gave_up: decision.reason } : {}),
      ...(next ? { next } : {}),
    },
  };
}

/** What only a person can do now; undefined where the usual words do. */
export function nextStep({ stage, failure }: Recognised, decision: Decision, facts: EndFacts): string | undefined {
  const { fingerprint, advice } = failure;
  const why = 'why' in decision ? decision.why : undefined;
  if (facts.gaveUp) return `see mendloop explain ${fingerprint}; mend it, then: mendloop reset ${stage}`;
  if (why === 'safe_mode') return 'see why: mendloop safe-mode; when that is mended: mendloop safe-mode off';
  if (why === 'open_case') return `mendloop cases show ${facts.case}`;
  if (facts.prompt !== undefined) {
    return `start the model and run mendloop again, or give ${facts.prompt} to any other, try its answer (mendloop check-patch <answer> --stage ${stage}) and commit it on your branch`;
  }
  const todo = advice ?? (why === 'external' ? OUTSIDE : undefined);
  return todo && `${todo}, then: mendloop`;
}
