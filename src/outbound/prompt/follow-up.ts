// What a model is told when its answer was refused: why, and once more the form.
import { REFUSALS } from '../../fix/edit.ts';
import type { AnswerFormat } from './facts.ts';
import { formatRule } from './format-rule.ts';
import { clipLine } from './tokens.ts';

export interface Refused {
  readonly code: string;
  readonly reasons: readonly string[];
}

const MOST_LINES = 40;

/** A message for the model whose last answers were `refused`, the latest last. */
export function followUp(refused: readonly Refused[], format: AnswerFormat): string {
  const told = refused.map(({ code, reasons }, i) => {
    const which = refused.length === 1 ? 'Your answer' : `Answer ${i + 1}`;
    const lines = reasons.flatMap((reason) => reason.split('\n')).slice(0, MOST_LINES);
    return [`${which} was not taken: ${meaning(code)}.`, ...lines.map((line) => `  ${clipLine(line)}`)].join('\n');
  });
  return `${told.join('\n\n')}\n\nAnswer once more, in full. Do not repeat what was not taken.\n\n${formatRule(format)}`;
}

const meaning = (code: string): string =>
  Object.hasOwn(REFUSALS, code) ? REFUSALS[code as keyof typeof REFUSALS] : code;
