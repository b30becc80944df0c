// A case with its secrets masked: what it has in common with a prompt, and what only a case tells.
import { type Diagnostic, isBlocked } from '../context.ts';
import { masked } from '../prompt/masked.ts';
import type { CaseFacts, CaseTry } from './facts.ts';

type Mask = (text: string) => string;

/** `facts` with every text from outside masked whole. What is built of it is to be masked once more. */
export function maskedCase(facts: CaseFacts, mask: Mask): CaseFacts {
  const { notes = [], diagnostics = [] } = facts;
  const { tries = [], ...told } = masked(facts, mask);
  return {
    ...told,
    tries: tries.map((one) => maskedRefusals(one, mask)),
    notes: notes.map(mask),
    diagnostics: diagnostics.map((one) => maskedDiagnostic(one, mask)),
  };
}

function maskedRefusals({ refused, ...one }: CaseTry, mask: Mask): CaseTry {
  if (refused === undefined) return one;
  return { ...one, refused: refused.map(({ code, reasons }) => ({ code, reasons: reasons.map(mask) })) };
}

const maskedDiagnostic = (one: Diagnostic, mask: Mask): Diagnostic =>
  isBlocked(one)
    ? { command: mask(one.command), blocked: mask(one.blocked) }
    : { ...one, command: mask(one.command), output: mask(one.output) };
