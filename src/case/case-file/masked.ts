// Secrets are masked in whole texts, before anything is cut to size: the middle of a key shows no longer that it is one.
import { type Diagnostic, isBlocked } from '../diagnostics/result.ts';
import type { CaseFacts, CaseTry } from './facts.ts';

type Mask = (text: string) => string;

/** `facts` with every text from outside masked whole. What is built of it is to be masked once more. */
export function maskedCase(facts: CaseFacts, mask: Mask): CaseFacts {
  const { stage, files, log, failure, memo, tries = [], notes = [], diagnostics = [] } = facts;
  const { description, success_criteria } = stage;
  return {
    ...facts,
    stage: {
      ...stage,
      ...(description === undefined ? {} : { description: mask(description) }),
      ...(success_criteria === undefined ? {} : { success_criteria: success_criteria.map(mask) }),
    },
    log: mask(log),
    failure: { ...failure, error_lines: mask(failure.error_lines.join('\n')).split('\n') },
    files: files.map(({ path, text }) => ({ path, text: mask(text) })),
    ...(memo === undefined ? {} : { memo: mask(memo) }),
    tries: tries.map((one) => maskedTry(one, mask)),
    notes: notes.map(mask),
    diagnostics: diagnostics.map((one) => maskedDiagnostic(one, mask)),
  };
}

function maskedTry({ why, note, diff, refused, ...one }: CaseTry, mask: Mask): CaseTry {
  return {
    ...one,
    ...(why === undefined ? {} : { why: mask(why) }),
    ...(note === undefined ? {} : { note: { fix: mask(note.fix), reason: mask(note.reason) } }),
    ...(diff === undefined ? {} : { diff: mask(diff) }),
    ...(refused === undefined
      ? {}
      : { refused: refused.map(({ code, reasons }) => ({ code, reasons: reasons.map(mask) })) }),
  };
}

const maskedDiagnostic = (one: Diagnostic, mask: Mask): Diagnostic =>
  isBlocked(one)
    ? { command: mask(one.command), blocked: mask(one.blocked) }
    : { ...one, command: mask(one.command), output: mask(one.output) };
