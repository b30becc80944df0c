// A failure → the prompt for a model: everything it needs, in a stated order of worth, within a budget. Pure.

import { formatRule } from './answer-format.ts';
import type { Prompt, PromptFacts } from './context.ts';
import { partsOf, READING_ORDER } from './parts/prompt-parts.ts';
import { estimateTokens, fenceNote } from './text.ts';

/** Leaves a model of 16k room for its answer, and for two more rounds. */
export const DEFAULT_BUDGET = 9000;

/**
 * The task, the note on data and the form of the answer are always whole. The rest gets room in this order: error lines,
 * instructions, files, log, earlier attempts, success criteria, memo; each its share at first, then what the others left.
 * Never throws. The form of the answer stands last.
 */
export function buildPrompt(facts: PromptFacts): Prompt {
  const { budget = DEFAULT_BUDGET, nonce, format } = facts;
  const [opening, rule] = [openingOf(facts), formatRule(format)];
  const wholly = partsOf(facts).map((part) => {
    const full = part.say(budget);
    return { part, said: full, need: estimateTokens(full) + 1, given: 0 };
  });
  let left = budget - estimateTokens(opening) - estimateTokens(rule) - 2;
  for (const want of wholly) {
    want.given = Math.max(0, Math.min(want.need, Math.floor(want.part.share * budget), left));
    left -= want.given;
  }
  for (const want of wholly) {
    const more = Math.max(0, Math.min(want.need - want.given, left));
    want.given += more;
    left -= more;
  }
  const shortened: string[] = [];
  const said = new Map<string, string>();
  for (const { part, said: full, need, given } of wholly) {
    said.set(part.name, given < need ? part.say(given) : full);
    if (given < need) shortened.push(part.name);
  }
  const body = READING_ORDER.map((name) => said.get(name) ?? '').filter((text) => text.trim() !== '');
  const text = [opening, ...body, rule].join('\n');
  return { text, tokens: estimateTokens(text), shortened };

  function openingOf({ stage, limits }: PromptFacts): string {
    const what = stage.description ? ` (${stage.description})` : '';
    const command = typeof stage.command === 'string' ? stage.command : stage.command.join(' ');
    const files = limits.files === 1 ? 'one file' : `${limits.files} files`;
    return (
      `The stage ${stage.name}${what} failed. It runs: ${command}\n` +
      `Mend it with the smallest change: at most ${files} and ${limits.changed_lines} lines, usually one to ten.\n\n` +
      `${fenceNote(nonce)}\n`
    );
  }
}
