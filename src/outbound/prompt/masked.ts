// Secrets are masked before anything is cut to size: the middle of a key shows no longer that it is one.
import type { PromptFacts, PromptTry } from '../context.ts';

type Mask = (text: string) => string;

/** What prompts and cases tell alike. */
type Told = Pick<PromptFacts, 'stage' | 'files' | 'log' | 'failure' | 'memo' | 'tries'>;

/** `facts` with every text from outside masked whole. What is built of it is to be masked once more. */
export function masked<F extends Told>(facts: F, mask: Mask): F {
  const { stage, files, log, failure, memo, tries = [] } = facts;
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
  };
}

function maskedTry<T extends PromptTry>(one: T, mask: Mask): T {
  const { why, note, diff } = one;
  return {
    ...one,
    ...(why === undefined ? {} : { why: mask(why) }),
    ...(note === undefined ? {} : { note: { fix: mask(note.fix), reason: mask(note.reason) } }),
    ...(diff === undefined ? {} : { diff: mask(diff) }),
  };
}
